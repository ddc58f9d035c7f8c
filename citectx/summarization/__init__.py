"""Summarizers: one function each, one line each in `SUMMARIZERS`."""

from citectx.summarization.base import Budget, Pool, summary, within
from citectx.summarization.summarizers import SUMMARIZERS, kl_sum, lexrank, lsa, sum_basic

__all__ = ["SUMMARIZERS", "Budget", "Pool", "kl_sum", "lexrank", "lsa", "sum_basic"]
__all__ += ["summary", "within"]
