"""Texts as counts of terms."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import scipy.sparse as sp


def count_terms(texts: Sequence[Sequence[str]]) -> tuple[sp.csr_array, tuple[str, ...]]:
    """Count the terms of texts: a matrix, shape (texts, terms), and its terms in order.

    >>> counts, terms = count_terms([["rest", "cells", "rest"], ["cells"]])
    >>> counts.toarray().tolist(), terms
    ([[1.0, 2.0], [1.0, 0.0]], ('cells', 'rest'))
    """
    terms, columns = np.unique([*chain(*texts)], return_inverse=True)
    ends = np.cumsum([0, *map(len, texts)])
    ones = np.ones(len(columns))
    counts = sp.csr_array((ones, columns, ends), shape=(len(texts), len(terms)))
    counts.sum_duplicates()
    return counts, tuple(terms.tolist())
