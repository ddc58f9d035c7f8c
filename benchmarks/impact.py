"""The sensitivity sweep of acl2008: ours against numpy by hand.

Both score all sentences of a paper of the teaching corpus under the settings of the sweep (every δ,
μ_c, α, μ_s), from the counts of words.
"""

from functools import partial

import numpy as np

from benchmarks.race import Race, race
from citectx import profiles
from citectx.papers.acl2008.impact_set import impact_set
from citectx.papers.acl2008.sensitivity import models
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of


def by_hand(paper: CitedPaper, settings: list[ImpactModel]) -> np.ndarray:
    """Write p(w|θ_I) of all settings down as columns; then log p(w|θ_s) once for each μ_s."""
    counts, cited = paper.paper.counts.toarray(), paper.contexts.counts.toarray()
    whole = counts.sum(axis=0)
    length = whole.sum()
    impact = np.empty((counts.shape[1], len(settings)))
    for column, one in enumerate(settings):
        near = np.power(1.0 if one.alpha is None else one.alpha, -paper.distance.astype(float))
        of_contexts = (near * (paper.authority if one.use_authority else 1.0)) @ cited
        constant = one.interpolation == "constant"
        share = one.delta if constant else one.mu_c / (length + one.mu_c)
        own, theirs = whole / length, of_contexts / of_contexts.sum()
        impact[:, column] = (1 - share) * own + share * theirs
    smoothing = np.array([one.mu_s for one in settings])
    lengths, scores = counts.sum(axis=1, keepdims=True), np.empty((len(counts), len(settings)))
    for mu in np.unique(smoothing):
        logs = np.log((counts + mu * paper.background) / (lengths + mu))
        scores[:, smoothing == mu] = logs @ impact[:, smoothing == mu]
    return scores


def races() -> list[Race]:
    paper, settings = impact_set(profiles.load("teaching")).papers[0].cited, list(models().values())
    return [
        race(
            "impact models",
            "numpy by hand",
            f"from the counts of words to the scores of {len(paper.paper)} sentences under "
            f"{len(settings)} settings; counting is left out on both sides",
            partial(scores_of, paper, settings),
            partial(by_hand, paper, settings),
            same=partial(np.allclose, atol=1e-9),
            repeats=(10, 10),
        )
    ]
