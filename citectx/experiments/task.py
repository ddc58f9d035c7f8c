"""The whole problem as one object: retrieve spans for citances, and score anybody's spans.

>>> from citectx.profiles import load
>>> from citectx.retrieval import BM25
>>> task = contextualization(load("teaching"), k=3)
>>> run = task.retrieve(BM25(k1=0.4))
>>> task.evaluate(run, ["c-F", "nDCG"]).columns.tolist()
['topic', 'citance', 'c-F', 'nDCG']
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus, as_html
from citectx.corpora.text_files import cut
from citectx.errors import ParameterError, unknown
from citectx.evaluation import named
from citectx.experiments.contextualization import METRICS, Prepared, Protocol, prepare
from citectx.experiments.rankings import Key, Ranking, Run, doc_id, query_id, write_lines
from citectx.experiments.report import compare
from citectx.experiments.tuning import tune, variants
from citectx.retrieval import MODELS, RetrievalModel

Given = Run | Mapping[Key, Ranking] | pd.DataFrame
"""Anybody's spans: see `Task.evaluate`."""
Method = type[RetrievalModel] | RetrievalModel | Sequence[RetrievalModel] | Given
"""What can be compared: see `Task.compare`."""


class GenericDoc(NamedTuple):
    """A document, as `ir_datasets` has it."""

    doc_id: str
    text: str


class GenericQuery(NamedTuple):
    """A query, likewise."""

    query_id: str
    text: str


class TrecQrel(NamedTuple):
    """A judgement, likewise."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


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
    for name, value in {"max_sentences": 1, "depth": 1, **protocol, "k": k}.items():
        whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
        if name in ("k", "max_sentences", "depth") and not whole:
            raise ParameterError(f"{name} must be a whole number of at least 1, not {value!r}")
    known = Protocol().params()
    for name in protocol:
        if name not in known:
            raise unknown("field of Protocol", name, known)
    return Task(corpus, Protocol(k=k, **protocol))


class Task:
    """Citances with evidence, candidate spans of their articles, and how to score what is returned.

    Parameters
    ----------
    corpus : Corpus
    protocol : Protocol
    """

    def __init__(self, corpus: Corpus, protocol: Protocol) -> None:
        if not isinstance(corpus, Corpus):
            raise ParameterError(
                "corpus must be a corpus, as citectx.load(...) returns it;"
                f" found {cut(repr(corpus), 80)}"
            )
        self.corpus, self.protocol = corpus, protocol

    def __repr__(self) -> str:
        k = self.protocol.k
        return f"Task({self.corpus.name!r}, {self.citances:,} citances with evidence, k={k})"

    def _repr_html_(self) -> str:
        return as_html(self, pd.DataFrame([self.protocol.params()]))

    @property
    def citances(self) -> int:
        """How many citances have evidence and are scored."""
        return sum(bool(citance.gold) for topic in self.corpus for citance in topic.citances)

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

        Where candidates overlap, as with ``max_sentences=5``, what is left after merging comes
        first, and then what was merged into it or retrieved later.

        Parameters
        ----------
        model : RetrievalModel
            Such as ``BM25(k1=0.4)``; used as it is, nothing is tuned.
        name : str
            Of the run; the model's class by default.
        """
        if not isinstance(model, RetrievalModel):
            raise ParameterError(
                "model must be a model such as citectx.BM25(), with brackets;"
                f" found {cut(repr(model), 80)}"
            )
        return self._ranked([model] * len(self.topics), name or type(model).__name__)

    def _ranked(self, models: Sequence[RetrievalModel], name: str) -> Run:
        """Rank with a model for each topic."""
        rankings = {}
        for topic, model in zip(self.topics, models, strict=True):
            for citance, row in zip(topic.citances, topic.scores(model), strict=True):
                key = topic.topic.topic_id, citance.citance_id
                if not np.isfinite(row).all():
                    kind = type(model).__name__
                    raise ParameterError(f"{kind} gave a span of {key} a score that is no number")
                rankings[key] = topic.ranking(row)
        return Run(rankings, name)

    def evaluate(
        self, run: RetrievalModel | Given, metrics: Sequence[str] = METRICS
    ) -> pd.DataFrame:
        """Score a run, or anybody's spans.

        Parameters
        ----------
        run : RetrievalModel, Run, mapping or DataFrame
            A model, used as it is; a run from `retrieve` or `Run.read`; spans by (topic, citance),
            best first; or a frame with the columns topic, citance, start, end, best first. The
            first k spans count as returned, whether they overlap or not. A citance without spans
            scores 0; one without evidence is not scored.
        metrics : sequence of str
            Names from `citectx.experiments.contextualization.METRICS`, and those of ir-measures for
            rankings, such as nDCG@10, P@1, AP (see `citectx.evaluation.named`).

        Returns
        -------
        DataFrame
            A row for each citance: topic, citance and the metrics, in percent.

        Raises
        ------
        ParameterError
            For an unknown metric, topic or citance, an empty run, a span outside its article or
            listed twice.
        DataError
            The same, naming file and line, if the run was read from a file.
        MissingDataError
            For a name of ir-measures where that is not installed.
        """
        check_names(metrics)
        return self._scores(self._run(run), metrics)

    def _run(self, given: Any) -> Run:
        """Make a run of whatever can be evaluated."""
        if isinstance(given, RetrievalModel | type):
            return self.retrieve(given)  # type: ignore[arg-type]  # which refuses classes
        run = Run.of(given)
        self._check(run)
        return run

    def _scores(self, run: Run, metrics: Sequence[str]) -> pd.DataFrame:
        ours = [name for name in metrics if name in METRICS]
        theirs = [name for name in metrics if name not in METRICS]
        rows, ranked, every = [], [], []
        for key, (topic, i) in self._places.items():
            ranking = run.rankings.get(key, ())
            rows.append({"topic": key[0], **topic.measure_spans(i, ranking, ours)})
            if theirs:
                results, grades = topic.judged(i, ranking)
                ranked.append(results)
                every.append(grades)
        found = pd.DataFrame(rows)
        for name, values in named.by_name(theirs, ranked, every).items() if theirs else ():
            found[name] = 100 * values
        return found[["topic", "citance", *metrics]]

    def compare(
        self,
        methods: Mapping[str, Method],
        folds: int = 5,
        metrics: Sequence[str] = ("c-F", "nDCG", "c-P@1"),
        seed: int = 0,
    ) -> pd.DataFrame:
        """Test methods and anybody's runs against the first of them.

        Parameters
        ----------
        methods : mapping of str to model class, model, sequence of models, Run, mapping or frame
            A class is tuned over its grid by cross-validation over topics, models are variants to
            choose from, a single model is used as it is, and so is a run (see `evaluate`).
        folds : int
            Of the cross-validation.
        metrics : sequence of str
            As in `evaluate`.
        seed : int
            Of the bootstrap.

        Returns
        -------
        DataFrame
            A row for each method and metric: value (mean over citances, in percent), and for all
            but the first method its difference to the first, a 95 % interval from a bootstrap over
            topics and the p-value of a two-tailed paired t-test over citances.
        """
        scores = self.scores(methods, folds, metrics)
        long = scores.melt(["method"], list(metrics), "metric")
        means = long.groupby(["method", "metric"], sort=False)["value"].mean().reset_index()
        tests = compare(scores, seed, [*methods][:1], metrics, permute=False)
        columns = ["method", "metric", "difference", "ci_low", "ci_high", "t_test"]
        return means.merge(tests[columns], how="left", on=["method", "metric"])

    def scores(
        self, methods: Mapping[str, Method], folds: int = 5, metrics: Sequence[str] = METRICS
    ) -> pd.DataFrame:
        """Score methods and anybody's runs, for tests of your own: what `compare` tests.

        Parameters
        ----------
        methods, folds, metrics
            See `compare`.

        Returns
        -------
        DataFrame
            A row for each method and citance: topic, citance, method and the metrics, in percent.
        """
        check_names(metrics)
        if not isinstance(methods, Mapping) or not methods:
            raise ParameterError(
                "methods must be names with models or runs, as in {'BM25': citectx.BM25}; found"
                f" {cut(repr(methods), 80)}"
            )
        frames = []
        for name, method in methods.items():
            frame = self._scores(self._chosen(name, method, folds), metrics)
            frame.insert(2, "method", name)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def _chosen(self, name: str, method: Any, folds: int) -> Run:
        """Make a run of a method: tuned if there is a choice, else as it is."""
        if isinstance(method, Run | Mapping | pd.DataFrame):
            return self._run(method)
        models = self._variants(method)
        if len(models) == 1:
            return self.retrieve(models[0], name)
        return self._ranked(tune(self.topics, models, folds).chosen, name)

    def _variants(self, given: Any) -> Sequence[RetrievalModel]:
        if isinstance(given, type) and issubclass(given, RetrievalModel):
            names = [name for name, cls in MODELS.items() if cls is given]
            return variants(names[0], self.corpus.name) if names else list(given.variants())
        models = given if isinstance(given, Sequence) else [given]
        if not models or not all(isinstance(m, RetrievalModel) for m in models):
            raise ParameterError(
                "expected a model, its class, a list of models, a Run, a mapping or a frame of"
                f" spans; found {cut(repr(given), 80)}"
            )
        return models

    def to_qrels(self, path: Path | str) -> Path:
        """Write judgements for trec_eval, ir-measures or ranx: 1 if a candidate overlaps evidence.

        All candidates of all citances are judged, relevant or not, so that means are over the same
        citances as ours: one whose evidence no candidate overlaps counts 0. Spans that are no
        candidates are unjudged here, which counts as not relevant; `evaluate` judges any span.
        """
        rows = (f"{q} {i} {d} {relevance}\n" for q, d, relevance, i in self.qrels_iter())
        return write_lines(path, rows)

    def docs_iter(self) -> Iterator[GenericDoc]:
        """Yield the candidate spans of all articles, as `ir_datasets` names what they hold.

        A query is about one article: only the candidates whose ids begin with the same topic are to
        be ranked for it.

        >>> from citectx.profiles import load
        >>> task = contextualization(load("teaching"))
        >>> next(task.docs_iter()).doc_id, next(task.queries_iter()).query_id
        ('D9001_TEACH:130-257', 'D9001_TEACH:1')
        """
        for topic in self.topics:
            text = topic.topic.reference.text
            for span in topic.candidates.spans(range(len(topic.candidates))):
                yield GenericDoc(doc_id(topic.topic.topic_id, span), text[slice(*span)])

    def queries_iter(self) -> Iterator[GenericQuery]:
        """Yield the citances with evidence, as they are printed."""
        for key, (topic, i) in self._places.items():
            yield GenericQuery(query_id(key), topic.citances[i].text)

    def qrels_iter(self) -> Iterator[TrecQrel]:
        """Yield the judgements that `to_qrels` writes."""
        for key, (topic, i) in sorted(self._places.items()):
            spans = topic.candidates.spans(range(len(topic.candidates)))
            for span, grade in zip(spans, topic.relevant[i].tolist(), strict=True):
                yield TrecQrel(query_id(key), doc_id(key[0], span), grade, "0")

    def _check(self, run: Run) -> None:
        """Raise an error if a run does not fit; citances without evidence may be in it."""
        topics = {topic.topic_id: topic for topic in self.corpus}
        for key in run.rankings:
            if key[0] not in topics:
                raise run.error(key, str(unknown("topic", key[0], topics)))
            topic = topics[key[0]]
            citances = {citance.citance_id for citance in topic.citances}
            if key[1] not in citances:
                raise run.error(key, str(unknown(f"citance of {key[0]}", key[1], citances)))
            run.check_spans(key, len(topic.reference.text))
        if len(self.without_spans(run)) == len(self._places):
            where = run.file or run.name
            raise ParameterError(f"{where} is empty: it has no span for any citance with evidence")

    def without_spans(self, run: Run) -> list[Key]:
        """List the citances with evidence for which a run has no span: they count 0."""
        return [key for key in self._places if not len(run.rankings.get(key, ()))]


def check_names(metrics: Sequence[str]) -> None:
    """Raise an error for the first metric that neither we know nor ir-measures.

    Raises
    ------
    ParameterError
        If there is none, or it is unknown.
    """
    if isinstance(metrics, str) or not metrics:
        raise ParameterError(f"metrics must be a list of names such as ['c-F'], not {metrics!r}")
    if len({*metrics}) < len(metrics):
        raise ParameterError(f"a metric is named twice: {', '.join(metrics)}")
    for name in metrics:
        if name not in METRICS:
            try:
                named.measure(name)
            except ParameterError as error:
                raise ParameterError(f"{error}; ours: {', '.join(METRICS)}") from None
