"""Read ScisummNet (2019): about 800 ACL papers with citing sentences and human summaries.

Its links from citing sentences to the paper were made by a program, so they are no gold standard
and are not read: citances come without annotations.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citectx import reading
from citectx.corpora.files import Release, need_folder, shown
from citectx.corpora.markup import read_sentences
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError

CITANCES = Path("data", "Training-Set-2019", "Task1", "From-ScisummNet-2019")
PAPERS = Path("data", "Training-Set-2019", "Task2", "From-ScisummNet-2019")
"""Where the citing sentences and the papers are in the upstream repository."""

_REMEDY = "Run `citectx fetch scisumm-corpus`, or name the folder that holds `data`."
_SUMMARIES = {"human": "scisummnet_human", "abstract": "abstract"}
_FIELDS: dict[str, Any] = {
    "citance_No": int | str,
    "citing_paper_id": str,
    "clean_text": str,
    "raw_text": str,
    "citing_paper_authority": int,
}
"""What a record must hold, and its types."""


def read(folder: Path, *, allow_missing: bool = False) -> Corpus:
    """Read all papers with their citing sentences and summaries (``human``, ``abstract``).

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    allow_missing : bool
        Leave out a paper that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Citances hold the cleaned text of the citing sentences.

    Raises
    ------
    MissingDataError
        If the papers are not there.
    DataError
        If a paper cannot be read, unless `allow_missing` is set.

    Notes
    -----
    Ambiguity: 1,292 of 13,231 sentences have no cleaned text, and the release does not say whether
    they were rejected. They are kept with their raw text, because dropping a citation changes the
    counts that impact-based methods live on; a finding for each topic says how many.
    """
    papers = need_folder(Path(folder) / PAPERS, "the papers of ScisummNet", _REMEDY)
    release = Release("scisummnet", Path(folder))
    topics: list[Topic] = []
    for directory in reading.listing(papers):
        if directory.is_dir():
            with release(directory / "Reference_XML" / f"{directory.name}.xml").attempt("lost"):
                topics.append(_topic(directory, release))
    return release.corpus(topics, allow_missing=allow_missing)


def _topic(directory: Path, release: Release) -> Topic:
    name = directory.name
    article = directory / "Reference_XML" / f"{name}.xml"
    if not reading.there(article):
        raise DataError("expected the paper here; the topic is left out")
    reference = read_sentences(article, release)
    citing = release.root / CITANCES / name / "citing_sentences.json"
    citances = tuple(_citances(citing, release))
    summaries = {}
    for kind, ending in _SUMMARIES.items():
        path = directory / "summary" / f"{name}.{ending}.txt"
        if reading.there(path):
            summaries[kind] = release.text(path).strip()
    return Topic(name, reference, citances, summaries=summaries)


def authority(folder: Path) -> dict[str, int]:
    """Return how often each citing paper is cited itself (``citing_paper_authority``).

    Parameters and errors are those of `read`. Where records of a paper differ, the first counts.
    """
    root = need_folder(Path(folder) / CITANCES, "the citing sentences of ScisummNet", _REMEDY)
    release = Release("scisummnet", root)
    found: dict[str, int] = {}
    for path in reading.listing(root, "*/citing_sentences.json"):
        for record in _records(path, release):
            found.setdefault(record["citing_paper_id"], record["citing_paper_authority"])
    return found


def _citances(path: Path, release: Release) -> Iterator[Citance]:
    raw = 0
    for record in _records(path, release):
        text = record["clean_text"].strip()
        raw += not text
        text = text or record["raw_text"].strip()
        yield Citance(str(record["citance_No"]), record["citing_paper_id"], text)
    if raw:
        release(path)("noted", f"{raw} sentences have no clean_text; their raw_text is used")


def _records(path: Path, release: Release) -> Iterator[dict[str, Any]]:
    """Return the usable records of a file of citing sentences."""
    report = release(path)
    if not reading.there(path):
        report("skipped", "expected the citing sentences here; there are none")
        return
    try:
        records = json.loads(release.text(path))
    except (ValueError, RecursionError) as error:  # no JSON, huge numbers, or nested too deeply
        report("skipped", f"not JSON that can be read: {shown(str(error))}")
        return
    seen: set[str] = set()
    for place, record in enumerate(records if isinstance(records, list) else [records], start=1):
        known = record if isinstance(record, dict) else {}
        number = known.get("citance_No")
        wrong = [key for key, kind in _FIELDS.items() if not isinstance(known.get(key), kind)]
        if wrong:
            report(
                "skipped", f"record {place} lacks {', '.join(wrong)}, or they are of another type"
            )
        elif not (record["clean_text"].strip() or record["raw_text"].strip()):
            report("skipped", f"record {place} (citance {number}) holds no text")
        elif str(number) in seen:
            report(
                "skipped", f"record {place}: citance {number} occurs twice; the first one is kept"
            )
        else:
            seen.add(str(number))
            yield record
