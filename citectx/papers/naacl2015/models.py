"""The four retrieval models that naacl2015 tried, under its own protocol (§2.2)."""

import time
from collections.abc import Sequence
from itertools import combinations

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.results import Result, fingerprint
from citectx.experiments.tuning import tune
from citectx.papers.naacl2015.table2 import PROTOCOL, changes, corrected, measured, tidy
from citectx.retrieval import model

NAME = "naacl2015_models"
METHODS = ("VSM", "BM25", "DFR", "LMD")
"""The first is what the others are compared with: the one that the paper opted for."""


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol = PROTOCOL,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Search with the unmodified citance by each model, and measure as Table 2 does.

    Source: naacl2015 §2.2, which has no table of it but says that the models hardly differ, and none of them
    significantly. Values, intervals and ``p_value`` are those of `naacl2015_table2`, but against the first of
    `methods`.

    Ambiguity: the paper does not say how parameters were set. Ours are chosen by cross-validation over topics
    for character F, as in sigir2017 Table 1.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    protocol : Protocol
    folds : int
        Folds of the cross-validation.
    seed : int
        For the bootstrap.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra table ``pairs``: every model against every other, as `naacl2015_table2.changes` has it;
        Holm's correction is over all pairs and metrics.

    Raises
    ------
    ParameterError
        For an unknown model, or if there are too few topics to tune on.
    """
    started = time.perf_counter()
    for name in methods:
        model(name)  # an unknown name is an error before anything runs
    parts: list[dict[str, pd.DataFrame]] = []
    with tqdm(total=len(corpora) * len(methods), desc=NAME, disable=not progress, unit="model") as bar:
        for corpus in corpora:
            topics = prepare(corpus, protocol)
            tuned = {}
            for name in methods:
                bar.set_postfix_str(f"{corpus.name}: {name}")
                tuned[name] = tune(topics, list(model(name).variants()), folds)
                bar.update()
            scores = measured(topics, {name: choice.chosen for name, choice in tuned.items()})
            shared = settings(protocol, folds=folds, tuned_for="c-F")
            params = {name: shared | {"chosen": choice.counts()} for name, choice in tuned.items()}
            parts.append(
                {
                    "table": tidy(NAME, corpus.name, scores, changes(scores, methods[0], seed), params, seed),
                    "citances": scores.assign(corpus=corpus.name)[["corpus", *scores.columns]],
                    "pairs": _pairs(corpus.name, scores, seed),
                }
            )
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    table, citances = joined.pop("table"), joined.pop("citances")
    return Result(NAME, table, citances, joined, data, time.perf_counter() - started)


def _pairs(corpus: str, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare every two methods, the earlier one taken as the baseline."""
    methods = list(dict.fromkeys(scores["method"]))
    frames = [
        changes(scores[scores["method"].isin([earlier, later])], earlier, seed)
        for earlier, later in combinations(methods, 2)
    ]
    table = corrected(pd.concat(frames, ignore_index=True))
    return table.assign(corpus=corpus)[["corpus", *table.columns]]
