"""Collections beyond memory: an index in parts that workers read, label, index and search.

Neither client nor worker ever holds more than one part, and of a finished part a search reads only
what is about the terms of its queries: the file is mapped (`citectx.arrays.open_arrays`). A score
needs one number of the other parts, in how many articles a term occurs: these frequencies are
counted in all parts and summed first, then each part ranks its own articles for all queries, and
the best of all parts are merged. So the parts give the same bytes as one index of the whole
collection (`FieldedIndex.scores`), however many there are.

What is finished is kept: a part of the index in the index's folder, the hits in a group of parts in
the cache (`citectx.cache`). Neither is computed again while what it depends on is unchanged.
"""

import math
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx import parallel, reading, storage
from citectx.arrays import Arrays, check, open_arrays, packed, read_arrays, rising, unpacked
from citectx.cache import Cache, libraries
from citectx.code import code_digest
from citectx.corpora import citation_integrity, sources
from citectx.corpora.model import Document
from citectx.corpora.text_files import csv_rows, natural
from citectx.errors import CitectxWarning, DataError, MissingDataError, ParameterError
from citectx.language.text import SentenceSplitter
from citectx.recommendation import labelling
from citectx.recommendation.collection import Collection, LabelledSentences, conceal, query_terms
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.lucene import NORMS, FieldedIndex, best, byte_of_norm, frequencies
from citectx.storage import content_hash, digest, inside, write_arrays
from citectx.types import Ints

MANIFEST = "index.json"
FORM = {
    "stamp": "text 1",
    "fields": "names fields",
    "ids": "names articles",
    "vocabulary": "names terms",
    "heads": "names blocks",
    "block": "u blocks+1",
    "start": "u terms+1",
    "cell": "u postings",
    "count": "u1 postings",
    "many": "u frequent",
    "many_count": "u frequent",
    "norm": "u1 articles fields",
}
"""What the file of a part holds (`citectx.arrays`).

The vocabulary is sorted, and cut into blocks of `BLOCK` terms, whose first ones are the heads;
`block` is where each begins. A posting is a cell, which is article × fields + field, and how often
the term is there; a count that takes more than a byte is 0, and its place is among `many`. Norms
are bytes as Lucene's.
"""

BLOCK = 64
"""Terms that are read to find one of them."""

CHECKED = Cache("checked-parts", __name__, {"articles": "i8"})
"""Parts that were found to be as written: they are read whole once, as long as nobody changes them.

They are known by the state of their files (`citectx.storage.settled`).
"""

FORMAT = 3
"""Of index and manifest; an index in another one is refused."""

HITS = Cache(
    "hits-in-parts",
    __name__,
    {"sizes": "i8 queries", "article": "U hits", "score": "f4 hits"},
)

MANY_QUERIES = 10
"""So many are worth keeping the hits of."""

_ROOTS = np.sqrt(np.arange(256)).astype(np.float32)


class Source(Protocol):
    """Articles by number, which workers read themselves: it is pickled, so it holds no texts."""

    def __len__(self) -> int:
        """Count the articles."""

    def collection(self, first: int, last: int) -> Collection:
        """Read the articles from `first` up to `last`, and label their sentences."""

    def stamp(self, first: int, last: int) -> str:
        """Hash what these articles' part of the index depends on."""

    def only(self, first: int, last: int) -> Self:
        """Return the articles from `first` up to `last` alone, which is what a worker is sent."""


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

    def only(self, first: int, last: int) -> Self:
        """Keep the articles from `first` up to `last`."""
        return replace(self, files=self.files[first:last])


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
    """A run of articles, the file of their index, what it depends on, and the file's hash.

    The hash is unknown as long as the index is not finished.
    """

    first: int
    last: int
    file: Path
    stamp: str
    sha256: str = ""


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
        As many as workers have room for one at a time: some 400 kB and 100 ms go into an article.
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
    finished = _finished(folder, force)
    hashes = {part.stamp: part.sha256 for part in finished}
    planned = _planned(source, folder, parts)
    wanted = [part._replace(sha256=hashes.get(part.stamp, "")) for part in planned]
    storage.own_folder(folder)
    if not force and finished not in ([], wanted):
        raise ParameterError(
            f"{folder} holds another index: name another folder, or replace it with --force"
        )
    work = [(part, source.only(part.first, part.last)) for part in wanted]
    hashes_now = _run(_index_part, work, "index", how)
    made = [part._replace(sha256=new) for part, new in zip(wanted, hashes_now, strict=True)]
    listed = [[*part[:2], part.file.name, part.stamp, part.sha256] for part in made]
    content = {"format": FORMAT, "made_by": _makers(), "articles": len(source), "parts": listed}
    storage.write_json(folder / MANIFEST, content)
    return made


def _makers() -> list[str]:
    """Name the code and the libraries that terms and scores depend on."""
    return [code_digest(__name__), *libraries()]


def _planned(source: Source, folder: Path, parts: int) -> list[Part]:
    """Cut articles into parts of equal numbers."""
    code = code_digest(__name__)
    bounds = np.linspace(0, len(source), parts + 1).round().astype(int).tolist()
    planned = []
    for first, last in pairwise(bounds):
        stamp = digest(source.stamp(first, last), code)
        planned.append(Part(first, last, folder / f"{first:08}-{last:08}.npz", stamp))
    return planned


def _index_part(work: tuple[Part, Source]) -> str:
    """Index the articles of a part, unless that was done before; return the file's hash."""
    part, source = work
    with _naming(part):
        if not _is_there(part):
            found = source.collection(0, len(source))
            write_arrays(part.file, stamp=packed([part.stamp]), **_in_form(found))
        return content_hash(part.file)


def _in_form(collection: Collection) -> Arrays:
    """Index a collection, in the arrays of `FORM`."""
    own = FieldedIndex.of(collection)
    words = collection.vocabulary
    counts = np.rint(np.square(own.tf, dtype=np.float64)).astype(np.int64)
    many = np.flatnonzero(counts > 255)
    return {
        "fields": packed(own.fields),
        "ids": packed(collection.doc_ids),
        "vocabulary": packed(words),
        "heads": packed(words[::BLOCK]),
        "block": _small(_blocks(words)),
        "start": _small(own.start),
        "cell": _small(own.docs * np.int64(len(own.fields)) + own.field),
        "count": np.where(counts > 255, 0, counts).astype(np.uint8),
        "many": _small(many),
        "many_count": _small(counts[many]),
        "norm": byte_of_norm(own.norm).T.copy(),
    }


def _small(numbers: Ints) -> NDArray[Any]:
    """Return whole numbers in as few bytes as the highest one takes."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _blocks(words: Sequence[str]) -> Ints:
    """Return where each `BLOCK` of packed terms begins, and where one behind them all would."""
    sizes = [len(word.encode()) + 1 for word in words]  # a line break is behind each
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return np.append(ends[:-1:BLOCK], ends[-1])


def _run(function: Callable[[Any], Any], items: Sequence[Any], label: str, how: Any) -> list[Any]:
    return parallel.run(function, items, label=label, **how)


@contextmanager
def _naming(part: Part) -> Iterator[None]:
    """Say in which part something went wrong, and what to do."""
    try:
        yield
    except (DataError, OSError) as error:
        where = f"articles {part.first} to {part.last - 1} ({part.file.name})"
        remedy = "mend it and run again, finished parts are kept"
        raise DataError(f"{where}: {error}; {remedy}") from error


def _mapped(part: Part) -> Arrays:
    """Map a part's file, which must be as it was written, and of the articles as they are now."""
    _check(part)
    return open_arrays(part.file, FORM, articles=part.last - part.first)


def _check(part: Part) -> None:
    """Check all of a part's file, unless that was done since it was written."""
    state = storage.settled(part.file) if part.sha256 and part.file.is_file() else ()
    if state:
        _checked(part, state)
    else:
        _check_whole(part)


@cache
def _checked(part: Part, state: tuple[int, ...]) -> None:
    articles = np.array(part.last - part.first)

    def checked() -> Arrays:
        _check_whole(part)
        return {"articles": articles}

    key = str(part.file), state, part.sha256, part.stamp, articles.item()
    CHECKED.get(key, checked)


def _check_whole(part: Part) -> None:
    file = part.file
    if part.sha256 and file.is_file() and storage.sha256(file) != part.sha256:
        message = f"its SHA-256 is not that of {MANIFEST}; copy it again, or index again"
        raise DataError(message, file=file)
    arrays = read_arrays(file, FORM, articles=part.last - part.first)
    check(file, _relations_of_terms(arrays, part.stamp))
    check(file, _relations(arrays))


def _relations_of_terms(arrays: Arrays, stamp: str) -> Iterator[tuple[str, Any, str]]:
    """Yield what holds between the vocabulary of a part and where its terms are found."""
    yield "stamp", unpacked(arrays["stamp"]) == (stamp,), f"the articles of {stamp}; index again"
    words = unpacked(arrays["vocabulary"])
    yield "vocabulary", all(a < b for a, b in pairwise(words)), "terms in order"
    yield "heads", unpacked(arrays["heads"]) == words[::BLOCK], f"each {BLOCK}th term"
    begun = np.array_equal(arrays["block"], _blocks(words))
    yield "block", begun, f"where each {BLOCK}th term begins"


def _relations(arrays: Arrays) -> Iterator[tuple[str, Any, str]]:
    """Yield what holds between the postings of a part."""
    start, cell, many = (arrays[name].astype(np.int64) for name in ("start", "cell", "many"))
    count, norm = arrays["count"], NORMS[arrays["norm"]].reshape(-1)
    whole = start[0] == 0 and start[-1] == len(cell) and (start[1:] >= start[:-1]).all()
    yield "start", whole, "where the postings of each term begin"
    yield "cell", ((cell >= 0) & (cell < norm.size)).all(), "numbers of articles and their fields"
    places = np.repeat(np.arange(len(start) - 1) * norm.size, np.diff(start)) + cell
    yield "cell", rising(places, (len(start) - 1) * norm.size), "the order of terms, then cells"
    yield "many", np.array_equal(many, np.flatnonzero(count == 0)), "the places of counts of 0"
    counts = arrays["many_count"].astype(np.int64)
    yield "many_count", (counts > 255).all(), "counts that take more than a byte"
    yield "norm", (norm <= 1).all(), "norms up to 1"
    yield "norm", (norm[cell] > 0).all(), "norms above 0 for fields that hold terms"
    tf = _ROOTS[count]
    tf[many] = np.sqrt(counts)
    few = tf * norm[cell] <= 1.001  # a norm is at most 1 / √length
    yield "many_count", few[many].all(), "no term more often than its field has terms"
    yield "count", few.all(), "no term more often than its field has terms"


def _is_there(part: Part) -> bool:
    with suppress(DataError):
        _check(part)
        return True
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
        If a part is missing, damaged, or not of the index; it is named.

    Warns
    -----
    CitectxWarning
        If the index was made by other code or libraries.
    """
    barred = [""] * len(queries) if barred is None else barred
    if k < 1 or not queries or len(barred) != len(queries):
        sizes = f"{len(queries)} queries, {len(barred)} barred articles, k={k}"
        raise ParameterError(
            f"expected queries, a barred article for each if any, and k of at least 1; got {sizes}"
        )
    manifest = Path(folder).absolute() / MANIFEST
    parts = _listed(manifest)
    _warn_of_other_makers(manifest)
    for part in parts:
        reading.note(part.file)
    groups = parallel.chunks(parts, math.isqrt(len(parts) - 1) + 1)
    terms = tuple(sorted({term for query in queries for term in query}))
    counted = _run(partial(_counted, terms=terms, like=parts[0]), groups, "count", how)
    whole = parts[-1].last, np.sum(counted, axis=0)
    key = digest([part.sha256 for part in parts], queries, barred, weights, k)
    asked = _Asked(key, terms, queries, barred, weights, k, whole)
    return _table(reduce(partial(_merged, k=k), _ask(groups, asked, how)), manifest)


def _ask(groups: Sequence[Sequence[Part]], asked: "_Asked", how: Any) -> Iterable[Arrays]:
    """Search groups of parts; return the hits of each, all at once only if they are few."""
    if len(asked.queries) < MANY_QUERIES:
        return _run(partial(_found, asked=asked), groups, "search", how)
    todo = [group for group in groups if not HITS.file(asked.key_in(group)).is_file()]
    _run(partial(_search, asked=asked), todo, "search", how)
    return (_hits(group, asked) for group in groups)


class _Asked(NamedTuple):
    """What is asked of each part; `whole` as `FieldedIndex` has it, `key` names all of it."""

    key: str
    terms: Sequence[str]
    queries: Sequence[Sequence[str]]
    barred: Sequence[str]
    weights: Mapping[str, float] | None
    k: int
    whole: tuple[int, Ints]

    def key_in(self, group: Sequence[Part]) -> tuple[object, ...]:
        return self.key, [part.sha256 for part in group]


def _search(group: Sequence[Part], asked: _Asked) -> None:
    _hits(group, asked)


def _hits(group: Sequence[Part], asked: _Asked) -> Arrays:
    """Return the best articles of a group of parts, in the form of `HITS`."""

    def relations(kept: Arrays) -> Iterator[tuple[str, Any, str]]:
        sizes = kept["sizes"]
        yield "sizes", ((sizes >= 0) & (sizes <= asked.k)).all(), f"at most {asked.k} hits a query"
        yield "sizes", sizes.sum() == len(kept["score"]), "numbers of hits"

    number = len(asked.queries)
    return HITS.get(asked.key_in(group), lambda: _found(group, asked), relations, queries=number)


def _found(group: Sequence[Part], asked: _Asked) -> Arrays:
    """Search a group of parts, one after the other."""
    return reduce(partial(_merged, k=asked.k), (_found_in(part, asked) for part in group))


def _found_in(part: Part, asked: _Asked) -> Arrays:
    """Return the best articles of a part."""
    with _naming(part):
        own, ids = _open(part, asked.terms)
    own = replace(own, whole=asked.whole)
    place = {term: i for i, term in enumerate(asked.terms)}
    names = np.array(ids)
    sizes, articles, scores = [], [], []
    for query, barred in zip(asked.queries, asked.barred, strict=True):
        found = own.scores([place[term] for term in query], asked.weights)
        found[names == barred] = -np.inf
        order = best(found, asked.k)
        sizes.append(len(order))
        articles.append(names[order])
        scores.append(found[order])
    return {
        "sizes": np.array(sizes),
        "article": np.concatenate(articles),
        "score": np.concatenate(scores),
    }


def _merged(first: Arrays, second: Arrays, k: int) -> Arrays:
    """Return the best k for each query from two runs of parts; among equals those of the first."""
    both = {name: np.concatenate([first[name], second[name]]) for name in ("article", "score")}
    query = np.concatenate([_queries(first), _queries(second)])
    order = np.lexsort((-both["score"], query))
    query = query[order]
    top = order[np.arange(len(order)) - np.searchsorted(query, query) < k]
    sizes = np.minimum(first["sizes"] + second["sizes"], k)
    return {"sizes": sizes, "article": both["article"][top], "score": both["score"][top]}


def _queries(hits: Arrays) -> Ints:
    """Return the number of each hit's query."""
    return np.repeat(np.arange(len(hits["sizes"])), hits["sizes"])


def _table(hits: Arrays, manifest: Path) -> pd.DataFrame:
    query = _queries(hits)
    rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
    columns = {"query": query, "rank": rank, "article": hits["article"], "score": hits["score"]}
    found = pd.DataFrame(columns)
    if len(twice := found[found.duplicated(["query", "article"])]):
        message = f"the article {twice['article'].iloc[0]!r} is in two parts; index again"
        raise DataError(message, file=manifest)
    return found


def _listed(manifest: Path) -> list[Part]:
    """Read which parts there are: runs of articles without gaps, each in a file of the folder."""
    if not reading.there(manifest):
        raise MissingDataError(f"{manifest} is missing; run: citectx recommend index")
    content = storage.read_object(manifest)
    rows = content.get("parts")
    if content.get("format") != FORMAT or not isinstance(rows, list):
        expected = f"expected an index in format {FORMAT}, with its parts"
        raise DataError(f"{expected}; index again, with --force", file=manifest)
    parts, end = list[Part](), 0
    for row in rows:
        if not _is_row(row) or row[0] != end:
            expected = f"[{end}, last article + 1, file, stamp, SHA-256]"
            message = f"parts[{len(parts)}]: expected {expected}, found {row!r}"
            raise DataError(f"{message}; index again, with --force", file=manifest)
        first, end, name, stamp, sha256 = row
        parts.append(Part(first, end, inside(manifest.parent, name, file=manifest), stamp, sha256))
    if not parts or content.get("articles") != end:
        found = f"articles: expected {content.get('articles')!r}, found parts of {end}"
        raise DataError(f"{found}; copy it again, or index again, with --force", file=manifest)
    return parts


def _is_row(row: Any) -> bool:
    """Whether a row of the manifest has all that a `Part` has."""
    types = [int, int, str, str, str]
    return isinstance(row, list) and [type(each) for each in row] == types and row[0] < row[1]


def _warn_of_other_makers(manifest: Path) -> None:
    found, ours = storage.read_object(manifest).get("made_by"), _makers()
    if found != ours:
        known = found if isinstance(found, list) else []
        new = ", ".join(each for each in ours[1:] if each not in known) or "other code of citectx"
        warnings.warn(
            f"{manifest}: made before {new}: an index made now may give other hits; "
            "index again to be sure",
            CitectxWarning,
            stacklevel=3,
        )


def _finished(folder: Path, force: bool) -> list[Part]:
    """Return the parts of the index that a folder holds; none if it is unfinished.

    One that is damaged counts as unfinished if it may be replaced.
    """
    try:
        return _listed(folder / MANIFEST)
    except MissingDataError:
        return []
    except DataError:
        if not force:
            raise
        return []


def _open(part: Part, terms: Sequence[str]) -> tuple[FieldedIndex, tuple[str, ...]]:
    """Return the index of some terms in a part, in their order, and the names of its articles."""
    arrays = _mapped(part)
    fields, ids = unpacked(arrays["fields"]), unpacked(arrays["ids"])
    bounds = _bounds(arrays, terms)
    cell, count = (_slices(arrays[name], bounds) for name in ("cell", "count"))
    docs, field = np.divmod(cell, _narrow(len(fields)))
    tf = _ROOTS[count]
    if len(zero := np.flatnonzero(count == 0)):
        at = np.concatenate([np.arange(first, last) for first, last in bounds])[zero]
        tf[zero] = np.sqrt(arrays["many_count"][np.searchsorted(arrays["many"], at)])
    index = FieldedIndex(
        fields,
        len(ids),
        len(terms),
        _start(bounds),
        docs.astype(np.int32),
        field.astype(np.uint8),
        tf,
        NORMS[arrays["norm"]].T,
    )
    return index, ids


def _rows(arrays: Arrays, terms: Sequence[str]) -> Iterator[int]:
    """Yield the number of each term in a part, −1 for one that it lacks.

    Bytes are compared: in UTF-8 their order is that of the letters.
    """
    vocabulary, block = arrays["vocabulary"], arrays["block"]
    heads = bytes(arrays["heads"]).split(b"\n") if len(block) > 1 else []
    for term in terms:
        sought = term.encode(errors="surrogatepass")
        number = bisect_right(heads, sought) - 1
        if number < 0:
            yield -1
            continue
        words = bytes(vocabulary[block[number] : block[number + 1]]).split(b"\n")
        place = bisect_left(words, sought, hi=min(len(words), BLOCK))
        there = place < len(words) and words[place] == sought
        yield number * BLOCK + place if there else -1


def _bounds(arrays: Arrays, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the postings of each term begin and end."""
    start, rows = arrays["start"], _rows(arrays, terms)
    return [(int(start[row]), int(start[row + 1])) if row >= 0 else (0, 0) for row in rows]


def _start(bounds: Sequence[tuple[int, int]]) -> Ints:
    """Return where runs begin and end once they are `_slices`."""
    return np.cumsum([0, *(last - first for first, last in bounds)])


def _slices(array: NDArray[Any], bounds: Sequence[tuple[int, int]]) -> NDArray[Any]:
    """Read some runs of an array, one after the other."""
    return np.concatenate([array[:0], *(array[first:last] for first, last in bounds)])


def _narrow(number: int) -> Any:
    """Return a number that makes no array wider than need be."""
    return np.min_scalar_type(number).type(number)


def _counted(group: Sequence[Part], terms: Sequence[str], like: Part) -> Ints:
    """Return in how many articles of some parts a field has a term; all have the fields of one."""
    with _naming(like):
        expected = unpacked(_mapped(like)["fields"])
    total = np.zeros((len(expected), len(terms)), dtype=np.int64)
    for part in group:
        with _naming(part):
            arrays = _mapped(part)
            if (fields := unpacked(arrays["fields"])) != expected:
                message = f"fields: expected {expected} as in {like.file.name}, found {fields}"
                raise DataError(message, file=part.file)
            bounds = _bounds(arrays, terms)
            field = _slices(arrays["cell"], bounds) % _narrow(len(fields))
        total += frequencies(_start(bounds), field, len(fields))
    return total


def texts_of(source: str) -> TextFiles:
    """Find the text files of a folder, or of the open collection: ``references``."""
    if source == "references":
        articles = sources.folder(citation_integrity.FULL_TEXTS) / citation_integrity.ARTICLES
        source = str(articles / "Reference")
    return TextFiles.of(Path(source))


def labelled(texts: TextFiles) -> TextFiles:
    """Let the classifier that was trained on ART label the sentences."""
    print("the classifier is trained first, if none is kept: a minute or two", file=sys.stderr)
    return replace(texts, classifier=labelling.trained())


def cmd_index(
    *, source: str, out: Path, parts: int, unlabelled: bool, force: bool, **how: Any
) -> int:
    """Run ``citectx recommend index``."""
    texts = texts_of(source)
    storage.own_folder(out)  # before a classifier is trained
    if not unlabelled:
        texts = labelled(texts)
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
    boosts = boosts_of(weights)
    asked = Queries.of(queries)
    hits = search(index, asked.terms, boosts, k, barred=asked.barred, progress=True, **how)
    asked.write(hits, out)
    return 0


class Queries(NamedTuple):
    """Citing passages of a CSV file: names, terms, and the citing articles, if any."""

    names: Sequence[str]
    terms: Sequence[tuple[str, ...]]
    barred: Sequence[str]

    @classmethod
    def of(cls, file: Path) -> "Queries":
        """Read columns query, text; and citing, if any."""
        rows = [row.fields for row in csv_rows(file, ["query", "text"])]
        terms = [query_terms(conceal(row["text"], [])) for row in rows]
        names = [row["query"] for row in rows]
        return cls(names, terms, [row.get("citing", "") for row in rows])

    def write(self, hits: pd.DataFrame, out: Path) -> None:
        """Write hits under the names of their queries."""
        named = hits.assign(query=[self.names[number] for number in hits["query"]])
        storage.write_atomically(out, named.to_csv(index=False))
        print(f"{len(hits):,} hits for {len(self.names):,} queries: {out}")


def boosts_of(weights: Sequence[str]) -> dict[str, float]:
    """Read weights as in ``Bac=2``."""
    try:
        pairs = [pair.split("=") for pair in weights]
        return {name: float(value) for name, value in pairs}
    except ValueError as error:
        given = " ".join(weights)
        raise ParameterError(f"expected weights as in Bac=2 Met=0.5, got {given}") from error
