"""Corpora: one reader for each release, all giving the same `Topic` objects."""

from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.types import Span

__all__ = ["Annotation", "Block", "Citance", "Corpus", "Document", "Span", "Topic"]
