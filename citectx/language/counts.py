"""Texts as counts of terms."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import scipy.sparse as sp


def counted(texts: Sequence[Sequence[str]]) -> tuple[sp.csr_array, tuple[str, ...]]:
    """Count the terms of texts: a matrix, shape (texts, terms), and its terms in order.

    >>> counts, terms = counted([["rest", "cells", "rest"], ["cells"]])
    >>> counts.toarray().tolist(), terms
    ([[1.0, 2.0], [1.0, 0.0]], ('cells', 'rest'))
    """
    flat = list(chain.from_iterable(texts))
    terms = tuple(sorted(set(flat)))
    column = {term: i for i, term in enumerate(terms)}
    columns = np.array([column[term] for term in flat], dtype=np.int32)
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    ones = np.ones(len(columns))
    counts = sp.csr_array((ones, columns, ends), shape=(len(texts), len(terms)))
    counts.sum_duplicates()
    return counts, terms
