"""Collections beyond memory: an index in parts, each of which a worker reads, labels, indexes and
searches.

Neither client nor worker ever holds more than one part. A score needs one number of the other
parts, in how many articles a term occurs: these frequencies are counted in all parts and summed
first, then each part ranks its own articles for all queries, and the best of all parts are merged.
So the parts give the same bytes as one index of the whole collection (`FieldedIndex.scores`),
however many there are.

What is finished is kept: a part of the index, or the hits in a part, is not computed again while
what it depends on is unchanged.
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

from citectx import parallel, storage
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
HIT = ("query", "article", "score")
Asked = Sequence[tuple[Sequence[int], str]]


class Source(Protocol):
    """Articles by number, which workers read themselves; it is pickled, so it holds names, not
    texts.
    """

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
        Where `CoreSCClassifier` is kept that labels the sentences; without one, all text is one
        field.
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
        files = sorted(
            Path(folder).absolute().rglob("*.txt"), key=lambda p: (natural(p.name), str(p))
        )
        if not files:
            raise MissingDataError(f"{folder} holds no .txt files; expected an article in each")
        for a, b in pairwise(files):
            if a.stem == b.stem:
                raise DataError("two articles have this name; rename one", file=a)
        return cls(tuple(files), classifier)

    def __len__(self) -> int:
        return len(self.files)

    def collection(self, first: int, last: int) -> Collection:
        """Read and label the articles from `first` up to `last`."""
        documents = [self._read(path) for path in self.files[first:last]]
        if self.classifier is None:
            splitter = SentenceSplitter()
            found = {d.doc_id: splitter.sentences(d, labelling.KINDS).spans for d in documents}
            unlabelled = {
                i: LabelledSentences(i, own, ["text"] * len(own)) for i, own in found.items()
            }
            return Collection.build(documents, unlabelled, ("text",))
        labels = labelling.label_documents(documents, CoreSCClassifier.load(self.classifier))
        return Collection.build(documents, {one.doc_id: one for one in labels})

    def stamp(self, first: int, last: int) -> str:
        """Hash the files' names, sizes and times, and the classifier."""
        found = [(p.name, (s := p.stat()).st_size, s.st_mtime_ns) for p in self.files[first:last]]
        return digest(found, self.classifier and storage.sha256(self.classifier))

    def _read(self, path: Path) -> Document:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise DataError("is not in UTF-8; convert it, or leave it out", file=path) from error
        return Document(path.stem, text, citation_integrity.article_blocks(text))


class Part(NamedTuple):
    """A run of articles, the file of their index (or of the hits in it), and what it depends on."""

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
        raise ParameterError(
            f"parts must be 1 to {len(source)}, the number of articles; not {parts}"
        )
    folder, code = Path(folder).absolute(), code_digest(__name__)
    bounds = np.linspace(0, len(source), parts + 1).round().astype(int).tolist()
    wanted = [
        Part(
            first,
            last,
            folder / f"{first:08}-{last:08}.npz",
            digest(source.stamp(first, last), code),
        )
        for first, last in pairwise(bounds)
    ]
    storage.own_folder(folder)
    if not force and _finished(folder) not in ([], wanted):
        raise ParameterError(
            f"{folder} holds another index: name another folder, or replace it with --force"
        )
    todo = [part for part in wanted if not _is_there(part)]
    _run(partial(_index_part, source=source), todo, "index", how)
    storage.write_json(
        folder / MANIFEST, {"parts": [[p.first, p.last, p.file.name, p.stamp] for p in wanted]}
    )
    return wanted


def _index_part(part: Part, source: Source) -> None:
    found = source.collection(part.first, part.last)
    own = FieldedIndex.of(found)
    arrays: dict[str, Any] = {name: getattr(own, name) for name in ARRAYS}
    texts = {"fields": found.classes, "ids": found.doc_ids, "vocabulary": found.vocabulary}
    arrays |= {name: packed(each) for name, each in texts.items()}
    write_arrays(part.file, stamp=packed([part.stamp]), **arrays)


def _run(
    function: Callable[[Part], Any], parts: Sequence[Part], label: str, how: Mapping[str, Any]
) -> list[Any]:
    return parallel.run(
        partial(_named, function), parts, label=f"{label}: {len(parts)} parts", **how
    )


def _named(function: Callable[[Part], Any], part: Part) -> Any:
    """Do a part's work; say in which part something went wrong, and what to do."""
    try:
        return function(part)
    except (DataError, OSError) as error:
        where = f"articles {part.first} to {part.last - 1} ({part.file.name})"
        raise DataError(
            f"{where}: {error}; mend it and run again, finished parts are kept"
        ) from error


def _read(part: Part) -> dict[str, Any]:
    """Read a part's file, which must be whole and of the articles as they are now."""
    arrays = read_arrays(part.file)
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
    terms = sorted({term for query in queries for term in query})
    place = {term: i for i, term in enumerate(terms)}
    asked = [
        ([place[term] for term in query], one) for query, one in zip(queries, barred, strict=True)
    ]
    counted = _run(partial(_frequencies, terms=terms), parts, "count", how)
    key = digest([p.stamp for p in parts], queries, barred, weights, k, code_digest(__name__))
    kept = parts[0].file.parent / f"hits-{key}"
    storage.own_folder(kept)
    hits = [part._replace(file=kept / part.file.name) for part in parts]
    whole = parts[-1].last, np.sum(counted, axis=0)
    work = partial(_search_part, terms=terms, asked=asked, weights=weights, k=k, whole=whole)
    _run(work, [part for part in hits if not _is_there(part)], "search", how)
    found: list[pd.DataFrame] = []
    for part in hits:  # from first to last, so that earlier ones stay first among equals
        arrays = _read(part)
        both = pd.concat([*found, pd.DataFrame({name: arrays[name] for name in HIT})])
        both = both.sort_values(["query", "score"], ascending=[True, False], kind="stable")
        found = [both.groupby("query").head(k)]
    storage.clear(kept)
    rank = found[0].groupby("query").cumcount() + 1
    return found[0].assign(rank=rank)[["query", "rank", "article", "score"]].reset_index(drop=True)


def _listed(manifest: Path) -> list[Part]:
    if not manifest.is_file():
        raise MissingDataError(f"{manifest} is not there; run: citectx recommend index")
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
    number = {term: i for i, term in enumerate(known)}
    own = FieldedIndex(fields, len(ids), len(known), *(arrays[name] for name in ARRAYS))
    return own.only(np.array([number.get(term, -1) for term in terms], dtype=np.int64)), ids


def _frequencies(part: Part, terms: Sequence[str]) -> Ints:
    return _open(part, terms)[0].frequencies()


def _search_part(
    hits: Part,
    terms: Sequence[str],
    asked: Asked,
    weights: Mapping[str, float] | None,
    k: int,
    whole: tuple[int, Ints],
) -> None:
    own, ids = _open(hits._replace(file=hits.file.parents[1] / hits.file.name), terms)
    own = replace(own, whole=whole)
    found = []
    for number, (query, barred) in enumerate(asked):
        scores = own.scores(query, weights)
        if barred in ids:
            scores[ids.index(barred)] = -np.inf
        order = best(scores, k)
        found.append((np.full(len(order), number), np.array(ids)[order], scores[order]))
    columns: Any = zip(HIT, map(np.concatenate, zip(*found, strict=True)), strict=True)
    write_arrays(hits.file, stamp=packed([hits.stamp]), **dict(columns))


def cmd_index(
    *, source: str, out: Path, parts: int, unlabelled: bool, force: bool, **how: Any
) -> int:
    """Run ``citectx recommend index``."""
    if source == "references":
        source = str(
            sources.folder(citation_integrity.FULL_TEXTS)
            / citation_integrity.ARTICLES
            / "Reference"
        )
    texts = TextFiles.of(Path(source))
    storage.own_folder(out)  # before a classifier is trained
    if not unlabelled:
        labelling.trained()
        texts = replace(texts, classifier=labelling.model_path())
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
    storage.check_output(out, inputs=[queries, index / MANIFEST, *index.glob("*.npz")], force=force)
    try:
        boosts = {name: float(value) for name, value in (pair.split("=") for pair in weights)}
    except ValueError as error:
        raise ParameterError(
            f"expected weights as in Bac=2 Met=0.5, got {' '.join(weights)}"
        ) from error
    release = Release("queries", queries.parent)
    asked = [row for row, _ in csv_rows(release.text(queries), release(queries), ["query", "text"])]
    barred = [row.get("citing", "") for row in asked]
    terms = [query_terms(conceal(row["text"], [])) for row in asked]
    hits = search(index, terms, boosts, k, barred=barred, progress=True, **how)
    hits["query"] = [asked[number]["query"] for number in hits["query"]]
    storage.write_atomically(out, hits.to_csv(index=False))
    print(f"{len(hits):,} hits for {len(asked):,} queries: {out}")
    return 0
