"""CL-SciSumm's Task 1a beyond the papers: the official score on the public gold topics."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus, Topic
from citectx.corpora.scisumm import GOLD, read_gold, read_test, read_training
from citectx.evaluation.scisumm import AVERAGES, Task1a, averages, score_run
from citectx.evaluation.significance import Interval
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, fingerprint, timed
from citectx.papers.scisumm.run import majority_facet, write_run
from citectx.papers.scisumm.tuning import METHODS, Choice, Training

NAME = "scisumm_task1a"
RESAMPLES = 10_000


@timed
def run(folder: Path, *, methods: Sequence[str] = METHODS, seed: int = 0, training: Corpus | None = None) -> Result:
    """Tune each method on the training topics, write its run for the gold topics, and score it.

    The best published run had a micro F of 0.145 in 2018 and of 0.172 in 2020, on all 20 test topics; we have
    the gold annotations of four, so compare with care. Nothing is chosen on them.

    Rows have the metrics of `citectx.evaluation.scisumm.AVERAGES`, as fractions, and the F of the training
    topics (corpus ``scisumm-train``, metric ``exact-F``). ``micro-F (repaired)`` takes the reference article
    of a gold row from the file's name, where the official score finds one column empty: see `score_run`.

    Ambiguity: no interval is published. Ours is 95 %, from a bootstrap over gold files. Files of one topic
    are not independent, so it is too narrow.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    methods : sequence of str
        See `citectx.papers.scisumm.tuning.METHODS`.
    seed : int
        Of the bootstrap.
    training : Corpus, optional
        The training topics, if they are read already.

    Returns
    -------
    Result
        Its extra table ``files`` has right, wrong and missed sentences of each gold file.

    Raises
    ------
    MissingDataError
        If the corpus, or the vectors of a method, are not there.
    ParameterError
        For an unknown method.
    """
    training = training or read_training(folder)
    gold = read_gold(folder)
    wanted = {topic.topic_id for topic in gold}
    topics = [topic for topic in read_test(folder) if topic.topic_id in wanted]
    ready, facet = Training(training), majority_facet(training)
    parts = []
    for method in methods:
        choice = ready.tune(method)
        official, repaired = _score(folder, topics, choice, facet)
        parts.append(Result(NAME, _rows(choice, official, repaired, seed), extra={"files": _files(method, official)}))
    data = {corpus.name: fingerprint(corpus) for corpus in (training, gold)}
    return replace(Result.of(NAME, parts), data=data)


def _score(folder: Path, topics: Sequence[Topic], choice: Choice, facet: str) -> tuple[Task1a, Task1a]:
    """Score as the official program does, by way of files; as printed, then repaired."""
    gold = folder / "data" / GOLD / "Task1"
    with tempfile.TemporaryDirectory() as name:
        write_run(folder, topics, choice, facet, Path(name))
        return score_run(gold, Path(name)), score_run(gold, Path(name), articles="from file name")


def _rows(choice: Choice, official: Task1a, repaired: Task1a, seed: int) -> pd.DataFrame:
    def cell(scored: Task1a, metric: str, ending: str = "") -> Cell:
        value, bounds = scored.averages()[metric], interval(scored, metric, seed)
        return Cell(choice.method, metric + ending, value, len(scored.files), bounds)

    gold = [*(cell(official, metric) for metric in AVERAGES), cell(repaired, "micro-F", " (repaired)")]
    training = Cell(choice.method, "exact-F", choice.training, choice.topics)
    params = choice.params() | {"tuned on": "scisumm-train"}
    tables = {"scisumm-gold": gold, "scisumm-train": [training]}
    return pd.concat(tabulate(NAME, name, cells, seed, params) for name, cells in tables.items())


def interval(scored: Task1a, metric: str, seed: int) -> Interval:
    """Return a 95 % percentile bootstrap interval of an average, drawing gold files with replacement.

    >>> same = Task1a(("T1_a", "T1_b"), np.array([[1, 1, 0], [2, 2, 0]]))
    >>> interval(same, "micro-P", seed=0)
    Interval(low=0.5, high=0.5)
    """
    n = len(scored.files)
    draws = np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))
    low, high = np.quantile(averages(scored.counts[draws])[metric], [0.025, 0.975])
    return Interval(float(low), float(high))


def _files(method: str, scored: Task1a) -> pd.DataFrame:
    counts = pd.DataFrame(scored.counts, columns=["right", "wrong", "missed"])
    files = pd.DataFrame({"method": method, "file": scored.files})
    return files.join(counts)
