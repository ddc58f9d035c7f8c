"""Articles as labelled sentences of term numbers, to be indexed; and citations as queries.

A collection keeps every sentence apart, so that an index for other labels (shuffled ones, none) is
made without reading the articles again. A query is the sentences around a citation, without
anything that reveals what is cited.

What we saw in the 2,420 marks of Citation-Integrity: most are one number of a bracketed group, some
are glued to a word (``described31338``, where 38 is the mark and 313 another), some are the year
behind names that are not marked.

>>> from citectx.types import Span
>>> article = Document("d1", "Cells rest. We watched cells.")
>>> labels = LabelledSentences("d1", [Span(0, 11), Span(12, 29)], ["Bac", "Met"])
>>> found = Collection.build([article], {"d1": labels})
>>> found.vocabulary, found.tokens.tolist(), found.sentence_class.tolist()
(('cells', 'rest', 'watched', 'we'), [0, 1, 3, 2, 0], [0, 5])
"""

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.citation_integrity import CitationMark
from citectx.corpora.coresc import CLASSES
from citectx.corpora.model import Document
from citectx.errors import DataError, ParameterError, unknown
from citectx.language.text import citation_markers
from citectx.storage import digest, sha
from citectx.types import Ints, Span

_WORD = re.compile(r"[^\W_]+")
_ASCII = "".join(c.lower() if c.isalnum() else " " for c in map(chr, range(128)))
_STOP = frozenset("the and or not of to from by with a an in".split())
PLACEHOLDER = "⟦⟧"
"""Replaces a citation; it holds no letter or digit, so it yields no term."""


@dataclass(frozen=True)
class LabelledSentences:
    """The sentences of an article and their classes, in reading order.

    Parameters
    ----------
    doc_id : str
    spans : sequence of Span
        Characters of the document's text.
    classes : sequence of str
        One of `citectx.corpora.coresc.CLASSES` for each span.
    """

    doc_id: str
    spans: Sequence[Span]
    classes: Sequence[str]

    def __len__(self) -> int:
        return len(self.spans)


def words(text: str) -> list[str]:
    """Lower-cased runs of letters and digits.

    Ambiguity: lrec2016 does not say how text becomes terms. These are the tokens of Elasticsearch's
    standard analyser, but for a few that hold a point or an apostrophe; nothing is stemmed, and
    articles keep their stop words, which count in a field's length.

    >>> words("The p53-mediated arrest, 0.5")
    ['the', 'p53', 'mediated', 'arrest', '0', '5']
    """
    if text.isascii():  # as most sentences are, and ten million words go faster without a pattern
        return text.translate(_ASCII).split()
    return _WORD.findall(text.lower())


@dataclass(frozen=True, eq=False)
class Collection:
    """The articles that may be recommended.

    Parameters
    ----------
    classes : tuple of str
        One field of the index for each.
    doc_ids : tuple of str
    vocabulary : tuple of str
        Sorted.
    tokens : int32 array, shape (n,)
        Numbers of all terms of all sentences, in reading order.
    sentence_end : int array, shape (s,)
        Where each sentence ends in `tokens`.
    sentence_doc, sentence_class : int array, shape (s,)
        The document and class of each sentence, by number.
    """

    classes: tuple[str, ...]
    doc_ids: tuple[str, ...]
    vocabulary: tuple[str, ...]
    tokens: NDArray[np.int32]
    sentence_end: Ints
    sentence_doc: Ints
    sentence_class: Ints

    @classmethod
    def build(
        cls,
        documents: Sequence[Document],
        labels: Mapping[str, LabelledSentences],
        classes: Sequence[str] = CLASSES,
    ) -> Self:
        """Take labelled articles apart.

        Parameters
        ----------
        documents : sequence of Document
        labels : mapping of str to LabelledSentences
            By document; sentences that are not in it (titles, tables ...) are not indexed.
        classes : sequence of str

        Raises
        ------
        DataError
            If a document has no labels, or not one class for each sentence.
        ParameterError
            For a class that is not among `classes`.
        """
        number = {name: i for i, name in enumerate(classes)}
        first_seen: dict[str, int] = defaultdict(count().__next__)
        tokens = [np.zeros(0, dtype=np.int32)]
        lengths, kinds, sizes = list[int](), list[int](), list[int]()
        for document in documents:
            own = _labels_of(document, labels, number)
            kinds += [number[label] for label in own.classes]
            sentences = [words(document.text[start:end]) for start, end in own.spans]
            sizes.append(len(sentences))
            lengths += map(len, sentences)
            numbers = map(first_seen.__getitem__, chain.from_iterable(sentences))
            tokens.append(np.fromiter(numbers, dtype=np.int32))
        vocabulary = tuple(sorted(first_seen))
        place = np.empty(len(vocabulary), dtype=np.int32)
        place[[first_seen[term] for term in vocabulary]] = np.arange(len(vocabulary))
        return cls(
            tuple(classes),
            tuple(document.doc_id for document in documents),
            vocabulary,
            place[np.concatenate(tokens)],
            np.cumsum(lengths, dtype=np.int64),
            np.repeat(np.arange(len(sizes)), sizes),
            np.array(kinds, dtype=np.int64),
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

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that an index depends on."""
        arrays = (self.tokens, self.sentence_end, self.sentence_doc, self.sentence_class)
        hashes = [sha(array.tobytes()) for array in arrays]
        return digest(self.classes, self.doc_ids, self.vocabulary, hashes)

    def without_classes(self) -> Self:
        """Return the same articles with a single field, as if nothing had been labelled."""
        return replace(self, classes=("text",), sentence_class=np.zeros_like(self.sentence_class))

    def in_equal_parts(self) -> Self:
        """Return the same articles cut into runs of equal length, as many as there are classes.

        A sentence belongs to the run in which it begins.
        """
        sizes = self.field_lengths().sum(axis=0)
        begins = np.cumsum(sizes) - sizes
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
        shape = len(self.classes), len(self)
        cells = self.sentence_class * len(self) + self.sentence_doc
        counts = np.bincount(cells, weights=self.sentence_lengths, minlength=math.prod(shape))
        return counts.astype(np.int64).reshape(shape)

    def shuffled(self, seed: int) -> Self:
        """Return the same articles, each with its classes at random among its sentences.

        How many sentences of a class an article has stays the same; which they are is chance.
        """
        drawn = np.random.default_rng(seed).random(len(self.sentence_doc))
        order = np.lexsort((drawn, self.sentence_doc))
        return replace(self, sentence_class=self.sentence_class[order])


def _labels_of(
    document: Document, labels: Mapping[str, LabelledSentences], classes: Mapping[str, int]
) -> LabelledSentences:
    own = labels.get(document.doc_id)
    if own is None or len(own) != len(own.classes):
        found = "no labelled sentences"
        if own is not None:
            found = f"{len(own)} sentences, {len(own.classes)} classes"
        raise DataError(f"has {found}; label the collection first", file=document.doc_id)
    strange = set(own.classes) - classes.keys()
    if strange:
        raise unknown(f"class of a sentence in {document.doc_id}:", min(strange), classes)
    return own


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
    """A citation whose target can be recommended.

    Parameters
    ----------
    citing_id, target_id : str
    kind : str
        Class of the sentence that cites.
    terms : tuple of str
        The query.
    place : int
        Where the marker starts in the citing article.
    """

    citing_id: str
    target_id: str
    kind: str
    terms: tuple[str, ...]
    place: int


def pmc_number(doc_id: str) -> int:
    """Return the number of a PMC id, which rises with the time of deposit.

    Raises
    ------
    ParameterError
        If it is not a PMC id, so that the article's age is unknown.

    Examples
    --------
    >>> pmc_number("PMC2795795")
    2795795
    """
    number = doc_id.removeprefix("PMC")
    if number == doc_id or not number.isdecimal():
        raise ParameterError(
            f"{doc_id!r} is not a PMC id (as in PMC2795795), so the article's age is unknown"
        )
    return int(number)


def by_kind(
    citations: Iterable[Citation], limit: int | None = None, seed: int = 0
) -> dict[str, tuple[Citation, ...]]:
    """Group citations by class, in order.

    Parameters
    ----------
    citations : iterable of Citation
    limit : int, optional
        Draw this many of a class that has more.
        Ambiguity: lrec2016 §6 takes at most 700 citations of a class, without saying which; we draw
        them over all citing articles.
    seed : int
    """
    groups = defaultdict[str, list[Citation]](list)
    for citation in citations:
        groups[citation.kind].append(citation)
    rng = np.random.default_rng(seed)
    for kind, group in sorted(groups.items()):
        if limit is not None and len(group) > limit:
            groups[kind] = [group[i] for i in np.sort(rng.permutation(len(group))[:limit])]
    return {kind: tuple(group) for kind, group in sorted(groups.items())}


def conceal(text: str, marks: Sequence[Span]) -> str:
    """Replace known markers, and whatever else looks like one, by the same placeholder.

    Parameters
    ----------
    text : str
    marks : sequence of Span
        Known markers.

    Examples
    --------
    >>> conceal("As described31338, p53 of Doe et al. rests [3, 4].", [Span(15, 17)])
    'As described ⟦⟧ ⟦⟧ , p53 of ⟦⟧ rests ⟦⟧ .'
    """
    known = [Span(start, end) for start, end in marks if start < end]
    text = _replace(text, [*citation_markers(text), *known])
    text = _replace(text, citation_markers(text))
    return " ".join(text.split())


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces, last = list[str](), 0
    for start, end in sorted(spans):
        if start >= last:
            pieces.append(text[last:start])
        if not pieces or pieces[-1] != f" {PLACEHOLDER} ":
            pieces.append(f" {PLACEHOLDER} ")
        last = max(last, end)
    return "".join([*pieces, text[last:]])


def context(document: Document, spans: Sequence[Span], marks: Sequence[Span], sentence: int) -> str:
    """Return a citing sentence and one on either side, without markers.

    Source: lrec2016 §4. Ambiguity: the paper does not say whether a context may leave its
    paragraph; the public code's does.

    Parameters
    ----------
    document : Document
        The citing article.
    spans : sequence of Span
        Its sentences.
    marks : sequence of Span
        All its known markers.
    sentence : int
        Number of the sentence that cites.
    """
    pieces = []
    for start, end in spans[max(0, sentence - 1) : sentence + 2]:
        inside = [(max(a, start), min(b, end)) for a, b in marks if a < end and b > start]
        moved = [Span(a - start, b - start) for a, b in inside]
        pieces.append(conceal(document.text[start:end], moved))
    return " ".join(pieces)


def citations(
    marks: Sequence[CitationMark],
    citing: Sequence[Document],
    labels: Mapping[str, LabelledSentences],
    targets: Iterable[str],
) -> tuple[list[Citation], dict[str, int]]:
    """Turn citation marks into queries.

    Parameters
    ----------
    marks : sequence of CitationMark
    citing : sequence of Document
    labels : mapping of str to LabelledSentences
        Sentences of the citing articles.
    targets : iterable of str
        Articles that can be recommended.

    Returns
    -------
    citations : list of Citation
    left_out : dict of str to int
        How many marks yield none, by reason: the target is not in the collection, the mark is in no
        labelled sentence (a table, back matter), or no term is left.
    """
    known, documents = set(targets), {d.doc_id: d for d in citing}
    spans = defaultdict[str, list[Span]](list)
    for mark in marks:
        spans[mark.citing_id].append(mark.span)
    kept: list[Citation] = []
    left_out: Counter[str] = Counter()
    for name, target, span, *_ in marks:
        own = labels.get(name, LabelledSentences(name, (), ()))
        sentence = _sentence_at(own, span.start)
        if target not in known:
            left_out["target outside the collection"] += 1
        elif sentence is None:
            left_out["not in a labelled sentence"] += 1
        elif terms := query_terms(context(documents[name], own.spans, spans[name], sentence)):
            kept.append(Citation(name, target, own.classes[sentence], terms, span.start))
        else:
            left_out["empty query"] += 1
    return kept, dict(sorted(left_out.items()))


def _sentence_at(labelled: LabelledSentences, place: int) -> int | None:
    """Return the number of the sentence that holds a character, if any does."""
    found = bisect_right(labelled.spans, place, key=lambda span: span.start) - 1
    return found if found >= 0 and place < labelled.spans[found].end else None
