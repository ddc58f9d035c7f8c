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
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

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
ARRAYS = ("start", "docs", "field", "tf", "norm")


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


def index(
    source: Source, folder: Path, parts: int, *, jobs: int = 1, scheduler: str | None = None, progress: bool = False
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
    ) -> pd.DataFrame:
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

        Returns
        -------
        DataFrame
            A row a hit: number of the query, rank, name of the article, score (float32).

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
        terms = sorted({term for query in queries for term in query})
        place = {term: i for i, term in enumerate(terms)}
        asked = [(tuple(place[term] for term in query), "") for query in queries]
        if barred is not None:
            asked = [(numbers, one) for (numbers, _), one in zip(asked, barred, strict=True)]
        how: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": progress}
        counted = parallel.run(partial(_frequencies, terms=terms), self.parts, label="count", **how)
        key = digest([p.stamp for p in self.parts], queries, barred, weights, k, code_digest(__name__))
        folder = self.parts[0].file.parent / f"hits-{key}"
        own_folder(folder)
        whole = self.articles, np.sum(counted, axis=0)
        work = partial(_search_part, folder=folder, terms=terms, asked=asked, weights=weights or {}, k=k, whole=whole)
        todo = [p for p in self.parts if not _is_there(p._replace(file=folder / p.file.name))]
        parallel.run(work, todo, label="search", **how)
        hits = _read_hits(folder / self.parts[0].file.name)
        for part in self.parts[1:]:  # of later articles, so that earlier ones stay first among equals
            both = pd.concat([hits, _read_hits(folder / part.file.name)])
            both = both.sort_values(["query", "score"], ascending=[True, False], kind="stable")
            hits = both.groupby("query").head(k)
        clear(folder)
        rank = hits.groupby("query").cumcount() + 1
        return hits.assign(rank=rank)[["query", "rank", "article", "score"]].reset_index(drop=True)


def _open(part: Part, terms: Sequence[str]) -> tuple[FieldedIndex, tuple[str, ...]]:
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
    return own.only(np.array([number.get(term, -1) for term in terms], dtype=np.int64)), ids


def _frequencies(part: Part, terms: Sequence[str]) -> Ints:
    return _open(part, terms)[0].frequencies()


def _search_part(
    part: Part,
    folder: Path,
    terms: Sequence[str],
    asked: Sequence[tuple[tuple[int, ...], str]],
    weights: Mapping[str, float],
    k: int,
    whole: tuple[int, Ints],
) -> None:
    own, ids = _open(part, terms)
    own = replace(own, whole=whole)
    number = {doc_id: i for i, doc_id in enumerate(ids)}
    found: list[tuple[Ints, Floats32]] = []
    for query, barred in asked:
        scores = own.scores(query, weights)
        if barred in number:
            scores[number[barred]] = -np.inf
        order = best(scores, k)
        found.append((order, scores[order]))
    with _named(part):
        write_arrays(
            folder / part.file.name,
            stamp=packed([part.stamp]),
            query=np.repeat(np.arange(len(found)), [len(order) for order, _ in found]),
            score=np.concatenate([scores for _, scores in found]),
            article=packed(ids[i] for order, _ in found for i in order),
        )


def _read_hits(path: Path) -> pd.DataFrame:
    arrays = read_arrays(path)
    articles = unpacked(arrays["article"]) if len(arrays["query"]) else ()
    return pd.DataFrame(
        {"query": arrays["query"], "article": pd.Series(articles, dtype=object), "score": arrays["score"]}
    )
