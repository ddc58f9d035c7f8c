"""Domain knowledge: vocabularies, their readers, and the graph of synonyms."""

from citectx.ontology.concepts import ANALYZER, Concept
from citectx.ontology.graph import SynonymGraph
from citectx.ontology.vocabularies import VOCABULARIES, open_vocabulary

__all__ = ["ANALYZER", "VOCABULARIES", "Concept", "SynonymGraph", "open_vocabulary"]
