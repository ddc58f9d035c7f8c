"""Measures: character offsets, rankings, ROUGE, agreement among annotators, significance."""

from citectx.evaluation.agreement import human_precision, mean_human_precision
from citectx.evaluation.intervals import Estimate, jackknife, mean_over
from citectx.evaluation.offsets import (
    Scores,
    ndcg,
    precision_at,
    relevance,
    union_scores,
    weighted_scores,
)
from citectx.evaluation.rouge import rouge
from citectx.evaluation.significance import holm, kendall_tau, paired_t
from citectx.types import merge

__all__ = ["Estimate", "Scores", "holm", "human_precision", "jackknife", "kendall_tau"]
__all__ += ["mean_human_precision", "mean_over", "merge", "ndcg"]
__all__ += ["paired_t", "precision_at", "relevance", "rouge", "union_scores", "weighted_scores"]
