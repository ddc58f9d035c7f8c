"""The sensitivity sweep of acl2008: one matrix product a μ_s against a plain loop over words.

Both score all sentences of a paper of the teaching corpus under the settings of the sweep (every δ, μ_c, α,
μ_s). Run by ``make bench``; prints a table and fails if the promises do not hold. With ``--all`` it also
makes all tables of acl2008 over all papers of the open corpora, which takes minutes, and tells the time.
"""

import math
import sys
import time

import numpy as np

from citectx import profiles
from citectx.papers.acl2008 import corpora as acl2008
from citectx.papers.acl2008.impact_set import impact_set
from citectx.papers.acl2008.sensitivity import models
from citectx.summarization.impact import CitedPaper, ImpactModel, scores_of

LIMIT = 180.0
"""Seconds of processor time that all tables may take."""


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
            scores[row, column] = sum(p * math.log((own.get(w, 0.0) + prior[w]) / length) for w, p in impact)
    return scores


def main() -> int:
    paper, settings = impact_set(profiles.load("teaching")).papers[0].cited, list(models().values())
    times = []
    for _ in range(5):
        started = time.process_time()
        fast = scores_of(paper, settings)
        times.append(time.process_time() - started)
    started = time.process_time()
    slow = plain(paper, settings)
    loop, own = time.process_time() - started, min(times)
    print(f"{len(paper.paper)} sentences, {len(paper.paper.terms)} words, {len(settings)} settings")
    for name, seconds in (("citectx", own), ("loop over words", loop)):
        print(f"{name:16} {1000 * seconds:9.1f} ms   {seconds / own:7.1f} x")
    promises = {
        "same scores to 1e-9": np.allclose(fast, slow, atol=1e-9),
        "at least 20 times faster than the loop": loop >= 20 * own,
    }
    if "--all" in sys.argv[1:]:
        started = time.process_time()
        acl2008.run(acl2008.sets_of("open"))
        seconds = time.process_time() - started
        print(f"all tables, all open papers: {seconds:.0f} s of processor time, in one process")
        promises[f"all tables in under {LIMIT:.0f} s"] = seconds < LIMIT
    for promise, kept in promises.items():
        print(f"{'yes' if kept else 'NO':4} {promise}")
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
