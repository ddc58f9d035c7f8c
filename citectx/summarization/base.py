r"""What every summarizer is: sentences in, chosen sentences out, until a budget is spent.

>>> pool = Pool.of(["Cells divide.", "Cells rest.", "Kinases mark damaged mitochondria."])
>>> Lead().choose(pool, Budget(sentences=2))
[0, 1]
>>> summary(pool, Lead().choose(pool, Budget(words=3)), Budget(words=3))
'Cells divide.\nCells'
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Protocol, Self

import numpy as np
import scipy.sparse as sp

from citectx.errors import ParameterError
from citectx.language.text import Analyzer
from citectx.types import Floats, Ints, Parameters

Analysis = Callable[[str], Iterable[str]]


class Rarity(Protocol):
    """The inverse document frequency of a word: `citectx.language.idf.Idf`, or a plain mapping."""

    def __getitem__(self, word: str, /) -> float: ...


@dataclass(frozen=True)
class Budget:
    """How long a summary may be, in words or in sentences.

    Ambiguity: a limit in words seldom falls between two sentences, and sigir2017 does not say what
    happens there. Sentences are taken until the limit is reached, and the last one is cut, so that
    all summaries that are compared are equally long (as ``-l 250`` of the ROUGE script makes them).

    Parameters
    ----------
    words : int, optional
        Words are separated by white space.
    sentences : int, optional

    Raises
    ------
    ParameterError
        Unless exactly one of the two is given, and is at least 1.
    """

    words: int | None = None
    sentences: int | None = None

    def __post_init__(self) -> None:
        given = [n for n in (self.words, self.sentences) if n is not None]
        if len(given) != 1 or given[0] < 1:
            raise ParameterError(
                f"a budget is a number of words or of sentences, at least 1; found {self}"
            )

    def spent(self, sentences: int, words: int) -> bool:
        """Return whether a summary of that size is full."""
        return (
            sentences >= self.sentences
            if self.sentences is not None
            else words >= (self.words or 0)
        )


@dataclass(frozen=True, eq=False)
class Pool:
    """Sentences to choose from, with their words counted once for all summarizers.

    Parameters
    ----------
    texts : tuple of str
    terms : tuple of str
        The words of all sentences, in alphabetical order.
    counts : sparse array, shape (sentences, terms)
        How often each sentence holds each term.
    idf : float array, shape (terms,)
    words : int array, shape (sentences,)
        Length of each sentence as a budget counts it.
    whole : Pool, optional
        The pool that this one is a part of: whatever is computed for a pair of sentences is
        computed there.
    places : int array, optional
        Positions of these sentences in it.
    """

    texts: tuple[str, ...]
    terms: tuple[str, ...]
    counts: sp.csr_array
    idf: Floats
    words: Ints
    whole: "Pool | None" = None
    places: Ints | None = None

    @classmethod
    def of(
        cls, texts: Sequence[str], analyzer: Analysis | None = None, rarity: Rarity | None = None
    ) -> Self:
        """Count the words of sentences.

        Parameters
        ----------
        texts : sequence of str
        analyzer : callable, optional
            From a sentence to its terms; `citectx.language.text.Analyzer` with its defaults (no
            stop words, no numbers, no stemming).
        rarity : mapping from word to idf, optional
            Without one, ln(n / df) + 1 over the sentences themselves.
            Ambiguity: LexRank takes idf from "a large corpus" that is not named; sigir2017 is
            silent.
        """
        analysed = [list(terms) for terms in map(analyzer or Analyzer(), texts)]
        flat = list(chain.from_iterable(analysed))
        terms = tuple(sorted(set(flat)))
        column = dict(zip(terms, range(len(terms)), strict=True))
        columns = np.fromiter(map(column.__getitem__, flat), dtype=np.int32, count=len(flat))
        indptr = np.cumsum([0, *map(len, analysed)], dtype=np.int32)
        counts = sp.csr_array(
            (np.ones(len(columns)), columns, indptr), shape=(len(texts), len(terms))
        )
        counts.sum_duplicates()
        if rarity is None:
            df = np.bincount(counts.indices, minlength=len(terms))
            idf = np.log(len(texts) / np.maximum(df, 1)) + 1
        else:
            idf = np.array([rarity[term] for term in terms], dtype=np.float64)
        words = np.fromiter(map(len, map(str.split, texts)), dtype=np.int64, count=len(texts))
        return cls(tuple(texts), terms, counts, idf, words)

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, which: Sequence[int] | Ints) -> Self:
        """Return the pool of some of the sentences; what was computed for a pair of them is
        kept.
        """
        rows = np.asarray(which, dtype=np.int64)
        return replace(
            self,
            texts=tuple(self.texts[i] for i in rows),
            counts=self.counts[rows],
            words=self.words[rows],
            whole=self.whole or self,
            places=rows if self.places is None else self.places[rows],
        )

    @cached_property
    def weighted(self) -> sp.csr_array:
        """tf·idf of each term in each sentence, shape (sentences, terms)."""
        weighted = self.counts.copy()
        weighted.data *= self.idf[weighted.indices]
        return weighted

    @cached_property
    def products(self) -> Floats:
        """Inner product of the tf·idf vectors of every pair of sentences, shape (sentences,
        sentences).
        """
        if self.whole is not None and self.places is not None:
            return np.asarray(self.whole.products[np.ix_(self.places, self.places)])
        return np.asarray((self.weighted @ self.weighted.T).toarray())

    @cached_property
    def similarity(self) -> Floats:
        """Cosine of every pair of sentences; one without any term is like none, itself included.

        >>> Pool.of(["cells rest", "cells", "12"], rarity={"cells": 1.0, "rest": 1.0}).similarity.round(2)
        array([[1.  , 0.71, 0.  ],
               [0.71, 1.  , 0.  ],
               [0.  , 0.  , 0.  ]])
        """
        lengths = np.sqrt(self.products.diagonal())
        inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return np.asarray(self.products * inverse[:, None] * inverse)

    @cached_property
    def probability(self) -> Floats:
        """Each term's share of all words of the pool, shape (terms,); all 0 where there are no
        words.
        """
        totals = np.bincount(self.counts.indices, self.counts.data, minlength=len(self.terms))
        return np.asarray(totals / max(totals.sum(), 1.0))

    @cached_property
    def row_of_entry(self) -> Ints:
        """Sentence of each stored count."""
        return np.repeat(np.arange(len(self)), np.diff(self.counts.indptr))

    def sums(self, entries: Floats) -> Floats:
        """Add up, for each sentence, one number for each of its distinct terms; shape
        (sentences,).
        """
        return np.bincount(self.row_of_entry, entries, minlength=len(self)).astype(np.float64)


@dataclass(frozen=True)
class Summarizer(Parameters, ABC):
    """A summarizer; its dataclass fields are its parameters. One more is a subclass with
    `order`.
    """

    @abstractmethod
    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences in the order in which they go into the summary, each once."""

    def choose(self, pool: Pool, budget: Budget) -> list[int]:
        """Choose sentences until the budget is spent or none is left.

        Returns
        -------
        list of int
            Positions in the pool, in order of choice. Empty for an empty pool; all sentences where
            the budget is larger than the pool.
        """
        return within(pool, self.order(pool), budget)


def within(pool: Pool, order: Iterable[int], budget: Budget) -> list[int]:
    """Take sentences in their order until a budget is spent, or all of them if they do not fill it.

    >>> within(Pool.of(["Cells divide.", "They rest.", "They die."]), [2, 0, 1], Budget(words=3))
    [2, 0]
    """
    chosen: list[int] = []
    words = 0
    for i in order:
        chosen.append(int(i))
        words += int(pool.words[i])
        if budget.spent(len(chosen), words):
            break
    return chosen


def by_score(scores: Floats) -> Ints:
    """Positions by falling score; among equals the earlier first, though their last bits may
    differ.

    >>> by_score(np.array([0.1, 0.3, 0.1 + 0.2])).tolist()
    [1, 2, 0]
    """
    return np.argsort(-scores.round(9), kind="stable")


@dataclass(frozen=True)
class Lead(Summarizer):
    """LEAD: the sentences as they come."""

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield 0, 1, 2, ..."""
        yield from range(len(pool))


@dataclass(frozen=True)
class Random(Summarizer):
    """Sentences in random order; report the mean over many seeds.

    Parameters
    ----------
    seed : int
    """

    seed: int = 0

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield a permutation that only the seed and the number of sentences decide."""
        yield from np.random.default_rng(self.seed).permutation(len(pool)).tolist()


def summary(pool: Pool, chosen: Sequence[int], budget: Budget) -> str:
    r"""Write a summary out, one sentence a line; with a budget in words, the last line is cut to
    fit.

    >>> pool = Pool.of(["Cells divide and rest.", "They die."])
    >>> summary(pool, [1, 0], Budget(words=4))
    'They die.\nCells divide'
    """
    lines, left = [], budget.words
    for i in within(pool, chosen, budget):
        text = pool.texts[i]
        if left is not None:
            text = text if pool.words[i] <= left else " ".join(text.split()[:left])
            left -= int(pool.words[i])
        lines.append(text)
    return "\n".join(lines)
