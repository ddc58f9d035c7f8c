"""sigir2017 Table 1 with a sentence encoder."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen, tuned_scores, variants
from citectx.retrieval import OPTIONAL
from citectx.retrieval.dense import MINILM

NAME = "sigir2017_dense"


def run(
    corpora: Sequence[Corpus],
    encoder: str = MINILM,
    *,
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Retrieve contexts with and without a sentence encoder: the question that every reader asks.

    The rows "Dense" and "LMD+Dense" are shown next to the language model that one of them is mixed
    with and BM25, the best baseline of Table 1 on the open corpora. ``p_value`` is the paired
    t-test against LMD. The extra table ``tests`` has the differences to LMD and to BM25,
    Holm-corrected over the rows and metrics against one of them.
    """
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        rows = {name: variants(name, corpus.name) for name in ("BM25", "LMD")}
        for name, cls in OPTIONAL.items():
            rows[name] = list(cls.variants(encoder=[encoder]))
        tuned, scores = tuned_scores(prepare(corpus), rows, folds)
        tests = compare(scores, ["LMD"])
        both = pd.concat([tests, compare(scores, ["BM25"])])
        about: dict[str, Any] = {"params": params, "by_method": chosen(tuned), "tests": tests}
        parts.append(part(NAME, corpus, scores, seed, extra={"tests": both}, **about))
    return Result.of(NAME, parts)
