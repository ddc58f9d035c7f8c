"""Ledgers: every claim of a paper as data, checked when it is read.

``papers/<paper>/claims.yaml`` names the experiments whose tables it is about, with the rows and columns that
these tables have, and lists what the paper says in words; `citectx.claims.forms` explains the checks.
The numbers of the paper's own tables are in ``published/`` beside it: see `citectx.claims.published`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import yaml

from citectx.claims.forms import Check, parse
from citectx.claims.published import Printed, half_unit, read_table
from citectx.claims.schema import fields
from citectx.errors import DataError, ParameterError, unknown

FOLDER = Path(__file__).parents[1] / "papers"
"""Each paper's folder has its ``claims.yaml``."""

MARKED = "-marked"
"""Ends the ids of the claims that marks of significance in a table (a dagger, stars) make."""
Kind = Literal["value", "order", "significance", "trend"]


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
    check : Check
    published : float, optional
        The number, for claims of kind value.
    note : str
        What a reader should know about the claim itself.
    mark : str
        Mark of significance that the paper prints beside the number.
    relative : bool
        Whether the paper's effect carries over in percent of the rival.
    needs : Needs, optional
        What a corpus must have for the claim to be tested.
    """

    claim_id: str
    kind: Kind
    where: str
    says: str
    experiments: tuple[str, ...]
    check: Check
    published: float | None = None
    note: str = ""
    mark: str = ""
    relative: bool = False
    needs: "Needs | None" = None

    @property
    def worded(self) -> bool:
        """Whether the paper says it in words, rather than by a number or a mark."""
        return self.kind != "value" and not self.claim_id.endswith(MARKED)


class Needs(NamedTuple):
    """A cell of our tables, and the least value that lets a claim be tested."""

    row: str
    column: str
    at_least: float


class Headline(NamedTuple):
    """The comparison that a table is about: the paper's method, what it is compared with, and the measure.

    ``percent`` is the column of relative gains in which the paper prints it, where that is all that it
    prints; ``order`` the column that orders the methods, where it is another one.
    """

    advanced: str
    baseline: str
    column: str
    percent: str = ""
    order: str = ""


@dataclass(frozen=True)
class Experiment:
    """A result table: where the paper prints it, its row and column names, and what its marks mean.

    ``baseline`` is the row that changes in parentheses are relative to; ``relative`` says that the paper's
    effects carry over in percent of the rival, rather than in units; ``unit`` has the highest score of a
    column (100 or 1).
    """

    where: str
    rows: Sequence[str]
    columns: Sequence[str]
    marks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    baseline: str = ""
    relative: bool = False
    unit: Mapping[str, float] = field(default_factory=dict)
    headline: Headline | None = None


@dataclass(frozen=True)
class Limit:
    """Rows or claims that cannot be tested on some corpora (all, where none is named), and why."""

    why: str
    corpora: Sequence[str] = ()
    rows: Sequence[str] = ()
    claims: Sequence[str] = ()


@dataclass(frozen=True)
class Ledger:
    """All claims of one paper.

    Parameters
    ----------
    paper, title : str
    corpus : str
        The corpus of the paper's own numbers; only there can a published number be reproduced.
    main : str
        The open corpus that is closest to it (default: the same).
    experiments : mapping of str to Experiment
    claims : tuple of Claim
    limits : tuple of Limit
    """

    paper: str
    title: str
    corpus: str
    main: str
    experiments: Mapping[str, Experiment]
    claims: tuple[Claim, ...]
    limits: tuple[Limit, ...] = ()

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, claim_id: str) -> Claim:
        for claim in self.claims:
            if claim.claim_id == claim_id:
                return claim
        raise KeyError(f"{self.paper} has no claim {claim_id!r}")

    def why_never(self, corpus: str, rows: Iterable[str], claim_id: str = "") -> str:
        """Say why a corpus cannot have one of these rows, or cannot test a claim; "" if it can."""
        for limit in self.limits:
            about = claim_id in limit.claims or {*rows} & {*limit.rows}
            if about and (not limit.corpora or corpus in limit.corpora):
                return limit.why
        return ""

    def published(self, experiments: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these experiments' tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        return {(cell["row"], cell["column"]): cell["published"] for cell in self._cells(experiments)}

    def half_units(self, experiments: tuple[str, ...]) -> dict[str, float]:
        """Return how far rounding can have moved the paper's own numbers, by column of these experiments."""
        halves: dict[str, float] = {}
        for cell in self._cells(experiments):
            halves[cell["column"]] = max(cell["half_unit"], halves.get(cell["column"], 0.0))
        return halves

    def _cells(self, experiments: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
        for claim in self.claims:
            if claim.check.form == "cell" and claim.experiments[0] in experiments:
                yield claim.check.asks

    def marks(self, experiment: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        marked = [c for c in self.claims if c.mark and c.experiments[0] == experiment]
        return {(c.check.asks["row"], (c.check.asks["column"], "paper")): c.mark for c in marked}


def papers() -> list[str]:
    """List the papers that have a ledger.

    >>> "sigir2017" in papers()
    True
    """
    return sorted(file.parent.name for file in FOLDER.glob("*/claims.yaml"))


def load(paper: str) -> Ledger:
    """Read the ledger of a paper.

    Raises
    ------
    ParameterError
        If there is no such ledger.

    Examples
    --------
    >>> load("sigir2017")["t1-vsm-c-p"].published
    20.5
    """
    if paper not in papers():
        raise unknown("paper", paper, papers())
    return read(FOLDER / paper / "claims.yaml")


def read(file: Path) -> Ledger:
    """Read and check a ledger file.

    Raises
    ------
    DataError
        Naming the file and the claim: on YAML errors, unknown or missing fields, unknown kinds, rows, columns
        or marks, a published value that is no number, and ids that are malformed or used twice.
    """
    content = _load_yaml(file)
    with _complaining(file):
        ledger = fields(content, LEDGER)
        if (paper := ledger["paper"]) != file.parent.name:
            raise ParameterError(f"paper is {paper!r}, expected the folder's name {file.parent.name!r}")
    experiments: dict[str, Experiment] = {}
    for name, entry in ledger["experiments"].items():
        with _complaining(file, f"experiment {name}: "):
            experiments[name] = _experiment(entry)
    claims: dict[str, Claim] = {}
    for position, entry in enumerate(ledger["claims"], 1):
        label = entry.get("id") if isinstance(entry, dict) else None
        with _complaining(file, f"claim {label or f'number {position}'}: "):
            claim = _claim(entry, experiments)
            if claim.claim_id in claims:
                raise ParameterError("there is a claim of this id already; every claim needs its own")
            claims[claim.claim_id] = claim
    with _complaining(file, "limits: "):
        known = {"row": [row for each in experiments.values() for row in each.rows], "claim": list(claims)}
        limits = tuple(Limit(**fields(entry, LIMIT, known)) for entry in ledger.get("limits", ()))
    for name, experiment in experiments.items():
        table = file.parent / "published" / f"{name.removeprefix(f'{paper}_')}.csv"
        for cell in read_table(table) if table.is_file() else ():
            with _complaining(table, f"{cell.row}, {cell.column}: "):
                claims |= {claim.claim_id: claim for claim in _printed(cell, table.stem, name, experiment)}
    main = ledger.get("main", ledger["corpus"])
    return Ledger(paper, ledger["title"], ledger["corpus"], main, experiments, tuple(claims.values()), limits)


LEDGER = "paper:text title:text corpus:text main:text? groups:mapping? experiments:mapping limits:list? claims:list"
EXPERIMENT = (
    "where:text rows:texts columns:texts marks:mapping? baseline:row? relative:flag? percent:columns? "
    "fraction:columns? headline:mapping?"
)
HEADLINE = "better:row than:row in:column percent:column? order:column?"
LIMIT = "why:text corpora:texts? rows:rows? claims:claims?"
CLAIM = (
    "id:text kind:kind where:text says:text experiment:experiments check:any published:number? note:text? "
    "relative:flag? needs:mapping?"
)
NEEDS = "row:row column:column at_least:number"


@contextmanager
def _complaining(file: Path, place: str = "") -> Iterator[None]:
    """Turn a ParameterError into a DataError that names file and place."""
    try:
        yield
    except ParameterError as error:
        raise DataError(f"{place}{error}", file=file) from error


_Safe = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_Safe):  # type: ignore[misc,valid-type]
    """Refuses a mapping that has one key twice, where plain YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = []
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                problem, place = f"{key!r} is given twice", key_node.start_mark
                raise yaml.constructor.ConstructorError(problem=problem, problem_mark=place)
            seen.append(key)
        return dict(super().construct_mapping(node, deep))


def _load_yaml(file: Path) -> dict[str, Any]:
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(f"is not a ledger: {error.problem}", file=file, line=line) from error
    if not isinstance(content, dict):
        raise DataError(f"is not a ledger: expected a mapping, found {type(content).__name__}", file=file)
    return content


def _experiment(entry: Any) -> Experiment:
    kinds = ("row", "column") if isinstance(entry, dict) else ()
    known = {kind: entry.get(f"{kind}s", ()) for kind in kinds}
    about = fields(entry, EXPERIMENT, known)
    if not all(isinstance(than, dict) for than in about.get("marks", {}).values()):
        raise ParameterError("marks: expected a mapping from marks to fields such as {than: A}")
    tops = {"percent": 100.0, "fraction": 1.0}
    about["unit"] = {column: top for key, top in tops.items() for column in about.pop(key, ())}
    if "headline" in about:
        top = fields(about["headline"], HEADLINE, known)
        about["headline"] = Headline(*(top.get(key, "") for key in ("better", "than", "in", "percent", "order")))
    return Experiment(**about)


def _claim(entry: Any, experiments: Mapping[str, Experiment]) -> Claim:
    if isinstance(entry, dict) and "row" in entry:
        entry = _as_check(entry, experiments)
    about = fields(entry, CLAIM, {"experiment": list(experiments), "kind": get_args(Kind)})
    name, kind, published, used = about["id"], about["kind"], about.get("published"), about["experiment"]
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or name.endswith(MARKED):
        raise ParameterError(f"an id has lower-case letters and digits with single hyphens, no {MARKED} at its end")
    if (kind == "value") != (published is not None):
        raise ParameterError("claims of kind value have the field published, and no others")
    known = {
        "row": [row for each in used for row in experiments[each].rows],
        "column": [column for each in used for column in experiments[each].columns],
    }
    number = {} if published is None else {"published": published, "half_unit": half_unit(str(published))}
    check = parse(kind, about["check"], known, **number)
    needs = Needs(**fields(about["needs"], NEEDS, known)) if "needs" in about else None
    relative = about.get("relative", experiments[used[0]].relative)
    note = about.get("note", "")
    return Claim(name, kind, about["where"], about["says"], used, check, published, note, "", relative, needs)


def _as_check(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> dict[str, Any]:
    """Write a number from the running text that is a cell of one of our tables as a claim with a check."""
    places = {experiment.where: name for name, experiment in experiments.items()}
    where = str(entry.get("where"))
    if "experiment" not in entry and where not in places:
        raise unknown("table", where, places)
    cell = {key: entry[key] for key in ("row", "column") if key in entry}
    made = {"experiment": places.get(where), "says": f"{entry.get('column')} of {entry['row']}"}
    return made | {key: value for key, value in entry.items() if key not in cell} | {"check": cell}


def _printed(cell: Printed, table: str, name: str, experiment: Experiment) -> Iterator[Claim]:
    """Make claims of a cell of a published table: its number, its change in parentheses, its mark."""
    row, column = cell.row, cell.column
    prefix = re.sub("(?<=^[a-z])[a-z]+", "", table)  # table1: t1
    place = f"{prefix}-{slug(row)}-{slug(column)}"
    known = {"row": experiment.rows, "column": experiment.columns}

    def claim(end: str, kind: Kind, says: str, check: Mapping[str, Any], number: str = "", mark: str = "") -> Claim:
        rounded = {"published": float(number), "half_unit": half_unit(number)} if number else {}
        about = (f"{place}{end}", kind, experiment.where, says, (name,), parse(kind, check, known, **rounded))
        return Claim(*about, rounded.get("published"), mark=mark, relative=experiment.relative)

    yield claim("", "value", f"{column} of {row}", {"row": row, "column": column}, cell.number, cell.mark)
    if cell.change:
        says = f"The change of {row} over {experiment.baseline} in {column}, in percent."
        gain = {"gain": row, "over": experiment.baseline, "in": column}
        yield claim("-change", "value", says, gain, cell.change)
    if cell.mark:
        if cell.mark not in experiment.marks:
            raise unknown("mark", cell.mark, experiment.marks)
        says = f"{row} is marked ({cell.mark}) as significantly better in {column}"
        yield claim(MARKED, "significance", says, {"better": row, "in": column, **experiment.marks[cell.mark]})


def slug(name: str) -> str:
    """Write a name as a part of an id.

    >>> slug("c-P@5"), slug("WE_Bio+rtrft"), slug("P(w|d)")
    ('c-p-at-5', 'we-bio-rtrft', 'p-w-d')
    """
    return re.sub("[^a-z0-9]+", "-", name.replace("@", "-at-").lower()).strip("-")
