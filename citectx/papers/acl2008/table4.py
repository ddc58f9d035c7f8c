"""acl2008 Table 4: authority and proximity of citation contexts (§5.3)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from citectx.experiments.results import Result
from citectx.papers.acl2008.impact_set import ImpactSet, authorities, with_authority
from citectx.papers.acl2008.methods import reported, rows_of_models
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_table4"
ALPHAS: dict[str, float | None] = {"off": None, "2": 2.0, "3": 3.0, "4": 4.0}
SOURCES = {"off": "", "on": "pagerank", "scisummnet": "scisummnet"}
"""Where authority comes from, by its name in a row."""
LENGTHS = (15,)
UNWEIGHTED = "pg off, pr off"


def models(authority: str) -> dict[str, ImpactModel]:
    """Rows with one kind of authority ("off", "on", "scisummnet"), by their names.

    >>> list(models("off"))
    ['pg off, pr off', 'pg off, pr 2', 'pg off, pr 3', 'pg off, pr 4']
    """
    use = authority != "off"
    return {
        f"pg {authority}, pr {name}": ImpactModel(alpha=alpha, use_authority=use)
        for name, alpha in ALPHAS.items()
    }


def run(sets: Sequence[ImpactSet], lengths: Sequence[int] = LENGTHS, *, seed: int = 0) -> Result:
    """Turn authority and proximity on and off.

    Source: acl2008 §5.3, Table 4: ROUGE-L of summaries of 15 sentences; constant interpolation with
    δ = 0.8 and μ_s = 1000, since at "on, 3" its 0.706 is Table 1's 0.705 but for a digit.
    ``p_value`` is a paired t-test over papers against the unweighted estimate (Eq. 4).

    "pg on" is PageRank on the corpus's citation network; "pg scisummnet", beyond the paper, is one
    plus the count of a citing paper's own citations in ScisummNet. A corpus without the one or the
    other has no such rows.

    Parameters
    ----------
    sets : sequence of ImpactSet
    lengths : sequence of int
    seed : int

    Returns
    -------
    Result
        With ``tests``.
    """
    parts = []
    for each in sets:
        frames, params = [], dict[str, dict[str, Any]]()
        for kind, source in SOURCES.items():
            scores = authorities(each.name, source) if source else {}
            if scores or not source:
                rows = models(kind)
                counted = [with_authority(paper.cited, scores) for paper in each.papers]
                frames.append(rows_of_models(each, rows, lengths, counted))
                params |= {
                    name: model.params() | {"authority": source} for name, model in rows.items()
                }
        frame = pd.concat(frames, ignore_index=True)
        parts.append(reported(NAME, each, frame, params, (UNWEIGHTED,), seed))
    return Result.of(NAME, parts)
