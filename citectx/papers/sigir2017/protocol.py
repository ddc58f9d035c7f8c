"""How much depends on what sigir2017 leaves open: Table 1 again, one choice changed at a time.

Beyond the paper. The first row of each corpus is the default protocol; every other differs from it in what
its name says. Parameters are tuned anew for each.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import tuned_scores, variants
from citectx.profiles import resources_of
from citectx.retrieval import RetrievalModel, model
from citectx.retrieval.embedding_lm import CAP

NAME = "sigir2017_protocol"
METRICS = ("c-F", "nDCG", "c-P@1", "wc-F")
CLASSICAL = ("VSM", "BM25", "DFR", "LMD")
"""Rows under every protocol: they need no embedding, so that it takes minutes and not hours."""
CHOICES: dict[str, dict[str, Any]] = {
    "default": {},
    "stems": {"stem": True},
    "33 function words only": {"stop_words": "function"},
    "no stop words": {"stop_words": "none"},
    "hyphenated words whole": {"split_hyphens": False},
    "numbers kept": {"numbers": True},
    "one span returned": {"k": 1},
    "five spans returned": {"k": 5},
    "1-2 sentences, merged": {"max_sentences": 2},
    "1-3 sentences, merged": {"max_sentences": 3},
    "1-5 sentences, merged (naacl2015)": {"max_sentences": 5},
    "1-5 sentences, 5 retrieved, merged": {"max_sentences": 5, "depth": 5},
    "1-5 sentences, overlaps skipped": {"max_sentences": 5, "overlap": "skip"},
    "1-5 sentences, overlaps kept": {"max_sentences": 5, "overlap": "keep"},
}
"""Each choice as changes to the default `Protocol`."""


@timed
def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = CLASSICAL,
    choices: Sequence[str] = tuple(CHOICES),
    *,
    embeddings: bool = True,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure all methods under each protocol; ``params`` holds the choice's name and its settings.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
    choices : sequence of str
        Keys of `CHOICES`.
    embeddings : bool
        Whether spans of several sentences are searched with Eq. 2, too (`eq2`), beside the default.
    folds, seed, progress
        As in `sigir2017_table1.run`.
    """
    parts = []
    with tqdm(total=len(corpora) * len(choices), desc=NAME, disable=not progress, unit="protocol") as bar:
        for corpus in corpora:
            for name in choices:
                bar.set_postfix_str(f"{corpus.name}: {name}")
                protocol = replace(Protocol(), **CHOICES[name])
                rows = {method: variants(method, corpus.name) for method in methods}
                if embeddings and (name == "default" or protocol.max_sentences > 1):
                    rows |= eq2(corpus.name)
                _, scores = tuned_scores(prepare(corpus, protocol), rows, folds, METRICS)
                params = settings(protocol, choice=name, folds=folds, tuned_for="c-F")
                parts.append(replace(part(NAME, corpus, scores, seed, params=params), citances=None))
                bar.update()
    return Result.of(NAME, parts)


def eq2(corpus: str) -> dict[str, list[RetrievalModel]]:
    """Build variants of Eq. 2 with vectors of the corpus's domain: fewer than in Table 1, as spans are many.

    >>> {name: len(models) for name, models in eq2("teaching").items()}
    {'WE_Bio': 8}
    """
    means = resources_of(corpus)
    name = "WE_Bio" if means.domain == "biomedical" else "WE_Dom"
    given: dict[str, Sequence[object]] = {"vectors": [f"{means.domain}-{means.kinds[-1]}"], "cap": [CAP]}
    given |= {"denominator": ["article", "length"], "unseen": ["related"]}
    return {name: list(model(name).variants(**given))}


def by_choice(table: pd.DataFrame) -> pd.DataFrame:
    """Take the choice's name out of ``params``: columns corpus, choice, method, metric, value."""
    choice = table["params"].map(lambda p: json.loads(p)["choice"])
    return table.assign(choice=choice)[["corpus", "choice", "method", "metric", "value"]]


def spread(rows: pd.DataFrame) -> pd.Series:
    """Compare two ranges of one metric on one corpus, in its unit.

    Parameters
    ----------
    rows : DataFrame
        From `by_choice`, of one corpus and metric.

    Returns
    -------
    Series
        Highest minus lowest value: between methods under the default protocol, and between protocols (mean
        over methods).

    Examples
    --------
    >>> rows = pd.DataFrame({"choice": ["default", "default", "stems", "stems"], "method": ["A", "B"] * 2,
    ...                      "value": [20.0, 21.0, 25.0, 24.0]})
    >>> spread(rows).to_dict()
    {'between methods': 1.0, 'between protocols': 4.0}
    """
    wide = rows.pivot_table(index="choice", columns="method", values="value", sort=False)
    wide = wide.dropna(axis="columns")  # methods that were not run under all protocols
    default = wide.iloc[0]
    between = {"between methods": default.max() - default.min(), "between protocols": (wide.max() - wide.min()).mean()}
    return pd.Series(between)
