"""What sigir2017 leaves open of summaries, and Table 4 under one reading of it.

The choice that Table 4 has comes first. Given, so no readings: the four summarizers, what they
choose from (citances, with or without contexts). Of Eq. 2 only its denominator, which Table 1
depends on most; all parameters are those that Table 1's cross-validation finds, as the paper tunes
none for summaries. No entry: how references are combined (Citation-Integrity has one, the abstract,
of which contexts may then take nothing), KLSum's smoothing, LSA's share of topics and other details
of what a summarizer's own paper leaves open. The claims do not say which of the four summarizers
they are about; the effect that the paper prints is LexRank's.

How blind this is: Table 4 has shown recall, 100 words and the references' length before; nothing
else was tried.

The control is made of as many sentences of the article, drawn without looking; its scores are means
over several draws, of which Table 4 has the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.embeddings.vectors import fingerprint_of
from citectx.evaluation import rouge
from citectx.evaluation.rouge import lines_of
from citectx.experiments.contextualization import DEFAULT, Prepared, prepare, splitter_of
from citectx.experiments.results import fingerprint
from citectx.experiments.tuning import Tuned, applicable, tune, variants
from citectx.language.idf import Idf, open_idf
from citectx.language.text import Analyzer, StopWords, stem, stop_words
from citectx.ledger.readings import Choices, Curve, Headline, Reading
from citectx.papers.sigir2017.summaries import NO_CONTEXT, RANDOM_CONTEXT, gather, prepare_all
from citectx.papers.sigir2017.table4 import references_of
from citectx.profiles import resources_of
from citectx.storage import digest
from citectx.summarization import SUMMARIZERS, Budget, Pool, Summarizer, summary, within
from citectx.summarization.base import Rarity
from citectx.summarization.summarizers import LexRank
from citectx.types import Floats, Span

MODELS = ("WE_Bio", "WE_Bio+dmn")
DRAWS = 5
"""Random contexts of each citance, of whose scores the mean is taken."""
MOST = 50
"""So many sentences are drawn for a citance, as those of the abstract may not be used."""

COLUMNS = {"LexRank RG-1": "rouge1", "LexRank RG-2": "rouge2"}
"""Named as in Table 4, whichever summarizer a reading takes."""

READ: Mapping[str, Summarizer] = SUMMARIZERS | {"LexRank, continuous": LexRank(threshold=None)}
PARTS = {"F": "f1", "recall": "recall", "precision": "precision"}
ALIKE = 0.7
"""Sentences whose cosine is at least this say the same: MEAD's own setting."""

load = cache(profiles.load)


@cache
def data(corpus: str) -> str:
    """Hash what scores are computed from: the corpus and the vectors of its domain."""
    resources = resources_of(corpus)
    vectors = [fingerprint_of(f"{resources.domain}-{kind}") for kind in resources.kinds]
    return digest(fingerprint(load(corpus)), resources, vectors)


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their control, topic by topic.

    `COLUMNS` in percent, for each part of ROUGE.
    """
    size = choices["max_sentences"]
    splitter = splitter_of(load(corpus))
    rows = []
    how = {"strip_markers": choices["markers"] == "removed", "once": choices["repeated"] == "once"}
    found = scored(corpus, size, choices["denominator"])
    ready = topics(corpus, choices["k"], size)
    for prepared, own in zip(ready, found, strict=True):
        topic = prepared.topic.topic_id
        written = references(corpus)[topic]
        wanted = [*written.values()]
        drawn = {f"{RANDOM_CONTEXT} {i}": draw(prepared, i) for i in range(1, DRAWS)}
        material = gather(prepared, own, written, splitter, drawn=drawn, **how)
        for name, which in material.rows.items():
            row = RANDOM_CONTEXT if name.startswith(RANDOM_CONTEXT) else name
            texts = [material.pool.texts[i] for i in which]
            text = summarize(corpus, texts, wanted, choices)
            for measured in measure(text, wanted, choices):
                rows.append({"topic": topic, "citance": "", "method": row} | measured)
    keys = ["topic", "citance", "method", "part"]
    return pd.DataFrame(rows).groupby(keys, sort=False).mean().reset_index()


@cache
def tuned(corpus: str, denominator: str) -> dict[str, Tuned]:
    """Tune each model as Table 1 does, with one reading of Eq. 2."""
    ready = prepare(load(corpus), DEFAULT)
    found: dict[str, Tuned] = {}
    for name in applicable(corpus, MODELS):
        models = variants(name, corpus, denominator=[denominator])
        found[name] = tune(ready, models, 10)
    return found


@cache
def references(corpus: str) -> dict[str, dict[str, str]]:
    """Return the summaries of each topic that others are compared with."""
    found = references_of(load(corpus))
    return {topic: texts for topic, texts in found.items() if texts}


@cache
def topics(corpus: str, k: int, max_sentences: int) -> list[Prepared]:
    """Prepare the topics that have a summary to compare with."""
    protocol = replace(DEFAULT, k=k, max_sentences=max_sentences)
    return prepare_all(load(corpus), [*references(corpus)], protocol)


@cache
def scored(corpus: str, max_sentences: int, denominator: str) -> list[dict[str, Floats]]:
    """Score the candidates of each topic by each model."""
    models, found = tuned(corpus, denominator), []
    for prepared in topics(corpus, DEFAULT.k, max_sentences):
        topic = prepared.topic.topic_id
        found.append({name: prepared.scores(own.of(topic)) for name, own in models.items()})
    return found


def draw(prepared: Prepared, number: int) -> list[list[Span]]:
    """Draw candidates for each citance; the topic's name and the draw are the seed."""
    seed = [*prepared.topic.topic_id.encode(), number]
    rng = np.random.default_rng(seed)
    total = len(prepared.candidates)
    size = min(MOST, total)
    draws = [rng.choice(total, size, replace=False) for _ in prepared.citances]
    return [prepared.candidates.spans(places) for places in draws]


def summarize(corpus: str, texts: Sequence[str], wanted: Sequence[str], choices: Choices) -> str:
    """Summarize sentences."""
    analyze = partial(terms, choices["stem"], choices["stop_words"])
    idf = rarity(corpus, choices["stem"]) if choices["idf"] == "field" else None
    pool = Pool.of(texts, analyze, idf)
    order = READ[choices["summarizer"]].order(pool)
    if choices["redundancy"] == "skipped":
        order = unlike(pool, order)
    words = choices["words"]
    lengths = [len(text.split()) for text in wanted]
    mean = max(1, round(np.mean(lengths)))
    budget = Budget(words=int(words) if words.isdecimal() else mean)
    chosen = within(pool, order, budget)
    if choices["last"] == "cut":
        return summary(pool, chosen, budget)
    return "\n".join(pool.texts[i] for i in chosen)


@cache
def rarity(corpus: str, stemmed: bool) -> Rarity:
    """Return idf in the field; a stem is as frequent as the most frequent word that has it."""
    listed = open_idf(resources_of(corpus).domain)
    if not stemmed:
        return listed.__getitem__
    frequencies = dict[str, int]()
    for word, frequency in listed.frequencies.items():
        root = stem(word)
        frequencies[root] = max(frequency, frequencies.get(root, 0))
    return Idf(listed.documents, frequencies, listed.least).__getitem__


@lru_cache(maxsize=1 << 16)  # readings share their sentences
def terms(stemmed: bool, stopped: StopWords, text: str) -> tuple[str, ...]:
    """Analyse a sentence once."""
    return tuple(Analyzer(stem=stemmed, stop_words=stopped)(text))


def unlike(pool: Pool, order: Iterator[int]) -> Iterator[int]:
    """Skip sentences that are like one before them.

    >>> pool = Pool.of(["Cells rest.", "Mice rest.", "Cells rest."])
    >>> list(unlike(pool, iter([0, 2, 1])))
    [0, 1]
    """
    chosen: list[int] = []
    for i in order:
        if not (pool.similarity[i, chosen] >= ALIKE - 1e-9).any():
            chosen.append(i)
            yield i


def measure(text: str, wanted: Sequence[str], choices: Choices) -> Iterator[dict[str, Any]]:
    """Yield each part of ROUGE by the reference that fits best, as Table 4 does."""
    how = choices["rouge_stem"], choices["rouge_stop_words"]
    own = words(text, *how)
    others = [words(each, *how) for each in wanted]
    found = rouge(own, others, tuple(COLUMNS.values()), multi="best")
    for part, name in PARTS.items():
        values = {at: 100 * getattr(found[kind], name) for at, kind in COLUMNS.items()}
        yield {"part": part} | values


def words(text: str, stemmed: bool, stopped: StopWords) -> str:
    """Leave the words of a text that ROUGE counts; it stems those of four letters or more.

    As ROUGE 1.5.5 does, by Porter's algorithm as published; its stop words are ours.

    >>> words("The cells divided.", True, "english")
    'cell divid'
    """
    counted = chain.from_iterable(lines_of(text))
    left = [word for word in counted if word not in stop_words(stopped)]
    return " ".join(stem(word) if stemmed and len(word) > 3 else word for word in left)


HELPS, RANDOM = (
    "context-helps-summaries",
    {RANDOM_CONTEXT: "any sentences of the article do as well"},
)
SUMMARIES = Curve(
    "sigir2017-summaries",
    corpora=("citation-integrity",),
    over="topics",
    readings={
        "summarizer": Reading(
            ("LexRank", "LexRank, continuous", "KLSUM", "LSA", "SumBasic"),
            "which summarizer the claims are about, and whether LexRank cuts similarities at 0.1",
            "citectx.summarization.summarizers:LexRank",
        ),
        "words": Reading(
            ("250", "100", "as the reference"),
            "how long summaries are",
            "citectx.papers.sigir2017.table4:WORDS",
        ),
        "last": Reading(
            ("cut", "whole"),
            "whether the last sentence is cut at the limit or kept whole",
            "citectx.summarization.base:Budget",
        ),
        "part": Reading(
            ("F", "recall", "precision"),
            "whether ROUGE is F, recall or precision",
            "citectx.papers.sigir2017.table4:run",
        ),
        "rouge_stem": Reading(
            (False, True),
            "whether ROUGE stems words",
            "citectx.evaluation.rouge:rouge",
        ),
        "rouge_stop_words": Reading(
            ("none", "english"),
            "which stop words ROUGE leaves out",
            "citectx.evaluation.rouge:rouge",
        ),
        "stem": Reading(
            (False, True),
            "whether summarizers stem words",
            "citectx.summarization.base:Pool.of",
        ),
        "stop_words": Reading(
            ("english", "function", "none"),
            "which stop words summarizers leave out",
            "citectx.summarization.base:Pool.of",
        ),
        "idf": Reading(
            ("field", "topic"),
            "what idf is counted in: articles of the field, or the sentences to choose from",
            "citectx.summarization.base:Pool.of",
        ),
        "redundancy": Reading(
            ("kept", "skipped"),
            "whether a sentence is skipped that resembles a chosen one (cosine of 0.7 or more, as "
            "in MEAD)",
            "citectx.summarization.summarizers:LexRank",
        ),
        "markers": Reading(
            ("removed", "kept"),
            "whether citation markers are part of the citances",
            "citectx.papers.sigir2017.summaries:gather",
        ),
        "repeated": Reading(
            ("once", "each time"),
            "how often a sentence is there that is context of several citances",
            "citectx.papers.sigir2017.summaries:gather",
        ),
        "k": Reading(
            (3, 1, 5),
            "how many contexts a citance has",
            "citectx.papers.sigir2017.summaries:gather",
        ),
        "max_sentences": Reading(
            (1, 2),
            "whether a context is a sentence or may be two, as in naacl2015",
            "citectx.experiments.contextualization:Protocol",
        ),
        "denominator": Reading(
            ("article", "length", "query", "embedding"),
            "what V is, over which Eq. 2 sums in the denominator",
            "citectx.retrieval.embedding_lm:EmbeddingLM",
        ),
    },
    headlines=(
        Headline(HELPS, "WE_Bio", (NO_CONTEXT,), "LexRank RG-1", RANDOM),
        Headline(HELPS, "WE_Bio", (NO_CONTEXT,), "LexRank RG-2", RANDOM),
        Headline("dmn-beats-no-context", "WE_Bio+dmn", (NO_CONTEXT,), "LexRank RG-1", RANDOM),
    ),
    scores=scores,
    data=data,
    takes="a minute",
)
