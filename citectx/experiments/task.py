"""The whole problem as one object: retrieve spans for citances, and score anybody's spans.

>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> task = contextualization(load("teaching"), k=3)
>>> run = task.retrieve(BM25(k1=0.4))
>>> task.evaluate(run, ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'c-F', 'nDCG']
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd

from citectx import reading
from citectx.corpora.model import Corpus
from citectx.errors import DataError, ParameterError, unknown
from citectx.experiments.contextualization import (
    METRICS,
    Prepared,
    Protocol,
    check_metrics,
    prepare,
)
from citectx.experiments.report import compare
from citectx.experiments.tuning import tuned_scores, variants
from citectx.language.spans import best_first
from citectx.retrieval import MODELS, RetrievalModel
from citectx.storage import write_atomically
from citectx.types import Span

Key = tuple[str, str]
"""A citance: its topic and its id there."""
Ranking = Sequence[tuple[int, int]]
"""Spans of the reference article, best first."""
TREC = re.compile(
    r"([^\s:]+):(\S+)\s+\S+\s+\1:(\d{1,11})-(\d{1,11})\s+(\d+)\s+(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s+(\S+)"
)
"""A row of a run file; query and document name the same topic."""


def contextualization(corpus: Corpus, k: int = 3, **protocol: Any) -> "Task":
    """Prepare the task of sigir2017 and naacl2015 on a corpus.

    Parameters
    ----------
    corpus : Corpus
        Such as ``citectx.load("teaching")``.
    k : int
        Spans returned for each citance.
    **protocol
        Other fields of `Protocol`, such as ``max_sentences=5``.

    Raises
    ------
    ParameterError
        For a field that `Protocol` does not have, or `k` below 1.
    DataError
        If no citance has annotated evidence.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, not {k!r}")
    known = Protocol().params()
    for name in protocol:
        if name not in known:
            raise unknown("field of Protocol", name, known)
    return Task(corpus, Protocol(k=k, **protocol))


@dataclass(frozen=True)
class Run:
    """What a system returned: for each citance a ranking of spans.

    Parameters
    ----------
    rankings : mapping of (topic, citance) to sequence of (start, end)
        Best first; character offsets into the reference article, end-exclusive.
    name : str
    returned : mapping, optional
        Where spans overlap and are merged before they count as returned, what is left, best first.
    """

    rankings: Mapping[Key, Ranking]
    name: str = "run"
    returned: Mapping[Key, Ranking] | None = None

    def to_trec(self, path: Path | str) -> Path:
        """Write a run file for trec_eval, ir-measures or ranx, over an earlier one as pandas does.

        A query is ``topic:citance``, a document ``topic:start-end``. The score column falls by 1
        from rank to rank, so that no tool breaks ties its own way.
        """
        lines, name = [], quote(self.name)
        for key, ranking in sorted(self.rankings.items()):
            for rank, span in enumerate(ranking, 1):
                score = len(ranking) - rank + 1
                lines.append(f"{_ids(key, span, 'Q0')} {rank} {score} {name}\n")
        return _write(path, lines)

    @classmethod
    def from_trec(cls, path: Path | str) -> "Run":
        """Read a run file; spans are ordered by falling score, equal scores by rank.

        Our own reader, because it names the line that is wrong; ir-measures skips what it cannot
        read, or raises a bare ValueError.

        Raises
        ------
        DataError
            Naming file and line: if a row has another form than `to_trec` writes.
        """
        rows: dict[Key, list[tuple[float, int, Span]]] = {}
        name, text = "run", reading.read_text(Path(path), errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            found = TREC.fullmatch(line.strip())
            if not found:
                expected = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE NAME"
                raise DataError(f"expected {expected}, found {line!r}", file=path, line=number)
            topic, citance, start, end, rank, score, name = found.groups()
            row = -float(score), int(rank), Span(int(start), int(end))
            rows.setdefault((unquote(topic), unquote(citance)), []).append(row)
        rankings = {key: [span for *_, span in sorted(own)] for key, own in rows.items()}
        return cls(rankings, unquote(name))

    @classmethod
    def of(cls, given: Any) -> "Run":
        """Read anybody's spans as a run: see `Task.evaluate`."""
        if isinstance(given, Run):
            return given
        if isinstance(given, pd.DataFrame):
            given = _spans_of(given)
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise ParameterError(f"expected a Run, a mapping or a frame of spans, found {kind}")
        for key in given:
            if not (isinstance(key, tuple) and len(key) == 2):
                raise ParameterError(f"expected keys (topic, citance), found {key!r}")
        return cls({key: list(ranking) for key, ranking in given.items()})


def _spans_of(frame: pd.DataFrame) -> dict[Key, list[Span]]:
    missing = sorted({"topic", "citance", "start", "end"} - {*frame.columns})
    if missing:
        raise ParameterError(
            f"a frame of spans needs topic, citance, start and end; it lacks {missing}"
        )
    spans = {}
    for (topic, citance), own in frame.groupby(["topic", "citance"], sort=False):
        spans[str(topic), str(citance)] = [*map(Span, own["start"], own["end"])]
    return spans


class Task:
    """Citances with evidence, candidate spans of their articles, and how to score what is returned.

    Parameters
    ----------
    corpus : Corpus
    protocol : Protocol
    """

    def __init__(self, corpus: Corpus, protocol: Protocol) -> None:
        self.corpus, self.protocol = corpus, protocol

    @cached_property
    def topics(self) -> list[Prepared]:
        """The topics made ready: candidates, index, queries."""
        return prepare(self.corpus, self.protocol)

    @cached_property
    def _places(self) -> dict[Key, tuple[Prepared, int]]:
        places = {}
        for topic in self.topics:
            for i, citance in enumerate(topic.citances):
                places[topic.topic.topic_id, citance.citance_id] = topic, i
        return places

    def retrieve(self, model: RetrievalModel, name: str = "") -> Run:
        """Rank all candidate spans for each citance.

        Parameters
        ----------
        model : RetrievalModel
            Such as ``BM25(k1=0.4)``; used as it is, nothing is tuned.
        name : str
            Of the run; the model's class by default.
        """
        rankings, returned, kind = {}, {}, type(model).__name__
        for topic in self.topics:
            for citance, row in zip(topic.citances, topic.scores(model), strict=True):
                key = topic.topic.topic_id, citance.citance_id
                if not np.isfinite(row).all():
                    raise ParameterError(f"{kind} gave a span of {key} a score that is no number")
                rankings[key] = topic.candidates.spans(best_first(row))
                returned[key] = topic.retrieve(row, max(self.protocol.k, 5))
        return Run(rankings, name or kind, returned)

    def evaluate(
        self, run: Run | Mapping[Key, Ranking] | pd.DataFrame, metrics: Sequence[str] = METRICS
    ) -> pd.DataFrame:
        """Score a run, or anybody's spans.

        Parameters
        ----------
        run : Run, mapping or DataFrame
            From `retrieve` or `Run.from_trec`; or spans by (topic, citance), best first; or a frame
            with the columns topic, citance, start, end, best first. A citance without spans scores
            0.
        metrics : sequence of str
            Names from `citectx.experiments.contextualization.METRICS`.

        Returns
        -------
        DataFrame
            A row for each citance: topic, citance and the metrics, in percent.

        Raises
        ------
        ParameterError
            For an unknown metric, topic or citance, an empty run, a span outside its article or
            listed twice.
        """
        if isinstance(metrics, str) or not metrics:
            raise ParameterError(
                f"metrics must be a list of names such as ['c-F'], not {metrics!r}"
            )
        check_metrics(metrics)
        run = Run.of(run)
        self._check(run)
        rows = []
        for key, (topic, i) in self._places.items():
            ranking = run.rankings.get(key, ())
            returned = (run.returned or run.rankings).get(key, ())
            values = topic.measure_spans(i, ranking, returned, metrics)
            rows.append({"topic": key[0], **values})
        return pd.DataFrame(rows)[["topic", "citance", *metrics]]

    def compare(
        self,
        methods: Mapping[str, type[RetrievalModel] | RetrievalModel | Sequence[RetrievalModel]],
        folds: int = 5,
        metrics: Sequence[str] = ("c-F", "nDCG", "c-P@1"),
        seed: int = 0,
    ) -> pd.DataFrame:
        """Tune methods by cross-validation over topics, and test each against the first.

        Parameters
        ----------
        methods : mapping of str to model class, model or sequence of models
            A class is tuned over its grid, a model is used as it is, models are variants to choose
            from.
        folds : int
        metrics : sequence of str
        seed : int
            Of the bootstrap.

        Returns
        -------
        DataFrame
            A row for each method and metric: value (mean over citances, in percent), and for all
            but the first method its difference to the first, a 95 % interval from a bootstrap over
            topics and the p-value of a two-tailed paired t-test over citances.
        """
        if not methods:
            raise ParameterError(
                "methods is empty: expected names with models, as in {'BM25': citectx.BM25}"
            )
        rows = {name: self._variants(model) for name, model in methods.items()}
        _, scores = tuned_scores(self.topics, rows, folds, metrics)
        long = scores.melt(["method"], list(metrics), "metric")
        means = long.groupby(["method", "metric"], sort=False)["value"].mean().reset_index()
        tests = compare(scores, seed, baselines=list(methods)[:1], metrics=metrics)
        columns = ["method", "metric", "difference", "ci_low", "ci_high", "t_test"]
        return means.merge(tests[columns], how="left", on=["method", "metric"])

    def _variants(self, given: Any) -> Sequence[RetrievalModel]:
        if isinstance(given, type) and issubclass(given, RetrievalModel):
            names = [name for name, cls in MODELS.items() if cls is given]
            return variants(names[0], self.corpus.name) if names else list(given.variants())
        models = given if isinstance(given, Sequence) else [given]
        if not models or not all(isinstance(m, RetrievalModel) for m in models):
            raise ParameterError(
                f"expected a model, its class or a list of models, found {given!r}"
            )
        return models

    def to_qrels(self, path: Path | str) -> Path:
        """Write judgements for trec_eval: every candidate that overlaps evidence has grade 1."""
        lines = []
        for key, (topic, i) in sorted(self._places.items()):
            relevant = np.flatnonzero(topic.relevant[i])
            spans = topic.candidates.spans(relevant)
            lines += [f"{_ids(key, span, '0')} 1\n" for span in spans]
        return _write(path, lines)

    def _check(self, run: Run) -> None:
        if not any(run.rankings.values()):
            raise ParameterError(f"{run.name} is empty: it has no span for any citance")
        citances: dict[str, list[str]] = {}
        for topic, citance in self._places:
            citances.setdefault(topic, []).append(citance)
        for (topic, citance), ranking in run.rankings.items():
            if topic not in citances:
                raise unknown("topic", topic, sorted(citances))
            if citance not in citances[topic]:
                raise unknown(f"citance of {topic}", citance, citances[topic])
            size = len(self.corpus[topic].reference.text)
            _check_ranking(ranking, size, f"topic {topic}, citance {citance}")


def _check_ranking(ranking: Ranking, size: int, where: str) -> None:
    """Raise an error for the first span that is not in an article of so many characters."""
    seen = set()
    for span in ranking:
        here = f"{where}, span {span!r}"
        if len(span) != 2 or not all(isinstance(x, int | np.integer) for x in span):
            raise ParameterError(f"{here}: expected two whole numbers, start and end")
        if not 0 <= span[0] < span[1] <= size:
            raise ParameterError(f"{here} is empty or leaves the article (0-{size})")
        if tuple(span) in seen:
            raise ParameterError(f"{here} is listed twice")
        seen.add(tuple(span))


def _ids(key: Key, span: tuple[int, int], between: str) -> str:
    """Name a query and a document; both begin with the topic."""
    topic, citance = map(quote, key)
    return f"{topic}:{citance} {between} {topic}:{span[0]}-{span[1]}"


def _write(path: Path | str, lines: Iterable[str]) -> Path:
    write_atomically(Path(path), "".join(lines))
    return Path(path)
