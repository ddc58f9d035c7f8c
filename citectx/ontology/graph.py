"""The graph of synonyms: which names mean the same, and where a text contains them.

>>> heart = Concept.of("x:1", "Myocardial Infarction", ["heart attack", "MI", "infarct"], "x")
>>> graph = SynonymGraph.build([heart])
>>> graph.match("after a heart attack or infarct".split())
[(2, 4, ('x:1',)), (5, 6, ('x:1',))]
>>> graph.synonyms("Heart Attack")
('infarct', 'myocardial infarction')
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Self, TypeAlias

from citectx.ontology.concepts import Concept, normalize, usable_names

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
        """Collect the usable names of concepts, which slices of one ontology may share."""
        bearers: dict[str, set[str]] = defaultdict(set)
        for concept in concepts:
            for name in usable_names(concept):
                bearers[name].add(concept.concept_id)
        return cls({name: tuple(sorted(bearers[name])) for name in sorted(bearers)})

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """Names by the id of their concept."""
        names: dict[str, list[str]] = defaultdict(list)
        for name, concepts in self.bearers.items():
            for concept in concepts:
                names[concept].append(name)
        return names

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The length in words of the longest name that begins with a word."""
        longest: dict[str, int] = defaultdict(int)
        for name in self.bearers:
            first, *others = name.split(" ")
            longest[first] = max(longest[first], 1 + len(others))
        return longest

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
            longest = self._longest.get(tokens[start], 0)
            last = min(start + longest, len(tokens))
            # the longest name that could begin here is tried first
            for end in range(last, start, -1):
                concepts = self.bearers.get(" ".join(tokens[start:end]))
                if concepts:
                    matches.append((start, end, concepts))
                    start = end
                    break
            else:
                start += 1
        return matches

    def concepts(self, name: str) -> tuple[str, ...]:
        """Return the sorted ids of the concepts that a name may mean; none if it is unknown."""
        return self.bearers.get(normalize(name), ())

    def synonyms(self, name: str) -> tuple[str, ...]:
        """Return all other names of the concepts that a name may mean, normalised and sorted."""
        names = {other for concept in self.concepts(name) for other in self._names[concept]}
        # a name is no synonym of itself, however many concepts it has
        return tuple(sorted(names - {normalize(name)}))

    def edges(self, words: Iterable[str]) -> list[tuple[str, str]]:
        """Return sorted pairs of synonyms among the words of an embedding, in one order each.

        Ambiguity: sigir2017 does not say how its ontologies became a lexicon for retrofitting. We
        connect every two names of a concept, not just each name and the preferred one.

        >>> cancer = Concept.of("x:1", "Neoplasms", ["tumor", "new growth", "tumour"], "x")
        >>> SynonymGraph.build([cancer]).edges(["growth", "neoplasms", "tumor", "tumour"])
        [('neoplasms', 'tumor'), ('neoplasms', 'tumour'), ('tumor', 'tumour')]
        """
        known = set(words)
        # names of several words are in no embedding, and fall out here
        kept = [[name for name in names if name in known] for names in self._names.values()]
        return sorted({pair for names in kept for pair in combinations(names, 2)})
