"""The one rule that makes verdicts.

A claim is judged by one comparison, the one that the paper's sentence rests on; whatever else it
says is counted beside it. A comparison claims that a difference lies in some region: above 0
("better"), within a margin of 0 ("no difference"), or below a margin ("no advantage"). Our
difference comes with a 95 % interval over topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the region that it claims;
- **holds**: our interval lies inside the region;
- **contradicted**: it lies outside;
- **absent**: it contains 0 and excludes the paper's own effect, and we would have seen that effect
  more often than not;
- **inconclusive**: all else; so is every comparison over fewer than six topics, or without scores
  by topic.

A sixth verdict, **not testable here**, is about what is missing. *Would we have seen it* is the
probability that the interval lies inside the region if the paper's effect were true with our noise:
the power of the test.
"""

from collections.abc import Sequence
from math import inf, isnan, nan
from typing import Literal, NamedTuple, get_args

from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.ledger.intervals import LEVEL, Difference

Verdict = Literal[
    "holds",
    "contradicted",
    "absent",
    "inconclusive",
    "not testable here",
    "inconsistent in the paper",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""


class Region(NamedTuple):
    """Where a difference lies if the claim is true: strictly between two bounds."""

    low: float = 0.0
    high: float = inf

    def holds(self, low: float, high: float | None = None) -> bool:
        """Return whether an interval, or one number, lies inside."""
        return self.low < low and (low if high is None else high) < self.high

    def margins(self, effect: float) -> list[float]:
        """Return how far an effect lies above the lower and below the upper bound, if finite."""
        both = (effect - self.low, self.high - effect)
        return [margin for margin in both if margin < inf]


BETTER = Region()


class Comparison(NamedTuple):
    """One of the things a claim says, on one corpus.

    Parameters
    ----------
    label : str
        "A over B in c-F".
    found : Difference
        In the claimed direction.
    paper : float
        The paper's own effect in our unit, NaN where it prints none.
    region : Region
        Where the claim wants the difference.
    """

    label: str
    found: Difference
    paper: float = nan
    region: Region = BETTER

    @property
    def seen(self) -> float:
        """Probability of "holds" if the paper's effect were true with our noise, or NaN."""
        error, df = self.found.error, self.found.df
        if isnan(self.paper) or isnan(error):
            return nan
        if error == 0:
            return float(self.region.holds(self.paper))
        critical = special.stdtrit(df, (1 + LEVEL) / 2)
        margins = self.region.margins(self.paper)
        missed = sum(special.nctdtr(df, margin / error, critical) for margin in margins)
        return max(0.0, 1.0 - float(missed))

    @property
    def p_value(self) -> float:
        """One-sided p-value in the claimed direction, the larger one if there are two bounds."""
        error, margins = self.found.error, self.region.margins(self.found.effect)
        if isnan(error):
            return nan
        if error == 0:
            return 0.0 if min(margins) > 0 else 1.0
        return max(float(special.stdtr(self.found.df, -margin / error)) for margin in margins)

    def verdict(self) -> tuple[Verdict, str]:
        """Return the verdict, and why it is not a plain one ("" where it is)."""
        if not isnan(self.paper) and not self.region.holds(self.paper):
            return "inconsistent in the paper", "its own numbers do not bear it out"
        if self.found.same:
            return "not testable here", "the two rows have the same scores"
        if isnan(self.found.ci_low):
            return "inconclusive", "no scores by topic give it an interval"
        if self.found.topics < FEW_TOPICS:
            return "inconclusive", f"only {self.found.topics} topics"
        return self._by_interval()

    def _by_interval(self) -> tuple[Verdict, str]:
        low, high = self.found.ci_low, self.found.ci_high
        if self.region.holds(low, high):
            return "holds", ""
        if high < self.region.low or low > self.region.high:
            return "contradicted", ""
        if isnan(self.paper):
            return "inconclusive", ""
        if self.region != BETTER or high >= self.paper:
            return "inconclusive", "the paper's effect is as possible as none"
        if self.seen > 0.5:
            return "absent", ""
        return "inconclusive", "too noisy to show such an effect"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` is the paper's effect in our unit. ``effect`` is the difference in the claimed
    direction, or Kendall's tau. ``seen`` and ``p_value`` are those of `Comparison`; ``others``
    counts the other comparisons.
    """

    verdict: Verdict
    reason: str
    published: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    topics: int = 0
    seen: float = nan
    p_value: float = nan
    others: str = ""


def outcome(deciding: Comparison, others: Sequence[Comparison]) -> Outcome:
    """Judge a claim by one comparison, and count the others.

    Examples
    --------
    >>> yes = Comparison("A over B in c-F", Difference(2.0, 1.0, 3.0, 0.4, 9, 10), paper=1.5)
    >>> no = Comparison("A over B in c-P", Difference(-0.5, -2.0, 1.0, 0.6, 9, 10), paper=2.0)
    >>> outcome(yes, [no]).verdict, outcome(no, [yes]).verdict, outcome(yes, [no]).others
    ('holds', 'absent', '1 of 2 in the same direction (paper: 2 of 2)')
    """
    (verdict, why), found = deciding.verdict(), deciding.found
    return Outcome(
        verdict,
        f"{deciding.label}: {why}" if why else deciding.label,
        deciding.paper,
        *found[:3],
        found.topics,
        deciding.seen,
        deciding.p_value,
        _counted([deciding, *others]) if others else "",
    )


def _counted(comparisons: Sequence[Comparison]) -> str:
    different = [c for c in comparisons if not c.found.same]
    ours = [c.region.holds(c.found.effect) for c in different]
    text = f"{sum(ours)} of {len(ours)} in the same direction"
    theirs = [c.region.holds(c.paper) for c in comparisons if not isnan(c.paper)]
    if theirs:
        text += f" (paper: {sum(theirs)} of {len(theirs)})"
    if left := len(comparisons) - len(different):
        text += f"; {left} between rows with the same scores left out"
    return text
