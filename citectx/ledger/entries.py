"""Ledgers: what a paper says in words, as data, checked when it is read.

``papers/<paper>/claims.yaml`` names the experiments whose tables it is about, with the rows and
columns that these tables have, and lists what the paper says in words; `citectx.ledger.forms`
explains the checks. The numbers of the paper's own tables are in ``published/`` beside it
(`citectx.ledger.published`): they are not claims, but stand beside ours in every table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from citectx.errors import ParameterError, unknown
from citectx.ledger import fields
from citectx.ledger.fields import Column, Columns, Id, Row, Rows, Table, errors_in
from citectx.ledger.forms import Form, read_form
from citectx.ledger.published import Printed, read_folder

FOLDER = Path(__file__).parents[1] / "papers"
"""Each paper's folder has its ``claims.yaml``."""

Kind = Literal["order", "significance", "trend"]
CLAIM_ID = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Needs:
    """What a corpus must have for a claim to be tested: the least value of a cell."""

    row: Row
    column: Column
    at_least: float


@dataclass(frozen=True)
class Claim:
    """One thing the paper says, and how to check it.

    Parameters
    ----------
    claim_id : str
        Unique in its ledger.
    kind : Kind
    where : str
        Section, table or figure.
    says : str
        In our own words.
    experiments : tuple of str
        Whose tables the check looks at.
    check : Form
    relative : bool
        Whether the paper's effect carries over in percent of the rival; by default as its first
        experiment says.
    headline : bool
        Whether it is among the few claims that a summary shows.
    ours : bool
        A check of ours, which the paper does not make in these words.
    needs : Needs, optional
    note : str
        What a reader of the verdict should know.
    """

    claim_id: str
    kind: Kind
    where: str
    says: str
    experiments: tuple[Table, ...]
    check: Form
    relative: bool = False
    headline: bool = False
    ours: bool = False
    needs: Needs | None = None
    note: str = ""

    keys: ClassVar[Mapping[str, str]] = {"claim_id": "id", "experiments": "experiment"}

    def __post_init__(self) -> None:
        if not CLAIM_ID.fullmatch(self.claim_id):
            raise ParameterError(f"id: {self.claim_id!r} is not words in a-z and 0-9 with hyphens")
        if self.kind not in self.check.kinds:
            kinds, form = " or ".join(self.check.kinds), type(self.check).__name__
            raise ParameterError(f"{form} serves claims of kind {kinds}, not {self.kind}")


@dataclass(frozen=True)
class Experiment:
    """A result table: where the paper prints it, and what its rows and columns are called.

    Parameters
    ----------
    where : str
    rows, columns : tuple of str
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    percent, fraction : tuple of str
        The columns whose highest score is 100 or 1.
    headline : mapping of str to str
        The comparison that the table is about: the rows ``better`` and ``than``, the column
        ``in``; ``percent`` is the column of relative gains, where that is all that the paper
        prints, and ``order`` the column that orders the methods, where it is another one.
    """

    where: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    relative: bool = False
    percent: Columns = ()
    fraction: Columns = ()
    headline: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = dict.fromkeys(("better", "than"), self.rows)
        known |= dict.fromkeys(("in", "percent", "order"), self.columns)
        if self.headline and not {"better", "than", "in"} <= self.headline.keys():
            raise ParameterError("headline: expected better, than and in")
        for name, value in self.headline.items():
            if name not in known:
                raise unknown("field of headline", name, known)
            if value not in known[name]:
                raise ParameterError(f"headline: {unknown(name, value, known[name])}")


@dataclass(frozen=True)
class Limit:
    """Rows or claims that cannot be tested on some corpora (on any, if none is named), and why."""

    why: str
    corpora: tuple[str, ...] = ()
    rows: Rows = ()
    claims: tuple[Id, ...] = ()


@dataclass(frozen=True)
class _File:
    """What ``claims.yaml`` holds; ``groups`` are lists that it uses more than once."""

    paper: str
    title: str
    corpus: str
    experiments: dict[str, Any]
    claims: list[Any]
    limits: list[Any] = field(default_factory=list)
    groups: dict[str, Any] = field(default_factory=dict)
    main: str = ""


@dataclass(frozen=True)
class Ledger:
    """What one paper says in words, and the numbers that it prints.

    Parameters
    ----------
    paper, title : str
    corpus : str
        The corpus of the paper's own numbers; only there can they be reproduced.
    main : str
        The open corpus that is closest to it (default: the same).
    experiments : mapping of str to Experiment
    claims : mapping of str to Claim
    limits : sequence of Limit
    printed : sequence of Printed
    """

    paper: str
    title: str
    corpus: str
    main: str
    experiments: Mapping[str, Experiment]
    claims: Mapping[str, Claim]
    limits: Sequence[Limit] = ()
    printed: Sequence[Printed] = ()

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, claim_id: str) -> Claim:
        return self.claims[claim_id]

    def why_never(self, corpus: str, rows: Iterable[str], claim_id: str) -> str:
        """Return why a corpus cannot have one of these rows, or test a claim; "" if it can."""
        for limit in self.limits:
            about = claim_id in limit.claims or not {*rows}.isdisjoint(limit.rows)
            if about and corpus in (limit.corpora or [corpus]):
                return limit.why
        return ""

    def numbers(self, *experiments: str) -> list[Printed]:
        """Return what the paper prints in these experiments' tables, or about them."""
        tables = {name.removeprefix(f"{self.paper}_") for name in experiments}
        return [each for each in self.printed if each.table in tables]

    def published(self, experiments: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these experiments' tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        printed = [each for each in self.numbers(*experiments) if each.number]
        return {(each.row, each.column): each.value for each in printed}

    def marks(self, experiment: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        marked = [each for each in self.numbers(experiment) if each.mark]
        return {(each.row, (each.column, "paper")): each.mark for each in marked}


def papers() -> list[str]:
    """List the papers that have a ledger.

    >>> "sigir2017" in papers()
    True
    """
    return sorted(file.parent.name for file in FOLDER.glob("*/claims.yaml"))


@cache
def load(paper: str) -> Ledger:
    """Read the ledger of a paper, once.

    Raises
    ------
    ParameterError
        If there is no such ledger.

    Examples
    --------
    >>> load("sigir2017").published(("sigir2017_table1",))["VSM", "c-P"]
    20.5
    """
    if paper not in papers():
        raise unknown("paper", paper, papers())
    return read(FOLDER / paper / "claims.yaml")


def read(file: Path) -> Ledger:
    """Read and check a ledger file, and the published numbers beside it.

    Raises
    ------
    DataError
        Naming the file and the claim: on YAML errors, unknown or missing fields, unknown kinds,
        rows or columns, and ids that are malformed or used twice; or the published table, if it
        has a row or column that its experiment does not declare.
    """
    content = fields.load_yaml(file)
    with errors_in(file):
        found = fields.read(_File, content)
        if found.paper != file.parent.name:
            why = f"paper is {found.paper!r}, expected the folder's name {file.parent.name!r}"
            raise ParameterError(why)
    experiments = {}
    for name, entry in found.experiments.items():
        with errors_in(file, f"experiment {name}: "):
            columns = fields.value(name, entry, dict).get("columns", ())
            experiments[name] = fields.read(Experiment, entry, column=columns)
    claims = _claims(file, found.claims, experiments)
    with errors_in(file, "limits: "):
        rows = [row for each in experiments.values() for row in each.rows]
        limits = [fields.read(Limit, each, row=rows, id=claims) for each in found.limits]
    printed = _printed(file.parent / "published", found.paper, experiments)
    main = found.main or found.corpus
    about = (found.paper, found.title, found.corpus, main)
    return Ledger(*about, experiments, claims, limits, printed)


def _claims(
    file: Path, listed: list[Any], experiments: Mapping[str, Experiment]
) -> dict[str, Claim]:
    claims: dict[str, Claim] = {}
    for position, entry in enumerate(listed, 1):
        label = entry.get("id") if isinstance(entry, dict) else None
        with errors_in(file, f"claim {label or f'number {position}'}: "):
            if label in claims:
                raise ParameterError("another claim has this id; every claim needs its own")
            claim = _claim(entry, experiments)
            claims[claim.claim_id] = claim
    return claims


def _claim(entry: Any, experiments: Mapping[str, Experiment]) -> Claim:
    entry = fields.value("claim", entry, dict)
    named = entry.get("experiment")
    names = fields.value("experiment", named, tuple[Table, ...], table=experiments)
    used = [experiments[name] for name in names]
    rows = [row for each in used for row in each.rows]
    columns = [column for each in used for column in each.columns]
    about = {"relative": used[0].relative} | entry
    about["check"] = read_form(entry.get("check"), rows, columns)
    return fields.read(Claim, about, row=rows, column=columns, table=experiments)


def _printed(folder: Path, paper: str, experiments: Mapping[str, Experiment]) -> list[Printed]:
    """Read the published numbers; each has its table, row and column in the ledger."""
    found = []
    for each in read_folder(folder):
        with errors_in(folder, f"{each.table}: "):
            name = f"{paper}_{each.table}"
            if name not in experiments:
                raise unknown("experiment", name, experiments)
            experiment = experiments[name]
            if each.row not in experiment.rows:
                raise unknown("row", each.row, experiment.rows)
            if each.column not in experiment.columns:
                raise unknown("column", each.column, experiment.columns)
        found.append(each._replace(where=each.where or experiment.where))
    return found
