"""The leaderboard: anybody's runs scored, with the data named, and the rows on its page.

``python -m citectx.beyond.leaderboard`` makes ``results/open/leaderboard``; docs/leaderboard.md
says what was declared before.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from citectx import __version__
from citectx.beyond.ltr import LTR, choose_c, examples, held_out, regression, values_of
from citectx.beyond.scisumm_runs import COUNTS, entries, f1, fill_in, official, read_runs, to_run
from citectx.corpora.model import Corpus
from citectx.corpora.sources import folder, source
from citectx.corpora.text_files import Row
from citectx.errors import MissingDataError, ParameterError
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.rankings import evaluate, leaderboard, qrels, rank, read_run
from citectx.experiments.report import KEYS, TESTS, Cell, compare, means, part, tabulate
from citectx.experiments.results import Result
from citectx.experiments.tuning import chosen, tune, tuned_scores, variants
from citectx.ledger.intervals import interval
from citectx.ledger.view import ByTopic
from citectx.profiles import LISTENERS, load, profile
from citectx.retrieval import RetrievalModel
from citectx.retrieval.dense import open_encoder
from citectx.storage import sha
from citectx.types import Floats, Span

NAME = "leaderboard"
GOLD, TRAINING, TEN = "scisumm-gold", "scisumm-train", "citation-integrity"
SOURCES = {GOLD: "scisumm-corpus", TEN: "citation-integrity-annotations"}
OFFICIAL, MACRO = "official F1", "official F1 (macro)"
METRICS = ["c-F", "nDCG", "c-P@1"]
ENCODED = ["Dense", "BM25+Dense"]
FOLDS, SEED = 10, 0
MOST = 3
"""Sentences that a row of ours may return on CL-SciSumm."""


def named_data(corpus: Corpus) -> dict[str, str]:
    """Name the data of a line: upstream's commit, the SHA-256 of the judgements, our version."""
    upstream = source(SOURCES[corpus.name]).upstream if corpus.name in SOURCES else ["-"]
    judgements = sha(qrels(prepare(corpus)))
    return {"data": " ".join(upstream), "qrels": judgements, "citectx": __version__}


def opened(path: Path, corpus: Corpus, k: int) -> Iterator[tuple[pd.DataFrame, Any, int]]:
    """Yield each run of a file or folder, the organisers' counts, and how many spans count.

    Of a run in files of CL-SciSumm all sentences count; of a ranking, the first k.
    """
    if path.is_dir():
        for name, rows in read_runs(path).items():
            run, findings = to_run(corpus, name, rows)
            for finding in findings:
                LISTENERS.info(finding)
            yield run, official(entries(rows)), len(run)
    else:
        for _, run in read_run(path).groupby("method", sort=False):
            counts = official(fill_in(corpus, run, k)) if corpus.name == GOLD else None
            yield run, counts, k


def cmd_evaluate(runs: Sequence[Path], corpus: str, metrics: Sequence[str], k: int) -> None:
    """Run ``citectx evaluate``: print the means of all runs, then each against the first."""
    loaded = load(corpus)
    frames, cells = list[pd.DataFrame](), list[Cell]()
    for run, counts, most in (one for path in runs for one in opened(path, loaded, k)):
        frames.append(evaluate(loaded, run, metrics, most))
        if counts is not None:
            cells += official_cells(run["method"].iloc[0], counts)
    scores = pd.concat(frames)
    if scores.duplicated(KEYS).any():
        raise ParameterError("two runs have the same name (the tag, the last column): rename one")
    table = tabulate("runs", corpus, [*means(scores, SEED), *cells], SEED)
    tests = compare(scores, SEED, [scores["method"].iloc[0]])
    for frame in (table[["method", "metric", "n", "value", "ci_low", "ci_high"]], tests):
        if len(frame):
            shown = frame.dropna(axis=1, how="all")
            print(shown.to_string(index=False, float_format="%.4f"), end="\n\n")
    print(*(f"{name}: {value}" for name, value in named_data(loaded).items()), sep="\n")


def official_cells(method: str, counts: pd.DataFrame) -> list[Cell]:
    """Return the organisers' two F1 in percent, the first with its interval over topics."""
    macro = 100 * f1(counts)[1]
    return [cell(method, OFFICIAL, by_topic(counts)), Cell(method, MACRO, macro, len(counts))]


def by_topic(counts: pd.DataFrame) -> ByTopic:
    """Write the organisers' micro F1, which is one ratio, as a weighted mean of the topics' F1."""
    right, wrong, missed = counts.groupby("topic", sort=False)[COUNTS].sum().to_numpy().T
    sizes = 2 * right + wrong + missed
    return ByTopic(200 * right / sizes, sizes / sizes.sum())


def cell(method: str, metric: str, score: ByTopic) -> Cell:
    """Return a mean with Student's t interval over topics."""
    _, *ends = interval(score.mean, score.moves, score.shares)[:3]
    return Cell(method, metric, score.mean, len(score.means), (ends[0], ends[1]))


# --- the rows of the page


def best_runs() -> dict[str, list[Row]]:
    """Return the run of each team of 2020 with the best official F1, by team and run."""
    place = folder("scisumm-runs-2020") / "CLSciSumm_2020_Evaluation"
    runs = {name.partition("/")[2]: rows for name, rows in read_runs(place).items()}
    scores = pd.Series({name: f1(official(entries(rows)))[0] for name, rows in runs.items()})
    best = scores.groupby(lambda name: name.partition("/")[0]).idxmax()
    return {name: runs[name] for name in best}


def trained(
    topics: Sequence[Prepared],
) -> Iterator[tuple[str, RetrievalModel, dict[str, Any], list[Floats]]]:
    """Yield name, model, parameters, and scores of topics by models of other folds."""
    for name in available("VSM", "BM25", "LMD"):
        tuned = tune(topics, variants(name, TRAINING), FOLDS)
        pairs = zip(topics, tuned.chosen.values(), strict=True)
        yield name, tuned.best, tuned.best.params(), [topic.scores(m) for topic, m in pairs]
    values, marked = values_of(topics), [topic.relevant for topic in topics]
    held, _ = held_out(values, marked, FOLDS)
    x, y, numbers = examples(values, marked)
    c = choose_c(x, y, numbers, FOLDS)
    yield "LTR", LTR.of(regression(c).fit(x, y), {}), {"C": c}, held


def available(*names: str) -> list[str]:
    """Add the rows with an encoder, or say why they are left out."""
    try:
        open_encoder()
    except MissingDataError as error:
        print(f"{' and '.join(ENCODED)} are left out: {error}")
        return [*names]
    return [*names, *ENCODED]


def best_number(topics: Sequence[Prepared], scores: Sequence[Floats]) -> int:
    """Choose how many sentences have the best official F1 on topics with one annotator."""
    values = []
    for n in range(1, MOST + 1):
        said, gold = dict[Any, Sequence[Span]](), dict[Any, Sequence[Span]]()
        for topic, rows in zip(topics, scores, strict=True):
            for citance, row in zip(topic.citances, rows, strict=True):
                key = topic.topic.topic_id, citance.citing_id
                said[key] = topic.retrieve(row, n)
                (gold[key],) = citance.gold.values()
        right = sum(span in gold[key] for key, spans in said.items() for span in spans)
        values.append(2 * right / sum(map(len, [*said.values(), *gold.values()])))
    return 1 + int(np.argmax(values))


def scisumm() -> Result:
    """Report on CL-SciSumm's 20 topics: the best run of each team, and rows of ours."""
    gold, training = load(GOLD), prepare(load(TRAINING))
    topics, by_method = prepare(gold), dict[str, dict[str, Any]]()
    runs, rankings = list[tuple[pd.DataFrame, pd.DataFrame]](), dict[str, list[RetrievalModel]]()
    for name, rows in best_runs().items():
        run, _ = to_run(gold, name, rows)
        runs.append((official(entries(rows)), evaluate(gold, run, ["c-F"], len(run))))
    for name, model, params, held in trained(training):
        rankings[name] = [model] * len(topics)
        run, best = rank(topics, name, rankings[name]), best_number(training, held)
        for n in range(1, MOST + 1):
            row = f"{name}, {n}"
            by_method[row] = params | {"sentences": n, "chosen": n == best}
            scored = evaluate(gold, run, ["c-F", "nDCG"], n).assign(method=row)
            runs.append((official(fill_in(gold, run, n)), scored))
    scores, macro = dict[tuple[str, str], ByTopic](), list[Cell]()
    for counts, scored in runs:
        row = scored["method"].iloc[0]
        macro.append(official_cells(row, counts)[1])
        scores[row, OFFICIAL] = by_topic(counts)
        codes, _ = pd.factorize(scored["topic"])
        for metric in scored.columns.drop(KEYS):
            scores[row, metric] = ByTopic.of(scored[metric].to_numpy(), codes, len(codes))
    cells = [cell(*key, score) for key, score in scores.items()]
    about: dict[str, Any] = {"params": named_data(gold), "by_method": by_method}
    about["files"] = leaderboard(topics, rankings, GOLD) | {f"qrels.{GOLD}.txt": qrels(topics)}
    everything = pd.concat([scored for _, scored in runs], ignore_index=True)
    (lexical,) = (row for row in by_method if row[:5] == "BM25," and by_method[row]["chosen"])
    others = [row for row, metric in scores if metric == OFFICIAL and row not in by_method]
    best_of_others = max(others, key=lambda row: scores[row, OFFICIAL].mean)
    tests = differences(scores, [best_of_others, lexical])
    return part(NAME, gold, everything, SEED, cells=[*cells, *macro], tests=tests, **about)


def differences(scores: Mapping[tuple[str, str], ByTopic], rivals: Sequence[str]) -> pd.DataFrame:
    """Compare each row with some others, by Student's t over topics."""
    rows = []
    for ((row, metric), score), rival in product(scores.items(), rivals):
        other = scores.get((rival, metric))
        if row != rival and other:
            shares = (score.shares + other.shares) / 2
            told = interval(score.mean - other.mean, score.moves - other.moves, shares)
            p_value = 2 * stdtr(told.df, -abs(told.effect / told.error))
            rows.append((row, metric, rival, *told[:3], p_value))
    return pd.DataFrame(rows, columns=TESTS)


def ten() -> Result:
    """Report on Citation-Integrity's ten articles: the encoder, which no table of a paper has."""
    corpus = load(TEN)
    rows = {name: variants(name, TEN) for name in available("BM25")}
    tuned, scores = tuned_scores(prepare(corpus), rows, FOLDS, METRICS)
    about: dict[str, Any] = {"params": named_data(corpus), "by_method": chosen(tuned)}
    return part(NAME, corpus, scores, SEED, tests=compare(scores, SEED, ["BM25"]), **about)


if __name__ == "__main__":
    made = Result.of(NAME, [ten(), scisumm()])
    print(made.write(profile("open").results / NAME, command=f"python -m citectx.beyond.{NAME}"))
