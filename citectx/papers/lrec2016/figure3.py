"""lrec2016 Figure 3: does it help to weight CoreSC classes by the citing sentence's (§5, §6)?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from citectx.evaluation import mean_over
from citectx.experiments.report import Cell, add_corpus, means, tabulate
from citectx.experiments.results import Result
from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.training import (
    FOLDS,
    SHUFFLES,
    RecommendationTask,
    Setup,
    Trained,
)
from citectx.recommendation.training import gains
from citectx.types import Floats

NAME = "lrec2016_figure3"
VARIANTS: Mapping[str, Setup] = {
    "by class": Setup(how="shared"),
    "one vector": Setup(how="shared", pool="all"),
    "other classes": Setup(how="shared", pool="others"),
    "fields of equal length": Setup(fields="equal length"),
    "norms of the article": Setup(norms="article"),
}
"""What is trained beside the paper's setup, which is the row ``all``, and shuffled labels."""

LEVELS = tuple(VARIANTS)

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

Scores = dict[str, Floats]


def train(
    tasks: Sequence[RecommendationTask], *, seed: int = 0, shuffles: int = SHUFFLES, **how: Any
) -> list[dict[Setup, Trained]]:
    """Train weights under all setups of Figures 3 and 4, for each task.

    ``how`` are options of `citectx.parallel.run`.
    """
    setups = [*chain(*setups_of(seed, shuffles).values())]
    return [training.train(task, setups, **how) for task in tasks]


def run(
    tasks: Sequence[RecommendationTask],
    trained: Sequence[Mapping[Setup, Trained]],
    *,
    seed: int = 0,
    shuffles: int = SHUFFLES,
) -> Result:
    """Test weights that were trained for each class of citing sentence on held-out folds.

    `trained` comes from `train`, with the same seed and shuffles.

    Source: lrec2016 §4 to §6, Figure 3. Rows are classes; ``fold 1`` ... are improvements of the
    mean gain in percent, ``mean`` and ``sd`` those over folds, ``folds improved`` their count.
    ``NDCG`` (between 0 and 1) is the mean over all citations of the class, each tested once;
    ``NDCG fold 1`` ... are those of a fold. Rows named ``<class> baseline`` hold the same with all
    weights 1.

    ``all`` pools the classes; its ``NDCG <class>`` is that of the class's fold that training helps
    least, since the paper counts classes that improve in all folds. Beside it stand the levels of
    the controls, each with its baseline: ``shuffled labels`` (random classes; mean of `shuffles`
    deals), ``fields of equal length``, ``norms of the article``; weights trained on shared folds
    ``by class``, as ``one vector`` and on the ``other classes``; and ``one field`` without any
    classes. ``gain`` is what training adds to the baseline. The extra table ``questions`` has
    differences between rows. Intervals are over citing articles.

    Ambiguity: the paper does not say which standard deviation; ours is that of a sample, which
    gives its numbers. Ambiguity: the mean of four improvements counts each fold alike; the
    difference in NDCG counts each citation alike, and is what the intervals are about.
    """
    parts = []
    setups = setups_of(seed, shuffles)
    (paper,) = setups["all"]
    for task, of_task in zip(tasks, trained, strict=True):
        ranks, _ = of_task[paper]
        scores = pd.concat([scores_of_classes(ranks), pooled_scores(task, setups, of_task)])
        cells = cells_of(ranks, scores)
        table = tabulate(NAME, task.name, cells, seed, paper.params())
        extra = {"questions": questions(scores).assign(corpus=task.name)}
        data = {task.name: task.fingerprint()}
        parts.append(Result(NAME, table, add_corpus(task.name, scores), extra, data))
    return Result.of(NAME, parts)


def setups_of(seed: int, shuffles: int) -> dict[str, list[Setup]]:
    """Return what is trained for each row; its scores are means over several setups."""
    setups = {"all": [Setup(draw=seed)]}
    if shuffles:
        deals = range(seed, seed + shuffles)
        setups["shuffled labels"] = [Setup(draw=seed, shuffle=deal) for deal in deals]
    for name, setup in VARIANTS.items():
        setups[name] = [replace(setup, draw=seed)]
    return setups


def ndcg(*rankings: pd.Series) -> Floats:
    """NDCG (0 to 1) of each citation, the mean over several rankings."""
    scores = [gains(ranks, normalised=True) for ranks in rankings]
    return np.mean(scores, axis=0)


def scores_frame(ranks: pd.DataFrame, method: str, values: Scores) -> pd.DataFrame:
    """Lay out the scores of a row of the table: the topic is the citing article."""
    citances = ranks["target_id"] + "@" + ranks["place"].astype(str)
    keys = {"topic": ranks["citing_id"], "citance": citances, "method": method}
    return pd.DataFrame({**keys, **values})


def scores_of_classes(ranks: pd.DataFrame) -> pd.DataFrame:
    """Score each citation with the weights trained for its class, and with all weights 1."""
    frames = []
    for kind, members in ranks.groupby("kind"):
        for ending, which in (("", "after"), (" baseline", "before")):
            scores = scores_frame(members, f"{kind}{ending}", {"NDCG": ndcg(members[which])})
            # a column for each fold, empty outside it
            for i in range(FOLDS):
                scores[f"NDCG fold {i + 1}"] = scores["NDCG"].where(members["fold"] == i)
            frames.append(scores.assign(fold=members["fold"] + 1.0))
    return pd.concat(frames)


def pooled_scores(
    task: RecommendationTask,
    setups: Mapping[str, Sequence[Setup]],
    trained: Mapping[Setup, Trained],
) -> pd.DataFrame:
    """Score each citation under each way to rank them, all classes together."""
    (setup_of_paper,) = setups["all"]
    paper, _ = trained[setup_of_paper]
    rows: dict[str, Scores] = {}
    for name, several in setups.items():
        rankings = [trained[setup][0] for setup in several]
        before = ndcg(*(ranks["before"] for ranks in rankings))
        after = ndcg(*(ranks["after"] for ranks in rankings))
        rows[name] = {"NDCG": after, "gain": after - before}
        rows[f"{name} baseline"] = {"NDCG": before}
    # The paper counts a class only if all folds improve, so its worst fold decides.
    for kind, is_least in least_folds(paper).items():
        for name in ("all", "all baseline"):
            rows[name][f"NDCG {kind}"] = np.where(is_least, rows[name]["NDCG"], np.nan)
    rows["one field"] = {"NDCG": ndcg(pd.Series(training.one_field(task, paper)))}
    return pd.concat([scores_frame(paper, name, values) for name, values in rows.items()])


def least_folds(ranks: pd.DataFrame) -> dict[str, Any]:
    """Say by class which citations are in its fold that training helps least."""
    gained = training.by_fold(ranks)["improvement"].dropna()
    least = gained.groupby("kind").idxmin()
    return {kind: (ranks["kind"] == kind) & (ranks["fold"] == fold) for kind, fold in least}


def cells_of(ranks: pd.DataFrame, scores: pd.DataFrame) -> list[Cell]:
    """Return the numbers of the table, but for improvements over a baseline of 0."""
    cells: list[Cell] = []
    by_fold = training.by_fold(ranks)
    for method, rows in scores.drop(columns="fold").groupby("method", sort=False):
        if method in by_fold.index:
            cells += improvements(str(method), by_fold.loc[[method]])
        cells += means(rows)
    return [cell for cell in cells if np.isfinite(cell.value)]


def improvements(kind: str, by_fold: pd.DataFrame) -> list[Cell]:
    """Return what training gives in each fold of a class, in percent."""
    gained = by_fold["improvement"].to_numpy()
    sizes = by_fold["n"].tolist()
    n = sum(sizes)
    sd = gained.std(ddof=1)
    values = {
        "citations": n,
        "folds improved": (gained > 0).sum(),
        "mean": gained.mean(),
        "sd": sd,
        "minus sd": -sd,
    }
    cells = [Cell(kind, f"fold {i + 1}", gained[i], size) for i, size in enumerate(sizes)]
    return cells + [Cell(kind, metric, value, n) for metric, value in values.items()]


def questions(scores: pd.DataFrame) -> pd.DataFrame:
    """Answer `QUESTIONS` by differences between rows, with intervals over citing articles."""
    ndcg = {str(name): rows["NDCG"].to_numpy() for name, rows in scores.groupby("method")}
    # the rows that are compared have the same citations, in the same order
    articles = scores.loc[scores["method"] == "all", "topic"]
    rows = []
    for question, first, second in QUESTIONS:
        if {first, second} <= ndcg.keys():
            new = ndcg[first]
            old = ndcg[second]
            mean = mean_over(new - old, articles)
            rows.append((question, first, second, new.mean(), old.mean(), *mean.table_numbers))
    numbers = ["first NDCG", "second NDCG", "difference", "ci_low", "ci_high"]
    answers = pd.DataFrame(rows, columns=["question", "first", "second", *numbers])
    return answers.assign(n=len(articles), articles=articles.nunique())
