"""Summarizers: one class each, one line each in `SUMMARIZERS`."""

from citectx.summarization.base import Budget, Lead, Pool, Random, Summarizer, summary, within
from citectx.summarization.summarizers import LSA, SUMMARIZERS, KLSum, LexRank, SumBasic

__all__ = ["LSA", "SUMMARIZERS", "Budget", "KLSum", "Lead", "LexRank", "Pool", "Random", "SumBasic"]
__all__ += ["Summarizer", "summary", "within"]
