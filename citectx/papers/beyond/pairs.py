"""All pairs of a citance and a sentence of the article it cites: what features are computed from."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd
import scipy.sparse as sp

from citectx.corpora.model import BlockKind
from citectx.errors import ParameterError
from citectx.language.idf import DOMAINS, open_idf
from citectx.language.text import Analyzer, stem
from citectx.retrieval import Query, SpanIndex
from citectx.types import Floats, Ints

WORDS = Analyzer()


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(WORDS(text))


def _stems(text: str) -> Iterator[str]:
    return map(stem, _words(text))


def _prefixes(text: str) -> Iterator[str]:
    return (word[:5] for word in _words(text))


def _grams(text: str) -> Iterator[str]:
    return (f"_{word}_"[i : i + 4] for word in _words(text) for i in range(max(len(word) - 1, 1)))


def _bigrams(text: str) -> Iterator[str]:
    stems = [*_stems(text)]
    yield from map(" ".join, pairwise(stems)) if len(stems) > 1 else stems


ANALYSES: dict[str, Callable[[str], Iterator[str]]] = {
    "words": WORDS,
    "stems": _stems,
    "prefixes": _prefixes,
    "grams": _grams,
    "bigrams": _bigrams,
}
"""What counts as a term: words, Porter stems, first five letters of words, four characters in a row within a
word (its ends marked), two neighbouring stems."""

SECTIONS = {
    "methods": r"method|procedure|material|approach|algorithm|model|framework|statistic|experimental setup",
    "results": r"result|experiment|evaluation|finding|performance|comparison",
    "discussion": r"discussion|conclusion|concluding|future|summary|significance|limitation",
    "introduction": r"introduction|background|motivation|related work|previous work|overview",
}
"""Kinds of sections by words of their headings, the first that matches. Headings of more than `LONG` words
are not looked at: they state results ("... in a mouse model"). A subsection without such a word is of the
kind of the section before it, unless that was the introduction."""
LONG = 5


@cache
def rarity(word: str) -> float:
    """Return how rare a word is in the fields that we have counts of, from 0 to 1.

    The inverse document frequency over that of the rarest words, in the field where the word is less rare:
    a reader's article may be of either field, or of neither.

    >>> rarity("results") < rarity("mitochondria") < rarity("lomk")
    True
    """
    lists = [open_idf(domain) for domain in DOMAINS]
    return max(0.0, min(known[word] / known[""] for known in lists))


class Pairs:
    """The citances and sentences of one article.

    Parameters
    ----------
    index : SpanIndex
        Its candidates must be single sentences.
    queries : sequence of Query
        Their texts count, not their weights.

    Raises
    ------
    ParameterError
        If a candidate is longer than a sentence.
    """

    def __init__(self, index: SpanIndex, queries: Sequence[Query]) -> None:
        if not np.array_equal(index.candidates.first, index.candidates.last):
            raise ParameterError("features are those of sentences: prepare topics with max_sentences=1")
        self.index, self.queries = index, queries
        self._wanted: dict[str, sp.csr_array] = {}
        self.sentences = index.candidates.sentences
        self.document = self.sentences.document

    @property
    def shape(self) -> tuple[int, int]:
        """Number of citances and of sentences."""
        return len(self.queries), len(self.sentences)

    @cached_property
    def texts(self) -> list[str]:
        """The sentences as strings."""
        return self.sentences.texts()

    def analysed(self, by: str = "words") -> SpanIndex:
        """Index the sentences by a key of `ANALYSES`."""
        analyzer = ANALYSES[by]
        if analyzer == self.index.analyzer:
            return self.index
        return self.index.remember(("pairs", by), lambda: SpanIndex(self.index.candidates, analyzer))

    def wanted(self, by: str = "words") -> sp.csr_array:
        """Count the citances' terms that the article has, shape (citances, terms)."""
        if by not in self._wanted:
            self._wanted[by] = self.analysed(by).query_matrix([query_of(q.text, by) for q in self.queries])
        return self._wanted[by]

    def counts(self, by: str = "words") -> sp.csr_array:
        """Count the terms of the sentences, shape (sentences, terms)."""
        return self.analysed(by).sentence_counts

    @cached_property
    def rarities(self) -> Floats:
        """`rarity` of each word of the article, shape (words,)."""
        return np.array([rarity(word) for word in self.analysed().vocabulary])

    @cached_property
    def block(self) -> Ints:
        """Number of the paragraph that each sentence belongs to, from 0."""
        return _numbered([id(b) for b in self.sentences.blocks])

    @cached_property
    def section(self) -> Ints:
        """Number of the section that each sentence belongs to, from 0."""
        return _numbered([b.section for b in self.sentences.blocks])

    @cached_property
    def kinds(self) -> list[str]:
        """Kind of each sentence's section: abstract, caption, a key of `SECTIONS`, or "" if unknown."""
        by_block, kind = {}, ""
        for block in self.document.blocks:
            name = self.document.text[block.start : block.end] if block.kind == "heading" else block.heading
            kind = section_kind(name) or ("" if block.kind == "heading" and kind == "introduction" else kind)
            by_block[block] = block.kind if block.kind in ("abstract", "caption") else kind
        return [by_block[block] for block in self.sentences.blocks]

    @cached_property
    def neighbours(self) -> sp.csr_array:
        """Half of the sentence before and half of the one behind, in one section; (sentences, sentences)."""
        joined = 0.5 * (self.section[1:] == self.section[:-1])
        both = sp.csr_array(sp.diags_array([joined, joined], offsets=[1, -1]))
        both.eliminate_zeros()
        return both

    @cached_property
    def rare(self) -> Floats:
        """BM25 of words, each of the citance once, weighted by rarity, shape (citances, sentences)."""
        return bm25(self.counts(), once(self.wanted()), k1=0.4, b=0.5, weights=self.rarities)

    def text_of(self, kind: BlockKind) -> str:
        """Join the texts of all blocks of a kind."""
        return " ".join(self.document.text[b.start : b.end] for b in self.document.blocks if b.kind == kind)


def once(counts: sp.csr_array) -> sp.csr_array:
    """Replace each count by 1."""
    return sp.csr_array((np.ones_like(counts.data), counts.indices, counts.indptr), shape=counts.shape)


def query_of(text: str, by: str = "words") -> Query:
    """Count the terms of a text by a key of `ANALYSES`."""
    return Query(dict(Counter(ANALYSES[by](text))), text)


def section_kind(heading: str) -> str:
    """Return the kind of a section by its heading, "" if it has none.

    >>> section_kind("5 Experimental Results"), section_kind("Loss of PINK1 in a mouse model of disease")
    ('results', '')
    """
    short = len(heading.split()) <= LONG
    return next((k for k, words in SECTIONS.items() if short and re.search(words, heading.lower())), "")


def _numbered(keys: Sequence[object]) -> Ints:
    return np.cumsum([0, *(a != b for a, b in pairwise(keys))], dtype=np.int64)


def bm25(
    units: sp.csr_array, wanted: sp.csr_array, k1: float = 1.2, b: float = 0.75, weights: Floats | None = None
) -> Floats:
    """Score units of any size with BM25 (see `citectx.retrieval.lexical.BM25`).

    Parameters
    ----------
    units, wanted : sparse arrays, shapes (units, terms) and (citances, terms)
        Counts of terms.
    k1, b : float
    weights : float array, shape (terms,), optional
        Of the terms, beside their idf among the units.

    Returns
    -------
    float array, shape (citances, units)
    """
    counts = units.tocoo()
    n, terms = counts.shape
    lengths = np.bincount(counts.row, counts.data, minlength=n)
    df = np.bincount(counts.col, minlength=terms)
    idf = np.log1p((n - df + 0.5) / (df + 0.5)) * (1.0 if weights is None else weights)
    norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9))
    data = idf[counts.col] * counts.data / (counts.data + norm[counts.row])
    weighted = sp.csr_array((data, (counts.col, counts.row)), shape=(terms, n))
    return np.asarray((wanted @ weighted).toarray(), dtype=np.float64)


def reciprocal_ranks(scores: Floats) -> Floats:
    """Return 1/rank within each row, the mean rank for equals.

    >>> reciprocal_ranks(np.array([[0.5, 2.0, 0.5]]))
    array([[0.4, 1. , 0.4]])
    """
    ranks = pd.DataFrame(-scores.round(9)).rank(axis=1)  # scipy.stats takes a second to import
    return 1.0 / ranks.to_numpy()
