"""Numbers of one corpus as a claim sees them, and the statistics that compare them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import atanh, nan, sqrt, tanh
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from citectx.claims.results import Number, Results
from citectx.errors import DataError
from citectx.evaluation.significance import bootstrap_difference, paired_t


class Difference(NamedTuple):
    """How far one row lies above another; NaN for what cannot be computed.

    ``effect`` is in the metric's unit, ``ci_low`` and ``ci_high`` bound it at 95 %, and ``p_value`` is
    two-tailed.
    """

    effect: float
    ci_low: float = nan
    ci_high: float = nan
    p_value: float = nan


class Paired(NamedTuple):
    """Two aligned arrays of per-citance scores, each of shape (citances,), and the topic of each citance."""

    first: np.ndarray
    second: np.ndarray
    topics: np.ndarray


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
        The corpus that the paper's own numbers are from.
    published : mapping of (row, column) to float
        The paper's own numbers.
    seed : int
        Of the bootstrap.
    """

    results: Results
    experiments: tuple[str, ...]
    corpus: str
    home: str = ""
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    seed: int = 0
    _differences: dict[tuple[str, str, str], Difference] = field(default_factory=dict, init=False, repr=False)

    def has(self, row: str, column: str) -> bool:
        """Say whether our tables have the cell."""
        return any((self.corpus, row, column) in self.results.table(name) for name in self.experiments)

    def number(self, row: str, column: str) -> Number:
        """Our value with its interval.

        Raises
        ------
        KeyError
            Where `has` is false.
        """
        key = (self.corpus, row, column)
        for name in self.experiments:
            table = self.results.table(name)
            if key in table:
                return table[key]
        raise KeyError(key)

    def value(self, row: str, column: str) -> float:
        """Our value, in the paper's unit."""
        return self.number(row, column).value

    def published_value(self, row: str, column: str) -> float:
        """The paper's value, NaN where it prints none."""
        return self.published.get((row, column), nan)

    def scores(self, row: str, column: str) -> "pd.Series[float] | None":
        """Per-citance scores by (topic, citance), or None."""
        for name in self.experiments:
            found = self.results.scores(name, self.corpus, row, column)
            if found is not None:
                return found
        return None

    def topics(self, row: str, column: str) -> int:
        """Count the topics behind the scores of a row; 0 without scores."""
        scores = self.scores(row, column)
        return 0 if scores is None else scores.index.get_level_values("topic").nunique()

    def difference(self, high: str, low: str, column: str) -> Difference:
        """Return the mean paired difference ``high - low`` over citances.

        The interval is a bootstrap over topics, since citances of one topic share their reference article;
        the p-value is the paper's paired t-test over citances. Without per-citance scores the difference of
        the table's values is all there is; with a single topic there is no interval either.

        Raises
        ------
        DataError
            If the two rows were not scored on the same citances.
        """
        key = (high, low, column)
        if key not in self._differences:
            self._differences[key] = self._compute_difference(*key)
        return self._differences[key]

    def paired(self, row: str, column: str, other_row: str, other_column: str) -> "Paired":
        """Scores of two cells on the citances that have both, with the citances' topics.

        Raises
        ------
        KeyError
            Where one of the two has no scores.
        """
        both = {}
        for side, (r, c) in {"first": (row, column), "second": (other_row, other_column)}.items():
            scores = self.scores(r, c)
            if scores is None:
                raise KeyError((self.corpus, r, c))
            both[side] = scores
        if both["first"].index.equals(both["second"].index):
            frame = pd.DataFrame(both)
        else:
            frame = pd.concat(both, axis=1, join="inner")
        topics = frame.index.get_level_values("topic").to_numpy()
        return Paired(frame["first"].to_numpy(), frame["second"].to_numpy(), topics)

    def _compute_difference(self, high: str, low: str, column: str) -> Difference:
        first, second = self.scores(high, column), self.scores(low, column)
        if first is None or second is None:
            return Difference(self.value(high, column) - self.value(low, column))
        self._check_same_citances(high, low, column, first.index, second.index)
        a, b, topics = self.paired(high, column, low, column)
        if len(a) < 2:
            return Difference(float(a[0] - b[0]))
        test = paired_t(a, b)
        return Difference(
            test.difference, *bootstrap_difference(a, b, self.seed, groups=topics), test.p_value
        )

    def _check_same_citances(
        self, high: str, low: str, column: str, first: pd.Index, second: pd.Index
    ) -> None:
        if first.equals(second):  # as good as always, and quickly told
            return
        odd = first.symmetric_difference(second)
        if len(odd):
            raise DataError(
                f"corpus {self.corpus}, {column}: {high} and {low} were not scored on the same citances; "
                f"{len(odd)} have only one of the two, first {' '.join(odd[0])}; run the experiment again",
                file=self.results.folder / f"{self.experiments[0]}.citances.csv.gz",
            )


def rank_correlation(x: np.ndarray, y: np.ndarray) -> Difference:
    """Kendall's tau-b with its two-tailed p-value, as a `Difference` whose effect is tau.

    The p-value is exact for short lists without ties. The interval is Fieller's, on Fisher's scale with
    variance 0.437/(n - 4); there is none for n < 5 or a perfect correlation.

    Ambiguity: "correlates" and "rises with" come without a statistic in these papers; tau asks for nothing
    but order, and over groups in order it is the Jonckheere-Terpstra trend test. Citances count as
    independent.

    >>> rank_correlation(np.arange(6), np.array([1, 2, 3, 5, 4, 6])).effect > 0.8
    True
    """
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Difference(nan)
    found = stats.kendalltau(x, y)
    tau, p_value = float(found.statistic), float(found.pvalue)
    if len(x) < 5 or abs(tau) >= 1:
        return Difference(tau, p_value=p_value)
    half = float(stats.norm.ppf(0.975)) * sqrt(0.437 / (len(x) - 4))
    return Difference(tau, tanh(atanh(tau) - half), tanh(atanh(tau) + half), p_value)
