"""lrec2016 Figure 3: does it help to weight CoreSC classes by the citing sentence's (§5, §6)?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import bootstrap_interval
from citectx.experiments.report import KEYS, Cell, means, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.training import RecommendationTask, Setup, Trained
from citectx.recommendation.collection import Citation
from citectx.recommendation.training import gains
from citectx.types import Floats

NAME = "lrec2016_figure3"
PAPER = "as in the paper"
VARIANTS: Mapping[str, Setup] = {
    PAPER: Setup(),
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

Measures = dict[str, Floats]
Runs = Mapping[str, Sequence[Trained]]


@timed
def run(
    tasks: Sequence[RecommendationTask], *, seed: int = 0, shuffles: int = 3, **how: Any
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
        setups = setups_of(task, seed, shuffles)
        trained = training.train(task, list(setups.values()), **how)
        runs = dict(zip(setups, trained, strict=True))
        classes = runs[PAPER]
        scores = pd.concat([scores_of_classes(classes), pooled_scores(task, runs)])
        cells = cells_of(classes, scores, seed)
        table = tabulate(NAME, task.name, cells, seed, setups[PAPER].params())
        extra = {"variants": variants(runs, seed), "questions": questions(scores, seed)}
        extra = {name: frame.assign(corpus=task.name) for name, frame in extra.items()}
        scores.insert(0, "corpus", task.name)
        parts.append(Result(NAME, table, scores, extra, {task.name: task.fingerprint()}))
    return Result.of(NAME, parts)


def setups_of(task: RecommendationTask, seed: int, shuffles: int) -> dict[str, Setup]:
    """Return what is trained: the variants that a collection's ids allow, and shuffled labels."""
    is_dated = all(c.citing_id.startswith("PMC") for c in task.citations)
    setups = {name: setup for name, setup in VARIANTS.items() if is_dated or not setup.earlier}
    for i in range(shuffles):
        setups[f"shuffled labels {i + 1}"] = Setup(shuffle=seed + i)
    return {name: replace(setup, draw=seed) for name, setup in setups.items()}


def citations_of(classes: Sequence[Trained]) -> list[Citation]:
    """All citations, class after class."""
    return [citation for own in classes for citation in own.citations]


def ranks_before(classes: Sequence[Trained]) -> Floats:
    """Ranks of all targets with all weights 1."""
    return np.concatenate([own.before for own in classes])


def ranks_after(classes: Sequence[Trained]) -> Floats:
    """Ranks of all targets with trained weights."""
    return np.concatenate([own.after for own in classes])


def measures(*rankings: Floats) -> Measures:
    """NDCG (0 to 1) and accuracy (percent) of each citation, the mean over several rankings."""
    ndcg = [gains(ranks, normalised=True) for ranks in rankings]
    accuracy = [100.0 * (ranks == 1) for ranks in rankings]
    return {"NDCG": np.mean(ndcg, axis=0), "accuracy": np.mean(accuracy, axis=0)}


def scores_frame(classes: Sequence[Trained], method: str, values: Measures) -> pd.DataFrame:
    """Lay out the scores of a row of the table: the topic is the citing article."""
    rows = []
    for citation in citations_of(classes):
        rows.append((citation.citing_id, f"{citation.target_id}@{citation.place}", method))
    return pd.DataFrame(rows, columns=KEYS).assign(**values)


def scores_of_classes(classes: Sequence[Trained]) -> pd.DataFrame:
    """Score each citation with the weights trained for its class, and with all weights 1."""
    frames = []
    for own in classes:
        for method, ranks in ((own.kind, own.after), (f"{own.kind} baseline", own.before)):
            frames.append(scores_frame([own], method, measures(ranks)).assign(fold=own.fold + 1.0))
    return pd.concat(frames)


def pooled_scores(task: RecommendationTask, runs: Runs) -> pd.DataFrame:
    """Score each citation under each way to rank them, all classes together."""
    classes, frames = runs[PAPER], list[pd.DataFrame]()
    shuffled = [trained for name, trained in runs.items() if name.startswith("shuffled")]
    levels = {"all": [classes], "shuffled labels": shuffled}
    levels |= {name: [runs[name]] for name in LEVELS if name in runs}
    for name, several in levels.items():
        if several:
            before = measures(*map(ranks_before, several))
            after = measures(*map(ranks_after, several))
            after["gain"] = after["NDCG"] - before["NDCG"]
            frames.append(scores_frame(classes, name, after))
            frames.append(scores_frame(classes, f"{name} baseline", before))
    citations = citations_of(classes)
    one_field = measures(training.one_field(task, citations))
    ceiling = measures(training.best_ranks(citations))
    frames.append(scores_frame(classes, "one field", one_field))
    frames.append(scores_frame(classes, "ceiling", ceiling))
    return pd.concat(frames)


def cells_of(classes: Sequence[Trained], scores: pd.DataFrame, seed: int) -> list[Cell]:
    """Return the numbers of the table, but for improvements over a baseline of 0."""
    cells, by_kind = list[Cell](), {own.kind: own for own in classes}
    for method, rows in scores.drop(columns="fold").groupby("method", sort=False):
        if method in by_kind:
            cells += improvements(by_kind[str(method)])
        cells += means(rows, seed)
    steady = sum(bool((own.improvements() > 0).all()) for own in classes)
    cells.append(Cell("all", "classes improved", steady, len(citations_of(classes))))
    return [cell for cell in cells if np.isfinite(cell.value)]


def improvements(own: Trained) -> list[Cell]:
    """Return what training gives in each fold of a class, in percent."""
    n, gained = len(own.fold), own.improvements()
    cells = []
    for i, value in enumerate(gained):
        cells.append(Cell(own.kind, f"fold {i + 1}", float(value), int((own.fold == i).sum())))
    sd = gained.std(ddof=1)
    values = {"citations": n, "folds improved": (gained > 0).sum(), "mean": gained.mean()}
    for metric, value in (values | {"sd": sd, "minus sd": -sd}).items():
        cells.append(Cell(own.kind, metric, float(value), n))
    return cells


def difference(old: Floats, new: Floats, articles: Sequence[str], seed: int) -> dict[str, float]:
    """Compare two ways to rank the same citations, with an interval over citing articles."""
    low, high = bootstrap_interval(new - old, seed, groups=articles)
    return {"difference": (new - old).mean(), "ci_low": low, "ci_high": high}


def questions(scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Answer `QUESTIONS` by differences between rows."""
    ndcg = {str(name): rows["NDCG"].to_numpy() for name, rows in scores.groupby("method")}
    articles = scores.loc[scores["method"] == "all", "topic"].tolist()
    size, rows = {"n": len(articles), "articles": len({*articles})}, []
    for question, first, second in QUESTIONS:
        if {first, second} <= ndcg.keys():
            new, old = ndcg[first], ndcg[second]
            row = {"question": question, "first": first, "second": second}
            row |= {"first NDCG": new.mean(), "second NDCG": old.mean()}
            rows.append(row | difference(old, new, articles, seed) | size)
    return pd.DataFrame(rows)


def variants(runs: Runs, seed: int) -> pd.DataFrame:
    """Compare each way of training with its own baseline, by class and over all classes."""
    rows = []
    for variant, classes in runs.items():
        groups = {own.kind: [own] for own in classes} | {"all": classes}
        for kind, group in groups.items():
            old = gains(ranks_before(group), normalised=True)
            new = gains(ranks_after(group), normalised=True)
            articles = [citation.citing_id for citation in citations_of(group)]
            row = {"variant": variant, "class": kind, "n": len(old), "articles": len({*articles})}
            row |= {"baseline NDCG": old.mean(), "NDCG": new.mean()}
            rows.append(row | difference(old, new, articles, seed))
    return pd.DataFrame(rows)
