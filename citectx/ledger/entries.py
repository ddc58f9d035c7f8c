"""Ledgers: every claim of a paper as data, checked when it is read.

``papers/<paper>/claims.yaml`` names the experiments whose tables it is about, with the rows and
columns that these tables have, and lists what the paper says in words; ``schema.yaml`` beside this
module says what a ledger may hold, and `citectx.ledger.forms` explains the checks.

The numbers of the paper's own tables are in ``published/<table>.csv`` beside it, laid out as in the
paper: a row a method, a column a metric, or the other way round where the first field of the header
says ``metric``. A cell keeps its marks of significance and, in parentheses, the change over a
baseline that some tables print beside a value: ``0.173* (3.0)``. An empty cell was not printed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path
from typing import Any, Literal

import yaml

from citectx.errors import DataError, ParameterError, unknown
from citectx.ledger.forms import Check, checked, listed, parse
from citectx.ledger.results import read_csv
from citectx.storage import read_once

FOLDER = Path(__file__).parents[1] / "papers"
"""Each paper's folder has its ``claims.yaml``."""

MARKED = "-marked"
"""Ends the ids of the claims that marks of significance in a table (a dagger, stars) make."""
Kind = Literal["value", "order", "significance", "trend"]
_NUMBER = r"-?\d+(?:\.\d+)?"
CELL = re.compile(rf"(?P<number>{_NUMBER})(?P<mark>[†*]*)(?: \((?P<change>{_NUMBER})\))?")


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
    published : float
        The number, for claims of kind value; else NaN.
    mark : str
        Mark of significance that the paper prints beside the number.
    relative : bool
        Whether the paper's effect carries over in percent of the rival.
    needs : mapping, optional
        What a corpus must have for the claim to be tested: row and column of a cell, and the least
        value.
    """

    claim_id: str
    kind: Kind
    where: str
    says: str
    experiments: tuple[str, ...]
    check: Check
    published: float = nan
    mark: str = ""
    relative: bool = False
    needs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def worded(self) -> bool:
        """Whether the paper says it in words, rather than by a number or a mark."""
        return self.kind != "value" and not self.claim_id.endswith(MARKED)


@dataclass(frozen=True)
class Experiment:
    """A result table: where the paper prints it, its row and column names, and what its marks mean.

    ``baseline`` is the row that changes in parentheses are relative to; ``relative`` says that the
    paper's effects carry over in percent of the rival, rather than in units; ``percent`` and
    ``fraction`` are the columns whose highest score is 100 or 1. ``headline`` is the comparison
    that the table is about: the rows ``better`` and ``than``, the column ``in``; ``percent`` is the
    column of relative gains in which the paper prints it, where that is all that it prints, and
    ``order`` the column that orders the methods, where it is another one.
    """

    where: str
    rows: Sequence[str]
    columns: Sequence[str]
    marks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    baseline: str = ""
    relative: bool = False
    percent: Sequence[str] = ()
    fraction: Sequence[str] = ()
    headline: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, Sequence[str]]:
        """The names that a check may use."""
        return {"row": self.rows, "column": self.columns}


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
    claims : mapping of str to Claim
    limits : sequence of mapping
        ``rows`` or ``claims`` that cannot be tested on some ``corpora`` (all, where none is named),
        and ``why``.
    """

    paper: str
    title: str
    corpus: str
    main: str
    experiments: Mapping[str, Experiment]
    claims: Mapping[str, Claim]
    limits: Sequence[Mapping[str, Any]] = ()

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, claim_id: str) -> Claim:
        return self.claims[claim_id]

    def why_never(self, corpus: str, rows: Iterable[str], claim_id: str = "") -> str:
        """Return why a corpus cannot have one of these rows, or cannot test a claim; "" if it
        can.
        """
        for limit in self.limits:
            about = claim_id in limit.get("claims", ()) or {*rows} & {*limit.get("rows", ())}
            if about and corpus in limit.get("corpora", [corpus]):
                return str(limit["why"])
        return ""

    def published(self, experiments: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these experiments' tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        return {claim.check.cells()[0]: claim.published for claim in self._cells(experiments)}

    def half_units(self, experiments: tuple[str, ...]) -> dict[str, float]:
        """Return how far rounding can have moved the paper's own numbers, by column of these
        experiments.
        """
        cells = (
            (claim.check.cells()[0][1], claim.check.asks["half_unit"])
            for claim in self._cells(experiments)
        )
        return dict(sorted(cells))  # the largest of a column comes last

    def _cells(self, experiments: tuple[str, ...]) -> list[Claim]:
        return [
            claim
            for claim in self
            if claim.check.form == "cell" and claim.experiments[0] in experiments
        ]

    def marks(self, experiment: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        cells = ((*claim.check.cells()[0], claim.mark) for claim in self._cells((experiment,)))
        return {(row, (column, "paper")): mark for row, column, mark in cells if mark}


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
    file = FOLDER / paper / "claims.yaml"
    found: Ledger = read_once(read, file, *sorted(file.parent.glob("published/*.csv")))
    return found


def read(file: Path) -> Ledger:
    """Read and check a ledger file.

    Raises
    ------
    DataError
        Naming the file and the claim: on YAML errors, unknown or missing fields, unknown kinds,
        rows, columns or marks, a published value that is no number, and ids that are malformed or
        used twice.
    """
    content = _load_yaml(file)
    with _complaining(file):
        paper = checked(content, "ledger")["paper"]
        if paper != file.parent.name:
            raise ParameterError(
                f"paper is {paper!r}, expected the folder's name {file.parent.name!r}"
            )
    experiments: dict[str, Experiment] = {}
    for name, entry in content["experiments"].items():
        with _complaining(file, f"experiment {name}: "):
            declared = entry if isinstance(entry, dict) else {}
            known = {kind: declared.get(f"{kind}s", ()) for kind in ("row", "column")}
            experiments[name] = Experiment(**checked(entry, "result_table", known))
    claims: dict[str, Claim] = {}
    for position, entry in enumerate(content["claims"], 1):
        label = entry.get("id") if isinstance(entry, dict) else None
        with _complaining(file, f"claim {label or f'number {position}'}: "):
            if label in claims:
                raise ParameterError(
                    "there is a claim of this id already; every claim needs its own"
                )
            claim = _claim(entry, experiments)
            claims[claim.claim_id] = claim
    with _complaining(file, "limits: "):
        known = {
            "row": [row for each in experiments.values() for row in each.rows],
            "claim": list(claims),
        }
        limits = [checked(entry, "limit", known) for entry in content.get("limits", ())]
    for name, experiment in experiments.items():
        table = file.parent / "published" / f"{name.removeprefix(f'{paper}_')}.csv"
        for cell in read_table(table) if table.is_file() else ():
            with _complaining(table, f"{cell[0]}, {cell[1]}: "):
                claims |= {
                    claim.claim_id: claim for claim in _printed(cell, table.stem, name, experiment)
                }
    main = content.get("main", content["corpus"])
    return Ledger(paper, content["title"], content["corpus"], main, experiments, claims, limits)


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


def _load_yaml(file: Path) -> Any:
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(f"is not a ledger: {error.problem}", file=file, line=line) from error


def _claim(entry: Any, experiments: Mapping[str, Experiment]) -> Claim:
    about = checked(entry, "statement", {"experiment": list(experiments)})
    kind, published, used = about["kind"], about.get("published", nan), listed(about["experiment"])
    if (kind == "value") != isfinite(published):
        raise ParameterError(
            "claims of kind value have the field published, a number, and no others"
        )
    known = {
        name: [each for one in used for each in experiments[one].names[name]]
        for name in ("row", "column")
    }
    number = (
        {"published": published, "half_unit": half_unit(str(published))} if kind == "value" else {}
    )
    check = parse(kind, about["check"], known, **number)
    needs = checked(about["needs"], "needs", known) if "needs" in about else {}
    relative = about.get("relative", experiments[used[0]].relative)
    return Claim(
        about["id"],
        kind,
        about["where"],
        about["says"],
        used,
        check,
        float(published),
        "",
        relative,
        needs,
    )


def read_table(file: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Read a published table, row by row.

    Parameters
    ----------
    file : Path
        CSV with a header; its first field is ``method`` or ``metric``.

    Yields
    ------
    tuple of str
        Row, column, number, mark and change of each cell: numbers as text, since trailing zeros say
        how far a paper rounds.

    Raises
    ------
    DataError
        If the file is no such table, names a row or column twice, or has a cell that is no number
        with marks.
    """
    frame = read_csv(file)
    rows_are = str(frame.columns[0])
    if rows_are not in {"method", "metric"}:
        raise DataError(f"begins with {rows_are!r}; expected method or metric", file=file, line=1)
    frame = frame.set_index(rows_are)
    for names in (frame.index, frame.columns):
        if not names.is_unique:
            raise DataError(f"{names[names.duplicated()][0]!r} twice; expected once", file=file)
    for line, (name, texts) in enumerate(frame.iterrows(), 2):
        for other, text in texts[texts != ""].items():
            if (found := CELL.fullmatch(text)) is None:
                raise DataError(f"{text!r} under {other}; expected a number", file=file, line=line)
            row, column = (name, other) if rows_are == "method" else (other, name)
            yield str(row), str(column), found["number"], found["mark"], found["change"] or ""


def half_unit(number: str) -> float:
    """Return half a unit of the last printed digit: how far rounding can have moved a number.

    >>> half_unit("20.20"), half_unit("7")
    (0.005, 0.5)
    """
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def _printed(
    cell: tuple[str, str, str, str, str], table: str, name: str, experiment: Experiment
) -> Iterator[Claim]:
    """Make claims of a cell of a published table: its number, its change in parentheses, its
    mark.
    """
    row, column, number, mark, change = cell
    prefix = re.sub("(?<=^[a-z])[a-z]+", "", table)  # table1: t1
    place = f"{prefix}-{slug(row)}-{slug(column)}"

    def claim(
        end: str, kind: Kind, says: str, check: Mapping[str, Any], number: str = "", mark: str = ""
    ) -> Claim:
        rounded = {"published": float(number), "half_unit": half_unit(number)} if number else {}
        about = (
            f"{place}{end}",
            kind,
            experiment.where,
            says,
            (name,),
            parse(kind, check, experiment.names, **rounded),
        )
        return Claim(*about, rounded.get("published", nan), mark, experiment.relative)

    yield claim("", "value", f"{column} of {row}", {"row": row, "column": column}, number, mark)
    if change:
        says = f"The change of {row} over {experiment.baseline} in {column}, in percent."
        yield claim(
            "-change",
            "value",
            says,
            {"gain": row, "over": experiment.baseline, "in": column},
            change,
        )
    if mark:
        if mark not in experiment.marks:
            raise unknown("mark", mark, experiment.marks)
        says = f"{row} is marked ({mark}) as significantly better in {column}"
        yield claim(
            MARKED, "significance", says, {"better": row, "in": column, **experiment.marks[mark]}
        )


def slug(name: str) -> str:
    """Write a name as a part of an id.

    >>> slug("c-P@5"), slug("WE_Bio+rtrft"), slug("P(w|d)")
    ('c-p-at-5', 'we-bio-rtrft', 'p-w-d')
    """
    return re.sub("[^a-z0-9]+", "-", name.replace("@", "-at-").lower()).strip("-")
