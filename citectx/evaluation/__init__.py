"""Measures: character offsets, rankings, ROUGE, agreement among annotators, and tests of significance."""

import citectx.language  # noqa: F401  # first: it decides how much of NLTK is loaded
from citectx.evaluation.agreement import human_precision, mean_human_precision
from citectx.evaluation.levels import LEVELS, agreement_level, coincidences, krippendorff_alpha
from citectx.evaluation.offsets import Scores, merge, overlap_matrix, precision_at, total, union_scores, weighted_scores
from citectx.evaluation.ranking import ndcg, relevance
from citectx.evaluation.rouge import rouge
from citectx.evaluation.significance import (
    Interval,
    bootstrap_difference,
    bootstrap_interval,
    holm,
    paired_permutation,
    paired_t,
)

__all__ = [
    "LEVELS",
    "Interval",
    "Scores",
    "agreement_level",
    "bootstrap_difference",
    "bootstrap_interval",
    "coincidences",
    "holm",
    "human_precision",
    "krippendorff_alpha",
    "mean_human_precision",
    "merge",
    "ndcg",
    "overlap_matrix",
    "paired_permutation",
    "paired_t",
    "precision_at",
    "relevance",
    "rouge",
    "total",
    "union_scores",
    "weighted_scores",
]
