"""sigir2017 Table 4: do contexts make better summaries than citances alone (§3.2)?"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from citectx import parallel
from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.evaluation import bootstrap_interval, rouge
from citectx.evaluation.rouge import Multi
from citectx.experiments.contextualization import Prepared, Protocol, settings, splitter_of
from citectx.experiments.report import BASELINES, compare
from citectx.experiments.results import COLUMNS, Result, fingerprint, params_json
from citectx.experiments.tuning import Chosen, applicable, choose
from citectx.language.idf import open_idf
from citectx.language.text import SentenceSplitter
from citectx.papers.sigir2017.summaries import (
    NO_CONTEXT,
    Material,
    gather,
    prepare_all,
    with_abstract_as_reference,
)
from citectx.profiles import resources_of
from citectx.retrieval import MODELS
from citectx.summarization import SUMMARIZERS, Budget, Lead, Random, Summarizer, summary
from citectx.summarization.peers import Sumy

NAME = "sigir2017_table4"
METHODS = tuple(name for name in MODELS if name not in ("DFR", "LMD"))
"""The paper's rows, and WE_Dom for corpora that are not biomedical."""

WORDS = 250
"""Longest summary that TAC 2014 asked for."""
SEEDS = 20
"""Random summaries that are averaged."""
PEER_TOPICS = 50
CHUNK = 5
"""Topics that a process takes at a time."""
KINDS = {"RG-1": "rouge1", "RG-2": "rouge2"}
MAIN = tuple(f"{name} {kind}" for name in SUMMARIZERS for kind in KINDS)
"""The columns of the paper's table."""


@dataclass(frozen=True)
class Settings:
    """How summaries are made and scored.

    Parameters
    ----------
    words : int
        Ambiguity: sigir2017 does not give the length of its summaries; TAC 2014 asked for 250 words.
    stem : bool
        Ambiguity: sigir2017 does not say whether ROUGE stemmed.
    peers : tuple of str
        Summarizers of sumy to add as further columns, keys of `citectx.summarization.peers.CLASSES`. They are
        slow, KLSUM above all, so only corpora of up to `PEER_TOPICS` topics get them.
    """

    words: int = WORDS
    stem: bool = False
    peers: tuple[str, ...] = ()


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol | None = None,
    how: Settings | None = None,
    *,
    tuned_on: Mapping[str, Corpus] | None = None,
    folds: int = 10,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = True,
) -> Result:
    """Summarize the citances of each topic, alone and with the contexts of every method.

    Source: sigir2017 §3.2, Table 4. Values are means over topics, in percent, with 95 % intervals from a
    bootstrap over topics. ``p_value`` is a two-tailed paired t-test over topics against the best baseline.

    Beside the paper's columns (KLSUM RG-1 …) stand the same with a word behind them: ``recall``, ``pooled``
    (over references, as the ROUGE script does) and ``reference length`` (as long as the references are);
    ``citances used`` is the share of the topic's citances that the summary quotes, ``context words`` that of
    its words that come from contexts. Columns LEAD, Random and sumy-… are other summarizers.

    Ambiguity: the paper gives one number for each ROUGE-N without saying whether it is P, R or F. Ours is F
    of the reference that fits best.

    Parameters
    ----------
    corpora : sequence of Corpus
        Topics with summaries are compared with those of people; in a corpus without summaries the abstract is
        the reference, and contexts then come from the rest of the article.
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`; `NO_CONTEXT` comes by itself.
    protocol : Protocol, optional
    how : Settings, optional
    tuned_on : mapping of corpus name to Corpus, optional
        Where the parameters of a method come from if not from cross-validation on the corpus itself: needed
        for a corpus without annotated evidence.
    folds, seed : int
    jobs : int
        Processes that topics are dealt out to; the results do not depend on it.
    progress : bool

    Returns
    -------
    Result
        Its scores have a row for each topic and method. The extra table ``tests`` compares with the best
        baseline, ``against_none`` with the summaries of the citances alone.

    Raises
    ------
    DataError
        If no topic of a corpus has both citances and a reference summary.
    """
    started = time.perf_counter()
    protocol, how = protocol or Protocol(), how or Settings()
    parts = []
    chosen: dict[str, dict[str, Chosen]] = {}
    for corpus in corpora:
        source = (tuned_on or {}).get(corpus.name, corpus)
        rows, prepared = applicable(corpus.name, methods), _prepared(corpus, protocol)
        if source.name not in chosen:
            chosen[source.name] = _chosen(source, rows, protocol, folds, jobs, progress)
        models = {name: chosen[source.name][name] for name in rows}
        scores = _scores(corpus, prepared, models, how, jobs, progress)
        shared = settings(protocol, folds=folds, tuned_on=source.name, words=how.words, stem=how.stem)
        parts.append(_summarise(corpus.name, scores, shared, seed))
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    table, scores = joined.pop("table"), joined.pop("scores")
    data = {corpus.name: fingerprint(corpus) for corpus in (*corpora, *(tuned_on or {}).values())}
    return Result(NAME, table, scores, joined, data, time.perf_counter() - started)


def sample(corpus: Corpus, topics: int | None) -> Corpus:
    """Take so many topics of a corpus, evenly spaced; None, or more than there are, takes all.

    >>> from citectx.corpora import Document, Topic
    >>> corpus = Corpus("five", tuple(Topic(name, Document(name, "Cells."), ()) for name in "abcde"))
    >>> [topic.topic_id for topic in sample(corpus, 2)]
    ['a', 'c']
    """
    if topics is None or topics >= len(corpus):
        return corpus
    places = np.linspace(0, len(corpus), topics, endpoint=False).round().astype(int)
    return replace(corpus, topics=tuple(corpus.topics[i] for i in places))


def references_of(corpus: Corpus) -> dict[str, dict[str, str]]:
    """Return the summaries that each topic's are compared with: those by people, else the abstract.

    What we saw: of the 40 training topics of CL-SciSumm 39 have a community summary, 37 a human one, 39 an
    abstract in a file; the 779 of ScisummNet have a human summary and an abstract each. Where people wrote
    summaries, the abstract is no reference. Topics without any, in a corpus that has them, are left out.
    """
    if not any(t.summaries for t in corpus):
        with_abstract = [with_abstract_as_reference(t) for t in corpus]
        return {t.topic_id: dict(t.summaries) for t in with_abstract}
    return {
        t.topic_id: {k: s for k, s in t.summaries.items() if k != "abstract" and s.split()} for t in corpus
    }


def materials(
    corpus: Corpus, models: Mapping[str, Chosen], protocol: Protocol, topics: Sequence[str] | None = None
) -> list[Material]:
    """Collect the sentences of each topic, see `citectx.papers.sigir2017.summaries.gather`."""
    references, splitter = references_of(corpus), splitter_of(corpus)
    wanted = [
        p for p in prepare_all(corpus, references, protocol) if not topics or p.topic.topic_id in topics
    ]
    return [_gathered(p, references[p.topic.topic_id], models, splitter, corpus.name) for p in wanted]


def _gathered(
    prepared: Prepared,
    references: Mapping[str, str],
    models: Mapping[str, Chosen],
    splitter: SentenceSplitter,
    corpus: str,
) -> Material:
    mine = {name: chosen.of(prepared.topic.topic_id) for name, chosen in models.items()}
    return gather(prepared, mine, references, splitter, open_idf(resources_of(corpus).domain))


def _chosen(
    source: Corpus, methods: Sequence[str], protocol: Protocol, folds: int, jobs: int, progress: bool
) -> dict[str, Chosen]:
    tuning = partial(choose, source, protocol=protocol, folds=folds)
    label = f"{source.name}: tuning"
    found = parallel.run(tuning, [[name] for name in methods], jobs=jobs, label=label, progress=progress)
    return {name: chosen for part in found for name, chosen in part.items()}


Item = tuple[Prepared, Mapping[str, str]]
"""A topic and the summaries that others are compared with."""


def _prepared(corpus: Corpus, protocol: Protocol) -> list[Item]:
    references = references_of(corpus)
    prepared = prepare_all(corpus, references, protocol)
    if not prepared:
        raise DataError("no topic has both citances and a reference summary", file=corpus.name)
    return [(p, references[p.topic.topic_id]) for p in prepared]


def _scores(
    corpus: Corpus,
    items: Sequence[Item],
    models: Mapping[str, Chosen],
    how: Settings,
    jobs: int,
    progress: bool,
) -> pd.DataFrame:
    """Score every method on every topic."""
    if len(items) > PEER_TOPICS:
        how = replace(how, peers=())
    score = partial(_score_topics, models=models, splitter=splitter_of(corpus), corpus=corpus.name, how=how)
    label = f"{corpus.name}: summaries, {CHUNK} topics a step"
    chunks = parallel.chunks(items, CHUNK)
    frames = parallel.run(score, chunks, jobs=jobs, label=label, progress=progress)
    return pd.concat(frames, ignore_index=True)


def _score_topics(
    items: Sequence[Item],
    models: Mapping[str, Chosen],
    splitter: SentenceSplitter,
    corpus: str,
    how: Settings,
) -> pd.DataFrame:
    rows = []
    for prepared, references in items:
        material = _gathered(prepared, references, models, splitter, corpus)
        for name in material.rows:
            key = {"topic": prepared.topic.topic_id, "citance": "", "method": name}
            rows.append(key | score_row(material, name, how))
    return pd.DataFrame(rows)


def score_row(material: Material, method: str, how: Settings) -> dict[str, float]:
    """Score all summarizers on what a method may use of a topic: metric by name, in percent."""
    rows = material.rows[method]
    pool, scores = material.pool.take(rows), dict[str, float]()
    references = list(material.references.values())
    long = Budget(words=how.words)
    short = Budget(words=max(1, round(np.mean([len(r.split()) for r in references]))))
    for name, summarizer in SUMMARIZERS.items():
        chosen = summarizer.choose(pool, long)
        text = summary(pool, chosen, long)
        scores |= _rouge(name, text, references, how)
        scores |= _rouge(name, text, references, how, part="recall")
        scores |= _rouge(name, text, references, how, multi="pooled")
        as_long = summary(pool, summarizer.choose(pool, short), short)
        scores |= _rouge(name, as_long, references, how, ending="reference length")
        scores[f"{name} citances used"] = 100 * material.used(rows[chosen].tolist())
        scores[f"{name} context words"] = 100 * material.from_contexts(rows[chosen].tolist())
    others: dict[str, Summarizer] = {"LEAD": Lead()}
    others |= {f"sumy-{name}": Sumy(name) for name in how.peers}
    for name, summarizer in others.items():
        scores |= _rouge(name, summary(pool, summarizer.choose(pool, long), long), references, how)
    drawn = [summary(pool, Random(seed).choose(pool, long), long) for seed in range(SEEDS)]
    random = pd.DataFrame([_rouge("Random", text, references, how) for text in drawn]).mean()
    return scores | {str(k): float(v) for k, v in random.items()}


def _rouge(
    name: str,
    text: str,
    references: Sequence[str],
    how: Settings,
    *,
    multi: Multi = "best",
    part: Literal["f1", "recall"] = "f1",
    ending: str = "",
) -> dict[str, float]:
    found = rouge(text, references, tuple(KINDS.values()), how.stem, multi)
    words = [ending, multi if multi != "best" else "", part if part != "f1" else ""]
    return {
        " ".join([name, kind, *filter(None, words)]): 100 * getattr(found[key], part)
        for kind, key in KINDS.items()
    }


def _summarise(
    corpus: str, scores: pd.DataFrame, shared: dict[str, Any], seed: int
) -> dict[str, pd.DataFrame]:
    metrics = [c for c in scores.columns if c not in ("topic", "citance", "method")]
    tests = compare(scores, seed, BASELINES, MAIN)
    against_none = compare(scores, seed, [NO_CONTEXT], MAIN)
    p_values = tests.set_index(["method", "metric"])["t_test"]
    params = params_json(shared)
    rows = []
    for method, own in scores.groupby("method", sort=False):
        for metric in metrics:
            low, high = bootstrap_interval(own[metric], seed=seed)
            p = p_values.get((method, metric), np.nan)
            rows.append(
                (NAME, corpus, method, metric, own[metric].mean(), low, high, p, len(own), params, seed)
            )
    return {
        "table": pd.DataFrame(rows, columns=COLUMNS),
        "scores": scores.assign(corpus=corpus)[["corpus", *scores.columns]],
        "tests": tests.assign(corpus=corpus)[["corpus", *tests.columns]],
        "against_none": against_none.assign(corpus=corpus)[["corpus", *against_none.columns]],
    }


def reference_lengths(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Count topics with reference summaries, these summaries, and their words: a row for each corpus."""
    rows = {}
    for corpus in corpora:
        found = [r for r in references_of(corpus).values() if r]
        words = [len(text.split()) for r in found for text in r.values()]
        rows[corpus.name] = [len(found), len(words), min(words), int(np.median(words)), max(words)]
    return pd.DataFrame(rows, index=["topics", "summaries", "fewest words", "median", "most words"]).T


WAYS = {
    "F, best reference": "",
    "recall": " recall",
    "F, pooled": " pooled",
    "F, shorter": " reference length",
}


def by_scoring(table: pd.DataFrame, kind: str = "RG-2") -> pd.DataFrame:
    """Average the summarizers under each way of scoring (`WAYS`), beside LEAD and Random.

    Returns
    -------
    DataFrame
        Indexed by corpus and method.
    """
    wide = table.pivot_table(index=["corpus", "method"], columns="metric", values="value", sort=False)
    means = {
        way: wide[[f"{name} {kind}{ending}" for name in SUMMARIZERS]].mean(axis=1)
        for way, ending in WAYS.items()
    }
    return pd.DataFrame(means | {name: wide[f"{name} {kind}"] for name in ("LEAD", "Random")})


def tally(tests: pd.DataFrame) -> pd.DataFrame:
    """Count, for each row, the columns in which its interval lies above or below what it is compared with."""
    better, worse = tests["ci_low"] > 0, tests["ci_high"] < 0
    counted = tests.assign(better=better, worse=worse, **{"smallest p (Holm)": tests["t_test_holm"]})
    how = {"difference": "mean", "better": "sum", "worse": "sum", "smallest p (Holm)": "min"}
    return counted.groupby(["corpus", "method"], sort=False).agg(how)
