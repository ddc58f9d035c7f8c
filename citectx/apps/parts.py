"""Collections beyond memory: an index in parts that workers read, label, index and search.

Neither client nor worker ever holds more than one part. A score needs one number of the other
parts, in how many articles a term occurs: these frequencies are counted in all parts and summed
first, then each part ranks its own articles for all queries, and the best of all parts are merged.
So the parts give the same bytes as one index of the whole collection (`FieldedIndex.scores`),
however many there are.

What is finished is kept: a part of the index in the index's folder, the hits in a part in the cache
(`citectx.cache`). Neither is computed again while what it depends on is unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from citectx import parallel, reading, storage
from citectx.cache import Arrays, Cache
from citectx.code import code_digest
from citectx.corpora import citation_integrity, sources
from citectx.corpora.files import Release, csv_rows, natural
from citectx.corpora.model import Document
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.language.text import SentenceSplitter
from citectx.recommendation import labelling
from citectx.recommendation.collection import Collection, LabelledSentences, conceal, query_terms
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.storage import digest, packed, read_arrays, unpacked, write_arrays
from citectx.types import Ints

MANIFEST = "index.json"
ARRAYS = ("start", "docs", "field", "tf", "norm")
HITS = Cache("hits-in-parts", __name__, {"query": 1, "article": 1, "score": 1})


class Source(Protocol):
    """Articles by number, which workers read themselves: it is pickled, so it holds no texts."""

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
    classifier : CoreSCClassifier, optional
        Labels the sentences; without one, all text is one field.
    """

    files: tuple[Path, ...]
    classifier: CoreSCClassifier | None = None

    @classmethod
    def of(cls, folder: Path, classifier: CoreSCClassifier | None = None) -> "TextFiles":
        """Find all text files below a folder, by name.

        Raises
        ------
        MissingDataError
            If there are none.
        DataError
            If two have the same name.
        """
        found = reading.listing(folder.absolute(), "**/*.txt")
        if not found:
            raise MissingDataError(f"{folder} holds no .txt files; expected an article in each")
        files = sorted(found, key=lambda path: (natural(path.name), str(path)))
        for a, b in pairwise(files):
            if a.stem == b.stem:
                raise DataError("two articles have this name; rename one", file=a)
        return cls(tuple(files), classifier)

    def __len__(self) -> int:
        return len(self.files)

    def collection(self, first: int, last: int) -> Collection:
        """Read and label the articles from `first` up to `last`."""
        documents = [_read_text(path) for path in self.files[first:last]]
        if self.classifier is not None:
            found = labelling.label_documents(documents, self.classifier)
            return Collection.build(documents, {one.doc_id: one for one in found})
        labels = {document.doc_id: _unlabelled(document) for document in documents}
        return Collection.build(documents, labels, ("text",))

    def stamp(self, first: int, last: int) -> str:
        """Hash the files' names, sizes and times, and the classifier."""
        states = [(path.name, path.stat()) for path in self.files[first:last]]
        found = [(name, state.st_size, state.st_mtime_ns) for name, state in states]
        return digest(found, self.classifier and self.classifier.fingerprint)


def _read_text(path: Path) -> Document:
    try:
        text = reading.read_text(path)
    except UnicodeDecodeError as error:
        raise DataError("is not in UTF-8; convert it, or leave it out", file=path) from error
    return Document(path.stem, text, citation_integrity.article_blocks(text))


def _unlabelled(document: Document) -> LabelledSentences:
    spans = SentenceSplitter().sentences(document, labelling.KINDS).spans
    return LabelledSentences(document.doc_id, spans, ["text"] * len(spans))


class Part(NamedTuple):
    """A run of articles, the file of their index, and what it depends on."""

    first: int
    last: int
    file: Path
    stamp: str


def index(
    source: Source, folder: Path, parts: int, *, force: bool = False, **how: Any
) -> list[Part]:
    """Index a collection in parts of equal numbers of articles; parts that are there are kept.

    Parameters
    ----------
    source : Source
    folder : Path
        For the parts, a file each, and `MANIFEST`; workers must see it under the same name. It must
        be new, empty or of an earlier index.
    parts : int
        As many as workers have room for one at a time: some 20 kB and 100 ms go into an article.
    force : bool
        Replace a finished index of other articles, of other parts, or made by other code.
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`; the parts do not depend on them.

    Raises
    ------
    ParameterError
        If there are no parts, or more than articles; if the folder holds another index and `force`
        is not set, or anything that is not ours.
    DataError
        If a part cannot be read or written; it is named, and those that are finished are kept.
    """
    if not 1 <= parts <= len(source):
        expected = f"1 to {len(source)}, the number of articles"
        raise ParameterError(f"parts must be {expected}; not {parts}")
    folder = Path(folder).absolute()
    wanted = _planned(source, folder, parts)
    storage.own_folder(folder)
    if not force and _finished(folder) not in ([], wanted):
        raise ParameterError(
            f"{folder} holds another index: name another folder, or replace it with --force"
        )
    todo = [part for part in wanted if not _is_there(part)]
    _run(partial(_index_part, source=source), todo, "index", how)
    listed = [[part.first, part.last, part.file.name, part.stamp] for part in wanted]
    storage.write_json(folder / MANIFEST, {"parts": listed})
    return wanted


def _planned(source: Source, folder: Path, parts: int) -> list[Part]:
    """Cut articles into parts of equal numbers."""
    code = code_digest(__name__)
    bounds = np.linspace(0, len(source), parts + 1).round().astype(int).tolist()
    planned = []
    for first, last in pairwise(bounds):
        stamp = digest(source.stamp(first, last), code)
        planned.append(Part(first, last, folder / f"{first:08}-{last:08}.npz", stamp))
    return planned


def _index_part(part: Part, source: Source) -> None:
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


def _run(
    function: Callable[[Part], Any], parts: Sequence[Part], label: str, how: Mapping[str, Any]
) -> list[Any]:
    work = partial(_named, function)
    return parallel.run(work, parts, label=f"{label}: {len(parts)} parts", **how)


def _named(function: Callable[[Part], Any], part: Part) -> Any:
    """Do a part's work; say in which part something went wrong, and what to do."""
    try:
        return function(part)
    except (DataError, OSError) as error:
        where = f"articles {part.first} to {part.last - 1} ({part.file.name})"
        remedy = "mend it and run again, finished parts are kept"
        raise DataError(f"{where}: {error}; {remedy}") from error


def _read(part: Part) -> dict[str, Any]:
    """Read a part's file, which must be whole and of the articles as they are now."""
    arrays = read_arrays(reading.note(part.file))
    if "stamp" not in arrays or unpacked(arrays["stamp"]) != (part.stamp,):
        raise DataError("is of other articles; index again", file=part.file)
    return arrays


def _is_there(part: Part) -> bool:
    with suppress(DataError):
        return bool(_read(part))
    return False


def search(
    folder: Path,
    queries: Sequence[Sequence[str]],
    weights: Mapping[str, float] | None = None,
    k: int = 200,
    *,
    barred: Sequence[str] | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Return the best k articles for each query; the earlier one first among equals, as in Lucene.

    Parameters
    ----------
    folder : Path
        Where `index` wrote.
    queries : sequence of sequence of str
        Terms, as `citectx.recommendation.collection.query_terms` makes them.
    weights : mapping of str to float, optional
        Boosts of the fields; 1 where none is given.
    k : int
    barred : sequence of str, optional
        For each query an article that may not be found: the citing one.
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`; the hits do not depend on them.
        Workers on other machines must see the same cache.

    Returns
    -------
    DataFrame
        A row a hit: number of the query, rank, name of the article, score (float32).

    Raises
    ------
    ParameterError
        For an unknown field, a negative weight, k below 1, no queries, or `barred` of another
        length.
    MissingDataError
        If there is no index.
    DataError
        If a part is missing or damaged; it is named.
    """
    barred = [""] * len(queries) if barred is None else barred
    if k < 1 or not queries or len(barred) != len(queries):
        sizes = f"{len(queries)} queries, {len(barred)} barred articles, k={k}"
        raise ParameterError(
            f"expected queries, a barred article for each if any, and k of at least 1; got {sizes}"
        )
    parts = _listed(Path(folder).absolute() / MANIFEST)
    terms = tuple(sorted({term for query in queries for term in query}))
    counted = _run(partial(_frequencies, terms=terms), parts, "count", how)
    whole = parts[-1].last, np.sum(counted, axis=0)
    key = digest([part.stamp for part in parts], queries, barred, weights, k)
    asked = _Asked(key, terms, queries, barred, weights, k, whole)
    todo = [part for part in parts if not HITS.file(asked.key_in(part)).is_file()]
    _run(partial(_search_part, asked=asked), todo, "search", how)
    hits = pd.DataFrame(_hits(parts[0], asked))
    for part in parts[1:]:  # in order, so that earlier ones stay first among equals
        both = pd.concat([hits, pd.DataFrame(_hits(part, asked))])
        ranked = both.sort_values(["query", "score"], ascending=[True, False], kind="stable")
        hits = ranked.groupby("query").head(k)
    rank = hits.groupby("query").cumcount() + 1
    return hits.assign(rank=rank)[["query", "rank", "article", "score"]].reset_index(drop=True)


class _Asked(NamedTuple):
    """What is asked of each part; `whole` as `FieldedIndex` has it, `key` names all of it."""

    key: str
    terms: Sequence[str]
    queries: Sequence[Sequence[str]]
    barred: Sequence[str]
    weights: Mapping[str, float] | None
    k: int
    whole: tuple[int, Ints]

    def key_in(self, part: Part) -> tuple[str, str]:
        return self.key, part.stamp


def _search_part(part: Part, asked: _Asked) -> None:
    _hits(part, asked)


def _hits(part: Part, asked: _Asked) -> Arrays:
    """Return the best articles of a part: number of the query, name of the article, score."""
    return HITS.get(asked.key_in(part), lambda: _found(part, asked))


def _found(part: Part, asked: _Asked) -> Arrays:
    own, ids = _open(part, asked.terms)
    own = replace(own, whole=asked.whole)
    place = {term: i for i, term in enumerate(asked.terms)}
    names = np.array(ids)
    queries, articles, scores = [], [], []
    for number, (query, barred) in enumerate(zip(asked.queries, asked.barred, strict=True)):
        found = own.scores([place[term] for term in query], asked.weights)
        found[names == barred] = -np.inf
        order = best(found, asked.k)
        queries.append(np.full(len(order), number))
        articles.append(names[order])
        scores.append(found[order])
    return {
        "query": np.concatenate(queries),
        "article": np.concatenate(articles),
        "score": np.concatenate(scores),
    }


def _listed(manifest: Path) -> list[Part]:
    if not reading.there(manifest):
        raise MissingDataError(f"{manifest} is missing; run: citectx recommend index")
    try:
        listed = storage.read_object(manifest)["parts"]
        return [Part(int(a), int(b), manifest.parent / name, stamp) for a, b, name, stamp in listed]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"damaged ({error!r}); index again", file=manifest) from error


def _finished(folder: Path) -> list[Part]:
    """Return the parts of the index that a folder holds; none if it is unfinished or damaged."""
    with suppress(MissingDataError, DataError):
        return _listed(folder / MANIFEST)
    return []


def _open(part: Part, terms: Sequence[str]) -> tuple[FieldedIndex, tuple[str, ...]]:
    """Read the index of some terms in a part, and the names of its articles."""
    arrays = _read(part)
    fields, ids, known = (unpacked(arrays[name]) for name in ("fields", "ids", "vocabulary"))
    own = FieldedIndex(fields, len(ids), len(known), *(arrays[name] for name in ARRAYS))
    number = {term: i for i, term in enumerate(known)}
    rows = [number.get(term, -1) for term in terms]
    return own.only(np.array(rows, dtype=np.int64)), ids


def _frequencies(part: Part, terms: Sequence[str]) -> Ints:
    return _open(part, terms)[0].frequencies()


def cmd_index(
    *, source: str, out: Path, parts: int, unlabelled: bool, force: bool, **how: Any
) -> int:
    """Run ``citectx recommend index``."""
    if source == "references":
        articles = sources.folder(citation_integrity.FULL_TEXTS) / citation_integrity.ARTICLES
        source = str(articles / "Reference")
    texts = TextFiles.of(Path(source))
    storage.own_folder(out)  # before a classifier is trained
    if not unlabelled:
        texts = replace(texts, classifier=labelling.trained())
    index(texts, out, parts, force=force, progress=True, **how)
    print(f"{len(texts):,} articles in {parts} parts: {out}")
    return 0


def cmd_search(
    *,
    index: Path,
    queries: Path,
    out: Path,
    k: int,
    weights: Sequence[str],
    force: bool,
    **how: Any,
) -> int:
    """Run ``citectx recommend search``."""
    own = [index / storage.OURS, index / MANIFEST, *index.glob("*.npz")]
    storage.check_output(out, inputs=[queries, *own], force=force)
    boosts = _boosts(weights)
    release = Release("queries", queries.parent)
    rows = csv_rows(release.text(queries), release(queries), ["query", "text"])
    asked = [row for row, _ in rows]
    barred = [row.get("citing", "") for row in asked]
    terms = [query_terms(conceal(row["text"], [])) for row in asked]
    hits = search(index, terms, boosts, k, barred=barred, progress=True, **how)
    hits["query"] = [asked[number]["query"] for number in hits["query"]]
    storage.write_atomically(out, hits.to_csv(index=False))
    print(f"{len(hits):,} hits for {len(asked):,} queries: {out}")
    return 0


def _boosts(weights: Sequence[str]) -> dict[str, float]:
    """Read weights as in ``Bac=2``."""
    try:
        pairs = [pair.split("=") for pair in weights]
        return {name: float(value) for name, value in pairs}
    except ValueError as error:
        given = " ".join(weights)
        raise ParameterError(f"expected weights as in Bac=2 Met=0.5, got {given}") from error
