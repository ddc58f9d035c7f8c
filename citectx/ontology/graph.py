"""The graph of synonyms: which names mean the same, and where a text contains them.

>>> heart = Concept.of("x:1", "Myocardial Infarction", ["heart attack", "MI", "infarct"], "x")
>>> graph = SynonymGraph.build([heart])
>>> graph.match("after a heart attack or infarct".split())
[(2, 4, ('x:1',)), (5, 6, ('x:1',))]
>>> graph.synonyms("Heart Attack")
('infarct', 'myocardial infarction')
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Self, TypeAlias

from citectx.ontology.concepts import Concept, normalized, usable_names

Match: TypeAlias = tuple[int, int, tuple[str, ...]]
"""A name in a text: its first word, its end (exclusive), and the concepts that it may mean."""


@dataclass(frozen=True, eq=False, repr=False)
class SynonymGraph:
    """The ids of the concepts that bear each name; both are sorted, names are normalised.

    The synonyms of a name are the names of all concepts that bear it. Concepts of different
    vocabularies are not merged, but meet in the names that they share.
    """

    bearers: Mapping[str, tuple[str, ...]]

    @classmethod
    def build(cls, concepts: Iterable[Concept]) -> Self:
        """Collect the usable names of concepts."""
        bearers: dict[str, set[str]] = defaultdict(set)
        for concept in concepts:
            for name in usable_names(concept):
                bearers[name].add(concept.concept_id)
        return cls({name: tuple(sorted(bearers[name])) for name in sorted(bearers)})

    def __len__(self) -> int:
        return len(self.bearers)

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """Names by the id of their concept."""
        names: dict[str, list[str]] = defaultdict(list)
        for name, concepts in self.bearers.items():
            for concept in concepts:
                names[concept].append(name)
        return names

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """Lengths in words of the names that begin with a word, longest first."""
        lengths: dict[str, set[int]] = defaultdict(set)
        for name in self.bearers:
            lengths[name.partition(" ")[0]].add(name.count(" ") + 1)
        return {word: sorted(lengths[word], reverse=True) for word in lengths}

    def match(self, tokens: Sequence[str]) -> list[Match]:
        """Find names from left to right, at each word the longest, without overlaps.

        Tokens are those of `citectx.ontology.concepts.ANALYZER`.

        Source: naacl2015 §2.3.2 (greedy match of the longest expressions). Ambiguity: "greedy" may
        mean that the longest name of the text comes first. We go from left to right, as dictionary
        look-up does.
        """
        matches: list[Match] = []
        start = 0
        while start < len(tokens):
            for length in self._lengths.get(tokens[start], ()):
                end = start + length
                concepts = self.bearers.get(" ".join(tokens[start:end]))
                if concepts and end <= len(tokens):
                    matches.append((start, end, concepts))
                    start = end
                    break
            else:
                start += 1
        return matches

    def concepts(self, name: str) -> tuple[str, ...]:
        """Return the sorted ids of the concepts that a name may mean; none if it is unknown."""
        return self.bearers.get(normalized(name), ())

    def synonyms(self, name: str) -> tuple[str, ...]:
        """Return all other names of the concepts that a name may mean, normalised and sorted."""
        names = {other for concept in self.concepts(name) for other in self._names[concept]}
        return tuple(sorted(names - {normalized(name)}))

    def edges(self, words: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Return sorted pairs of synonyms of one word each, both orders as one pair.

        `words` restricts the pairs to these words, such as the words of an embedding.

        Ambiguity: sigir2017 does not say how its ontologies became a lexicon for retrofitting. We
        connect every two names of a concept, not just each name and the preferred one.

        >>> cancer = Concept.of("x:1", "Neoplasms", ["tumor", "new growth", "tumour"], "x")
        >>> SynonymGraph.build([cancer]).edges()
        [('neoplasms', 'tumor'), ('neoplasms', 'tumour'), ('tumor', 'tumour')]
        """
        single = {name for name in self.bearers if " " not in name}
        if words is not None:
            single.intersection_update(words)
        kept = [[name for name in names if name in single] for names in self._names.values()]
        return sorted({pair for names in kept for pair in combinations(names, 2)})
