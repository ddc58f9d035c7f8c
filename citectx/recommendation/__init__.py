"""Citation recommendation: CoreSC classes of sentences, fielded retrieval, weight training."""

from citectx.recommendation.lucene import FieldedIndex, norm_of_length
from citectx.recommendation.training import Query, Rescorer, climb, folds, gains

__all__ = ["FieldedIndex", "Query", "Rescorer", "climb", "folds", "gains", "norm_of_length"]
