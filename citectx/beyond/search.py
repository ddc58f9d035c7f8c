"""Search a collection of articles for what a passage might cite: the command ``citectx search``.

The sentences of an article are labelled with Core Scientific Concepts (lrec2016), and each class
becomes a field of a search engine: tantivy in this process, or OpenSearch and Elasticsearch, for
which ``--opensearch FOLDER`` writes the files of the bulk API. Each term of a query scores by an
article's best field (``dis_max``), times the weight of that class. The engines rank by BM25; the
experiments of lrec2016 rank as Lucene 4 does (`citectx.recommendation.lucene`).

>>> query(["cells"], {"Bac": 2.0}, k=10)["query"]["bool"]["should"][0]["dis_max"]
{'queries': [{'term': {'Bac': {'value': 'cells', 'boost': 2.0}}}]}
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.files import files_below, name_of
from citectx.corpora.coresc import CLASSES
from citectx.corpora.model import Document
from citectx.corpora.text_files import need_folder
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.recommendation.collection import Labels, conceal, query_terms, words
from citectx.recommendation.labelling import label_collection
from citectx.storage import read_json, write_atomically, write_json
from citectx.types import Span

TEXT = "text"
"""The only field of articles that are not labelled."""

LIST = "articles.json"
"""The file in an index's folder that lists its articles."""

BATCH = 500
"""So many articles are labelled at a time, and written to a file for the bulk API."""

Article = tuple[str, Mapping[str, str]]
"""An article's name, and the terms of each field with blanks between them."""


def articles(source: str, *, unlabelled: bool = False) -> Iterator[Article]:
    """Read and label the articles below a folder, in JATS or TEI; the cache keeps the labels.

    Articles take the names of their files; two files with the same name are an error. With
    `unlabelled` the field "text" holds the whole article, and no classifier is needed.
    """
    files = named_files(source)
    read = (read_article(file).document for file in files.values())
    # articles are read while others are labelled, never all at once
    while documents := list(islice(read, BATCH)):
        labels = {} if unlabelled else label_collection(source, documents)
        for document in documents:
            name = document.doc_id
            whole = [(Span(0, len(document.text)), TEXT)]
            yield name, fields_of(document, labels.get(name, whole))


def named_files(source: str) -> dict[str, Path]:
    """List the articles below a folder by their names; two with the same name are an error."""
    files: dict[str, Path] = {}
    for path in files_below([need_folder(Path(source), "articles in JATS or TEI", "Name it.")]):
        name = name_of(path)
        if name in files:
            message = f"has the name {name!r}, as {files[name]} has; rename or remove one"
            raise DataError(message, file=path)
        files[name] = path
    return files


def fields_of(document: Document, labels: Labels) -> dict[str, str]:
    """Sort the words of an article into the fields of its sentences.

    >>> cells = Document("d1", "Cells rest.")
    >>> fields_of(cells, [(Span(0, 11), "Bac")])
    {'Bac': 'cells rest'}
    """
    terms: dict[str, list[str]] = defaultdict(list)
    for span, field in labels:
        terms[field] += words(span.of(document.text))
    return {field: " ".join(held) for field, held in terms.items()}


def engine_library() -> Any:
    """Import tantivy, or say how to install it."""
    try:
        import tantivy
    except ImportError as error:
        raise MissingDataError("needs tantivy: pip install 'citectx[engine]'") from error
    return tantivy


def index(collection: Iterable[Article], fields: Sequence[str], path: str | None = None) -> Any:
    """Index articles with tantivy: in memory, or in a folder that `tantivy.Index.open` reads."""
    tantivy = engine_library()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in fields:
        schema.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    engine = tantivy.Index(schema.build(), path=path)
    writer = engine.writer(num_threads=1)
    for name, texts in collection:
        writer.add_document(tantivy.Document(id=name, **texts))
    writer.commit()
    writer.wait_merging_threads()
    engine.reload()
    return engine


def engine_of(source: str, folder: Path | None, *, unlabelled: bool) -> Any:
    """Index articles in memory or in a new folder, or open the index in a folder.

    Beside tantivy's own files stands `LIST`, with the size and date of each article. What has
    changed in the articles since is named.
    """
    fields = [TEXT] if unlabelled else [*CLASSES]
    if folder is None:
        return index(articles(source, unlabelled=unlabelled), fields)
    files = listed(source)
    known = read_json(folder / LIST)
    if not known:
        if folder.exists():
            message = f"{folder} holds no finished index: delete it, or name another folder"
            raise ParameterError(message)
        folder.mkdir(parents=True)
        engine = index(articles(source, unlabelled=unlabelled), fields, str(folder))
        # written last: an index without it is not finished
        write_json(folder / LIST, {"fields": fields, "files": files})
        print(f"indexed {len(files):,} articles in {folder}", file=sys.stderr)
        return engine
    if known["fields"] != fields:
        message = f"{folder} has the fields {', '.join(known['fields'])}: name another folder"
        raise ParameterError(message + ", or search with the same --unlabelled")
    if changed := sorted({path for path, _ in known["files"].items() ^ files.items()}):
        count = f"{len(changed):,} articles are not as in {folder} ({', '.join(changed[:3])})"
        print(f"{count}; delete it to renew it", file=sys.stderr)
    return engine_library().Index.open(str(folder))


def listed(source: str) -> dict[str, str]:
    """List the articles below a folder, with their sizes and dates (in nanoseconds)."""
    stats = {str(path): path.stat() for path in named_files(source).values()}
    return {path: f"{stat.st_size} {stat.st_mtime_ns}" for path, stat in stats.items()}


def search(
    engine: Any, terms: Iterable[str], weights: Mapping[str, float], k: int = 10
) -> list[tuple[str, float]]:
    """Return the k articles that tantivy ranks highest, with their scores."""
    from tantivy import Occur, Query

    clauses = []
    for term in terms:
        matches = [
            Query.boost_query(Query.term_query(engine.schema, field, term, "freq"), weight)
            for field, weight in weights.items()
        ]
        clauses.append((Occur.Should, Query.disjunction_max_query(matches)))
    searcher = engine.searcher()
    hits = searcher.search(Query.boolean_query(clauses), k, count=False).hits
    return [(searcher.doc(address).get_first("id"), score) for score, address in hits]


def query(terms: Iterable[str], weights: Mapping[str, float], k: int = 10) -> dict[str, Any]:
    """Return the body of the same search in OpenSearch or Elasticsearch."""
    clauses = []
    for term in terms:
        matches = [{"term": {f: {"value": term, "boost": w}}} for f, w in weights.items()]
        clauses.append({"dis_max": {"queries": matches}})
    return {"size": k, "_source": False, "query": {"bool": {"should": clauses}}}


def to_opensearch(collection: Iterable[Article], fields: Sequence[str], folder: Path) -> None:
    """Write ``mapping.json`` and ``bulk-00001.jsonl`` ... for OpenSearch or Elasticsearch.

    A file holds 500 articles, about 15 MB; servers accept at most 100 MB at once.
    """
    # unlike "index", "create" never replaces an article
    lines = (
        json.dumps({"create": {"_id": name}}) + "\n" + json.dumps(texts) + "\n"
        for name, texts in collection
    )
    # until no line is left
    parts = iter(lambda: "".join(islice(lines, BATCH)), "")
    for number, part in enumerate(parts, 1):
        write_atomically(folder / f"bulk-{number:05}.jsonl", part)
    text = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
    write_json(folder / "mapping.json", {"mappings": {"properties": dict.fromkeys(fields, text)}})


def weights_of(pairs: Sequence[str], fields: Sequence[str]) -> dict[str, float]:
    """Read the weights of fields; 1 where none is given.

    >>> weights_of(["Bac=2.5"], ["Bac", "Met"])
    {'Bac': 2.5, 'Met': 1.0}
    """
    weights = dict.fromkeys(fields, 1.0)
    for pair in pairs:
        field, _, weight = pair.partition("=")
        if field not in fields or not re.fullmatch(r"\d+\.?\d*|\.\d+", weight):
            raise ParameterError(f"expected CLASS=WEIGHT, with a class of {fields}; got {pair}")
        weights[field] = float(weight)
    return weights


def cmd_search(
    *,
    source: str,
    passages: Sequence[str],
    k: int,
    weights: Sequence[str],
    unlabelled: bool,
    opensearch: Path | None,
    index_: Path | None,
) -> None:
    """Run ``citectx search``: print the best articles, or write the files for OpenSearch."""
    if opensearch and index_:
        raise ParameterError("--index keeps tantivy's index; --opensearch writes files: name one")
    if opensearch and opensearch.exists():
        raise ParameterError(f"{opensearch} exists: name another folder")
    fields = (TEXT,) if unlabelled else CLASSES
    boosts = weights_of(weights, fields)
    queries = {passage: query_terms(conceal(passage, [])) for passage in passages}
    if opensearch:
        to_opensearch(articles(source, unlabelled=unlabelled), fields, opensearch)
        for number, terms in enumerate(queries.values(), 1):
            write_json(opensearch / f"query-{number}.json", query(terms, boosts, k))
        return
    engine = engine_of(source, index_, unlabelled=unlabelled)
    for passage, terms in queries.items():
        print(passage)
        found = search(engine, terms, boosts, k)
        for name, score in found:
            print(f"{score:8.3f}  {name}")
        if not found:
            print("          no article has a word of it")
