"""What we have on one corpus: our numbers, the paper's, and what each topic contributes to ours.

`citectx.experiments.results` writes our numbers: ``<experiment>.csv`` holds one row a number, and
beside it ``<experiment>.citances.csv.gz`` one row for each citance and method with a column a
metric. Where an experiment scores whole topics, such as summaries, the citance is left empty.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx.evaluation.intervals import Estimate, jackknife, student
from citectx.evaluation.significance import kendall_tau, kendall_tau_over
from citectx.experiments.report import KEYS
from citectx.experiments.results import COLUMNS, find, read_csv
from citectx.types import Floats, Ints

Coordinate = tuple[str, str]
"""A row and a column."""


ByCorpus = dict[Any, tuple[pd.DataFrame, pd.DataFrame]]
"""Table and scores of each corpus that a table has, sorted."""
Results = Callable[[str], ByCorpus]
"""A function from the name of an experiment to its results."""


def open_results(folder: Path) -> Results:
    """Return the results of one profile, each read when it is first asked for.

    An experiment without a file is simply one that has not been run.

    >>> open_results(Path("no such folder"))("sigir2017_table1")
    {}
    """
    return cache(partial(read_results, folder))


def read_results(folder: Path, experiment: str) -> ByCorpus:
    """Read table and scores of each corpus that the table has; scores may be missing."""
    table = read_if_there(find(folder, f"{experiment}.csv"), COLUMNS)
    scores = read_if_there(find(folder, f"{experiment}.citances.csv.gz"), ["corpus", *KEYS])
    return {
        corpus: (rows, scores[scores["corpus"] == corpus])
        for corpus, rows in table.groupby("corpus")
    }


def read_if_there(file: Path, columns: list[str]) -> pd.DataFrame:
    """Read a table, or return one without rows."""
    return read_csv(file, columns) if file.is_file() else pd.DataFrame(columns=columns)


@cache
def normal(seed: int, *shape: int) -> Floats:
    """Draw standard normal numbers; the same for all claims that have as many topics."""
    return np.random.default_rng(seed).standard_normal(shape)


class Versions(NamedTuple):
    """What was computed from each version of the data that `TopicScores.reweight` stacks.

    >>> Versions.of(["holds", "smaller", "holds", "inconclusive"])
    Versions(data='holds', alike='smaller', without=['holds', 'inconclusive'])
    """

    data: Any
    """What the data give as they are."""
    alike: Any
    """What they give if topics weigh alike."""
    without: Sequence[Any]
    """What they give without each topic in turn."""

    @classmethod
    def of(cls, computed: Sequence[Any]) -> "Versions":
        """Name what was computed along the first axis."""
        return cls(computed[0], computed[1], computed[2:])


class TopicScores(NamedTuple):
    """Scores of some cells by topic.

    The first axis holds versions of them: the data as they are (`Evidence.scores`), simulated data
    (`draw`), or the data under other weights of topics (`reweight`).

    ``means`` are the topics' mean scores, ``shares`` their weights in the mean of a cell, which sum
    to 1; both (versions, cells, topics), NaN for cells without scores. ``values`` (cells,) are the
    numbers of the table, which count there.
    """

    means: Floats
    shares: Floats
    values: Floats

    @property
    def mean(self) -> Floats:
        """Means of the cells, shape (versions, cells)."""
        mean = (self.means * self.shares).sum(axis=-1)
        return np.where((self.shares > 0).any(axis=-1), mean, self.values)

    def contrast(self, weights: Floats) -> Estimate:
        """Estimate sums of cells, by weights of shape (contrasts, cells): of (versions, contrasts).

        Each topic's share in a sum is known, so the standard error is that of a weighted mean of
        topics: with equal shares, that of the plain t-test of per-topic differences.
        """
        mean = self.mean
        moves = self.shares * (self.means - mean[..., None])  # (versions, cells, topics)
        sizes = np.abs(weights)
        sizes = sizes / sizes.sum(axis=1, keepdims=True)
        return student(mean @ weights.T, weights @ moves, sizes @ self.shares)

    def reweight(self, topics: Ints) -> "TopicScores":
        """Stack other weights along the first axis, in the order of `Versions`.

        That is version 0 as it is, version 1 with equal topics, and then one version without each
        of ``topics``.
        """
        used = self.shares > 0
        others = 1 - np.eye(used.shape[-1])[topics, None]
        without = self.shares * others  # (left out, cells, topics)
        shares = np.concatenate([self.shares, used, without])
        with np.errstate(invalid="ignore"):  # the only topic of a cell, or none
            return self._replace(shares=shares / shares.sum(axis=-1, keepdims=True))

    def draw(self, expected: Floats, draws: int, seed: int = 0) -> "TopicScores":
        """Draw topics around expected values, (cells,), with the covariance of our topics."""
        used = self.shares[0] > 0  # (cells, topics)
        sizes = used.sum(axis=1, keepdims=True)
        centre = self.means[0].mean(axis=1, keepdims=True, where=used)
        deviations = (self.means[0] - centre) * used / np.sqrt(sizes - 1)
        factor = np.linalg.qr(deviations.T, mode="r")  # the root of the covariance
        noise = normal(seed, draws, used.shape[1], len(factor)) @ factor
        return self._replace(means=expected[:, None] + noise.swapaxes(1, 2))

    def tau(self) -> Estimate:
        """Estimate Kendall's tau of the first half of the cells with the second: (versions, 1).

        There is no interval if a cell lacks a topic. Over few rows tau moves in steps, so the
        interval is wide; equal methods hardly ever pass it.
        """
        used = (self.shares > 0).all(axis=1)  # (versions, topics)
        is_full = (self.shares > 0).any(axis=1) == used
        mean = self.mean
        moved = mean[..., None] - self.shares * self.means
        without = np.moveaxis(moved / (1 - self.shares), -1, 1)  # (versions, topics, cells)
        taus = np.where(is_full, kendall_tau(*np.split(without, 2, axis=-1)), nan)
        tau = kendall_tau(*np.split(mean, 2, axis=-1))
        return jackknife(tau, taus, used).at((..., None))


class Evidence:
    """One corpus, seen through some tables; a cell is taken from the first table that has it.

    ``published`` has the paper's values; if ``relative``, its effects carry over in percent of the
    rival, rather than in units.
    """

    def __init__(
        self,
        tables: Sequence[tuple[pd.DataFrame, pd.DataFrame]],
        published: Mapping[Coordinate, float] = {},
        relative: bool = False,
    ) -> None:
        self.published, self.relative = published, relative
        self.frames = [scores for _, scores in tables]
        self.topics = pd.Index(sorted({t for scores in self.frames for t in scores["topic"]}))
        self.numbers: dict[Coordinate, tuple[float, float]] = {}
        self.by_topic: dict[Coordinate, Floats] = {}
        for table, scores in reversed(tables):
            cells = table[["method", "metric", "value", "n"]].to_numpy()
            self.numbers |= {(row, column): (value, n) for row, column, value, n in cells}
            self.by_topic |= sums_by_topic(scores, self.topics)

    def lacks(self, cells: Iterable[Coordinate]) -> list[str]:
        """List the rows that our tables lack in one of the columns."""
        lacking = [row for row, column in cells if (row, column) not in self.numbers]
        return list(dict.fromkeys(lacking))

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def value(self, row: str, column: str) -> Any:
        """Our value, in the unit of the scores."""
        return self.scores([(row, column)]).mean[0, 0]

    def scores(self, cells: Sequence[Coordinate]) -> TopicScores:
        """Return the scores of some cells.

        Topics weigh as much as they have citances, or alike if the table's n counts topics.
        """
        nothing = np.full((2, len(self.topics)), nan)
        by_cell = [self.by_topic.get(cell, nothing) for cell in cells]
        sums, sizes = np.swapaxes(by_cell, 0, 1)  # (cells, topics)
        values, n = np.transpose([self.numbers[cell] for cell in cells])
        counts_topics = n == (sizes > 0).sum(axis=1)
        weights = np.where(counts_topics[:, None], np.minimum(sizes, 1), sizes)
        shares = weights / weights.sum(axis=1, keepdims=True)
        means = sums / np.maximum(sizes, 1)
        return TopicScores(means[None], shares[None], values)

    def among(self, row: str) -> "Evidence":
        """Return the same with those citances alone that a row scores; they weigh alike."""
        part = copy(self)
        part.frames = []
        part.by_topic = {}
        for scores in reversed(self.frames):  # a cell is taken from the first table that has it
            of_row = scores[scores["method"] == row]
            is_scored = of_row.drop(columns=["corpus", *KEYS], errors="ignore").notna().any(axis=1)
            kept = scores.merge(of_row.loc[is_scored, ["topic", "citance"]])
            part.frames.insert(0, kept)
            part.by_topic |= sums_by_topic(kept, self.topics)
        part.numbers = dict.fromkeys(self.numbers, (nan, nan))
        return part

    def tau_over_citances(self, row: str, columns: Sequence[str], shares: Floats) -> Estimate:
        """Estimate Kendall's tau over the citances of a row of one table: of (versions, 1).

        ``shares`` (versions, cells, topics) say which topics each version has.
        """
        whole = pd.concat(self.frames)
        rows = whole[whole["method"] == row].reindex(columns=["topic", *columns]).dropna()
        topics = self.topics.get_indexer(pd.Index(rows["topic"]))
        used = np.all(shares > 0, axis=1).astype(float)
        x, y = (rows[column] for column in columns)
        return kendall_tau_over(x, y, topics, used).at((..., None))


def sums_by_topic(scores: pd.DataFrame, topics: "pd.Index[str]") -> dict[Coordinate, Floats]:
    """Sum up scores by topic: for each cell the sums and numbers of citances, (2, topics)."""
    metrics = scores.columns.drop(["corpus", *KEYS], errors="ignore")
    keys = [scores["method"], pd.Categorical(scores["topic"], topics)]
    by_topic = scores[metrics].groupby(keys, observed=False)
    parts = by_topic.sum(), by_topic.count()
    sums, sizes = (part.unstack().stack(0) for part in parts)  # noqa: PD010, PD013
    both = np.stack([sums, sizes], axis=1)  # (cells, 2, topics)
    return {cell: part for cell, part in zip(sums.index, both, strict=True) if part[1].any()}
