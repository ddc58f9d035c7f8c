"""sigir2017: what in Eq. 2 does the work, the embedding or the formula around it.

Beyond the paper, except for the claim that a threshold helps. Each row is Eq. 2 with one reading or part of
it changed; μ and the prior of unseen words are tuned anew by cross-validation. Rows with exact matches only
show what the formula does on its own.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, means, p_values_of, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.profiles import resources_of
from citectx.retrieval import LMD, EmbeddingLM, RetrievalModel
from citectx.retrieval.embedding_lm import CAP

NAME = "sigir2017_ablation"
LMD_ROW = "LMD (Eq. 1)"
METRICS = ("c-F", "nDCG", "c-P@1", "wc-F")
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article", "cap": CAP}
EXACT = {"deviations": float("inf")}
ALL_PAIRS = {"deviations": float("-inf")}

CHANGES: dict[str, dict[str, Any]] = {
    "Eq. 2": {},
    "exact matches only": EXACT,
    "denominator |d|": {"denominator": "length"},
    "denominator |d|, exact matches only": {"denominator": "length", **EXACT},
    "denominator over the query": {"denominator": "query"},
    "denominator over the query, exact matches only": {"denominator": "query", **EXACT},
    "identity for logit": {"phi": "identity"},
    "1 for logit": {"phi": "one"},
    "unseen words: half an occurrence": {"unseen": "half"},
    "unseen words: share of related ones": {"unseen": "related"},
    "unseen words left out": {"unseen": "out"},
    "τ 0 sd": {"deviations": 0.0},
    "τ 1 sd": {"deviations": 1.0},
    "τ 3 sd": {"deviations": 3.0},
    "τ 4 sd": {"deviations": 4.0},
    "τ of frequent words": {"among": 10_000},
    "no τ": ALL_PAIRS,
    "logit cut at 0.85": {"cap": 0.85},
    "logit cut at 0.99": {"cap": 0.99},
    "logit cut at 0.9999": {"cap": 0.9999},
    "with threshold": {"phi": "identity"},
    "without threshold": {"phi": "identity", **ALL_PAIRS},
}
"""Rows, as changes to `BASE`. The last two are what the paper says of τ before it comes to the logit.

φ is 0 up to a cosine of 0.5, and τ of 2 standard deviations is below that in some vectors: it changes nothing
there, and only 3 and 4 say what τ does to the paper's own model.
"""

EFFECTS = {"Eq. 2": ("identity for logit", "1 for logit", "no τ"), "τ 3 sd": ("Eq. 2",), "τ 4 sd": ("Eq. 2",)}
"""Rows that are compared with each other, beside LMD: what the logit does, and what τ does."""


@timed
def run(corpora: Sequence[Corpus], *, folds: int = 10, seed: int = 0, progress: bool = True) -> Result:
    """Measure each row, with every kind of vectors that the corpus's domain has.

    Source: sigir2017 §2. A row's name is the change, with the kind of vectors in brackets where there are
    several; "with threshold" and "without threshold" use the last kind. ``p_value`` is the paired t-test
    against LMD (Eq. 1).

    Parameters
    ----------
    corpora : sequence of Corpus
    folds, seed, progress
        As in `sigir2017_table1.run`.

    Returns
    -------
    Result
        With the extra tables ``against_lmd`` (difference to LMD with its interval over topics) and
        ``effects`` (the same between the rows of `EFFECTS`, for each kind of vectors).
    """
    return Result.of(NAME, [_one(corpus, folds, seed, progress) for corpus in corpora])


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row, with the variants among which cross-validation chooses."""
    means = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {LMD_ROW: list(LMD.variants())}
    for kind in means.kinds:
        for name, change in CHANGES.items():
            if "threshold" in name and kind != means.kinds[-1]:
                continue
            label = name if len(means.kinds) == 1 or "threshold" in name else f"{name} [{kind}]"
            given = {key: [value] for key, value in (BASE | change).items()} | {"mu": LMD.grid["mu"]}
            rows[label] = list(EmbeddingLM.variants(vectors=[f"{means.domain}-{kind}"], **given))
    return rows


def _one(corpus: Corpus, folds: int, seed: int, progress: bool) -> Result:
    topics, rows, label = prepare(corpus, Protocol()), rows_of(corpus.name), f"{NAME}: {corpus.name}"
    tuned, scores = tuned_scores(topics, rows, folds, METRICS, label=label, progress=progress)
    tests = compare(scores, seed, [LMD_ROW], permute=False)
    by_row = tests.set_index(["method", "metric"])
    order = pd.MultiIndex.from_product([rows, METRICS], names=by_row.index.names)
    effect = ["difference", "ci_low", "ci_high"]
    against = by_row.reindex(order)[[*effect, "t_test"]].fillna(dict.fromkeys(effect, 0.0)).reset_index()
    return part(
        NAME,
        corpus,
        scores,
        seed,
        params=settings(Protocol(), folds=folds, tuned_for="c-F"),
        by_method=chosen(tuned),
        cells=means(scores, seed, p_values=p_values_of(tests)),
        extra={"against_lmd": against, "effects": _effects(scores, seed)},
    )


def _effects(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    methods = list(dict.fromkeys(scores["method"]))
    endings = [name.removeprefix("Eq. 2") for name in methods if name.startswith("Eq. 2")]
    frames = [
        compare(scores[scores["method"].isin([one + end, other + end])], seed, [other + end], permute=False)
        for end in endings
        for one, others in EFFECTS.items()
        for other in others
    ]
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "t_test"]
    return pd.concat(frames, ignore_index=True)[columns]
