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
...     score_run(gold, run)["micro-F"]
(None, None)
0.6666666666666666
"""

from pathlib import Path

import numpy as np

from citectx.corpora.text_files import csv_rows, listed, listing
from citectx.errors import MissingDataError

COLUMNS = ("Reference Article", "Citing Article", "Reference Offset", "Reference Text")
"""Columns that are read; a file may have more."""

Evidence = dict[tuple[str, str], tuple[str, ...]]
"""Ids of sentences, by the reference article and the article that cites it."""


def score_run(gold: Path, run: Path) -> dict[str, float]:
    """Compare a run with every gold file.

    Parameters
    ----------
    gold : Path
        Folder with ``<TOPIC>_<annotator>.csv``.
    run : Path
        Folder with a ``<TOPIC>.csv`` for each topic in `gold`; it may have more.

    Returns
    -------
    dict
        micro-P, micro-R, micro-F, macro-P, macro-R, macro-F as fractions; what would be divided by
        0 is 0. Macro F is the harmonic mean of mean precision and mean recall.

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
    counts = []
    for path in listing(gold, "*_*.csv"):
        own = run / f"{path.stem.partition('_')[0]}.csv"
        if not own.is_file():
            raise MissingDataError(f"the run has no {own}, which {path.name} is compared with")
        wanted, returned = _sentences(read_evidence(path)), _sentences(read_evidence(own))
        counts.append((len(wanted & returned), len(returned), len(wanted)))
    if not counts:
        raise MissingDataError(f"{gold} holds no gold file <TOPIC>_<annotator>.csv")
    right, found, marked = np.array(counts, dtype=np.float64).T
    precisions, recalls = right / np.maximum(found, 1), right / np.maximum(marked, 1)
    p, r = right.sum() / max(found.sum(), 1), right.sum() / max(marked.sum(), 1)
    micro = {"micro-P": float(p), "micro-R": float(r), "micro-F": _harmonic_mean(p, r)}
    p, r = precisions.mean(), recalls.mean()
    return micro | {"macro-P": float(p), "macro-R": float(r), "macro-F": _harmonic_mean(p, r)}


def _harmonic_mean(p: float, r: float) -> float:
    return float(2 * p * r / (p + r)) if p + r else 0.0


def _sentences(evidence: Evidence) -> set[tuple[str, str, str]]:
    return {(*pair, sid) for pair, sids in evidence.items() for sid in sids}


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


def _article(name: str) -> str:
    return name.strip().removesuffix(".xml")
