"""Runs: which spans of the reference article a system ranked for each citance, as frames and files.

A run is a frame with a row for each span: topic, citance, start, end, rank (from 1) and score. In a
file of TREC's format a query is ``topic:citance`` and a document ``topic:start-end``.

>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> run = retrieve(load("teaching"), BM25(k1=0.4), depth=50)
>>> run.columns.tolist()
['topic', 'citance', 'start', 'end', 'rank', 'score']
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.experiments.contextualization import prepare
from citectx.language.spans import best_first, rounded
from citectx.retrieval import RetrievalModel
from citectx.storage import to_gzip, write_atomically

COLUMNS = ["topic", "citance", "start", "end", "rank", "score"]
KEY = COLUMNS[:2]
TREC = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE NAME"
IDS = r"^(?P<topic>[^:]+):(?P<citance>\S+) (?P=topic):(?P<start>\d+)-(?P<end>\d+)$"
"""Query and document, which name the same topic."""


def retrieve(corpus: Corpus, model: RetrievalModel, depth: int | None = None) -> pd.DataFrame:
    """Rank the sentences of the reference article for each citance that has evidence.

    Parameters
    ----------
    corpus : Corpus
    model : RetrievalModel
        Such as ``BM25(k1=0.4)``; nothing is tuned.
    depth : int, optional
        Sentences per citance; all of them by default.
    """
    rows = []
    for topic in prepare(corpus):
        scores = topic.scores(model)  # (citances, sentences)
        # What counts as a tie becomes one to the last digit, so that files keep the ranks.
        largest = np.abs(scores).max(axis=1, keepdims=True)
        scores = rounded(scores) * largest
        orders = best_first(scores, depth)
        for citance, order, own in zip(topic.citances, orders, scores, strict=True):
            key = topic.topic.topic_id, citance.citance_id
            ranked = zip(topic.candidates.spans(order), own[order].tolist(), strict=True)
            rows += [(*key, *span, i, score) for i, (span, score) in enumerate(ranked, 1)]
    return pd.DataFrame(rows, columns=COLUMNS)


def to_trec(run: pd.DataFrame, path: Path | str, name: str = "run") -> None:
    """Write a run for trec_eval, ir-measures or ranx; gzipped if the path ends in ``.gz``."""
    lines = []
    for topic, citance, start, end, rank, score in run[COLUMNS].itertuples(index=False):
        query = f"{topic}:{citance}"
        document = f"{topic}:{start}-{end}"
        lines.append(f"{query} Q0 {document} {rank} {score!r} {name}")
    write_lines(lines, Path(path))


def to_qrels(corpus: Corpus, path: Path | str) -> None:
    """Write judgements of all sentences: 1 if the sentence overlaps the evidence of the citance.

    All citances with evidence are in it, so that means are over the same citances as ours.
    """
    lines = []
    for topic in prepare(corpus):
        name, spans = topic.topic.topic_id, topic.candidates.chars.tolist()
        for citance, grades in zip(topic.citances, topic.relevant, strict=True):
            for (start, end), grade in zip(spans, grades, strict=True):
                query = f"{name}:{citance.citance_id}"
                document = f"{name}:{start}-{end}"
                lines.append(f"{query} 0 {document} {grade}")
    write_lines(lines, Path(path))


def write_lines(lines: Iterable[str], path: Path) -> None:
    """Write lines, gzipped if the path ends in ``.gz``."""
    data = "".join(f"{line}\n" for line in lines).encode()
    write_atomically(path, to_gzip(data) if path.suffix == ".gz" else data)


def read_run(path: Path | str) -> pd.DataFrame:
    """Read a run in TREC's format; spans are ordered by falling score, equal ones by rank.

    The index of the frame holds the lines of the file.

    Raises
    ------
    DataError
        Naming file and line, if a row has another form.
    """
    names = ["query", "iteration", "document", "rank", "score", "name"]
    try:
        how: dict[str, Any] = {"sep": r"\s+", "dtype": str, "encoding": "utf-8-sig", "quoting": 3}
        table: pd.DataFrame = pd.read_csv(path, names=names, **how)
    except ValueError as error:  # of pandas, which names the line, or of the encoding
        raise DataError(f"is not a run, {TREC}: {error}", file=Path(path)) from error
    run = (table["query"] + " " + table["document"]).str.extract(IDS)
    run = run.join(table[["rank", "score"]]).rename_axis(str(path))
    run.index += 1
    for name in COLUMNS[2:]:
        run[name] = pd.to_numeric(run[name], errors="coerce")
    if (wrong := run.isna().any(axis=1)).any():
        line = int(wrong.to_numpy().argmax()) + 1
        raise DataError(f"expected {TREC}", file=Path(path), line=line)
    run = run.sort_values([*KEY, "score", "rank"], ascending=[True, True, False, True])
    return run.assign(rank=run.groupby(KEY).cumcount() + 1)
