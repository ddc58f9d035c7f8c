"""Rankings of an article's 300 sentences: ours against sumy's, and against numpy by hand.

Each contender starts from the sentences, whose words are between spaces, and puts all of them in
order. Ours starts from nothing each time, though in a table all four share what is counted and
multiplied. Text is drawn from Zipf's law with a fixed seed. sumy reads the same four papers
differently, so its order is another; those by hand do what ours do.
"""

from collections.abc import Callable
from functools import partial
from operator import eq

import numpy as np
from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.kl import KLSummarizer
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.lsa import LsaSummarizer
from sumy.summarizers.sum_basic import SumBasicSummarizer

from benchmarks.race import Race, race
from citectx.summarization import SUMMARIZERS, Pool

SENTENCES = 300


def make_text() -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(6000)])
    frequencies = 1 / np.arange(1, len(words) + 1)
    lengths = rng.integers(8, 24, SENTENCES)
    return [" ".join(rng.choice(words, n, p=frequencies / frequencies.sum())) for n in lengths]


class Spaces:
    """What sumy asks for the words of a sentence."""

    to_words = staticmethod(str.split)


def counted(texts: list[str]) -> np.ndarray:
    """Count words, shape (sentences, words), the words in alphabetical order."""
    split = [text.split() for text in texts]
    _, column = np.unique([word for words in split for word in words], return_inverse=True)
    row = np.repeat(np.arange(len(split)), [len(words) for words in split])
    width = column.max() + 1
    cells = np.bincount(row * width + column, minlength=len(split) * width)
    return cells.reshape(len(split), width).astype(np.float64)


def weighted(counts: np.ndarray) -> np.ndarray:
    """Weigh counts by ln(n / df) + 1."""
    values: np.ndarray = counts * (np.log(len(counts) / (counts > 0).sum(axis=0)) + 1)
    return values


def falling(scores: np.ndarray) -> list[int]:
    order: list[int] = np.argsort(-scores.round(9), kind="stable").tolist()
    return order


def lexrank(texts: list[str]) -> list[int]:
    """Cosine above 0.1, then power iteration."""
    values = weighted(counted(texts))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    edges = (values @ values.T > 0.1).astype(np.float64)
    walk = 0.85 * (edges / edges.sum(axis=1, keepdims=True)).T + 0.15 / len(edges)
    rank, before = np.full(len(edges), 1 / len(edges)), np.zeros(len(edges))
    while np.abs(rank - before).sum() >= 1e-10:
        before, rank = rank, walk @ rank
    return falling(rank)


def lsa(texts: list[str]) -> list[int]:
    """Decompose singular values as numpy does it."""
    left, values, _ = np.linalg.svd(weighted(counted(texts)), full_matrices=False)
    kept = values >= 0.5 * values[0]
    return falling(np.linalg.norm(left[:, kept] * values[kept], axis=1))


def klsum(texts: list[str]) -> list[int]:
    """Greedily lower the divergence; only what a sentence's own words add is computed anew."""
    counts = counted(texts)
    row, column = np.nonzero(counts)
    entries, first = counts[row, column], np.searchsorted(row, np.arange(len(counts)))
    share, lengths = counts.sum(axis=0) / counts.sum(), counts.sum(axis=1)
    summary, left, chosen = np.full(len(share), 0.01), np.ones(len(counts), bool), list[int]()
    of_entry = share[column]
    while left.any():
        now = summary[column]
        gains = np.add.reduceat(of_entry * np.log1p(entries / now), first)
        divergence = np.log(summary.sum() + lengths) - gains - share @ np.log(summary)
        divergence += share @ np.log(share)
        best = int(np.where(left, divergence.round(12), np.inf).argmin())
        chosen.append(best)
        left[best] = False
        summary += counts[best]
    return chosen


def sumbasic(texts: list[str]) -> list[int]:
    """Take the best sentence with the most probable word, and square what it says."""
    counts = counted(texts)
    holds = (counts > 0).astype(np.float64)
    share, distinct = counts.sum(axis=0) / counts.sum(), holds.sum(axis=1)
    left, chosen = np.ones(len(counts), bool), list[int]()
    occurrences = holds.sum(axis=0)
    while left.any():
        word = np.where(occurrences > 0, share, -1.0).argmax()
        rows = np.flatnonzero(left & (holds[:, word] > 0))
        best = int(rows[((holds[rows] @ share) / distinct[rows]).round(12).argmax()])
        chosen.append(best)
        left[best] = False
        said = holds[best] > 0
        share[said] **= 2
        occurrences[said] -= 1
    return chosen


FROM = "from 300 sentences to an order of all of them"
NOTES = {
    "KLSUM": "sumy's is no divergence, and is written in plain loops",
    "LexRank": "sumy has another idf, and stops sooner",
    "LSA": "sumy counts dimensions otherwise",
    "SumBasic": "sumy takes the best sentence whatever its words",
}
BY_HAND: dict[str, Callable[[list[str]], list[int]]] = {
    "KLSUM": klsum,
    "LexRank": lexrank,
    "LSA": lsa,
    "SumBasic": sumbasic,
}
HAND_NOTES = {
    "LSA": "numpy's own decomposition; ours takes the eigenvectors of the inner products",
}
SUMY = {
    "KLSUM": KLSummarizer,
    "LexRank": LexRankSummarizer,
    "LSA": LsaSummarizer,
    "SumBasic": SumBasicSummarizer,
}


def races() -> list[Race]:
    texts = make_text()

    def ours(name: str) -> list[int]:
        return list(SUMMARIZERS[name].order(Pool.of(texts, str.split)))

    def theirs(name: str) -> object:
        sentences = [Sentence(text, Spaces) for text in texts]
        return SUMY[name]()(ObjectDocumentModel([Paragraph(sentences)]), SENTENCES)

    found = []
    for name, own in ((name, partial(ours, name)) for name in BY_HAND):
        compares = f"{FROM}; {NOTES[name]}, so orders are not compared"
        found.append(race(name, "sumy", compares, own, partial(theirs, name), repeats=(5, 1)))
        hand = partial(BY_HAND[name], texts)
        compares = f"{FROM}; {HAND_NOTES.get(name, 'the same steps')}"
        found.append(race(name, "numpy by hand", compares, own, hand, same=eq, repeats=(5, 5)))
    return found
