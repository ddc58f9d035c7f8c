"""Collections beyond memory: an index in parts, each of which a worker reads, labels, indexes and searches.

Neither client nor worker ever holds more than one part. A score needs one number of the other parts, in how
many articles a term occurs: these frequencies are counted in all parts and summed first, then each part ranks
its own articles for all queries, and the best of all parts are merged. So the parts give the same bytes as
one index of the whole collection (`FieldedIndex.search`), however many there are.

What is finished is kept: a part of the index, or the hits in a part, is not computed again while what it
depends on is unchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from citectx import parallel
from citectx.code import code_digest
from citectx.corpora import fulltext
from citectx.corpora.files import natural
from citectx.corpora.model import Document
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.language.text import SentenceSplitter
from citectx.recommendation.collection import Collection, LabelledSentences
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.labelling import KINDS, label_documents
from citectx.recommendation.lucene import FieldedIndex, Floats32, Ints, best
from citectx.storage import (
    clear,
    digest,
    own_folder,
    packed,
    read_arrays,
    read_object,
    sha256,
    unpacked,
    write_arrays,
    write_json,
)

MANIFEST = "index.json"
ARRAYS = ("start", "docs", "tf", "norm")


class Source(Protocol):
    """Articles by number, which workers read themselves; it is pickled, so it holds names, not texts."""

    def __len__(self) -> int:
        """Count the articles."""

    def collection(self, first: int, last: int) -> Collection:
        """Read the articles from `first` up to `last`, and label their sentences."""

    def stamp(self, first: int, last: int) -> str:
        """Hash what these articles' part of the index depends on."""


@dataclass(frozen=True)
class TextFiles:
    """Articles in plain text, a file each, in UTF-8.

    Parameters
    ----------
    files : tuple of Path
        Workers on other machines must see them under the same names.
    classifier : Path, optional
        Where `CoreSCClassifier` is kept that labels the sentences; without one, all text is one field.
    """

    files: tuple[Path, ...]
    classifier: Path | None = None

    @classmethod
    def of(cls, folder: Path, classifier: Path | None = None) -> "TextFiles":
        """Find all text files below a folder, by name.

        Raises
        ------
        MissingDataError
            If there are none.
        DataError
            If two have the same name.
        """
        files = sorted(Path(folder).absolute().rglob("*.txt"), key=lambda p: (natural(p.name), str(p)))
        if not files:
            raise MissingDataError(f"{folder} holds no .txt files; expected an article in each")
        same = next((a for a, b in pairwise(files) if a.stem == b.stem), None)
        if same:
            raise DataError("two articles have this name; rename one", file=same)
        return cls(tuple(files), classifier)

    def __len__(self) -> int:
        return len(self.files)

    def collection(self, first: int, last: int) -> Collection:
        """Read and label the articles from `first` up to `last`."""
        documents = [self._read(path) for path in self.files[first:last]]
        if self.classifier is None:
            splitter = SentenceSplitter()
            found = {d.doc_id: list(splitter.sentences(d, KINDS).spans) for d in documents}
            unlabelled = {i: LabelledSentences(i, own, ["text"] * len(own)) for i, own in found.items()}
            return Collection.build(documents, unlabelled, ("text",))
        labels = label_documents(documents, CoreSCClassifier.load(self.classifier))
        return Collection.build(documents, {one.doc_id: one for one in labels})

    def stamp(self, first: int, last: int) -> str:
        """Hash the files' names, sizes and times, and the classifier."""
        found = [(p.name, (s := p.stat()).st_size, s.st_mtime_ns) for p in self.files[first:last]]
        return digest(found, self.classifier and sha256(self.classifier))

    def _read(self, path: Path) -> Document:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise DataError("is not in UTF-8; convert it, or leave it out", file=path) from error
        return Document(path.stem, text, fulltext.article_blocks(text))


class Part(NamedTuple):
    """A run of articles, and the file of their index."""

    first: int
    last: int
    file: Path
    stamp: str


@dataclass(frozen=True)
class Shard(FieldedIndex):
    """The index of some articles, or of some terms in them, that scores like the index of all articles.

    Parameters
    ----------
    articles : int
        In the whole collection.
    frequencies : int array, shape (fields, terms)
        In how many articles of the whole collection a term occurs in a field.
    """

    articles: int = 0
    frequencies: Ints | None = None

    @cached_property
    def idf(self) -> Floats32:
        """Idf of each term in each field of the whole collection, shape (fields, terms)."""
        return self._idf(self.own_frequencies() if self.frequencies is None else self.frequencies)

    def own_frequencies(self) -> Ints:
        """In how many of its own articles a term occurs in a field, shape (fields, terms)."""
        return np.diff(self.start).reshape(len(self.fields), self.n_terms)

    def _idf(self, df: ArrayLike) -> Floats32:
        found: Floats32 = (np.log(self.articles / (np.asarray(df) + 1.0)) + 1.0).astype(np.float32)
        return found


def index(
    source: Source,
    folder: Path,
    parts: int,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
) -> "PartedIndex":
    """Index a collection in parts of equal numbers of articles; parts that are there are kept.

    Parameters
    ----------
    source : Source
    folder : Path
        For the parts, a file each, and `MANIFEST`; workers must see it under the same name.
    parts : int
        As many as workers have room for one at a time: some 20 kB and 100 ms go into an article.
    jobs, scheduler, progress
        See `citectx.parallel.run`; the parts do not depend on them.

    Raises
    ------
    ParameterError
        If there are no parts, or more than articles.
    DataError
        If a part cannot be read or written; it is named, and those that are finished are kept.
    """
    if not 1 <= parts <= len(source):
        raise ParameterError(f"parts must be 1 to {len(source)}, the number of articles; not {parts}")
    folder = Path(folder).absolute()
    code = code_digest(__name__)
    bounds = np.linspace(0, len(source), parts + 1).round().astype(int).tolist()
    wanted = [
        Part(first, last, folder / f"{first:08}-{last:08}.npz", digest(source.stamp(first, last), code))
        for first, last in pairwise(bounds)
    ]
    todo = [part for part in wanted if not _is_there(part)]
    work = partial(_index_part, source=source)
    label = f"index: {len(todo)} of {parts} parts"
    parallel.run(work, todo, jobs=jobs, scheduler=scheduler, label=label, progress=progress)
    listed = [{"file": p.file.name, "first": p.first, "last": p.last, "stamp": p.stamp} for p in wanted]
    write_json(folder / MANIFEST, {"articles": len(source), "parts": listed})
    return PartedIndex.open(folder)


def _index_part(part: Part, source: Source) -> None:
    with _named(part):
        found = source.collection(part.first, part.last)
        own = FieldedIndex.of(found)
        write_arrays(
            part.file,
            stamp=packed([part.stamp]),
            fields=packed(found.classes),
            ids=packed(found.doc_ids),
            vocabulary=packed(found.vocabulary),
            **{name: getattr(own, name) for name in ARRAYS},
        )


def _is_there(part: Part) -> bool:
    """Tell whether a part's file is whole and of the articles as they are now."""
    try:
        return part.file.is_file() and unpacked(read_arrays(part.file)["stamp"]) == (part.stamp,)
    except (DataError, KeyError):
        return False


@contextmanager
def _named(part: Part) -> Iterator[None]:
    """Say in which part something went wrong, and what to do."""
    where = f"articles {part.first} to {part.last - 1} ({part.file.name})"
    try:
        yield
    except CitectxError as error:
        raise DataError(f"{where}: {error}; mend it and run again, finished parts are kept") from error
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"{where}: {reason}; make room and run again, finished parts are kept") from error


class Hits(NamedTuple):
    """The best articles of a part, or of all, for some queries.

    Parameters
    ----------
    query : int array, shape (n,)
        Ascending.
    article : int array, shape (n,)
        Numbers in the whole collection.
    score : float32 array, shape (n,)
    ids : tuple of str
        Names of the articles.
    """

    query: Ints
    article: Ints
    score: Floats32
    ids: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """Return a row for each hit: query, rank, article, score."""
        rank = pd.Series(self.query).groupby(self.query).cumcount() + 1
        return pd.DataFrame({"query": self.query, "rank": rank, "article": self.ids, "score": self.score})


class Asked(NamedTuple):
    """All that a worker needs to search a part."""

    terms: tuple[str, ...]
    queries: tuple[tuple[int, ...], ...]
    barred: tuple[str, ...]
    weights: Mapping[str, float]
    k: int
    articles: int
    frequencies: Ints
    folder: Path


@dataclass(frozen=True)
class PartedIndex:
    """An index in parts, on disk.

    Parameters
    ----------
    articles : int
    parts : tuple of Part
    """

    articles: int
    parts: tuple[Part, ...]

    @classmethod
    def open(cls, folder: Path) -> "PartedIndex":
        """Open what `index` wrote.

        Raises
        ------
        MissingDataError
            If there is no index.
        DataError
            If its manifest is damaged.
        """
        path = Path(folder).absolute() / MANIFEST
        if not path.is_file():
            raise MissingDataError(f"{folder} holds no {MANIFEST}; run: citectx recommend index")
        found = read_object(path)
        try:
            parts = [Part(p["first"], p["last"], path.parent / p["file"], p["stamp"]) for p in found["parts"]]
            return cls(found["articles"], tuple(parts))
        except (KeyError, TypeError) as error:
            raise DataError(f"damaged ({error!r}); index again", file=path) from error

    def search(
        self,
        queries: Sequence[Sequence[str]],
        weights: Mapping[str, float] | None = None,
        k: int = 200,
        *,
        barred: Sequence[str] | None = None,
        jobs: int = 1,
        scheduler: str | None = None,
        progress: bool = False,
    ) -> Hits:
        """Return the best k articles for each query; the earlier one first among equals, as in Lucene.

        Parameters
        ----------
        queries : sequence of sequence of str
            Terms, as `citectx.recommendation.queries.query_terms` makes them.
        weights : mapping of str to float, optional
            Boosts of the fields; 1 where none is given.
        k : int
        barred : sequence of str, optional
            For each query an article that may not be found: the citing one.
        jobs, scheduler, progress
            See `citectx.parallel.run`; the hits do not depend on them.

        Raises
        ------
        ParameterError
            For an unknown field, a negative weight, k below 1, no queries, or `barred` of another length.
        DataError
            If a part is missing or damaged; it is named.
        """
        if k < 1 or not queries:
            raise ParameterError(f"expected queries, and k of at least 1; got {len(queries)} and {k}")
        if barred is not None and len(barred) != len(queries):
            raise ParameterError(f"{len(barred)} barred articles for {len(queries)} queries")
        terms = tuple(sorted({term for query in queries for term in query}))
        place = {term: i for i, term in enumerate(terms)}
        numbers = tuple(tuple(place[term] for term in query) for query in queries)
        how: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": progress}
        counted = parallel.run(partial(_frequencies, terms=terms), self.parts, label="count", **how)
        summed = np.sum(counted, axis=0)
        excluded = tuple(barred or [""] * len(queries))
        key = digest([p.stamp for p in self.parts], queries, excluded, weights, k, code_digest(__name__))
        folder = self.parts[0].file.parent / f"hits-{key}"
        asked = Asked(terms, numbers, excluded, weights or {}, k, self.articles, summed, folder)
        own_folder(folder)
        todo = [p for p in self.parts if not _is_there(p._replace(file=folder / p.file.name))]
        parallel.run(partial(_search_part, asked=asked), todo, label="search", **how)
        hits = Hits(np.zeros(0, int), np.zeros(0, int), np.zeros(0, np.float32), ())
        for part in self.parts:
            hits = _merged(hits, _read_hits(folder / part.file.name), k)
        clear(folder)
        return hits


def _shard(part: Part, terms: Sequence[str], **whole: Any) -> tuple[Shard, tuple[str, ...]]:
    """Read the index of some terms in a part, and the names of its articles."""
    with _named(part):
        arrays = read_arrays(part.file)
        try:
            if unpacked(arrays["stamp"]) != (part.stamp,):
                raise DataError("is of other articles; index again", file=part.file)
            fields, ids, known = (unpacked(arrays[name]) for name in ("fields", "ids", "vocabulary"))
            number = {term: i for i, term in enumerate(known)}
            own = FieldedIndex(fields, len(ids), len(known), *(arrays[name] for name in ARRAYS))
        except KeyError as error:
            raise DataError(f"lacks {error}; index again", file=part.file) from error
    some = own.only(np.array([number.get(term, -1) for term in terms], dtype=np.int64))
    return Shard(some.fields, some.n_docs, some.n_terms, *(getattr(some, n) for n in ARRAYS), **whole), ids


def _frequencies(part: Part, terms: Sequence[str]) -> Ints:
    return _shard(part, terms)[0].own_frequencies()


def _search_part(part: Part, asked: Asked) -> None:
    shard, ids = _shard(part, asked.terms, articles=asked.articles, frequencies=asked.frequencies)
    number = {doc_id: i for i, doc_id in enumerate(ids)}
    docs, scores = [], []
    for query, barred in zip(asked.queries, asked.barred, strict=True):
        own = shard.scores(query, asked.weights)
        if barred in number:
            own[number[barred]] = -np.inf
        order = best(own, asked.k)
        docs.append(order)
        scores.append(own[order])
    with _named(part):
        write_arrays(
            asked.folder / part.file.name,
            stamp=packed([part.stamp]),
            query=np.repeat(np.arange(len(docs)), [len(d) for d in docs]),
            article=np.concatenate(docs) + part.first,
            score=np.concatenate(scores),
            ids=packed(ids[i] for d in docs for i in d),
        )


def _read_hits(path: Path) -> Hits:
    arrays = read_arrays(path)
    ids = unpacked(arrays["ids"]) if len(arrays["query"]) else ()
    return Hits(arrays["query"], arrays["article"], arrays["score"], ids)


def _merged(one: Hits, other: Hits, k: int) -> Hits:
    """Keep the best k hits of two for each query; those of `one` are of earlier articles."""
    query, article = np.concatenate([one.query, other.query]), np.concatenate([one.article, other.article])
    score = np.concatenate([one.score, other.score])
    order = np.lexsort((article, -score, query))
    rank = np.arange(len(order)) - np.searchsorted(query[order], query[order])
    kept = order[rank < k]
    ids = one.ids + other.ids
    return Hits(query[kept], article[kept], score[kept], tuple(ids[i] for i in kept))
