"""Label collections with CoreSC classes, a hundred articles per entry of `citectx.cache`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from citectx import parallel
from citectx.cache import Arrays, cached
from citectx.corpora.coresc import CLASSES, Paper, read_art
from citectx.corpora.model import BlockKind, Document
from citectx.errors import DataError
from citectx.language.text import SentenceSplitter
from citectx.recommendation.collection import Labels
from citectx.recommendation.coresc import columns, pipeline
from citectx.storage import digest
from citectx.types import Span

KINDS: tuple[BlockKind, ...] = ("title", "abstract", "body", "caption")
"""What is labelled. Ambiguity: lrec2016 speaks of all sentences of an article; we leave out
headings, tables, reference lists and back matter (thanks, grants)."""

PART = 100
"""Articles whose labels are one entry of the cache."""


@cache
def classifier() -> Pipeline:
    """Train the classifier on ART, once in a process.

    ART and what is learnt from it are non-commercial (CC BY-NC); the repository holds no copy.
    """
    art = read_art()
    labels = [label for paper in art for label in paper.labels]
    return pipeline().fit(columns(art.papers), labels)


def label_documents(documents: Sequence[Document], model: Pipeline) -> list[Labels]:
    """Label the sentences of documents.

    Ambiguity: sentence boundaries, where the document has none, are those of `SentenceSplitter`
    without training on the collection, so that labels of an article do not depend on its
    neighbours.
    """
    splitter = SentenceSplitter()
    split = [splitter.sentences(document, KINDS) for document in documents]
    table = columns([Paper.of(sentences.document, sentences.spans) for sentences in split])
    classes = iter(model.predict(table).tolist() if len(table) else [])
    return [[(span, next(classes)) for span in sentences.spans] for sentences in split]


def label_collection(name: str, documents: Sequence[Document], **how: Any) -> dict[str, Labels]:
    """Return the labels of a collection by document; label what has none yet."""
    counts = Counter(document.doc_id for document in documents)
    for doc_id, times in counts.most_common(1):
        if times > 1:
            raise DataError(f"document {doc_id!r} occurs twice", file=name)
    parts = [documents[i : i + PART] for i in range(0, len(documents), PART)]
    stored = parallel.run(_label_part, parts, label=f"{name}: labels", **how)
    labels = (of_document for arrays in stored for of_document in _unpack(arrays))
    return dict(zip(counts, labels, strict=True))


def _label_part(documents: Sequence[Document]) -> Arrays:
    """Take the labels of a part from the cache, or label it."""
    texts = [(d.doc_id, d.text, d.blocks, d.sentences) for d in documents]
    return cached(
        "coresc-labels",
        __name__,
        digest(texts),
        lambda: _pack(label_documents(documents, classifier())),
    )


def _pack(labels: Sequence[Labels]) -> dict[str, Any]:
    rows = [(*span, CLASSES.index(kind)) for document in labels for span, kind in document]
    table = np.array(rows, dtype=np.int32).reshape(-1, 3)
    return {"sizes": [*map(len, labels)], "labels": table}


def _unpack(arrays: Arrays) -> Iterator[Labels]:
    ends = np.cumsum(arrays["sizes"])[:-1]
    for rows in np.split(arrays["labels"], ends):
        yield [(Span(start, end), CLASSES[number]) for start, end, number in rows.tolist()]
