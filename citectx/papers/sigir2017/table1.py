"""sigir2017 Table 1: how well the retrieved contexts match the annotators' (§3.1)."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.errors import check_list
from citectx.evaluation.offsets import count_marked
from citectx.experiments.contextualization import (
    DEFAULT,
    Prepared,
    Protocol,
    measure_rows,
    prepare,
)
from citectx.experiments.rankings import leaderboard, qrels
from citectx.experiments.report import BASELINES, Cell, average, compare, part, tabulate
from citectx.experiments.results import Result, fingerprint
from citectx.experiments.tuning import chosen_by, tune_methods
from citectx.retrieval import MODELS, OURS, applicable
from citectx.types import Floats

NAME = "sigir2017_table1"
DATA = "sigir2017_data"
DRAWS = 10
"""How often the row Random is drawn."""
ROUNDS = 10
"""Most rounds of the search for Oracle's sentences; it takes three or four."""


def data(corpora: Sequence[Corpus]) -> Result:
    """Count the articles, citances and annotators of each corpus.

    Source: sigir2017 §3, "Data". An article is a reference article or one that cites it; one that
    cites several counts once. Annotators are those of a citance, at most; ``annotators (mean)``
    shows where their number differs.

    >>> from citectx.corpora import Citance, Document, Topic
    >>> citances = Citance("1", "a", "They do."), Citance("2", "a", "So.")
    >>> topic = Topic("T", Document("ref", "Cells rest."), citances)
    >>> data([Corpus("small", (topic,))]).wide("small").to_dict("list")
    {'articles': [2.0], 'citances': [2.0], 'annotators': [0.0], 'annotators (mean)': [0.0]}
    """
    parts = []
    for corpus in corpora:
        citances = [c for topic in corpus for c in topic.citances]
        articles = {c.citing_id for c in citances}
        for topic in corpus:
            articles |= {topic.reference.doc_id, *topic.citing}
        people = [len(c.gold) for c in citances] or [0]
        n = len(citances)
        counts: dict[str, float] = {
            "articles": len(articles),
            "citances": n,
            "annotators": max(people),
            "annotators (mean)": float(np.mean(people)),
        }
        cells = [Cell("corpus", name, value, n) for name, value in counts.items()]
        table = tabulate(DATA, corpus.name, cells, seed=0)
        parts.append(Result(DATA, table, data={corpus.name: fingerprint(corpus)}))
    return Result.of(DATA, parts)


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol = DEFAULT,
    *,
    beside: Sequence[str] = tuple(OURS),
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Retrieve contexts with every method and measure them in twelve ways.

    Source: sigir2017 §3.1, Table 1. Values are means over citances, in percent, with 95 % intervals
    over topics (citances of one article are not independent). ``p_value`` is the
    paper's test: a two-tailed paired t-test over citances against the best baseline of the column;
    empty for that baseline. The extra table ``tests`` has each method against the best baseline
    (difference, interval, t-test as it is and Holm-corrected over the corpus's table). The files
    hold the runs of all rows on the first corpus, and its judgements.

    Ambiguity: sigir2017 does not say whether scores are averaged over citances or over topics; we
    take citances. It does not say what its parameters were tuned for, nor on what; we take
    character F, and topics other than the one that is scored.

    `beside` are rows of ours, in no paper (`citectx.retrieval.OURS`); they are no baselines, and
    Holm's correction of the paper's rows does not count them. With them come the rows of `bounds`.
    """
    check_list("methods", methods)
    params = protocol.params() | {"folds": folds, "tuned_for": "c-F"}
    parts: list[Result] = []
    for corpus in corpora:
        names = applicable(corpus.name, [*methods, *beside])
        topics = prepare(corpus, protocol)
        tuned = tune_methods(topics, names, folds, corpus.name)
        ranked = {name: choice.scores(topics) for name, choice in tuned.items()}
        scores = measure_rows(topics, ranked)
        tests = tests_of(scores, beside)
        if beside:
            scores = pd.concat([scores, *bounds(topics, seed)], ignore_index=True)
        files = {}
        if not parts:
            files = leaderboard(topics, ranked, corpus.name)
            files[f"qrels.{corpus.name}.txt"] = qrels(topics)
        chosen = chosen_by(tuned)
        reported = part(
            NAME,
            corpus,
            scores,
            seed,
            params=params,
            by_method=chosen,
            tests=tests,
            files=files,
        )
        parts.append(reported)
    return Result.of(NAME, parts)


def tests_of(scores: pd.DataFrame, beside: Sequence[str]) -> pd.DataFrame:
    """Test the paper's rows, and after them ours, against the best baseline of each metric.

    Ours are tested by themselves, so that Holm's correction of the paper's rows does not count
    them.
    """
    is_ours = scores["method"].isin(beside)
    is_baseline = scores["method"].isin(BASELINES)
    tests = compare(scores[~is_ours])
    # the baselines come again, since each row is compared with the best of them
    tests_beside = compare(scores[is_ours | is_baseline])
    tests_of_ours = tests_beside[tests_beside["method"].isin(beside)]
    return pd.concat([tests, tests_of_ours], ignore_index=True)


def bounds(topics: Sequence[Prepared], seed: int) -> Iterator[pd.DataFrame]:
    """Score Random, which says what chance finds, and Oracle, which no method can be above."""
    rng = np.random.default_rng(seed)
    shapes = [topic.relevant.shape for topic in topics]
    # (draws, topics) of arrays (citances, spans)
    draws = [[*map(rng.random, shapes)] for _ in range(DRAWS)]
    frames = [measure_rows(topics, {"Random": scores}) for scores in draws]
    yield average(pd.concat(frames))
    yield measure_rows(topics, {"Oracle": map(oracle, topics)})


def oracle(topic: Prepared) -> Floats:
    """Score sentences so that the first k have the highest c-F together that k sentences can have.

    F of k sentences is a ratio of sums, 2 Σ hits / (Σ length + marked). Those are best whose
    2 hits - F length add up to most, for the F that they have (Dinkelbach's method).
    """
    chars = topic.candidates.chars
    hits = count_marked(chars[None], topic.marked)  # (citances, spans)
    lengths = np.diff(chars)[:, 0]
    sizes = np.diff(topic.marked).sum(axis=(1, 2))
    f = np.zeros((len(hits), 1))
    for _ in range(ROUNDS):
        worth = 2 * hits - f * lengths  # (citances, spans)
        best = np.argsort(-worth, axis=1, kind="stable")[:, : topic.protocol.k]
        held = np.take_along_axis(hits, best, axis=1).sum(axis=1)
        f = (2 * held / (lengths[best].sum(axis=1) + sizes))[:, None]
    return worth
