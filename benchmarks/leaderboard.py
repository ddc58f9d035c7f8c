"""The rows of docs/leaderboard.md on CL-SciSumm; the page says what was declared before.

``python -m benchmarks.leaderboard`` makes ``results/open/leaderboard``.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from citectx.beyond.leaderboard import GOLD, OFFICIAL, named_data
from citectx.beyond.ltr import LTR, choose_c, examples, held_out, regression, values_of
from citectx.beyond.scisumm_runs import entries, f1, fill_in, official, read_runs, to_run
from citectx.corpora.sources import folder
from citectx.corpora.text_files import Row
from citectx.errors import MissingDataError
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.rankings import evaluate, leaderboard, qrels, rank
from citectx.experiments.report import KEYS, TESTS, Cell, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import tune, variants
from citectx.ledger.intervals import interval
from citectx.ledger.view import ByTopic
from citectx.profiles import load, profile
from citectx.retrieval import OPTIONAL, RetrievalModel
from citectx.retrieval.dense import open_encoder
from citectx.types import Floats

NAME, TRAINING = "leaderboard", "scisumm-train"
FOLDS, SEED = 10, 0
NUMBERS = (1, 2, 3)
"""How many sentences a row of ours may return."""
MICRO, MACRO = OFFICIAL

Scored = tuple[pd.DataFrame, pd.DataFrame]
"""Scores by citance, and what `official` returns, of one run."""


def by_topic(runs: Iterable[Scored]) -> dict[tuple[str, str], ByTopic]:
    """Sum scores up by topic, for each run and metric."""
    sums = {}
    for scores, units in runs:
        method, codes = scores["method"].iloc[0], scores["topic"].factorize()[0]
        for metric in scores.columns.drop(KEYS):
            sums[method, metric] = ByTopic.of(scores[metric].to_numpy(), codes, len(codes))
        codes = units["topic"].factorize()[0]
        right = 100.0 * units["right"].to_numpy()
        sums[method, MICRO] = ByTopic.of(right, codes, len(codes))
    return sums


def cells(runs: Iterable[Scored]) -> list[Cell]:
    """Return means with Student's t intervals over topics, and the organisers' macro F1."""
    told = []
    for key, score in by_topic(runs).items():
        _, low, high, *_ = interval(score.mean, score.moves, score.shares)
        told.append(Cell(*key, score.mean, len(score.means), (low, high)))
    for scores, units in runs:
        macro = 100 * f1(units)[1]
        told.append(Cell(scores["method"].iloc[0], MACRO, macro, units["file"].nunique()))
    return told


def differences(runs: Iterable[Scored], rivals: Sequence[str]) -> pd.DataFrame:
    """Compare each run with some of them, by Student's t over topics."""
    sums, rows = by_topic(runs), []
    for ((row, metric), score), rival in product(sums.items(), rivals):
        other = sums.get((rival, metric))
        if row != rival and other:
            shares = (score.shares + other.shares) / 2
            told = interval(score.mean - other.mean, score.moves - other.moves, shares)
            p_value = 2 * stdtr(told.df, -abs(told.effect / told.error))
            rows.append((row, metric, rival, *told[:3], p_value))
    return pd.DataFrame(rows, columns=TESTS)


def best_runs() -> dict[str, list[Row]]:
    """Return the run of each team of 2020 with the best official F1, by team and run."""
    place = folder("scisumm-runs-2020") / "CLSciSumm_2020_Evaluation"
    runs = {name.partition("/")[2]: rows for name, rows in read_runs(place).items()}
    scores = pd.Series({name: f1(official(entries(rows)))[0] for name, rows in runs.items()})
    best = scores.groupby(lambda name: name.partition("/")[0]).idxmax()
    return {name: runs[name] for name in best}


def trained(topics: Sequence[Prepared]) -> Iterator[tuple[str, RetrievalModel, list[Floats]]]:
    """Yield name and model of each row of ours, and scores of topics by models of other folds."""
    names = ["VSM", "BM25", "LMD", *OPTIONAL]
    try:
        open_encoder()
    except MissingDataError as error:
        print(f"{' and '.join(OPTIONAL)} are left out: {error}")
        names = names[:3]
    for name in names:
        tuned = tune(topics, variants(name, TRAINING), FOLDS)
        pairs = zip(topics, tuned.chosen.values(), strict=True)
        yield name, tuned.best, [topic.scores(model) for topic, model in pairs]
    values, marked = values_of(topics), [topic.relevant for topic in topics]
    x, y, numbers = examples(values, marked)
    c = choose_c(x, y, numbers, FOLDS)
    held, _ = held_out(values, marked, FOLDS)
    yield "LTR", LTR.of(regression(c).fit(x, y), {"C": c}), held


def best_number(topics: Sequence[Prepared], scores: Sequence[Floats]) -> int:
    """Choose how many sentences have the best official F1 on topics with one annotator."""
    said, gold, values = dict[Any, Any](), dict[Any, Any](), list[float]()
    for n in NUMBERS:
        for topic, matrix in zip(topics, scores, strict=True):
            for citance, row in zip(topic.citances, matrix, strict=True):
                key = topic.topic.topic_id, citance.citing_id  # the last citance of an article wins
                said[key] = topic.retrieve(row, n)
                gold[key] = [*chain.from_iterable(citance.gold.values())]
        right = sum(span in gold[key] for key in said for span in said[key])
        values.append(2 * right / sum(map(len, [*said.values(), *gold.values()])))
    return NUMBERS[int(np.argmax(values))]


def report() -> Result:
    """Report on CL-SciSumm's 20 topics: the best run of each team, and rows of ours."""
    gold, training = load(GOLD), prepare(load(TRAINING))
    topics, runs, rankings = prepare(gold), list[Scored](), dict[str, Any]()
    by_method = dict[str, dict[str, Any]]()
    for name, rows in best_runs().items():
        run, _ = to_run(gold, name, rows)
        runs.append((evaluate(gold, run, ["c-F"], len(run)), official(entries(rows))))
    best, _ = max(runs, key=lambda scored: f1(scored[1]))
    for name, model, held in trained(training):
        rankings[name] = [model] * len(topics)
        run, number = rank(topics, name, rankings[name]), best_number(training, held)
        params = model.card if isinstance(model, LTR) else model.params()
        for n in NUMBERS:
            row = f"{name}, {n}"
            by_method[row] = {**params, "sentences": n, "chosen": n == number}
            scores = evaluate(gold, run, ["c-F", "nDCG"], n).assign(method=row)
            runs.append((scores, official(fill_in(gold, run, n))))
    lexical = (row for row in by_method if row.startswith("BM25,") and by_method[row]["chosen"])
    about: dict[str, Any] = {"params": named_data(gold), "by_method": by_method}
    about["tests"] = differences(runs, [best["method"].iloc[0], *lexical])
    about["files"] = leaderboard(topics, rankings, GOLD) | {f"qrels.{GOLD}.txt": qrels(topics)}
    scores = pd.concat([scores for scores, _ in runs], ignore_index=True)
    return part(NAME, gold, scores, SEED, cells=cells(runs), **about)


if __name__ == "__main__":
    made = report().write(profile("open").results / NAME, command=f"python -m benchmarks.{NAME}")
    print(made)
