r"""CL-SciSumm's official score of Task 1a: which reference sentences a citance is about.

It works on files. Gold has one for each topic and annotator, ``<TOPIC>_<annotator>.csv``; a run one
for each topic, ``<TOPIC>.csv``, in the same columns. A sentence is right if its id is the same:
there is no partial credit. Counts are summed over files (micro average), or precision and recall
averaged over them (macro).

>>> import tempfile
>>> header = "Reference Article,Citing Article,Reference Offset,Reference Text\n"
>>> with tempfile.TemporaryDirectory() as folder:
...     gold, run = Path(folder, "gold"), Path(folder, "run")
...     gold.mkdir(), run.mkdir()
...     _ = (gold / "T1_ann.csv").write_text(header + "T1,C1,\"'3','4'\",<S sid=\"3\">…</S>\n")
...     _ = (run / "T1.csv").write_text(header + "T1,C1,'4',<S sid=\"4\">…</S>\n")
...     float(averages(score_run(gold, run).counts)["micro-F"])
(None, None)
0.6666666666666666
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from citectx.corpora.text_files import csv_rows, listed, listing
from citectx.errors import MissingDataError
from citectx.types import Floats, Ints

COLUMNS = ("Reference Article", "Citing Article", "Reference Offset", "Reference Text")
"""Columns that are read; a file may have more."""

AVERAGES = ("micro-F", "macro-F", "micro-P", "micro-R", "macro-P", "macro-R")

Pair = tuple[str, str]
"""A reference article and an article that cites it."""
Evidence = dict[Pair, tuple[str, ...]]


def score_run(gold: Path, run: Path) -> "Task1a":
    """Compare a run with every gold file.

    Parameters
    ----------
    gold : Path
        Folder with ``<TOPIC>_<annotator>.csv``.
    run : Path
        Folder with a ``<TOPIC>.csv`` for each topic in `gold`; it may have more.

    Notes
    -----
    Source: the rules of CL-SciSumm 2018, unchanged until 2020. All citances of one citing article
    collapse into one, of which the last row wins. A row whose Reference Text holds no ``<S`` is
    left out, in gold and run.

    Ambiguity: one of the twelve public gold files leaves Reference Article empty. The official
    program takes it as printed, so no run has anything in common with that file; so do we.

    Ambiguity: the official program ignores topics that a run lacks, which rewards leaving out what
    is difficult. Here a missing topic is an error.

    Raises
    ------
    MissingDataError
        If there are no gold files, or the run lacks one of their topics.
    DataError
        If a file is not in the format.
    """
    files = listing(gold, "*_*.csv")
    if not files:
        raise MissingDataError(f"{gold} holds no gold file <TOPIC>_<annotator>.csv")
    counts = []
    for path in files:
        own = run / f"{_topic(path)}.csv"
        if not own.is_file():
            raise MissingDataError(f"the run has no {own}, which {path.name} is compared with")
        counts.append(compare(read_evidence(path), read_evidence(own)))
    return Task1a(tuple(path.stem for path in files), np.array(counts, dtype=np.int64))


class Task1a(NamedTuple):
    """Right, wrong and missed sentences for each gold file.

    Parameters
    ----------
    files : tuple of str
        Names without ending.
    counts : int array, shape (files, 3)
        True positives, false positives, false negatives.
    """

    files: tuple[str, ...]
    counts: Ints


def averages(counts: Ints) -> dict[str, Floats]:
    """Average over files; the last but one axis counts files, the last is as in `Task1a.counts`.

    What would be divided by 0 is 0. Macro F is the harmonic mean of mean precision and mean recall,
    not the mean of the files' F.

    >>> found = averages(np.array([[1, 3, 0], [1, 1, 1]]))
    >>> [round(float(found[name]), 3) for name in ("micro-F", "macro-F", "macro-P", "macro-R")]
    [0.444, 0.5, 0.375, 0.75]
    """
    micro = _precision_recall(counts.sum(axis=-2))
    precisions, recalls = _precision_recall(counts)
    macro = precisions.mean(axis=-1), recalls.mean(axis=-1)
    values = (_harmonic_mean(*micro), _harmonic_mean(*macro), *micro, *macro)
    return dict(zip(AVERAGES, values, strict=True))


def compare(gold: Evidence, found: Evidence) -> tuple[int, int, int]:
    """Count right, wrong and missed sentences; a pair that one side lacks is all wrong or missed.

    >>> compare({("T1", "C1"): ("3", "4")}, {("T1", "C1"): ("4", "5"), ("T1", "C2"): ("1",)})
    (1, 2, 1)
    """
    wanted, returned = _sentences(gold), _sentences(found)
    return len(wanted & returned), len(returned - wanted), len(wanted - returned)


def _sentences(evidence: Evidence) -> set[tuple[Pair, str]]:
    """Return each sentence with its pair, once."""
    return {(pair, sid) for pair, sids in evidence.items() for sid in sids}


def read_evidence(path: Path) -> Evidence:
    """Read the sentence ids of each pair of articles from a gold file or a run.

    Ids may be in any quotes and brackets; a mark such as ``???`` stays, as a sentence that no run
    can find. Errors are those of `score_run`.
    """
    evidence: Evidence = {}
    for row in csv_rows(path, COLUMNS):
        if "<S" not in row["Reference Text"]:
            continue
        sids = listed(row["Reference Offset"])
        if not sids:
            message = "column Reference Offset is empty beside a Reference Text"
            raise row.error(f"{message}; expected '3','4'")
        evidence[_article(row["Reference Article"]), _article(row["Citing Article"])] = sids
    return evidence


def _topic(path: Path) -> str:
    return path.stem.partition("_")[0]


def _article(name: str) -> str:
    return name.strip().removesuffix(".xml")


def _precision_recall(counts: Ints) -> tuple[Floats, Floats]:
    right, wrong, missed = np.moveaxis(counts, -1, 0)
    return _ratio(right, right + wrong), _ratio(right, right + missed)


def _harmonic_mean(a: Floats, b: Floats) -> Floats:
    return _ratio(2 * a * b, a + b)


def _ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    zeros = np.zeros_like(part, dtype=np.float64)
    return np.divide(part, whole, out=zeros, where=whole > 0)
