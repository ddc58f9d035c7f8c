"""Features of a pair of citance and sentence, one small function each, in one registry.

A feature of words is a score of every sentence for every citance. It enters the model in three views: ``z``,
standardised over the sentences for one citance; ``rank``, the reciprocal of its rank; ``near``, the mean of
``z`` over the sentences before and behind. All others are one number a sentence, or a pair.

>>> from citectx.corpora import Document
>>> from citectx.language.spans import Candidates
>>> from citectx.language.text import Analyzer, SentenceSplitter
>>> article = Document("ref", "Cells divide fast. They also rest. In 12 mice, the cells died.")
>>> index = SpanIndex(Candidates.of(SentenceSplitter().sentences(article), 1), Analyzer())
>>> query = Query.of("Cells divided quickly", Analyzer())
>>> matrix(index, [query], ["bm25_stems.rank", "last_in_paragraph"])[0]
array([[1.        , 0.        ],
       [0.33333333, 0.        ],
       [0.5       , 1.        ]])
"""

from collections.abc import Sequence

import numpy as np

from citectx.errors import unknown
from citectx.papers.beyond import matching, statics  # noqa: F401 - they register their features
from citectx.papers.beyond.pairs import Pairs
from citectx.papers.beyond.registry import FEATURES, VIEWS, Compute, Feature
from citectx.retrieval import Query, SpanIndex
from citectx.types import Floats


def names_of(*groups: str) -> list[str]:
    """Names of the features of some groups, in the registry's order.

    Raises
    ------
    ParameterError
        For an unknown group.
    """
    known = {f.group for f in FEATURES.values()}
    for group in groups:
        if group not in known:
            raise unknown("group of features", group, known)
    return [name for name, f in FEATURES.items() if f.group in groups]


def matrix(index: SpanIndex, queries: Sequence[Query], names: Sequence[str]) -> Floats:
    """Compute features, shape (citances, sentences, features).

    Raises
    ------
    ParameterError
        For an unknown feature, or candidates that are longer than a sentence.
    """
    pairs = Pairs(index, queries)
    values = np.empty((*pairs.shape, len(names)))
    computed: dict[Compute, Floats] = {}
    for i, name in enumerate(names):
        if name not in FEATURES:
            raise unknown("feature", name, FEATURES)
        wanted = FEATURES[name]
        if wanted.source not in computed:
            # Rounded, so that the last bit of a sum does not decide between ranks.
            computed[wanted.source] = np.round(wanted.source(pairs), 9)
        raw = computed[wanted.source]
        values[:, :, i] = VIEWS[wanted.view](pairs, raw) if wanted.view else raw
    return values


OPTIONAL = ("meaning",)
"""Groups that are used only where they are asked for."""
GROUPS = tuple(dict.fromkeys(f.group for f in FEATURES.values() if f.group not in OPTIONAL))
"""Groups of features, in the registry's order."""
STATIC = ("section", "place", "gist", "style")
"""Groups that know nothing of the citance."""
LEXICAL = ("words", "surroundings")
"""Groups that know nothing of where a sentence stands or how it is written."""

__all__ = ["FEATURES", "GROUPS", "LEXICAL", "OPTIONAL", "STATIC", "Feature", "matrix", "names_of"]
