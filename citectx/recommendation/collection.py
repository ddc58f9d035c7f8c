"""Articles as labelled sentences of term numbers, to be indexed; and citations as queries.

A collection keeps every sentence apart, so that an index for other labels needs no second reading.
A query is the sentences around a citation, without anything that reveals what is cited.

What we saw in the 2,420 marks of Citation-Integrity: most are one number of a bracketed group, some
are glued to a word (``described31338``, where 38 is the mark and 313 another), some are the year
behind names that are not marked.

>>> from citectx.types import Span
>>> article = Document("d1", "Cells rest. We watched cells.")
>>> labels = [(Span(0, 11), "Bac"), (Span(12, 29), "Met")]
>>> collection = Collection.build([article], {"d1": labels})
>>> collection.vocabulary, collection.tokens.tolist(), collection.sentence_class.tolist()
(('cells', 'rest', 'watched', 'we'), [0, 1, 3, 2, 0], [0, 5])
"""

import re
import sys
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.coresc import CLASSES
from citectx.corpora.full_texts import CitationMark
from citectx.corpora.model import Document
from citectx.language.text import citation_markers
from citectx.types import Ints, Span

_STOP = frozenset("the and or not of to from by with a an in".split())
PLACEHOLDER = "⟦⟧"
"""Replaces a citation; it holds no letter or digit, so it yields no term."""


Labels = list[tuple[Span, str]]
"""The sentences of an article in reading order, each with its CoreSC class."""


def words(text: str) -> list[str]:
    """Return the lower-cased runs of letters and digits.

    Ambiguity: lrec2016 does not say how text becomes terms. These are the tokens of Elasticsearch's
    standard analyser, except for a few with a point or an apostrophe. Nothing is stemmed, and
    articles keep their stop words, which count in a field's length.

    >>> words("The p53-mediated arrest, 0.5")
    ['the', 'p53', 'mediated', 'arrest', '0', '5']
    """
    return re.findall(r"[^\W_]+", text.lower())


@dataclass(frozen=True, eq=False)
class Collection:
    """The articles that may be recommended, with one field of the index for each of `classes`.

    `tokens` are the term numbers of all sentences, shape (n,), in reading order; `sentence_end`,
    `sentence_doc` and `sentence_class`, shape (sentences,), say where each sentence ends in them,
    in which article it is and of which class.
    """

    classes: tuple[str, ...]
    doc_ids: tuple[str, ...]
    vocabulary: tuple[str, ...]
    tokens: NDArray[np.int32]
    sentence_end: Ints
    sentence_doc: Ints
    sentence_class: Ints

    @classmethod
    def build(cls, documents: Sequence[Document], labels: Mapping[str, Labels]) -> Self:
        """Index the labelled sentences of articles; those without a label are left out."""
        # terms are numbered as they are met, and later by the alphabet
        first_seen: dict[str, int] = defaultdict(count().__next__)
        tokens = array("i")
        ends, docs, classes = [], [], []
        for i, document in enumerate(documents):
            for span, kind in labels[document.doc_id]:
                terms = words(span.of(document.text))
                tokens.extend(map(first_seen.__getitem__, terms))
                ends.append(len(tokens))
                docs.append(i)
                classes.append(CLASSES.index(kind))
        vocabulary = tuple(sorted(first_seen))
        # from the number of a term as it was met to its place in the vocabulary
        place = np.argsort([first_seen[term] for term in vocabulary]).astype(np.int32)
        return cls(
            CLASSES,
            tuple(document.doc_id for document in documents),
            vocabulary,
            place[tokens],
            np.array(ends),
            np.array(docs),
            np.array(classes),
        )

    def __len__(self) -> int:
        return len(self.doc_ids)

    @cached_property
    def term_number(self) -> dict[str, int]:
        """Numbers of terms."""
        return {term: i for i, term in enumerate(self.vocabulary)}

    @cached_property
    def doc_number(self) -> dict[str, int]:
        """Numbers of documents."""
        return {doc_id: i for i, doc_id in enumerate(self.doc_ids)}

    def without_classes(self) -> Self:
        """Return the same articles with a single field, as if nothing had been labelled."""
        return replace(self, classes=("text",), sentence_class=np.zeros_like(self.sentence_class))

    def in_equal_parts(self) -> Self:
        """Cut each article into as many runs of equal length as there are classes."""
        sizes = self.field_lengths().sum(axis=0)
        begins = np.cumsum(sizes) - sizes
        # (sentences,): terms of the same article before each sentence
        starts = self.sentence_end - self.sentence_lengths
        before = starts - begins[self.sentence_doc]
        part = before * len(self.classes) // np.maximum(sizes, 1)[self.sentence_doc]
        return replace(self, sentence_class=np.minimum(part, len(self.classes) - 1))

    @property
    def sentence_lengths(self) -> Ints:
        """How many terms each sentence has."""
        return np.diff(self.sentence_end, prepend=0)

    def field_lengths(self) -> Ints:
        """Count the terms of each field of each article, shape (classes, articles)."""
        lengths = np.zeros((len(self.classes), len(self)), int)
        np.add.at(lengths, (self.sentence_class, self.sentence_doc), self.sentence_lengths)
        return lengths

    def shuffle(self, seed: int) -> Self:
        """Shuffle the classes of each article among its sentences."""
        drawn = np.random.default_rng(seed).random(len(self.sentence_doc))
        # by article, and at random within it
        order = np.lexsort((drawn, self.sentence_doc))
        return replace(self, sentence_class=self.sentence_class[order])


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a text without markers, stop words and numbers.

    Source: lrec2016 §4. Ambiguity: the list of stop words is not printed; eleven are known from the
    public code and we add "in". Ambiguity: the paper speaks of each distinct token; the public code
    is not clear about it.

    >>> query_terms("The arrest of 12 cells and the arrest of p53")
    ('arrest', 'cells', 'p53')
    """
    kept = [word for word in words(text) if word not in _STOP and not word[0].isdigit()]
    return tuple(dict.fromkeys(kept))


class Citation(NamedTuple):
    """A citation whose target can be recommended."""

    citing_id: str
    target_id: str
    kind: str
    """The class of the citing sentence."""
    terms: tuple[str, ...]
    """The terms of the query, all different."""
    place: int
    """Where the marker starts in the citing article."""


def pmc_number(doc_id: str) -> int:
    """Return the number of a PMC id, which rises with the time of deposit."""
    return int(doc_id.removeprefix("PMC"))


def by_kind(
    citations: Iterable[Citation], limit: int = sys.maxsize, seed: int = 0
) -> dict[str, tuple[Citation, ...]]:
    """Group citations by class, in order, and draw `limit` of a class that has more.

    Ambiguity: lrec2016 §6 takes at most 700 citations of a class, without saying which; we draw
    them over all citing articles.
    """
    groups: dict[str, list[Citation]] = defaultdict(list)
    for citation in citations:
        groups[citation.kind].append(citation)
    rng = np.random.default_rng(seed)
    chosen = {}
    for kind, members in sorted(groups.items()):
        places: Iterable[int] = range(len(members))
        if len(members) > limit:
            places = sorted(rng.permutation(len(members))[:limit])
        chosen[kind] = tuple(members[i] for i in places)
    return chosen


def conceal(text: str, marks: Iterable[tuple[int, int]]) -> str:
    """Replace known markers, and whatever else looks like one, by the same placeholder.

    >>> conceal("As described31338, p53 of Doe et al. rests [3, 4].", [(15, 17)])
    'As described ⟦⟧ ⟦⟧ , p53 of ⟦⟧ rests ⟦⟧ .'
    """
    text = replace_spans(text, [*citation_markers(text), *marks])
    text = replace_spans(text, citation_markers(text))
    return " ".join(text.split())


def replace_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put a placeholder where some spans are; those that touch get a single one.

    >>> replace_spans("cells [3][4] rest", [(6, 9), (9, 12)])
    'cells  ⟦⟧  rest'
    """
    characters = list(text)
    for start, end in spans:
        characters[start:end] = "\0" * (end - start)
    return re.sub("\0+", f" {PLACEHOLDER} ", "".join(characters))


def context(document: Document, labels: Labels, marks: Sequence[Span], sentence: int) -> str:
    """Return a citing sentence, given by its number, and one on either side, without markers.

    Source: lrec2016 §4. Ambiguity: the paper does not say whether a context may leave its
    paragraph; the public code's does.
    """
    pieces = []
    for (start, end), _ in labels[max(0, sentence - 1) : sentence + 2]:
        inside = [(max(a, start), min(b, end)) for a, b in marks if a < end and b > start]
        moved = [(a - start, b - start) for a, b in inside]
        pieces.append(conceal(document.text[start:end], moved))
    return " ".join(pieces)


def citations(
    marks: Sequence[CitationMark],
    citing: Sequence[Document],
    labels: Mapping[str, Labels],
    targets: Iterable[str],
) -> list[Citation]:
    """Turn citation marks into queries.

    Left out are marks to none of `targets`, in no labelled sentence, or with a query without terms.
    """
    known = set(targets)
    documents = {document.doc_id: document for document in citing}
    spans: dict[str, list[Span]] = defaultdict(list)
    for mark in marks:
        spans[mark.citing_id].append(mark.span)
    queries = []
    for name, target, (place, _) in marks:
        sentences = labels[name]
        sentence = bisect_right(sentences, place, key=lambda labelled: labelled[0].start) - 1
        if target in known and sentence >= 0 and place < sentences[sentence][0].end:
            terms = query_terms(context(documents[name], sentences, spans[name], sentence))
            queries.append(Citation(name, target, sentences[sentence][1], terms, place))
    return [citation for citation in queries if citation.terms]
