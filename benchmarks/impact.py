"""The sensitivity sweep of acl2008: one matrix product a μ_s against a plain loop over words.

Both score all sentences of a paper of the teaching corpus under the settings of the sweep (every δ,
μ_c, α, μ_s).
"""

import math
from functools import partial

import numpy as np

from benchmarks.race import Race, race
from citectx import profiles
from citectx.papers.acl2008.impact_set import impact_set
from citectx.papers.acl2008.sensitivity import models
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of


def plain(paper: CitedPaper, settings: list[ImpactModel]) -> np.ndarray:
    """Sum p(w|θ_I)·log p(w|θ_s) word by word, over the words of the impact model."""
    counts = [
        dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (paper.paper.counts[[i]] for i in range(len(paper.paper)))
    ]
    scores = np.zeros((len(counts), len(settings)))
    for column, model in enumerate(settings):
        impact = [(w, p) for w, p in enumerate(model.model(paper).tolist()) if p > 0]
        prior = (model.mu_s * paper.background).tolist()
        for row, own in enumerate(counts):
            length = sum(own.values()) + model.mu_s
            scores[row, column] = sum(
                p * math.log((own.get(w, 0.0) + prior[w]) / length) for w, p in impact
            )
    return scores


def races() -> list[Race]:
    paper, settings = impact_set(profiles.load("teaching")).papers[0].cited, list(models().values())
    work, own, loop = (
        "impact models",
        partial(scores_of, paper, settings),
        partial(plain, paper, settings),
    )
    return [
        race(
            work, "loop over words", own, loop, 20, same=partial(np.allclose, atol=1e-9), repeats=5
        )
    ]
