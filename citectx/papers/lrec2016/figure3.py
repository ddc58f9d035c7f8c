"""lrec2016 Figure 3: does it help to weight CoreSC classes by the citing sentence's (§5, §6)?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import bootstrap_interval
from citectx.experiments.report import KEYS, NOTES, Cell, means, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.training import LIMIT, RecommendationTask, Setup, Trained
from citectx.recommendation.training import gains
from citectx.types import Floats

NAME = "lrec2016_figure3"
PAPER = Setup()
VARIANTS: Mapping[str, Setup] = {
    "as in the paper": PAPER,
    "folds by article": Setup(how="article"),
    "L-BFGS": Setup(how="article", optimiser="listwise"),
    "whole collection": Setup(depth=None),
    "all citations": Setup(limit=None),
    "citations that stand alone": Setup(alone=True),
    "earlier articles only": Setup(earlier=True),
    "restarts": Setup(restarts=5),
    "by class": Setup(how="shared"),
    "one vector": Setup(how="shared", pool="all"),
    "other classes": Setup(how="shared", pool="others"),
    "fields of equal length": Setup(fields="equal length"),
    "norms of the article": Setup(norms="article"),
}
"""What is trained; further variants shuffle the labels."""

LEVELS = (
    "by class",
    "one vector",
    "other classes",
    "fields of equal length",
    "norms of the article",
)
"""Variants whose level on the paper's citations, untrained and trained, is in the main table."""

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

DIFFERENCE = ["difference", "ci_low", "ci_high"]
Measures = dict[str, Floats]
Runs = Mapping[str, Sequence[Trained]]


@timed
def run(
    tasks: Sequence[RecommendationTask],
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
    tasks : sequence of RecommendationTask
    seed : int
        For bootstrap, permutations, shuffled labels and the draw of citations.
    shuffles : int
        How often to shuffle the labels of the articles' sentences, as a control.
    variants : sequence of str
        Names from `VARIANTS`; the first must be the paper's. One that asks for earlier articles is
        skipped where ids are not PMC ids.
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Returns
    -------
    Result
        With the extra tables ``variants`` (each way of training, by class and over all) and
        ``questions`` (differences between rows).

    Raises
    ------
    ParameterError
        If a collection has no class with as many citations as folds.
    """
    parts = []
    for task in tasks:
        dated = all(c.citing_id.startswith("PMC") for c in task.citations)
        names = [name for name in variants if dated or not VARIANTS[name].earlier]
        setups = {name: replace(VARIANTS[name], draw=seed) for name in names}
        runs = _train(task, setups | _shuffled(shuffles, seed), how)
        scores, trained = _scores(task, runs), next(iter(runs.values()))
        extra = {"variants": _variants(runs, seed), "questions": _questions(scores, seed)}
        extra = {name: frame.assign(corpus=task.name) for name, frame in extra.items()}
        table = _table(task, trained, scores, seed)
        parts.append(Result(NAME, table, scores, extra, {task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def _shuffled(shuffles: int, draw: int = 0) -> dict[str, Setup]:
    """Name the controls whose labels are shuffled."""
    seeds = range(draw, draw + shuffles)
    return {f"shuffled labels {i}": Setup(shuffle=s, draw=draw) for i, s in enumerate(seeds, 1)}


def _train(task: RecommendationTask, setups: Mapping[str, Setup], how: Mapping[str, Any]) -> Runs:
    found = training.train(task, list(setups.values()), **how)
    return dict(zip(setups, found, strict=True))


def _ndcg(scores: pd.DataFrame) -> tuple[dict[str, Floats], list[str]]:
    """Return the NDCG of each row, citation by citation, and the citing articles."""
    ndcg = {str(name): rows["NDCG"].to_numpy() for name, rows in scores.groupby("method")}
    return ndcg, scores.loc[scores["method"] == "all", "topic"].tolist()


def _measures(ranks: Floats) -> Measures:
    return {"NDCG": gains(ranks, normalised=True), "accuracy": 100.0 * (ranks == 1)}


def _ranks(classes: Sequence[Trained]) -> tuple[Floats, Floats]:
    """Ranks of all classes' targets, before and after training."""
    return np.concatenate([o.before for o in classes]), np.concatenate([o.after for o in classes])


def _pooled(task: RecommendationTask, runs: Runs) -> dict[str, Measures]:
    """Measures of all citations, class after class, under each way to rank them."""
    first = next(iter(runs.values()))
    shuffled = [run for name, run in runs.items() if name.startswith("shuffled")]
    levels = {"all": [first], "shuffled labels": shuffled}
    levels |= {name: [runs[name]] for name in LEVELS if name in runs}
    found: dict[str, Measures] = {}
    for name, several in levels.items():
        if several:
            ranks = [_ranks(run) for run in several]
            before, after = (_mean_measures(own) for own in zip(*ranks, strict=True))
            found[name] = after | {"gain": after["NDCG"] - before["NDCG"]}
            found[f"{name} baseline"] = before
    citations = [c for own in first for c in own.citations]
    found["one field"] = _measures(training.one_field(task, citations))
    found["ceiling"] = _measures(training.best_ranks(citations))
    return found


def _mean_measures(ranks: Sequence[Floats]) -> Measures:
    """Return the means of each citation's measures over several runs."""
    measures = [_measures(own) for own in ranks]
    return {m: np.asarray(np.mean([own[m] for own in measures], axis=0)) for m in measures[0]}


def _scores(task: RecommendationTask, runs: Runs) -> pd.DataFrame:
    """Scores of each citation: the topic is the citing article."""
    first, frames = next(iter(runs.values())), []
    for own in first:
        for method, ranks in ((own.kind, own.after), (f"{own.kind} baseline", own.before)):
            measures = _measures(ranks) | {"fold": np.asarray(own.fold + 1.0)}
            frames.append(_frame(task.name, [own], method, measures))
    return pd.concat([*frames, pooled_scores(task, runs)])


def pooled_scores(task: RecommendationTask, runs: Runs) -> pd.DataFrame:
    """Score each citation under each way to rank them, all classes together."""
    first = next(iter(runs.values()))
    pooled = _pooled(task, runs).items()
    return pd.concat([_frame(task.name, first, method, measures) for method, measures in pooled])


def _frame(
    corpus: str, classes: Sequence[Trained], method: str, measures: Measures
) -> pd.DataFrame:
    rows = []
    for own in classes:
        for c in own.citations:
            rows.append((corpus, c.citing_id, f"{c.target_id}@{c.place}", method))
    return pd.DataFrame(rows, columns=["corpus", *KEYS]).assign(**measures)


def _table(
    task: RecommendationTask, trained: Sequence[Trained], scores: pd.DataFrame, seed: int
) -> pd.DataFrame:
    cells: list[Cell] = []
    by_kind = {own.kind: own for own in trained}
    for method, rows in scores.drop(columns=["corpus", *NOTES]).groupby("method", sort=False):
        if method in by_kind:
            cells += _improvements(by_kind[str(method)])
        cells += means(rows, seed)
    steady = sum(bool((own.improvements() > 0).all()) for own in trained)
    cells.append(Cell("all", "classes improved", steady, sum(len(own.fold) for own in trained)))
    finite = [cell for cell in cells if np.isfinite(cell.value)]
    return tabulate(NAME, task.name, finite, seed, PAPER.params() | {"limit": LIMIT, "draw": seed})


def _improvements(own: Trained) -> list[Cell]:
    n, found = len(own.fold), own.improvements()
    sizes = np.bincount(own.fold, minlength=len(found)).tolist()
    cells = []
    for i, (value, size) in enumerate(zip(found, sizes, strict=True), start=1):
        cells.append(Cell(own.kind, f"fold {i}", float(value), size))
    sd = float(np.std(found, ddof=1))
    values = {"citations": n, "folds improved": (found > 0).sum(), "mean": np.mean(found)}
    values |= {"sd": sd, "minus sd": -sd}
    return cells + [Cell(own.kind, metric, float(value), n) for metric, value in values.items()]


def _questions(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    ndcg, articles = _ndcg(scores)
    rows = []
    for question, first, second in QUESTIONS:
        if {first, second} <= ndcg.keys():
            row = {"question": question, "first": first, "second": second}
            rows.append(row | _difference(ndcg[second], ndcg[first], articles, seed))
    names = {"NDCG": "first NDCG", "baseline NDCG": "second NDCG"}
    columns = ["question", "first", "second", *names.values(), *DIFFERENCE, "n", "articles"]
    return pd.DataFrame(rows).rename(columns=names)[columns]


def _difference(old: Floats, new: Floats, articles: Sequence[str], seed: int) -> dict[str, Any]:
    """Compare two ways to rank the same citations, with an interval over citing articles."""
    found = {"n": len(old), "articles": len({*articles})}
    found |= {"baseline NDCG": old.mean(), "NDCG": new.mean()}
    interval = bootstrap_interval(new - old, seed, groups=articles)
    return found | dict(zip(DIFFERENCE, ((new - old).mean(), *interval), strict=True))


def _variants(runs: Runs, seed: int) -> pd.DataFrame:
    """Each way of training against its own baseline, by class and over all classes."""
    rows = []
    for variant, classes in runs.items():
        groups = [(own.kind, [own]) for own in classes]
        for kind, group in [*groups, ("all", classes)]:
            old, new = (gains(ranks, normalised=True) for ranks in _ranks(group))
            articles = [a for own in group for a in own.articles]
            rows.append({"variant": variant, "class": kind} | _difference(old, new, articles, seed))
    return pd.DataFrame(rows)
