"""What lrec2016's experiments share: collections by profile, and training class by class, fold by fold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from citectx.recommendation.collection import Collection, LabelledSentences
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.planted import plant
from citectx.recommendation.queries import Citation, by_kind, citations
from citectx.recommendation.rescoring import DEPTH, Query, Rescorer, pmc_number
from citectx.recommendation.training import PASSES, STEPS, Climb, Pool, climb_again, folds, gains, listwise
from citectx.storage import digest

Floats = NDArray[np.float64]
Optimiser = Literal["climb", "listwise"]
LIMIT = 700
"""Source: lrec2016 §6: at most this many citations of a class."""

FEW = 50
"""Classes with fewer citations carry no claim: a fold has a dozen."""


@dataclass(frozen=True)
class Task:
    """A collection and the citations to be found in it.

    Parameters
    ----------
    name : str
        Name of the corpus in the tables.
    collection : Collection
    kinds : mapping of str to tuple of Citation
        All of them, by class of the citing sentence, in order.
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


Fields = Literal["classes", "equal length"]
Norms = Literal["field", "article"]
Pooled = Literal["own", "all", "others"]


@dataclass(frozen=True)
class Settings:
    """Which citations are taken, what is indexed, and how weights are trained.

    Parameters
    ----------
    k : int
        Folds.
    how : {"order", "article", "shared"}
        See `citectx.recommendation.training.folds`; with ``shared`` a citing article is in the same fold for
        all classes, so that they can be trained together.
    depth : int or None
        How many articles of the unweighted run are ranked again; None ranks the whole collection.
        Ambiguity: lrec2016 does not say; the public code of its time re-ranks 200.
    optimiser : {"climb", "listwise"}
        The paper's hill climbing, or L-BFGS on a softmax.
    pool : {"own", "all", "others"}
        Whose citations weights are trained on: those of the class that they are tested on, of all classes, or
        of all other classes.
    restarts : int
        Climb again from this many random weights, and keep the best on the training folds.
        Ambiguity: lrec2016 §4 speaks of restarts without saying how many, or from where; the public code has
        none.
    shuffle : int, optional
        A seed: as a control, deal each article's classes out again among its sentences.
    fields : {"classes", "equal length"}
        The latter as a control: articles are cut into as many runs of equal length as there are classes.
    norms : {"field", "article"}
        Whether a term counts by the length of its field, as in Lucene, or of its whole article.
    limit : int or None
        At most this many citations of a class.
    draw : int
        Seed by which they are drawn.
    alone : bool
        Leave citations out whose query is, word for word, that of another target as well.
    earlier : bool
        Recommend only articles that are older than the citing one.
        Ambiguity: lrec2016 §5 indexes articles up to 2013 and takes citations from 2014 on. The open articles
        come without years, so the order of their PMC ids is the proxy; a citation of an article with a higher
        id than the citing one's is left out.
    """

    k: int = 4
    how: Literal["order", "article", "shared"] = "order"
    depth: int | None = DEPTH
    optimiser: Optimiser = "climb"
    pool: Pooled = "own"
    restarts: int = 0
    shuffle: int | None = None
    fields: Fields = "classes"
    norms: Norms = "field"
    limit: int | None = LIMIT
    draw: int = 0
    alone: bool = False
    earlier: bool = False

    def params(self) -> dict[str, Any]:
        """Parameters as a table has them."""
        names = ("how", "depth", "optimiser", "pool", "restarts", "limit", "draw")
        found: dict[str, Any] = {"folds": self.k} | {name: getattr(self, name) for name in names}
        if self.optimiser == "climb":
            found |= {"steps": list(STEPS), "passes": PASSES}
        return found

    def index(self, collection: Collection) -> tuple[Collection, FieldedIndex]:
        """Re-label a collection as these settings ask, and index it."""
        if self.shuffle is not None:
            collection = collection.shuffled(self.shuffle)
        if self.fields == "equal length":
            collection = collection.in_equal_parts()
        return collection, FieldedIndex.of(collection, article_norms=self.norms == "article")

    def selected(self, task: Task) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each class that has at least as many as there are folds."""
        chosen = [c for own in task.kinds.values() for c in own]
        if self.alone:
            chosen = [c for c, size in zip(chosen, group_sizes(chosen), strict=True) if size == 1]
        if self.earlier:
            chosen = [c for c in chosen if pmc_number(c.target_id) < pmc_number(c.citing_id)]
        found = by_kind(chosen, self.limit, self.draw)
        return {kind: own for kind, own in found.items() if len(own) >= self.k}


def group_sizes(citations: Sequence[Citation]) -> list[int]:
    """Count for each citation the targets that have its query, word for word, in its article."""
    targets: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for c in citations:
        targets.setdefault((c.citing_id, c.terms), set()).add(c.target_id)
    return [len(targets[c.citing_id, c.terms]) for c in citations]


def best_ranks(citations: Sequence[Citation]) -> Floats:
    """Return the ranks if nothing but targets of one query stood in each other's way."""
    given: dict[tuple[str, tuple[str, ...]], dict[str, int]] = {}
    ranks = []
    for c in citations:
        places = given.setdefault((c.citing_id, c.terms), {})
        ranks.append(float(places.setdefault(c.target_id, len(places) + 1)))
    return np.array(ranks)


class Trained(NamedTuple):
    """What cross-validation gave for one class.

    Parameters
    ----------
    kind : str
    articles, targets : tuple of str
        Citing and cited article of each citation.
    places : tuple of int
        Where each citation is in its article.
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
        """Share of test citations whose citing (cited) article is also in the training folds."""
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
    labels = load_labels("references"), load_labels("citing")  # five articles are in both, as different files
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
    labels: Mapping[str, LabelledSentences],
    citing_labels: Mapping[str, LabelledSentences],
) -> Task:
    collection = Collection.build(references, labels)
    found, left_out = citations(marks, citing, citing_labels, collection.doc_ids)
    return Task(name, collection, by_kind(found), left_out)


class _Job(NamedTuple):
    """All that a worker needs to train some classes."""

    fielded: FieldedIndex
    citations: dict[str, tuple[Citation, ...]]
    queries: dict[str, list[Query]]
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
        See `citectx.parallel.run`: a class under one labelling is one item, or all classes that are trained
        together; the result is the same.

    Returns
    -------
    list of list of Trained
        For each of `settings`, one for each class.
    """
    new = [one for one in dict.fromkeys(settings) if one not in task.trained]
    work = _jobs(task, new)
    found = run(_train, work, jobs=jobs, scheduler=scheduler, label="train", progress=progress)
    for job, classes in zip(work, found, strict=True):
        for one, trained in zip(job.settings, classes, strict=True):
            task.trained.setdefault(one, []).extend(trained)
    return [task.trained[one] for one in settings]


def _jobs(task: Task, settings: Sequence[Settings]) -> list[_Job]:
    """Put settings of one index together; a class is a job, unless all classes are trained as one."""
    todo: dict[Settings, dict[bool, list[Settings]]] = {}
    for one in settings:
        together = one.how == "shared" or one.pool != "own"
        same = replace(one, how="order", depth=None, optimiser="climb", pool="own", restarts=0)
        todo.setdefault(same, {}).setdefault(together, []).append(one)
    work = []
    for same, modes in todo.items():
        collection, index = same.index(task.collection)
        chosen = same.selected(task)
        for together, own in modes.items():
            groups = [chosen] if together else [{kind: found} for kind, found in chosen.items()]
            work += [_job(collection, index, group, tuple(own)) for group in groups if group]
    return work


def _job(
    collection: Collection,
    index: FieldedIndex,
    citations: dict[str, tuple[Citation, ...]],
    settings: tuple[Settings, ...],
) -> _Job:
    earlier = settings[0].earlier
    queries = {k: [Query.of(c, collection, earlier=earlier) for c in own] for k, own in citations.items()}
    terms = np.unique(np.concatenate([q.terms[q.terms >= 0] for own in queries.values() for q in own]))
    renumbered = {
        kind: [q._replace(terms=np.where(q.terms >= 0, np.searchsorted(terms, q.terms), -1)) for q in own]
        for kind, own in queries.items()
    }
    return _Job(index.only(terms), citations, renumbered, settings)


def trainable(task: Task) -> list[str]:
    """Classes with at least as many citations as folds."""
    return list(Settings().selected(task))


def _train(job: _Job) -> list[list[Trained]]:
    rescorers = {
        depth: {kind: Rescorer.of(job.fielded, own, depth) for kind, own in job.queries.items()}
        for depth in {s.depth for s in job.settings}
    }
    return [_cross_validate(job, one, rescorers[one.depth]) for one in job.settings]


def _cross_validate(job: _Job, settings: Settings, rescorers: Mapping[str, Rescorer]) -> list[Trained]:
    fold = _folds(job.citations, settings)
    fitted: dict[tuple[tuple[str, ...], int], Climb] = {}
    found = []
    for kind, own in job.citations.items():
        others = tuple(other for other in rescorers if other != kind)
        pool = {"own": (kind,), "all": tuple(rescorers), "others": others}[settings.pool]
        start = np.ones(rescorers[kind].fields)
        before = rescorers[kind].tried(start)
        after, weights = before.copy(), np.tile(start, (settings.k, 1))
        gain, tried = np.full((settings.k, 2), np.nan), 0
        for i in range(settings.k):
            tested = fold[kind] == i
            inside = np.concatenate([fold[k] != i for k in pool]) if pool else np.zeros(0, dtype=bool)
            if tested.all() or not tested.any() or not inside.any():  # by article, a fold can be empty
                continue
            queries = rescorers[pool[0]] if len(pool) == 1 else Pool([rescorers[k] for k in pool])
            if (pool, i) not in fitted:
                fitted[pool, i] = _optimised(queries, inside, settings)
            best = fitted[pool, i]
            after[tested] = rescorers[kind].tried(best.weights)[tested]
            weights[i], tried = best.weights, tried + best.tried
            gain[i] = gains(queries.tried(start))[inside].mean(), best.score
        articles, targets, places = zip(*((c.citing_id, c.target_id, c.place) for c in own), strict=True)
        ranks = before, after
        found.append(Trained(kind, articles, targets, places, fold[kind], *ranks, weights, gain, tried))
    return found


def _optimised(queries: Rescorer | Pool, inside: NDArray[np.bool_], settings: Settings) -> Climb:
    if settings.optimiser == "listwise":
        if isinstance(queries, Pool):
            raise ParameterError("L-BFGS trains one class at a time; leave pool='own'")
        return listwise(queries, inside)
    return climb_again(queries, inside, settings.restarts, seed=settings.draw)


def _folds(citations: Mapping[str, Sequence[Citation]], settings: Settings) -> dict[str, NDArray[np.int64]]:
    """Return for each class which fold each of its citations is tested in."""
    articles = {kind: [c.citing_id for c in own] for kind, own in citations.items()}
    if settings.how != "shared":
        return {kind: folds(own, settings.k, settings.how) for kind, own in articles.items()}
    everybody = sorted(a for own in articles.values() for a in own)
    of_article = dict(zip(everybody, folds(everybody, settings.k, "article").tolist(), strict=True))
    return {kind: np.array([of_article[a] for a in own]) for kind, own in articles.items()}


def one_field(task: Task, citations: Sequence[Citation]) -> Floats:
    """Rank of each citation's target when articles are not parted into classes."""
    collection = task.collection.without_classes()
    index = FieldedIndex.of(collection)
    ranks = []
    for query in (Query.of(citation, collection) for citation in citations):
        scores = index.scores(query.terms)
        scores[query.barred] = -np.inf
        score = scores[query.target]
        better = int((scores > score).sum() + (scores[: query.target] == score).sum())
        ranks.append(1.0 + better if np.isfinite(score) else np.inf)
    return np.array(ranks)


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
