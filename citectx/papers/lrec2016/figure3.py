"""lrec2016 Figure 3: does it help to weight CoreSC classes by the class of the citing sentence? (§5, §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.evaluation import bootstrap_difference, paired_permutation
from citectx.experiments.report import Cell, mean, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016.training import (
    FEW,
    LIMIT,
    Settings,
    Task,
    Trained,
    best_ranks,
    check,
    group_sizes,
    one_field,
    train,
)
from citectx.recommendation.training import gains

NAME = "lrec2016_figure3"
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

NEED_PMC = frozenset({"earlier articles only"})
"""Variants for collections whose ids are PMC ids."""

LEVELS = ("by class", "one vector", "other classes", "fields of equal length", "norms of the article")
"""Variants on the paper's citations whose level, before and after training, is in the main table."""

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

Floats = NDArray[np.float64]
Measures = dict[str, Floats]
Runs = Mapping[str, Sequence[Trained]]


@timed
def run(
    tasks: Sequence[Task],
    *,
    seed: int = 0,
    shuffles: int = 3,
    variants: Sequence[str] = tuple(VARIANTS),
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> Result:
    """Train weights for each class of citing sentence and test them on held-out folds.

    Source: lrec2016 §4 to §6, Figure 3. Rows are classes; ``fold 1`` ... are improvements of the mean gain in
    percent, ``mean`` and ``sd`` those over folds, ``folds improved`` their count. ``NDCG`` (between 0 and 1)
    and ``accuracy`` (in percent) are means over all citations of the class, each tested once; the rows named
    ``<class> baseline`` hold the same with all weights 1. ``all`` pools the classes, and its ``gain`` is the
    difference in NDCG that training makes. The same measures follow for the controls, each with its
    baseline: ``shuffled labels`` (sentences have random classes; mean of `shuffles` runs), ``fields of equal
    length``, ``norms of the article``; for weights trained on shared folds ``by class``, as ``one vector``
    and on the ``other classes``; for ``one field`` without any classes; and for the ``ceiling``, where
    targets of one query are only in each other's way. Intervals are of a bootstrap over citing articles.

    Ambiguity: the paper does not say which standard deviation; ours is that of a sample, which gives its
    numbers. Ambiguity: the mean of four improvements counts each fold alike; the difference in NDCG counts
    each citation alike, and is what the intervals are about.

    Parameters
    ----------
    tasks : sequence of Task
    seed : int
        For bootstrap, permutations, shuffled labels and the draw of citations.
    shuffles : int
        How often to shuffle the labels of the articles' sentences, as a control.
    variants : sequence of str
        Names from `VARIANTS`; the first must be the paper's. Those of `NEED_PMC` are passed over where ids
        are not PMC ids.
    jobs, scheduler : int, str
        See `citectx.parallel.run`.
    progress : bool

    Returns
    -------
    Result
        With the extra tables ``variants`` (each way of training, by class and over all), ``questions``
        (differences between rows), ``mechanism`` (length, norm and weight of each field), ``left_out``
        (citations and classes that could not be used) and ``leakage`` (what training and test folds share).

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    parts = []
    for task in tasks:
        check(task)
        dated = all(c.citing_id.startswith("PMC") for own in task.kinds.values() for c in own)
        names = [name for name in variants if dated or name not in NEED_PMC]
        settings = {name: replace(VARIANTS[name], draw=seed) for name in names}
        settings |= {
            f"shuffled labels {i + 1}": Settings(shuffle=seed + i, draw=seed) for i in range(shuffles)
        }
        found = train(task, list(settings.values()), jobs=jobs, scheduler=scheduler, progress=progress)
        trained = dict(zip(settings, found, strict=True))
        pooled = _pooled(task, trained, seed)
        extra = {
            "variants": _variants(task, trained, seed),
            "questions": _questions(task, trained, pooled, seed),
            "mechanism": mechanism(task, trained[variants[0]]),
            "leakage": _leakage(task, trained),
            "left_out": _left_out(task, settings[variants[0]]),
        }
        table, citances = _table(task, trained, pooled, seed), _scores(task, trained, pooled)
        parts.append(Result(NAME, table, citances, extra, {task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def _measures(ranks: Floats) -> Measures:
    return {"NDCG": gains(ranks, normalised=True), "accuracy": 100.0 * (ranks == 1)}


def _joined(classes: Sequence[Trained]) -> tuple[Floats, Floats]:
    """Ranks of all classes' targets, before and after training."""
    return np.concatenate([o.before for o in classes]), np.concatenate([o.after for o in classes])


def _levels(name: str, runs: Sequence[Sequence[Trained]]) -> dict[str, Measures]:
    """Measures after training, with the gain, and before; means over several runs."""
    ranks = [_joined(classes) for classes in runs]
    before, after = (
        {
            metric: np.mean([_measures(own[i])[metric] for own in ranks], axis=0)
            for metric in ("NDCG", "accuracy")
        }
        for i in (0, 1)
    )
    return {name: after | {"gain": after["NDCG"] - before["NDCG"]}, f"{name} baseline": before}


def _pooled(task: Task, runs: Runs, seed: int) -> dict[str, Measures]:
    """Measures of all citations, class after class, under each way to rank them."""
    first, *_ = runs.values()
    chosen = replace(PAPER, draw=seed).selected(task)
    citations = [c for own in first for c in chosen[own.kind]]
    found = _levels("all", [first])
    controls = [classes for name, classes in runs.items() if name.startswith("shuffled")]
    if controls:
        found |= _levels("shuffled labels", controls)
    for name in LEVELS:
        if name in runs:
            found |= _levels(name, [runs[name]])
    found["one field"] = _measures(one_field(task, citations))
    found["ceiling"] = _measures(best_ranks(citations))
    return found


def _articles(classes: Sequence[Trained]) -> list[str]:
    return [a for own in classes for a in own.articles]


def _table(task: Task, runs: Runs, pooled: Mapping[str, Measures], seed: int) -> pd.DataFrame:
    trained, *_ = runs.values()
    cells: list[Cell] = []

    def measure(method: str, found: Measures, articles: Sequence[str]) -> None:
        cells.extend(mean(method, metric, values, seed, articles) for metric, values in found.items())

    for own in trained:
        n, found = len(own.fold), own.improvements()
        sd = float(np.std(found, ddof=1))
        sizes = np.bincount(own.fold, minlength=len(found)).tolist()
        values = {"citations": n, "folds improved": float((found > 0).sum()), "mean": float(np.mean(found))}
        values |= {"sd": sd, "minus sd": -sd}
        cells += [Cell(own.kind, f"fold {i + 1}", float(v), sizes[i]) for i, v in enumerate(found)]
        cells += [Cell(own.kind, metric, value, n) for metric, value in values.items()]
        measure(own.kind, _measures(own.after), own.articles)
        measure(f"{own.kind} baseline", _measures(own.before), own.articles)
    articles = _articles(trained)
    for method, measures in pooled.items():
        measure(method, measures, articles)
    steady = sum(bool((own.improvements() > 0).all()) for own in trained)
    cells.append(Cell("all", "classes improved", steady, len(articles)))
    finite = [cell for cell in cells if np.isfinite(cell.value)]
    return tabulate(NAME, task.name, finite, seed, PAPER.params() | {"limit": LIMIT, "draw": seed})


def _scores(task: Task, runs: Runs, pooled: Mapping[str, Measures]) -> pd.DataFrame:
    """Scores of each citation: the topic is the citing article."""
    trained, *_ = runs.values()

    def keys(*classes: Trained) -> dict[str, Any]:
        names = [f"{t}@{p}" for o in classes for t, p in zip(o.targets, o.places, strict=True)]
        return {"corpus": task.name, "topic": _articles(classes), "citance": names}

    frames = []
    for own in trained:
        for method, ranks in ((own.kind, own.after), (f"{own.kind} baseline", own.before)):
            measures = _measures(ranks) | {"fold": own.fold + 1.0}
            frames.append(pd.DataFrame(keys(own) | {"method": method} | measures))
    for method, found in pooled.items():
        frames.append(pd.DataFrame(keys(*trained) | {"method": method} | found))
    return pd.concat(frames)


def _questions(task: Task, runs: Runs, pooled: Mapping[str, Measures], seed: int) -> pd.DataFrame:
    trained, *_ = runs.values()
    articles = _articles(trained)
    rows = []
    for question, first, second in QUESTIONS:
        if first in pooled and second in pooled:
            a, b = pooled[first]["NDCG"], pooled[second]["NDCG"]
            low, high = bootstrap_difference(a, b, seed=seed, groups=articles)
            rows.append(
                {"question": question, "first": first, "second": second, "first NDCG": a.mean()}
                | {"second NDCG": b.mean(), "difference": (a - b).mean(), "ci_low": low, "ci_high": high}
                | {"n": len(a), "articles": len(set(articles))}
            )
    return pd.DataFrame(rows).assign(corpus=task.name)


def mechanism(task: Task, trained: Sequence[Trained]) -> pd.DataFrame:
    """Length, norm and weight of each field: does training follow the classes, or their length?

    Returns
    -------
    DataFrame
        A row a field: its mean length in terms over the articles that have it, their share in percent, the
        mean norm, the mean trained weight over classes and folds, and how often in percent it stays above 0.
    """
    _, index = PAPER.index(task.collection)
    lengths = task.collection.field_lengths()
    held = lengths > 0
    weights = np.concatenate([own.weights for own in trained])
    rows = {
        "field": task.collection.classes,
        "length": lengths.sum(axis=1) / np.maximum(held.sum(axis=1), 1),
        "articles": 100 * held.mean(axis=1),
        "norm": (index.norm * held).sum(axis=1, dtype=np.float64) / np.maximum(held.sum(axis=1), 1),
        "weight": weights.mean(axis=0),
        "kept": 100 * (weights > 0).mean(axis=0),
    }
    return pd.DataFrame(rows).sort_values("length", ignore_index=True).assign(corpus=task.name)


def _variants(task: Task, trained: Runs, seed: int) -> pd.DataFrame:
    """Each way of training against its own baseline, by class and over all classes."""
    rows = []
    for variant, classes in trained.items():
        for own in classes:
            found = own.improvements()
            folds = {"folds improved": int((found > 0).sum()), "mean": float(np.mean(found))}
            rows.append(_compared(variant, own.kind, own.before, own.after, own.articles, seed) | folds)
        improved = sum(row["folds improved"] == 4 for row in rows if row["variant"] == variant)
        pooled = _compared(variant, "all", *_joined(classes), _articles(classes), seed)
        rows.append(pooled | {"classes improved": improved})
    return pd.DataFrame(rows).assign(corpus=task.name)


def _compared(
    variant: str, kind: str, before: Floats, after: Floats, articles: Sequence[str], seed: int
) -> dict[str, Any]:
    old, new = _measures(before), _measures(after)
    low, high = bootstrap_difference(new["NDCG"], old["NDCG"], seed=seed, groups=articles)
    test = paired_permutation(new["NDCG"], old["NDCG"], seed=seed)
    return {
        "variant": variant,
        "class": kind,
        "n": len(before),
        "articles": len(set(articles)),
        "baseline NDCG": old["NDCG"].mean(),
        "NDCG": new["NDCG"].mean(),
        "difference": test.difference,
        "ci_low": low,
        "ci_high": high,
        "permutation": test.p_value,
        "baseline accuracy": old["accuracy"].mean(),
        "accuracy": new["accuracy"].mean(),
        "found": 100.0 * np.isfinite(before).mean(),
    }


def _leakage(task: Task, trained: Runs) -> pd.DataFrame:
    rows = [
        {"corpus": task.name, "variant": variant, "class": own.kind, "n": len(own.fold)} | own.leakage()
        for variant, classes in trained.items()
        if variant in ("as in the paper", "folds by article")
        for own in classes
    ]
    return pd.DataFrame(rows)


def _left_out(task: Task, settings: Settings) -> pd.DataFrame:
    """Count citations that are not used, or share their query, and those of classes that are too small."""
    rows = list(task.left_out.items())
    for kind, own in task.kinds.items():
        if len(own) > (settings.limit or len(own)):
            rows.append((f"class {kind}: beyond the limit of {settings.limit}", len(own) - LIMIT))
    everything = [c for own in task.kinds.values() for c in own]
    shared = sum(size > 1 for size in group_sizes(everything))
    rows.append(("used, but another target has the same query", shared))
    for kind in task.collection.classes:
        n = len(task.kinds.get(kind, ()))
        if n < settings.k:
            rows.append((f"class {kind} has fewer citations than folds", n))
        elif n < FEW:
            rows.append((f"class {kind} has fewer than {FEW} citations: no claim", n))
    return pd.DataFrame(rows, columns=["reason", "citations"]).assign(corpus=task.name)
