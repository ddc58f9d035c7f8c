"""The four retrieval models that naacl2015 tried, under its own protocol (§2.2)."""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.evaluation import holm
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tune
from citectx.papers.naacl2015.table2 import OVER_CITANCES, PROTOCOL, changes, measured, tidy
from citectx.retrieval import model

NAME = "naacl2015_models"
METHODS = ("VSM", "BM25", "DFR", "LMD")
"""The first is what the others are compared with: the one that the paper opted for."""


@timed
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
        Holm's correction is over all pairs and metrics with the same mean.

    Raises
    ------
    ParameterError
        For an unknown model, or if there are too few topics to tune on.
    """
    for name in methods:
        model(name)  # an unknown name is an error before anything runs
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, protocol)
        tuned, frames = {}, []
        for name in tqdm(methods, desc=f"{NAME}: {corpus.name}", disable=not progress, unit="model"):
            tuned[name] = tune(topics, list(model(name).variants()), folds)
            frames += measured(topics, name, tuned[name].chosen, [protocol.depth])
        scores = pd.concat(frames)
        more = {"params": shared, "by_method": chosen(tuned), "extra": {"pairs": _pairs(scores, seed)}}
        parts.append(tidy(NAME, corpus, scores, changes(scores, methods[0], seed), seed, **more))
    return Result.of(NAME, parts)


def _pairs(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Compare every two methods, the earlier one taken as the baseline, corrected over all pairs."""
    methods = list(dict.fromkeys(scores["method"]))
    frames = [
        changes(scores[scores["method"].isin([earlier, later])], earlier, seed)
        for earlier, later in combinations(methods, 2)
    ]
    table = pd.concat(frames, ignore_index=True)
    over = table["metric"].str.endswith(OVER_CITANCES)
    return table.assign(p_value_holm=table.groupby(over)["p_value"].transform(holm))
