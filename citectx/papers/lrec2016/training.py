"""What lrec2016's experiments share: collections, and training class by class, fold by fold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, compress
from typing import Any, Literal

import joblib
import numpy as np
import pandas as pd

from citectx import profiles
from citectx.catalogue import log_findings
from citectx.corpora import full_texts, sources
from citectx.corpora.citation_integrity_files import FULL_TEXTS
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
from citectx.recommendation.labelling import label_collection
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
"""How many citations of a class are taken at most. Source: lrec2016 §6."""

FOLDS = 4
"""How many folds weights are trained and tested in. Source: lrec2016 §4."""

COLLECTIONS = {FULL_TEXTS: 100, f"{FULL_TEXTS}-1000": 1000}
"""How many articles cite in an open collection: those with the most references in it."""

SHUFFLES = 20
"""How often the control deals labels out at random; its scores are means over the deals."""

Trained = tuple[pd.DataFrame, pd.DataFrame]
"""Ranks and weights that cross-validation gave.

Ranks have the columns of `Citation` and ``fold``, ``before``, ``after``: the rank of the target
with all weights 1, and with those trained on the other folds. Weights have a row per (kind, fold)
and a column per field.
"""


@dataclass(frozen=True)
class RecommendationTask:
    """A collection and the citations to be found in it."""

    name: str
    collection: Collection
    citations: tuple[Citation, ...]

    @cached_property
    def kinds(self) -> dict[str, tuple[Citation, ...]]:
        """The citations by class of the citing sentence, in order."""
        return by_kind(self.citations)

    def fingerprint(self) -> str:
        """Hash the data, to tell whether two runs saw the same."""
        kinds = [*self.kinds.items()]
        return str(joblib.hash([*astuple(self.collection), kinds]))


@dataclass(frozen=True)
class Setup:
    """Which citations are taken, what is indexed, and how weights are trained.

    `how` is for `citectx.recommendation.training.folds`; with ``shared`` a citing article is in the
    same fold for all classes, so that they can be trained together. Weights are trained on
    citations of the class that they are tested on, of all classes, or of all other classes
    (`pool`). As controls, `shuffle` is a seed that deals each article's classes out again among its
    sentences, and `fields` may cut articles into as many runs of equal length as there are classes.
    `alone` leaves out citations whose query is, word for word, that of another target as well.

    Ambiguity: lrec2016 does not say how many articles of the unweighted run are ranked again
    (`depth`); the public code of its time re-ranks 200.
    Ambiguity: lrec2016 §5 indexes articles up to 2013 and takes citations from 2014 on. The open
    articles come without years, so `earlier` goes by the order of their PMC ids: a citation of an
    article with a higher id than the citing one's is left out.
    """

    how: Literal["order", "article", "shared"] = "order"
    depth: int = DEPTH
    pool: Literal["own", "all", "others"] = "own"
    shuffle: int | None = None
    fields: Literal["classes", "equal length"] = "classes"
    norms: Literal["field", "article"] = "field"  # whose length a term counts by; Lucene's is field
    draw: int = 0  # the seed by which citations are drawn
    alone: bool = False
    earlier: bool = False

    def params(self) -> dict[str, Any]:
        """Parameters as tables name them."""
        chosen = {"how": self.how, "depth": self.depth, "pool": self.pool, "draw": self.draw}
        return chosen | {"folds": FOLDS, "steps": STEPS, "passes": PASSES}

    def select(self, task: RecommendationTask) -> dict[str, tuple[Citation, ...]]:
        """Return the citations of each class that has at least as many as there are folds."""
        chosen: Iterable[Citation] = task.citations
        if self.alone:
            queries = pd.DataFrame(chosen).groupby(["citing_id", "terms"])
            targets: Any = queries["target_id"].transform("nunique")
            chosen = compress(chosen, targets == 1)
        if self.earlier:
            chosen = (c for c in chosen if pmc_number(c.target_id) < pmc_number(c.citing_id))
        kinds = by_kind(chosen, LIMIT, self.draw)
        return {kind: members for kind, members in kinds.items() if len(members) >= FOLDS}


def one_field(task: RecommendationTask, citations: pd.DataFrame) -> Floats:
    """Rank the target of each citation when articles are not parted into classes."""
    collection = task.collection.without_classes()
    index = FieldedIndex.of(collection)
    return np.array([query.rank(index) for query in queries_of(citations, collection)])


def queries_of(
    citations: pd.DataFrame, collection: Collection, ages: Ints | None = None
) -> list[Query]:
    """Look up the terms and articles of citations."""
    rows: Any = citations.itertuples()
    return [Query.of(row, collection, ages) for row in rows]


def by_fold(ranks: pd.DataFrame) -> pd.DataFrame:
    """Measure each class and fold.

    Mean gains ``before`` and ``after`` are on the paper's scale, ``accuracy`` is a fraction, ``n``
    counts citations, and ``improvement`` is in percent, NaN where the baseline is 0.
    """
    measured = ranks[["kind", "fold"]].assign(
        before=gains(ranks["before"]),
        after=gains(ranks["after"]),
        accuracy=ranks["after"] == 1,
    )
    groups = measured.groupby(["kind", "fold"])
    means = groups.mean()
    growth = means["after"] / means["before"].where(means["before"] > 0) - 1
    return means.assign(n=groups.size(), improvement=100 * growth)


def plant_task(**options: Any) -> RecommendationTask:
    """Make a collection up, with the options of `citectx.recommendation.planted.plant`.

    >>> task = plant_task(articles=20, citations=8, preferences={"Bac": ("Obs",)})
    >>> len(task.collection), {kind: len(members) for kind, members in task.kinds.items()}
    (20, {'Bac': 8})
    """
    texts, labels = plant(**options)
    return task_of("planted", texts, labels, labels)


@cache
def load(name: str, **how: Any) -> RecommendationTask:
    """Read and label a collection, with its citations; the cache keeps the labels.

    Five articles of the open collection are among references and citing articles, as different
    files, so each has labels of its own. ``how`` are options of `citectx.parallel.run`.
    """
    if name == "planted":
        return plant_task()
    if name not in COLLECTIONS:
        raise unknown("collection", name, ("planted", *COLLECTIONS))
    texts = full_texts.read_full_texts(sources.folder(FULL_TEXTS), COLLECTIONS[name])
    log_findings(name, texts.findings)
    labels = label_collection("references", texts.references, **how)
    return task_of(name, texts, labels, label_collection("citing", texts.citing, **how))


def tasks(profile: str, **how: Any) -> list[RecommendationTask]:
    """Read all collections of a profile, as `load`."""
    names = profiles.profile(profile).collections
    if not names:
        raise ParameterError(f"profile {profile} has no collection to recommend articles from")
    return [load(name, **how) for name in names]


def task_of(
    name: str,
    texts: full_texts.FullTexts,
    labels: Mapping[str, Labels],
    citing_labels: Mapping[str, Labels],
) -> RecommendationTask:
    """Take labelled articles apart, and turn their citation marks into queries."""
    collection = Collection.build(texts.references, labels)
    resolved = citations(texts.marks, texts.citing, citing_labels, collection.doc_ids)
    return RecommendationTask(name, collection, tuple(resolved))


def train(
    task: RecommendationTask, setups: Iterable[Setup] = (Setup(),), **how: Any
) -> dict[Setup, Trained]:
    """Train and test weights, under each setup, for each class with as many citations as folds.

    Returns what was trained by its setup. ``how`` are options of `citectx.parallel.run`.
    """
    if not Setup().select(task):
        sizes = {kind: len(members) for kind, members in task.kinds.items()}
        raise ParameterError(f"{task.name}: no class has enough citations for four folds: {sizes}")
    different = list(dict.fromkeys(setups))
    trained = run(partial(train_under, task), different, label="train", **how)
    return dict(zip(different, trained, strict=True))


def train_under(task: RecommendationTask, setup: Setup) -> Trained:
    """Train and test weights under one setup."""
    collection = task.collection
    index = index_of(collection, setup.shuffle, setup.fields, setup.norms)
    ages = np.array([pmc_number(i) for i in collection.doc_ids]) if setup.earlier else None
    citations = pd.DataFrame(chain.from_iterable(setup.select(task).values()))
    citations = citations.assign(fold=folds_of(citations, setup))
    by_class = [rows for _, rows in citations.groupby("kind")]
    parts = []
    for rows in by_class if setup.pool == "own" else [citations]:
        rescorer = Rescorer(index, queries_of(rows, collection, ages), setup.depth)
        parts.append(cross_validate(rescorer, rows, collection.classes, setup))
    ranks, weights = zip(*parts, strict=True)
    return pd.concat(ranks), pd.concat(weights)


@lru_cache(maxsize=1)
def index_of(collection: Collection, shuffle: int | None, fields: str, norms: str) -> FieldedIndex:
    """Re-label a collection as a setup asks, and index it."""
    if shuffle is not None:
        collection = collection.shuffle(shuffle)
    if fields == "equal length":
        collection = collection.in_equal_parts()
    return FieldedIndex.of(collection, article_norms=norms == "article")


def folds_of(citations: pd.DataFrame, setup: Setup) -> pd.Series:
    """Return which fold each citation is tested in: of its class, or of all if folds are shared."""
    articles = citations["citing_id"]
    if setup.how == "shared":
        in_order = articles.sort_values(kind="stable")
        return pd.Series(folds([*in_order], FOLDS, "article"), in_order.index)
    deal = partial(folds, k=FOLDS, how=setup.how)
    return articles.groupby(citations["kind"]).transform(deal)


def cross_validate(
    rescorer: Rescorer, citations: pd.DataFrame, fields: Sequence[str], setup: Setup
) -> Trained:
    """Train each class on the other folds of those that `pool` names, and test on each fold."""
    kinds = citations["kind"].to_numpy()
    fold = citations["fold"].to_numpy()
    before = rescorer.ranks(np.ones(rescorer.fields))
    after = before.copy()
    every = dict.fromkeys(kinds), range(FOLDS)
    rows = pd.MultiIndex.from_product(every, names=["kind", "fold"])
    weights = np.ones((len(rows), rescorer.fields))
    for row, (kind, i) in enumerate(rows):
        same = kinds == kind  # (citations,)
        pool = {"own": same, "all": np.ones_like(same), "others": ~same}[setup.pool]
        tested = same & (fold == i)
        others = pool & (fold != i)
        if tested.any() and others.any():  # by article, a fold can be empty
            weights[row] = climb(rescorer, others)
            after[tested] = rescorer.ranks(weights[row])[tested]
    ranks = citations.assign(before=before, after=after)
    return ranks, pd.DataFrame(weights, rows, list(fields))
