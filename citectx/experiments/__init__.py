"""Experiments: one file for each table of a paper; parameters in, tidy rows out."""

from citectx.experiments.contextualization import METRICS, Protocol
from citectx.experiments.results import COLUMNS, Result

__all__ = ["COLUMNS", "METRICS", "Protocol", "Result"]
