"""The one rule that makes verdicts.

A claim is judged by the comparison that the paper's sentence rests on. A comparison claims
that a difference lies between two bounds: above 0 ("better"), within a margin of 0 ("no
difference"), or below a margin ("no advantage"). Our difference comes with Student's t over topics:

- **inconsistent in the paper**: the paper's own numbers lie outside the bounds;
- **holds**: ours lies inside, by a one-sided test at 2.5 %; which kind of it, controls say;
- **contradicted**: it lies outside, by the same test;
- **absent**: the interval lies within half of the paper's effect around 0 (a test of equivalence);
  where the paper prints none, within half of the least effect that the claim declares;
- **smaller**: it contains 0 and excludes the paper's effect, and we would have seen the claim hold
  more often than not;
- **not testable here**: the comparison has no interval, or something is missing
  (`citectx.ledger.verdicts`);
- **inconclusive**: all else; so is every comparison over fewer than six topics.

A control is a comparison, too: the row with one that leaves out what the paper explains the effect
by, or the effect with the control's effect. It is judged as a claim is. What holds is **below its
control** if a control is clearly ahead, else **not beyond its control** if one of them is not
clearly behind. Without any it **holds, no control**.

Where a sentence speaks of several rows, a `Rule` says how many of the comparisons must be true.
They are put in order by how far, in standard errors, they lie inside. The one that decides is the
last of those that must be true. It was selected, so its p-values are those of a partial
conjunction: each counts as many times as there were to choose from. "Better than the best of
several" is better than each of them: the strongest rival decides, and that it is ahead counts as
many times as there are rivals. The interval reaches as much further.

Source: Benjamini and Heller 2008, *Screening for partial conjunction hypotheses*.
"""

from collections.abc import Sequence
from math import inf, nan
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from scipy import special

from citectx.evaluation.intervals import ALPHA, Estimate
from citectx.types import Floats, Ints

Verdict = Literal[
    "holds",
    "holds, no control",
    "holds, not beyond its control",
    "holds, below its control",
    "contradicted",
    "absent",
    "smaller",
    "inconclusive",
    "not testable here",
    "inconsistent in the paper",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
NO_CONTROL: Verdict = "holds, no control"
NOT_BEYOND: Verdict = "holds, not beyond its control"
BELOW: Verdict = "holds, below its control"
NOT_HERE: Verdict = "not testable here"
FEW_TOPICS = 6
"""From fewer topics than this no verdict but "inconclusive" is drawn."""

SKEWED_TOPICS = 14
"""From fewer topics than this, "contradicted" errs in more than 5 % of the draws of many claims.

Real topics are skewed: ``results/open/ledger/errors.csv`` has what drawing them again shows.
"""

Rule = Literal["each", "most", "any"]
"""How many of several comparisons a sentence wants to be true: each, more than half, or one."""


class Comparisons(NamedTuple):
    """What a claim says on one corpus: rows against rivals, on each version of the data.

    ``ours`` (versions, pairs) are our differences in the claimed direction, ``paper`` (pairs,) the
    paper's in our unit (NaN where it prints none), ``low`` and ``high`` the bounds between which
    the claim wants them. ``least`` (pairs,) is the effect that counts where the paper prints none,
    NaN if the claim declares none. Pairs of a row with the ``rivals`` of which the strongest counts
    follow each other.

    >>> sides = list("abcdef"), Estimate(np.zeros((1, 6))), np.zeros(6)
    >>> [Comparisons(*sides, rule=rule).true for rule in get_args(Rule)]
    [6, 4, 1]
    """

    labels: Sequence[str]
    ours: Estimate
    paper: Floats
    low: float = 0.0
    high: float = inf
    rivals: int = 1
    rule: Rule = "each"
    least: Floats | float = nan

    @property
    def true(self) -> int:
        """How many rows must be inside the bounds."""
        rows = len(self.labels) // self.rivals
        return {"each": rows, "most": rows // 2 + 1, "any": 1}[self.rule]

    @property
    def times(self) -> tuple[int, int]:
        """Factors of the two p-values, of lying inside the bounds and of lying outside.

        Inside: the rows from which the deciding one was chosen. Outside: every row and rival that
        had to fail.
        """
        rows = len(self.labels) // self.rivals
        return rows - self.true + 1, self.true * self.rivals

    def margins(self, effect: Floats) -> Floats:
        """How far effects lie inside the bounds; negative outside."""
        return np.minimum(effect - self.low, self.high - effect)

    def deciding(self) -> Ints:
        """Number the pair that decides in each version, shape (versions,)."""
        # without an error the effects themselves are compared
        error = np.nan_to_num(self.ours.error, nan=1.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # no error: infinitely far
            distance = np.nan_to_num(self.margins(self.ours.effect) / error)
        # (versions, rows, rivals)
        by_rival = distance.reshape(len(distance), -1, self.rivals)
        # (versions, rows): the row that is furthest inside comes first, by its strongest rival
        falling = np.argsort(-by_rival.min(axis=-1), axis=-1, kind="stable")
        # the last of the rows that the sentence needs decides
        last = falling[:, self.true - 1]
        strongest = by_rival.argmin(axis=-1)[range(len(last)), last]
        return last * self.rivals + strongest

    @property
    def borne_out(self) -> npt.NDArray[np.bool_]:
        """Which rows the paper's own numbers bear out, or say nothing of, (pairs, rivals)."""
        outside = self.margins(self.paper) <= 0  # NaN is not
        # (pairs,) to (rows, rivals)
        return ~outside.reshape(-1, self.rivals)

    @property
    def count_borne_out(self) -> int:
        """How many rows the paper's own numbers bear out."""
        return int(self.borne_out.all(axis=1).sum())


class Judged(NamedTuple):
    """Verdicts on a claim, and the pair that decides; (versions,) each. ``seen`` is its power."""

    claim: Comparisons
    verdict: npt.NDArray[np.str_]
    pair: Ints
    ours: Estimate
    seen: float

    @property
    def label(self) -> str:
        """The pair that decides on our data."""
        return self.claim.labels[self.pair[0]]

    @property
    def paper(self) -> float:
        """The paper's effect of the pair that decides on our data."""
        return float(self.claim.paper[self.pair[0]])

    @property
    def first(self) -> Estimate:
        """Our data."""
        return self.ours.at(0)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval that the rule read on our data, which reaches further after a selection.

        An end that could only have won the claim reaches as the test of lying inside does, an end
        that could only have lost it as that of lying outside. Where a claim has two bounds, both
        ends reach to decide the side on which the effect lies.
        """
        claim, ours = self.claim, self.first
        inside, outside = map(ours.reach, claim.times)
        if np.isfinite([claim.low, claim.high]).all():
            inside = outside = inside if claim.margins(ours.effect) > 0 else outside
        below, above = (outside, inside) if np.isinf(claim.low) else (inside, outside)
        return float(ours.effect - below), float(ours.effect + above)

    def and_beyond(self, controls: Sequence["Judged"]) -> "Judged":
        """Return the same with the kind of "holds" that the controls leave."""
        beyond = kind_of_holds([control.verdict for control in controls])
        return self._replace(verdict=np.where(self.verdict == "holds", beyond, self.verdict))


def kind_of_holds(controls: Sequence[ArrayLike]) -> npt.NDArray[np.str_]:
    """Say which kind of "holds" verdicts on controls leave: (controls, versions) to (versions,).

    >>> one = ["holds", "holds", "smaller"]
    >>> kind_of_holds([one, ["holds", "absent", "contradicted"]]).tolist()
    ['holds', 'holds, not beyond its control', 'holds, below its control']
    """
    if not len(controls):
        return np.array(NO_CONTROL)
    verdicts = np.asarray(controls)
    # (controls, versions): one control that is ahead is enough, but all must be behind
    is_ahead = (verdicts == "contradicted").any(axis=0)
    is_behind = (verdicts == "holds").all(axis=0)
    return np.select([is_ahead, is_behind], [BELOW, "holds"], NOT_BEYOND)


def judge(claim: Comparisons, seen: float = nan) -> Judged:
    """Judge a claim on every version of the data, before its controls; ``seen`` is its power.

    >>> ours = Estimate(np.array([[2.0, -0.5]]), np.array([[0.4, 0.6]]), 9.0, 10)
    >>> strong_and_weak = Comparisons(["A over C", "B over C"], ours, np.array([1.5, 2.5]))
    >>> judged = judge(strong_and_weak, seen=0.9)
    >>> judged.verdict.tolist(), judged.pair.tolist()
    (['smaller'], [1])
    """
    pair = claim.deciding()
    # from (versions, pairs) to the pair that decides in each version
    ours = Estimate(*np.broadcast_arrays(*claim.ours)).at((range(len(pair)), pair))
    inside, outside = map(ours.reach, claim.times)
    effect = ours.effect
    paper = np.where(claim.borne_out.ravel(), claim.paper, nan)[pair]  # others of its suffice
    margin = claim.margins(effect)
    is_better = (claim.low, claim.high) == (0, inf)
    least = np.broadcast_to(claim.least, claim.paper.shape)[pair]
    # the equivalence test asks for half of the paper's effect, or of what would count
    half = np.where(np.isnan(paper), least, paper) / 2
    absent = (-half < effect - inside) & (effect + outside < half) & is_better
    smaller = (effect + outside < paper) & is_better & (seen > 0.5)
    cases: dict[str, Any] = {
        "inconsistent in the paper": claim.count_borne_out < claim.true,
        NOT_HERE: np.isnan(ours.error) | (effect == 0) & (ours.error == 0),
        "inconclusive": ours.topics < FEW_TOPICS,
        "holds": margin > inside,
        "contradicted": margin < -outside,
        "absent": absent,
        "smaller": smaller,
    }
    # the first case that is true counts
    verdict = np.select([*cases.values()], [*cases], "inconclusive")
    return Judged(claim, verdict, pair, ours, seen)


def p_value(judged: Judged) -> float:
    """Return the two-sided p-value of our data, since a claim may be contradicted, too."""
    ours = judged.first
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = judged.claim.margins(ours.effect) / ours.error
    # the tail of lying inside, then that of lying outside, as `times` has them
    tails = special.stdtr(ours.df, (-distance, distance))
    return float(np.minimum(1.0, 2 * (tails * judged.claim.times).min()))


def visible(judged: Judged) -> float:
    """Return the smallest effect of the deciding pair that holds four times in five."""
    ours = judged.first
    # solves for the noncentrality at which the test misses one time in five
    critical = special.stdtrit(ours.df, 1 - ALPHA / judged.claim.times[0])
    return float(special.nctdtrinc(ours.df, 0.2, critical) * ours.error)


def reason(judged: Judged) -> str:
    """Say which pair decided on our data, and why a verdict is not a plain one."""
    verdict = judged.verdict[0]
    why = why_not(judged) if verdict == "inconclusive" else ""
    if verdict == NOT_HERE:
        why = "the two rows have the same scores"
        if np.isnan(judged.first.error):
            why = "its numbers are of the whole collection, so no topics give it an interval"
    if verdict == "inconsistent in the paper":
        rows = len(judged.claim.borne_out)
        why = f"its own numbers bear out {judged.claim.count_borne_out} of {rows}"
    if verdict == "contradicted" and judged.first.topics < SKEWED_TOPICS:
        why = f"only {judged.first.topics} topics; if they are skewed, more than 5 % such errors"
    return f"{judged.label}: {why}" if why else judged.label


def why_not(judged: Judged) -> str:
    """Say why our data decide nothing; "" where the paper prints no effect to compare with."""
    claim, ours = judged.claim, judged.first
    if ours.topics < FEW_TOPICS:
        return f"only {ours.topics} topics"
    if abs(claim.margins(ours.effect)) > ours.reach():
        return "clear for a row named in advance, not for one picked out of many"
    if (claim.low, claim.high) != (0, inf) or not judged.paper > 0:
        return ""
    if ours.effect + ours.reach(claim.times[1]) >= judged.paper:
        return "zero and the paper's effect are both within reach"
    return "our data would rarely show an effect of that size"
