"""naacl2015 Table 2: what reformulating the query does to the spans that are found (§2.3, §4)."""

import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Citance, Corpus
from citectx.errors import ParameterError
from citectx.evaluation import (
    bootstrap_difference,
    bootstrap_interval,
    holm,
    merge,
    paired_t,
    rouge,
    weighted_scores,
)
from citectx.experiments.contextualization import Prepared, Protocol, prepare, settings
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json
from citectx.profiles import resources_of
from citectx.retrieval import QR, RetrievalModel
from citectx.retrieval.reformulation import NEEDS_CONCEPTS, Reformulation
from citectx.types import Floats, Span

NAME = "naacl2015_table2"
BASELINE = "baseline"
METHODS = ("baseline", "reduce", "KW", "NP", "expand", "reduce+expand", "NP+expand")
"""Rows, by their names in `citectx.retrieval.reformulation.REFORMULATIONS`."""

METRICS = ("recall", "precision", "F-1", "RL-recall", "RL-precision", "RL-F-1")
"""Columns: weighted overlap (Eq. 1), then ROUGE-L; fractions, as in the paper."""

OVER_CITANCES = " (citances)"
"""Ending of a metric's name where its value is the mean over citances, not over topics."""

PROTOCOL = Protocol(max_sentences=5, overlap="merge", k=3)
"""Spans of one to five sentences, merged, three returned (naacl2015 §2.1, §2.4).

Ambiguity: naacl2015 does not say how many spans are retrieved before they are merged; `Protocol.depth` is 20
here as everywhere. With fewer, less text is returned: precision and ROUGE-L rise, recall falls.
"""


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol = PROTOCOL,
    *,
    tf: str = "log",
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Search with each reformulation of each citance, and measure what is found in six ways.

    Source: naacl2015 Table 2. Values are fractions. Each metric stands there twice: as the mean over topics
    (of the mean over a topic's citances), and with `OVER_CITANCES` as the mean over citances; intervals are
    95 % and from a bootstrap over topics. ``p_value`` is a two-tailed paired t-test over citances against the
    baseline, the same for both; empty for the baseline.

    Ambiguity: naacl2015 means its scores over topics but does not say whether citances are meant or pooled
    within one; we take the mean. Its t-test may be over topics or citances, paired or not; we pair citances.

    Ambiguity: the weighting of its vector space model is not given. Nothing is tuned here: tf is the same for
    all rows, so that they differ in the query alone.

    Parameters
    ----------
    corpora : sequence of Corpus
        For one whose field has no ontology, reformulations that need it are passed over.
    methods : sequence of str
        Names of reformulations, "baseline" among them.
    protocol : Protocol
    tf : {"raw", "log", "sqrt"}
        See `citectx.retrieval.VSM`.
    seed : int
        For the bootstrap.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``changes`` (each row against the baseline, see `changes`) and ``queries`` (what
        became of the queries, see `describe`).

    Raises
    ------
    ParameterError
        For an unknown reformulation, or without the baseline.
    """
    started = time.perf_counter()
    for name in methods:
        Reformulation(name)  # an unknown name is an error before anything runs
    if BASELINE not in methods:
        raise ParameterError(f"methods must hold {BASELINE!r}, which the others are compared with")
    chosen = {c.name: _models(c.name, methods, tf) for c in corpora}
    parts: list[dict[str, pd.DataFrame]] = []
    with tqdm(total=sum(map(len, chosen.values())), desc=NAME, disable=not progress, unit="row") as bar:
        for corpus in corpora:
            topics, models = prepare(corpus, protocol), chosen[corpus.name]
            frames = []
            for name, model in models.items():
                bar.set_postfix_str(f"{corpus.name}: {name}")
                frames.append(measured(topics, {name: [model] * len(topics)}))
                bar.update()
            parts.append(_summarise(corpus.name, topics, models, pd.concat(frames), protocol, seed))
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    data = {corpus.name: fingerprint(corpus) for corpus in corpora}
    table, citances = joined.pop("table"), joined.pop("citances")
    return Result(NAME, table, citances, joined, data, time.perf_counter() - started)


def _models(corpus: str, methods: Sequence[str], tf: str) -> dict[str, QR]:
    means = resources_of(corpus)
    kept = [m for m in methods if means.concepts or m not in NEEDS_CONCEPTS]
    return {m: QR(tf=tf, reformulation=m, concepts=means.concepts, domain=means.domain) for m in kept}


def _summarise(
    corpus: str,
    topics: Sequence[Prepared],
    models: Mapping[str, QR],
    scores: pd.DataFrame,
    protocol: Protocol,
    seed: int,
) -> dict[str, pd.DataFrame]:
    queries, against = describe(topics, models), changes(scores, BASELINE, seed)
    fell_back = queries.set_index("method")["fell_back"]
    params = {
        m: settings(protocol, **model.params(), fell_back=int(fell_back[m])) for m, model in models.items()
    }
    frames = {
        "table": tidy(NAME, corpus, scores, against, params, seed),
        "citances": scores,
        "changes": against,
        "queries": queries,
    }
    return {
        k: f if "corpus" in f else f.assign(corpus=corpus)[["corpus", *f.columns]] for k, f in frames.items()
    }


def describe(topics: Sequence[Prepared], models: Mapping[str, QR]) -> pd.DataFrame:
    """Count what the reformulations leave of the queries.

    Returns
    -------
    DataFrame
        Columns method, citances, terms (mean number of distinct terms in a query), found (mean number of them
        that the article has), fell_back (citances that lost all their terms and kept the baseline query).
    """
    rows = []
    for name, model in models.items():
        asked = [(t, q) for t in topics for q in t.queries]
        reformulate = model.reformulate(topics[0].protocol.analyzer)
        own = [reformulate.weights(query) for _, query in asked]
        used = [weights or query.weights for weights, (_, query) in zip(own, asked, strict=True)]
        found = [len(w.keys() & t.index.vocabulary.keys()) for w, (t, _) in zip(used, asked, strict=True)]
        lost = sum(not weights for weights in own)
        rows.append((name, len(asked), np.mean([len(w) for w in used]), np.mean(found), lost))
    return pd.DataFrame(rows, columns=["method", "citances", "terms", "found", "fell_back"])


def measured(topics: Sequence[Prepared], models: Mapping[str, Sequence[RetrievalModel]]) -> pd.DataFrame:
    """Measure models on every citance.

    Parameters
    ----------
    topics : sequence of Prepared
    models : mapping of str to sequence of RetrievalModel
        For each row of a table the model of each topic.

    Returns
    -------
    DataFrame
        Columns topic, citance, method and `METRICS`.
    """
    rows = [
        (topic.topic.topic_id, citance.citance_id, method, *_measure(topic, citance, scores))
        for method, chosen in models.items()
        for topic, model in zip(topics, chosen, strict=True)
        for citance, scores in zip(topic.citances, topic.scores(model), strict=True)
    ]
    return pd.DataFrame(rows, columns=["topic", "citance", "method", *METRICS])


def _measure(topic: Prepared, citance: Citance, scores: Floats) -> tuple[float, ...]:
    returned = topic.retrieve(scores, topic.protocol.k)
    weighted = weighted_scores(returned, citance.gold)
    gold = [lines(topic, spans) for spans in citance.gold.values()]
    content = rouge(lines(topic, returned), gold, kinds=("rougeLsum",))["rougeLsum"]
    return weighted.recall, weighted.precision, weighted.f1, content.recall, content.precision, content.f1


def lines(topic: Prepared, spans: Sequence[Span]) -> str:
    """Return the text of spans with one sentence a line, each character once, as ROUGE-L wants it."""
    text, ends = topic.topic.reference.text, [s.end for s in topic.candidates.sentences.spans]
    pieces = []
    for start, end in merge(spans):
        cuts = [start, *(e for e in ends if start < e < end), end]
        pieces += [" ".join(text[a:b].split()) for a, b in pairwise(cuts)]
    return "\n".join(pieces)


def changes(scores: pd.DataFrame, baseline: str, seed: int) -> pd.DataFrame:
    """Compare each method with one of them.

    Parameters
    ----------
    scores : DataFrame
        As `measured` gives it.
    baseline : str
    seed : int

    Returns
    -------
    DataFrame
        Columns method, metric, against, difference, ci_low, ci_high (95 %, bootstrap over topics), change (of
        the baseline, in percent), p_value (paired t-test over citances) and p_value_holm (corrected over all
        rows and metrics; the two means of a metric share one test). No rows for the baseline.
    """
    rows = []
    for metric in METRICS:
        wide = scores.pivot_table(index=["topic", "citance"], columns="method", values=metric, sort=False)
        by_topic, topic = wide.groupby("topic", sort=False).mean(), wide.index.get_level_values("topic")
        for method in wide.columns.drop(baseline):
            p = paired_t(wide[method], wide[baseline]).p_value
            for means, name, groups in ((by_topic, metric, None), (wide, metric + OVER_CITANCES, topic)):
                a, b = means[method].to_numpy(), means[baseline].to_numpy()
                interval = bootstrap_difference(a, b, seed=seed, groups=groups)
                difference, whole = a.mean() - b.mean(), b.mean()
                change = 100 * difference / whole if whole else np.nan
                rows.append((method, name, baseline, difference, *interval, change, p))
    columns = ["method", "metric", "against", "difference", "ci_low", "ci_high", "change", "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    return corrected(table)


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Set ``p_value_holm``: Holm's correction over all tests; the two means of a metric share one.

    >>> corrected(pd.DataFrame({"metric": ["F-1", "F-1 (citances)", "recall"], "p_value": [0.02, 0.02, 0.3]}))
               metric  p_value  p_value_holm
    0             F-1     0.02          0.04
    1  F-1 (citances)     0.02          0.04
    2          recall     0.30          0.30
    """
    once = table["p_value"].where(table["metric"].isin(METRICS))
    return table.assign(p_value_holm=pd.Series(holm(once), index=table.index).ffill())


def tidy(
    experiment: str,
    corpus: str,
    scores: pd.DataFrame,
    against: pd.DataFrame,
    params: Mapping[str, Mapping[str, Any]],
    seed: int,
) -> pd.DataFrame:
    """Return tidy rows: each metric as the mean over topics, then as the mean over citances.

    Parameters
    ----------
    experiment, corpus : str
    scores : DataFrame
        As `measured` gives it.
    against : DataFrame
        As `changes` gives it.
    params : mapping of str to mapping
        What to say of each method.
    seed : int
    """
    p_values = against.set_index(["method", "metric"])["p_value"]
    rows = []
    for method, own in scores.groupby("method", sort=False):
        by_topic = own.groupby("topic", sort=False)[list(METRICS)].mean()
        over_topics = [(m, by_topic[m], pd.Series(by_topic.index)) for m in METRICS]
        over_citances = [(m + OVER_CITANCES, own[m], own["topic"]) for m in METRICS]
        for metric, values, groups in over_topics + over_citances:
            low, high = bootstrap_interval(values, seed=seed, groups=groups)
            p, how = p_values.get((method, metric), np.nan), params_json(params[str(method)])
            rows.append(
                (experiment, corpus, method, metric, values.mean(), low, high, p, len(values), how, seed)
            )
    return pd.DataFrame(rows, columns=COLUMNS)
