"""Label whole collections with CoreSC classes, and keep the labels.

Labels lie in the data folder, ``coresc/labels/<collection>/<fingerprint>/``, a hundred articles a
file, as arrays of sentence boundaries and class numbers. The fingerprint is the classifier's; each
file also says of which texts it speaks. So an interrupted run goes on where it stopped, and neither
a new classifier nor a changed text ever meets old labels.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from citectx import parallel
from citectx.corpora import citation_integrity, sources
from citectx.corpora.coresc import CLASSES, CoreSCCorpus, Paper, read_art
from citectx.corpora.model import BlockKind, Document
from citectx.errors import DataError, MissingDataError, unknown
from citectx.language.text import SentenceSplitter
from citectx.paths import data_dir
from citectx.recommendation.collection import LabelledSentences
from citectx.recommendation.coresc import VERSION, CoreSCClassifier
from citectx.storage import packed, read_arrays, unpacked, write_arrays
from citectx.types import Span

KINDS: tuple[BlockKind, ...] = ("title", "abstract", "body", "caption")
"""What is labelled. Ambiguity: lrec2016 speaks of all sentences of an article; headings, tables,
reference lists and back matter (thanks, grants) are none."""

PART = 100
"""Articles in one file."""

COLLECTIONS: dict[str, Callable[[], Sequence[Document]]] = {
    "references": lambda: citation_integrity.read_references(
        sources.folder(citation_integrity.FULL_TEXTS)
    ),
    "citing": lambda: (
        citation_integrity.read_full_texts(sources.folder(citation_integrity.FULL_TEXTS)).citing
    ),
}
"""What ``citectx coresc label`` knows: the articles that may be recommended, and those that cite
them."""


def model_path(**params: Any) -> Path:
    """Where `trained` keeps the classifier of these parameters, below the data folder."""
    key = hashlib.sha256(repr((VERSION, CoreSCClassifier(**params))).encode())
    return data_dir() / "coresc" / "models" / f"ART-{key.hexdigest()[:12]}.npz"


def trained(
    *, corpus: CoreSCCorpus | None = None, force: bool = False, **params: Any
) -> CoreSCClassifier:
    """Return the classifier that was trained on ART; train it if that was not done on this machine.

    Training takes half a minute of one idle core. ART is for non-commercial use (CC BY-NC), and
    what is learnt from it is for you to use under its licence; the repository holds no copy.

    Parameters
    ----------
    corpus : CoreSCCorpus, optional
        Train on these papers instead of ART, and keep nothing.
    force : bool
        Train again.
    params
        Of `CoreSCClassifier`.

    Raises
    ------
    MissingDataError
        If ART is needed and not on this machine.
    """
    path = model_path(**params)
    if corpus is None and path.is_file() and not force:
        return CoreSCClassifier.load(path)
    papers = (corpus or read_art()).papers
    model = CoreSCClassifier(**params)
    model.fit([p.paper for p in papers], [p.labels for p in papers])
    if corpus is None:
        model.save(path)
    return model


def label_documents(
    documents: Iterable[Document],
    classifier: CoreSCClassifier,
    *,
    splitter: SentenceSplitter | None = None,
) -> Iterator[LabelledSentences]:
    """Label each document on its own.

    Ambiguity: sentence boundaries, where the document has none, are those of `SentenceSplitter`
    without training on the collection, so that labels of an article do not depend on its
    neighbours.

    Examples
    --------
    >>> paper = Paper.of(Document("a", "Cells rest."), (Span(0, 11),), Document("a", "Cells rest.").blocks)
    >>> model = CoreSCClassifier(min_count=1).fit([paper, paper], [["Res"], ["Bac"]])
    >>> next(label_documents([Document("new", "Cells rest. They do.")], model)).spans
    [Span(start=0, end=11), Span(start=12, end=20)]
    """
    splitter = splitter or SentenceSplitter()
    for batch in parallel.chunks(list(documents), 20):
        found = [splitter.sentences(document, KINDS) for document in batch]
        papers = [Paper.of(each.document, each.spans, each.blocks) for each in found]
        predicted = iter(classifier.predict([paper for paper in papers if len(paper)]))
        for document, sentences in zip(batch, found, strict=True):
            classes = list(next(predicted)) if len(sentences) else []
            yield LabelledSentences(document.doc_id, list(sentences.spans), classes)


def label_collection(
    name: str,
    documents: Iterable[Document] | None = None,
    *,
    classifier: CoreSCClassifier | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> Path:
    """Label a collection and keep the labels; what is there already is not done again.

    Each hundred articles are one piece of work, written by whoever did it, so that an interruption
    costs the pieces at hand and a lost worker nothing. Workers on other machines must see the same
    data folder.

    Parameters
    ----------
    name : str
        One of `COLLECTIONS`, or any name if `documents` are given.
    documents : iterable of Document, optional
    classifier : CoreSCClassifier, optional
        By default the one trained on ART, which is trained now if need be.
    jobs : int
        Processes; the labels do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler, see `citectx.parallel.run`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Path
        The folder of the labels.

    Raises
    ------
    ParameterError
        If the name is unknown.
    DataError
        If two documents have the same id.
    MissingDataError
        If data is not on this machine.
    """
    if documents is None and name not in COLLECTIONS:
        raise unknown("collection", name, COLLECTIONS)
    documents = list(COLLECTIONS[name]() if documents is None else documents)
    most = Counter(d.doc_id for d in documents).most_common(1)
    if most and most[0][1] > 1:
        raise DataError(f"document {most[0][0]!r} occurs twice", file=name)
    classifier = classifier or trained()
    folder = _folder(name, classifier)
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        (folder / f"{i * PART:07}.npz", part)
        for i, part in enumerate(parallel.chunks(documents, PART))
    ]
    todo = [(path, part) for path, part in parts if not _is_there(path, _digest(part))]
    work = partial(_label_part, classifier=classifier)
    label = f"{name}: {len(todo)} of {len(parts)} parts"
    parallel.run(work, todo, jobs=jobs, scheduler=scheduler, label=label, progress=progress)
    for stale in sorted(folder.glob("*.npz")):
        if int(stale.stem) >= len(documents):
            stale.unlink()  # of a collection that was longer before
    return folder


def _label_part(item: tuple[Path, Sequence[Document]], classifier: CoreSCClassifier) -> None:
    path, documents = item
    _write(path, _digest(documents), list(label_documents(documents, classifier)))


def labelled(name: str, documents: Iterable[Document], **how: Any) -> dict[str, LabelledSentences]:
    """Return the labels of a collection by document id; label first what has no labels yet.

    Parameters
    ----------
    name : str
    documents : iterable of Document
    **how
        See `label_collection`.
    """
    return _labels_in(label_collection(name, documents, **how))


def load_labels(
    name: str, *, classifier: CoreSCClassifier | None = None
) -> dict[str, LabelledSentences]:
    """Read the labels that `label_collection` kept, by document id, in the collection's order.

    Parameters
    ----------
    name : str
    classifier : CoreSCClassifier, optional
        By default the one trained on ART, as `trained` keeps it.

    Raises
    ------
    MissingDataError
        If the collection was not labelled by this classifier.
    DataError
        If a file is damaged.
    """
    remedy = f"run: citectx coresc label {name}"
    try:
        folder = _folder(name, classifier or CoreSCClassifier.load(model_path()))
    except MissingDataError as error:
        raise MissingDataError(f"there is no classifier yet; {remedy}") from error
    if found := _labels_in(folder):
        return found
    raise MissingDataError(f"{folder} holds no labels; {remedy}")


def _labels_in(folder: Path) -> dict[str, LabelledSentences]:
    return {one.doc_id: one for path in sorted(folder.glob("*.npz")) for one in _read(path)}


def _folder(name: str, classifier: CoreSCClassifier) -> Path:
    return data_dir() / "coresc" / "labels" / name / classifier.fingerprint


def _digest(documents: Sequence[Document]) -> str:
    """Hash what the labels of some documents depend on."""
    digest = hashlib.sha256(repr(KINDS).encode())
    for document in documents:
        digest.update(
            repr((document.doc_id, document.text, document.blocks, document.sentences)).encode()
        )
    return digest.hexdigest()


def _write(path: Path, of: str, labelled: Sequence[LabelledSentences]) -> None:
    spans = [span for one in labelled for span in one.spans]
    write_arrays(
        path,
        compressed=True,
        of=packed([of]),
        documents=packed(one.doc_id for one in labelled),
        sizes=np.array([len(one) for one in labelled], dtype=np.int32),
        starts=np.array([s.start for s in spans], dtype=np.int32),
        lengths=np.array([s.end - s.start for s in spans], dtype=np.int32),
        classes=np.array(
            [CLASSES.index(c) for one in labelled for c in one.classes], dtype=np.uint8
        ),
    )


def _is_there(path: Path, of: str) -> bool:
    """Return whether a file is whole and about these texts; else it is written again."""
    try:
        return path.is_file() and unpacked(read_arrays(path)["of"]) == (of,)
    except (DataError, KeyError):
        return False


def _read(path: Path) -> Iterator[LabelledSentences]:
    arrays = read_arrays(path)
    try:
        starts = arrays["starts"]
        ends = starts + arrays["lengths"]
        spans = [*map(Span._make, zip(starts.tolist(), ends.tolist(), strict=True))]
        classes = [CLASSES[number] for number in arrays["classes"].tolist()]
        last = 0
        for doc_id, size in zip(
            unpacked(arrays["documents"]), arrays["sizes"].tolist(), strict=True
        ):
            own = slice(last, last + size)
            yield LabelledSentences(doc_id, spans[own], classes[own])
            last += size
    except (KeyError, ValueError, IndexError) as error:
        raise DataError(f"damaged ({error!r}); delete it and label again", file=path) from error


def cmd_label(name: str, jobs: int = 1, scheduler: str | None = None) -> int:
    """Run ``citectx coresc label``: label a collection, print how many sentences each class has."""
    folder = label_collection(name, jobs=jobs, scheduler=scheduler)
    found = _labels_in(folder)
    counts = Counter(label for one in found.values() for label in one.classes)
    print(f"{len(found):,} articles, {counts.total():,} sentences: {folder}")
    print("  ".join(f"{label} {counts[label]:,}" for label in CLASSES))
    return 0


def cmd_train(*, force: bool) -> int:
    """Run ``citectx coresc train``: train the classifier on ART if that was not done, print where
    it is.
    """
    print(f"{model_path()}: {trained(force=force).fingerprint}")
    return 0
