"""Contextualization in PyTerrier: a retriever for its pipelines, and the frames that it evaluates.

PyTerrier (`python-terrier`, 1.0 or later) is imported only when `retriever` is called; its own
retrievers need Java, this one does not::

    import pyterrier as pt
    task = citectx.contextualization(citectx.load("teaching"))
    bm25 = retriever(task, citectx.BM25())
    pt.Experiment([bm25], topics(task), qrels(task), ["ndcg", "P_1"])
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd

from citectx.corpora.model import Citance
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.experiments.contextualization import Prepared
from citectx.experiments.rankings import doc_id
from citectx.experiments.task import Task
from citectx.language.spans import best_first
from citectx.retrieval import Query, RetrievalModel
from citectx.types import Floats


def topics(task: Task) -> pd.DataFrame:
    """Return the citances with evidence: columns qid, query."""
    return pd.DataFrame(task.queries_iter()).set_axis(["qid", "query"], axis=1)


def qrels(task: Task) -> pd.DataFrame:
    """Return the judgements of all candidates: columns qid, docno, label."""
    found = pd.DataFrame(task.qrels_iter()).drop(columns="iteration")
    return found.set_axis(["qid", "docno", "label"], axis=1)


def retriever(task: Task, model: RetrievalModel, k: int | None = None) -> Any:
    """Make a transformer that ranks the candidate spans of the article which a query is about.

    Parameters
    ----------
    task : Task
    model : RetrievalModel
        Used as it is.
    k : int, optional
        Spans for each query; all by default.

    Returns
    -------
    pyterrier.Transformer
        From queries (qid, query) to results (qid, query, docno, text, score, rank). The ids are
        those of `Task.queries_iter` and `Task.docs_iter`: what stands before the colon of a qid
        tells the article. The query may be any text, so that it can be rewritten before. Equal
        scores are told apart in their last digits, see `falling`.

    Raises
    ------
    MissingDataError
        If PyTerrier is not installed.
    ParameterError
        When it is used: for a frame without qid and query, or an unknown topic.
    """
    try:
        base: Any = import_module("pyterrier").Transformer
    except ImportError as error:
        raise MissingDataError(
            "PyTerrier is not installed: pip install 'citectx[pyterrier]'"
        ) from error
    prepared = {topic.topic.topic_id: topic for topic in task.topics}

    class Spans(base):  # type: ignore[misc]
        """Candidate spans of articles, ranked by a model of citectx."""

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            """Rank spans for each query."""
            if missing := sorted({"qid", "query"} - {*inp.columns}):
                raise ParameterError(f"expected columns qid and query; missing: {missing}")
            asked = zip(inp["qid"].astype(str), inp["query"].astype(str), strict=True)
            rows = [row for qid, query in asked for row in _ranked(prepared, model, qid, query, k)]
            columns = ["qid", "query", "docno", "text", "score", "rank"]
            return pd.DataFrame(rows, columns=columns)

    return Spans()


def _ranked(
    prepared: dict[str, Prepared], model: RetrievalModel, qid: str, query: str, k: int | None
) -> Iterator[tuple[Any, ...]]:
    """Rank the spans of the article that a query is about."""
    name, _, citance_id = map(unquote, qid.partition(":"))
    if name not in prepared:
        raise unknown(f"topic of qid {qid!r}", name, prepared)
    topic = prepared[name]
    known = {citance.citance_id: citance for citance in topic.citances}
    citance = replace(known.get(citance_id, Citance(citance_id, "", "")), text=query)
    asked = Query.of_citance(citance, topic.protocol.analyzer)
    [scores] = model.fit(topic.index).score([asked])
    text, spans = topic.topic.reference.text, topic.candidates.spans(best_first(scores))
    ordered = falling(scores[best_first(scores)]).tolist()
    for rank, (span, score) in enumerate(zip(spans[:k], ordered[:k], strict=True)):
        yield qid, query, doc_id(name, span), text[slice(*span)], score, rank


def falling(scores: Floats) -> Floats:
    """Let each score be below the one before it, by the least that single precision can tell.

    What evaluates a pipeline breaks ties by the names of documents, we by their places.

    >>> bool((np.diff(falling(np.array([2.0, 1.0, 1.0, 0.0])).astype(np.float32)) < 0).all())
    True
    """
    steps = 2 * np.spacing(np.abs(scores).max().astype(np.float32)) * np.arange(len(scores))
    return np.asarray(np.minimum.accumulate(scores + steps) - steps)
