"""Ledgers: every claim of a paper as data, checked when it is read.

``papers/<paper>/claims.yaml`` names the experiments whose tables it is about, with the rows and columns that
these tables have, and lists what the paper says in words; `citectx.claims.checks` explains the checks.
The numbers of the paper's own tables are in ``published/`` beside it: see `citectx.claims.published`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import yaml

from citectx.claims.checks import names, parse
from citectx.claims.forms import Cell, Check, Gain, Rivals
from citectx.claims.published import Printed, half_unit, read_table
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
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    marks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    baseline: str = ""
    relative: bool = False
    unit: Mapping[str, float] = field(default_factory=dict)
    headline: Headline | None = None


@dataclass(frozen=True)
class Limit:
    """Rows or claims that cannot be tested on some corpora (all, where none is named), and why."""

    why: str
    corpora: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()

    def on(self, corpus: str) -> bool:
        """Say whether it is about a corpus."""
        return not self.corpora or corpus in self.corpora


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
            if limit.on(corpus) and (claim_id in limit.claims or set(rows) & set(limit.rows)):
                return limit.why
        return ""

    def half_units(self, experiments: tuple[str, ...]) -> dict[str, float]:
        """Return how far rounding can have moved the paper's own numbers, by column of these experiments."""
        halves: dict[str, float] = {}
        for claim in self.claims:
            if isinstance(claim.check, Cell) and claim.experiments[0] in experiments:
                column, half = claim.check.column, claim.check.half_unit
                halves[column] = max(half, halves.get(column, 0.0))
        return halves

    def published(self, experiments: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these experiments' tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        numbers: dict[tuple[str, str], float] = {}
        for claim in self.claims:
            if isinstance(claim.check, Cell) and claim.experiments[0] in experiments:
                numbers[claim.check.row, claim.check.column] = claim.check.published
        return numbers

    def marks(self, experiment: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        cells = [(c.check, c.mark) for c in self.claims if c.mark and c.experiments[0] == experiment]
        return {(cell.row, (cell.column, "paper")): mark for cell, mark in cells if isinstance(cell, Cell)}


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
        _fields(content, "paper title corpus experiments claims", "main groups limits")
        if not isinstance(content["claims"], list) or not isinstance(content["experiments"], dict):
            raise ParameterError("expected claims as a list and experiments as a mapping")
        if (paper := content["paper"]) != file.parent.name:
            raise ParameterError(f"paper is {paper!r}, expected the folder's name {file.parent.name!r}")
    experiments: dict[str, Experiment] = {}
    for name, entry in content["experiments"].items():
        with _complaining(file, f"experiment {name}: "):
            experiments[name] = _read_experiment(entry)
    ids = {entry.get("id") for entry in content["claims"] if isinstance(entry, dict)}
    with _complaining(file, "limits: "):
        limits = tuple(_read_limit(entry, experiments, ids) for entry in content.get("limits", []))
    claims: dict[str, Claim] = {}
    for position, entry in enumerate(content["claims"], 1):
        label = entry.get("id") if isinstance(entry, dict) else None
        with _complaining(file, f"claim {label or f'number {position}'}: "):
            claim = _read_claim(entry, experiments)
            if claim.claim_id in claims:
                raise ParameterError("there is a claim of this id already; every claim needs its own")
            claims[claim.claim_id] = claim
    for name, experiment in experiments.items():
        table = file.parent / "published" / f"{name.removeprefix(f'{paper}_')}.csv"
        for cell in read_table(table) if table.is_file() else ():
            with _complaining(table, f"{cell.row}, {cell.column}: "):
                claims |= {claim.claim_id: claim for claim in _printed(cell, table.stem, name, experiment)}
    main = str(content.get("main", content["corpus"]))
    return Ledger(
        paper, content["title"], content["corpus"], main, experiments, tuple(claims.values()), limits
    )


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


def _fields(entry: Any, required: str, optional: str = "") -> None:
    """Check that an entry is a mapping with all of some fields, and none but those and the optional ones."""
    if not isinstance(entry, dict):
        raise ParameterError(f"expected a mapping, found {entry!r}")
    if missing := sorted(set(required.split()) - entry.keys()):
        raise ParameterError(f"lacks {', '.join(missing)}")
    known = {*required.split(), *optional.split()}
    if extra := sorted(map(str, entry.keys() - known)):
        raise ParameterError(f"does not understand {', '.join(extra)}; known: {', '.join(sorted(known))}")


def _one(entry: dict[str, Any], key: str, known: Sequence[str], what: str = "") -> str:
    """Return the one name in a field; "" where the field is missing."""
    return names(entry[key], what or key, known)[0] if key in entry else ""


def _read_limit(entry: Any, experiments: Mapping[str, Experiment], ids: set[Any]) -> Limit:
    _fields(entry, "why", "corpora rows claims")
    lists = {key: entry.get(key, []) for key in ("corpora", "rows", "claims")}
    if not all(isinstance(found, list) for found in lists.values()) or not isinstance(entry["why"], str):
        raise ParameterError("expected corpora, rows and claims as lists, and why in words")
    rows = [row for experiment in experiments.values() for row in experiment.rows]
    for key, known in (("rows", rows), ("claims", ids)):
        if odd := [name for name in lists[key] if name not in known]:
            raise ParameterError(f"unknown {key} {', '.join(map(str, odd))}")
    return Limit(entry["why"], **{key: tuple(map(str, found)) for key, found in lists.items()})


def _read_experiment(entry: Any) -> Experiment:
    _fields(entry, "where rows columns", "marks baseline relative percent fraction headline")
    rows, columns = (names(entry[key], key[:-1], entry[key]) for key in ("rows", "columns"))
    if odd := [name for name in (*rows, *columns) if not isinstance(name, str)]:
        raise ParameterError(f"rows and columns are text; quote {', '.join(map(repr, odd))}")
    marks = entry.get("marks", {})
    if not isinstance(marks, dict) or not all(isinstance(fields, dict) for fields in marks.values()):
        raise ParameterError("marks: expected a mapping from marks to fields such as {than: A}")
    unit = {
        column: top
        for key, top in (("percent", 100.0), ("fraction", 1.0))
        if key in entry
        for column in names(entry[key], "column", columns)
    }
    headline = None
    if (top := entry.get("headline")) is not None:
        _fields(top, "better than in", "percent order")
        pair = (_one(top, key, rows, "row") for key in ("better", "than"))
        headline = Headline(*pair, *(_one(top, key, columns, "column") for key in ("in", "percent", "order")))
    baseline, relative = _one(entry, "baseline", rows, "row"), bool(entry.get("relative", False))
    return Experiment(entry["where"], rows, columns, marks, baseline, relative, unit, headline)


def _read_claim(entry: Any, experiments: Mapping[str, Experiment]) -> Claim:
    if not isinstance(entry, dict):
        raise ParameterError(f"expected a mapping, found {entry!r}")
    if entry.get("kind") not in get_args(Kind):
        raise unknown("kind", entry.get("kind"), get_args(Kind))
    if not isinstance(entry.get("id"), str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry["id"]):
        raise ParameterError("an id consists of lower-case letters and digits, joined by single hyphens")
    if entry["id"].endswith(MARKED):
        raise ParameterError(f"ids on {MARKED} are made from marks; choose another")
    for name in ("where", "says", "note"):
        if not isinstance(entry.get(name, "-"), str):
            raise ParameterError(f"{name} is {entry[name]!r}; expected words")
    return (_read_cell if "row" in entry else _read_checked)(entry, experiments)


def _read_cell(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> Claim:
    """Read a number from the running text that is a cell of one of our tables."""
    _fields(entry, "id kind where row column published", "experiment note")
    if entry["kind"] != "value":
        raise ParameterError(f"row and column belong to claims of kind value, not {entry['kind']}")
    places = {experiment.where: name for name, experiment in experiments.items()}
    name, where = _one(entry, "experiment", list(experiments)), entry["where"]
    if not (name := name or places.get(where, "")):
        raise unknown("table", where, places)
    row, column = _one(entry, "row", experiments[name].rows), _one(entry, "column", experiments[name].columns)
    published = _number(entry, "published")
    value, says = Cell(row, column, published, half_unit(str(published))), f"{column} of {row}"
    return Claim(entry["id"], "value", where, says, (name,), value, published, entry.get("note", ""))


def _printed(cell: Printed, table: str, name: str, experiment: Experiment) -> Iterator[Claim]:
    """Make claims of a cell of a published table: its number, its change in parentheses, its mark."""
    row, column = (_one(cell._asdict(), key, getattr(experiment, f"{key}s")) for key in ("row", "column"))
    prefix = re.sub("(?<=^[a-z])[a-z]+", "", table)  # table1: t1
    place, number = f"{prefix}-{slug(row)}-{slug(column)}", float(cell.number)
    where, used, says = experiment.where, (name,), f"{column} of {row}"
    value = Cell(row, column, number, half_unit(cell.number))
    yield Claim(place, "value", where, says, used, value, number, mark=cell.mark)
    if cell.change:
        change, base = float(cell.change), experiment.baseline
        gain = Gain(row, Rivals((base,)), column, change, half_unit(cell.change))
        says = f"The change of {row} over {base} in {column}, in percent."
        yield Claim(f"{place}-change", "value", where, says, used, gain, change)
    if cell.mark:
        if cell.mark not in experiment.marks:
            raise unknown("mark", cell.mark, experiment.marks)
        fields = {"better": row, "in": column, **experiment.marks[cell.mark]}
        check = parse("significance", fields, experiment.rows, experiment.columns)
        says, relative = (
            f"{row} is marked ({cell.mark}) as significantly better in {column}",
            experiment.relative,
        )
        yield Claim(f"{place}{MARKED}", "significance", where, says, used, check, relative=relative)


def slug(name: str) -> str:
    """Write a name as a part of an id.

    >>> slug("c-P@5"), slug("WE_Bio+rtrft"), slug("P(w|d)")
    ('c-p-at-5', 'we-bio-rtrft', 'p-w-d')
    """
    return re.sub("[^a-z0-9]+", "-", name.replace("@", "-at-").lower()).strip("-")


def _read_checked(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> Claim:
    numeric = entry["kind"] == "value"
    required = "id kind where says experiment check" + (" published" if numeric else "")
    _fields(entry, required, "note relative needs")
    used = names(entry["experiment"], "experiment", list(experiments))
    rows = [row for name in used for row in experiments[name].rows]
    columns = [column for name in used for column in experiments[name].columns]
    published = _number(entry, "published") if numeric else None
    number = (math.nan, 0.0) if published is None else (published, half_unit(str(published)))
    check = parse(entry["kind"], entry["check"], rows, columns, number)
    needs = None
    if (wanted := entry.get("needs")) is not None:
        _fields(wanted, "row column at_least")
        needs = Needs(_one(wanted, "row", rows), _one(wanted, "column", columns), _number(wanted, "at_least"))
    relative = bool(entry.get("relative", experiments[used[0]].relative))
    about = entry["id"], entry["kind"], entry["where"], entry["says"], used, check
    return Claim(*about, published, entry.get("note", ""), relative=relative, needs=needs)


def _number(entry: Mapping[str, Any], name: str) -> float:
    number = entry[name]
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ParameterError(f"{name} is {number!r}; expected a number")
    return number
