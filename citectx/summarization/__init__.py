"""Summarizers: one file for each family, one line each in `SUMMARIZERS`."""

from citectx.errors import unknown
from citectx.summarization.base import Budget, Lead, Pool, Random, Summarizer, shares, summary
from citectx.summarization.klsum import KLSum
from citectx.summarization.lexrank import LexRank, pagerank
from citectx.summarization.lsa import LSA
from citectx.summarization.sumbasic import SumBasic

SUMMARIZERS: dict[str, Summarizer] = {
    "KLSUM": KLSum(),
    "LexRank": LexRank(),
    "LSA": LSA(),
    "SumBasic": SumBasic(),
}
"""The summarizers of sigir2017 Table 4 by the names they have there, in the table's order."""


def summarizer(name: str) -> Summarizer:
    """Look a summarizer up by its name in the tables.

    >>> summarizer("LexRank")
    LexRank(threshold=0.1, damping=0.85, redundancy=None)
    """
    if name not in SUMMARIZERS:
        raise unknown("summarizer", name, SUMMARIZERS)
    return SUMMARIZERS[name]


__all__ = [
    "LSA",
    "SUMMARIZERS",
    "Budget",
    "KLSum",
    "Lead",
    "LexRank",
    "Pool",
    "Random",
    "SumBasic",
    "Summarizer",
    "pagerank",
    "shares",
    "summarizer",
    "summary",
]
