"""sigir2017 Table 1: how well the retrieved contexts match the annotators' (§3.1)."""

import time
from collections.abc import Sequence

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import collected, compare, summarised
from citectx.experiments.results import Result
from citectx.experiments.tuning import applicable, measured, tune, variants
from citectx.retrieval import MODELS, model

NAME = "sigir2017_table1"


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with every method and measure them in twelve ways.

    Source: sigir2017 §3.1, Table 1. Values are means over citances, in percent, with 95 % intervals from a
    bootstrap over topics (citances of one article are not independent). ``p_value`` is the paper's test: a
    two-tailed paired t-test over citances against the best baseline of the column; empty for that baseline.

    Ambiguity: sigir2017 does not say whether scores are averaged over citances or over topics; we take
    citances. It does not say what its parameters were tuned for; we take character F.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    protocol : Protocol, optional
    folds : int
        Folds of the cross-validation over topics.
    seed : int
        For bootstrap and permutations.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (each method against the best baseline: difference, interval, t-test,
        permutation test, both Holm-corrected over the corpus's table) and ``tuning`` (each variant's mean
        character F over all topics).

    Raises
    ------
    ParameterError
        For an unknown method, or if there are too few topics to tune on.
    """
    started = time.perf_counter()
    protocol = protocol or Protocol()
    for name in methods:
        model(name)  # an unknown name is an error before anything runs
    rows = {corpus.name: applicable(corpus.name, methods) for corpus in corpora}
    parts: list[dict[str, pd.DataFrame]] = []
    with tqdm(total=sum(map(len, rows.values())), desc=NAME, disable=not progress, unit="method") as bar:
        for corpus in corpora:
            topics = prepare(corpus, protocol)
            tuned = {}
            for name in rows[corpus.name]:
                bar.set_postfix_str(f"{corpus.name}: {name}")
                tuned[name] = tune(topics, variants(name, corpus.name), folds)
                bar.update()
            scores = pd.concat(measured(topics, tuned), ignore_index=True)
            shared = settings(protocol, folds=folds, tuned_for="c-F")
            parts.append(summarised(NAME, corpus.name, scores, tuned, compare(scores, seed), shared, seed))
    return collected(NAME, corpora, parts, time.perf_counter() - started)
