"""CL-SciSumm's Task 1a: runs for the blind test topics, and their score on the public gold.

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

from citectx import reading
from citectx.apps.scisumm.tuning import METHODS, Entry, bases_of, made_ready, tune
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
from citectx.storage import check_output, commit, write_atomically, write_json

NAME = "scisumm_task1a"
RESAMPLES = 10_000
COLUMNS = (
    "Citance Number|Reference Article|Citing Article|Citation Marker Offset|Citation Marker|"
    "Citation Offset|Citation Text|Citation Text Clean|Reference Offset|Reference Text|"
    "Discourse Facet"
).split("|")
"""Columns of the gold files; the last three are what a run adds."""


def cmd_scisumm_run(method: str, out: Path, *, force: bool) -> int:
    """Run ``citectx scisumm-run``: tune on the training topics, write the run, print what won."""
    need_space(out, data_dir() / "scisumm-corpus", force=force)
    bases_of(method)  # fails for an unknown method before anything is read
    folder = sources.folder("scisumm-corpus")
    training = read_training(folder)
    entry = tune(made_ready(training), method)
    facet = majority_facet(training)
    written = write_run(folder, read_test(folder), entry, facet, out, force=force)
    chosen = json.dumps(entry.params())
    print(f"{method}: F {entry.training:.3f} on the training topics with {chosen}")
    print(f"{len(written)} topics written to {out}")
    return 0


def write_run(
    folder: Path,
    topics: Iterable[Topic],
    entry: Entry,
    facet: str,
    out: Path,
    *,
    force: bool = False,
) -> list[Path]:
    """Write ``<TOPIC>.csv`` for each topic, and ``run.json`` with what was chosen.

    ``run.json`` is written last: where it exists, the run is whole.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository, whose blind files are filled.
    topics : iterable of Topic
        Of the test part.
    entry : Entry
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
    written = []
    for topic in topics:
        path = out / f"{topic.topic_id}.csv"
        rows = _blind_rows(folder, topic)
        write_atomically(path, _filled(rows, topic, entry.sentences(topic), facet))
        written.append(path)
    about = {
        "method": entry.method,
        "params": entry.params(),
        "training_f": round(entry.training, 4),
        "facet": facet,
        "facet_note": "the same for every row: the most frequent one of the training topics",
        "commit": commit(),
    }
    write_json(out / "run.json", about)
    return written


def need_space(out: Path, release: Path, *, force: bool) -> None:
    """Make a folder; refuse one with a run, unless it may be replaced, or tables of the release."""
    if out.exists() and not out.is_dir():
        raise ParameterError(f"{out} is a file: name a folder")
    out.mkdir(parents=True, exist_ok=True)
    for file in [*sorted(out.glob("*.csv")), out / "run.json"]:
        check_output(file, inputs=[release], force=force)


def majority_facet(training: Corpus) -> str:
    """Return the most frequent facet of the training topics; the alphabet breaks ties.

    Raises
    ------
    DataError
        If no annotation names one.
    """
    annotations = [a for topic in training for c in topic.citances for a in c.annotations]
    facets = Counter(facet for annotation in annotations for facet in annotation.facet)
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
        tagged = []
        for sid in sids:
            text = article.text[slice(*article.sentence_spans[sid])]
            escaped = html.escape(text, quote=False)
            tagged.append(f'<S sid="{sid}" ssid="{numbers[sid]}">{escaped}</S>')
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
    ready, facet = made_ready(training), majority_facet(training)
    answers = folder / "data" / GOLD / "Task1"
    parts = []
    for method in methods:
        entry = tune(ready, method)
        # Scored by way of files, as the official program does.
        with tempfile.TemporaryDirectory() as name:
            write_run(folder, topics, entry, facet, Path(name))
            official = score_run(answers, Path(name))
            repaired = score_run(answers, Path(name), "from file name")
        reading.forget(Path(name))
        parts.append(Result(NAME, _rows(entry, official, repaired, seed)))
    data = {corpus.name: fingerprint(corpus) for corpus in (training, gold)}
    return replace(Result.of(NAME, parts), data=data)


def _rows(entry: Entry, official: Task1a, repaired: Task1a, seed: int) -> pd.DataFrame:
    def cell(scored: Task1a, metric: str, ending: str = "") -> Cell:
        value, bounds = float(averages(scored.counts)[metric]), interval(scored, metric, seed)
        return Cell(entry.method, metric + ending, value, len(scored.files), bounds)

    gold = [cell(official, metric) for metric in AVERAGES]
    gold.append(cell(repaired, "micro-F", " (repaired)"))
    training = Cell(entry.method, "exact-F", entry.training, entry.topics)
    params = entry.params() | {"tuned on": "scisumm-train"}
    tables = {"scisumm-gold": gold, "scisumm-train": [training]}
    return pd.concat(tabulate(NAME, name, cells, seed, params) for name, cells in tables.items())


def interval(scored: Task1a, metric: str, seed: int) -> Interval:
    """Return a 95 % percentile bootstrap interval of an average, over gold files.

    >>> same = Task1a(("T1_a", "T1_b"), np.array([[1, 1, 0], [2, 2, 0]]))
    >>> interval(same, "micro-P", seed=0)
    Interval(low=0.5, high=0.5)
    """
    n = len(scored.files)
    draws = np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))
    low, high = np.quantile(averages(scored.counts[draws])[metric], [0.025, 0.975])
    return Interval(float(low), float(high))
