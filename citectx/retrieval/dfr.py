"""Divergence from randomness."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from citectx.errors import unknown
from citectx.retrieval.base import SparseModel
from citectx.retrieval.index import SpanIndex
from citectx.types import Floats


def _poisson(tfn: Floats, _df: Floats, total: Floats, n: int) -> Floats:
    mean = total / n
    stirling = tfn * np.log2(tfn / mean) + (mean - tfn) * math.log2(math.e) + 0.5 * np.log2(2 * np.pi * tfn)
    gain: Floats = np.maximum(stirling, 0.0)  # Stirling's formula dips below zero where tfn < 1
    return gain


BASIC_MODEL: dict[str, Callable[[Floats, Floats, Floats, int], Floats]] = {
    "In": lambda tfn, df, _total, n: tfn * np.log2((n + 1) / (df + 0.5)),
    "IF": lambda tfn, _df, total, n: tfn * np.log2((n + 1) / (total + 0.5)).clip(min=0.0),
    "P": _poisson,
}
"""−log2 of the chance to see tfn occurrences, from tfn, df, total occurrences and number of spans."""

AFTER_EFFECT: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "L": lambda tfn, _df, _total: 1 / (tfn + 1),
    "B": lambda tfn, df, total: (total + 1) / (df * (tfn + 1)),
}
"""First normalisation: Laplace's law of succession, or a ratio of two Bernoulli processes."""


@dataclass
class DFR(SparseModel):
    """Sum over query terms of after-effect × basic model, on length-normalised frequencies.

    tfn = f(w,d) · log2(1 + c·avgdl/|d|)  (normalisation 2)

    Source: naacl2015 §2.2 (Amati & van Rijsbergen 2002, their models I(n), I(F), P with L or B and H2).
    Ambiguity: naacl2015 does not say which of the family it ran.

    Parameters
    ----------
    basic : {"In", "IF", "P"}
        Inverse document frequency, inverse term frequency (cut at zero), Poisson by Stirling's formula (cut
        at zero).
    after : {"L", "B"}
    c : float
        Above 0; small values punish long spans.

    Raises
    ------
    ParameterError
        If a name is unknown or c not above 0.
    """

    basic: str = "In"
    after: str = "L"
    c: float = 1.0

    grid: ClassVar = {"basic": ("In", "IF", "P"), "after": ("L", "B"), "c": (0.5, 1.0, 2.0, 5.0, 10.0)}

    def __post_init__(self) -> None:
        self._check("c", 0, open_low=True)
        if self.basic not in BASIC_MODEL:
            raise unknown("basic model", self.basic, BASIC_MODEL)
        if self.after not in AFTER_EFFECT:
            raise unknown("after-effect", self.after, AFTER_EFFECT)

    def _weights(self, index: SpanIndex) -> sp.csr_array:
        stretch = np.log2(1 + self.c * index.lengths.mean() / np.maximum(index.lengths, 1))
        tfn = index.postings.data * stretch[index.span_of_entry]
        df = index.document_frequency[index.term_of_entry]
        total = index.collection_counts[index.term_of_entry]
        gain = BASIC_MODEL[self.basic](tfn, df, total, index.shape[1])
        return index.reweighted(AFTER_EFFECT[self.after](tfn, df, total) * gain)
