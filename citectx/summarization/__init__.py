"""Summarizers: one file for each family, one line each in `SUMMARIZERS`."""

from citectx.summarization.base import Budget, Lead, Pool, Random, Summarizer, summary, within
from citectx.summarization.klsum import KLSum
from citectx.summarization.lexrank import LexRank, pagerank
from citectx.summarization.lsa import LSA
from citectx.summarization.sumbasic import SumBasic

SUMMARIZERS: dict[str, Summarizer] = {"KLSUM": KLSum(), "LexRank": LexRank(), "LSA": LSA(), "SumBasic": SumBasic()}
"""The summarizers of sigir2017 Table 4 by the names they have there, in the table's order."""

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
    "summary",
    "within",
]
