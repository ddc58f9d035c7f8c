"""acl2008 Table 4 (§5.3): authority and proximity of citation contexts."""

from collections.abc import Sequence

from citectx.experiments.results import Result
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.acl2008.methods import LENGTHS, params_of, report, score_models
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table4"
ALPHAS: dict[str, float | None] = {"off": None, "2": 2.0, "3": 3.0, "4": 4.0}


def models(pg: str) -> dict[str, ImpactModel]:
    """Rows with authority "on" or "off", by their names.

    >>> list(models("off"))
    ['pg off, pr off', 'pg off, pr 2', 'pg off, pr 3', 'pg off, pr 4']
    """
    rows = {}
    for pr, alpha in ALPHAS.items():
        rows[f"pg {pg}, pr {pr}"] = ImpactModel(alpha=alpha, use_authority=pg == "on")
    return rows


def run(sets: Sequence[ImpactSet], *, seed: int = 0) -> Result:
    """Turn authority (pg) and proximity (pr) on and off.

    Source: acl2008 §5.3, Table 4: ROUGE-L of summaries of 15 sentences (250 words are ours);
    constant interpolation with δ = 0.8 and μ_s = 1000, since at "on, 3" its 0.706 is Table 1's
    0.705 but for a digit.
    ``p_value`` is a paired t-test over papers against the unweighted estimate (Eq. 4). A corpus
    without a citation network has no rows with authority.
    """
    parts = []
    for papers in sets:
        rows = models("off") | (models("on") if papers.authority else {})
        scores = score_models(papers, rows, LENGTHS[1:])
        parts.append(report(NAME, papers, scores, params_of(rows), ["pg off, pr off"], seed))
    return Result.of(NAME, parts)
