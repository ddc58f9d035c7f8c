"""CL-SciSumm's Task 1a beyond the papers: runs for the blind test topics, and their score on the
public gold.

A run is the blind files of the test topics with the three empty columns filled.
"""

import csv
import html
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.apps.scisumm.tuning import METHODS, Choice, Training, bases_of
from citectx.corpora import sources
from citectx.corpora.files import bare
from citectx.corpora.model import Corpus, Document, Topic
from citectx.corpora.scisumm import GOLD, TEST, read_gold, read_test, read_training
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.evaluation import Interval
from citectx.evaluation.scisumm import AVERAGES, Task1a, averages, score_run
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, fingerprint, timed
from citectx.paths import data_dir
from citectx.storage import check_output, commit, write_atomically

NAME = "scisumm_task1a"
RESAMPLES = 10_000
COLUMNS = (
    "Citance Number|Reference Article|Citing Article|Citation Marker Offset|Citation Marker|Citation Offset|"
    "Citation Text|Citation Text Clean|Reference Offset|Reference Text|Discourse Facet"
).split("|")
"""Columns of the gold files; the last three are what a run adds."""


def cmd_scisumm_run(method: str, out: Path, *, force: bool) -> int:
    """Tune on the training topics, write the run and print what was chosen: ``citectx
    scisumm-run``.
    """
    need_space(out, data_dir() / "scisumm-corpus", force=force)
    bases_of(method)  # report an unknown method before reading anything
    folder = sources.folder("scisumm-corpus")
    training = read_training(folder)
    choice = Training(training).tune(method)
    written = write_run(
        folder, read_test(folder), choice, majority_facet(training), out, force=force
    )
    print(
        f"{method}: F {choice.training:.3f} on the training topics with {json.dumps(choice.params())}"
    )
    print(f"{len(written)} topics written to {out}")
    return 0


def write_run(
    folder: Path,
    topics: Iterable[Topic],
    choice: Choice,
    facet: str,
    out: Path,
    *,
    force: bool = False,
) -> list[Path]:
    """Write ``<TOPIC>.csv`` for each topic, and ``run.json`` with method, parameters and training
    score.

    ``run.json`` comes last, so where it is, the run is whole.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository, whose blind files are filled.
    topics : iterable of Topic
        Of the test part.
    choice : Choice
    facet : str
        The Discourse Facet of every row. Task 1b is not attempted; the column must not be empty.
    out : Path
        Made if missing.
    force : bool
        Replace a run that is there.

    Returns
    -------
    list of Path
        The CSV files.

    Raises
    ------
    ParameterError
        If a run is there and `force` is not set, or `out` is a file or holds blind files.
    DataError
        If the rows of a blind file are not the citances of its topic.
    MissingDataError
        If a blind file is not there.
    """
    need_space(out, folder, force=force)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for topic in topics:
        written.append(out / f"{topic.topic_id}.csv")
        write_atomically(
            written[-1], _filled(_blind_rows(folder, topic), topic, choice.sentences(topic), facet)
        )
    about = {
        "method": choice.method,
        "params": choice.params(),
        "training_f": round(choice.training, 4),
        "facet": facet,
        "facet_note": "the same for every row: the most frequent one of the training topics",
        "commit": commit(),
    }
    write_atomically(out / "run.json", json.dumps(about, indent=2) + "\n")
    return written


def need_space(out: Path, release: Path, *, force: bool) -> None:
    """Refuse a folder that already holds a run, unless it may be replaced, or tables of the
    release, always.
    """
    if out.exists() and not out.is_dir():
        raise ParameterError(f"{out} is a file: name a folder")
    for file in [*sorted(out.glob("*.csv")), *out.glob("run.json")]:
        check_output(file, inputs=[release], force=force)


def majority_facet(training: Corpus) -> str:
    """Return the most frequent facet of the training topics; among equals the first in the
    alphabet.

    Raises
    ------
    DataError
        If no annotation names one.
    """
    facets = Counter(
        f for t in training for c in t.citances for a in c.annotations for f in a.facet
    )
    if not facets:
        raise DataError("no annotation has a facet", file=training.name)
    return min(facets, key=lambda facet: (-facets[facet], facet))


def _blind_rows(folder: Path, topic: Topic) -> list[dict[str, str]]:
    """Read a blind file as it is, and check that it lists the topic's citances in their order."""
    path = folder / "data" / TEST / topic.topic_id / "annotation" / f"{topic.topic_id}.csv"
    if not path.is_file():
        raise MissingDataError(f"{path} is not there. Run `citectx fetch scisumm-corpus --verify`.")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [{name: row.get(name) or "" for name in COLUMNS} for row in csv.DictReader(file)]
    if len(rows) != len(topic.citances):
        raise DataError(
            f"expected the topic's {len(topic.citances)} citances, found {len(rows)}", file=path
        )
    for row, citance in zip(rows, topic.citances, strict=True):
        if not bare(citance.citing_id).startswith(bare(row["Citing Article"])):
            found = f"found {row['Citing Article']} where the topic has {citance.citing_id}"
            raise DataError(f"column Citing Article: {found}", file=path)
    return rows


def _filled(
    rows: Sequence[dict[str, str]], topic: Topic, sentences: Sequence[Sequence[str]], facet: str
) -> str:
    article, numbers = topic.reference, numbers_in_section(topic.reference)
    filled = []
    for row, sids in zip(rows, sentences, strict=True):
        texts = {
            sid: html.escape(article.text[slice(*article.sentence_spans[sid])], quote=False)
            for sid in sids
        }
        tagged = [f'<S sid="{sid}" ssid="{numbers[sid]}">{text}</S>' for sid, text in texts.items()]
        offset = ",".join(f"'{sid}'" for sid in sids)
        filled.append([*list(row.values())[:-3], offset, "\n".join(tagged), facet])
    return pd.DataFrame(filled, columns=COLUMNS).to_csv(index=False, lineterminator="\n")


def numbers_in_section(article: Document) -> dict[str, int]:
    """Count the sentences of each section from 1: the gold files' ``ssid``, by ``sid``."""
    counts: Counter[int] = Counter()
    numbers = {}
    for block in article.blocks:
        for sid, (start, end) in article.sentence_spans.items():
            if block.start <= start and end <= block.end:
                counts[block.section] += 1
                numbers[sid] = counts[block.section]
    return numbers


@timed
def run(
    folder: Path, *, methods: Sequence[str] = METHODS, seed: int = 0, training: Corpus | None = None
) -> Result:
    """Tune each method on the training topics, write its run for the gold topics, and score it.

    The best published run had a micro F of 0.145 in 2018 and of 0.172 in 2020, on all 20 test
    topics; we have the gold annotations of four, so compare with care. Nothing is chosen on them.

    Rows have the metrics of `citectx.evaluation.scisumm.AVERAGES`, as fractions, and the F of the
    training topics (corpus ``scisumm-train``, metric ``exact-F``). ``micro-F (repaired)`` takes the
    reference article of a gold row from the file's name, where the official score finds one column
    empty: see `score_run`.

    Ambiguity: no interval is published. Ours is 95 %, from a bootstrap over gold files. Files of
    one topic are not independent, so it is too narrow.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    methods : sequence of str
        See `citectx.apps.scisumm.tuning.METHODS`.
    seed : int
        Of the bootstrap.
    training : Corpus, optional
        The training topics, if they are read already.

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
        with (
            tempfile.TemporaryDirectory() as name
        ):  # scored as the official program does, by way of files
            write_run(folder, topics, choice, facet, Path(name))
            official = score_run(folder / "data" / GOLD / "Task1", Path(name))
            repaired = score_run(folder / "data" / GOLD / "Task1", Path(name), "from file name")
        parts.append(Result(NAME, _rows(choice, official, repaired, seed)))
    data = {corpus.name: fingerprint(corpus) for corpus in (training, gold)}
    return replace(Result.of(NAME, parts), data=data)


def _rows(choice: Choice, official: Task1a, repaired: Task1a, seed: int) -> pd.DataFrame:
    def cell(scored: Task1a, metric: str, ending: str = "") -> Cell:
        value, bounds = float(averages(scored.counts)[metric]), interval(scored, metric, seed)
        return Cell(choice.method, metric + ending, value, len(scored.files), bounds)

    gold = [
        *(cell(official, metric) for metric in AVERAGES),
        cell(repaired, "micro-F", " (repaired)"),
    ]
    training = Cell(choice.method, "exact-F", choice.training, choice.topics)
    params = choice.params() | {"tuned on": "scisumm-train"}
    tables = {"scisumm-gold": gold, "scisumm-train": [training]}
    return pd.concat(tabulate(NAME, name, cells, seed, params) for name, cells in tables.items())


def interval(scored: Task1a, metric: str, seed: int) -> Interval:
    """Return a 95 % percentile bootstrap interval of an average, drawing gold files with
    replacement.

    >>> same = Task1a(("T1_a", "T1_b"), np.array([[1, 1, 0], [2, 2, 0]]))
    >>> interval(same, "micro-P", seed=0)
    Interval(low=0.5, high=0.5)
    """
    n = len(scored.files)
    draws = np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))
    low, high = np.quantile(averages(scored.counts[draws])[metric], [0.025, 0.975])
    return Interval(float(low), float(high))
