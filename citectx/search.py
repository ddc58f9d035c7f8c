"""Search a collection of articles for what a passage might cite: the command ``citectx search``.

The sentences of an article are labelled with Core Scientific Concepts (lrec2016), and each class
becomes a field of a search engine: tantivy in this process, or OpenSearch and Elasticsearch, for
which ``--opensearch FOLDER`` writes the files of the bulk API. For each term of a query the best
field of an article counts (``dis_max``), times the weight of its class. The engines rank by their
own BM25; the experiments of lrec2016 rank as Lucene 4 does (`citectx.recommendation.lucene`).

tantivy comes with the extra ``engine``, and is imported only when it is used.

>>> query(["cells"], {"Bac": 2.0}, k=10)["query"]["bool"]["should"][0]["dis_max"]
{'queries': [{'term': {'Bac': {'value': 'cells', 'boost': 2.0}}}]}
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from citectx.corpora.articles import read_article
from citectx.corpora.coresc import CLASSES
from citectx.corpora.model import Document
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.recommendation.collection import Labels, conceal, query_terms, words
from citectx.recommendation.labelling import labelled
from citectx.storage import write_atomically, write_json

TEXT = "text"
"""The only field of articles that are not labelled."""

BATCH = 500
"""Articles that are read and labelled at a time."""

BULK_BYTES = 90_000_000
"""Of a file for the bulk API: servers take at most 100 MB at once."""


Article = tuple[str, Mapping[str, str]]
"""A name, and the terms of each field with blanks between them."""


def articles(source: str, *, unlabelled: bool = False) -> Iterator[Article]:
    """Read and label the articles of a collection; labels are kept in the cache.

    Parameters
    ----------
    source : str
        A folder with articles in JATS or TEI (``.xml``).
    unlabelled : bool
        Put all text into one field, "text": no classifier is needed.

    Raises
    ------
    MissingDataError
        If there is no article, or the data that the classifier learns from is not here.
    DataError
        If an article cannot be read, or two have the same name.
    """
    files = sorted(Path(source).rglob("*.xml"))
    if not files:
        raise MissingDataError(f"{source} holds no .xml files; expected articles in JATS or TEI")
    for start in range(0, len(files), BATCH):
        documents = [read_article(file).document for file in files[start : start + BATCH]]
        labels = {} if unlabelled else labelled(source, documents)
        for document in documents:
            fields = {TEXT: " ".join(words(document.text))}
            if not unlabelled:
                fields = fields_of(document, labels[document.doc_id])
            yield document.doc_id, fields


def fields_of(document: Document, labels: Labels) -> dict[str, str]:
    """Sort the words of an article into the fields of its sentences.

    >>> from citectx.types import Span
    >>> cells = Document("d1", "Cells rest.")
    >>> fields_of(cells, [(Span(0, 11), "Bac")])
    {'Bac': 'cells rest'}
    """
    terms = defaultdict[str, list[str]](list)
    for span, field in labels:
        terms[field] += words(span.of(document.text))
    return {field: " ".join(own) for field, own in terms.items()}


def index(collection: Iterable[Article], fields: Sequence[str] = CLASSES) -> Any:
    """Index articles with tantivy, in memory.

    Raises
    ------
    MissingDataError
        If tantivy is not installed.
    """
    tantivy = _tantivy()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in fields:
        schema.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    made = tantivy.Index(schema.build())
    writer = made.writer(num_threads=1)
    for name, texts in collection:
        writer.add_document(tantivy.Document(id=name, **texts))
    writer.commit()
    made.reload()
    return made


def _tantivy() -> Any:
    try:
        return import_module("tantivy")
    except ImportError as error:
        raise MissingDataError("needs tantivy: pip install 'citectx[engine]'") from error


def search(
    made: Any, terms: Iterable[str], weights: Mapping[str, float], k: int = 10
) -> list[tuple[str, float]]:
    """Return the k articles that tantivy ranks highest, with their scores.

    Parameters
    ----------
    made : tantivy.Index
        From `index`.
    terms : iterable of str
        From `terms_of`.
    weights : mapping of str to float
        Of the fields to be searched.
    k : int
    """
    searcher = made.searcher()
    hits = searcher.search(tantivy_query(made.schema, terms, weights), k, count=False).hits
    return [(searcher.doc(address).get_first("id"), score) for score, address in hits]


def tantivy_query(schema: Any, terms: Iterable[str], weights: Mapping[str, float]) -> Any:
    """Return the query by which for each term the best field counts."""
    tantivy = _tantivy()
    asked = tantivy.Query
    clauses = []
    for term in terms:
        matches = [
            asked.boost_query(asked.term_query(schema, field, term, "freq"), weight)
            for field, weight in weights.items()
        ]
        clauses.append((tantivy.Occur.Should, asked.disjunction_max_query(matches, 0.0)))
    return asked.boolean_query(clauses)


def terms_of(passage: str) -> tuple[str, ...]:
    """Return the terms that lrec2016 asks for: distinct words, without citations and numbers.

    >>> terms_of("The cells rest (Doe, 2001).")
    ('cells', 'rest')
    """
    return query_terms(conceal(passage, []))


def query(terms: Iterable[str], weights: Mapping[str, float], k: int = 10) -> dict[str, Any]:
    """Return the body of the same search in OpenSearch or Elasticsearch."""
    clauses = []
    for term in terms:
        matches = [{"term": {f: {"value": term, "boost": w}}} for f, w in weights.items()]
        clauses.append({"dis_max": {"queries": matches}})
    return {"size": k, "_source": False, "query": {"bool": {"should": clauses}}}


def to_opensearch(collection: Iterable[Article], fields: Sequence[str], folder: Path) -> None:
    """Write ``mapping.json`` and ``bulk-00001.jsonl`` ... for OpenSearch or Elasticsearch."""
    # One shard, because each counts its own articles for a term's idf.
    text = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
    mappings = {"dynamic": "strict", "properties": dict.fromkeys(fields, text)}
    write_json(folder / "mapping.json", {"settings": {"number_of_shards": 1}, "mappings": mappings})
    for number, part in enumerate(_bulk(collection), 1):
        write_atomically(folder / f"bulk-{number:05}.jsonl", part)


def _bulk(collection: Iterable[Article]) -> Iterator[bytes]:
    """Yield the lines of the bulk API, in parts that are not too long."""
    part = bytearray()
    for name, texts in collection:
        action = {"create": {"_id": name}}  # unlike "index", never replaces an article
        lines = f"{json.dumps(action)}\n{json.dumps(texts)}\n".encode()
        if part and len(part) + len(lines) > BULK_BYTES:
            yield bytes(part)
            part.clear()
        part += lines
    yield bytes(part)


def weights_of(given: Sequence[str], fields: Sequence[str]) -> dict[str, float]:
    """Read the weights of fields; 1 where none is given.

    >>> weights_of(["Bac=2.5"], ["Bac", "Met"])
    {'Bac': 2.5, 'Met': 1.0}
    """
    try:
        chosen = {field: float(weight) for field, weight in (pair.split("=") for pair in given)}
    except ValueError as error:
        raise ParameterError(f"expected CLASS=WEIGHT, as in Bac=2.5; found {given}") from error
    for field in chosen:
        if field not in fields:
            raise unknown("field", field, fields)
    return dict.fromkeys(fields, 1.0) | chosen


def cmd_search(
    *,
    source: str,
    passages: Sequence[str],
    k: int,
    weights: Sequence[str],
    unlabelled: bool,
    opensearch: Path | None,
) -> int:
    """Run ``citectx search``: print what is found, or write the files for OpenSearch."""
    if k < 1:
        raise ParameterError(f"-k must be at least 1, not {k}")
    fields = (TEXT,) if unlabelled else CLASSES
    boosts = weights_of(weights, fields)
    collection = articles(source, unlabelled=unlabelled)
    if opensearch is not None:
        opensearch.mkdir(parents=True)
        for number, passage in enumerate(passages, 1):
            body = query(terms_of(passage), boosts, k)
            write_json(opensearch / f"query-{number}.json", body)
        to_opensearch(collection, fields, opensearch)
        return 0
    made = index(collection, fields)
    for passage in passages:
        print(passage)
        for rank, (name, score) in enumerate(search(made, terms_of(passage), boosts, k), 1):
            print(f"{rank:4}  {score:8.3f}  {name}")
    return 0
