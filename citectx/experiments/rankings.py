"""Runs: which spans of the reference article a system ranked for each citance, and their scores.

A run is a frame with a row for each span (`COLUMNS`). In a file of TREC's format a query is
``topic:citance``, a document ``topic:start-end``, and the last column, the tag, is the method.

>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> corpus = load("teaching")
>>> run = retrieve(corpus, BM25(k1=0.4))
>>> run.columns.tolist()
['method', 'topic', 'citance', 'start', 'end', 'rank', 'score']
>>> evaluate(corpus, run, ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'method', 'c-F', 'nDCG']
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.errors import DataError, ParameterError, unknown
from citectx.evaluation import relevance
from citectx.experiments.contextualization import METRICS, Prepared, Protocol, prepare
from citectx.experiments.report import KEYS, compare, means, tabulate
from citectx.language.spans import best_first, rounded
from citectx.profiles import load
from citectx.retrieval import RetrievalModel
from citectx.storage import to_gzip, write_atomically
from citectx.types import Span

QUERY = ["method", "topic", "citance"]
NUMBERS = ["start", "end", "rank", "score"]
COLUMNS = [*QUERY, *NUMBERS]
TREC = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE TAG"
IDS = r"^(?P<topic>[^:]+):(?P<citance>\S+) (?P=topic):(?P<start>\d+)-(?P<end>\d+)$"
"""Query and document, which name the same topic."""
SEED = 0


def retrieve(corpus: Corpus, model: RetrievalModel) -> pd.DataFrame:
    """Rank all sentences of the reference article for each citance that has evidence."""
    topics = prepare(corpus)
    return rank(topics, type(model).__name__, [model] * len(topics))


def rank(topics: Sequence[Prepared], method: str, models: Sequence[RetrievalModel]) -> pd.DataFrame:
    """Rank all candidates with a model for each topic."""
    frames = []
    for topic, model in zip(topics, models, strict=True):
        scores = topic.scores(model)  # (citances, spans)
        # What counts as a tie becomes one to the last digit, so that files keep the ranks.
        largest = np.abs(scores).max(axis=1, keepdims=True)
        scores = rounded(scores) * largest
        orders = best_first(scores)
        for citance, order, row in zip(topic.citances, orders, scores, strict=True):
            start, end = topic.candidates.chars[order].T
            ids = method, topic.topic.topic_id, citance.citance_id
            ranks = np.arange(1, len(order) + 1)
            values = *ids, start, end, ranks, row[order]
            columns = dict(zip(COLUMNS, values, strict=True))
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def leaderboard(
    topics: Sequence[Prepared], rows: Mapping[str, Sequence[RetrievalModel]], corpus: str
) -> dict[str, bytes]:
    """Make the file with the runs of a table's rows, by its name.

    To keep it small, a score is the number of spans that are ranked lower, and all ranks are 0.
    """
    run = pd.concat([rank(topics, name, models) for name, models in rows.items()])
    lower = run.groupby(QUERY)["rank"].transform("max") - run["rank"]
    ranked = run.assign(rank=0, score=lower)
    return {f"runs.{corpus}.trec.gz": to_gzip(trec(ranked))}


def to_trec(run: pd.DataFrame, path: Path | str) -> None:
    """Write a run for trec_eval, ir-measures or ranx; gzipped if the path ends in ``.gz``."""
    data = trec(run)
    is_gzipped = str(path).endswith(".gz")
    write_atomically(Path(path), to_gzip(data) if is_gzipped else data)


def trec(run: pd.DataFrame) -> bytes:
    """Return the lines of a run; the tag is the method, with ``_`` for spaces."""
    lines = []
    for method, topic, citance, start, end, place, score in run[COLUMNS].itertuples(index=False):
        span = f"{topic}:{start}-{end}"
        tag = method.replace(" ", "_")
        lines.append(f"{topic}:{citance} Q0 {span} {place} {score!r} {tag}\n")
    return "".join(lines).encode()


def to_qrels(corpus: Corpus, path: Path | str) -> None:
    """Write the judgements of `qrels`."""
    write_atomically(Path(path), qrels(prepare(corpus)))


def qrels(topics: Sequence[Prepared]) -> bytes:
    """Return trec_eval's judgements: 1 for a sentence that overlaps the evidence of the citance.

    A citance whose evidence is in no sentence lists all, so that means are over the same citances.
    """
    lines = []
    for topic in topics:
        name, spans = topic.topic.topic_id, topic.candidates.chars
        for citance, grades in zip(topic.citances, topic.relevant, strict=True):
            listed = grades > 0 if grades.any() else grades == 0
            query = f"{name}:{citance.citance_id}"
            for (start, end), grade in zip(spans[listed], grades[listed], strict=True):
                lines.append(f"{query} 0 {name}:{start}-{end} {grade}\n")
    return "".join(lines).encode()


def read_run(path: Path | str) -> pd.DataFrame:
    """Read runs in TREC's format by falling score, then rank; the index has the file's lines."""
    names = ["query", "iteration", "document", "rank", "score", "method"]
    how: dict[str, Any] = {"sep": r"\s+", "dtype": str, "encoding": "utf-8-sig", "quoting": 3}
    try:
        table: pd.DataFrame = pd.read_csv(path, names=names, **how)
    except ValueError as error:  # of pandas, which names the line, or of the encoding
        raise DataError(f"is not a run, {TREC}: {error}", file=Path(path)) from error
    run = (table["query"] + " " + table["document"]).str.extract(IDS)
    run = run.join(table[["method", "rank", "score"]]).rename_axis(str(path))
    run.index += 1
    run[NUMBERS] = run[NUMBERS].apply(pd.to_numeric, errors="coerce")
    if (wrong := run.isna().any(axis=1)).any():
        raise DataError(f"expected {TREC}", file=Path(path), line=int(wrong.argmax()) + 1)
    places = run.groupby(QUERY, sort=False).ngroup()
    order = ["place", "score", "rank"]
    run = run.assign(place=places).sort_values(order, ascending=[True, False, True])
    return run.assign(rank=run.groupby("place").cumcount() + 1)[COLUMNS]


def evaluate(
    corpus: Corpus, run: pd.DataFrame, metrics: Sequence[str] = METRICS, k: int = 3
) -> pd.DataFrame:
    """Score runs: a row for each citance with evidence and method, in percent.

    A run comes from `retrieve`, `read_run` or your own system; its spans need not be sentences. The
    first k count as returned; nDCG looks at all. A citance without spans scores 0.
    """
    for metric in metrics:
        if metric not in METRICS:
            raise unknown("metric", metric, METRICS)
    check_run(corpus, run)
    topics, rows = prepare(corpus, Protocol(k=k)), []
    for method, ranked in run.sort_values("rank").groupby("method", sort=False):
        places = dict(iter(ranked.groupby(QUERY[1:])[["start", "end"]]))
        for topic in topics:
            for i, citance in enumerate(topic.citances):
                key = topic.topic.topic_id, citance.citance_id
                chars = places.get(key, ranked[:0])[["start", "end"]].to_numpy()
                spans = [Span(*pair) for pair in chars[: max(k, 5)].tolist()]
                gains = relevance(chars, citance.gold)
                measures = topic.measures(i, spans, gains, metrics)
                rows.append({"method": method, **measures})
    return pd.DataFrame(rows)[[*KEYS, *metrics]]


def check_run(corpus: Corpus, run: pd.DataFrame) -> None:
    """Raise a `DataError` for the first row of a run that does not fit the corpus."""
    sizes = dict[tuple[str, str], int]()
    for topic in corpus:
        for citance in topic.citances:
            sizes[topic.topic_id, citance.citance_id] = len(topic.reference.text)
    keys = zip(run["topic"], run["citance"], strict=True)
    size = [sizes.get(key, 0) for key in keys]
    inside = run["start"].between(0, run["end"] - 1) & (run["end"] <= size)
    wrong = ~inside | run.duplicated([*QUERY, "start", "end"])
    for line, row in run[wrong].iterrows():
        place = "span {start}-{end} of topic {topic}, citance {citance}".format_map(row)
        why = f"is not inside an article that a citance of {corpus.name} cites, or is there twice"
        raise DataError(f"{place} {why}", file=str(run.index.name or "run"), line=int(str(line)))


def compare_runs(scores: pd.DataFrame) -> pd.DataFrame:
    """Average what `evaluate` returns, and test each run against the first.

    Means and differences have 95 % intervals from a bootstrap over topics; the p-value is that of a
    paired t-test over citances.
    """
    key, ends = ["method", "metric"], ["ci_low", "ci_high"]
    table = tabulate("runs", "", means(scores, SEED), SEED)
    table = table[[*key, "n", "value", *ends]]
    tests = compare(scores, SEED, [scores["method"].iloc[0]], permute=False)
    wanted = tests[[*key, "difference", *ends, "t_test"]]
    return table.merge(wanted, "left", key, suffixes=("", " of difference"))


def cmd_evaluate(runs: Sequence[Path], corpus: str, metrics: Sequence[str], k: int) -> int:
    """Run ``citectx evaluate``: print the means of all runs, each tested against the first."""
    loaded, frames = load(corpus), []
    for path in runs:
        frames.append(evaluate(loaded, read_run(path), metrics, k))
    scores = pd.concat(frames, ignore_index=True)
    if scores.duplicated(KEYS).any():
        raise ParameterError("two files have runs of the same tag, the last column: rename one")
    compared = compare_runs(scores)
    print(compared.to_string(index=False, float_format="%.4f", na_rep=""))
    return 0
