"""What lrec2016's experiments share: collections by profile, and training class by class, fold by fold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx import profiles
from citectx.corpora import Document, fulltext, sources
from citectx.corpora.fulltext import CitationMark
from citectx.errors import ParameterError, unknown
from citectx.parallel import run
from citectx.recommendation.collection import Collection, LabelledText
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.planted import plant
from citectx.recommendation.queries import Citation, QueryBuilder, citations
from citectx.recommendation.rescoring import DEPTH, Query, Rescorer
from citectx.recommendation.training import PASSES, STEPS, Folds, climb, folds, gains, listwise
from citectx.storage import digest

Floats = NDArray[np.float64]
Optimiser = Literal["climb", "listwise"]
LIMIT = 700
"""Source: lrec2016 §6: at most so many citations of a class."""


@dataclass(frozen=True)
class Task:
    """A collection and the citations to be found in it.

    Parameters
    ----------
    name : str
        Name of the corpus in the tables.
    collection : Collection
    kinds : mapping of str to tuple of Citation
        By class of the citing sentence, in order.
    left_out : mapping of str to int
        Citations that could not be used, by reason.
    trained : dict
        What `train` found before, so that two tables of one run do not train twice.
    """

    name: str
    collection: Collection
    kinds: Mapping[str, tuple[Citation, ...]]
    left_out: Mapping[str, int]
    trained: dict["Settings", list["Trained"]] = field(default_factory=dict, compare=False, repr=False)

    def fingerprint(self) -> str:
        """Hash what was read, to tell whether two runs saw the same data."""
        arrays = (self.collection.tokens, self.collection.sentence_end, self.collection.sentence_class)
        return digest([array.tobytes() for array in arrays], sorted(self.kinds.items()))


@dataclass(frozen=True)
class Settings:
    """How weights are trained.

    Parameters
    ----------
    k : int
        Folds.
    how : {"order", "article"}
        See `citectx.recommendation.training.folds`.
    depth : int or None
        How many articles of the unweighted run are ranked anew; None ranks the whole collection.
        Ambiguity: lrec2016 does not say; the public code of its time re-ranks 200.
    optimiser : {"climb", "listwise"}
        The paper's hill climbing, or L-BFGS on a softmax.
    shuffle : int, optional
        A seed: as a control, deal each article's classes out anew among its sentences.
    """

    k: int = 4
    how: Folds = "order"
    depth: int | None = DEPTH
    optimiser: Optimiser = "climb"
    shuffle: int | None = None

    def params(self) -> dict[str, Any]:
        """Parameters as they stand in a table."""
        found: dict[str, Any] = {
            "folds": self.k,
            "by": self.how,
            "depth": self.depth,
            "optimiser": self.optimiser,
        }
        if self.optimiser == "climb":
            found |= {"steps": list(STEPS), "passes": PASSES}
        return found


class Trained(NamedTuple):
    """What cross-validation gave for one class.

    Parameters
    ----------
    kind : str
    articles, targets : tuple of str
        Citing and cited article of each citation.
    places : tuple of int
        Where each citation stands in its article.
    fold : int array, shape (n,)
    before, after : float arrays, shape (n,)
        Rank of each target with all weights 1, and with those trained on the other folds.
    weights : float array, shape (folds, fields)
    train_gain : float array, shape (folds, 2)
        Improvement on the training queries: mean gain before and after.
    tried : int
        Weight changes that were scored.
    """

    kind: str
    articles: tuple[str, ...]
    targets: tuple[str, ...]
    places: tuple[int, ...]
    fold: NDArray[np.int64]
    before: Floats
    after: Floats
    weights: Floats
    train_gain: Floats
    tried: int

    def improvements(self) -> Floats:
        """Return each fold's gain over its baseline, in percent; NaN where the baseline is 0."""
        before, after = self.fold_means(self.before), self.fold_means(self.after)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(before > 0, 100.0 * (after / before - 1.0), np.nan)

    def fold_means(self, ranks: Floats) -> Floats:
        """Mean gain of the queries tested in each fold, on the paper's scale."""
        sums = np.bincount(self.fold, weights=gains(ranks), minlength=len(self.weights))
        return sums / np.maximum(np.bincount(self.fold, minlength=len(self.weights)), 1)

    def leakage(self) -> dict[str, float]:
        """Share of test citations whose citing (cited) article also stands in the training folds."""
        found = {}
        for name, values in (("citing", self.articles), ("cited", self.targets)):
            frame = pd.DataFrame({"value": values, "fold": self.fold})
            found[name] = float((frame.groupby("value")["fold"].transform("nunique") > 1).mean())
        return found


def planted(**options: Any) -> Task:
    """Make a collection up, with the options of `citectx.recommendation.planted.plant`.

    >>> task = planted(articles=20, citations=8, preferences={"Bac": ("Obs",)})
    >>> len(task.collection), {kind: len(found) for kind, found in task.kinds.items()}
    (20, {'Bac': 8})
    """
    found = plant(**options)
    return _task("planted", found.references, found.citing, found.marks, found.labels, found.labels)


def _fulltext() -> Task:
    from citectx.recommendation.labelling import load_labels

    found = fulltext.read(sources.folder(fulltext.NAME))
    labels = load_labels("references"), load_labels("citing")  # five articles stand in both, as other files
    return _task(fulltext.NAME, found.references, found.citing, found.marks, *labels)


COLLECTIONS: dict[str, Callable[[], Task]] = {"planted": planted, fulltext.NAME: _fulltext}
"""How each collection is made or read."""


@cache
def load(name: str) -> Task:
    """Read a collection with its citations.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingDataError
        If its articles, or their labels, are not on this machine.
    """
    if name not in COLLECTIONS:
        raise unknown("collection", name, COLLECTIONS)
    return COLLECTIONS[name]()


def tasks(profile: str) -> list[Task]:
    """Read all collections of a profile."""
    return [load(name) for name in profiles.profile(profile).collections]


def _task(
    name: str,
    references: Sequence[Document],
    citing: Sequence[Document],
    marks: Sequence[CitationMark],
    labels: Mapping[str, LabelledText],
    citing_labels: Mapping[str, LabelledText],
) -> Task:
    collection = Collection.build(references, labels)
    found = citations(marks, citing, citing_labels, collection.doc_ids, QueryBuilder())
    return Task(name, collection, found.by_kind(LIMIT), found.left_out)


class _Job(NamedTuple):
    """All that a worker needs to train one class."""

    kind: str
    fielded: FieldedIndex
    queries: list[Query]
    citations: tuple[Citation, ...]
    settings: tuple[Settings, ...]


def train(
    task: Task,
    settings: Sequence[Settings] = (Settings(),),
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
) -> list[list[Trained]]:
    """Train and test weights for each class with at least as many citations as folds.

    Parameters
    ----------
    task : Task
    settings : sequence of Settings
    jobs, scheduler, progress
        See `citectx.parallel.run`: a class under one labelling is one item; the result is the same.

    Returns
    -------
    list of list of Trained
        For each of `settings`, one for each class.
    """
    todo: dict[int | None, list[Settings]] = {}
    for one in settings:
        if one not in task.trained and one not in todo.get(one.shuffle, []):
            todo.setdefault(one.shuffle, []).append(one)
    work = [job for shuffle, own in todo.items() for job in _jobs(task, shuffle, tuple(own))]
    found = run(_train, work, jobs=jobs, scheduler=scheduler, label="train", progress=progress)
    for job, classes in zip(work, found, strict=True):
        for one, trained in zip(job.settings, classes, strict=True):
            task.trained.setdefault(one, []).append(trained)
    return [task.trained[one] for one in settings]


def _jobs(task: Task, shuffle: int | None, settings: tuple[Settings, ...]) -> list[_Job]:
    collection = task.collection if shuffle is None else task.collection.shuffled(shuffle)
    index, work = FieldedIndex.of(collection), []
    for kind in trainable(task):
        queries = [Query.of(citation, collection) for citation in task.kinds[kind]]
        terms = np.unique(np.concatenate([q.terms[q.terms >= 0] for q in queries]))
        own = [q._replace(terms=_renumbered(q.terms, terms)) for q in queries]
        work.append(_Job(kind, index.only(terms), own, task.kinds[kind], settings))
    return work


def _renumbered(terms: NDArray[np.int64], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(terms >= 0, np.searchsorted(kept, terms), -1)


def trainable(task: Task, k: int = 4) -> list[str]:
    """Classes with at least as many citations as folds, as well as citing articles to part."""
    return [kind for kind, found in task.kinds.items() if len(found) >= k]


def _train(job: _Job) -> list[Trained]:
    rescorers = {
        depth: Rescorer.of(job.fielded, job.queries, depth) for depth in {s.depth for s in job.settings}
    }
    return [_cross_validate(job, settings, rescorers[settings.depth]) for settings in job.settings]


def _cross_validate(job: _Job, settings: Settings, rescorer: Rescorer) -> Trained:
    articles = tuple(c.citing_id for c in job.citations)
    fold = folds(articles, settings.k, settings.how)
    before = rescorer.tried(np.ones(rescorer.fields))
    after = before.copy()
    weights = np.ones((settings.k, rescorer.fields))
    fitted = np.full((settings.k, 2), np.nan)
    tried = 0
    for i in range(settings.k):
        inside = fold != i
        if inside.all() or not inside.any():  # by article, a fold can be empty
            continue
        found = (climb if settings.optimiser == "climb" else listwise)(rescorer, inside)
        after[~inside] = rescorer.tried(found.weights)[~inside]
        weights[i] = found.weights
        fitted[i] = gains(before)[inside].mean(), found.score
        tried += found.tried
    targets, places = tuple(c.target_id for c in job.citations), tuple(c.place for c in job.citations)
    return Trained(job.kind, articles, targets, places, fold, before, after, weights, fitted, tried)


def one_field(task: Task) -> dict[str, Floats]:
    """Rank of each target when articles are not parted into classes, by class of the citing sentence."""
    collection = task.collection.without_classes()
    index = FieldedIndex.of(collection)
    found = {}
    for kind, own in task.kinds.items():
        ranks = []
        for query in (Query.of(citation, collection) for citation in own):
            scores = index.scores(query.terms)
            if query.own >= 0:
                scores[query.own] = -np.inf
            score = scores[query.target]
            better = int((scores > score).sum() + (scores[: query.target] == score).sum())
            ranks.append(1.0 + better if np.isfinite(score) else np.inf)
        found[kind] = np.array(ranks)
    return found


def check(task: Task) -> None:
    """Complain where there is nothing to train on.

    Raises
    ------
    ParameterError
        If no class has as many citations as folds.
    """
    if not trainable(task):
        sizes = {kind: len(found) for kind, found in task.kinds.items()}
        raise ParameterError(f"{task.name}: no class has enough citations for four folds: {sizes}")
