"""The one rule that makes verdicts.

A claim is judged by the comparison that the paper's sentence rests on. A comparison claims
that a difference lies between two bounds: above 0 ("better"), within a margin of 0 ("no
difference"), or below a margin ("no advantage"). Our difference comes with Student's t over topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the bounds;
- **holds**: ours lies inside, by a one-sided test at 2.5 %;
- **contradicted**: it lies outside, by the same test;
- **absent**: the interval lies within half of the paper's effect around 0 (a test of equivalence);
- **smaller**: it contains 0 and excludes the paper's effect, which we would have seen more often
  than not;
- **inconclusive**: all else; so is every comparison over fewer than six topics, or without scores
  by topic.

Two other verdicts are given elsewhere: **not testable here** if something is missing, and **holds,
as does its control** (`citectx.ledger.verdicts`).

Where a sentence speaks of several rows, a `Rule` says how many of the comparisons must be true.
They are put in order by how far, in standard errors, they lie inside. The one that decides is the
last of those that must be true. It was selected, so its p-values are those of a partial
conjunction: each counts as many times as there were to choose from. "Better than the best of
several" is better than each of them: the strongest rival decides, and that it is ahead counts as
many times as there are rivals.

Source: Benjamini and Heller 2008, *Screening for partial conjunction hypotheses*.
"""

from collections.abc import Sequence
from math import inf, isnan, nan
from typing import Literal, NamedTuple, get_args

from scipy import special  # the distributions of scipy.stats, which takes a second to import

from citectx.ledger.intervals import ALPHA, Difference

Verdict = Literal[
    "holds",
    "holds, as does its control",
    "contradicted",
    "absent",
    "smaller",
    "inconclusive",
    "not testable here",
    "inconsistent in the paper",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
AS_CONTROL: Verdict = "holds, as does its control"
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""

Rule = Literal["each", "most", "any"]
"""How many of several comparisons a sentence wants to be true: each, more than half, or one."""


def needed(rule: Rule, comparisons: int) -> int:
    """Return how many of several comparisons must be true.

    >>> [needed(rule, 6) for rule in ("each", "most", "any")]
    [6, 4, 1]
    """
    return {"each": comparisons, "most": comparisons // 2 + 1, "any": 1}[rule]


class Comparison(NamedTuple):
    """One of the things a claim says, on one corpus.

    ``ours`` is our difference in the claimed direction, ``paper`` the paper's in our unit (NaN
    where it prints none), ``low`` and ``high`` are the bounds between which the claim wants it,
    ``rivals`` says among how many the rival is the strongest.
    """

    label: str
    ours: Difference
    paper: float = nan
    low: float = 0.0
    high: float = inf
    rivals: int = 1

    def claims(self, effect: float) -> bool:
        """Return whether the claim is true of an effect."""
        return self.low < effect < self.high

    @property
    def borne_out(self) -> bool:
        """Whether the paper's own numbers bear it out, or it prints none."""
        return isnan(self.paper) or self.claims(self.paper)

    @property
    def distance(self) -> float:
        """How far the effect lies inside the bounds, in standard errors; negative outside."""
        margin = min(self._margins(self.ours.effect))
        if isnan(self.ours.error) or self.ours.error == 0:
            return margin * inf if margin else 0.0
        return margin / self.ours.error

    def _margins(self, effect: float) -> list[float]:
        both = (effect - self.low, self.high - effect)
        return [margin for margin in both if margin < inf]

    def p_values(self) -> tuple[float, float]:
        """Return one-sided p-values: that it lies inside by chance, and that it lies outside."""
        if isnan(self.ours.error) or self.ours.same:
            return nan, nan
        if self.ours.error == 0:
            return (0.0, 1.0) if self.distance > 0 else (1.0, 0.0)
        inside, outside = special.stdtr(self.ours.df, (-self.distance, self.distance))
        return float(inside), min(1.0, float(outside) * self.rivals)

    @property
    def seen(self) -> float:
        """Power: how likely it is inside at 2.5 % if the paper's effect is true, with our noise."""
        error, df = self.ours.error, self.ours.df
        if isnan(self.paper) or isnan(error):
            return nan
        if error == 0:
            return float(self.claims(self.paper))
        critical = special.stdtrit(df, 1 - ALPHA)
        margins = self._margins(self.paper)
        missed = sum(special.nctdtr(df, margin / error, critical) for margin in margins)
        return max(0.0, 1.0 - float(missed))

    def verdict(self, selected: tuple[int, int] = (1, 1)) -> tuple[Verdict, str]:
        """Return the verdict, and why it is not a plain one ("" where it is).

        ``selected`` says how many times the p-values of `p_values` count.
        """
        if self.ours.same:
            return "not testable here", "the two rows have the same scores"
        inside, outside = self.p_values()
        if isnan(inside):
            return "inconclusive", "no scores by topic give it an interval"
        if self.ours.topics < FEW_TOPICS:
            return "inconclusive", f"only {self.ours.topics} topics"
        if selected[0] * inside <= ALPHA or selected[1] * outside <= ALPHA:
            return ("holds" if inside < outside else "contradicted"), ""
        if not self._excludes_bounds():
            return self._around_0()
        return "inconclusive", "clear only if it had not been selected"

    def _excludes_bounds(self) -> bool:
        """Return whether the interval, of which nothing was selected, lies inside or outside."""
        low, high = self.ours.ci_low, self.ours.ci_high
        return high < self.low or low > self.high or (self.claims(low) and self.claims(high))

    def _around_0(self) -> tuple[Verdict, str]:
        """Judge an interval that contains 0 by the paper's effect."""
        if (self.low, self.high) != (0, inf) or isnan(self.paper):
            return "inconclusive", ""
        if -self.paper / 2 < self.ours.ci_low and self.ours.ci_high < self.paper / 2:
            return "absent", ""
        if self.ours.ci_high >= self.paper:
            return "inconclusive", "the paper's effect is as possible as none"
        if self.seen > 0.5:
            return "smaller", ""
        return "inconclusive", "too noisy to show such an effect"


class Outcome(NamedTuple):
    """What a check found on one corpus.

    ``published`` is the paper's effect in our unit, ``effect`` ours in the claimed direction, or
    Kendall's tau. ``seen`` is that of `Comparison`. ``p_value`` is two-sided, since a claim may be
    contradicted, too.
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


def by_rule(rule: Rule, comparisons: Sequence[Comparison]) -> Outcome:
    """Judge a claim that wants several comparisons to be true.

    >>> strong = Comparison("A over C", Difference(2.0, 1.0, 3.0, 0.4, 9, 10), paper=1.5)
    >>> weak = Comparison("B over C", Difference(-0.5, -2.0, 1.0, 0.6, 9, 10), paper=2.5)
    >>> outcome = by_rule("each", [strong, weak])
    >>> outcome.verdict, outcome.reason, by_rule("any", [strong, weak]).reason
    ('smaller', 'B over C', 'A over C')
    """
    falling = sorted(comparisons, key=lambda comparison: -comparison.distance)
    true = needed(rule, len(falling))
    last = falling[true - 1]
    borne_out = sum(comparison.borne_out for comparison in falling)
    if borne_out >= true and not last.borne_out:  # others of the paper's numbers suffice
        last = last._replace(paper=nan)
    selected = len(falling) - true + 1, true
    verdict, why = last.verdict(selected)
    if borne_out < true:
        verdict = "inconsistent in the paper"
        why = f"its own numbers bear out {borne_out} of {len(falling)}"
    inside, outside = last.p_values()
    p_value = min(selected[0] * inside, selected[1] * outside)
    return Outcome(
        verdict,
        f"{last.label}: {why}" if why else last.label,
        last.paper,
        *last.ours[:3],
        last.ours.topics,
        last.seen,
        nan if isnan(p_value) else min(1.0, 2 * p_value),
    )
