"""Read ScisummNet (2019): about 800 ACL papers with citing sentences and human summaries.

Its links from citing sentences to the paper were made by a program, so they are no gold standard
and are not read: citances come without annotations.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.corpora.files import Release, need_folder, shown
from citectx.corpora.markup import read_sentences
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError

CITANCES = Path("data", "Training-Set-2019", "Task1", "From-ScisummNet-2019")
PAPERS = Path("data", "Training-Set-2019", "Task2", "From-ScisummNet-2019")
"""Where the citing sentences and the papers are in the upstream repository."""

_REMEDY = "Run `citectx fetch scisumm-corpus`, or name the folder that holds `data`."
_FIELDS: dict[str, Any] = {"citance_No": int | str}
_FIELDS |= dict.fromkeys(("citing_paper_id", "clean_text", "raw_text"), str)
_FIELDS |= dict.fromkeys(("citing_paper_authority", "keep_for_gold"), int)
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
    folder = Path(folder)
    papers = need_folder(folder / PAPERS, "the papers of ScisummNet", _REMEDY)
    release = Release("scisummnet", folder)
    topics: list[Topic] = []
    for directory in sorted(path for path in papers.iterdir() if path.is_dir()):
        name = directory.name
        article = directory / "Reference_XML" / f"{name}.xml"
        with release(article).attempt("lost"):
            if not article.is_file():
                raise DataError("expected the paper here; the topic is left out")
            reference = read_sentences(article, release)
            citances = tuple(_citances(folder / CITANCES / name / "citing_sentences.json", release))
            endings = {"human": "scisummnet_human", "abstract": "abstract"}
            files = {
                kind: directory / "summary" / f"{name}.{ending}.txt"
                for kind, ending in endings.items()
            }
            summaries = {
                kind: release.text(path).strip() for kind, path in files.items() if path.is_file()
            }
            topics.append(Topic(name, reference, citances, summaries=summaries))
    return Corpus(release.name, tuple(topics), release.findings(allow_missing=allow_missing))


def authority(folder: Path) -> pd.DataFrame:
    """Return how often each citing paper is cited itself.

    Parameters and errors are those of `read`.

    Returns
    -------
    DataFrame
        A row for each citing sentence that can be used: ``topic``, ``citance_id``, ``citing_id``,
        ``authority`` (the release's ``citing_paper_authority``, a count), ``keep_for_gold`` (bool).
    """
    root = need_folder(Path(folder) / CITANCES, "the citing sentences of ScisummNet", _REMEDY)
    rows = []
    for path in sorted(root.glob("*/citing_sentences.json")):
        for record in _records(path, Release("scisummnet", root)):
            values = (
                record[key]
                for key in ("citing_paper_id", "citing_paper_authority", "keep_for_gold")
            )
            rows.append((path.parent.name, str(record["citance_No"]), *values))
    columns = ["topic", "citance_id", "citing_id", "authority", "keep_for_gold"]
    return pd.DataFrame(rows, columns=columns).astype({"keep_for_gold": bool})


def _citances(path: Path, release: Release) -> Iterator[Citance]:
    raw = 0
    for record in _records(path, release):
        text = record["clean_text"].strip()
        raw += not text
        yield Citance(
            str(record["citance_No"]), record["citing_paper_id"], text or record["raw_text"].strip()
        )
    if raw:
        release(path)("noted", f"{raw} sentences have no clean_text; their raw_text is used")


def _records(path: Path, release: Release) -> Iterator[dict[str, Any]]:
    """Return the usable records of a file of citing sentences."""
    report = release(path)
    if not path.is_file():
        report("skipped", "expected the citing sentences here; there are none")
        return
    seen: set[str] = set()
    with report.attempt("skipped"):
        try:
            records = json.loads(release.text(path))
        except (
            ValueError,
            RecursionError,
        ) as error:  # no JSON, thousands of digits, nested too deeply
            raise report.error(f"not JSON that can be read: {shown(str(error))}") from error
        for place, record in enumerate(
            records if isinstance(records, list) else [records], start=1
        ):
            known = record if isinstance(record, dict) else {}
            number = known.get("citance_No")
            if wrong := [
                key for key, kind in _FIELDS.items() if not isinstance(known.get(key), kind)
            ]:
                report(
                    "skipped",
                    f"record {place} lacks {', '.join(wrong)}, or they are of another type",
                )
            elif not (record["clean_text"].strip() or record["raw_text"].strip()):
                report("skipped", f"record {place} (citance {number}) holds no text")
            elif str(number) in seen:
                report(
                    "skipped",
                    f"record {place}: citance {number} occurs twice; the first one is kept",
                )
            else:
                seen.add(str(number))
                yield record
