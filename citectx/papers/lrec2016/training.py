"""What lrec2016's experiments share: collections, and training class by class, fold by fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import citation_integrity, sources
from citectx.errors import ParameterError, unknown
from citectx.parallel import run
from citectx.recommendation.collection import (
    Citation,
    Collection,
    LabelledSentences,
    by_kind,
    citations,
    pmc_number,
)
from citectx.recommendation.labelling import labelled
from citectx.recommendation.lucene import FieldedIndex
from citectx.recommendation.planted import plant
from citectx.recommendation.training import (
    DEPTH,
    PASSES,
    STEPS,
    Query,
    Rescorer,
    climb,
    folds,
    gains,
    listwise,
    unweighted_ranks,
)
from citectx.storage import digest
from citectx.types import Floats, Ints

LIMIT = 700
"""Source: lrec2016 §6: at most this many citations of a class."""


@dataclass(frozen=True)
class RecommendationTask:
    """A collection and the citations to be found in it.

    Parameters
    ----------
    name : str
        Name of the corpus in the tables.
    collection : Collection
    kinds : mapping of str to tuple of Citation
        All of them, by class of the citing sentence, in order.
    trained : dict
        What `train` found before, so that two tables of one run do not train twice.
    """

    name: str
    collection: Collection
    kinds: Mapping[str, tuple[Citation, ...]]
    trained: dict["Setup", list["Trained"]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def citations(self) -> list[Citation]:
        """All of them, class after class."""
        return [c for own in self.kinds.values() for c in own]

    def fingerprint(self) -> str:
        """Hash what was read, to tell whether two runs saw the same data."""
        return digest(self.collection.fingerprint, sorted(self.kinds.items()))


@dataclass(frozen=True)
class Setup:
    """Which citations are taken, what is indexed, and how weights are trained.

    Parameters
    ----------
    k : int
        Folds.
    how : {"order", "article", "shared"}
        See `citectx.recommendation.training.folds`; with ``shared`` a citing article is in the same
        fold for all classes, so that they can be trained together.
    depth : int or None
        How many articles of the unweighted run are ranked again; None ranks the whole collection.
        Ambiguity: lrec2016 does not say; the public code of its time re-ranks 200.
    optimiser : {"climb", "listwise"}
        The paper's hill climbing, or L-BFGS on a softmax.
    pool : {"own", "all", "others"}
        Whose citations weights are trained on: those of the class that they are tested on, of all
        classes, or of all other classes.
    restarts : int
        Climb again from this many random weights, and keep the best on the training folds.
        Ambiguity: lrec2016 §4 speaks of restarts without saying how many, or from where; the public
        code has none.
    shuffle : int, optional
        A seed: as a control, deal each article's classes out again among its sentences.
    fields : {"classes", "equal length"}
        The latter as a control: articles are cut into as many runs of equal length as there are
        classes.
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
        Ambiguity: lrec2016 §5 indexes articles up to 2013 and takes citations from 2014 on. The
        open articles come without years, so the order of their PMC ids is the proxy; a citation of
        an article with a higher id than the citing one's is left out.
    """

    k: int = 4
    how: Literal["order", "article", "shared"] = "order"
    depth: int | None = DEPTH
    optimiser: Literal["climb", "listwise"] = "climb"
    pool: Literal["own", "all", "others"] = "own"
    restarts: int = 0
    shuffle: int | None = None
    fields: Literal["classes", "equal length"] = "classes"
    norms: Literal["field", "article"] = "field"
    limit: int | None = LIMIT
    draw: int = 0
    alone: bool = False
    earlier: bool = False

    def params(self) -> dict[str, Any]:
        """Parameters as a table has them."""
        names = ("how", "depth", "optimiser", "pool", "restarts", "limit", "draw")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found["folds"] = self.k
        if self.optimiser == "climb":
            found |= {"steps": list(STEPS), "passes": PASSES}
        return found

    def index(self, collection: Collection) -> FieldedIndex:
        """Re-label a collection as this setup asks, and index it."""
        if self.shuffle is not None:
            collection = collection.shuffled(self.shuffle)
        if self.fields == "equal length":
            collection = collection.in_equal_parts()
        return FieldedIndex.of(collection, article_norms=self.norms == "article")

    def of_candidates(self) -> "Setup":
        """Leave out what changes neither the candidates nor which citations are ranked together."""
        pooled = self if self.pool == "own" else replace(self, pool="all")
        return replace(pooled, how="order", restarts=0)

    def selected(self, task: RecommendationTask) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each class that has at least as many as there are folds."""
        chosen = task.citations
        if self.alone:
            sizes = zip(chosen, group_sizes(chosen), strict=True)
            chosen = [c for c, size in sizes if size == 1]
        if self.earlier:
            chosen = [c for c in chosen if pmc_number(c.target_id) < pmc_number(c.citing_id)]
        found = by_kind(chosen, self.limit, self.draw)
        return {kind: own for kind, own in found.items() if len(own) >= self.k}


def group_sizes(citations: Sequence[Citation]) -> list[int]:
    """Count for each citation the targets that have its query, word for word, in its article."""
    return list(_of_one_query(citations).transform("nunique"))


def best_ranks(citations: Sequence[Citation]) -> Floats:
    """Return the ranks if nothing but targets of one query stood in each other's way."""
    places = _of_one_query(citations).transform(lambda targets: pd.factorize(targets)[0] + 1)
    return np.asarray(places, dtype=np.float64)


def _of_one_query(citations: Sequence[Citation]) -> Any:
    frame = pd.DataFrame(citations, columns=Citation._fields)
    return frame.groupby(["citing_id", "terms"])["target_id"]


class Trained(NamedTuple):
    """What cross-validation gave for one class.

    Parameters
    ----------
    kind : str
    citations : tuple of Citation
    fold : int array, shape (n,)
    before, after : float arrays, shape (n,)
        Rank of each target with all weights 1, and with those trained on the other folds.
    weights : float array, shape (folds, fields)
    """

    kind: str
    citations: tuple[Citation, ...]
    fold: Ints
    before: Floats
    after: Floats
    weights: Floats

    @property
    def articles(self) -> list[str]:
        """Citing article of each citation."""
        return [c.citing_id for c in self.citations]

    def improvements(self) -> Floats:
        """Return each fold's gain over its baseline, in percent; NaN where the baseline is 0."""
        before, after = self.fold_means(self.before), self.fold_means(self.after)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(before > 0, 100.0 * (after / before - 1.0), np.nan)

    def fold_means(self, ranks: Floats) -> Floats:
        """Mean gain of the queries tested in each fold, on the paper's scale."""
        folds = len(self.weights)
        sums = np.bincount(self.fold, weights=gains(ranks), minlength=folds)
        return sums / np.maximum(np.bincount(self.fold, minlength=folds), 1)


def planted(**options: Any) -> RecommendationTask:
    """Make a collection up, with the options of `citectx.recommendation.planted.plant`.

    >>> task = planted(articles=20, citations=8, preferences={"Bac": ("Obs",)})
    >>> len(task.collection), {kind: len(found) for kind, found in task.kinds.items()}
    (20, {'Bac': 8})
    """
    found, labels = plant(**options)
    return _task("planted", found, labels, labels)


@cache
def load(name: str, **how: Any) -> RecommendationTask:
    """Read a collection with its citations; its sentences are labelled if that was not done yet.

    Five articles of the open collection are among references and citing articles, as different
    files, so each has labels of its own.

    Parameters
    ----------
    name : str
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Raises
    ------
    ParameterError
        If there is no collection of that name.
    MissingDataError
        If its articles, or what the classifier learns from, are not on this machine.
    """
    if name == "planted":
        return planted()
    if name != citation_integrity.FULL_TEXTS:
        raise unknown("collection", name, ("planted", citation_integrity.FULL_TEXTS))
    found = citation_integrity.read_full_texts(sources.folder(name))
    labels = labelled("references", found.references, **how)
    return _task(name, found, labels, labelled("citing", found.citing, **how))


def tasks(profile: str, **how: Any) -> list[RecommendationTask]:
    """Read all collections of a profile, as `load`."""
    return [load(name, **how) for name in profiles.profile(profile).collections]


def _task(
    name: str,
    found: citation_integrity.FullTexts,
    labels: Mapping[str, LabelledSentences],
    citing_labels: Mapping[str, LabelledSentences],
) -> RecommendationTask:
    collection = Collection.build(found.references, labels)
    kept, _ = citations(found.marks, found.citing, citing_labels, collection.doc_ids)
    return RecommendationTask(name, collection, by_kind(kept))


def train(
    task: RecommendationTask, setups: Sequence[Setup] = (Setup(),), **how: Any
) -> list[list[Trained]]:
    """Train and test weights for each class with at least as many citations as folds.

    Parameters
    ----------
    task : RecommendationTask
    setups : sequence of Setup
        Those that would try the same weights on the same candidates are one item of work, in which
        each weight is tried once.
    **how
        Jobs and progress, see `citectx.parallel.run`; the result is the same.

    Returns
    -------
    list of list of Trained
        For each of `setups`, one for each class.

    Raises
    ------
    ParameterError
        If no class has as many citations as folds.
    """
    if not Setup().selected(task):
        sizes = {kind: len(found) for kind, found in task.kinds.items()}
        raise ParameterError(f"{task.name}: no class has enough citations for four folds: {sizes}")
    alike: dict[Setup, list[Setup]] = {}
    for one in dict.fromkeys(setups):
        if one not in task.trained:
            alike.setdefault(one.of_candidates(), []).append(one)
    work = partial(_train, task=replace(task, trained={}), fingerprint=task.collection.fingerprint)
    for trained in run(work, alike.values(), label="train", **how):
        task.trained.update(trained)
    return [task.trained[one] for one in setups]


def _train(
    alike: Sequence[Setup], task: RecommendationTask, fingerprint: str
) -> dict[Setup, list[Trained]]:
    """Train under setups that rank the same candidates, so that each weight is tried once."""
    common, collection = alike[0], task.collection
    index, selected = _index(collection, fingerprint, common), common.selected(task)
    ages = np.array([pmc_number(i) for i in collection.doc_ids]) if common.earlier else None
    everything = tuple(c for own in selected.values() for c in own)
    groups = list(selected.values()) if common.pool == "own" else [everything]
    ends = np.cumsum([len(group) for group in groups])
    fold = {one: np.split(_folds(everything, one), ends) for one in alike}
    found: dict[Setup, list[Trained]] = {one: [] for one in alike}
    for i, group in enumerate(groups):
        queries = [Query.of(c, collection, ages) for c in group]
        rescorer = Rescorer.of(index, queries, common.depth)
        for one in alike:
            found[one] += _cross_validate(rescorer, group, fold[one][i], one)
        del rescorer  # of a whole collection it is large: not two at a time
    return found


_last_index: dict[tuple[Any, ...], FieldedIndex] = {}


def _index(collection: Collection, fingerprint: str, setup: Setup) -> FieldedIndex:
    """Return the last index again for an equal collection: each piece of work brings its own."""
    key = fingerprint, setup.shuffle, setup.fields, setup.norms
    if key not in _last_index:
        _last_index.clear()
        _last_index[key] = setup.index(collection)
    return _last_index[key]


def _cross_validate(
    rescorer: Rescorer, citations: Sequence[Citation], fold: Ints, setup: Setup
) -> list[Trained]:
    climbed = partial(climb, restarts=setup.restarts, seed=setup.draw)
    optimise = listwise if setup.optimiser == "listwise" else climbed
    kinds, start = np.array([c.kind for c in citations]), np.ones(rescorer.fields)
    before, found = rescorer.tried(start), []
    for kind in dict.fromkeys(kinds.tolist()):
        own = kinds == kind
        pool = {"own": own, "all": np.ones_like(own), "others": ~own}[setup.pool]
        after, weights = before.copy(), np.tile(start, (setup.k, 1))
        for i in range(setup.k):
            tested, inside = own & (fold == i), pool & (fold != i)
            if tested.any() and inside.any():  # by article, a fold can be empty
                weights[i] = optimise(rescorer, inside)
                after[tested] = rescorer.tried(weights[i])[tested]
        asked = tuple(c for c in citations if c.kind == kind)
        found.append(Trained(kind, asked, fold[own], before[own], after[own], weights))
    return found


def _folds(citations: Sequence[Citation], setup: Setup) -> Ints:
    """Return which fold each citation is tested in."""
    articles = np.array([c.citing_id for c in citations])
    kinds = np.array([c.kind for c in citations])
    groups = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
    if setup.how == "shared":
        groups = [np.argsort(articles, kind="stable")]
    found = np.zeros(len(articles), dtype=np.int64)
    for group in groups:
        how = "article" if setup.how == "shared" else setup.how
        found[group] = folds(articles[group].tolist(), setup.k, how)
    return found


def one_field(task: RecommendationTask, citations: Sequence[Citation]) -> Floats:
    """Rank of each citation's target when articles are not parted into classes."""
    collection = task.collection.without_classes()
    queries = [Query.of(citation, collection) for citation in citations]
    return unweighted_ranks(FieldedIndex.of(collection), queries)
