"""Ledgers: every claim of a paper as data, checked when it is read.

``papers/<paper>/claims.yaml`` names the experiments whose tables it is about, with the rows and columns that
these tables have, and lists what the paper says in words; `citectx.claims.checks` explains the checks.
The numbers of the paper's own tables are in ``published/`` beside it: see `citectx.claims.published`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
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
    try:
        _check_fields(
            content, {"paper", "title", "corpus", "experiments", "claims"}, {"main", "groups", "limits"}
        )
        if not isinstance(content["claims"], list):
            raise ParameterError("claims: expected a list")
        if content["paper"] != file.parent.name:
            raise ParameterError(
                f"paper is {content['paper']!r}, expected the folder's name {file.parent.name!r}"
            )
        experiments = _read_experiments(content["experiments"])
        limits = tuple(_read_limit(entry, experiments) for entry in content.get("limits", []))
        ids = {entry.get("id") for entry in content["claims"] if isinstance(entry, dict)}
        if odd := sorted({claim for limit in limits for claim in limit.claims} - ids):
            raise ParameterError(f"limits: there is no claim {', '.join(odd)}")
    except ParameterError as error:
        raise DataError(str(error), file=file) from error
    claims: dict[str, Claim] = {}
    for position, entry in enumerate(content["claims"], 1):
        label = entry.get("id", f"number {position}") if isinstance(entry, dict) else f"number {position}"
        try:
            for claim in _read_claim(entry, experiments):
                if claim.claim_id in claims:
                    raise ParameterError("this id stands twice; every claim needs its own")
                claims[claim.claim_id] = claim
        except ParameterError as error:
            raise DataError(f"claim {label}: {error}", file=file) from error
    for name, experiment in experiments.items():
        table = file.parent / "published" / f"{name.removeprefix(content['paper'] + '_')}.csv"
        if table.is_file():
            claims |= _printed_claims(table, name, experiment)
    about = content["paper"], content["title"], content["corpus"], str(content.get("main", content["corpus"]))
    return Ledger(*about, experiments, tuple(claims.values()), limits)


_Safe = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_Safe):  # type: ignore[misc,valid-type]
    """Refuses a mapping that has one key twice, where plain YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = []
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                problem, place = f"{key!r} stands twice", key_node.start_mark
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


def _check_fields(entry: Any, required: set[str], optional: set[str]) -> None:
    if not isinstance(entry, dict):
        raise ParameterError(f"expected a mapping, found {entry!r}")
    if missing := sorted(required - entry.keys()):
        raise ParameterError(f"lacks {', '.join(missing)}")
    if extra := sorted(map(str, entry.keys() - required - optional)):
        raise ParameterError(
            f"does not understand {', '.join(extra)}; known: {', '.join(sorted(required | optional))}"
        )


def _read_experiments(entries: Any) -> dict[str, Experiment]:
    if not isinstance(entries, dict):
        raise ParameterError("experiments: expected a mapping from names to where, rows and columns")
    experiments = {}
    for name, entry in entries.items():
        try:
            experiments[name] = _read_experiment(entry)
        except ParameterError as error:
            raise ParameterError(f"experiment {name}: {error}") from error
    return experiments


def _read_limit(entry: Any, experiments: Mapping[str, Experiment]) -> Limit:
    _check_fields(entry, {"why"}, {"corpora", "rows", "claims"})
    rows = [row for experiment in experiments.values() for row in experiment.rows]
    lists = {key: entry.get(key, []) for key in ("corpora", "rows", "claims")}
    if not all(isinstance(found, list) for found in lists.values()) or not isinstance(entry["why"], str):
        raise ParameterError("limits: expected corpora, rows and claims as lists, and why in words")
    if lists["rows"]:
        names(lists["rows"], "row", rows)
    return Limit(entry["why"], **{key: tuple(map(str, found)) for key, found in lists.items()})


def _read_experiment(entry: Any) -> Experiment:
    _check_fields(
        entry,
        {"where", "rows", "columns"},
        {"marks", "baseline", "relative", "percent", "fraction", "headline"},
    )
    rows, columns = (names(entry[key], key[:-1], entry[key]) for key in ("rows", "columns"))
    if odd := [name for name in (*rows, *columns) if not isinstance(name, str)]:
        raise ParameterError(f"rows and columns are text; quote {', '.join(map(repr, odd))}")
    marks = entry.get("marks", {})
    if not isinstance(marks, dict) or not all(isinstance(fields, dict) for fields in marks.values()):
        raise ParameterError("marks: expected a mapping from marks to fields such as {than: A}")
    baseline = names(entry["baseline"], "row", rows)[0] if "baseline" in entry else ""
    unit = {
        column: top
        for key, top in (("percent", 100.0), ("fraction", 1.0))
        if key in entry
        for column in names(entry[key], "column", columns)
    }
    headline = _read_headline(entry["headline"], rows, columns) if "headline" in entry else None
    relative = bool(entry.get("relative", False))
    return Experiment(entry["where"], rows, columns, marks, baseline, relative, unit, headline)


def _read_headline(entry: Any, rows: tuple[str, ...], columns: tuple[str, ...]) -> Headline:
    _check_fields(entry, {"better", "than", "in"}, {"percent", "order"})
    better, than = (names(entry[key], "row", rows)[0] for key in ("better", "than"))
    measures = {
        key: names(entry[key], "column", columns)[0] for key in ("in", "percent", "order") if key in entry
    }
    return Headline(better, than, measures.pop("in"), **measures)


def _read_claim(entry: Any, experiments: Mapping[str, Experiment]) -> Iterator[Claim]:
    if not isinstance(entry, dict):
        raise ParameterError(f"expected a mapping, found {entry!r}")
    if entry.get("kind") not in get_args(Kind):
        raise unknown("kind", entry.get("kind"), get_args(Kind))
    if not isinstance(entry.get("id"), str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry["id"]):
        raise ParameterError("an id consists of lower-case letters and digits, parted by single hyphens")
    if entry["id"].endswith(MARKED):
        raise ParameterError(f"ids on {MARKED} are made from marks; choose another")
    for name in ("where", "says", "note"):
        if not isinstance(entry.get(name, "-"), str):
            raise ParameterError(f"{name} is {entry[name]!r}; expected words")
    if "row" in entry:
        yield from _read_cell(entry, experiments)
    else:
        yield _read_checked(entry, experiments)


def _read_cell(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> Iterator[Claim]:
    """Read a number from the running text that is a cell of a table of ours."""
    _check_fields(entry, {"id", "kind", "where", "row", "column", "published"}, {"experiment", "note"})
    if entry["kind"] != "value":
        raise ParameterError(f"row and column belong to claims of kind value, not {entry['kind']}")
    name, where = _experiment_of(entry, experiments), entry["where"]
    table, published = experiments[name], _published(entry)
    (row,) = names(entry["row"], "row", table.rows)
    (column,) = names(entry["column"], "column", table.columns)
    value, says = Cell(row, column, published, half_unit(str(entry["published"]))), f"{column} of {row}"
    yield Claim(entry["id"], "value", where, says, (name,), value, published, entry.get("note", ""))


def _printed_claims(file: Path, name: str, table: Experiment) -> dict[str, Claim]:
    """Make claims of a published table: one a number, one a change in parentheses, one a mark."""
    claims: dict[str, Claim] = {}
    prefix = re.sub("(?<=^[a-z])[a-z]+", "", file.stem)  # table1: t1
    for cell in read_table(file):
        try:
            claims |= {claim.claim_id: claim for claim in _claims_of_cell(cell, prefix, name, table)}
        except ParameterError as error:
            raise DataError(f"{cell.row}, {cell.column}: {error}", file=file) from error
    return claims


def _claims_of_cell(cell: Printed, prefix: str, name: str, table: Experiment) -> Iterator[Claim]:
    (row,), (column,) = names(cell.row, "row", table.rows), names(cell.column, "column", table.columns)
    place, number = f"{prefix}-{slug(row)}-{slug(column)}", float(cell.number)
    about, says = (table.where,), f"{column} of {row}"
    check: Check = Cell(row, column, number, half_unit(cell.number))
    yield Claim(place, "value", *about, says, (name,), check, number, mark=cell.mark)
    if cell.change:
        change = float(cell.change)
        check = Gain(row, Rivals((table.baseline,)), column, change, half_unit(cell.change))
        says = f"The change of {row} over {table.baseline} in {column}, in percent."
        yield Claim(f"{place}-change", "value", *about, says, (name,), check, change)
    if cell.mark:
        if cell.mark not in table.marks:
            raise unknown("mark", cell.mark, table.marks)
        fields = {"better": row, "in": column, **table.marks[cell.mark]}
        check = parse("significance", fields, table.rows, table.columns)
        says = f"{row} is marked ({cell.mark}) as significantly better in {column}"
        marked = f"{place}{MARKED}"
        yield Claim(marked, "significance", *about, says, (name,), check, relative=table.relative)


def slug(name: str) -> str:
    """Write a name as a part of an id.

    >>> slug("c-P@5"), slug("WE_Bio+rtrft"), slug("P(w|d)")
    ('c-p-at-5', 'we-bio-rtrft', 'p-w-d')
    """
    return re.sub("[^a-z0-9]+", "-", name.replace("@", "-at-").lower()).strip("-")


def _experiment_of(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> str:
    """Find the experiment of a cell: the one it names, else the one whose table stands in that place."""
    if "experiment" in entry:
        return names(entry["experiment"], "experiment", list(experiments))[0]
    places = {experiment.where: name for name, experiment in experiments.items()}
    if entry["where"] not in places:
        raise unknown("table", entry["where"], places)
    return places[entry["where"]]


def _read_checked(entry: dict[str, Any], experiments: Mapping[str, Experiment]) -> Claim:
    numeric = {"published"} if entry["kind"] == "value" else set()
    _check_fields(
        entry, {"id", "kind", "where", "says", "experiment", "check"} | numeric, {"note", "relative", "needs"}
    )
    used = names(entry["experiment"], "experiment", list(experiments))
    rows = [row for name in used for row in experiments[name].rows]
    columns = [column for name in used for column in experiments[name].columns]
    published = _published(entry) if numeric else None
    printed = (published, half_unit(str(published))) if published is not None else (math.nan, 0.0)
    check = parse(entry["kind"], entry["check"], rows, columns, printed)
    text, relative = (entry["where"], entry["says"]), entry.get("relative", experiments[used[0]].relative)
    needs = _read_needs(entry["needs"], rows, columns) if "needs" in entry else None
    return Claim(
        entry["id"],
        entry["kind"],
        *text,
        used,
        check,
        published,
        entry.get("note", ""),
        relative=bool(relative),
        needs=needs,
    )


def _read_needs(entry: Any, rows: list[str], columns: list[str]) -> Needs:
    _check_fields(entry, {"row", "column", "at_least"}, set())
    (row,), (column,) = names(entry["row"], "row", rows), names(entry["column"], "column", columns)
    return Needs(row, column, _number(entry["at_least"], "at_least"))


def _published(entry: Mapping[str, Any]) -> float:
    return _number(entry["published"], "published")


def _number(number: Any, name: str) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ParameterError(f"{name} is {number!r}; expected a number")
    return number
