"""The one rule that makes verdicts.

A claim is judged by one comparison, the one that the paper's sentence rests on; whatever else it
says is counted beside it. A comparison claims that a difference lies in some region: above 0
("better"), within a margin of 0 ("no difference"), or below a margin ("no advantage"). Our
difference comes with a 95 % interval over topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the region that it claims;
- **holds**: our interval lies inside the region;
- **contradicted**: it lies outside;
- **absent**: it lies within half of the paper's effect around 0: the effect is far below the
  paper's (a test of equivalence);
- **smaller**: it contains 0 and excludes the paper's effect, which we would have seen more often
  than not: the effect is not of the paper's size, and maybe none;
- **inconclusive**: all else; so is every comparison over fewer than six topics, or without scores
  by topic.

Another verdict, **not testable here**, is about what is missing. *Would we have seen it* is the
probability that the interval lies inside the region if the paper's effect were true with our noise:
the power of the test. The *detectable* effect is the smallest for which that is 80 %.

Where a sentence speaks of several rows, a `Rule` says how many of the comparisons must be true.
They are put in order by how far, in standard errors, they lie inside the region; the one that
decides is the last of those that must be true. Its p-value is that of a partial conjunction: as it
was selected among several, it counts as many times as there were to choose from.
"""

from collections.abc import Sequence
from math import inf, isnan, nan
from typing import Literal, NamedTuple, get_args

from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.ledger.intervals import TAIL, Difference

Verdict = Literal[
    "holds",
    "contradicted",
    "absent",
    "smaller",
    "inconclusive",
    "not testable here",
    "inconsistent in the paper",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""

POWER = 0.8
"""The power at which an effect counts as detectable."""

Rule = Literal["each", "most", "any"]
"""How many of several comparisons a sentence wants to be true: each, more than half, or one."""


def needed(rule: Rule, comparisons: int) -> int:
    """Return how many of several comparisons must be true.

    >>> [needed(rule, 6) for rule in ("each", "most", "any")]
    [6, 4, 1]
    """
    return {"each": comparisons, "most": comparisons // 2 + 1, "any": 1}[rule]


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
    def critical(self) -> float:
        """How many standard errors half the interval has."""
        return float(special.stdtrit(self.found.df, TAIL))

    @property
    def seen(self) -> float:
        """Probability of "holds" if the paper's effect were true with our noise, or NaN."""
        error, df = self.found.error, self.found.df
        if isnan(self.paper) or isnan(error):
            return nan
        if error == 0:
            return float(self.region.holds(self.paper))
        margins = self.region.margins(self.paper)
        missed = sum(special.nctdtr(df, margin / error, self.critical) for margin in margins)
        return max(0.0, 1.0 - float(missed))

    @property
    def detectable(self) -> float:
        """The smallest effect that we would see with `POWER`, NaN for regions with two ends."""
        low, high = self.region
        if isnan(self.found.error) or (low > -inf and high < inf):
            return nan
        needed = float(special.nctdtrinc(self.found.df, 1 - POWER, self.critical))
        return low + needed * self.found.error if low > -inf else high - needed * self.found.error

    @property
    def distance(self) -> float:
        """How far the effect lies inside the region, in standard errors; negative outside."""
        margin = min(self.region.margins(self.found.effect))
        if isnan(self.found.error) or self.found.error == 0:
            return margin * inf if margin else 0.0
        return margin / self.found.error

    @property
    def p_values(self) -> tuple[float, float]:
        """One-sided p-values for a difference inside the region, and for one outside."""
        if isnan(self.found.error):
            return nan, nan
        if self.found.error == 0:
            return (0.0, 1.0) if self.distance > 0 else (1.0, 0.0)
        inside, outside = special.stdtr(self.found.df, (-self.distance, self.distance))
        return float(inside), float(outside)

    @property
    def borne_out(self) -> bool:
        """Whether the paper's own numbers bear it out, or it prints none."""
        return isnan(self.paper) or self.region.holds(self.paper)

    def verdict(self) -> tuple[Verdict, str]:
        """Return the verdict on it alone, and why it is not a plain one ("" where it is)."""
        low, high = self.found.ci_low, self.found.ci_high
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
        return self._around_0()

    def _around_0(self) -> tuple[Verdict, str]:
        """Judge an interval that contains 0 by the paper's effect."""
        if self.region != BETTER or isnan(self.paper):
            return "inconclusive", ""
        if -self.paper / 2 < self.found.ci_low and self.found.ci_high < self.paper / 2:
            return "absent", ""
        if self.found.ci_high >= self.paper:
            return "inconclusive", "the paper's effect is as possible as none"
        if self.seen > 0.5:
            return "smaller", ""
        return "inconclusive", "too noisy to show such an effect"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` is the paper's effect in our unit. ``effect`` is the difference in the claimed
    direction, or Kendall's tau. ``seen`` and ``detectable`` are those of `Comparison`; ``p_value``
    is two-sided, as a claim may be contradicted, too; ``others`` counts the other comparisons.
    """

    verdict: Verdict
    reason: str
    published: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    topics: int = 0
    seen: float = nan
    detectable: float = nan
    p_value: float = nan
    others: str = ""


def by_rule(
    rule: Rule,
    comparisons: Sequence[Comparison],
    others: Sequence[Comparison] = (),
    rivals: int = 1,
) -> Outcome:
    """Judge a claim that wants several comparisons to be true, by the one that decides.

    Parameters
    ----------
    rule : {"each", "most", "any"}
    comparisons : sequence of Comparison
    others : sequence of Comparison
        Only counted.
    rivals : int
        Of how many rows the best one was taken as the rival.

    Examples
    --------
    >>> strong = Comparison("A over C", Difference(2.0, 1.0, 3.0, 0.4, 9, 10), paper=1.5)
    >>> weak = Comparison("B over C", Difference(-0.5, -2.0, 1.0, 0.6, 9, 10), paper=2.5)
    >>> found = by_rule("each", [strong, weak])
    >>> found.reason, by_rule("any", [strong, weak]).reason
    ('B over C', 'A over C')
    >>> found.verdict, found.others
    ('smaller', '1 of 2 in the same direction (paper: 2 of 2)')
    """
    falling = sorted(comparisons, key=lambda each: -each.distance)
    place = needed(rule, len(falling)) - 1
    deciding = falling.pop(place)
    borne_out = sum(each.borne_out for each in comparisons)
    if borne_out > place and not deciding.borne_out:  # others of the paper's numbers suffice
        deciding = deciding._replace(paper=nan)
    verdict, why = deciding.verdict()
    if borne_out <= place:
        verdict = "inconsistent in the paper"
        why = f"its own numbers bear out {borne_out} of {len(comparisons)}"
    # as many as there were to choose from, if it holds and if it does not
    choices = len(falling) - place + 1, (place + 1) * rivals
    p_value = min(times * p for times, p in zip(choices, deciding.p_values, strict=True))
    rest = [*falling, *others]
    return Outcome(
        verdict,
        f"{deciding.label}: {why}" if why else deciding.label,
        deciding.paper,
        *deciding.found[:3],
        deciding.found.topics,
        deciding.seen,
        deciding.detectable,
        nan if isnan(p_value) else min(1.0, 2 * p_value),
        _counted([deciding, *rest]) if rest else "",
    )


def _counted(comparisons: Sequence[Comparison]) -> str:
    different = [c for c in comparisons if not c.found.same]
    ours = sum(c.region.holds(c.found.effect) for c in different)
    text = f"{ours} of {len(different)} in the same direction"
    printed = [c for c in comparisons if not isnan(c.paper)]
    if printed:
        text += f" (paper: {sum(c.borne_out for c in printed)} of {len(printed)})"
    if left := len(comparisons) - len(different):
        text += f"; {left} between rows with the same scores left out"
    return text
