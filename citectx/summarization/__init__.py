"""Summarizers: one function each, one line each in `SUMMARIZERS`."""

from citectx.summarization.base import Budget, Pool, summary, within
from citectx.summarization.impact import ImpactModel, authority
from citectx.summarization.summarizers import SUMMARIZERS, kl_sum, lexrank, lsa, sum_basic

__all__ = [
    "SUMMARIZERS",
    "Budget",
    "ImpactModel",
    "Pool",
    "authority",
    "kl_sum",
    "lexrank",
    "lsa",
    "sum_basic",
    "summary",
    "within",
]
