"""What lrec2016's experiments share: collections, and training class by class, fold by fold."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, compress
from typing import Any, Literal, NamedTuple

import joblib
import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import citation_integrity, sources
from citectx.errors import ParameterError, unknown
from citectx.parallel import run
from citectx.recommendation.collection import (
    Citation,
    Collection,
    Labels,
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
)
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
    trained: dict["Setup", "Trained"] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def citations(self) -> list[Citation]:
        """All of them, class after class."""
        return list(chain.from_iterable(self.kinds.values()))

    def fingerprint(self) -> str:
        """Hash what was read, to tell whether two runs saw the same data."""
        kinds = sorted(self.kinds.items())
        return str(joblib.hash([*astuple(self.collection), kinds]))


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
    depth : int
        How many articles of the unweighted run are ranked again.
        Ambiguity: lrec2016 does not say; the public code of its time re-ranks 200.
    pool : {"own", "all", "others"}
        Whose citations weights are trained on: those of the class that they are tested on, of all
        classes, or of all other classes.
    shuffle : int, optional
        A seed: as a control, deal each article's classes out again among its sentences.
    fields : {"classes", "equal length"}
        The latter as a control: articles are cut into as many runs of equal length as there are
        classes.
    norms : {"field", "article"}
        Whether a term counts by the length of its field, as in Lucene, or of its whole article.
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
    depth: int = DEPTH
    pool: Literal["own", "all", "others"] = "own"
    shuffle: int | None = None
    fields: Literal["classes", "equal length"] = "classes"
    norms: Literal["field", "article"] = "field"
    draw: int = 0
    alone: bool = False
    earlier: bool = False

    def params(self) -> dict[str, Any]:
        """Parameters as a table has them."""
        names = ("how", "depth", "pool", "draw")
        own = {name: getattr(self, name) for name in names}
        return own | {"folds": self.k, "steps": list(STEPS), "passes": PASSES}

    def of_candidates(self) -> "Setup":
        """Leave out what changes neither the candidates nor which citations are ranked together."""
        pooled = self if self.pool == "own" else replace(self, pool="all")
        return replace(pooled, how="order")

    def selected(self, task: RecommendationTask) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each class that has at least as many as there are folds."""
        chosen = task.citations
        if self.alone:
            targets = of_one_query(pd.DataFrame(chosen)).transform("nunique")
            chosen = list(compress(chosen, targets == 1))
        if self.earlier:
            chosen = [c for c in chosen if pmc_number(c.target_id) < pmc_number(c.citing_id)]
        kinds = by_kind(chosen, LIMIT, self.draw)
        return {kind: own for kind, own in kinds.items() if len(own) >= self.k}


def of_one_query(citations: pd.DataFrame) -> Any:
    """Group the targets of citations by query."""
    return citations.groupby(["citing_id", "terms"])["target_id"]


def best_ranks(citations: pd.DataFrame) -> Floats:
    """Return the ranks if nothing but targets of one query stood in each other's way."""

    def in_order(targets: pd.Series) -> Ints:
        return pd.factorize(targets)[0] + 1

    places = of_one_query(citations).transform(in_order)
    return np.asarray(places, dtype=np.float64)


def one_field(task: RecommendationTask, citations: pd.DataFrame) -> Floats:
    """Rank of each citation's target when articles are not parted into classes."""
    collection = task.collection.without_classes()
    index = FieldedIndex.of(collection)
    queries = queries_of(citations, collection)
    return np.array([query.rank(index) for query in queries])


def queries_of(
    citations: pd.DataFrame, collection: Collection, ages: Ints | None = None
) -> list[Query]:
    """Look up the terms and articles of citations."""
    rows: Any = citations.itertuples()
    return [Query.of(row, collection, ages) for row in rows]


class Trained(NamedTuple):
    """What cross-validation gave.

    Parameters
    ----------
    citations : DataFrame
        Columns of `Citation`, and ``fold``, ``before``, ``after``: the rank of each target with all
        weights 1, and with those trained on the other folds. Class after class.
    weights : dict of str to float array, shape (folds, fields)
        By class of the citing sentence.
    """

    citations: pd.DataFrame
    weights: dict[str, Floats]

    def by_fold(self) -> pd.DataFrame:
        """Measure each class and fold.

        Returns
        -------
        DataFrame
            Mean gains ``before`` and ``after`` training on the paper's scale, ``accuracy`` as a
            fraction, the number of citations ``n``, and ``improvement`` in percent: NaN where the
            baseline is 0.
        """
        own = self.citations[["kind", "fold"]].assign(
            before=gains(self.citations["before"]),
            after=gains(self.citations["after"]),
            accuracy=self.citations["after"] == 1,
        )
        groups = own.groupby(["kind", "fold"])
        means = groups.mean()
        growth = means["after"] / means["before"].where(means["before"] > 0) - 1
        return means.assign(n=groups.size(), improvement=100 * growth)


def planted(**options: Any) -> RecommendationTask:
    """Make a collection up, with the options of `citectx.recommendation.planted.plant`.

    >>> task = planted(articles=20, citations=8, preferences={"Bac": ("Obs",)})
    >>> len(task.collection), {kind: len(found) for kind, found in task.kinds.items()}
    (20, {'Bac': 8})
    """
    found, labels = plant(**options)
    return task_of("planted", found, labels, labels)


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
    return task_of(name, found, labels, labelled("citing", found.citing, **how))


def tasks(profile: str, **how: Any) -> list[RecommendationTask]:
    """Read all collections of a profile, as `load`.

    Raises
    ------
    ParameterError
        If the profile has none.
    """
    names = profiles.profile(profile).collections
    if not names:
        raise ParameterError(f"profile {profile} has no collection to recommend articles from")
    return [load(name, **how) for name in names]


def task_of(
    name: str,
    found: citation_integrity.FullTexts,
    labels: Mapping[str, Labels],
    citing_labels: Mapping[str, Labels],
) -> RecommendationTask:
    """Take labelled articles apart, and turn their citation marks into queries."""
    collection = Collection.build(found.references, labels)
    kept = citations(found.marks, found.citing, citing_labels, collection.doc_ids)
    return RecommendationTask(name, collection, by_kind(kept))


def train(
    task: RecommendationTask, setups: Sequence[Setup] = (Setup(),), **how: Any
) -> list[Trained]:
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
    list of Trained
        One for each of `setups`.

    Raises
    ------
    ParameterError
        If no class has as many citations as folds.
    """
    if not Setup().selected(task):
        sizes = {kind: len(found) for kind, found in task.kinds.items()}
        raise ParameterError(f"{task.name}: no class has enough citations for four folds: {sizes}")
    alike: dict[Setup, list[Setup]] = {}
    for setup in dict.fromkeys(setups):
        if setup not in task.trained:
            alike.setdefault(setup.of_candidates(), []).append(setup)
    work = partial(train_alike, replace(task, trained={}))
    for trained in run(work, alike.values(), label="train", **how):
        task.trained.update(trained)
    return [task.trained[setup] for setup in setups]


def train_alike(task: RecommendationTask, setups: Sequence[Setup]) -> dict[Setup, Trained]:
    """Train under setups that rank the same candidates, so that each weight is tried once."""
    common, collection = setups[0], task.collection
    index = index_of(collection, common.shuffle, common.fields, common.norms)
    ages = None
    if common.earlier:
        ages = np.array([pmc_number(i) for i in collection.doc_ids])
    selected = common.selected(task)
    citations = pd.DataFrame(chain.from_iterable(selected.values()))
    groups = [list(selected)]
    if common.pool == "own":
        groups = [[kind] for kind in selected]
    tables = {setup: citations.assign(fold=folds_of(citations, setup)) for setup in setups}
    parts: dict[Setup, list[Trained]] = {setup: [] for setup in setups}
    for kinds in groups:
        rows = citations["kind"].isin(kinds)
        queries = queries_of(citations[rows], collection, ages)
        rescorer = Rescorer.of(index, queries, common.depth)
        for setup in setups:
            table = tables[setup][rows]
            parts[setup].append(cross_validate(rescorer, table, setup))
    return {setup: joined(own) for setup, own in parts.items()}


def joined(parts: Sequence[Trained]) -> Trained:
    """Put classes that were trained apart below each other."""
    weights: dict[str, Floats] = {}
    for part in parts:
        weights |= part.weights
    return Trained(pd.concat([part.citations for part in parts]), weights)


@lru_cache(maxsize=1)
def index_of(collection: Collection, shuffle: int | None, fields: str, norms: str) -> FieldedIndex:
    """Re-label a collection as a setup asks, and index it."""
    if shuffle is not None:
        collection = collection.shuffled(shuffle)
    if fields == "equal length":
        collection = collection.in_equal_parts()
    return FieldedIndex.of(collection, article_norms=norms == "article")


def folds_of(citations: pd.DataFrame, setup: Setup) -> Ints:
    """Return which fold each citation is tested in: of its class, or of all if folds are shared."""
    articles = citations["citing_id"].to_numpy()
    fold = np.zeros(len(articles), dtype=np.int64)
    if setup.how == "shared":
        by_article = np.argsort(articles, kind="stable")
        fold[by_article] = folds(articles[by_article].tolist(), setup.k, "article")
        return fold
    for rows in citations.groupby("kind").indices.values():
        own = articles[rows].tolist()
        fold[rows] = folds(own, setup.k, setup.how)
    return fold


def cross_validate(rescorer: Rescorer, citations: pd.DataFrame, setup: Setup) -> Trained:
    """Train each class on the other folds of those that `pool` names, and test on each fold."""
    kinds = citations["kind"].to_numpy()
    fold = citations["fold"].to_numpy()
    before = rescorer.tried(np.ones(rescorer.fields))
    after = before.copy()
    weights: dict[str, Floats] = {}
    for kind in dict.fromkeys(kinds):
        own = kinds == kind
        pool = {"own": own, "all": np.ones_like(own), "others": ~own}[setup.pool]
        weights[kind] = np.ones((setup.k, rescorer.fields))
        for i in range(setup.k):
            tested = own & (fold == i)
            others = pool & (fold != i)
            if tested.any() and others.any():  # by article, a fold can be empty
                best = climb(rescorer, others)
                weights[kind][i] = best
                after[tested] = rescorer.tried(best)[tested]
    return Trained(citations.assign(before=before, after=after), weights)
