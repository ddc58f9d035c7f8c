"""What indexing and searching a collection costs as it grows to 100,000 articles.

Run as ``python -m benchmarks.growth [ARTICLES ...]``: writes ``benchmarks/growth.csv``, from which
``make readme`` makes the table of ``docs/scaling.md``. The
articles are made up by parts, where they are indexed, so that nothing has to be stored or
classified: numbers for words, but as many, as frequent and in as long articles and sentences as in
the 2,995 of Citation-Integrity. What is counted is processor time, which a busy machine changes
little, and the memory of the largest process.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.apps import parts
from citectx.corpora.coresc import CLASSES
from citectx.paths import ROOT
from citectx.recommendation.collection import Collection
from citectx.storage import write_atomically

SIZES = (3_000, 30_000, 100_000)
PART = 2_500  # articles
QUERIES, TERMS = 50, 45
RESULTS = ROOT / "benchmarks" / "growth.csv"

SHARES = np.array([0.271, 0.104, 0.158, 0.012, 0.003, 0.113, 0.026, 0.001, 0.019, 0.104, 0.189])
"""Of the classes among the sentences of Citation-Integrity, in the order of `CLASSES`."""


@dataclass(frozen=True)
class MadeUp:
    """Articles of numbered words, the same wherever they are made.

    Frequencies fall with the rank r as r^-0.9 at first and as r^-2 beyond some 5,000 words, as they
    do in Citation-Integrity; 16.5 million words are 185,000 different ones (160,000 there, as
    authors repeat themselves).
    """

    articles: int
    first: int = 0

    def __len__(self) -> int:
        return self.articles

    def only(self, first: int, last: int) -> Self:
        """Keep the articles from `first` up to `last`."""
        return replace(self, articles=last - first, first=self.first + first)

    def stamp(self, first: int, last: int) -> str:
        """Nothing changes between runs."""
        return f"made up: {first}-{last}"

    @cached_property
    def law(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cumulative probability at some ranks, and these ranks."""
        ranks = np.unique(np.geomspace(1, 1e8, 20_000).round())
        density = ranks**-0.9 / (1 + (ranks / 5_000) ** 1.15)
        mass = np.concatenate([[density[0]], (density[1:] + density[:-1]) / 2 * np.diff(ranks)])
        return mass.cumsum() / mass.sum(), ranks

    def words(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw words by their rank."""
        return np.ceil(np.interp(rng.random(size), *self.law)).astype(np.int64)

    def collection(self, first: int, last: int) -> Collection:
        """Make the articles from `first` up to `last`."""
        words, sentences, classes = [], [], []
        numbers = range(self.first + first, self.first + last)
        for number in numbers:
            rng = np.random.default_rng([0, number])
            size = int(rng.lognormal(8.54, 0.4)) + 30
            lengths = rng.gamma(3.3, 8.0, size=size // 26 + 1).astype(np.int64) + 1
            kinds = rng.choice(len(SHARES), size=len(lengths), p=SHARES / SHARES.sum())
            new = rng.random(len(lengths)) < 0.5  # else the class of the sentence before
            last_new = np.maximum.accumulate(np.where(new, np.arange(len(lengths)), 0))
            words.append(self.words(rng, int(lengths.sum())))
            sentences.append(lengths)
            classes.append(kinds[last_new])
        ranks, tokens = np.unique(np.concatenate(words), return_inverse=True)
        counts = [len(own) for own in sentences]
        return Collection(
            tuple(CLASSES),
            tuple(f"M{number:07}" for number in numbers),
            tuple(f"w{rank:09}" for rank in ranks.tolist()),
            tokens.astype(np.int32),
            np.concatenate(sentences).cumsum(),
            np.repeat(np.arange(len(counts)), counts),
            np.concatenate(classes),
        )

    def queries(self) -> list[tuple[str, ...]]:
        """Draw as many terms as a citing passage has; the hundred most frequent are stop words."""
        rng = np.random.default_rng(1)
        drawn = (np.unique(self.words(rng, 4 * TERMS)) for _ in range(QUERIES))
        return [tuple(f"w{rank:09}" for rank in own[own > 100][:TERMS].tolist()) for own in drawn]


def measure(stage: str, articles: int, folder: Path) -> str:
    """Run a stage in two workers; return seconds, and megabytes of client and largest worker.

    The seconds are of processor time.
    """
    source, index = MadeUp(articles), folder / "index"
    if stage == "index":
        parts.index(source, index, -(-articles // PART), jobs=2)
    else:
        parts.search(index, source.queries(), jobs=2)
    own, workers = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(r.ru_utime + r.ru_stime for r in (own, workers))
    return f"{seconds} {own.ru_maxrss / 1024} {workers.ru_maxrss / 1024}"


def alone(articles: int, folder: Path) -> str:
    """Search for one query at a time; return seconds of processor time.

    The first search checks all files, the others only look up what they need: their mean is second.
    """
    spent = []
    for query in MadeUp(articles).queries():
        begun = time.process_time()
        parts.search(folder / "index", [query])
        spent.append(time.process_time() - begun)
    return f"{spent[0]} {np.mean(spent[1:])}"


def run(stage: str, articles: int, folder: Path) -> list[float]:
    """Run a stage in a process with a cache of its own; return the numbers that it prints."""
    call = [sys.executable, "-m", "benchmarks.growth", stage, str(articles), str(folder)]
    env = os.environ | {"CITECTX_CACHE": str(folder / "cache")}
    done = subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True, env=env)
    return [float(number) for number in done.stdout.split()]


def table(sizes: Sequence[int]) -> pd.DataFrame:
    """Measure each stage of each size in a process of its own."""
    rows = []
    for articles in sizes:
        folder = Path(tempfile.mkdtemp(prefix="citectx-growth-"))
        row: dict[str, str] = {"articles": f"{articles:,}", "parts": str(-(-articles // PART))}
        seconds, *memory = run("index", articles, folder)
        row["index, s"] = f"{seconds:.0f}"
        row["index, ms an article"] = f"{1000 * seconds / articles:.0f}"
        row["index: client and worker, MB"] = ", ".join(f"{each:.0f}" for each in memory)
        checked, mean = run("alone", articles, folder)
        row["check the files once, s"] = f"{checked:.1f}"
        row["one query alone, ms"] = f"{1000 * mean:.0f}"
        seconds, *memory = run("search", articles, folder)
        row[f"{QUERIES} queries, s"] = f"{seconds:.0f}"
        row["of them a query, ms"] = f"{1000 * seconds / QUERIES:.0f}"
        row["search: client and worker, MB"] = ", ".join(f"{each:.0f}" for each in memory)
        size = sum(path.stat().st_size for path in (folder / "index").iterdir())
        row["on disk, GB"] = f"{size / 1e9:.2f}"
        row["kB an article"] = f"{size / 1e3 / articles:.1f}"
        shutil.rmtree(folder)
        rows.append(row)
        print(row, flush=True)
    return pd.DataFrame(rows)


def main(*arguments: str) -> None:
    if arguments[:1] == ("alone",):
        print(alone(int(arguments[1]), Path(arguments[2])))
        return
    if arguments[:1] in (("index",), ("search",)):
        print(measure(arguments[0], int(arguments[1]), Path(arguments[2])))
        return
    found = table([int(a) for a in arguments] or SIZES)
    write_atomically(RESULTS, found.to_csv(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
