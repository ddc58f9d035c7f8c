"""Retrieval that knows the field: how rare words are, and where cited sentences tend to be.

A citance says neither; articles of its field whose cited sentences are known do.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from citectx.errors import ParameterError
from citectx.retrieval import Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import standardised
from citectx.types import Floats, Ints

TENTHS = 10
"""Number of parts into which an article is divided."""


@dataclass(frozen=True, eq=False)
class FieldKnowledge:
    """Learnt from articles whose cited sentences are known.

    Parameters
    ----------
    documents : int
    frequency : mapping of str to int
        In how many of the articles each term occurs.
    lift : float array, shape (10,)
        For each tenth of an article, the logarithm of its share of the cited sentences over its
        share of all.
    """

    documents: int
    frequency: Mapping[str, int]
    lift: Floats

    @classmethod
    def learn(cls, indices: Sequence[SpanIndex], cited: Sequence[NDArray[np.bool_]]) -> Self:
        """Count words and places.

        Parameters
        ----------
        indices : sequence of SpanIndex
            One for each article.
        cited : sequence of bool array, shape (citances, spans)
            Which spans of it each citance is about.

        Notes
        -----
        One is added to the count of each tenth, so that none is ruled out by a small sample.

        Raises
        ------
        ParameterError
            If there is no article.
        """
        if not indices:
            raise ParameterError("there is no article to learn from")
        hits, places = np.ones(TENTHS), np.zeros(TENTHS)
        for index, marks in zip(indices, cited, strict=True):
            where = tenths(index.shape[1])
            hits += np.bincount(where, marks.sum(axis=0), minlength=TENTHS)
            places += np.bincount(where, minlength=TENTHS) * len(marks)
        by_chance = np.maximum(places, 1) / places.sum()
        lift = np.log(hits / hits.sum()) - np.log(by_chance)
        frequency = Counter(term for index in indices for term in index.vocabulary)
        return cls(len(indices), frequency, lift)

    def rarity(self, term: str) -> float:
        """Weigh a term: ln(1 + N/df); df of a term that no article has is 1."""
        df = max(self.frequency.get(term, 0), 1)
        return float(np.log1p(self.documents / df))


def tenths(spans: int) -> Ints:
    """Return the tenth of the article that each span starts in.

    >>> tenths(4)
    array([0, 2, 5, 7])
    """
    return np.arange(spans) * TENTHS // spans


@dataclass
class Informed(RetrievalModel):
    """A retrieval model that knows the field: its score, plus the lift of the span's tenth.

    standardised score + position · lift

    Each distinct word of the citance counts once, by its rarity in the field. The scores of a
    citance are brought to mean 0 and standard deviation 1 (to 0, where they are all equal) before
    the lift is added, so that one weight fits all models.

    Parameters
    ----------
    base : RetrievalModel
    knowledge : FieldKnowledge
    position : float
        Weight of the place, at least 0.

    Notes
    -----
    No paper of this repository has it. Document priors in query likelihood are the precedent: for
    LMD, adding a logarithm is exactly that, up to scale.

    Raises
    ------
    ParameterError
        If `position` is negative.
    """

    base: RetrievalModel
    knowledge: FieldKnowledge
    position: float = 1.0

    allowed: ClassVar = {"position": "[0, inf]"}

    def params(self) -> dict[str, Any]:
        """Return the base model's parameters and the weight, but not what was learnt."""
        return self.base.params() | {"position": self.position}

    def fingerprint(self) -> None:
        """Always None: what was learnt has no name."""
        return

    def _fit(self, index: SpanIndex) -> None:
        pass

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans)."""
        key = (repr(self.base), self.knowledge, tuple(queries))  # several positions in turn
        standard = self.index.latest("informed", key, lambda: self._unplaced(queries))
        lift = self.knowledge.lift[tenths(self.index.shape[1])]
        return np.asarray(standard + self.position * lift)

    def _unplaced(self, queries: Sequence[Query]) -> Floats:
        rarity = self.knowledge.rarity
        weighted = [Query({term: rarity(term) for term in q.weights}, q.text) for q in queries]
        return standardised(self.base.fit(self.index).score(weighted))
