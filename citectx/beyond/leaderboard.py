"""Anybody's runs, scored and compared, with the data named: ``citectx evaluate``."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from citectx import __version__
from citectx.beyond.scisumm_runs import Entry, entries, f1, fill_in, official, read_runs, to_run
from citectx.catalogue import load
from citectx.corpora.model import Corpus
from citectx.corpora.sources import source
from citectx.errors import ParameterError
from citectx.evaluation import mean_over
from citectx.experiments.contextualization import prepare
from citectx.experiments.rankings import evaluate, qrels, read_run
from citectx.experiments.report import KEYS, Cell, compare, means, tabulate
from citectx.storage import sha

GOLD = "scisumm-gold"
SOURCES = {GOLD: "scisumm-corpus", "citation-integrity": "citation-integrity-annotations"}
"""The corpora of the leaderboard, and where they come from."""
OFFICIAL = "official F1"


def named_data(corpus: Corpus) -> dict[str, str]:
    """Name the data of a line: upstream's commit, the SHA-256 of the judgements, our version."""
    name = corpus.name
    if name in SOURCES:
        (name,) = source(SOURCES[name]).upstream
    # whoever has other judgements has another hash
    judgements = sha(qrels(prepare(corpus)))
    return {"data": name, "qrels": judgements, "citectx": __version__}


def open_runs(
    corpus: Corpus, path: Path, k: int
) -> Iterator[tuple[pd.DataFrame, list[Entry], int]]:
    """Yield each run of a file, what the organisers of CL-SciSumm see of it, and how many count.

    In a folder of CL-SciSumm's files these are all sentences, in a ranking the first k.
    """
    if path.is_dir():
        for name, rows in read_runs(path).items():
            run = to_run(corpus, name, rows)
            yield run, entries(rows), len(run)
    else:
        for _, run in read_run(path).groupby("method", sort=False):
            said = fill_in(corpus, run, k) if corpus.name == GOLD else []
            yield run, said, k


def official_cells(method: str, said: Sequence[Entry]) -> list[Cell]:
    """Return the organisers' F1 in percent; the micro one, a mean, with its interval."""
    units = official(said)
    # a mean over sentences, so it has an interval over topics
    micro = mean_over(100.0 * units["right"], units["topic"])
    files = units["file"].nunique()
    return [
        Cell.of(method, OFFICIAL, micro, files),
        Cell(method, f"{OFFICIAL} (macro)", 100 * f1(units)[1], files),
    ]


def cmd_evaluate(runs: Sequence[Path], corpus: str, metrics: Sequence[str], k: int) -> None:
    """Run ``citectx evaluate``: print the means of all runs, then each against the first."""
    loaded = load(corpus)
    frames: list[pd.DataFrame] = []
    cells: list[Cell] = []
    lengths: dict[str, float] = {}  # nDCG credits a span of any length that touches evidence
    for path in runs:
        for run, said, most in open_runs(loaded, path, k):
            frames.append(evaluate(loaded, run, metrics, most))
            lengths[run["method"].iloc[0]] = (run["end"] - run["start"]).mean()
            if said:
                cells += official_cells(run["method"].iloc[0], said)
    scores = pd.concat(frames)
    if (twice := scores.duplicated(KEYS)).any():
        tag = scores.loc[twice, "method"].iloc[0]
        raise ParameterError(f"two runs have the tag {tag} in the last column: rename one")
    table = tabulate("runs", corpus, [*means(scores), *cells], seed=0)
    tests = compare(scores, [scores["method"].iloc[0]])
    for frame in (table[["method", "metric", "n", "value", "ci_low", "ci_high"]], tests):
        if len(frame):
            shown = frame.dropna(axis=1, how="all")
            print(shown.to_string(index=False, float_format="%.4f", na_rep=""), end="\n\n")
    for method, length in lengths.items():
        print(f"{method}: spans of {length:.0f} characters on average")
    for name, value in named_data(loaded).items():
        print(f"{name}: {value}")
