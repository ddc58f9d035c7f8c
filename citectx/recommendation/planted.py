"""A made-up collection with known preferences, for lessons and tests: training must find them.

Each article has its own words for each class. A citation of class X takes its words from a sentence
of the cited article whose class `PREFERENCES` names for X. They occur more often in other articles,
but in sentences of other classes, which lead an index without weights astray.

>>> (references, citing, marks, _), labels = plant(seed=1, articles=40, citations=20)
>>> len(references), len(citing), len(marks), len(labels)
(40, 5, 80, 45)
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from citectx.corpora.coresc import CLASSES
from citectx.corpora.full_texts import CitationMark, FullTexts
from citectx.corpora.model import Document
from citectx.paths import PACKAGE
from citectx.recommendation.collection import Labels
from citectx.types import Span

PREFERENCES: Mapping[str, tuple[str, ...]] = {
    "Bac": ("Bac",),
    "Con": ("Con", "Res"),
    "Met": ("Met", "Exp"),
    "Res": ("Obs", "Res"),
}
"""Which sentences of a cited article a citation speaks of, by the class of the citing sentence."""

_OWN, _ASKED = 4, 3  # words that a class of an article has, and that a query asks for
_STRAY = 4  # other articles that hold the words of a class, each twice, where they should not count
_SHARED = 16  # citations of one citing article

_LISTS = (PACKAGE / "recommendation" / "planted.txt").read_text("utf-8").splitlines()
_FIRST, _SECOND, _ADJECTIVES, _NOUNS, _VERBS = (line.split() for line in _LISTS)
"""Our own words; two of the first lists make a term that nothing else has, as in "mousekinase"."""


Passages = list[tuple[str, list[str], str]]
"""What sentences are about: their class, their words, and what stands before the full stop."""

_NOTHING: tuple[str, list[str], str] = ("Bac", [], "")


def plant(
    *,
    seed: int = 0,
    articles: int = 120,
    citations: int = 40,
    preferences: Mapping[str, Sequence[str]] = PREFERENCES,
) -> tuple[FullTexts, dict[str, Labels]]:
    """Make up articles to cite, citing articles with their marks, and the labels of sentences."""
    rng = np.random.default_rng(seed)
    terms = ["".join(parts) for parts in product(_FIRST, _SECOND)]
    shape = (articles, len(CLASSES), _OWN)
    words_of = rng.choice(terms, size=shape, replace=False).tolist()  # all different
    labels: dict[str, Labels] = {}
    references = []
    for i, passages in enumerate(_articles(words_of, rng)):
        references.append(_document(f"R{i:03d}", passages, labels, rng))
    asked = [(kind, t) for kind in preferences for t in rng.integers(articles, size=citations)]
    order = rng.permutation(len(asked))
    citing = []
    marks: list[CitationMark] = []
    for number, part in enumerate(np.array_split(order, max(1, len(asked) // _SHARED))):
        name = f"C{number:02d}"
        cited = [asked[j] for j in part]
        passages = []
        for i, (kind, target) in enumerate(cited, 1):
            preferred = CLASSES.index(rng.choice(preferences[kind]))
            words = rng.choice(words_of[target][preferred], _ASKED, replace=False).tolist()
            passages += [_NOTHING, (kind, words, f" [{i}]"), _NOTHING]
        citing.append(_document(name, passages, labels, rng))
        brackets = re.finditer(r"\[(\d+)\]", citing[-1].text)
        for bracket, (_, target) in zip(brackets, cited, strict=True):
            marks.append(CitationMark(name, f"R{target:03d}", Span(*bracket.span(1))))
    return FullTexts(tuple(references), tuple(citing), tuple(marks)), labels


def _articles(words_of: Sequence[Sequence[list[str]]], rng: np.random.Generator) -> list[Passages]:
    """Say what each sentence of each article is about: its words, and those of other articles."""
    articles = []
    for words in words_of:
        articles.append([(kind, own, "") for kind, own in zip(CLASSES, words, strict=True)])
    for target, k, _ in product(range(len(articles)), range(len(CLASSES)), range(_STRAY)):
        other = rng.integers(len(articles))
        c = rng.integers(len(CLASSES))
        if other != target and c != k:
            articles[other].append((CLASSES[c], words_of[target][k] * 2, ""))
    return articles


def _document(
    doc_id: str, passages: Passages, labels: dict[str, Labels], rng: np.random.Generator
) -> Document:
    """Write an article, and note the classes of its sentences."""
    text = ""
    labels[doc_id] = []
    for kind, words, end in passages:
        sentence = _sentence(words, end, rng)
        span = Span(len(text), len(text) + len(sentence))
        labels[doc_id].append((span, kind))
        text += sentence + " "
    return Document(doc_id, text.rstrip())


def _sentence(words: Sequence[str], end: str, rng: np.random.Generator) -> str:
    """Write a sentence about some words."""
    a, b = rng.choice(_ADJECTIVES, 2).tolist()
    c, d = rng.choice(_NOUNS, 2).tolist()
    subject = f" of {', '.join(words[:-1])} and {words[-1]}" if words else ""
    return f"The {a} {c}{subject} {rng.choice(_VERBS)} the {b} {d}{end}."
