"""Runs of CL-SciSumm, Task 1a: the files that participants send in, and the organisers' measure.

A run has a file in CSV per topic, such as ``A00-2018.csv``, and a row per citing sentence, in the
columns of the annotations. ``Reference Offset`` names the sentences.

What we saw in the 110 runs of 2020: ids are written ``'1','2'``, ``['1', '2']`` or ``[1, 2]``.
Team 51 names none, but the sentences that it quotes have theirs. 288 rows of team 54 name and quote
none, and in its run1 all texts are "dummy". Team 55 changed the texts of 54 citing sentences. Team
57 left a topic out, and names 124 citing sentences in 279 rows.

Ambiguity: the organisers' program sets where the citing sentence is to 0 in all rows, so it knows
citing articles, not citing sentences. `official` keeps to it, since that gave the published values.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.catalogue import LISTENERS, load
from citectx.corpora import sources
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.scisumm import QUOTED, sids_of
from citectx.corpora.text_files import Row, bare, csv_rows, listing
from citectx.errors import DataError, MissingDataError
from citectx.experiments.rankings import COLUMNS

NEEDED = ("Citing Article", "Citation Text", "Reference Offset", "Reference Text")
LEVELS = {"setup", "runs", "input", "res", "task1"}
"""The folders that name no run."""

Entry = tuple[str, str, str, str]
"""A topic, its reference article, a citing article, and the id of a sentence."""


def read_runs(place: Path) -> Mapping[str, list[Row]]:
    """Read the rows of all runs in a folder, by name; each folder that holds CSV files is a run."""
    runs: dict[str, list[Row]] = defaultdict(list)
    for path in listing(place, "**/*.csv"):
        parts = path.parent.relative_to(place.parent).parts
        name = "/".join(part for part in parts if part.lower() not in LEVELS)
        runs[name or place.name] += csv_rows(path, NEEDED)
    if not runs:
        raise MissingDataError(f"{place} holds no file of a run, such as A00-2018.csv")
    return runs


def topic_of(path: Path) -> str:
    """Return the topic that begins a file's name.

    >>> topic_of(Path("A00-2018.annv3.csv")), topic_of(Path("A00-2018_sweta.csv"))
    ('A00-2018', 'A00-2018')
    """
    return re.split("[._]", path.name)[0]


def name_of(topic: str, citing: str, text: str) -> tuple[str, str, str]:
    """Name a citing sentence across files that print its end and its markup differently.

    >>> name_of("A00-2018", "N10-1002", '<S sid ="1">Cells rest.</S>')
    ('A00-2018', 'N10-1002', 'cellsrest')
    """
    words = re.sub("<[^<>]*>", " ", text)
    return topic, citing.removesuffix(".xml"), bare(words)[:60]


def named(topics: Iterable[Topic]) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return topic and id of the citing sentences of topics by their `name_of`."""
    ids = {}
    for topic in topics:
        for citance in topic.citances:
            name = name_of(topic.topic_id, citance.citing_id, citance.text)
            ids[name] = topic.topic_id, citance.citance_id
    return ids


def to_run(corpus: Corpus, method: str, rows: Iterable[Row]) -> pd.DataFrame:
    """Make a run of `citectx.experiments.rankings`; rows that fit nothing are findings, and logged.

    It is an error if none fits. Rows of one citing sentence are joined. A row that names no
    sentences may quote them.
    """
    known = named(corpus)
    run: list[tuple[Any, ...]] = []
    findings: list[str] = []
    for row in rows:
        topic = topic_of(row.path)
        text = row.fields.get("Citation Text Clean") or row["Citation Text"]
        name = name_of(topic, row["Citing Article"], text)
        sids = sids_of(row["Reference Offset"]) or QUOTED.findall(row["Reference Text"])
        spans = corpus[topic].reference.sentence_spans if name in known else {}
        if sids and {*sids} <= spans.keys():
            run += [(*known[name], *spans[sid]) for sid in sids]
        else:
            why = f"left out, since its citing sentence or its sentences {sids} are not in {topic}"
            findings.append(row.finding(why))
    if not run:
        raise DataError(f"no row fits {corpus.name}; the first is {findings[0]}", file=method)
    if findings:
        LISTENERS.info("%d findings in %s, the first is %s", len(findings), method, findings[0])
    frame = pd.DataFrame(run, columns=["topic", "citance", "start", "end"]).drop_duplicates()
    # the order in which rows name sentences is their rank
    rank = frame.groupby(["topic", "citance"]).cumcount() + 1
    return frame.assign(method=method, rank=rank, score=-rank)[COLUMNS]


def entries(rows: Iterable[Row]) -> list[Entry]:
    """Keep what the organisers' program keeps: of each citing article the last row that quotes.

    Ids are compared as text, so that "17;" is not 17.
    """
    kept = {}
    for row in rows:
        if re.search(r"<S[\s>]", row["Reference Text"]):
            topic = topic_of(row.path)
            reference = row.fields.get("Reference Article", topic).removesuffix(".xml")
            citing = row["Citing Article"].removesuffix(".xml")
            # a later row of the same citing article takes the place of this one
            kept[topic, reference, citing] = row["Reference Offset"].strip("[]").split(",")
    return [(*key, sid.strip(" '\"")) for key, sids in kept.items() for sid in sids]


def fill_in(corpus: Corpus, run: pd.DataFrame, k: int) -> list[Entry]:
    """Write the first k spans of a ranking into the form that participants got, as `entries`.

    A span is the sentence that begins where it does; if none does, it is a wrong one.
    """
    known = named(corpus)
    kept: dict[tuple[str, str, str], list[str]] = {}
    first = run[run["rank"] <= k].sort_values("rank")
    starts = first.groupby(["topic", "citance"])["start"].agg(list).to_dict()
    for topic in load("scisumm-test"):
        sids = {span.start: sid for sid, span in topic.reference.sentence_spans.items()}
        for name in named([topic]):
            key = known.get(name)
            if key in starts:
                sentences = [sids.get(at, "") for at in starts[key]]
                kept[topic.topic_id, *name[:2]] = sentences
    return [(*key, sid) for key, sids in kept.items() for sid in sids]


def official(run: Sequence[Entry]) -> pd.DataFrame:
    """Compare a run with each annotator's file: a row per sentence that either of them names."""
    folder = sources.folder("scisumm-corpus") / "data" / "Test-Set-2018-Gold" / "Task1"
    rows = []
    for path in listing(folder, "*.csv"):
        topic = topic_of(path)
        gold = entries(csv_rows(path, NEEDED))
        # each annotator has a file
        said = [entry for entry in run if entry[0] == topic]
        rows += [(topic, path.stem, "gold", entry in said) for entry in gold]
        rows += [(topic, path.stem, "run", entry in gold) for entry in said]
    return pd.DataFrame(rows, columns=["topic", "file", "side", "right"])


def f1(units: pd.DataFrame) -> tuple[float, float]:
    """Return the organisers' F1, micro and macro: of all files, and of mean precision and recall.

    A right sentence has two rows, so micro F1, 2·right / (2·right + wrong + missed), is a mean.

    >>> rows = [("a", "gold", 1), ("a", "run", 1), ("a", "run", 0), ("b", "gold", 0)]
    >>> units = pd.DataFrame(rows, columns=["file", "side", "right"])
    >>> [round(value, 3) for value in f1(units)]
    [0.5, 0.333]
    """
    shares = units.pivot_table("right", "file", "side").reindex(columns=["gold", "run"]).fillna(0)
    recall, precision = shares.mean()
    macro = 2 * precision * recall / max(precision + recall, 1e-12)
    return float(units["right"].mean()), float(macro)
