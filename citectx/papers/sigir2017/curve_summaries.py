"""sigir2017 Table 4 under one reading of what the paper leaves open: see `citectx.ledger.readings`.

The control is made of as many sentences of the article, drawn without looking; its scores are means
over several draws, of which Table 4 has the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import rouge
from citectx.evaluation.rouge import lines_of
from citectx.experiments.contextualization import DEFAULT, Prepared, prepare, splitter_of
from citectx.experiments.tuning import Tuned, applicable, tune, variants
from citectx.language.idf import Idf, open_idf
from citectx.language.text import Analyzer, SentenceSplitter, StopWords, stem, stop_words
from citectx.papers.sigir2017.curve import FOLDS, data, source
from citectx.papers.sigir2017.summaries import RANDOM_CONTEXT, Material, gather, prepare_all
from citectx.papers.sigir2017.table4 import references_of
from citectx.profiles import resources_of
from citectx.summarization import SUMMARIZERS, Budget, Pool, Summarizer, summary, within
from citectx.summarization.base import Rarity
from citectx.summarization.summarizers import LexRank
from citectx.types import Floats, Span

__all__ = ["data", "scores"]

MODELS = ("WE_Bio", "WE_Bio+dmn")
DRAWS = 5
"""Random contexts of each citance, of whose scores the mean is taken."""
MOST = 50
"""So many sentences are drawn for a citance, as those of the abstract may not be used."""

COLUMNS = {"LexRank RG-1": "rouge1", "LexRank RG-2": "rouge2"}
"""Named as in Table 4, whichever summarizer a reading takes."""

READ: Mapping[str, Summarizer] = {
    **SUMMARIZERS,
    "LexRank, continuous": LexRank(threshold=None),
}
PARTS = {"F": "f1", "recall": "recall", "precision": "precision"}
ALIKE = 0.7
"""Sentences whose cosine is at least this say the same: MEAD's own setting."""

Choices = Mapping[str, Any]


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their control, topic by topic.

    Parameters
    ----------
    corpus : str
    choices : mapping of str to object
        One of each reading in ``readings-summaries.toml``.

    Returns
    -------
    DataFrame
        Columns topic, citance (empty), method and `COLUMNS`, in percent.
    """
    size, rows = choices["max_sentences"], list[dict[str, Any]]()
    found = _scored(corpus, size, choices["denominator"])
    for prepared, own in zip(_topics(corpus, choices["k"], size), found, strict=True):
        material = _material(corpus, prepared, own, choices)
        about = {"topic": prepared.topic.topic_id, "citance": ""}
        rows += [about | row for row in _rows(corpus, material, choices)]
    return pd.DataFrame(rows)


@cache
def _tuned(corpus: str, denominator: str) -> dict[str, Tuned]:
    """Tune each model as Table 1 does, with one reading of Eq. 2."""
    topics, found = prepare(source(corpus), DEFAULT), dict[str, Tuned]()
    for name in applicable(corpus, MODELS):
        candidates = variants(name, corpus, denominator=[denominator])
        found[name] = tune(topics, candidates, FOLDS)
    return found


@cache
def _references(corpus: str) -> dict[str, dict[str, str]]:
    return references_of(source(corpus))


@cache
def _splitter(corpus: str) -> SentenceSplitter:
    return splitter_of(source(corpus))


@cache
def _topics(corpus: str, k: int, max_sentences: int) -> list[Prepared]:
    """Prepare the topics that have a summary to compare with."""
    names = [topic for topic, texts in _references(corpus).items() if texts]
    protocol = replace(DEFAULT, k=k, max_sentences=max_sentences)
    return prepare_all(source(corpus), names, protocol)


@cache
def _scored(corpus: str, max_sentences: int, denominator: str) -> list[dict[str, Floats]]:
    """Score the candidates of each topic by each model."""
    tuned, found = _tuned(corpus, denominator), []
    for prepared in _topics(corpus, DEFAULT.k, max_sentences):
        chosen = {name: own.of(prepared.topic.topic_id) for name, own in tuned.items()}
        found.append({name: prepared.scores(model) for name, model in chosen.items()})
    return found


def _material(
    corpus: str, prepared: Prepared, found: Mapping[str, Floats], choices: Choices
) -> Material:
    """Collect what each row may use, with further draws beside Table 4's."""
    drawn = {f"{RANDOM_CONTEXT} {i}": _drawn(prepared, i) for i in range(1, DRAWS)}
    return gather(
        prepared,
        found,
        _references(corpus)[prepared.topic.topic_id],
        _splitter(corpus),
        drawn=drawn,
        strip_markers=choices["markers"] == "removed",
        once=choices["repeated"] == "once",
    )


def _drawn(prepared: Prepared, draw: int) -> list[list[Span]]:
    """Draw candidates for each citance; the topic's name and the draw are the seed."""
    rng = np.random.default_rng([*prepared.topic.topic_id.encode(), draw])
    size = min(MOST, len(prepared.candidates))
    draws = [rng.choice(len(prepared.candidates), size, replace=False) for _ in prepared.citances]
    return [prepared.candidates.spans(places) for places in draws]


def _rows(corpus: str, material: Material, choices: Choices) -> Iterator[dict[str, Any]]:
    """Yield the scores of each row; those of the control are means over its draws."""
    references = [*material.references.values()]
    rarity = None if choices["idf"] == "topic" else _rarity(corpus, stemmed=choices["stem"])
    found: dict[str, list[dict[str, float]]] = {}
    for name, which in material.rows.items():
        texts = tuple(material.pool.texts[i] for i in which)
        text = _summary(texts, references, rarity, choices)
        row = RANDOM_CONTEXT if name.startswith(RANDOM_CONTEXT) else name
        found.setdefault(row, []).append(_rouge(text, references, choices))
    for name, each in found.items():
        means = {column: float(np.mean([own[column] for own in each])) for column in COLUMNS}
        yield {"method": name, **means}


@cache
def _rarity(corpus: str, *, stemmed: bool) -> Rarity:
    """Return idf in the field; a stem is as frequent as the most frequent word that has it."""
    listed = open_idf(resources_of(corpus).domain)
    if not stemmed:
        return listed.__getitem__
    frequencies = dict[str, int]()
    for word, frequency in listed.frequencies.items():
        root = stem(word)
        frequencies[root] = max(frequency, frequencies.get(root, 0))
    return Idf(listed.documents, frequencies, listed.least).__getitem__


def _summary(
    texts: Sequence[str], references: Sequence[str], rarity: Rarity | None, choices: Choices
) -> str:
    """Summarize sentences."""
    pool = Pool.of(texts, partial(_terms, choices["stem"], choices["stop_words"]), rarity)
    order = READ[choices["summarizer"]].order(pool)
    if choices["redundancy"] == "skipped":
        order = _unlike(pool, order)
    budget = Budget(words=_length(choices["words"], references))
    chosen = within(pool, order, budget)
    if choices["last"] == "cut":
        return summary(pool, chosen, budget)
    return "\n".join(pool.texts[i] for i in chosen)


@lru_cache(maxsize=1 << 16)  # readings share their sentences
def _terms(stemmed: bool, stopped: StopWords, text: str) -> tuple[str, ...]:
    return tuple(Analyzer(stem=stemmed, stop_words=stopped)(text))


def _unlike(pool: Pool, order: Iterator[int]) -> Iterator[int]:
    """Skip sentences that are like one before them.

    >>> pool = Pool.of(["Cells rest.", "Mice rest.", "Cells rest."])
    >>> list(_unlike(pool, iter([0, 2, 1])))
    [0, 1]
    """
    chosen: list[int] = []
    for i in order:
        if not (pool.similarity[i, chosen] >= ALIKE - 1e-9).any():
            chosen.append(i)
            yield i


def _length(words: str, references: Sequence[str]) -> int:
    """Return the limit in words.

    >>> _length("250", ["Cells rest."]), _length("as the reference", ["Cells rest."])
    (250, 2)
    """
    if words.isdecimal():
        return int(words)
    return max(1, round(np.mean([len(text.split()) for text in references])))


def _rouge(text: str, references: Sequence[str], choices: Choices) -> dict[str, float]:
    """Score a summary by the reference that fits best, as Table 4 does."""
    how = choices["rouge_stem"], choices["rouge_stop_words"]
    wanted = [_words(reference, *how) for reference in references]
    found = rouge(_words(text, *how), wanted, tuple(COLUMNS.values()), multi="best")
    part = PARTS[choices["part"]]
    return {column: 100 * getattr(found[kind], part) for column, kind in COLUMNS.items()}


def _words(text: str, stemmed: bool, stopped: StopWords) -> str:
    """Leave the words of a text that ROUGE counts; it stems those of four letters or more.

    As ROUGE 1.5.5 does, by Porter's algorithm as published; its stop words are ours.

    >>> _words("The cells divided.", True, "english")
    'cell divid'
    """
    left = [word for line in lines_of(text) for word in line if word not in stop_words(stopped)]
    return " ".join(stem(word) if stemmed and len(word) > 3 else word for word in left)
