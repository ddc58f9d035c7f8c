"""Label whole collections with CoreSC classes, and keep the labels.

The cache (`citectx.cache`) holds the trained classifier, and the labels of each hundred articles as
arrays of sentence boundaries and class numbers. Their key is made of what the classifier has learnt
and of the texts: an interrupted run resumes, and a new classifier or a changed text gets labels of
its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from citectx import parallel
from citectx.cache import Arrays, cached
from citectx.corpora import citation_integrity, sources
from citectx.corpora.coresc import CLASSES, CoreSCCorpus, Paper, read_art
from citectx.corpora.model import BlockKind, Document
from citectx.errors import DataError, unknown
from citectx.language.text import SentenceSplitter
from citectx.recommendation.collection import LabelledSentences
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.storage import digest, packed, unpacked
from citectx.types import Span

KINDS: tuple[BlockKind, ...] = ("title", "abstract", "body", "caption")
"""What is labelled. Ambiguity: lrec2016 speaks of all sentences of an article; headings, tables,
reference lists and back matter (thanks, grants) are none."""

PART = 100
"""Articles whose labels are one entry of the cache."""

BATCH = 20
"""Articles that the classifier sees at once."""

CLASSIFIERS, LABELS = "coresc-classifiers", "coresc-labels"
"""Folders of the cache."""

COLLECTIONS = ("references", "citing")
"""Articles that may be recommended, and citing ones."""


def trained(*, corpus: CoreSCCorpus | None = None, **params: Any) -> CoreSCClassifier:
    """Return the classifier that was trained on ART; train it if that was not done on this machine.

    Training takes half a minute of one idle core. ART is for non-commercial use (CC BY-NC), and
    what is learnt from it is for you to use under its licence; the repository holds no copy.

    Parameters
    ----------
    corpus : CoreSCCorpus, optional
        Train on these papers instead of ART, and keep nothing.
    **params
        Of `CoreSCClassifier`.

    Raises
    ------
    MissingDataError
        If ART is needed and not on this machine.
    """
    model = CoreSCClassifier(**params)
    if corpus is not None:
        return _fitted(model, corpus)
    model.arrays = cached(CLASSIFIERS, __name__, model, lambda: _fitted(model, read_art()).arrays)
    return model


def _fitted(model: CoreSCClassifier, corpus: CoreSCCorpus) -> CoreSCClassifier:
    return model.fit([p.paper for p in corpus], [p.labels for p in corpus])


def label_documents(
    documents: Iterable[Document], classifier: CoreSCClassifier
) -> Iterator[LabelledSentences]:
    """Label each document on its own.

    Ambiguity: sentence boundaries, where the document has none, are those of `SentenceSplitter`
    without training on the collection, so that labels of an article do not depend on its
    neighbours.

    Examples
    --------
    >>> document = Document("a", "Cells rest.")
    >>> paper = Paper.of(document, [Span(0, 11)], document.blocks)
    >>> model = CoreSCClassifier(min_count=1).fit([paper, paper], [["Res"], ["Bac"]])
    >>> next(label_documents([Document("new", "Cells rest. They do.")], model)).spans
    [Span(start=0, end=11), Span(start=12, end=20)]
    """
    splitter = SentenceSplitter()
    for batch in _chunks(list(documents), BATCH):
        found = [splitter.sentences(document, KINDS) for document in batch]
        papers = [Paper.of(each.document, each.spans, each.blocks) for each in found]
        predicted = iter(classifier.predict([paper for paper in papers if len(paper)]))
        for document, sentences in zip(batch, found, strict=True):
            classes = list(next(predicted)) if len(sentences) else []
            yield LabelledSentences(document.doc_id, list(sentences.spans), classes)


def labelled(
    name: str,
    documents: Iterable[Document] | None = None,
    *,
    classifier: CoreSCClassifier | None = None,
    progress: bool = True,
    **how: Any,
) -> dict[str, LabelledSentences]:
    """Return the labels of a collection by document id, in its order; label what has none yet.

    A hundred articles are one piece of work, and the worker keeps their labels: an interruption
    costs no more than the pieces in progress.

    Parameters
    ----------
    name : str
        One of `COLLECTIONS`, or any name if `documents` are given.
    documents : iterable of Document, optional
    classifier : CoreSCClassifier, optional
        By default the one trained on ART, which is trained now if need be.
    progress : bool
        Show a progress bar.
    **how
        Of `citectx.parallel.run`; the labels do not depend on it.

    Raises
    ------
    ParameterError
        If the name is unknown.
    DataError
        If two documents have the same id.
    MissingDataError
        If data is not on this machine.
    """
    documents = _collection(name) if documents is None else list(documents)
    _check_ids(name, documents)
    classifier = classifier or trained()
    work = partial(_labels, classifier=classifier)
    parts = _chunks(documents, PART)
    found = parallel.run(work, parts, label=f"{name}: labels", progress=progress, **how)
    return {one.doc_id: one for arrays in found for one in _unpacked(arrays)}


def _chunks(documents: Sequence[Document], size: int) -> list[Sequence[Document]]:
    return [documents[i : i + size] for i in range(0, len(documents), size)]


def _check_ids(name: str, documents: Sequence[Document]) -> None:
    counts = Counter(document.doc_id for document in documents)
    for doc_id, times in counts.most_common(1):
        if times > 1:
            raise DataError(f"document {doc_id!r} occurs twice", file=name)


def _collection(name: str) -> Sequence[Document]:
    if name not in COLLECTIONS:
        raise unknown("collection", name, COLLECTIONS)
    folder = sources.folder(citation_integrity.FULL_TEXTS)
    if name == "references":
        return citation_integrity.read_references(folder)
    return citation_integrity.read_full_texts(folder).citing


def _key(documents: Sequence[Document], classifier: CoreSCClassifier) -> tuple[str, ...]:
    """Return all that the labels of some documents depend on, besides code."""
    texts = [(d.doc_id, d.text, d.blocks, d.sentences) for d in documents]
    return classifier.fingerprint, digest(texts)


def _labels(documents: Sequence[Document], classifier: CoreSCClassifier) -> Arrays:
    def compute() -> Arrays:
        return _packed(list(label_documents(documents, classifier)))

    return cached(LABELS, __name__, _key(documents, classifier), compute)


def _packed(labelled: Sequence[LabelledSentences]) -> Arrays:
    spans = [span for one in labelled for span in one.spans]
    numbers = [CLASSES.index(label) for one in labelled for label in one.classes]
    return {
        "documents": packed(one.doc_id for one in labelled),
        "sizes": np.array([len(one) for one in labelled]),
        "spans": np.array(spans, dtype=np.int32).reshape(-1, 2),
        "classes": np.array(numbers, dtype=np.uint8),
    }


def _unpacked(arrays: Arrays) -> Iterator[LabelledSentences]:
    ends = np.cumsum(arrays["sizes"])[:-1]
    names = unpacked(arrays["documents"])
    spans, numbers = (np.split(arrays[name], ends) for name in ("spans", "classes"))
    for doc_id, places, own in zip(names, spans, numbers, strict=True):
        classes = [CLASSES[number] for number in own.tolist()]
        yield LabelledSentences(doc_id, [Span(*place) for place in places.tolist()], classes)
