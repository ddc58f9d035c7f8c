"""Articles as labelled sentences of term numbers: what is indexed, and what controls re-label.

A collection keeps every sentence apart, so that an index for other labels (shuffled ones, none) is made
without reading the articles again.

>>> from citectx.corpora import Document
>>> from citectx.types import Span
>>> article = Document("d1", "Cells rest. We watched cells.")
>>> labels = LabelledSentences("d1", [Span(0, 11), Span(12, 29)], ["Bac", "Met"])
>>> found = Collection.build([article], {"d1": labels})
>>> found.vocabulary, found.tokens.tolist(), found.sentence_class.tolist()
(('cells', 'rest', 'watched', 'we'), [0, 1, 3, 2, 0], [0, 5])
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import Self

import numpy as np
from numpy.typing import NDArray

from citectx.corpora.coresc import CLASSES
from citectx.corpora.model import Document
from citectx.errors import DataError, unknown
from citectx.types import Span

Ints = NDArray[np.int64]
_WORD = re.compile(r"[^\W_]+")


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

    Ambiguity: lrec2016 does not say how text becomes terms. These are the tokens of Elasticsearch's standard
    analyser, but for a few that hold a point or an apostrophe; nothing is stemmed, and articles keep their
    stop words, which count in a field's length.

    >>> words("The p53-mediated arrest, 0.5")
    ['the', 'p53', 'mediated', 'arrest', '0', '5']
    """
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
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
        cls, documents: Sequence[Document], labels: Mapping[str, LabelledSentences], classes: Sequence[str] = CLASSES
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
        terms: dict[str, int] = defaultdict(count().__next__)
        tokens = [np.zeros(0, dtype=np.int32)]
        lengths, kinds, sizes = [], [], []
        for document in documents:
            own = labels.get(document.doc_id)
            if own is None:
                raise DataError("has no labelled sentences; label the collection first", file=document.doc_id)
            if len(own) != len(own.classes):
                message = f"{len(own)} sentences but {len(own.classes)} classes"
                raise DataError(message, file=document.doc_id)
            strange = set(own.classes) - number.keys()
            if strange:
                raise unknown(f"class of a sentence in {document.doc_id}:", min(strange), classes)
            kinds += [number[c] for c in own.classes]
            sentences = [words(document.text[start:end]) for start, end in own.spans]
            sizes.append(len(sentences))
            lengths += [len(found) for found in sentences]
            tokens.append(np.fromiter(map(terms.__getitem__, chain(*sentences)), dtype=np.int32))
        vocabulary = sorted(terms)
        place = np.empty(len(terms), dtype=np.int32)
        place[[terms[term] for term in vocabulary]] = np.arange(len(terms))
        return cls(
            tuple(classes),
            tuple(d.doc_id for d in documents),
            tuple(vocabulary),
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

    def without_classes(self) -> Self:
        """Return the same articles with a single field, as if nothing had been labelled."""
        return replace(self, classes=("text",), sentence_class=np.zeros_like(self.sentence_class))

    def in_equal_parts(self) -> Self:
        """Return the same articles cut into runs of equal length, as many as there are classes.

        A sentence belongs to the run in which it begins.
        """
        lengths = np.diff(self.sentence_end, prepend=0)
        sizes = np.bincount(self.sentence_doc, weights=lengths, minlength=len(self)).astype(np.int64)
        before = (self.sentence_end - lengths) - (np.cumsum(sizes) - sizes)[self.sentence_doc]
        part = before * len(self.classes) // np.maximum(sizes[self.sentence_doc], 1)
        return replace(self, sentence_class=np.minimum(part, len(self.classes) - 1))

    def field_lengths(self) -> Ints:
        """Count the terms of each field of each article, shape (classes, articles)."""
        lengths = np.diff(self.sentence_end, prepend=0)
        cells = self.sentence_class * len(self) + self.sentence_doc
        counts = np.bincount(cells, weights=lengths, minlength=len(self.classes) * len(self))
        return counts.astype(np.int64).reshape(len(self.classes), len(self))

    def shuffled(self, seed: int) -> Self:
        """Return the same articles with each one's classes dealt out anew among its sentences.

        How many sentences of which class an article has stays as it is; which they are becomes chance.
        """
        order = np.lexsort((np.random.default_rng(seed).random(len(self.sentence_doc)), self.sentence_doc))
        return replace(self, sentence_class=self.sentence_class[order])
