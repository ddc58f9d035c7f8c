"""The synonym graph: which names mean the same, and where a text contains them.

>>> heart = Concept.of("x:1", "Myocardial Infarction", ["heart attack", "MI", "infarct"], "x")
>>> graph = SynonymGraph.build([heart])
>>> graph.match("after a heart attack or infarct".split())
[Match(start=2, end=4, concepts=('x:1',)), Match(start=5, end=6, concepts=('x:1',))]
>>> graph.synonyms("Heart Attack")
('infarct', 'myocardial infarction')
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, Self

from citectx.ontology.concepts import Concept, normalized, usable_names


class Match(NamedTuple):
    """A name found in a text: words start to end (exclusive), and all concepts that it may mean."""

    start: int
    end: int
    concepts: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SynonymGraph:
    """Names on one side, concepts on the other; names of one concept are synonyms.

    One name may belong to several concepts. Concepts of different vocabularies are not merged, but
    meet in the names that they share: the synonyms of a name are the names of all concepts that
    bear it.

    Parameters
    ----------
    bearers : mapping of str to tuple of str
        The ids of the concepts that bear each name, sorted. Names are words joined by a space, as
        `citectx.ontology.concepts.normalized` gives them, and sorted, too.
    """

    bearers: Mapping[str, tuple[str, ...]]

    @classmethod
    def build(cls, concepts: Iterable[Concept]) -> Self:
        """Normalise all names, leave out those that must not match, join the rest."""
        bearers: dict[str, set[str]] = defaultdict(set)
        for concept in concepts:
            for name in usable_names(concept):
                bearers[name].add(concept.concept_id)
        return cls({name: tuple(sorted(found)) for name, found in sorted(bearers.items())})

    def __len__(self) -> int:
        return len(self.bearers)

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The names of each concept, by its id."""
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
        return {word: sorted(found, reverse=True) for word, found in lengths.items()}

    def match(self, tokens: Sequence[str]) -> list[Match]:
        """Find names from left to right, at each word the longest, without overlaps.

        Parameters
        ----------
        tokens : sequence of str
            A text as `citectx.ontology.concepts.ANALYZER` gives it.

        Notes
        -----
        Source: naacl2015 §2.3.2 (greedy match of the longest expressions). Ambiguity: "greedy" may
        mean the longest name anywhere first; we go from left to right, as dictionary look-up does.
        """
        lengths = self._lengths
        bearers = self.bearers
        found: list[Match] = []
        start = 0
        while start < len(tokens):
            for length in lengths.get(tokens[start], ()):
                end = start + length
                concepts = bearers.get(" ".join(tokens[start:end]))
                if concepts and end <= len(tokens):
                    found.append(Match(start, end, concepts))
                    start = end
                    break
            else:
                start += 1
        return found

    def concepts(self, name: str) -> tuple[str, ...]:
        """Return the ids of the concepts that a name may mean, sorted; none if it is unknown."""
        return self.bearers.get(normalized(name), ())

    def synonyms(self, name: str) -> tuple[str, ...]:
        """Return all other names of the concepts that a name may mean, normalised and sorted."""
        found = {other for concept in self.concepts(name) for other in self._names[concept]}
        return tuple(sorted(found - {normalized(name)}))

    def edges(self, words: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Return pairs of synonyms of one word each, both orders as one pair; sorted.

        Parameters
        ----------
        words : collection of str, optional
            Keep only pairs of these, such as the words of an embedding.

        Notes
        -----
        Ambiguity: sigir2017 does not say how its ontologies became a lexicon for retrofitting. Here
        every two names of a concept are neighbours, not just each name and the preferred one.

        Examples
        --------
                >>> cancer = Concept.of("x:1", "Neoplasms", ["tumor", "new growth", "tumour"], "x")
        >>> SynonymGraph.build([cancer]).edges()
        [('neoplasms', 'tumor'), ('neoplasms', 'tumour'), ('tumor', 'tumour')]
        """
        single = {name for name in self.bearers if " " not in name}
        if words is not None:
            single.intersection_update(words)
        pairs: set[tuple[str, str]] = set()
        for names in self._names.values():
            pairs.update(combinations([name for name in names if name in single], 2))
        return sorted(pairs)
