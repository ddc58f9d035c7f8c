"""Summarizers: one class each, one line each in `SUMMARIZERS`."""

from citectx.summarization.base import Budget, Pool, Summarizer, summary, within
from citectx.summarization.summarizers import LSA, SUMMARIZERS, KLSum, LexRank, SumBasic

__all__ = ["LSA", "SUMMARIZERS", "Budget", "KLSum", "LexRank", "Pool", "SumBasic", "Summarizer"]
__all__ += ["summary", "within"]
