"""Runs: which spans of the reference article a system ranked for each citance, and their scores.

A run is a frame with a row for each span (`COLUMNS`). In a file of TREC's format a query is
``topic:citance``, a document ``topic:start-end``, and the last column, the tag, is the method.

>>> from citectx.catalogue import load
>>> from citectx.retrieval import BM25
>>> corpus = load("teaching")
>>> run = retrieve(corpus, BM25(k1=0.4))
>>> run.columns.tolist()
['method', 'topic', 'citance', 'start', 'end', 'rank', 'score']
>>> evaluate(corpus, run, ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'method', 'c-F', 'nDCG']
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.corpora.text_files import in_quotes, numbered_lines
from citectx.errors import DataError, ParameterError, unknown
from citectx.evaluation import relevance
from citectx.experiments.contextualization import METRICS, Prepared, Protocol, by_citance, prepare
from citectx.experiments.report import KEYS
from citectx.language.spans import best_first, round_scores
from citectx.retrieval import RetrievalModel, untuned
from citectx.storage import to_gzip, write_atomically
from citectx.types import Floats

QUERY = ["method", "topic", "citance"]
NUMBERS = ["start", "end", "rank", "score"]
COLUMNS = [*QUERY, *NUMBERS]
TREC = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE METHOD"
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+|(?i:inf(?:inity)?))(?:[eE][-+]?\d+)?(?!\S)"
LINE = (
    r"^\s*(?P<topic>[^:\s]+):(?P<citance>\S+)"
    r"(?:\s+\S+\s+(?P=topic):(?P<start>\d+)-(?P<end>\d+)(?!\S)"
    rf"(?:\s+(?P<rank>{NUMBER})(?:\s+(?P<score>{NUMBER})(?:\s+(?P<method>\S+)\s*$)?)?)?)?"
)
"""Query and document name the same topic; what follows the first fault is missing."""


def retrieve(corpus: Corpus, model: RetrievalModel | str) -> pd.DataFrame:
    """Rank all sentences of the reference article for each citance that has evidence.

    A model is one that you made, or a row of Table 1 of sigir2017 by its name: untuned, with the
    vectors and lists of the corpus. Scores are shares of the largest for the citance.

    >>> from citectx.catalogue import load
    >>> from citectx.retrieval import BM25
    >>> corpus = load("teaching")
    >>> retrieve(corpus, BM25(k1=0.4)).loc[0, ["topic", "citance"]].tolist()
    ['D9001_TEACH', '1']
    >>> retrieve(corpus, "WE_Bio+dmn")["method"].unique().tolist()
    ['WE_Bio+dmn']
    """
    check_loaded(corpus)
    if isinstance(model, str):
        method, made = model, untuned(model, corpus.name)
    else:
        method, made = type(model).__name__, model
    topics = prepare(corpus)
    return rank(topics, {method: [topic.scores(made) for topic in topics]})


def rank(topics: Sequence[Prepared], rows: Mapping[str, Iterable[Floats]]) -> pd.DataFrame:
    """Rank all candidates by the scores that each method gives to those of each topic."""
    frames = []
    for method, topic, citance, scores in by_citance(topics, rows.items()):
        rounded = round_scores(scores)  # ties to the last digit, so that files keep them
        order = best_first(rounded)
        spans = pd.DataFrame(topic.candidates.spans(order))
        spans = spans.assign(topic=topic.topic.topic_id, citance=citance.citance_id)
        frames.append(spans.assign(method=method, rank=spans.index + 1, score=rounded[order]))
    return pd.concat(frames, ignore_index=True)[COLUMNS]


def leaderboard(
    topics: Sequence[Prepared], rows: Mapping[str, Iterable[Floats]], corpus: str
) -> dict[str, bytes]:
    """Make the file with the runs of a table's rows, by its name.

    To keep it small, a score is the number of spans that are ranked lower, and all ranks are 0.
    """
    run = rank(topics, rows)
    lower = run.groupby(QUERY).cumcount(ascending=False)
    return {f"runs.{corpus}.trec.gz": to_gzip(trec(run.assign(rank=0, score=lower)))}


def to_trec(run: pd.DataFrame, path: Path | str) -> None:
    """Write a run for trec_eval, ir-measures or ranx; gzipped if the path ends in ``.gz``.

    >>> from tempfile import TemporaryDirectory
    >>> from citectx.catalogue import load
    >>> from citectx.retrieval import BM25
    >>> run = retrieve(load("teaching"), BM25())
    >>> with TemporaryDirectory() as folder:
    ...     to_trec(run, f"{folder}/bm25.trec.gz")
    ...     read_run(f"{folder}/bm25.trec.gz").shape == run.shape
    True
    """
    data = trec(run)
    file = Path(path)
    write_atomically(file, to_gzip(data) if file.suffix == ".gz" else data)


def trec(run: pd.DataFrame) -> bytes:
    """Return the lines of a run; the tag is the method, with ``_`` for spaces."""
    check_columns(run)
    lines = []
    for method, topic, citance, start, end, place, score in run[COLUMNS].itertuples(index=False):
        tag = method.replace(" ", "_")
        lines.append(f"{topic}:{citance} Q0 {topic}:{start}-{end} {place} {score!r} {tag}\n")
    return "".join(lines).encode()


def to_qrels(corpus: Corpus, path: Path | str) -> None:
    """Write the judgements of `qrels`.

    >>> from tempfile import TemporaryDirectory
    >>> from citectx.catalogue import load
    >>> with TemporaryDirectory() as folder:
    ...     to_qrels(load("teaching"), f"{folder}/qrels")
    ...     print(Path(f"{folder}/qrels").read_text().splitlines()[0])
    D9001_TEACH:1 0 D9001_TEACH:359-549 1
    """
    write_atomically(Path(path), qrels(prepare(corpus)))


def qrels(topics: Sequence[Prepared]) -> bytes:
    """Return trec_eval's judgements: 1 for a sentence that overlaps the evidence of the citance.

    A citance whose evidence is in no sentence lists all, so that means are over the same citances.
    """
    lines = []
    for topic in topics:
        name = topic.topic.topic_id
        for citance, grades in zip(topic.citances, topic.relevant, strict=True):
            grade = grades.max()
            listed = np.flatnonzero(grades == grade)
            for start, end in topic.candidates.spans(listed):
                lines.append(f"{name}:{citance.citance_id} 0 {name}:{start}-{end} {grade}\n")
    return "".join(lines).encode()


def read_run(path: Path | str) -> pd.DataFrame:
    r"""Read runs in TREC's format, gzipped or not; the index has the file's lines.

    Scores make the new ranks; among equals the file's ranks do, then its lines.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(f"{folder}/run").write_text("rest:1 Q0 rest:0-12 1 3.5 mine\n")
    ...     read_run(f"{folder}/run")[["topic", "start", "end", "method"]].to_numpy().tolist()
    [['rest', 0, 12, 'mine']]
    """
    lines = pd.Series(dict(numbered_lines(Path(path))) or {1: ""})
    run = lines.str.extract(LINE).rename_axis(str(path))
    if (wrong := run["method"].isna()).any():
        line: Any = wrong.idxmax()
        field: Any = run.loc[line].isna().idxmax()
        message = (
            f"{field.upper()} is missing or wrong in {in_quotes(lines[line])}; expected {TREC}"
        )
        raise DataError(message, file=path, line=line)
    run[NUMBERS] = run[NUMBERS].apply(pd.to_numeric)
    run = run.sort_values(["score", "rank"], ascending=[False, True])
    ranks = run.groupby(QUERY).cumcount() + 1
    return run.assign(rank=ranks)[COLUMNS].sort_index()


def evaluate(
    corpus: Corpus, run: pd.DataFrame, metrics: Sequence[str] = METRICS, k: int = 3
) -> pd.DataFrame:
    """Score runs: a row for each citance with evidence and method, in percent.

    A run comes from `retrieve`, `read_run` or your own system; its spans need not be sentences. The
    first k count as returned; nDCG looks at all. A citance without spans scores 0.

    >>> from citectx.catalogue import load
    >>> corpus = load("teaching")
    >>> first = corpus["D9001_TEACH"].citances[0]
    >>> run = [{"method": "mine", "topic": "D9001_TEACH", "citance": first.citance_id,
    ...         "start": 359, "end": 549, "rank": 1, "score": 1.0}]
    >>> evaluate(corpus, pd.DataFrame(run), ["c-F"])["c-F"].iloc[0].round(1)
    np.float64(39.4)
    """
    if not {*metrics} <= {*METRICS}:
        raise unknown("metrics", metrics, METRICS)
    check_run(corpus, run)
    run = run.sort_values("rank")
    chars = run[["start", "end"]].to_numpy()
    places = run.groupby(QUERY).indices  # rows of the run by method, topic and citance
    topics = prepare(corpus, Protocol(k=k))
    rows = []
    for method, topic in product(run["method"].unique(), topics):
        for i, citance in enumerate(topic.citances):
            key = method, topic.topic.topic_id, citance.citance_id
            spans = chars[places.get(key, [])]
            measures = topic.measures(i, spans, relevance(spans, citance.gold), metrics)
            rows.append({"method": method, **measures})
    return pd.DataFrame(rows)[[*KEYS, *metrics]]


def check_loaded(corpus: object) -> None:
    """Refuse the name of a corpus in place of the corpus."""
    if isinstance(corpus, str):
        raise ParameterError(f"expected a corpus, not its name: citectx.load({corpus!r})")


def check_columns(run: object) -> None:
    """Refuse what is no frame with the columns of a run."""
    if not isinstance(run, pd.DataFrame):
        raise ParameterError(f"expected a frame, not {run!r}; citectx.read_run reads a file")
    if missing := [column for column in COLUMNS if column not in run]:
        raise ParameterError(f"the run lacks {', '.join(missing)}; a run has {', '.join(COLUMNS)}")


def check_run(corpus: Corpus, run: pd.DataFrame) -> None:
    """Raise an error for the first row of a run that does not fit the corpus."""
    check_loaded(corpus)
    check_columns(run)
    size = {(t.topic_id, c.citance_id): len(t.reference.text) for t in corpus for c in t.citances}
    sizes = [size.get(key, -1) for key in zip(run["topic"], run["citance"], strict=True)]
    inside = run["start"].between(0, run["end"] - 1) & (run["end"] <= sizes)
    twice = run.duplicated([*QUERY, "start", "end"])
    checked = run.assign(size=sizes, twice=twice, corpus=corpus.name)
    for line, row in checked[~inside | twice].iterrows():
        if (checked["size"] < 0).all():
            why = "no row is about {corpus}, here {topic}:{citance}; is the run of another corpus?"
        elif row["size"] < 0:
            why = "{corpus} has no citing sentence {topic}:{citance}"
        elif row["twice"]:
            why = "{topic}:{citance} has {start}-{end} twice; keep one of the lines"
        else:
            why = "{start}-{end} lies outside the article of {topic}, which ends at {size}"
        raise DataError(why.format_map(row), file=str(run.index.name or "run"), line=int(str(line)))
