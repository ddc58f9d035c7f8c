"""lrec2016 Figure 3: does it help to weight CoreSC classes by the class of the citing sentence?
(§5, §6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import Interval, bootstrap_difference
from citectx.experiments.report import Cell, means, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.training import FEW, LIMIT, Settings, Task, Trained
from citectx.recommendation.training import gains
from citectx.types import Floats

NAME, BY_SEED = "lrec2016_figure3", "lrec2016_seeds"
PAPER = Settings()
VARIANTS: Mapping[str, Settings] = {
    "as in the paper": PAPER,
    "folds by article": Settings(how="article"),
    "L-BFGS": Settings(how="article", optimiser="listwise"),
    "whole collection": Settings(depth=None),
    "all citations": Settings(limit=None),
    "citations that stand alone": Settings(alone=True),
    "earlier articles only": Settings(earlier=True),
    "restarts": Settings(restarts=5),
    "by class": Settings(how="shared"),
    "one vector": Settings(how="shared", pool="all"),
    "other classes": Settings(how="shared", pool="others"),
    "fields of equal length": Settings(fields="equal length"),
    "norms of the article": Settings(norms="article"),
}
"""What is trained; further variants shuffle the labels."""

LEVELS = (
    "by class",
    "one vector",
    "other classes",
    "fields of equal length",
    "norms of the article",
)
"""Variants on the paper's citations whose level, before and after training, is in the main
table."""

QUESTIONS: Sequence[tuple[str, str, str]] = (
    ("Does the class of the citing sentence matter?", "by class", "one vector"),
    ("Would the other classes' weights do as well?", "by class", "other classes"),
    ("Does training help?", "all", "all baseline"),
    ("Do the classes help before training?", "all baseline", "shuffled labels baseline"),
    ("Do the classes help after training?", "all", "shuffled labels"),
    ("Is an index with classes better than one without?", "all", "one field"),
    ("Are classes better than runs of equal length?", "all", "fields of equal length"),
    (
        "Does training help where no field is favoured?",
        "norms of the article",
        "norms of the article baseline",
    ),
    ("Are norms of the field better than of the article?", "all", "norms of the article"),
)
"""What is asked, and which two rows answer it."""

CONTROLS = (
    ("all", "shuffled labels"),
    ("all", "one field"),
    ("all", "fields of equal length"),
    ("one field", "shuffled labels"),
)
"""Rows whose differences are followed over several seeds of the classifier: do the classes beat
their controls, and does an index that knows no classes beat one of them, too?"""

DIFFERENCE = ["difference", "ci_low", "ci_high"]
Measures = dict[str, Floats]
Runs = Mapping[str, Sequence[Trained]]


@timed
def run(
    tasks: Sequence[Task],
    *,
    seed: int = 0,
    shuffles: int = 3,
    variants: Sequence[str] = tuple(VARIANTS),
    **how: Any,
) -> Result:
    """Train weights for each class of citing sentence and test them on held-out folds.

    Source: lrec2016 §4 to §6, Figure 3. Rows are classes; ``fold 1`` ... are improvements of the
    mean gain in percent, ``mean`` and ``sd`` those over folds, ``folds improved`` their count.
    ``NDCG`` (between 0 and 1) and ``accuracy`` (in percent) are means over all citations of the
    class, each tested once; the rows named ``<class> baseline`` hold the same with all weights 1.
    ``all`` pools the classes, and its ``gain`` is the difference in NDCG that training makes. The
    same measures follow for the controls, each with its baseline: ``shuffled labels`` (sentences
    have random classes; mean of `shuffles` runs), ``fields of equal length``, ``norms of the
    article``; for weights trained on shared folds ``by class``, as ``one vector`` and on the
    ``other classes``; for ``one field`` without any classes; and for the ``ceiling``, where targets
    of one query are only in each other's way. Intervals are of a bootstrap over citing articles.

    Ambiguity: the paper does not say which standard deviation; ours is that of a sample, which
    gives its numbers. Ambiguity: the mean of four improvements counts each fold alike; the
    difference in NDCG counts each citation alike, and is what the intervals are about.

    Parameters
    ----------
    tasks : sequence of Task
    seed : int
        For bootstrap, permutations, shuffled labels and the draw of citations.
    shuffles : int
        How often to shuffle the labels of the articles' sentences, as a control.
    variants : sequence of str
        Names from `VARIANTS`; the first must be the paper's. One that asks for earlier articles is
        passed over where ids are not PMC ids.
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`.

    Returns
    -------
    Result
        With the extra tables ``variants`` (each way of training, by class and over all),
        ``questions`` (differences between rows), ``mechanism`` (length, norm and weight of each
        field), ``left_out`` (citations and classes that could not be used) and ``leakage`` (what
        training and test folds share).

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    parts = []
    for task in tasks:
        dated = all(c.citing_id.startswith("PMC") for own in task.kinds.values() for c in own)
        names = [name for name in variants if dated or not VARIANTS[name].earlier]
        settings = {name: replace(VARIANTS[name], draw=seed) for name in names}
        settings |= {
            f"shuffled labels {i + 1}": Settings(shuffle=seed + i, draw=seed)
            for i in range(shuffles)
        }
        found = training.train(task, list(settings.values()), **how)
        runs = dict(zip(settings, found, strict=True))
        scores = _scores(task, runs)
        extra = {
            "variants": _variants(runs, seed),
            "questions": _questions(scores, seed),
            "mechanism": mechanism(task, found[0]),
            "leakage": _leakage(task.name, runs),
            "left_out": _left_out(task),
        }
        extra = {name: frame.assign(corpus=task.name) for name, frame in extra.items()}
        table = _table(task, found[0], scores, seed)
        parts.append(Result(NAME, table, scores, extra, {task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


@timed
def by_seed(seeds: Sequence[int] = range(5), *, shuffles: int = 3, **how: Any) -> Result:
    """Compare the classes with their controls under the labels of several classifiers.

    The classifiers differ in the seed of their training only. One of them made the labels of `run`;
    what it finds is one draw, and the interval over citing articles does not know of the others.

    Parameters
    ----------
    seeds : sequence of int
        Of the classifiers; 0 is that of `run`.
    shuffles : int
        How often to shuffle the labels of the articles' sentences.
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`. An interrupted run labels nothing
        again.

    Returns
    -------
    Result
        A row of `CONTROLS` is a metric, the difference in NDCG after training. Methods are the
        seeds, with 95 % intervals over citing articles, then ``smallest``, ``mean`` and ``largest``
        over them, which have none.
    """
    parts = []
    for seed in seeds:
        task = training.of_seed(seed, **how)
        settings = {
            "as in the paper": PAPER,
            "fields of equal length": VARIANTS["fields of equal length"],
        }
        settings |= {f"shuffled labels {i + 1}": Settings(shuffle=i) for i in range(shuffles)}
        found = training.train(task, list(settings.values()), **how)
        scores = _scores(task, dict(zip(settings, found, strict=True)))
        parts.append(
            tabulate(BY_SEED, task.name, _controls(f"seed {seed}", scores), 0, PAPER.params())
        )
    table = pd.concat(parts, ignore_index=True)
    values = table.groupby("metric", sort=False)["value"]
    summary = {"smallest": values.min(), "mean": values.mean(), "largest": values.max()}
    cells = [
        Cell(name, str(m), v, len(seeds)) for name, own in summary.items() for m, v in own.items()
    ]
    whole = pd.concat(
        [table, tabulate(BY_SEED, task.name, cells, 0, PAPER.params())], ignore_index=True
    )
    return Result(BY_SEED, whole, data={task.name: task.fingerprint()})


def _controls(method: str, scores: pd.DataFrame) -> list[Cell]:
    ndcg = {name: rows["NDCG"].to_numpy() for name, rows in scores.groupby("method")}
    articles = scores.loc[scores["method"] == "all", "topic"].tolist()
    cells = []
    for first, second in CONTROLS:
        found = _difference(ndcg[second], ndcg[first], articles, seed=0)
        interval = Interval(found["ci_low"], found["ci_high"])
        cells.append(
            Cell(method, f"{first} minus {second}", found["difference"], found["n"], interval)
        )
    return cells


def _measures(ranks: Floats) -> Measures:
    return {"NDCG": gains(ranks, normalised=True), "accuracy": 100.0 * (ranks == 1)}


def _ranks(classes: Sequence[Trained]) -> tuple[Floats, Floats]:
    """Ranks of all classes' targets, before and after training."""
    return np.concatenate([o.before for o in classes]), np.concatenate([o.after for o in classes])


def _pooled(task: Task, runs: Runs) -> dict[str, Measures]:
    """Measures of all citations, class after class, under each way to rank them."""
    first, *_ = runs.values()
    citations = [c for own in first for c in own.citations]
    levels = {
        "all": [first],
        "shuffled labels": [run for name, run in runs.items() if name.startswith("shuffled")],
    }
    levels |= {name: [runs[name]] for name in LEVELS if name in runs}
    found: dict[str, Measures] = {}
    for name, several in levels.items():
        if several:  # means over several runs
            ranks = zip(*map(_ranks, several), strict=True)
            each = [[_measures(own) for own in times] for times in ranks]
            before, after = (
                {m: np.mean([o[m] for o in own], axis=0) for m in own[0]} for own in each
            )
            found[name] = after | {"gain": after["NDCG"] - before["NDCG"]}
            found[f"{name} baseline"] = before
    one_field, ceiling = training.one_field(task, citations), training.best_ranks(citations)
    return found | {"one field": _measures(one_field), "ceiling": _measures(ceiling)}


def _scores(task: Task, runs: Runs) -> pd.DataFrame:
    """Scores of each citation: the topic is the citing article."""
    first, *_ = runs.values()

    def frame(classes: Sequence[Trained], method: str, measures: Mapping[str, Any]) -> pd.DataFrame:
        rows = [
            (task.name, c.citing_id, f"{c.target_id}@{c.place}", method)
            for own in classes
            for c in own.citations
        ]
        return pd.DataFrame(rows, columns=["corpus", "topic", "citance", "method"]).assign(
            **measures
        )

    frames = []
    for own in first:
        for method, ranks in ((own.kind, own.after), (f"{own.kind} baseline", own.before)):
            frames.append(frame([own], method, _measures(ranks) | {"fold": own.fold + 1.0}))
    frames += [frame(first, method, found) for method, found in _pooled(task, runs).items()]
    return pd.concat(frames)


def _table(task: Task, trained: Sequence[Trained], scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    cells: list[Cell] = []
    by_kind = {own.kind: own for own in trained}
    for method, rows in scores.drop(columns=["corpus", "fold"]).groupby("method", sort=False):
        if method in by_kind:
            cells += _improvements(by_kind[str(method)])
        cells += means(rows, seed)
    steady = sum(bool((own.improvements() > 0).all()) for own in trained)
    cells.append(Cell("all", "classes improved", steady, sum(len(own.fold) for own in trained)))
    finite = [cell for cell in cells if np.isfinite(cell.value)]
    return tabulate(NAME, task.name, finite, seed, PAPER.params() | {"limit": LIMIT, "draw": seed})


def _improvements(own: Trained) -> list[Cell]:
    n, found, sizes = (
        len(own.fold),
        own.improvements(),
        np.bincount(own.fold, minlength=len(own.weights)),
    )
    sd = float(np.std(found, ddof=1))
    values = {
        "citations": n,
        "folds improved": (found > 0).sum(),
        "mean": np.mean(found),
        "sd": sd,
        "minus sd": -sd,
    }
    cells = [Cell(own.kind, f"fold {i + 1}", float(v), int(sizes[i])) for i, v in enumerate(found)]
    return cells + [Cell(own.kind, metric, float(value), n) for metric, value in values.items()]


def _questions(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    ndcg = {method: rows["NDCG"].to_numpy() for method, rows in scores.groupby("method")}
    articles = scores.loc[scores["method"] == "all", "topic"].tolist()
    rows = []
    for question, first, second in QUESTIONS:
        if {first, second} <= ndcg.keys():
            difference = _difference(ndcg[second], ndcg[first], articles, seed)
            rows.append({"question": question, "first": first, "second": second} | difference)
    names = {"NDCG": "first NDCG", "baseline NDCG": "second NDCG"}
    columns = [
        "question",
        "first",
        "second",
        "first NDCG",
        "second NDCG",
        *DIFFERENCE,
        "n",
        "articles",
    ]
    return pd.DataFrame(rows).rename(columns=names)[columns]


def _difference(old: Floats, new: Floats, articles: Sequence[str], seed: int) -> dict[str, Any]:
    """Compare two ways to rank the same citations, with an interval over citing articles."""
    found = {
        "n": len(old),
        "articles": len(set(articles)),
        "baseline NDCG": old.mean(),
        "NDCG": new.mean(),
    }
    interval = bootstrap_difference(new, old, seed=seed, groups=articles)
    return found | dict(zip(DIFFERENCE, ((new - old).mean(), *interval), strict=True))


def mechanism(task: Task, trained: Sequence[Trained]) -> pd.DataFrame:
    """Length, norm and weight of each field: does training follow the classes, or their length?

    Returns
    -------
    DataFrame
        A row a field: its mean length in terms over the articles that have it, their share in
        percent, the mean norm, the mean trained weight over classes and folds, and how often in
        percent it stays above 0.
    """
    lengths, norms = task.collection.field_lengths(), PAPER.index(task.collection).norm
    held = lengths > 0
    weights = np.concatenate([own.weights for own in trained])
    rows = {
        "field": task.collection.classes,
        "length": lengths.sum(axis=1) / np.maximum(held.sum(axis=1), 1),
        "articles": 100 * held.mean(axis=1),
        "norm": (norms * held).sum(axis=1, dtype=np.float64) / np.maximum(held.sum(axis=1), 1),
        "weight": weights.mean(axis=0),
        "kept": 100 * (weights > 0).mean(axis=0),
    }
    return pd.DataFrame(rows).sort_values("length", ignore_index=True)


def _variants(runs: Runs, seed: int) -> pd.DataFrame:
    """Each way of training against its own baseline, by class and over all classes."""
    rows = []
    for variant, classes in runs.items():
        for kind, group in [*((own.kind, [own]) for own in classes), ("all", classes)]:
            old, new = (gains(ranks, normalised=True) for ranks in _ranks(group))
            articles = [a for own in group for a in own.articles]
            rows.append({"variant": variant, "class": kind} | _difference(old, new, articles, seed))
    return pd.DataFrame(rows)


def _leakage(corpus: str, runs: Runs) -> pd.DataFrame:
    """Share of test citations whose citing (cited) article is also in the training folds."""
    rows = []
    for variant in ("as in the paper", "folds by article"):
        for own in runs.get(variant, ()):
            frame = pd.DataFrame(own.citations).assign(fold=own.fold)
            folds = [
                frame.groupby(c)["fold"].transform("nunique") for c in ("citing_id", "target_id")
            ]
            rows.append(
                (corpus, variant, own.kind, len(frame), *((found > 1).mean() for found in folds))
            )
    return pd.DataFrame(rows, columns=["corpus", "variant", "class", "n", "citing", "cited"])


def _left_out(task: Task) -> pd.DataFrame:
    """Count citations that are not used, or share their query, and those of classes that are too
    small.
    """
    rows, sizes = (
        list(task.left_out.items()),
        {kind: len(task.kinds.get(kind, ())) for kind in task.collection.classes},
    )
    rows += [
        (f"class {kind}: beyond the limit of {LIMIT}", n - LIMIT)
        for kind, n in sizes.items()
        if n > LIMIT
    ]
    shared = training.group_sizes([c for own in task.kinds.values() for c in own])
    rows.append(("used, but another target has the same query", sum(size > 1 for size in shared)))
    for kind, n in sizes.items():
        few = (
            "fewer citations than folds" if n < PAPER.k else f"fewer than {FEW} citations: no claim"
        )
        if n < FEW:
            rows.append((f"class {kind} has {few}", n))
    return pd.DataFrame(rows, columns=["reason", "citations"])
