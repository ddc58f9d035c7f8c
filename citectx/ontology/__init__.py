"""Domain knowledge: vocabularies, a reader for each format, and the synonym graph they make."""

from citectx.ontology.concepts import ANALYZER, Concept
from citectx.ontology.graph import Match, SynonymGraph
from citectx.ontology.vocabularies import VOCABULARIES, open_vocabulary

__all__ = [
    "ANALYZER",
    "VOCABULARIES",
    "Concept",
    "Match",
    "SynonymGraph",
    "open_vocabulary",
]
