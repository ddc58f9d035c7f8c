"""Label collections with CoreSC classes, a hundred articles per entry of `citectx.cache`."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

from sklearn.pipeline import Pipeline

from citectx import parallel
from citectx.cache import cached
from citectx.corpora.coresc import Paper, read_art
from citectx.corpora.model import BlockKind, Document
from citectx.errors import DataError
from citectx.language.text import SentenceSplitter
from citectx.recommendation.classifier import columns, pipeline
from citectx.recommendation.collection import Labels
from citectx.storage import digest
from citectx.types import Span

KINDS: tuple[BlockKind, ...] = ("title", "abstract", "body", "caption")
"""What is labelled. Ambiguity: lrec2016 speaks of all sentences of an article; we leave out
headings, tables, reference lists and back matter (thanks, grants)."""

PART = 100
"""How many articles' labels are one entry of the cache."""


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
    papers = [Paper.of(sentences.document, sentences.spans) for sentences in split]
    table = columns(papers)
    classes = iter(model.predict(table).tolist() if len(table) else [])
    return [[(span, next(classes)) for span in sentences.spans] for sentences in split]


def label_collection(name: str, documents: Sequence[Document], **how: Any) -> dict[str, Labels]:
    """Return the labels of a collection by document; label what has none yet."""
    counts = Counter(document.doc_id for document in documents)
    for doc_id, times in counts.most_common(1):
        if times > 1:
            raise DataError(f"document {doc_id!r} occurs twice", file=name)
    parts = [documents[i : i + PART] for i in range(0, len(documents), PART)]
    labels = parallel.run(_label_part, parts, label=f"{name}: labels", **how)
    return dict(zip(counts, chain.from_iterable(labels), strict=True))


def _label_part(documents: Sequence[Document]) -> list[Labels]:
    """Take the labels of a part from the cache, or label it."""

    def compute() -> dict[str, bytes]:
        return {"labels": json.dumps(label_documents(documents, classifier())).encode()}

    kept = cached("coresc-labels", __name__, digest(documents), compute)
    labels = json.loads(kept["labels"].item())
    return [[(Span(*span), kind) for span, kind in sentences] for sentences in labels]
