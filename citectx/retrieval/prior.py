"""What a ranking gains from knowing an article's abstract: two rows of ours beside sigir2017's Table 1.

Most citances have evidence in the abstract, which is a small part of the candidates. None of the papers'
methods knows of it; these two show how far that alone goes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from citectx.retrieval.base import RetrievalModel
from citectx.retrieval.dense import standardised
from citectx.retrieval.index import Query, SpanIndex
from citectx.retrieval.lexical import BM25, VSM
from citectx.types import Floats


def in_abstract(index: SpanIndex) -> NDArray[np.bool_]:
    """Which spans begin in the abstract, shape (spans,)."""
    blocks = index.candidates.sentences.blocks
    return np.array([blocks[i].kind == "abstract" for i in index.candidates.first], dtype=bool)


@dataclass
class NoQuery(RetrievalModel):
    """A ranking without any query: the abstract first, then by similarity (VSM's cosine) to the title.

    All citances of an article get the same spans. An article without a title keeps its order.
    """

    def _fit(self, index: SpanIndex) -> None:
        document = index.candidates.sentences.document
        title = " ".join(document.text[b.start : b.end] for b in document.blocks if b.kind == "title")
        (similarity,) = VSM().fit(index).score([Query(Counter(index.analyzer(title)))])
        self.prior = 2.0 * in_abstract(index) + similarity

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans)."""
        return np.tile(self.prior, (len(queries), 1))


@dataclass
class AbstractBM25(BM25):
    """BM25, standardised over the spans of the article, plus a weight for spans in the abstract.

    The weight is a parameter that cross-validation chooses, as any other: nothing is learnt of where evidence
    is beyond that.

    Parameters
    ----------
    k1, b, idf
        As in `BM25`.
    weight : float
        In standard deviations of BM25's scores, at least 0.
    """

    weight: float = 1.0

    grid: ClassVar = {"k1": (0.2, 0.8, 2.0), "b": (0.0, 0.5, 1.0), "weight": (0.0, 0.5, 1.0, 2.0, 4.0)}
    allowed: ClassVar = {**BM25.allowed, "weight": "[0, inf]"}

    def score(self, queries: Sequence[Query]) -> Floats:
        """Score all spans for each query, shape (queries, spans)."""
        return standardised(super().score(queries)) + self.weight * in_abstract(self.index)
