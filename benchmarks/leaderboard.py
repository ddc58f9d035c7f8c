"""The rows of docs/leaderboard.md on CL-SciSumm; the page says what was declared before.

``python -m benchmarks.leaderboard`` makes ``results/open/leaderboard``; its tables ``encoder``
only where the encoder is installed.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from citectx.beyond.leaderboard import GOLD, OFFICIAL, named_data, official_cells
from citectx.beyond.ltr import LTR, held_out, train, values_of
from citectx.beyond.scisumm_runs import entries, f1, fill_in, official, read_runs, to_run
from citectx.beyond.table import METRICS
from citectx.cache import LIBRARIES
from citectx.catalogue import load
from citectx.corpora.sources import folder
from citectx.corpora.text_files import Row
from citectx.errors import MissingDataError
from citectx.evaluation.intervals import student
from citectx.experiments.contextualization import Prepared, measure_rows, prepare
from citectx.experiments.rankings import evaluate, leaderboard, qrels, rank
from citectx.experiments.report import KEYS, TESTS, compare, means, part
from citectx.experiments.results import Result
from citectx.experiments.tuning import tune
from citectx.profiles import profile
from citectx.retrieval import OPTIONAL, RetrievalModel, variants
from citectx.retrieval.dense import PACKAGES, open_encoder
from citectx.types import Floats

NAME, TRAINING = "leaderboard", "scisumm-train"
FOLDS, SEED = 10, 0
ASKED = "c-F (asked)"
"""Mean over the citing sentences that participants were asked."""
OF_PAPERS = ("VSM", "BM25", "LMD")
EMBEDDED = ("DESM", "WE_Wiki", "WE_Dom")
"""Rows with word vectors, added when the others had been scored."""
NUMBERS = (1, 2, 3)
"""How many sentences a row of ours may return."""
ENCODED = ("BM25", *OPTIONAL)


def difference(units: pd.DataFrame, others: pd.DataFrame) -> tuple[float, float, float, float]:
    """Compare two runs in official F1 (micro): difference, interval over topics, p-value.

    F1 is the share of right units. A topic moves it by its right units beyond that share.
    """
    effects, moves, shares = [], [], []
    for frame in (units, others):
        right = 100.0 * frame["right"]
        effects.append(right.mean())
        topics = (right - right.mean()).groupby(frame["topic"])
        moves.append(topics.sum().to_numpy() / len(frame))
        shares.append(topics.size().to_numpy() / len(frame))
    mean = student(effects[0] - effects[1], moves[0] - moves[1], (shares[0] + shares[1]) / 2)
    p_value = 2 * stdtr(mean.df, -abs(mean.effect / mean.error))
    return *mean.numbers, p_value


def best_runs() -> dict[str, list[Row]]:
    """Return the run of each team of 2020 with the best official F1, by team and run."""
    place = folder("scisumm-runs-2020") / "CLSciSumm_2020_Evaluation"
    runs = {name.partition("/")[2]: rows for name, rows in read_runs(place).items()}
    scores = pd.Series({name: f1(official(entries(rows)))[0] for name, rows in runs.items()})
    best = scores.groupby(lambda name: name.partition("/")[0]).idxmax()
    return {name: runs[name] for name in best}


def installed() -> list[str]:
    """Name the rows of the encoder, or say why they are left out."""
    try:
        open_encoder()
    except MissingDataError as error:
        print(f"{' and '.join(OPTIONAL)} are left out: {error}")
        return []
    return [*OPTIONAL]


def trained(topics: Sequence[Prepared]) -> Iterator[tuple[str, RetrievalModel, list[Floats]]]:
    """Yield name and model of each row of ours, and scores of topics by models of other folds."""
    for name in (*OF_PAPERS, *EMBEDDED, *installed()):
        tuned = tune(topics, variants(name, TRAINING), FOLDS)
        yield name, tuned.best, tuned.scores(topics)
    held, _ = held_out(values_of(topics), [topic.relevant for topic in topics], FOLDS)
    yield "LTR", train([TRAINING]), held


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
    topics, by_method = prepare(gold), dict[str, dict[str, Any]]()
    sent = best_runs()
    said = {name: entries(rows) for name, rows in sent.items()}
    best = max(said, key=lambda name: f1(official(said[name])))
    theirs = pd.concat([to_run(gold, name, rows) for name, rows in sent.items()])
    frames = [evaluate(gold, theirs, ["c-F"], len(theirs))]
    models, numbers = dict[str, RetrievalModel](), dict[str, int]()
    for name, model, held in trained(training):
        models[name], numbers[name] = model, best_number(training, held)
    ranked = {name: [topic.scores(model) for topic in topics] for name, model in models.items()}
    ours = rank(topics, ranked)
    for n in NUMBERS:
        runs = ours.assign(method=ours["method"] + f", {n}")
        frames.append(evaluate(gold, runs, ["c-F", "nDCG"], n))
        said |= {str(row): fill_in(gold, run, n) for row, run in runs.groupby("method")}
        for name, model in models.items():
            params = model.card if isinstance(model, LTR) else model.params()
            by_method[f"{name}, {n}"] = {**params, "sentences": n, "chosen": n == numbers[name]}
    scores = pd.concat(frames, ignore_index=True)
    cells = means(scores) + [cell for row in said for cell in official_cells(row, said[row])]
    (lexical,) = (row for row in by_method if row.startswith("BM25,") and by_method[row]["chosen"])
    units = {row: official(said[row]) for row in said}
    tests = list[pd.DataFrame]()
    tuned = scores[scores["method"].isin(by_method)]
    asked = scores.merge(theirs[["topic", "citance"]].drop_duplicates())
    tests.append(compare(asked[KEYS].assign(**{ASKED: asked["c-F"]}), [best]))
    for rival, compared in ((best, scores[[*KEYS, "c-F"]]), (lexical, tuned)):
        others = sorted(units.keys() - {rival})
        told = [(row, OFFICIAL, rival, *difference(units[row], units[rival])) for row in others]
        tests += [pd.DataFrame(told, columns=TESTS), compare(compared, [rival])]
    about: dict[str, Any] = {"params": named_data(gold), "by_method": by_method}
    listed = {name: ranked[name] for name in ranked if name not in EMBEDDED}
    about["files"] = leaderboard(topics, listed, GOLD) | {f"qrels.{GOLD}.txt": qrels(topics)}
    return part(NAME, gold, scores, SEED, cells=cells, tests=pd.concat(tests), **about)


def encoder() -> Result:
    """Report on the encoder beside BM25, both tuned as in Table 1."""
    parts = []
    for corpus in map(load, ("citation-integrity", "citation-integrity-31", GOLD)):
        topics = prepare(corpus)
        tuned = {name: tune(topics, variants(name, corpus.name), FOLDS) for name in ENCODED}
        ranked = {name: choice.scores(topics) for name, choice in tuned.items()}
        scores = measure_rows(topics, ranked, METRICS)
        params = topics[0].protocol.params() | {"folds": FOLDS}
        tests = compare(scores, ENCODED[:1])
        by_method = {name: {"chosen": choice.counts()} for name, choice in tuned.items()}
        parts.append(
            part("encoder", corpus, scores, SEED, tests=tests, params=params, by_method=by_method)
        )
    return Result.of("encoder", parts)


if __name__ == "__main__":
    place = profile("open").results / NAME
    results, libraries = [report()], [*LIBRARIES]
    if installed():
        results.append(encoder())
        libraries += PACKAGES
    for result in results:
        print(result.write(place, libraries=libraries, command=f"python -m benchmarks.{NAME}"))
