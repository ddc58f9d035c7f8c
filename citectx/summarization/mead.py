"""MEAD: sentences near the centroid of what is summarized, and near its beginning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from citectx.language.idf import Idf
from citectx.language.text import Analyzer
from citectx.summarization.base import Pool, Summarizer, by_score
from citectx.types import Floats, Ints

ANALYZER = Analyzer(stop_words="none")
"""MEAD has no list of stop words: words that are everywhere have next to no idf."""

UNKNOWN = 0.1
"""idf of a word that the list lacks."""


@dataclass(frozen=True)
class MeadIdf:
    """idf as MEAD looks it up: words that are not listed have next to none.

    Ambiguity: MEAD came with a list made of English news, which cannot be had any more. Ours are the lists of
    the field (`citectx.language.idf.open_idf`), with natural logarithms. They leave out
    what occurs in fewer than five of the field's articles; MEAD's rule then takes the rarest words for noise,
    and we follow it.

    Parameters
    ----------
    listed : Idf
    unknown : float

    Examples
    --------
    >>> rarity = MeadIdf(Idf(100, {"cells": 10}))
    >>> round(rarity["cells"], 3), rarity["xyzzy"]
    (2.303, 0.1)
    """

    listed: Idf
    unknown: float = UNKNOWN

    def __getitem__(self, word: str) -> float:
        return self.listed[word] if word in self.listed.frequencies else self.unknown


@dataclass(frozen=True)
class Mead(Summarizer):
    """Score = centroid + position; a sentence too like a chosen one is passed over.

    The centroid is made of the words whose frequency (mean over documents) times idf exceeds `threshold`. A
    sentence's centroid score is the sum of these products over its words, divided by the highest such sum;
    its position score is √(1/n) for the n-th sentence of its document.

    Parameters
    ----------
    threshold : float
    shortest : int
        Sentences with fewer words are dropped.
    redundancy : float
        A sentence is passed over whose idf-cosine with a chosen one is at least this.
    centroid, position : float
        Weights of the two scores.

    Notes
    -----
    Source: Radev et al. 2003 and the toolkit as released; acl2008 §5.1.3 uses it as a baseline.

    Ambiguity: acl2008 does not say with which settings. These are the toolkit's own.

    Ambiguity: `order` takes a pool for one document; `order_of` knows of several, as MEAD-Doc+Cite needs.

    Raises
    ------
    ParameterError
        If `shortest` or a weight is negative, or `redundancy` not above 0.

    Examples
    --------
    >>> from citectx.summarization.base import Budget
    >>> texts = ["Cells rest.", "Kinases mark old mitochondria.", "Old mitochondria are marked by kinases."]
    >>> rarity = {"kinases": 4, "mitochondria": 4}
    >>> pool = Pool.of(texts, ANALYZER, MeadIdf(Idf(100, dict.fromkeys(rarity, 2))))
    >>> Mead(shortest=4).choose(pool, Budget(sentences=2))
    [1]
    """

    threshold: float = 3.0
    shortest: int = 9
    redundancy: float = 0.7
    centroid: float = 1.0
    position: float = 1.0

    allowed: ClassVar = dict.fromkeys(("shortest", "centroid", "position"), "[0, inf]") | {"redundancy": "(0, inf]"}

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences, the pool being one document; those passed over never come."""
        yield from self.order_of(pool, np.zeros(len(pool), dtype=np.int64))

    def order_of(self, pool: Pool, documents: Ints) -> Iterator[int]:
        """Yield sentences of several documents, where `documents` has the number of each sentence's."""
        chosen: list[int] = []
        for i in by_score(self.scores(pool, documents)):
            long_enough = pool.words[i] >= self.shortest
            if long_enough and not (pool.similarity[i, chosen] >= self.redundancy - 1e-9).any():
                chosen.append(int(i))
                yield int(i)

    def scores(self, pool: Pool, documents: Ints) -> Floats:
        """Score every sentence, shape (sentences,)."""
        if not len(pool):
            return np.zeros(0)
        weights = pool.probability * pool.counts.sum() / len(np.unique(documents)) * pool.idf
        weights[weights <= self.threshold] = 0.0
        sums = np.asarray(pool.counts @ weights)
        return self.centroid * sums / (sums.max() or 1.0) + self.position / np.sqrt(places(documents))


def places(documents: Sequence[int] | Ints) -> Ints:
    """Count the sentences of each document from 1.

    >>> places([0, 0, 1, 0, 1]).tolist()
    [1, 2, 1, 3, 2]
    """
    numbers = pd.Series(documents)
    return np.asarray(numbers.groupby(numbers).cumcount() + 1, dtype=np.int64)
