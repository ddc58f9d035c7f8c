"""Data that needs a licence: how to get it, and a look at what the reader put where.

The reader keeps it in a folder and names the folder in an environment variable; nothing is copied from there.
"""

import os
import re
from pathlib import Path

from citectx.corpora.registry import licensed
from citectx.errors import DataError, MissingDataError, unknown


def licensed_folder(name: str) -> Path:
    """Return the folder in which the reader keeps licensed data, after a look at what is in it.

    Parameters
    ----------
    name : {"tac2014", "trec-genomics", "umls"}

    Raises
    ------
    MissingDataError
        If its environment variable is not set or names no folder; the message tells how to get the data.
    DataError
        If it is the folder of TAC 2014 and does not hold what the release holds.
    """
    if name not in licensed():
        raise unknown("licensed source", name, licensed())
    wanted = licensed()[name]
    value = os.environ.get(wanted.variable)
    if not value:
        raise MissingDataError(
            f"{wanted.title} cannot be fetched, it needs a licence ({wanted.licence}). {wanted.how} "
            f"Then set {wanted.variable} to the folder. Expected there: {wanted.expects}"
        )
    where = Path(value).expanduser().absolute()
    if not where.is_dir():
        raise MissingDataError(f"{wanted.variable} names {where}, not a folder; expected: {wanted.expects}")
    if complaint := name == "tac2014" and _tac2014_complaint(where):
        raise DataError(f"{complaint}; {wanted.variable} must name {wanted.expects}", file=where)
    return where


TAC2014 = 20, range(308, 319)
"""Topics and numbered citances of the TAC 2014 release.

Ambiguity: the papers count 313 citances. The release came out in three versions, and a mistyped number makes
one more or less, so we accept a few about it. Another corpus in this format is read under the profile own.
"""


def _tac2014_complaint(where: Path) -> str:
    topics = sorted(where.glob("data/D14*"))
    count, citances = TAC2014
    for topic in topics:
        for pattern in ("Annotation/*.ann.txt", "Documents_Text/*.txt", "Summary/*.summary.txt"):
            if not any(topic.glob(pattern)):
                return f"there is no data/{topic.name}/{pattern}"
    number = re.compile(rb"\bCita(?:nce|tion) Number:[ \t]*([^|\s]+)")
    files = [path for topic in topics for path in topic.glob("Annotation/*.ann.txt")]
    numbers = {(path.parent, found) for path in files for found in number.findall(path.read_bytes())}
    if len(topics) == count and len(numbers) in citances:
        return ""
    return (
        f"there are {len(topics)} topics data/D14* with {len(numbers)} citances, not {count} with 313 "
        "(a corpus of your own in this format is read with CITECTX_CORPUS and --profile own)"
    )
