"""sigir2017 Eq. 2 in parts: what does the work, the embedding or the formula around it?

μ is tuned anew for each row.
"""

import tomllib
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.report import compare, means, p_values_of, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.profiles import resources_of
from citectx.retrieval import LMD, EmbeddingLM, RetrievalModel
from citectx.retrieval.embedding_lm import CAP

NAME = "sigir2017_ablation"
COMPARED = ("c-F", "nDCG", "c-P@1", "wc-F")
EFFECT = ["difference", "ci_low", "ci_high", "t_test"]
LMD_ROW = "LMD (Eq. 1)"
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article", "cap": CAP}
CHANGES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("ablation.toml").read_text("utf-8")
)
"""Rows of the ablation, as changes to `BASE`; those with exact matches only show what the formula
does on its own. The last two are what the paper says of τ before it comes to the logit.

φ is 0 up to a cosine of 0.5, and τ of 2 standard deviations is below that in some vectors: it
changes nothing there, and only 3 and 4 say what τ does to the paper's own model.
"""


def run(corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0) -> Result:
    """Measure Eq. 2 with one part of it changed, with every kind of vectors of the domain.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where
    there are several; "with threshold" and "without threshold" have the declared kind. ``p_value``
    is the paired t-test against LMD (Eq. 1).

    Parameters
    ----------
    corpora : sequence of Corpus
    folds, seed
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        With the extra table ``against_lmd``: the difference to LMD with its interval over topics.
    """
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        rows = rows_of(corpus.name)
        topics = prepare(corpus)
        tuned, scores = tuned_scores(topics, rows, folds, COMPARED)
        tests = compare(scores, seed, [LMD_ROW], permute=False)
        cells = means(scores, seed, p_values=p_values_of(tests))
        # In the order of the rows; the differences of LMD to itself are 0.
        order = pd.MultiIndex.from_product([rows, COMPARED], names=["method", "metric"])
        against = tests.set_index(order.names)[EFFECT].reindex(order)
        against = against.fillna(dict.fromkeys(EFFECT[:3], 0.0)).reset_index()
        extra = {"against_lmd": against}
        about: dict[str, Any] = {"cells": cells, "params": params, "by_method": chosen(tuned)}
        parts.append(part(NAME, corpus, scores, seed, extra=extra, **about))
    return Result.of(NAME, parts)


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row of the ablation, with the variants among which cross-validation chooses."""
    resources = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {LMD_ROW: list(LMD.variants())}
    for kind, (name, change) in product(resources.kinds, CHANGES.items()):
        once = "threshold" in name or len(resources.kinds) == 1
        if kind == resources.kinds[0] or not once:
            given: dict[str, Any] = {key: [value] for key, value in (BASE | change).items()}
            given |= {"mu": LMD.grid["mu"], "vectors": [f"{resources.domain}-{kind}"]}
            rows[name if once else f"{name} [{kind}]"] = list(EmbeddingLM.variants(**given))
    return rows
