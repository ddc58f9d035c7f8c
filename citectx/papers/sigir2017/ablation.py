"""sigir2017: what in Eq. 2 does the work, the embedding or the formula around it.

Beyond the paper, except for the claim that a threshold helps. Each row is Eq. 2 with one reading or part of
it changed; μ and the prior of unseen words are tuned anew by cross-validation. Rows with exact matches only
tell what the formula does by itself.
"""

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.evaluation import bootstrap_difference, bootstrap_interval, paired_t
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json
from citectx.experiments.tuning import measured, tune
from citectx.profiles import resources_of
from citectx.retrieval import LMD, EmbeddingLM, RetrievalModel

NAME = "sigir2017_ablation"
METRICS = ("c-F", "nDCG", "c-P@1", "wc-F")
BASE: dict[str, Any] = {"deviations": 2.0, "phi": "logit", "denominator": "article"}
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
    "with threshold": {"phi": "identity"},
    "without threshold": {"phi": "identity", **ALL_PAIRS},
}
"""Rows, as changes to `BASE`. The last two are what the paper says of τ before it comes to the logit."""


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
        With the extra table ``against_lmd``: difference to LMD with its interval over topics.
    """
    started = time.perf_counter()
    parts = [_one(corpus, folds, seed, progress) for corpus in corpora]
    table, citances, against = (pd.concat(frames, ignore_index=True) for frames in zip(*parts, strict=True))
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    return Result(NAME, table, citances, {"against_lmd": against}, data, time.perf_counter() - started)


def rows_of(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Name each row, with the variants among which cross-validation chooses."""
    means = resources_of(corpus)
    rows: dict[str, list[RetrievalModel]] = {"LMD (Eq. 1)": list(LMD.variants())}
    for kind in means.kinds:
        for name, change in CHANGES.items():
            if "threshold" in name and kind != means.kinds[-1]:
                continue
            label = name if len(means.kinds) == 1 or "threshold" in name else f"{name} [{kind}]"
            given = {key: [value] for key, value in (BASE | change).items()}
            rows[label] = list(EmbeddingLM.variants(vectors=[f"{means.domain}-{kind}"], **given))
    return rows


def _one(corpus: Corpus, folds: int, seed: int, progress: bool) -> tuple[pd.DataFrame, ...]:
    protocol = Protocol()
    topics = prepare(corpus, protocol)
    rows = rows_of(corpus.name)
    bar = tqdm(rows.items(), desc=f"{NAME}: {corpus.name}", disable=not progress, unit="row")
    tuned = {label: tune(topics, variants, folds) for label, variants in bar}
    scores = pd.concat(measured(topics, tuned, METRICS), ignore_index=True)
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    tidy, against = [], []
    base = scores[scores["method"] == "LMD (Eq. 1)"].set_index(["topic", "citance"])
    for label, own in scores.groupby("method", sort=False):
        params = params_json(shared | {"chosen": tuned[str(label)].counts()})
        for metric in METRICS:
            values = own[metric].to_numpy()
            low, high = bootstrap_interval(values, seed=seed, groups=own["topic"])
            test = paired_t(values, base[metric].to_numpy())
            p = float("nan") if label == "LMD (Eq. 1)" else test.p_value
            tidy.append(
                (NAME, corpus.name, label, metric, values.mean(), low, high, p, len(own), params, seed)
            )
            interval = bootstrap_difference(values, base[metric].to_numpy(), seed=seed, groups=own["topic"])
            against.append((corpus.name, label, metric, test.difference, *interval, p))
    columns = ["corpus", "method", "metric", "difference", "ci_low", "ci_high", "t_test"]
    return (
        pd.DataFrame(tidy, columns=COLUMNS),
        scores.assign(corpus=corpus.name)[["corpus", *scores.columns]],
        pd.DataFrame(against, columns=columns),
    )
