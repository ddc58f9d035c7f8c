"""sigir2017 Eq. 2 in parts: what does the work, the embedding or the formula around it?

μ is tuned anew for each row.
"""

from collections.abc import Sequence
from itertools import product
from math import inf
from typing import Any

import pandas as pd

from citectx.catalogue import resources_of
from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, measure_rows, prepare
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen_by, tune
from citectx.papers.sigir2017 import controls
from citectx.retrieval import LMD, EmbeddingLM, RetrievalModel

NAME = "sigir2017_ablation"
COMPARED = ("c-F", "nDCG", "c-P@1", "wc-F")
LMD_ROW = "LMD (Eq. 1)"
CHANGES: dict[str, dict[str, Any]] = {
    "Eq. 2": {},
    "exact matches only": {"deviations": inf},
    "identity for logit": {"phi": "identity"},
    "1 for logit": {"phi": "one"},
    "no τ": {"deviations": -inf},
    "τ 0 sd": {"deviations": 0.0},
    "τ 1 sd": {"deviations": 1.0},
    "τ 3 sd": {"deviations": 3.0},
    "τ 4 sd": {"deviations": 4.0},
    "identity for logit, no τ": {"phi": "identity", "deviations": -inf},
    "Eq. 2, normalized": {"phi": "normalized"},
    "Eq. 2, normalized, no τ": {"phi": "normalized", "deviations": -inf},
}
"""Rows of the ablation; those with exact matches only show what the formula does on its own.

Our logit is 0 up to a cosine of 0.5, and τ of two standard deviations is below that in some
vectors: it changes nothing there. It can act where φ is the logit of the normalized dot product,
(1 + cosine)/2, as in the paper's Figure 1. So it is judged by the last two rows.
"""


def run(corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0) -> Result:
    """Measure Eq. 2 with one part of it changed, with every kind of vectors of the domain.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where
    there are several. Below them are the controls of `citectx.papers.sigir2017.controls`, means
    over their draws. ``p_value`` is the paired t-test against LMD (Eq. 1), and the extra table
    ``tests`` has the differences to it with their intervals over topics.
    """
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        topics = prepare(corpus)
        rows = rows_of(corpus.name).items()
        tuned = {row: tune(topics, candidates, folds) for row, candidates in rows}
        ranked = {row: choice.scores(topics) for row, choice in tuned.items()}
        scores = measure_rows(topics, ranked, COMPARED)
        # controls are drawn, so their scores are means and not those of one model
        drawn = controls.scores(corpus.name, topics, folds, COMPARED)
        draws = {row: {"draws": controls.DRAWS} for row in controls.ROWS}
        by_method = chosen_by(tuned) | draws
        scores = pd.concat([scores, drawn], ignore_index=True)
        tests = compare(scores, [LMD_ROW])
        parts.append(
            part(NAME, corpus, scores, seed, params=params, by_method=by_method, tests=tests)
        )
    return Result.of(NAME, parts)


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row of the ablation, with the variants among which cross-validation chooses."""
    resources = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {LMD_ROW: list(LMD.variants())}
    for kind, (name, change) in product(resources.kinds, CHANGES.items()):
        given = {key: [value] for key, value in change.items()}
        given["vectors"] = [f"{resources.domain}-{kind}"]
        row = f"{name} [{kind}]" if len(resources.kinds) > 1 else name
        rows[row] = list(EmbeddingLM.variants(**given))
    return rows
