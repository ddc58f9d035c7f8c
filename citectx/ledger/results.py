"""What experiments leave behind, read when a claim asks for it, and the differences in it.

`citectx.experiments.results` writes them: ``<experiment>.csv`` holds one row a number, and beside
it ``<experiment>.citances.csv.gz`` what a test of significance needs, one row for each citance and
method (`KEY_COLUMNS`) with a column a metric. Where an experiment scores whole topics, such as
summaries, the citance is left empty.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import atanh, nan, sqrt, tanh
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from citectx.errors import DataError
from citectx.experiments.results import COLUMNS, find
from citectx.reading import there
from citectx.storage import read_once
from citectx.types import Floats

KEY_COLUMNS = "corpus topic citance method".split()

DAMAGE = (OSError, EOFError, ValueError, zlib.error, csv.Error)
LEVEL = 0.95
Scores: TypeAlias = "pd.Series[float]"
OVER_CITANCES = " (citances)"
"""Ends the name of a column that is the mean over citances of a column that is a mean over
topics."""

SPREAD = " sd"
"""Ends the name of a column of standard deviations, whose scores are absolute deviations from the
mean."""


class Number(NamedTuple):
    """One cell of a table: value, interval and count (NaN where there is none), parameters."""

    value: float
    ci_low: float
    ci_high: float
    n: float = nan
    params: str = ""


class Results:
    """The results of one profile.

    Parameters
    ----------
    places : Path or sequence of Path
        As `find` takes them. They hold ``<experiment>.csv`` and ``<experiment>.citances.csv.gz``; nothing is read before it
        is asked for, and an experiment without a file is simply one that has not been run.

    Examples
    --------
    >>> Results(Path("no such folder")).ran("sigir2017_table1")
    False
    """

    def __init__(self, places: Path | Sequence[Path]) -> None:
        self.places = places
        self._kept: dict[tuple[str, ...], Any] = {}

    def ran(self, experiment: str) -> bool:
        """Return whether the experiment has left a table."""
        return there(find(self.places, f"{experiment}.csv"))

    def corpora(self, experiment: str) -> list[str]:
        """Corpora with at least one row, sorted."""
        return sorted({corpus for corpus, _, _ in self.table(experiment)})

    def table(self, experiment: str) -> dict[tuple[str, str, str], Number]:
        """Return the cells of a table by (corpus, method, metric); empty if the experiment has not
        been run.

        Raises
        ------
        DataError
            If the file is no CSV, lacks a column, names another experiment, holds a value that is
            no finite number, an interval without its lower end below its upper, or one cell twice.
        """
        return self._once(_read_table, experiment) or {}

    def same(self, experiment: str, corpus: str) -> set[frozenset[str]]:
        """Return the pairs of rows that the experiment calls one method, from
        ``<experiment>.same.csv``.
        """
        frame = self._once(_read_same, experiment, ".same.csv")
        own = (
            []
            if frame is None
            else frame[frame["corpus"] == corpus][["method", "same_as"]].to_numpy()
        )
        return {frozenset(pair) for pair in own}

    def scores(
        self, experiment: str, corpus: str, method: str, metric: str
    ) -> "pd.Series[float] | None":
        """Return the scores of one method by (topic, citance), or None where the experiment kept
        none.

        Citances that were not scored in this metric (empty cells) are left out.

        Raises
        ------
        DataError
            If the file is damaged, lacks a column, holds text in a metric's column, or a citance
            twice.
        """
        key = (experiment, corpus, method, metric)
        if key not in self._kept:  # many claims ask for the same one
            found = self._once(_read_scores, experiment, ".citances.csv.gz") or {}
            frame = found.get((corpus, method), pd.DataFrame())
            column = frame.get(metric, pd.Series(dtype=float))
            column = column.dropna() if column.hasnans else column  # as it is, it keeps its index
            self._kept[key] = column if len(column) else None
        found_scores: pd.Series[float] | None = self._kept[key]
        return found_scores

    def _once(self, read: Callable[[Path], Any], experiment: str, suffix: str = ".csv") -> Any:
        """Read a file when it is first asked for; None if it is not there."""
        if (experiment, suffix) not in self._kept:
            file = find(self.places, f"{experiment}{suffix}")
            self._kept[experiment, suffix] = read_once(read, file) if there(file) else None
        return self._kept[experiment, suffix]


def _read_same(file: Path) -> pd.DataFrame:
    return read_csv(file, ["corpus", "method", "same_as"])


def _read_table(file: Path) -> dict[tuple[str, str, str], Number]:
    frame = read_csv(file, COLUMNS)
    for name in ("value", "ci_low", "ci_high", "n"):
        frame[name] = numbers(frame, name, file, required=name == "value")
    experiment, key = file.name.removesuffix(".csv"), ["corpus", "method", "metric"]
    other, reversed_ = frame["experiment"] != experiment, frame["ci_low"] > frame["ci_high"]
    _refuse(
        frame, other, lambda row: f"experiment {row['experiment']!r}, expected {experiment!r}", file
    )
    _refuse(
        frame,
        reversed_,
        lambda row: f"interval {row['ci_low']} to {row['ci_high']} is reversed",
        file,
    )
    _refuse_twice(frame, key, file)
    cells = map(Number, *(frame[name] for name in ("value", "ci_low", "ci_high", "n", "params")))
    return dict(zip(zip(*(frame[name] for name in key), strict=True), cells, strict=True))


def _read_scores(file: Path) -> dict[tuple[str, str], pd.DataFrame]:
    frame = read_csv(file, KEY_COLUMNS)
    for metric in frame.columns.difference(KEY_COLUMNS):
        frame[metric] = numbers(frame, metric, file, required=False)
    _refuse_twice(frame, KEY_COLUMNS, file)
    scores = frame.set_index(["topic", "citance"])
    found: dict[tuple[str, str], pd.DataFrame] = {}
    for (corpus, method), rows in scores.groupby(["corpus", "method"]):
        first = next((each.index for (c, _), each in found.items() if c == corpus), rows.index)
        # Rows of the same citances share one index, which is then compared at a glance.
        found[str(corpus), str(method)] = rows.set_axis(first) if rows.index.equals(first) else rows
    return found


def _refuse(
    frame: pd.DataFrame, wrong: Any, why: Callable[["pd.Series[Any]"], str], file: Path
) -> None:
    """Raise a DataError about the first row that a mask marks."""
    if (rows := np.flatnonzero(wrong)).size:
        raise DataError(why(frame.iloc[rows[0]]), file=file, line=int(rows[0]) + 2)


def _refuse_twice(frame: pd.DataFrame, key: list[str], file: Path) -> None:
    _refuse(
        frame, frame.duplicated(key), lambda row: f"a second row for {', '.join(row[key])}", file
    )


def read_csv(file: Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV as text, with a header; empty cells are empty texts.

    Raises
    ------
    DataError
        If it is no CSV, lacks one of the columns, or has rows of another length, which pandas would
        fill up.
    """
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
        header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except DAMAGE as error:
        raise DataError(f"cannot be read as CSV ({error}); make it again", file=file) from error
    if missing := [name for name in columns if name not in header]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file, line=1)
    for line, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(f"has {len(row)} fields, expected {len(header)}", file=file, line=line)
    return pd.DataFrame(rows, columns=header, dtype=str)


def numbers(frame: pd.DataFrame, name: str, file: Path, *, required: bool) -> "pd.Series[float]":
    """Read a column as numbers; unless they are required, empty cells become NaN.

    Raises
    ------
    DataError
        Naming the first line that holds anything else.
    """
    found = pd.to_numeric(frame[name], errors="coerce").astype(float)
    wrong = ~np.isfinite(found)
    wrong[wrong] = required | (frame.loc[wrong, name].str.strip() != "")
    _refuse(
        frame, wrong, lambda row: f"{name} is {row[name].strip()!r}; expected a finite number", file
    )
    return found


class Difference(NamedTuple):
    """How far one row lies above another, with its 95 % interval; NaN for what cannot be computed.

    ``error`` is the standard error of the effect, ``df`` the degrees of freedom of Student's t,
    ``same`` says that the two rows agree in every single score.
    """

    effect: float
    ci_low: float = nan
    ci_high: float = nan
    error: float = nan
    df: float = nan
    topics: int = 0
    same: bool = False


@dataclass
class View:
    """One corpus, seen through the experiments that a claim names.

    Parameters
    ----------
    results : Results
    experiments : tuple of str
        A cell is taken from the first of them that has it.
    corpus : str
    home : str
        The corpus of the paper's own numbers.
    published : mapping of (row, column) to float
        The paper's own numbers.
    half_units : mapping of str to float
        How far rounding can have moved them, by column.
    units : mapping of str to float
        The highest score that a column can have.
    relative : bool
        Whether the paper's effects carry over in percent of the rival, rather than in units.
    """

    results: Results
    experiments: tuple[str, ...]
    corpus: str
    home: str = ""
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    half_units: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, float] = field(default_factory=dict)
    relative: bool = False
    _cells: "dict[tuple[str, str], ByTopic | None]" = field(default_factory=dict, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Return whether our tables have the cell."""
        return bool(self._home_of(row, column))

    def number(self, row: str, column: str) -> Number:
        """Our value with its interval.

        Raises
        ------
        KeyError
            Where `has` is false.
        """
        return self.results.table(self._home_of(row, column))[self.corpus, row, column]

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.number(row, column).value

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def cell(self, row: str, column: str) -> "ByTopic | None":
        """Return the scores behind a cell, checked against the table; None where none were kept.

        Raises
        ------
        DataError
            If they do not make the table's value, or are not as many as it says.
        """
        if (row, column) not in self._cells:
            name, own = self._home_of(row, column), column.removesuffix(OVER_CITANCES)
            scores = self.results.scores(name, self.corpus, row, own)
            self._cells[row, column] = None if scores is None else self._summed(row, column, scores)
        return self._cells[row, column]

    def difference(self, high: str, low: str, column: str, *, paired: bool = True) -> Difference:
        """Return ``high - low`` with its interval: Student's t over topics, weighted as the table's
        mean is.

        Each topic's share in the difference is known, so the standard error is that of a weighted
        mean of topics: with equal weights, the plain t interval of per-topic differences. Without
        scores there is the difference of the table's values only, with a single topic no interval.

        Parameters
        ----------
        high, low, column : str
        paired : bool
            Whether both rows must have been scored on the same citances.

        Raises
        ------
        DataError
            If they were not.
        """
        effect = self.value(high, column) - self.value(low, column)
        one, two = self.cell(high, column), self.cell(low, column)
        if one is None or two is None:
            return Difference(effect)
        if column.endswith(SPREAD):
            effect = float(one.scores.mean() - two.scores.mean())
        same = (
            paired and len(one.scores) > 1 and self._same(high, low, column, one.scores, two.scores)
        )
        topics = np.union1d(one.topics, two.topics)
        (up, up_shares), (down, down_shares) = one.over(topics), two.over(topics)
        return interval(effect, up - down, (up_shares + down_shares) / 2, same=same)

    def one_method(self, row: str, other: str) -> bool:
        """Return whether an experiment found that two rows are one method: see
        ``<experiment>.same.csv``.
        """
        pairs = {pair for name in self.experiments for pair in self.results.same(name, self.corpus)}
        return frozenset({row, other}) in pairs

    def _home_of(self, row: str, column: str) -> str:
        """Name the first experiment whose table has a cell; "" if none has it."""
        cell = (self.corpus, row, column)
        return next((name for name in self.experiments if cell in self.results.table(name)), "")

    def _same(self, high: str, low: str, column: str, one: Scores, two: Scores) -> bool:
        """Return whether two rows agree in every score; both must have been scored on the same
        citances.
        """
        if not one.index.equals(two.index):
            if len(odd := one.index.symmetric_difference(two.index)):
                raise DataError(
                    f"corpus {self.corpus}, {column}: {high} and {low} were not scored on the same "
                    f"citances; {len(odd)} have only one of the two, first {' '.join(odd[0])}; "
                    "run the experiment again",
                    file=find(self.results.places, f"{self.experiments[0]}.citances.csv.gz"),
                )
            two = two.loc[one.index]
        return bool((one.to_numpy() == two.to_numpy()).all())

    def _summed(self, row: str, column: str, scores: Scores) -> "ByTopic":
        """Sum scores up by topic, after holding them against the table."""
        number = self.number(row, column)
        index: Any = scores.index  # its topics are sorted
        values, codes = scores.to_numpy(), index.codes[0]
        topics, sizes = np.unique(codes, return_counts=True)
        sums = np.bincount(codes, values)[topics]
        weights = np.ones(len(sizes)) if number.n == len(sizes) else sizes.astype(np.float64)
        named = np.asarray(index.levels[0])[topics]
        found = ByTopic(named, sums / sizes, weights / weights.sum(), scores)
        if column.endswith(SPREAD):
            return found
        place = f"{self.corpus}, {row}, {column}"
        file = find(self.results.places, f"{self._home_of(row, column)}.csv")
        low, high, top = values.min(), values.max(), self.units.get(column, nan)
        if high > top + 1e-6 or low < 0 < top:
            raise DataError(f"{place}: scores from {low:g} to {high:g} of {top:g}", file=file)
        if top > 1 >= high > 0 and self.published_value(row, column) > 1:
            raise DataError(f"{place}: fractions where the paper prints percents", file=file)
        if number.n not in {len(sizes), len(scores)}:
            raise DataError(
                f"{place}: n is {number.n:g}, but {len(scores)} citances have a score", file=file
            )
        if abs(found.mean - number.value) > 2e-4 * max(1.0, abs(number.value)):
            why = (
                f"the table says {number.value:.4f}, but the mean of its scores is {found.mean:.4f}"
            )
            raise DataError(f"{place}: {why}", file=file)
        return found


@dataclass(frozen=True)
class ByTopic:
    """Scores of one cell by topic.

    Parameters
    ----------
    topics : (topics,) array of str
    means : (topics,) floats
    shares : (topics,) floats
        Weight of each topic in the mean; they sum to 1.
    scores : Series
        By (topic, citance).

    Examples
    --------
    >>> cell = ByTopic(np.array(["a", "b"]), np.array([1.0, 4.0]), np.array([2, 1]) / 3)
    >>> cell.mean, cell.moves.round(3).tolist(), cell.leave_one_out().tolist()
    (2.0, [-0.667, 0.667], [4.0, 1.0])
    """

    topics: NDArray[np.object_]
    means: Floats
    shares: Floats
    scores: Scores = field(default_factory=lambda: pd.Series(dtype=float), repr=False)

    @property
    def mean(self) -> float:
        """Mean as the table has it."""
        return float(self.shares @ self.means)

    @property
    def moves(self) -> Floats:
        """How much each topic moves the mean; they sum to 0."""
        return self.shares * (self.means - self.mean)

    def over(self, topics: NDArray[np.object_]) -> tuple[Floats, Floats]:
        """Return moves and shares over more topics, 0 for those that the cell has not."""
        found = np.zeros((2, len(topics)))
        found[:, np.searchsorted(topics, self.topics)] = self.moves, self.shares
        return found[0], found[1]

    def leave_one_out(self) -> Floats:
        """Return the mean without each topic in turn."""
        return (self.mean - self.shares * self.means) / (1 - self.shares)


def interval(effect: float, moves: Floats, shares: Floats, *, same: bool = False) -> Difference:
    """Return an effect with Student's t interval from what each topic contributes to it.

    Parameters
    ----------
    effect : float
    moves, shares : (topics,) floats
        As `ByTopic` has them.
    same : bool

    Examples
    --------
    >>> found = interval(2.0, np.array([-1, 0, 1]) / 3, np.full(3, 1 / 3))
    >>> round(found.error, 3), round(found.df, 9), [round(end, 2) for end in found[1:3]]
    (0.577, 2.0, [-0.48, 4.48])
    """
    topics = len(moves)
    if topics < 2:
        return Difference(effect, topics=topics, same=same)
    error, df = float(standard_error(moves, shares)), degrees_of_freedom(shares)
    half = float(special.stdtrit(df, (1 + LEVEL) / 2)) * error
    return Difference(effect, effect - half, effect + half, error, df, topics, same)


def standard_error(moves: Floats, shares: Floats) -> Floats:
    """Return the standard error of a weighted mean of topics: (..., topics), (topics,) → (...).

    The squared residuals are scaled so that the variance is unbiased where topics are equally
    noisy.
    """
    square = (shares**2).sum()
    bias = (shares**2 * (1 - 2 * shares + square)).sum()
    found: Floats = np.sqrt((moves**2).sum(axis=-1) * square / bias)
    return found


def degrees_of_freedom(shares: Floats) -> float:
    """Satterthwaite's degrees of freedom of that error: topics - 1 for equal weights, fewer for
    others.
    """
    return max(1.0, float((shares**2).sum() ** 2 / (shares**4).sum()) - 1)


def jackknifed(effect: float, without: Floats) -> Difference:
    """Return a statistic with Student's t interval from its values without each topic in turn."""
    topics = len(without)
    error = sqrt((topics - 1) / topics * float(((without - without.mean()) ** 2).sum()))
    half = float(special.stdtrit(topics - 1, (1 + LEVEL) / 2)) * error
    return Difference(effect, effect - half, effect + half, error, topics - 1, topics)


def tau(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float:
    """Kendall's tau-b; NaN where one side does not vary or a value is missing."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return nan
    from scipy.stats import kendalltau  # a second to import

    return float(kendalltau(x, y).statistic)


def fisher(correlation: float, units: int) -> Difference:
    """Return Kendall's tau over units that are no topics, with Fieller's interval.

    On Fisher's scale tau has variance 0.437 / (n - 4); below five units, or where tau is 1, there
    is no interval.

    >>> found = fisher(0.5, 20)
    >>> round(found.ci_low, 2), round(found.ci_high, 2)
    (0.22, 0.7)
    """
    if units < 5 or not abs(correlation) < 1:
        return Difference(correlation, topics=units)
    error = sqrt(0.437 / (units - 4))
    half = float(special.ndtri((1 + LEVEL) / 2)) * error
    ends = tanh(atanh(correlation) - half), tanh(atanh(correlation) + half)
    return Difference(correlation, *ends, error * (1 - correlation**2), units - 4, units)
