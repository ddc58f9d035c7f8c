"""Collections beyond memory: an index in parts that workers read, label, index and search.

Neither client nor worker ever holds more than one part. A score needs one number of the other
parts, in how many articles a term occurs: these frequencies are counted in all parts and summed
first, then each part ranks its own articles for all queries, and the best of all parts are merged.
So the parts give the same bytes as one index of the whole collection (`FieldedIndex.scores`),
however many there are.

What is finished is kept: a part of the index in the index's folder, the hits in a part in the cache
(`citectx.cache`). Neither is computed again while what it depends on is unchanged.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from citectx import parallel, reading, storage
from citectx.arrays import Arrays, check, packed, read_arrays, rising, unpacked
from citectx.cache import Cache, libraries
from citectx.code import code_digest
from citectx.corpora import citation_integrity, sources
from citectx.corpora.files import Release, csv_rows, natural
from citectx.corpora.model import Document
from citectx.errors import CitectxWarning, DataError, MissingDataError, ParameterError
from citectx.language.text import SentenceSplitter
from citectx.recommendation import labelling
from citectx.recommendation.collection import Collection, LabelledSentences, conceal, query_terms
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.storage import content_hash, digest, inside, write_arrays
from citectx.types import Ints

MANIFEST = "index.json"
ARRAYS = ("start", "docs", "field", "tf", "norm")
FORM = {
    "stamp": "text 1",
    "fields": "names fields",
    "ids": "names articles",
    "vocabulary": "names terms",
    "start": "i8 terms+1",
    "docs": "i4 postings",
    "field": "u1 postings",
    "tf": "f4 postings",
    "norm": "f4 fields articles",
}
"""What the file of a part holds (`citectx.arrays`)."""

CHECKED = Cache("checked-parts", __name__, {"articles": "i8"})
"""Parts whose `_relations` were found to hold: they are asked once for a content."""

FORMAT = 2
"""Of index and manifest; an index in another one is refused."""

HITS = Cache(
    "hits-in-parts",
    __name__,
    {"sizes": "i8 queries", "article": "U hits", "score": "f4 hits"},
)


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
    finished = _finished(folder, force)
    hashes = {part.stamp: part.sha256 for part in finished}
    planned = _planned(source, folder, parts)
    wanted = [part._replace(sha256=hashes.get(part.stamp, "")) for part in planned]
    storage.own_folder(folder)
    if not force and finished not in ([], wanted):
        raise ParameterError(
            f"{folder} holds another index: name another folder, or replace it with --force"
        )
    todo = [part for part in wanted if not _is_there(part)]
    _run(partial(_index_part, source=source), todo, "index", how)
    made = [part._replace(sha256=content_hash(part.file)) for part in wanted]
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


def _read(part: Part) -> Arrays:
    """Read a part's file, which must be as it was written, and of the articles as they are now."""
    file, articles = reading.note(part.file), part.last - part.first
    if part.sha256 and file.is_file() and content_hash(file) != part.sha256:
        message = f"its SHA-256 is not that of {MANIFEST}; copy it again, or index again"
        raise DataError(message, file=file)
    arrays = read_arrays(file, FORM, articles=articles)

    def checked() -> Arrays:
        check(file, _relations(arrays, part.stamp))
        return {"articles": np.array(articles)}

    if part.sha256:
        CHECKED.get((part.sha256, part.stamp, articles), checked)
    else:
        checked()
    return arrays


def _relations(arrays: Arrays, stamp: str) -> Iterator[tuple[str, Any, str]]:
    """Yield what holds between the arrays of a part."""
    yield "stamp", unpacked(arrays["stamp"]) == (stamp,), f"the articles of {stamp}; index again"
    start, docs, field, tf, norm = (arrays[name] for name in ARRAYS)
    fields, articles = norm.shape
    sizes, cells = np.diff(start), fields * articles
    whole = start[0] == 0 and start[-1] == len(docs) and (start[1:] >= start[:-1]).all()
    yield "start", whole, "where the postings of each term begin"
    yield "docs", ((docs >= 0) & (docs < articles)).all(), f"numbers of {articles} articles"
    yield "field", (field < fields).all(), f"numbers of {fields} fields"
    places = (
        np.repeat(np.arange(len(sizes)) * cells, sizes) + docs.astype(np.int64) * fields + field
    )
    yield "docs", rising(places, len(sizes) * cells), "the order of terms, articles, fields"
    yield "tf", (tf >= 1).all(), "roots of frequencies"
    yield "norm", ((norm >= 0) & (norm <= 1)).all(), "norms from 0 to 1"
    norms = norm[field, docs]
    yield "norm", (norms > 0).all(), "norms above 0 for fields that hold terms"
    few = (tf * norms <= 1.001).all()  # a norm is at most 1 / √length
    yield "tf", few, "no term more often than its field has terms"


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
    terms = tuple(sorted({term for query in queries for term in query}))
    counted = _run(partial(_counted, terms=terms), parts, "count", how)
    for part, (fields, _) in zip(parts, counted, strict=True):
        if fields != counted[0][0]:
            expected = f"expected {counted[0][0]} as in {parts[0].file.name}"
            raise DataError(f"fields: {expected}, found {fields}", file=part.file)
    whole = parts[-1].last, np.sum([frequencies for _, frequencies in counted], axis=0)
    key = digest([part.sha256 for part in parts], queries, barred, weights, k)
    asked = _Asked(key, terms, queries, barred, weights, k, whole)
    todo = [part for part in parts if not HITS.file(asked.key_in(part)).is_file()]
    _run(partial(_search_part, asked=asked), todo, "search", how)
    hits = _hits(parts[0], asked)
    for part in parts[1:]:  # in order, so that earlier ones stay first among equals
        both = pd.concat([hits, _hits(part, asked)])
        ranked = both.sort_values(["query", "score"], ascending=[True, False], kind="stable")
        hits = ranked.groupby("query").head(k)
    if len(twice := hits[hits.duplicated(["query", "article"])]):
        message = f"the article {twice['article'].iloc[0]!r} is in two parts; index again"
        raise DataError(message, file=manifest)
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
        return self.key, part.sha256


def _search_part(part: Part, asked: _Asked) -> None:
    _hits(part, asked)


def _hits(part: Part, asked: _Asked) -> pd.DataFrame:
    """Return the best articles of a part: number of the query, name of the article, score."""

    def relations(kept: Arrays) -> Iterator[tuple[str, Any, str]]:
        sizes = kept["sizes"]
        yield "sizes", ((sizes >= 0) & (sizes <= asked.k)).all(), f"at most {asked.k} hits a query"
        yield "sizes", sizes.sum() == len(kept["score"]), "numbers of hits"

    number = len(asked.queries)
    kept = HITS.get(asked.key_in(part), lambda: _found(part, asked), relations, queries=number)
    query = np.repeat(np.arange(number), kept["sizes"])
    return pd.DataFrame({"query": query, "article": kept["article"], "score": kept["score"]})


def _found(part: Part, asked: _Asked) -> Arrays:
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
    """Read the index of some terms in a part, and the names of its articles."""
    arrays = _read(part)
    fields, ids, known = (unpacked(arrays[name]) for name in ("fields", "ids", "vocabulary"))
    start, docs, field, tf, norm = (arrays[name] for name in ARRAYS)
    own = FieldedIndex(fields, len(ids), len(known), start, docs, field, tf, norm)
    number = {term: i for i, term in enumerate(known)}
    rows = [number.get(term, -1) for term in terms]
    return own.only(np.array(rows, dtype=np.int64)), ids


def _counted(part: Part, terms: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Return the fields of a part, and in how many of its articles each has a term."""
    own, _ = _open(part, terms)
    return own.fields, own.frequencies()


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
        release = Release("queries", file.parent)
        read = csv_rows(release.text(file), release(file), ["query", "text"])
        rows = [row for row, _ in read]
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
