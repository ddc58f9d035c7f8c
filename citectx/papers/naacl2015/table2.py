"""naacl2015 Table 2: what reformulating the query does to the spans that are found (§2.3, §4).

And the four retrieval models that the paper tried, under its own protocol (§2.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd

from citectx.corpora.model import Citance, Corpus
from citectx.errors import ParameterError
from citectx.evaluation import Scores, merge, rouge, weighted_scores
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.report import (
    KEYS,
    OVER_CITANCES,
    Over,
    compare,
    labelled,
    means,
    p_values_of,
    part,
)
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen, tune, variants
from citectx.language.spans import select
from citectx.profiles import resources_of
from citectx.retrieval import QR, VSM, RetrievalModel
from citectx.retrieval.lexical import Rocchio
from citectx.retrieval.reformulation import NEEDS_CONCEPTS, WIKIPEDIA_FILTER, Reformulation
from citectx.types import Floats, Span

NAME = "naacl2015_table2"
MODELS_NAME = "naacl2015_models"
BASELINE = "baseline"
METHODS = ("baseline", "reduce", "KW", "NP", "expand", "reduce+expand", "NP+expand")
"""Rows, by their names in `citectx.retrieval.reformulation.REFORMULATIONS`."""

FEEDBACK = "feedback"
LEFT_OUT = (FEEDBACK, WIKIPEDIA_FILTER)
"""Rows left out by the paper as "substantially worse" (§2.4): `Rocchio` and a reformulation."""

MODELS = ("VSM", "BM25", "DFR", "LMD")
"""The first is what the others are compared with: the one that the paper opted for."""

MEASURES = ("recall", "precision", "F-1", "RL-recall", "RL-precision", "RL-F-1")
"""Columns: weighted overlap (Eq. 1), then ROUGE-L; fractions, as in the paper."""

MEANS: Mapping[Over, str] = {"topics": "", "citances": OVER_CITANCES}
"""Endings of metrics by what their mean is over."""

PROTOCOL = Protocol(max_sentences=5, k=3)
"""Spans of one to five sentences, merged, three returned (naacl2015 §2.1, §2.4).

Ambiguity: naacl2015 does not say how many spans are retrieved before they are merged;
`Protocol.depth` is 20 here as everywhere. With fewer, less text is returned: precision and ROUGE-L
rise, recall falls. The extra table ``depth`` has all rows under `SHALLOW`: as many as are returned.
"""
SHALLOW = replace(PROTOCOL, depth=3)
TF = "log"
"""See `citectx.retrieval.VSM`."""


def run(corpora: Sequence[Corpus], methods: Sequence[str] = METHODS, *, seed: int = 0) -> Result:
    """Search with each reformulation of each citance, and measure what is found in six ways.

    Source: naacl2015 Table 2. Values are fractions. Each metric is there twice: as the mean over
    topics (of the mean over a topic's citances), and with `OVER_CITANCES` as the mean over
    citances; intervals are 95 % and from a bootstrap over topics. ``p_value`` is a two-tailed
    paired t-test against the baseline, over topics for the one and over citances for the other;
    empty for the baseline.

    Ambiguity: naacl2015 means its scores over topics but does not say whether citances are meant or
    pooled within one; we take the mean. Its t-test may be over topics or citances, paired or not;
    we pair, and test each mean over what it is a mean of.

    Ambiguity: the weighting of its vector space model is not given. Nothing is tuned here: tf is
    the same for all rows (`TF`), so that they differ in the query alone.

    Parameters
    ----------
    corpora : sequence of Corpus
        For one whose field has no ontology, reformulations that need it are skipped.
    methods : sequence of str
        Names of reformulations, "baseline" among them; `LEFT_OUT` are always there.
    seed : int
        For the bootstrap.

    Returns
    -------
    Result
        With the extra tables ``changes`` (each row against the baseline, see `changes`), and
        ``depth`` and ``depth_changes``: table and changes again under the protocol `SHALLOW`.

    Raises
    ------
    ParameterError
        For an unknown reformulation, or without the baseline.
    """
    for name in methods:
        Reformulation(name)  # an unknown name is an error before anything runs
    if BASELINE not in methods:
        raise ParameterError(f"methods must hold {BASELINE!r}, which the others are compared with")
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, PROTOCOL)
        models = models_of(corpus.name, [*methods, *LEFT_OUT])
        by_method, tables = {}, []
        for name, each in models.items():
            by_method[name] = each.params() | {"fell_back": lost(topics, each)}
        for how in (PROTOCOL, SHALLOW):
            same = {name: [each] * len(topics) for name, each in models.items()}
            scores = measured(topics, same, how.depth)
            about = {"params": how.params(), "by_method": by_method}
            tables.append(tidy(NAME, corpus, scores, BASELINE, seed, **about))
        whole, shallow = tables
        more = {
            "depth": labelled(corpus.name, shallow.table),
            "depth_changes": shallow.extra["changes"],
        }
        parts.append(replace(whole, extra={**whole.extra, **more}))
    return Result.of(NAME, parts)


def run_models(
    corpora: Sequence[Corpus], methods: Sequence[str] = MODELS, *, folds: int = 10, seed: int = 0
) -> Result:
    """Search with the unmodified citance by each model, and measure as Table 2 does.

    Source: naacl2015 §2.2, which has no table of it but says that the models hardly differ, and
    none of them significantly. Values, intervals and ``p_value`` are those of `run`, but against
    the first of `methods`.

    Ambiguity: the paper does not say how parameters were set. Ours are chosen by cross-validation
    over topics for character F, as in sigir2017 Table 1.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    folds : int
        Folds of the cross-validation.
    seed : int
        For the bootstrap.

    Returns
    -------
    Result
        With the extra table ``changes``: each model against the first, see `changes`.

    Raises
    ------
    ParameterError
        For an unknown model, or if there are too few topics to tune on.
    """
    parts, params = [], PROTOCOL.params() | {"folds": folds, "tuned_for": "c-F"}
    for corpus in corpora:
        topics = prepare(corpus, PROTOCOL)
        tuned = {name: tune(topics, variants(name, corpus.name), folds) for name in methods}
        models = {name: own.chosen for name, own in tuned.items()}
        scores = measured(topics, models, PROTOCOL.depth)
        about = {"params": params, "by_method": chosen(tuned)}
        parts.append(tidy(MODELS_NAME, corpus, scores, methods[0], seed, **about))
    return Result.of(MODELS_NAME, parts)


def models_of(corpus: str, methods: Sequence[str]) -> dict[str, VSM]:
    """Make the model of each row that applies to a corpus."""
    resources = resources_of(corpus)
    models: dict[str, VSM] = {}
    for name in methods:
        if name == FEEDBACK:
            models[name] = Rocchio(TF)
        elif resources.concepts or name not in NEEDS_CONCEPTS:
            models[name] = QR(TF, name, resources.concepts, resources.domain)
    return models


def lost(topics: Sequence[Prepared], model: VSM) -> int:
    """Count the citances that lose all their terms and keep the baseline query."""
    if not isinstance(model, QR):
        return 0
    reformulate = model.reformulate(topics[0].protocol.analyzer)
    return sum(not reformulate.weights(query) for topic in topics for query in topic.queries)


def measured(
    topics: Sequence[Prepared], models: Mapping[str, Sequence[RetrievalModel]], depth: int
) -> pd.DataFrame:
    """Measure methods with a model for each topic: columns topic, citance, method, `MEASURES`.

    Parameters
    ----------
    topics : sequence of Prepared
    models : mapping of str to sequence of RetrievalModel
    depth : int
        How many spans count as retrieved.
    """
    rows = []
    for name, own in models.items():
        for topic, each in zip(topics, own, strict=True):
            for citance, scores in zip(topic.citances, topic.scores(each), strict=True):
                values = measure(topic, citance, scores, depth)
                rows.append((topic.topic.topic_id, citance.citance_id, name, *values))
    return pd.DataFrame(rows, columns=[*KEYS, *MEASURES])


def measure(topic: Prepared, citance: Citance, scores: Floats, depth: int) -> tuple[float, ...]:
    """Return `MEASURES` of what is retrieved for a citance."""
    best = select(topic.candidates, scores, topic.protocol.k, depth)
    returned = topic.candidates.spans(best)
    overlap = weighted_scores(returned, citance.gold)
    gold = [lines(topic, spans) for spans in citance.gold.values()]
    content = rouge(lines(topic, returned), gold, kinds=("rougeLsum",))["rougeLsum"]
    return (*in_order(overlap), *in_order(content))


def in_order(scores: Scores) -> tuple[float, ...]:
    """Return scores in the order of the paper's columns."""
    return scores.recall, scores.precision, scores.f1


def lines(topic: Prepared, spans: Sequence[Span]) -> str:
    """Return the text of spans, one sentence a line, each character once, as ROUGE-L wants it."""
    text, sentences = topic.topic.reference.text, topic.candidates.sentences.spans
    ends = [sentence.end for sentence in sentences]
    pieces = []
    for start, end in merge(spans):
        cuts = [start, *(e for e in ends if start < e < end), end]
        pieces += [" ".join(text[a:b].split()) for a, b in pairwise(cuts)]
    return "\n".join(pieces)


def changes(scores: pd.DataFrame, baseline: str, seed: int) -> pd.DataFrame:
    """Compare each method with one of them, over topics and over citances.

    Parameters
    ----------
    scores : DataFrame
        From `measured`.
    baseline : str
    seed : int

    Returns
    -------
    DataFrame
        Columns method, metric, against, difference, ci_low, ci_high (95 %, bootstrap over topics),
        change (of the baseline, in percent), p_value (paired t-test over what the mean is over) and
        p_value_holm (corrected over all rows and metrics with the same mean). No rows for the
        baseline.
    """
    frames, own = [], scores[scores["method"] == baseline]
    for over, ending in MEANS.items():
        tests = compare(scores, seed, [baseline], over=over, permute=False)
        groups = own.groupby("topic" if over == "topics" else "method")
        whole = groups[[*MEASURES]].mean().mean()
        base = tests["metric"].map(whole.where(whole != 0))
        tests["change"] = 100 * tests["difference"] / base
        frames.append(tests.assign(metric=tests["metric"] + ending))
    named = {"t_test": "p_value", "t_test_holm": "p_value_holm"}
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "change"]
    table = pd.concat(frames, ignore_index=True).rename(columns=named)
    return table[[*columns, *named.values()]]


def tidy(
    experiment: str, corpus: Corpus, scores: pd.DataFrame, baseline: str, seed: int, **about: Any
) -> Result:
    """Report on one corpus: each metric as the mean over topics, then as the mean over citances.

    Its extra table ``changes`` compares with the baseline; ``about`` are params and by_method of
    `citectx.experiments.report.part`.
    """
    against, cells = changes(scores, baseline, seed), []
    p_values = p_values_of(against, "p_value")
    for _, own in scores.groupby("method", sort=False):
        for over, ending in MEANS.items():
            named = own.rename(columns={m: m + ending for m in MEASURES})
            cells += means(named, seed, over, p_values)
    about |= {"cells": cells, "extra": {"changes": against}}
    return part(experiment, corpus, scores, seed, **about)
