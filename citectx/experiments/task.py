"""The whole problem as one object: retrieve spans for the citances of a corpus, and score anybody's
spans.

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
    if wrong := sorted({*protocol} - {*Protocol.__dataclass_fields__}):
        raise unknown("field of Protocol", wrong[0], Protocol.__dataclass_fields__)
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
        """Write a run file for trec_eval, ir-measures or ranx.

        A query is ``topic:citance``, a document ``topic:start-end``. The score column falls by 1
        from rank to rank, so that no tool breaks ties its own way.
        """
        lines = (
            f"{_ids(key, span, 'Q0')} {rank} {len(ranking) - rank + 1} {quote(self.name)}\n"
            for key, ranking in sorted(self.rankings.items())
            for rank, span in enumerate(ranking, 1)
        )
        return _write(path, lines)

    @classmethod
    def from_trec(cls, path: Path | str) -> "Run":
        """Read a run file; spans are ordered by falling score, equal scores by rank.

        Raises
        ------
        DataError
            Naming file and line: if a row has another form than `to_trec` writes.
        """
        rows: dict[Key, list[tuple[float, int, Span]]] = {}
        name = "run"
        for number, line in enumerate(
            Path(path).read_text("utf-8", errors="replace").splitlines(), 1
        ):
            found = TREC.fullmatch(line.strip())
            if not found and line.strip():
                expected = "TOPIC:CITANCE Q0 TOPIC:START-END RANK SCORE NAME"
                raise DataError(f"expected {expected}, found {line!r}", file=path, line=number)
            if found:
                topic, citance, start, end, rank, score, name = found.groups()
                row = -float(score), int(rank), Span(int(start), int(end))
                rows.setdefault((unquote(topic), unquote(citance)), []).append(row)
        return cls(
            {key: [span for *_, span in sorted(own)] for key, own in rows.items()}, unquote(name)
        )


class Task:
    """Citances with evidence, the candidate spans of their articles, and how to score what a system
    returns.

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
        return {
            (t.topic.topic_id, c.citance_id): (t, i)
            for t in self.topics
            for i, c in enumerate(t.citances)
        }

    def retrieve(self, model: RetrievalModel, name: str = "") -> Run:
        """Rank all candidate spans for each citance.

        Parameters
        ----------
        model : RetrievalModel
            Such as ``BM25(k1=0.4)``; used as it is, nothing is tuned.
        name : str
            Of the run; the model's class by default.
        """
        rankings, returned = {}, {}
        for topic in self.topics:
            for citance, row in zip(topic.citances, topic.scores(model), strict=True):
                key = topic.topic.topic_id, citance.citance_id
                if not np.isfinite(row).all():
                    raise ParameterError(
                        f"{type(model).__name__} gave a span of {key} a score that is no number"
                    )
                rankings[key] = topic.candidates.spans(best_first(row))
                returned[key] = topic.retrieve(row, max(self.protocol.k, 5))
        return Run(rankings, name or type(model).__name__, returned)

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
        given = _run_of(run)
        self._check(given)
        rows = []
        for key, (topic, i) in self._places.items():
            ranking, returned = (
                each.get(key, ()) for each in (given.rankings, given.returned or given.rankings)
            )
            rows.append(
                {"topic": key[0], **topic.measure_spans(i, ranking, returned, set(metrics))}
            )
        return pd.DataFrame(rows)[["topic", "citance", *metrics]]

    def compare(
        self,
        methods: Mapping[str, type[RetrievalModel] | RetrievalModel | Sequence[RetrievalModel]],
        folds: int = 5,
        metrics: Sequence[str] = ("c-F", "nDCG", "c-P@1"),
        seed: int = 0,
    ) -> pd.DataFrame:
        """Tune methods by cross-validation over topics, measure them, and test each against the
        first.

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

    def _variants(self, model: Any) -> Sequence[RetrievalModel]:
        if isinstance(model, RetrievalModel):
            return [model]
        if isinstance(model, type) and issubclass(model, RetrievalModel):
            names = [name for name, cls in MODELS.items() if cls is model]
            return variants(names[0], self.corpus.name) if names else list(model.variants())
        if (
            isinstance(model, Sequence)
            and model
            and all(isinstance(m, RetrievalModel) for m in model)
        ):
            return model
        raise ParameterError(f"expected a model, its class or a list of models, found {model!r}")

    def to_qrels(self, path: Path | str) -> Path:
        """Write relevance judgements for trec_eval: every candidate that overlaps evidence has
        grade 1.
        """
        lines = (
            f"{_ids(key, span, '0')} 1\n"
            for key, (topic, i) in sorted(self._places.items())
            for span in topic.candidates.spans(np.flatnonzero(topic.gains(i)))
        )
        return _write(path, lines)

    def _check(self, run: Run) -> None:
        if not any(run.rankings.values()):
            raise ParameterError(f"{run.name} is empty: it has no span for any citance")
        known = {key[0] for key in self._places}
        for key, ranking in run.rankings.items():
            if key[0] not in known:
                raise unknown("topic", key[0], sorted(known))
            if key not in self._places:
                raise unknown(
                    f"citance of {key[0]}", key[1], [c for t, c in self._places if t == key[0]]
                )
            size, seen = len(self.corpus[key[0]].reference.text), set()
            for span in ranking:
                where = f"topic {key[0]}, citance {key[1]}, span {span!r}"
                if len(span) != 2 or not all(isinstance(x, int | np.integer) for x in span):
                    raise ParameterError(f"{where}: expected two whole numbers, start and end")
                if not 0 <= span[0] < span[1] <= size:
                    raise ParameterError(f"{where} is empty or leaves the article (0-{size})")
                if tuple(span) in seen:
                    raise ParameterError(f"{where} is listed twice")
                seen.add(tuple(span))


def _run_of(given: Any) -> Run:
    """Read anybody's spans as a run."""
    if isinstance(given, Run):
        return given
    if isinstance(given, pd.DataFrame):
        if missing := sorted({"topic", "citance", "start", "end"} - {*given.columns}):
            raise ParameterError(
                f"a frame of spans needs topic, citance, start and end; it lacks {missing}"
            )
        by_citance = given.groupby(["topic", "citance"], sort=False)
        given = {
            (str(t), str(c)): [*map(Span, own["start"], own["end"])] for (t, c), own in by_citance
        }
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"expected a Run, a mapping or a frame of spans, found {type(given).__name__}"
        )
    for key in given:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise ParameterError(f"expected keys (topic, citance), found {key!r}")
    return Run({key: list(ranking) for key, ranking in given.items()})


def _ids(key: Key, span: tuple[int, int], between: str) -> str:
    """Name a query and a document; both begin with the topic."""
    topic, citance = map(quote, key)
    return f"{topic}:{citance} {between} {topic}:{span[0]}-{span[1]}"


def _write(path: Path | str, lines: Iterable[str]) -> Path:
    write_atomically(Path(path), "".join(lines))
    return Path(path)
