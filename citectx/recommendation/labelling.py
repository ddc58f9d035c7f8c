"""Label whole collections with CoreSC classes, and keep the labels.

The cache (`citectx.cache`) holds the labels of each hundred articles as arrays of sentence
boundaries and class numbers. Their key is made of the texts, our code and the version of
scikit-learn: an interrupted run resumes, and a changed text or classifier gets labels of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from citectx import parallel
from citectx.cache import Arrays, cached
from citectx.corpora.coresc import CLASSES, Paper, read_art
from citectx.corpora.model import BlockKind, Document
from citectx.errors import DataError
from citectx.language.text import SentenceSplitter
from citectx.recommendation.collection import LabelledSentences
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.storage import digest
from citectx.types import Span

KINDS: tuple[BlockKind, ...] = ("title", "abstract", "body", "caption")
"""What is labelled. Ambiguity: lrec2016 speaks of all sentences of an article; headings, tables,
reference lists and back matter (thanks, grants) are none."""

PART = 100
"""Articles whose labels are one entry of the cache."""


@cache
def trained() -> CoreSCClassifier:
    """Return the classifier trained on ART; the first call in a process trains it, in seconds.

    ART is for non-commercial use (CC BY-NC), and what is learnt from it is for you to use under its
    licence; the repository holds no copy.

    Raises
    ------
    MissingDataError
        If ART is not on this machine.
    """
    art = read_art()
    return CoreSCClassifier().fit(art.papers, [paper.labels for paper in art])


def label_documents(
    documents: Sequence[Document], classifier: CoreSCClassifier
) -> list[LabelledSentences]:
    """Label each document on its own.

    Ambiguity: sentence boundaries, where the document has none, are those of `SentenceSplitter`
    without training on the collection, so that labels of an article do not depend on its
    neighbours.

    Examples
    --------
    >>> from citectx.corpora.coresc import Sentence
    >>> paper = Paper("p", (Sentence("Cells rest."), Sentence("They do.")))
    >>> model = CoreSCClassifier().fit([paper] * 3, [("Res", "Con")] * 3)
    >>> label_documents([Document("new", "Cells rest. They do.")], model)[0].spans
    [Span(start=0, end=11), Span(start=12, end=20)]
    """
    splitter = SentenceSplitter()
    found = [splitter.sentences(document, KINDS) for document in documents]
    papers = [Paper.of(each.document, each.spans, each.blocks) for each in found]
    labels = []
    for sentences, classes in zip(found, classifier.predict(papers), strict=True):
        doc_id = sentences.document.doc_id
        labels.append(LabelledSentences(doc_id, list(sentences.spans), list(classes)))
    return labels


def labelled(name: str, documents: Sequence[Document], **how: Any) -> dict[str, LabelledSentences]:
    """Return the labels of a collection by document id, in its order; label what has none yet.

    A hundred articles are one piece of work: an interruption costs no more than the pieces in
    progress.

    Parameters
    ----------
    name : str
        What messages and the progress bar call the collection.
    documents : sequence of Document
    **how
        Jobs and progress, see `citectx.parallel.run`; the labels do not depend on it.

    Raises
    ------
    DataError
        If two documents have the same id.
    MissingDataError
        If something must be labelled, and ART is not on this machine.
    """
    counts = Counter(document.doc_id for document in documents)
    for doc_id, times in counts.most_common(1):
        if times > 1:
            raise DataError(f"document {doc_id!r} occurs twice", file=name)
    parts = [documents[i : i + PART] for i in range(0, len(documents), PART)]
    found = parallel.run(_labels, parts, label=f"{name}: labels", **how)
    labels: dict[str, LabelledSentences] = {}
    for part, arrays in zip(parts, found, strict=True):
        labels.update(_unpacked(part, arrays))
    return labels


def _labels(documents: Sequence[Document]) -> Arrays:
    """Take the labels of a part from the cache, or label it; a process trains once for all."""

    def compute() -> dict[str, Any]:
        return _packed(label_documents(documents, trained()))

    texts = [(d.doc_id, d.text, d.blocks, d.sentences) for d in documents]
    return cached("coresc-labels", __name__, digest(texts), compute)


def _packed(labels: Sequence[LabelledSentences]) -> dict[str, Any]:
    spans = [span for one in labels for span in one.spans]
    numbers = [CLASSES.index(label) for one in labels for label in one.classes]
    return {
        "sizes": [len(one.spans) for one in labels],
        "spans": np.array(spans, dtype=np.int32).reshape(-1, 2),
        "classes": np.array(numbers, dtype=np.uint8),
    }


def _unpacked(
    documents: Sequence[Document], arrays: Arrays
) -> Iterator[tuple[str, LabelledSentences]]:
    ends = np.cumsum(arrays["sizes"])[:-1]
    spans = np.split(arrays["spans"], ends)
    numbers = np.split(arrays["classes"], ends)
    for document, places, own in zip(documents, spans, numbers, strict=True):
        sentences = [Span(*place) for place in places.tolist()]
        classes = [CLASSES[number] for number in own]
        yield document.doc_id, LabelledSentences(document.doc_id, sentences, classes)
