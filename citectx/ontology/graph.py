"""The synonym graph: which names mean the same, and where a text has them.

>>> heart = Concept.of("x:1", "Myocardial Infarction", ["heart attack", "MI", "infarct"], "x")
>>> graph = SynonymGraph.build([Vocabulary("x", (heart,))])
>>> graph.match("after a heart attack or infarct".split())
[Match(start=2, end=4, concepts=('x:1',)), Match(start=5, end=6, concepts=('x:1',))]
>>> graph.synonyms("Heart Attack")
('infarct', 'myocardial infarction')
>>> print(graph.excluded.to_string(index=False))
name        reason concept
  mi plain English     x:1
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.errors import DataError
from citectx.ontology.concepts import Concept, Vocabulary, normalized
from citectx.ontology.exclusions import Name, reason
from citectx.storage import packed, unpacked

Excluded = tuple[str, str, str]
"""A name, why it is left out, the concept it is left out of."""


class Match(NamedTuple):
    """A name found in a text: words start to end (exclusive), and all concepts that it may mean."""

    start: int
    end: int
    concepts: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class SynonymGraph:
    """Names on one side, concepts on the other; names of one concept are synonyms.

    One name may belong to several concepts. Concepts of different vocabularies are not merged, but meet in
    the names that they share: the synonyms of a name are the names of all concepts that bear it.

    Parameters
    ----------
    names : tuple of str
        Words joined by a space, as `citectx.ontology.concepts.normalized` gives them; sorted.
    concept_ids, sources : tuple of str
        Id and vocabulary of each concept; sorted by id.
    pairs : int array, shape (n, 2)
        Which name (index) belongs to which concept (index).
    left_out : tuple of (name, reason, concept)
        See `citectx.ontology.exclusions`.
    """

    names: tuple[str, ...]
    concept_ids: tuple[str, ...]
    sources: tuple[str, ...]
    pairs: NDArray[np.int32]
    left_out: tuple[Excluded, ...] = ()

    @classmethod
    def build(cls, vocabularies: Iterable[Vocabulary]) -> Self:
        """Normalise all names, leave out those that must not match, join the rest.

        Parameters
        ----------
        vocabularies : iterable of Vocabulary

        Raises
        ------
        DataError
            If no name is left.
        """
        concepts = sorted((c for v in vocabularies for c in v), key=lambda c: c.concept_id)
        first = {c.concept_id: c for c in reversed(concepts)}
        owners, left_out = _owners(concepts)
        if not owners:
            raise DataError(f"no name is left of {len(first)} concepts ({len(left_out)} names were excluded)")
        ids, names = sorted(first), sorted(owners)
        place = {concept_id: i for i, concept_id in enumerate(ids)}
        pairs = [(i, place[c]) for i, name in enumerate(names) for c in sorted(owners[name])]
        return cls(
            tuple(names),
            tuple(ids),
            tuple(first[i].source for i in ids),
            np.array(pairs, dtype=np.int32),
            tuple(sorted(left_out)),
        )

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        made_of = ", ".join(sorted(set(self.sources)))
        return f"SynonymGraph({len(self.names):,} names of {len(self.concept_ids):,} concepts: {made_of})"

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _bears(self) -> sp.csr_array:
        """Names × concepts, 1 where a name belongs to a concept."""
        shape = (len(self.names), len(self.concept_ids))
        return sp.csr_array((np.ones(len(self.pairs), dtype=np.int32), self.pairs.T), shape=shape)

    @cached_property
    def _named(self) -> sp.csr_array:
        return self._bears.T.tocsr()

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """How long the names are that begin with a word, longest first."""
        lengths: dict[str, set[int]] = defaultdict(set)
        for name in self.names:
            lengths[name.partition(" ")[0]].add(name.count(" ") + 1)
        return {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()}

    def match(self, tokens: Sequence[str]) -> list[Match]:
        """Find names from left to right, at each word the longest, none overlapping.

        Parameters
        ----------
        tokens : sequence of str
            A text as `citectx.ontology.concepts.ANALYZER` gives it.

        Notes
        -----
        Source: naacl2015 §2.3.2 (greedy match of the longest expressions). Ambiguity: "greedy" may mean the
        longest name anywhere first; we go from left to right, as dictionary look-up does.
        """
        found, start = [], 0
        while start < len(tokens):
            for length in self._lengths.get(tokens[start], ()):
                row = self._row.get(" ".join(tokens[start : start + length]))
                if row is not None and start + length <= len(tokens):
                    found.append(Match(start, start + length, self._concepts(row)))
                    start += length
                    break
            else:
                start += 1
        return found

    def concepts(self, name: str) -> tuple[str, ...]:
        """Return the ids of the concepts that a name may mean, sorted; empty for an unknown name."""
        row = self._row.get(normalized(name))
        return () if row is None else self._concepts(row)

    def _concepts(self, row: int) -> tuple[str, ...]:
        return tuple(self.concept_ids[i] for i in _entries(self._bears, row))

    def synonyms(self, name: str) -> tuple[str, ...]:
        """Return all other names of the concepts that a name may mean, normalised and sorted."""
        row = self._row.get(normalized(name))
        if row is None:
            return ()
        rows = {int(i) for concept in _entries(self._bears, row) for i in _entries(self._named, concept)}
        return tuple(self.names[i] for i in sorted(rows - {row}))

    def edges(self, words: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Return pairs of synonyms that are one word each, both ways round as one pair; sorted.

        Parameters
        ----------
        words : collection of str, optional
            Keep only pairs of these, such as the words of an embedding.

        Notes
        -----
        Ambiguity: sigir2017 does not say how its ontologies became a lexicon for retrofitting. Here every
        two names of a concept are neighbours, not just each name and the preferred one.

        Examples
        --------
        >>> cancer = Concept.of("x:1", "Neoplasms", ["tumor", "new growth", "tumour"], "x")
        >>> SynonymGraph.build([Vocabulary("x", (cancer,))]).edges()
        [('neoplasms', 'tumor'), ('neoplasms', 'tumour'), ('tumor', 'tumour')]
        """
        kept = None if words is None else set(words)
        single = [i for i, n in enumerate(self.names) if " " not in n and (kept is None or n in kept)]
        bears = self._bears[single]
        first, second = sp.triu(bears @ bears.T, k=1).nonzero()
        return sorted((self.names[single[i]], self.names[single[j]]) for i, j in zip(first, second, strict=True))

    @property
    def excluded(self) -> pd.DataFrame:
        """What was left out: columns name, reason, concept."""
        return pd.DataFrame(self.left_out, columns=["name", "reason", "concept"])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a graph holds as arrays without objects, to keep it in a file."""
        texts = {
            "names": self.names,
            "concept_ids": self.concept_ids,
            "sources": self.sources,
            "left_out": tuple(field for row in self.left_out for field in row),
        }
        return {"pairs": self.pairs} | {name: packed(lines) for name, lines in texts.items()}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Undo `arrays`."""
        texts = {k: unpacked(a) if len(a) else () for k, a in arrays.items() if k != "pairs"}
        rows = zip(*[iter(texts.pop("left_out"))] * 3, strict=True)
        return cls(**texts, pairs=arrays["pairs"], left_out=tuple(rows))


def _owners(concepts: Iterable[Concept]) -> tuple[dict[str, set[str]], set[Excluded]]:
    """Return the concepts that bear each name, and the names that must not match."""
    owners: dict[str, set[str]] = defaultdict(set)
    left_out: set[Excluded] = set()
    for concept in concepts:
        for name, why in _names(concept):
            if why:
                left_out.add((name, why, concept.concept_id))
            else:
                owners[name].add(concept.concept_id)
    return owners, left_out


def _names(concept: Concept) -> Iterator[tuple[str, str]]:
    """Return each normalised name once, with the reason to leave it out ("" for none)."""
    spellings: dict[str, set[str]] = defaultdict(set)
    for spelling in (concept.name, *concept.synonyms):
        spellings[normalized(spelling)].add(spelling)
    preferred = normalized(concept.name)
    for name, spelled in spellings.items():
        words = tuple(name.split())
        yield name, reason(Name(words, frozenset(spelled), name == preferred, concept.source))


def _entries(matrix: sp.csr_array, row: int) -> NDArray[np.int32]:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
