"""naacl2015 Table 2: what reformulating the query does to the spans that are found (§2.3, §4).

`run_models` compares the four retrieval models of §2.2 under the same protocol.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import pandas as pd

from citectx.catalogue import resources_of
from citectx.corpora.model import Citance, Corpus
from citectx.corpora.text_files import squeeze
from citectx.errors import ParameterError, check_list
from citectx.evaluation import merge, rouge, weighted_scores
from citectx.experiments.contextualization import Prepared, Protocol, by_citance, prepare
from citectx.experiments.report import KEYS, average, compare, means, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen_by, tune_methods
from citectx.language.spans import select
from citectx.papers.naacl2015.queries import DRAWS, FEEDBACK, Weights, draw_queries, queries
from citectx.retrieval import VSM, Query
from citectx.retrieval.lexical import Rocchio
from citectx.retrieval.reformulation import WIKIPEDIA_FILTER, Reformulation
from citectx.types import Floats, Span

NAME = "naacl2015_table2"
MODELS_NAME = "naacl2015_models"
BASELINE = "baseline"
METHODS = ("baseline", "reduce", "KW", "NP", "expand", "reduce+expand", "NP+expand")
"""Rows, by their names in `citectx.retrieval.reformulation.REFORMULATIONS`."""

LEFT_OUT = (FEEDBACK, WIKIPEDIA_FILTER)
"""Rows left out by the paper as "substantially worse" (§2.4): `Rocchio` and a reformulation."""

MODELS = ("VSM", "BM25", "DFR", "LMD")
"""The models of §2.2. All are compared with the first, which the paper opted for."""

MEASURES = ("recall", "precision", "F-1", "RL-recall", "RL-precision", "RL-F-1")
"""Columns: weighted overlap (Eq. 1), then ROUGE-L; fractions, as in the paper."""

PROTOCOL = Protocol(max_sentences=5, k=3)
"""Spans of one to five sentences, merged, three returned (naacl2015 §2.1, §2.4).

Ambiguity: naacl2015 does not say how many spans are retrieved before they are merged;
`Protocol.depth` is 20 here as everywhere. With fewer, less text is returned: precision and ROUGE-L
rise, recall falls. The extra table ``depth`` has all rows under `SHALLOW`: as many as are returned.
"""
SHALLOW = replace(PROTOCOL, depth=3)
TF = "log"
"""How all rows weight frequencies; see `citectx.retrieval.VSM`."""

Ranking = tuple[str, Sequence[Floats]]
"""A method, and per topic its scores, shape (citances, spans)."""


def run(corpora: Sequence[Corpus], methods: Sequence[str] = METHODS, *, seed: int = 0) -> Result:
    """Search with each reformulation of each citance, and measure the spans in six ways.

    Source: naacl2015 Table 2. Values are means over topics of the mean over a topic's citances, as
    fractions, with 95 % intervals over topics. ``p_value`` is a two-tailed paired
    t-test over topics against the baseline. Rows that need an ontology are skipped where the
    corpus's field has none. Controls (`citectx.papers.naacl2015.queries`) come last. The extra
    table ``changes`` compares with the baseline; ``depth`` and ``depth_changes`` are table and
    changes again under `SHALLOW`, without controls.

    Ambiguity: naacl2015 means its scores over topics but does not say whether citances are meant or
    pooled within one; we take the mean. Its t-test may be over topics or citances, paired or not;
    we pair topics, which is what the mean is over.

    Ambiguity: the weighting of its vector space model is not given. Nothing is tuned here: tf is
    the same for all rows (`TF`), so that they differ in the query alone.
    """
    check_list("methods", methods)
    for name in methods:
        Reformulation(name)  # an unknown name is an error before anything runs
    if BASELINE not in methods:
        raise ParameterError(f"methods must hold {BASELINE!r}, which the others are compared with")
    parts = []
    for corpus in corpora:
        topics = prepare(corpus, PROTOCOL)
        resources = resources_of(corpus.name)
        rows = queries(corpus.name, topics, [*methods, *LEFT_OUT])
        field = {"domain": resources.domain, "concepts": resources.concepts}
        choices = {"tf": TF, "draws": DRAWS} | field
        results = []
        everything = chain(rows.items(), draw_queries(rows))
        # the candidates are the same, only how many count before they are merged differs
        for protocol, asked in ((PROTOCOL, everything), (SHALLOW, rows.items())):
            measures = partial(measure, depth=protocol.depth)
            scores = measure_rankings(topics, rankings(topics, asked), measures)
            params = protocol.params() | choices
            results.append(report(NAME, corpus, scores, BASELINE, seed, params))
        deep, shallow = results
        depth = shallow.table.set_index("corpus").reset_index()  # as the first column
        extra = {"depth": depth, "depth_changes": shallow.extra["changes"]}
        parts.append(replace(deep, extra={**deep.extra, **extra}))
    return Result.of(NAME, parts)


def run_models(
    corpora: Sequence[Corpus], methods: Sequence[str] = MODELS, *, folds: int = 10, seed: int = 0
) -> Result:
    """Search with the unmodified citance by each model, and measure as Table 2 does.

    Source: naacl2015 §2.2, which has no table but says that no difference is significant.
    ``p_value`` and the extra table ``changes`` are against the first of `methods`.

    Ambiguity: the paper does not say how parameters were set. Ours are chosen by cross-validation
    over topics for character F, as in sigir2017 Table 1.
    """
    parts = []
    params = PROTOCOL.params() | {"folds": folds, "tuned_for": "c-F"}
    for corpus in corpora:
        topics = prepare(corpus, PROTOCOL)
        tuned = tune_methods(topics, methods, folds, corpus.name)
        ranked = [(name, choice.scores(topics)) for name, choice in tuned.items()]
        scores = measure_rankings(topics, ranked, measure)
        rival = methods[0]
        chosen = chosen_by(tuned)
        parts.append(report(MODELS_NAME, corpus, scores, rival, seed, params, chosen))
    return Result.of(MODELS_NAME, parts)


def rankings(
    topics: Sequence[Prepared], rows: Iterable[tuple[str, Sequence[Weights]]], tf: str = TF
) -> Iterator[Ranking]:
    """Search with the queries of each row, topic after topic."""
    for name, weights in rows:
        model = Rocchio(tf) if name == FEEDBACK else VSM(tf)
        # queries of a row follow each other over all topics
        rest = iter(weights)
        by_topic = []
        for topic in topics:
            asked = [Query(next(rest), query.text) for query in topic.queries]
            by_topic.append(model.fit(topic.index).score(asked))
        yield name, by_topic


def measure_rankings(
    topics: Sequence[Prepared],
    ranked: Iterable[Ranking],
    measures: Callable[[Prepared, Citance, Floats], Sequence[float]],
    names: Sequence[str] = MEASURES,
) -> pd.DataFrame:
    """Measure rankings: columns topic, citance, method and `names`; means over draws."""
    rows = []
    for name, topic, citance, scores in by_citance(topics, ranked):
        values = measures(topic, citance, scores)
        rows.append((topic.topic.topic_id, citance.citance_id, name, *values))
    frame = pd.DataFrame(rows, columns=[*KEYS, *names])
    return average(frame)  # a control has several rows per citance, one per draw


def measure(
    topic: Prepared, citance: Citance, ranked: Floats, depth: int = PROTOCOL.depth
) -> tuple[float, ...]:
    """Return `MEASURES` of the spans that are retrieved for a citance."""
    best = select(topic.candidates, ranked, topic.protocol.k, depth)
    returned = topic.candidates.spans(best)
    gold = [lines(topic, spans) for spans in citance.gold.values()]
    content = rouge(lines(topic, returned), gold, kinds=("rougeLsum",))["rougeLsum"]
    chars = weighted_scores(returned, citance.gold)
    sides = (chars.recall, chars.precision, chars.f1)
    return (*sides, content.recall, content.precision, content.f1)


def lines(topic: Prepared, spans: Sequence[Span]) -> str:
    """Return the text of spans, a sentence per line, each character once, as ROUGE-L wants it."""
    text = topic.topic.reference.text
    sentences = topic.candidates.sentences.spans
    ends = [sentence.end for sentence in sentences]
    pieces = []
    for start, end in merge(spans):
        # a line for each sentence that the span touches
        cuts = [start, *(e for e in ends if start < e < end), end]
        pieces += [squeeze(text[a:b]) for a, b in pairwise(cuts)]
    return "\n".join(pieces)


def changes(tests: pd.DataFrame, scores: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Lay out the tests of each method against the baseline.

    ``change`` is in percent of the baseline; ``p_value_holm`` is corrected over rows and metrics.
    """
    # a baseline of 0 has no change in percent: NaN
    base = scores.loc[scores["method"] == baseline, [*MEASURES]].mean()
    change = 100 * tests["difference"] / tests["metric"].map(base.where(base != 0))
    table = tests.rename(columns={"t_test": "p_value", "t_test_holm": "p_value_holm"})
    table.insert([*table].index("p_value"), "change", change)
    return table


def report(
    name: str,
    corpus: Corpus,
    scores: pd.DataFrame,
    baseline: str,
    seed: int,
    params: Mapping[str, Any],
    by_method: Mapping[str, Mapping[str, Any]] = {},
) -> Result:
    """Report means over topics, and the extra table ``changes``."""
    by_topic = scores.groupby(["topic", "method"], sort=False)[[*MEASURES]].mean()
    topics = by_topic.reset_index().assign(citance="")
    tests = compare(topics, [baseline])
    cells = means(topics, tests)
    extra = {"changes": changes(tests, topics, baseline)}
    return part(
        name,
        corpus,
        scores,
        seed,
        cells=cells,
        params=params,
        by_method=by_method,
        extra=extra,
    )
