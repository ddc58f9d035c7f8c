"""A collection for a search engine: fields by class, for OpenSearch or tantivy.

An engine answers a single query without reading the whole collection. But none has Lucene 4's
classic similarity any more, so what it finds are candidates, in the order of its own BM25. For
OpenSearch (and Elasticsearch) we write what its bulk API and its search take, and leave it there.
With tantivy, which runs in this process, the best candidates are scored again as
`citectx.recommendation.lucene` does it: the engine keeps with each article its lengths and its
postings, and knows in how many articles a term is, so nothing else is read. Scores are those of a
search of the whole collection to the last bit; only an article that is no candidate can be missed.

tantivy (the extra ``engine``) is imported only when it is used.

>>> from citectx.types import Span
>>> from citectx.corpora.model import Document
>>> from citectx.recommendation.collection import LabelledSentences
>>> labels = LabelledSentences("d1", [Span(0, 11)], ["text"])
>>> [*articles(Collection.build([Document("d1", "Cells rest.")], {"d1": labels}, ["text"]))]
[('d1', {'text': 'cells rest'})]
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx import storage
from citectx.apps.parts import Queries, Source, boosts_of, labelled, texts_of
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.recommendation.collection import Collection
from citectx.recommendation.lucene import FieldedIndex, best, norm_of_length
from citectx.types import Ints

MANIFEST = "engine.json"
"""Says what an export is; a folder with it may be replaced by force."""

ENGINES = ("opensearch", "tantivy")

FORMAT = 1

READ = 500
"""Articles that are held in memory at a time."""

BULK_BYTES = 90_000_000
"""Of a file for the bulk API, as servers take at most 100 MB at once."""

LONGEST = 8_191
"""Letters of a term for OpenSearch, as Lucene's terms have at most 32,766 bytes."""

WORDS, ALL, NUMBER, ID, LENGTHS, POSTINGS = "words", "all", "number", "id", "lengths", "postings"
"""The analyser, and the fields of tantivy beside those of the classes; these come as ``f-Bac``."""

POSTING = np.dtype([("term", "<u8"), ("field", "u1"), ("count", "<u4")])
"""How an article is kept, by term and field. Terms are hashes, which no dictionary has to explain:
among the 1,700 of an article and 50 of a query two are taken for one once in 10^14."""

Postings = NDArray[np.void]


def articles(collection: Collection) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name of each article, and the terms of its fields, with blanks between."""
    terms = np.array(collection.vocabulary, dtype=object)
    for doc_id, tokens, classes in _tokens(collection):
        held = [(name, terms[tokens[classes == i]]) for i, name in enumerate(collection.classes)]
        yield doc_id, {name: " ".join(own) for name, own in held if len(own)}


def _tokens(collection: Collection) -> Iterator[tuple[str, Ints, Ints]]:
    """Yield each article's name, its terms, and their classes."""
    sizes = collection.sentence_lengths
    docs = np.repeat(collection.sentence_doc, sizes)
    ends = np.searchsorted(docs, np.arange(1, len(collection)))
    classes = np.repeat(collection.sentence_class, sizes)
    found = np.split(collection.tokens, ends), np.split(classes, ends)
    yield from zip(collection.doc_ids, *found, strict=True)


def _read(source: Source) -> Iterator[Collection]:
    for first in range(0, len(source), READ):
        yield source.collection(first, min(first + READ, len(source)))


def mapping(fields: Sequence[str]) -> dict[str, Any]:
    """Make the body that creates the index in OpenSearch.

    One shard, as each counts its own articles for a term's idf. Terms come as they are searched,
    so they are parted at blanks alone.
    """
    tokenizer = {"type": "whitespace", "max_token_length": LONGEST}
    analyzer = {"type": "custom", "tokenizer": WORDS}
    text = {"type": "text", "analyzer": WORDS, "index_options": "freqs"}
    return {
        "settings": {
            "index": {"number_of_shards": 1},
            "analysis": {"tokenizer": {WORDS: tokenizer}, "analyzer": {WORDS: analyzer}},
        },
        "mappings": {"dynamic": "strict", "properties": dict.fromkeys(fields, text)},
    }


def query(
    terms: Iterable[str],
    fields: Sequence[str],
    weights: Mapping[str, float] | None = None,
    k: int = 200,
) -> dict[str, Any]:
    """Make the body of a search in OpenSearch: of each term the best field counts.

    Parameters
    ----------
    terms : iterable of str
        As `citectx.recommendation.collection.query_terms` makes them.
    fields : sequence of str
    weights : mapping of str to float, optional
        Boosts of the fields; 1 where none is given.
    k : int

    Examples
    --------
    >>> query(["cells"], ["Bac"], {"Bac": 2})["query"]["bool"]["should"][0]["dis_max"]["queries"]
    [{'term': {'Bac': {'value': 'cells', 'boost': 2}}}]
    """
    weights = weights or {}

    def clause(term: str) -> dict[str, Any]:
        each = [{"term": {f: {"value": term, "boost": weights.get(f, 1)}}} for f in fields]
        return {"dis_max": {"tie_breaker": 0, "queries": each}}

    should = [clause(term) for term in terms]
    return {"size": k, "_source": False, "query": {"bool": {"should": should}}}


def to_opensearch(
    source: Source,
    folder: Path,
    weights: Mapping[str, float] | None = None,
    *,
    limit: int = BULK_BYTES,
) -> None:
    """Write ``mapping.json``, ``query.json`` and ``bulk-00001.jsonl`` ... for OpenSearch.

    Parameters
    ----------
    source : Source
    folder : Path
        Is made, or replaced if it is ours.
    weights : mapping of str to float, optional
        Boosts in the query, which is one for the term ``TERM``.
    limit : int
        Bytes of a file for the bulk API; an article that is longer has one of its own.

    Raises
    ------
    ParameterError
        If the folder holds anything that is not ours, or for an unknown field.
    OSError
        If it cannot be written.
    """
    fields: tuple[str, ...] = ()
    with storage.replacing_folder(folder) as made:
        bulk = _Bulk(made, limit)
        for collection in _read(source):
            if not fields:
                fields = collection.classes
                FieldedIndex.of(collection).boosts(weights)  # of fields that there are
            for doc_id, held in articles(collection):
                bulk.add({"index": {"_id": doc_id}}, held)
        bulk.flush()
        storage.write_json(made / "mapping.json", mapping(fields))
        storage.write_json(made / "query.json", query(["TERM"], fields, weights))
        _write_manifest(made, "opensearch", fields, len(source))


class _Bulk:
    """Lines for the bulk API, in files that are not too long."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.lines, self.size, self.files = list[bytes](), 0, 0

    def add(self, *lines: Mapping[str, Any]) -> None:
        """Add lines that may not be parted."""
        own = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        if self.size + len(own) > self.limit:
            self.flush()
        self.lines.append(own)
        self.size += len(own)

    def flush(self) -> None:
        """Write what was added."""
        if self.lines:
            self.files += 1
            data = b"".join(self.lines)
            storage.write_atomically(self.folder / f"bulk-{self.files:05}.jsonl", data)
            self.lines, self.size = [], 0


def _write_manifest(folder: Path, kind: str, fields: Sequence[str], number: int) -> None:
    content = {"format": FORMAT, "engine": kind, "fields": list(fields), "articles": number}
    storage.write_json(folder / MANIFEST, content)


def _tantivy() -> Any:
    try:
        return import_module("tantivy")
    except ImportError as error:
        message = "tantivy is not installed: pip install 'citectx[engine]'"
        raise MissingDataError(message) from error


def to_tantivy(source: Source, folder: Path) -> None:
    """Write an index of tantivy.

    Names of its files are random, so they differ from run to run; what is found does not.

    Parameters
    ----------
    source : Source
    folder : Path
        Is made, or replaced if it is ours.

    Raises
    ------
    MissingDataError
        If tantivy is not installed.
    ParameterError
        If the folder holds anything that is not ours.
    DataError
        If tantivy cannot write it.
    """
    tantivy, fields, writer, number = _tantivy(), tuple[str, ...](), None, 0
    with storage.replacing_folder(folder) as made:
        (made / "index").mkdir()
        try:
            for collection in _read(source):
                if writer is None:
                    fields = collection.classes
                    schema, place = _schema(tantivy, fields), str(made / "index")
                    index = _with_words(tantivy, tantivy.Index(schema, path=place))
                    writer = index.writer(heap_size=128_000_000, num_threads=1)
                for document in _documents(tantivy, collection, number):
                    writer.add_document(document)
                number += len(collection)
            if writer is not None:
                writer.commit()
                writer.wait_merging_threads()
        except (ValueError, RuntimeError) as error:  # tantivy's own
            advice = "make room there if there is none left, and run again"
            raise DataError(f"tantivy: {error} ({advice})", file=folder) from error
        _write_manifest(made, "tantivy", fields, number)


def _schema(tantivy: Any, fields: Sequence[str]) -> Any:
    made = tantivy.SchemaBuilder()
    for name in (*(f"f-{field}" for field in fields), ALL):
        made.add_text_field(name, tokenizer_name=WORDS, index_option="freq")
    made.add_unsigned_field(NUMBER, stored=True, fast=True)
    made.add_text_field(ID, stored=True, tokenizer_name="raw", index_option="basic")
    made.add_bytes_field(LENGTHS, stored=True)
    made.add_bytes_field(POSTINGS, stored=True)
    return made.build()


def _with_words(tantivy: Any, index: Any) -> Any:
    blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(WORDS, blanks)
    return index


def _documents(tantivy: Any, collection: Collection, number: int) -> Iterator[Any]:
    """Make tantivy's documents of articles that are numbered from `number`."""
    hashes = _hashes(collection.vocabulary)
    lengths = collection.field_lengths().T.astype("<u4")
    both = zip(articles(collection), _tokens(collection), lengths, strict=True)
    for i, ((doc_id, held), (_, tokens, classes), own) in enumerate(both):
        made = tantivy.Document()
        for name, text in held.items():
            made.add_text(f"f-{name}", text)
            made.add_text(ALL, text)
        made.add_unsigned(NUMBER, number + i)
        made.add_text(ID, doc_id)
        made.add_bytes(LENGTHS, own.tobytes())
        made.add_bytes(POSTINGS, _postings(hashes[tokens], classes).tobytes())
        yield made


def _hashes(terms: Sequence[str]) -> NDArray[np.uint64]:
    found = [hashlib.blake2b(term.encode(), digest_size=8).digest() for term in terms]
    return np.frombuffer(b"".join(found), dtype="<u8")


def _postings(terms: NDArray[np.uint64], classes: Ints) -> Postings:
    """Count an article's terms in each field, in the order of terms and fields."""
    pairs = np.zeros(len(terms), dtype=POSTING)
    pairs["term"], pairs["field"] = terms, classes
    pairs = pairs[np.lexsort((classes, terms))]
    new = np.ones(len(pairs), dtype=bool)
    new[1:] = pairs[1:] != pairs[:-1]
    found = pairs[new]
    found["count"] = np.diff(np.flatnonzero(np.append(new, True)))
    return found


@dataclass(frozen=True)
class Engine:
    """A collection that tantivy has indexed.

    Parameters
    ----------
    folder : Path
        Where it was exported.
    fields : tuple of str
    index : tantivy.Index
    searcher : tantivy.Searcher
    """

    folder: Path
    fields: tuple[str, ...]
    index: Any
    searcher: Any

    @classmethod
    def open(cls, folder: Path) -> "Engine":
        """Open what `to_tantivy` wrote.

        Raises
        ------
        MissingDataError
            If there is none, or tantivy is not installed.
        DataError
            If it is damaged, or was made for another engine.
        """
        tantivy, file = _tantivy(), Path(folder) / MANIFEST
        if not file.is_file():
            command = "citectx recommend export --to tantivy"
            raise MissingDataError(f"{file} is missing; run: {command}")
        found = storage.read_object(file)
        fields = found.get("fields")
        named = isinstance(fields, list) and all(isinstance(name, str) for name in fields)
        if not named or (found.get("format"), found.get("engine")) != (FORMAT, "tantivy"):
            expected = f"expected an export to tantivy in format {FORMAT}"
            raise DataError(f"{expected}; export again, with --force", file=file)
        try:
            index = _with_words(tantivy, tantivy.Index.open(str(Path(folder) / "index")))
        except ValueError as error:
            raise DataError(f"tantivy: {error}; export again, with --force", file=file) from error
        searcher = index.searcher()
        if searcher.num_docs != found.get("articles"):
            counted = f"expected {found.get('articles')!r}, found {searcher.num_docs}"
            raise DataError(f"articles: {counted}; export again, with --force", file=file)
        return cls(Path(folder), tuple(fields or ()), index, searcher)

    def candidates(
        self,
        terms: Iterable[str],
        k: int = 200,
        *,
        by: Literal["text", "fields"] = "text",
        weights: Mapping[str, float] | None = None,
    ) -> list[Any]:
        """Return the addresses of the articles that tantivy itself ranks best, by BM25.

        Parameters
        ----------
        terms : iterable of str
        k : int
        by : {"text", "fields"}
            Search the whole text as one field, for which tantivy skips what cannot be among the
            best; or all fields, of which for each term the best one counts, which takes ten times
            as long and, where weights are equal, finds more of what is wanted.
        weights : mapping of str to float, optional
            Boosts of the fields, for "fields".
        """
        tantivy, boosts = _tantivy(), weights or {}
        make, schema = tantivy.Query, self.index.schema

        def clause(term: str) -> Any:
            if by == "text":
                return make.term_query(schema, ALL, term, "freq")
            each = [(make.term_query(schema, f"f-{f}", term, "freq"), f) for f in self.fields]
            boosted = [make.boost_query(own, float(boosts.get(f, 1))) for own, f in each]
            return make.disjunction_max_query(boosted, 0.0)

        asked = make.boolean_query([(tantivy.Occur.Should, clause(term)) for term in terms])
        return [address for _, address in self.searcher.search(asked, k, count=False).hits]

    def search(
        self,
        terms: Sequence[str],
        weights: Mapping[str, float] | None = None,
        k: int = 200,
        *,
        barred: str = "",
        candidates: int = 200,
        by: Literal["text", "fields"] = "text",
    ) -> list[tuple[str, float]]:
        """Return the best k of the candidates with the scores of a search of all articles.

        Parameters
        ----------
        terms : sequence of str
            As `citectx.recommendation.collection.query_terms` makes them.
        weights : mapping of str to float, optional
            Boosts of the fields; 1 where none is given.
        k : int
        barred : str
            An article that may not be found: the citing one.
        candidates : int
            How many articles are scored.
        by : {"text", "fields"}
            See `candidates`.

        Raises
        ------
        ParameterError
            For an unknown field, a negative weight, or k or candidates below 1.
        DataError
            If an article in the index is damaged.
        """
        if k < 1 or candidates < 1:
            raise ParameterError(f"k and candidates must be at least 1; not {k} and {candidates}")
        known = list(dict.fromkeys(terms))
        found = self.candidates(known, candidates + 1, by=by, weights=weights)
        read = map(self.searcher.doc, found)
        kept = [one for one in read if one.get_first(ID) != barred][:candidates]
        kept.sort(key=lambda one: one.get_first(NUMBER))  # the earlier one first among equals
        place = {term: i for i, term in enumerate(known)}
        scores = self._index(kept, known).scores([place[term] for term in terms], weights)
        return [(kept[i].get_first(ID), float(scores[i])) for i in best(scores, k)]

    def _index(self, documents: Sequence[Any], terms: Sequence[str]) -> FieldedIndex:
        """Index a few articles by a query's terms, as a part of the whole collection."""
        hashes = _hashes(terms)
        order = np.argsort(hashes)
        read = [self._postings(one, hashes[order]) for one in documents]
        rows = np.concatenate([np.zeros(0, dtype=POSTING), *(own for own, _ in read)])
        docs = np.repeat(np.arange(len(read)), [len(own) for own, _ in read])
        number = order[np.searchsorted(hashes[order], rows["term"])]
        by_term = np.argsort(number, kind="stable")
        lengths = np.array([own for _, own in read]).reshape(len(read), len(self.fields)).T
        count = self.searcher.doc_freq
        held = [[count(f"f-{field}", term) for term in terms] for field in self.fields]
        return FieldedIndex(
            self.fields,
            len(read),
            len(terms),
            np.searchsorted(number[by_term], np.arange(len(terms) + 1)),
            docs[by_term].astype(np.int32),
            rows["field"][by_term],
            np.sqrt(rows["count"][by_term]).astype(np.float32),
            norm_of_length(lengths),
            (self.searcher.num_docs, np.array(held).reshape(len(self.fields), len(terms))),
        )

    def _postings(self, document: Any, hashes: NDArray[np.uint64]) -> tuple[Postings, Ints]:
        """Return an article's postings of terms by rising hashes, and the lengths of its fields."""
        kept, lengths = document.get_first(POSTINGS) or b"", document.get_first(LENGTHS) or b""
        if len(kept) % POSTING.itemsize or len(lengths) != 4 * len(self.fields):
            raise DataError(f"{document.get_first(ID)} is damaged; export again", file=self.folder)
        postings = np.frombuffer(kept, dtype=POSTING)
        known = np.ascontiguousarray(postings["term"])
        begin, end = (np.searchsorted(known, hashes, side) for side in ("left", "right"))
        size = end - begin
        at = np.arange(size.sum()) + np.repeat(begin - np.cumsum(size) + size, size)
        found = postings[at]
        if len(found) and found["field"].max() >= len(self.fields):
            raise DataError(f"{document.get_first(ID)} is damaged; export again", file=self.folder)
        return found, np.frombuffer(lengths, dtype="<u4").astype(np.int64)


def cmd_export(
    *, source: str, to: str, out: Path, unlabelled: bool, weights: Sequence[str], force: bool
) -> int:
    """Run ``citectx recommend export``."""
    if to not in ENGINES:
        raise unknown("engine", to, ENGINES)
    boosts, texts = boosts_of(weights), texts_of(source)
    if to == "tantivy":
        _tantivy()
        if boosts:
            raise ParameterError("--weights are for opensearch; give them to: recommend ask")
    storage.own_folder(out)  # before a classifier is trained
    if {path.name for path in out.iterdir()} - {storage.OURS} and not force:
        raise ParameterError(f"{out} is not empty: name another folder, or replace it with --force")
    if not (out / MANIFEST).is_file() and any(p.name != storage.OURS for p in out.iterdir()):
        raise ParameterError(f"{out} holds something else of citectx; name another folder")
    if not unlabelled:
        texts = labelled(texts)
    if to == "tantivy":
        to_tantivy(texts, out)
    else:
        to_opensearch(texts, out, boosts)
    print(f"{len(texts):,} articles for {to}: {out}")
    return 0


def cmd_ask(
    *,
    engine: Path,
    queries: Path,
    out: Path,
    k: int,
    candidates: int,
    weights: Sequence[str],
    force: bool,
) -> int:
    """Run ``citectx recommend ask``."""
    own = [engine / storage.OURS, engine / MANIFEST, *engine.glob("index/*")]
    storage.check_output(out, inputs=[queries, engine, *own], force=force)
    boosts, asked, opened = boosts_of(weights), Queries.of(queries), Engine.open(engine)
    rows = []
    for number, (terms, barred) in enumerate(zip(asked.terms, asked.barred, strict=True)):
        found = opened.search(terms, boosts, k, barred=barred, candidates=candidates)
        rows += [(number, rank, *hit) for rank, hit in enumerate(found, 1)]
    hits = pd.DataFrame(rows, columns=["query", "rank", "article", "score"])
    asked.write(hits.astype({"score": np.float32}), out)
    return 0
