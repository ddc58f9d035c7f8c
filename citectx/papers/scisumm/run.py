"""Writing a run for CL-SciSumm's Task 1a: the blind test topics with the three empty columns filled."""

import csv
import html
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from citectx.corpora import sources
from citectx.corpora.files import bare
from citectx.corpora.model import Corpus, Document, Topic
from citectx.corpora.scisumm import TEST, read_test, read_training
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.papers.scisumm.tuning import Choice, Training, bases_of
from citectx.storage import commit, write_atomically

COLUMNS = (
    "Citance Number",
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Citation Text Clean",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
)
"""Columns of the gold files; the last three are what a run adds."""


def cmd_scisumm_run(method: str, out: Path, *, force: bool) -> int:
    """Tune on the training topics, write the run and print what was chosen: ``citectx scisumm-run``."""
    need_space(out, force)
    bases_of(method)  # report an unknown method before reading anything
    folder = sources.folder("scisumm-corpus")
    training = read_training(folder)
    choice = Training(training).tune(method)
    written = write_run(folder, read_test(folder), choice, majority_facet(training), out, force=force)
    print(f"{method}: F {choice.training:.3f} on the training topics with {json.dumps(choice.params())}")
    print(f"{len(written)} topics written to {out}")
    return 0


def write_run(
    folder: Path, topics: Iterable[Topic], choice: Choice, facet: str, out: Path, *, force: bool = False
) -> list[Path]:
    """Write ``<TOPIC>.csv`` for each topic, and ``run.json`` with method, parameters and training score.

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
        If a run is there and `force` is not set.
    DataError
        If the rows of a blind file are not the citances of its topic.
    MissingDataError
        If a blind file is not there.
    """
    need_space(out, force)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for topic in topics:
        rows = _filled(_blind_rows(folder, topic), topic, choice.sentences(topic), facet)
        path = out / f"{topic.topic_id}.csv"
        write_atomically(path, rows)
        written.append(path)
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


def need_space(out: Path, force: bool) -> None:
    """Refuse a folder that already holds a run, unless it may be replaced."""
    there = [*sorted(out.glob("*.csv")), *out.glob("run.json")] if out.is_dir() else []
    if there and not force:
        raise ParameterError(f"{there[0]} is there already; name another folder, or replace it with --force")


def majority_facet(training: Corpus) -> str:
    """Return the most frequent facet of the training topics; among equals the first in the alphabet.

    Raises
    ------
    DataError
        If no annotation names one.
    """
    facets = Counter(f for t in training for c in t.citances for a in c.annotations for f in a.facet)
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
        raise DataError(f"expected the topic's {len(topic.citances)} citances, found {len(rows)}", file=path)
    for row, citance in zip(rows, topic.citances, strict=True):
        if not bare(citance.citing_id).startswith(bare(row["Citing Article"])):
            found = f"found {row['Citing Article']} where the topic has {citance.citing_id}"
            raise DataError(f"column Citing Article: {found}", file=path)
    return rows


def _filled(rows: Sequence[dict[str, str]], topic: Topic, sentences: Sequence[Sequence[str]], facet: str) -> str:
    article, numbers = topic.reference, numbers_in_section(topic.reference)
    filled = []
    for row, sids in zip(rows, sentences, strict=True):
        texts = {sid: html.escape(article.text[slice(*article.sentence_spans[sid])], quote=False) for sid in sids}
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
