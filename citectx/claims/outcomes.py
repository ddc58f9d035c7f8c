"""Verdicts, and the one rule by which comparisons become a verdict.

A claim usually says several things at once ("these four beat the best of those five in nine measures"), so a
check yields one `Comparison` for each, and `tally` turns them into an `Outcome`:

- **reproduced**: enough comparisons are *firm* (as claimed, beyond chance): all of them, or more than half
  where the paper says "most";
- **partly**: as many are at least *right* (they point the claimed way), or half of them are firm;
- **not reproduced**: otherwise.

What firm and right mean is each check's business (`citectx.claims.checks`). Two more verdicts are not about
comparisons: **not testable here** (the claim is about other data) and **pending** (rows are missing).

Ambiguity: a paper's sentence does not say what counts as half true. Asking only that *some* comparison hold
would call nearly every long list of comparisons "partly", by chance alone; hence half of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

Verdict = Literal["reproduced", "partly", "not reproduced", "not testable here", "pending"]
Quantifier = Literal["all", "most"]


@dataclass(frozen=True)
class Outcome:
    """What a check found on one corpus.

    ``published`` and ``value`` are the paper's number and ours; ``effect`` is the difference in the claimed
    direction (positive: as the paper says), in the metric's unit, or Kendall's tau for trends, or for a
    published value ours minus the paper's. The interval is that of ``value`` for published values, else that
    of ``effect``. NaN stands for what there is not.
    """

    verdict: Verdict
    reason: str
    published: float = nan
    value: float = nan
    effect: float = nan
    ci_low: float = nan
    ci_high: float = nan
    p_value: float = nan


@dataclass(frozen=True)
class Comparison:
    """One of the things a claim says, on one corpus.

    Parameters
    ----------
    label : str
        "A over B in c-F".
    effect, ci_low, ci_high, p_value : float
        In the claimed direction.
    firm, right : bool
        Holds beyond chance; points the claimed way.
    published : float
        The same effect in the paper's own numbers, NaN where it prints none.
    published_right : bool, optional
        Whether the paper's own numbers point the claimed way; None where it prints none.
    strength : float
        Orders comparisons of one claim: the higher, the better for the claim.
    """

    label: str
    effect: float
    ci_low: float
    ci_high: float
    p_value: float
    firm: bool
    right: bool
    published: float = nan
    published_right: bool | None = None
    strength: float = 0.0


def tally(comparisons: Sequence[Comparison], quantifier: Quantifier = "all") -> Outcome:
    """Turn comparisons into a verdict.

    The numbers reported are those of the deciding comparison: with the comparisons sorted from the strongest
    to the weakest, the one at which the quorum is reached.

    Examples
    --------
    >>> yes = Comparison("A over B in c-F", 2.0, 1.0, 3.0, 0.01, firm=True, right=True)
    >>> perhaps = Comparison("A over B in c-P", 0.5, -1.0, 2.0, 0.4, firm=False, right=True)
    >>> tally([yes]).verdict, tally([perhaps]).verdict, tally([yes, perhaps]).verdict
    ('reproduced', 'partly', 'partly')
    >>> tally([yes, perhaps]).reason
    '1 of 2 comparisons hold beyond chance, 2 point the claimed way; deciding: A over B in c-P'
    """
    total, firm = len(comparisons), sum(c.firm for c in comparisons)
    right = sum(c.right for c in comparisons)
    quorum = total if quantifier == "all" else total // 2 + 1
    ranked = sorted(comparisons, key=lambda c: (c.firm, c.right, c.strength), reverse=True)
    deciding = ranked[quorum - 1]
    partly = right >= quorum or 2 * firm >= total
    verdict: Verdict = "reproduced" if firm >= quorum else "partly" if partly else "not reproduced"
    return Outcome(
        verdict,
        _reason(comparisons, deciding, firm, right),
        published=deciding.published,
        effect=deciding.effect,
        ci_low=deciding.ci_low,
        ci_high=deciding.ci_high,
        p_value=deciding.p_value,
    )


def _reason(comparisons: Sequence[Comparison], deciding: Comparison, firm: int, right: int) -> str:
    total = len(comparisons)
    if total > 1:
        counts = f"{firm} of {total} comparisons hold beyond chance, {right} point the claimed way"
        text = f"{counts}; deciding: {deciding.label}"
    else:
        how = "holds" if firm else "points the claimed way, not beyond chance" if right else "does not hold"
        text = f"{deciding.label}: {how}"
    printed = [c.published_right for c in comparisons if c.published_right is not None]
    if not all(printed):
        text += f"; in the paper's own numbers {sum(printed)} of {len(printed)} point that way"
    return text
