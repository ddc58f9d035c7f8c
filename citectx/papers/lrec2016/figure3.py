"""lrec2016 Figure 3: does it help to weight CoreSC classes by the class of the citing sentence? (§5, §6)."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from citectx.corpora.coresc import CLASSES
from citectx.evaluation import bootstrap_difference, bootstrap_interval, paired_permutation
from citectx.experiments.results import COLUMNS, Result, params_json
from citectx.papers.lrec2016.training import LIMIT, Settings, Task, Trained, check, one_field, train
from citectx.recommendation.training import gains

NAME = "lrec2016_figure3"
PAPER = Settings()
VARIANTS: Mapping[str, Settings] = {
    "as in the paper": PAPER,
    "folds by article": Settings(how="article"),
    "L-BFGS": Settings(how="article", optimiser="listwise"),
    "whole collection": Settings(depth=None),
}
"""What is trained on the classifier's labels; further variants shuffle the labels, or do without."""


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
    difference in NDCG that training makes; ``shuffled labels`` has that gain where sentences have random
    classes (mean of `shuffles` runs), ``one field`` has the measures without any classes. Intervals are of a
    bootstrap over citing articles.

    Ambiguity: the paper does not say which standard deviation; ours is that of a sample, which gives its
    numbers. Ambiguity: the mean of four improvements counts each fold alike; the difference in NDCG counts
    each citation alike, and is what the intervals are about.

    Parameters
    ----------
    tasks : sequence of Task
    seed : int
        For bootstrap, permutations and shuffled labels.
    shuffles : int
        How often to shuffle the labels of the articles' sentences, as a control.
    variants : sequence of str
        Names from `VARIANTS`; the first must be the paper's.
    jobs, scheduler : int, str
        See `citectx.parallel.run`.
    progress : bool

    Returns
    -------
    Result
        With the extra tables ``variants`` (each way of training, by class and over all), ``left_out``
        (citations and classes that could not be used) and ``leakage`` (what training and test folds share).

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    started = time.perf_counter()
    settings = {name: VARIANTS[name] for name in variants}
    settings |= {f"shuffled labels {i + 1}": Settings(shuffle=seed + i) for i in range(shuffles)}
    parts: list[dict[str, pd.DataFrame]] = []
    for task in tasks:
        check(task)
        found = train(task, list(settings.values()), jobs=jobs, scheduler=scheduler, progress=progress)
        trained = dict(zip(settings, found, strict=True))
        parts.append(
            {
                "table": _table(task, trained, seed),
                "citances": _scores(task, trained),
                "variants": _variants(task, trained, seed),
                "leakage": _leakage(task, trained),
                "left_out": _left_out(task),
            }
        )
    joined = {key: pd.concat([p[key] for p in parts], ignore_index=True) for key in parts[0]}
    table, citances = joined.pop("table"), joined.pop("citances")
    data = {task.name: task.fingerprint() for task in tasks}
    return Result(NAME, table, citances, joined, data, time.perf_counter() - started)


def _measures(ranks: "np.ndarray[Any, np.dtype[np.float64]]") -> dict[str, "np.ndarray[Any, Any]"]:
    return {"NDCG": gains(ranks, normalised=True), "accuracy": 100.0 * (ranks == 1)}


Measures = dict[str, "np.ndarray[Any, np.dtype[np.float64]]"]
Runs = Mapping[str, Sequence[Trained]]


def _pooled(task: Task, runs: Runs) -> dict[str, Measures]:
    """Measures of all citations, class after class, under each way to rank them."""
    first = next(iter(runs.values()))
    before = np.concatenate([own.before for own in first])
    after = np.concatenate([own.after for own in first])
    plain = one_field(task)
    gain = gains(after, normalised=True) - gains(before, normalised=True)
    found = {
        "all": _measures(after) | {"gain": gain},
        "all baseline": _measures(before),
        "one field": _measures(np.concatenate([plain[own.kind] for own in first])),
    }
    controls = [classes for name, classes in runs.items() if name.startswith("shuffled")]
    if controls:
        each = [
            [gains(o.after, normalised=True) - gains(o.before, normalised=True) for o in c] for c in controls
        ]
        found["shuffled labels"] = {"gain": np.mean([np.concatenate(own) for own in each], axis=0)}
    return found


def _table(task: Task, runs: Runs, seed: int) -> pd.DataFrame:
    params = params_json(PAPER.params() | {"limit": LIMIT})
    trained = next(iter(runs.values()))
    rows: list[tuple[Any, ...]] = []

    def add(
        method: str, metric: str, value: float, n: int, low: float = np.nan, high: float = np.nan
    ) -> None:
        if np.isfinite(value):
            rows.append((NAME, task.name, method, metric, value, low, high, np.nan, n, params, seed))

    def measure(method: str, found: Measures, articles: Sequence[str]) -> None:
        for metric, values in found.items():
            interval = bootstrap_interval(values, seed=seed, groups=articles)
            add(method, metric, values.mean(), len(values), *interval)

    for own in trained:
        n, found = len(own.fold), own.improvements()
        add(own.kind, "citations", n, n)
        for i, value in enumerate(found, 1):
            add(own.kind, f"fold {i}", value, int((own.fold == i - 1).sum()))
        add(own.kind, "folds improved", float((found > 0).sum()), n)
        add(own.kind, "mean", float(np.mean(found)), n)
        add(own.kind, "sd", float(np.std(found, ddof=1)), n)
        add(own.kind, "minus sd", -float(np.std(found, ddof=1)), n)
        measure(own.kind, _measures(own.after), own.articles)
        measure(f"{own.kind} baseline", _measures(own.before), own.articles)
    articles = [a for own in trained for a in own.articles]
    for method, measures in _pooled(task, runs).items():
        measure(method, measures, articles)
    steady = sum(bool((own.improvements() > 0).all()) for own in trained)
    add("all", "classes improved", steady, len(articles))
    return pd.DataFrame(rows, columns=COLUMNS)


def _scores(task: Task, runs: Runs) -> pd.DataFrame:
    """Scores of each citation: the topic is the citing article."""
    trained = next(iter(runs.values()))

    def keys(*classes: Trained) -> dict[str, Any]:
        names = [f"{t}@{p}" for o in classes for t, p in zip(o.targets, o.places, strict=True)]
        articles = [a for o in classes for a in o.articles]
        return {"corpus": task.name, "topic": articles, "citance": names}

    frames = []
    for own in trained:
        for method, ranks in ((own.kind, own.after), (f"{own.kind} baseline", own.before)):
            measures = _measures(ranks) | {"fold": own.fold + 1.0}
            frames.append(pd.DataFrame(keys(own) | {"method": method} | measures))
    for method, found in _pooled(task, runs).items():
        frames.append(pd.DataFrame(keys(*trained) | {"method": method} | found))
    return pd.concat(frames)


def _variants(task: Task, trained: Mapping[str, Sequence[Trained]], seed: int) -> pd.DataFrame:
    """Each way of training against its own baseline, by class and over all classes."""
    rows = []
    for variant, classes in trained.items():
        for own in classes:
            found = own.improvements()
            folds = {"folds improved": int((found > 0).sum()), "mean": float(np.nanmean(found))}
            rows.append(_compared(variant, own.kind, own.before, own.after, own.articles, seed) | folds)
        before = np.concatenate([own.before for own in classes])
        after = np.concatenate([own.after for own in classes])
        articles = [a for own in classes for a in own.articles]
        improved = sum(row["folds improved"] == 4 for row in rows if row["variant"] == variant)
        rows.append(_compared(variant, "all", before, after, articles, seed) | {"classes improved": improved})
    return pd.DataFrame(rows).assign(corpus=task.name)


def _compared(
    variant: str, kind: str, before: Any, after: Any, articles: Sequence[str], seed: int
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


def _leakage(task: Task, trained: Mapping[str, Sequence[Trained]]) -> pd.DataFrame:
    rows = [
        {"corpus": task.name, "variant": variant, "class": own.kind, "n": len(own.fold)} | own.leakage()
        for variant, classes in trained.items()
        if variant in ("as in the paper", "folds by article")
        for own in classes
    ]
    return pd.DataFrame(rows)


def _left_out(task: Task) -> pd.DataFrame:
    """Count citations without a query or target, and those of classes that are too small to part."""
    rows = [(reason, n) for reason, n in task.left_out.items()]
    used = {kind: len(found) for kind, found in task.kinds.items()}
    for kind in CLASSES:
        n = used.get(kind, 0)
        if n < PAPER.k:
            rows.append((f"class {kind} has fewer citations than folds", n))
    return pd.DataFrame(rows, columns=["reason", "citations"]).assign(corpus=task.name)
