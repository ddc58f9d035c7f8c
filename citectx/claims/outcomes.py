"""Verdicts, and the one rule that makes them.

A claim is judged by one comparison, the one that the paper's sentence rests on; whatever else it says is
counted beside it. A comparison claims that a difference lies in some region: above 0 ("better"), within a
margin of 0 ("no difference"), or below a margin ("no advantage"). With ours comes a 95 % interval over
topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the region that it claims;
- **holds**: our interval lies inside the region;
- **contradicted**: it lies outside;
- **absent**: it contains 0 and excludes the paper's own effect, and we would have seen that effect more
  often than not;
- **inconclusive**: all else; so is every comparison over fewer than six topics, or without scores by topic.

A sixth verdict, **not testable here**, is about what is missing. *Would we have seen it* is the probability
that the interval lies inside the region if the paper's effect were true with our noise: the power of the
test.
"""

from math import inf, isnan, nan
from typing import Literal, NamedTuple

from scipy import special  # the distributions of scipy.stats, which takes a second to import

Verdict = Literal["holds", "contradicted", "absent", "inconclusive", "not testable here", "inconsistent in the paper"]
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""
LEVEL = 0.95


class Difference(NamedTuple):
    """How far one row lies above another, with its 95 % interval; NaN for what cannot be computed.

    ``error`` is the standard error of the effect, ``df`` the degrees of freedom of Student's t, ``same``
    says that the two rows agree in every single score.
    """

    effect: float
    ci_low: float = nan
    ci_high: float = nan
    error: float = nan
    df: float = nan
    topics: int = 0
    same: bool = False


class Region(NamedTuple):
    """Where a difference lies if the claim is true: between two bounds, which do not belong to it."""

    low: float = 0.0
    high: float = inf

    def holds(self, low: float, high: float) -> bool:
        """Say whether an interval lies inside."""
        return self.low < low and high < self.high

    def margins(self, effect: float) -> list[float]:
        """How far an effect lies above the lower bound and below the upper one, where there are such."""
        return [margin for margin in (effect - self.low, self.high - effect) if margin < inf]


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
    def right(self) -> bool:
        """Whether our difference points the claimed way."""
        return self.region.holds(self.found.effect, self.found.effect)

    @property
    def right_in_paper(self) -> bool:
        """Whether the paper's own numbers do."""
        return self.region.holds(self.paper, self.paper)

    @property
    def seen(self) -> float:
        """Probability of "holds" if the paper's effect were true with our noise; NaN without either."""
        error, df = self.found.error, self.found.df
        if isnan(self.paper) or isnan(error):
            return nan
        if error == 0:
            return float(self.right_in_paper)
        critical = special.stdtrit(df, (1 + LEVEL) / 2)
        margins = self.region.margins(self.paper)
        return max(0.0, 1.0 - float(sum(special.nctdtr(df, margin / error, critical) for margin in margins)))

    @property
    def p_value(self) -> float:
        """One-sided p-value in the claimed direction: the larger one where the region has two bounds."""
        error, margins = self.found.error, self.region.margins(self.found.effect)
        if isnan(error):
            return nan
        if error == 0:
            return 0.0 if min(margins) > 0 else 1.0
        return max(float(special.stdtr(self.found.df, -margin / error)) for margin in margins)

    def verdict(self) -> tuple[Verdict, str]:  # noqa: PLR0911 (the rule, line by line)
        """Return the verdict, and why it is not a plain one ("" where it is)."""
        low, high = self.found.ci_low, self.found.ci_high
        if not isnan(self.paper) and not self.right_in_paper:
            return "inconsistent in the paper", "its own numbers do not bear it out"
        if self.found.same:
            return "not testable here", "the two rows have the same scores"
        if isnan(low):
            return "inconclusive", "no scores by topic give it an interval"
        if self.found.topics < FEW_TOPICS:
            return "inconclusive", f"only {self.found.topics} topics"
        if self.region.holds(low, high):
            return "holds", ""
        if high < self.region.low or low > self.region.high:
            return "contradicted", ""
        if self.region == BETTER and high < self.paper:
            return ("absent", "") if self.seen > 0.5 else ("inconclusive", "too noisy to show such an effect")
        return "inconclusive", "" if isnan(self.paper) else "the paper's effect is as possible as none"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` and ``value`` are the paper's number and ours, for claims of kind value; else
    ``published`` is the paper's effect in our unit. ``effect`` is the difference in the claimed direction,
    or Kendall's tau, or for a published value ours minus the paper's. The interval is that of ``value`` for
    published values, else that of ``effect``. ``seen`` and ``p_value`` are those of `Comparison`;
    ``others`` counts the other comparisons.
    """

    verdict: Verdict
    reason: str
    published: float = nan
    value: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    topics: int = 0
    seen: float = nan
    p_value: float = nan
    others: str = ""


def outcome(deciding: Comparison, others: "list[Comparison]") -> Outcome:
    """Judge a claim by one comparison, and count the others.

    Examples
    --------
    >>> yes = Comparison("A over B in c-F", Difference(2.0, 1.0, 3.0, 0.4, 9, 10), paper=1.5)
    >>> no = Comparison("A over B in c-P", Difference(-0.5, -2.0, 1.0, 0.6, 9, 10), paper=2.0)
    >>> outcome(yes, [no]).verdict, outcome(no, [yes]).verdict, outcome(yes, [no]).others
    ('holds', 'absent', '1 of 2 in the same direction (paper: 2 of 2)')
    """
    (verdict, why), found = deciding.verdict(), deciding.found
    reason = f"{deciding.label}: {why}" if why else deciding.label
    numbers = (deciding.paper, nan, *found[:3], found.topics, deciding.seen, deciding.p_value)
    return Outcome(verdict, reason, *numbers, _counted([deciding, *others]) if others else "")


def _counted(comparisons: "list[Comparison]") -> str:
    different = [c for c in comparisons if not c.found.same]
    text = f"{sum(c.right for c in different)} of {len(different)} in the same direction"
    printed = [c.right_in_paper for c in comparisons if not isnan(c.paper)]
    text += f" (paper: {sum(printed)} of {len(printed)})" if printed else ""
    left = len(comparisons) - len(different)
    return text + (f"; {left} between rows with the same scores left out" if left else "")
