"""Pools of sentences, and summaries: sentences in an order, until a budget is spent."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from citectx.errors import ParameterError
from citectx.language.counts import count_terms
from citectx.language.text import Analysis, Analyzer
from citectx.types import Floats, Ints

Rarity = Callable[[str], float]
"""The inverse document frequency of a word."""


@dataclass(frozen=True)
class Budget:
    """How long a summary may be, either in words (separated by white space) or in sentences.

    Ambiguity: a limit in words seldom falls between two sentences, and sigir2017 does not say what
    happens there. We take sentences until the limit is reached and cut the last one, so that
    summaries are equally long (as with ``-l 250`` of the ROUGE script).
    """

    words: int | None = None
    sentences: int | None = None

    def __post_init__(self) -> None:
        if (self.words is None) == (self.sentences is None):
            raise ParameterError(f"a budget is a number of words or of sentences; found {self}")

    def spent(self, sentences: int, words: int) -> bool:
        """Return whether a summary of that size is full."""
        if self.sentences is not None:
            return sentences >= self.sentences
        return words >= (self.words or 0)


@dataclass(frozen=True, eq=False)
class Pool:
    """Sentences to choose from, counted once; `words` are their lengths in a budget's words."""

    texts: tuple[str, ...]
    terms: tuple[str, ...]  # in alphabetical order
    counts: Floats  # (sentences, terms)
    idf: Floats  # (terms,)
    words: Ints  # (sentences,)

    @classmethod
    def of(
        cls, texts: Sequence[str], analyzer: Analysis | None = None, rarity: Rarity | None = None
    ) -> Self:
        """Count the words of sentences, by default those of `citectx.language.text.Analyzer`.

        Ambiguity: LexRank takes idf from "a large corpus" that is not named, and sigir2017 does not
        mention idf. Without a `rarity`, it is ln(n / df) + 1 over the sentences themselves.
        """
        analysed = map(analyzer or Analyzer(), texts)
        sparse, terms = count_terms([[*words] for words in analysed])
        counts = sparse.toarray()
        if rarity is None:
            df = (counts > 0).sum(axis=0)
            idf = np.log(len(texts) / df) + 1
        else:
            idf = np.array([rarity(term) for term in terms], float)
        words = np.array([len(text.split()) for text in texts], int)
        return cls(tuple(texts), terms, counts, idf, words)

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, which: Sequence[int] | Ints) -> Self:
        """Return the pool of some of the sentences."""
        texts = tuple(self.texts[i] for i in which)
        return replace(self, texts=texts, counts=self.counts[which], words=self.words[which])

    @cached_property
    def products(self) -> Floats:
        """Inner products of the sentences' tf·idf vectors, shape (sentences, sentences)."""
        weighted = self.counts * self.idf
        return weighted @ weighted.T

    @cached_property
    def similarity(self) -> Floats:
        """Cosine of every pair of sentences; 0 for a sentence without terms, even with itself.

        >>> Pool.of(["cells rest", "cells", "12"], rarity=lambda word: 1.0).similarity.round(2)
        array([[1.  , 0.71, 0.  ],
               [0.71, 1.  , 0.  ],
               [0.  , 0.  , 0.  ]])
        """
        lengths = np.sqrt(self.products.diagonal())
        inverse = 1 / np.where(lengths > 0, lengths, np.inf)
        return self.products * inverse[:, None] * inverse

    @cached_property
    def probability(self) -> Floats:
        """Each term's share of all words of the pool, shape (terms,)."""
        totals = self.counts.sum(axis=0)
        return totals / max(totals.sum(), 1.0)


def within(pool: Pool, order: Iterable[int], budget: Budget) -> list[int]:
    """Take sentences in their order until a budget is spent or none is left.

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


def unlike(pool: Pool, order: Iterable[int], redundancy: float = 0.7) -> Iterator[int]:
    """Skip each sentence whose cosine with a kept one is `redundancy` or more (0.7 in MEAD).

    >>> list(unlike(Pool.of(["Cells rest.", "Mice rest.", "Cells rest."]), [0, 2, 1]))
    [0, 1]
    """
    chosen: list[int] = []
    for i in order:
        if not (pool.similarity[i, chosen] >= redundancy - 1e-9).any():
            chosen.append(i)
            yield i


def by_score(scores: Floats) -> Ints:
    """Return positions by falling score, the earlier first if scores are equal to nine digits.

    >>> by_score(np.array([0.1, 0.3, 0.1 + 0.2])).tolist()
    [1, 2, 0]
    """
    return np.argsort(-scores.round(9), kind="stable")


def summary(pool: Pool, order: Iterable[int], budget: Budget) -> str:
    r"""Return the text of a summary, one sentence per line, cut to fit a budget in words.

    >>> pool = Pool.of(["Cells divide and rest.", "They die."])
    >>> summary(pool, [1, 0], Budget(words=4))
    'They die.\nCells divide'
    """
    chosen = within(pool, order, budget)
    lines = [pool.texts[i] for i in chosen]
    if lines and budget.words is not None:
        before = pool.words[chosen[:-1]].sum()
        last = lines[-1].split()
        lines[-1] = " ".join(last[: budget.words - before])
    return "\n".join(lines)
