"""Which of many articles cite a work, and in which sentences.

Files are read one by one, in several processes if asked: first the reference list, and the text of
those that cite the work. A file that is there twice counts once.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from citectx import parallel
from citectx.beyond.reading.articles import root_of, write_article
from citectx.beyond.reading.bibliography import entries_in, work_of
from citectx.beyond.reading.citing import cited_in, why_not, with_sentences
from citectx.beyond.reading.files import content_of, files_below, name_of
from citectx.beyond.reading.references import Work, find
from citectx.corpora.model import Citance, Document
from citectx.errors import DataError
from citectx.storage import sha

MANY = 10
"""Files without a citing sentence that are named one by one; more are counted."""
WAIT = 20
"""Files that show a progress bar."""


class Search(NamedTuple):
    """What a file holds about a work: if nothing, there is no document."""

    path: Path
    digest: str
    note: str
    is_read: bool = True
    document: Document | None = None
    work: Work = Work()
    citances: Sequence[Citance] = ()


@dataclass
class Citing:
    """The articles that cite a work, their sentences, and notes on what was found in which file."""

    citances: list[Citance] = field(default_factory=list)
    texts: dict[str, Document] = field(default_factory=dict)
    works: dict[str, Work] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def search(path: Path, work: Work) -> Search:
    """Search a file for sentences that cite a work."""
    digest = ""
    name = name_of(path)
    try:
        content = content_of(path)
        digest = sha(content)
        root = root_of(content, path)
        entries = tuple(entries_in(root))
        if not find(work, entries).entries:
            return Search(path, digest, f"{name}: {why_not(work, entries)}")
        article = write_article(root, name, path)
    except DataError as error:
        return Search(path, digest, f"{path}: {error.message}", is_read=False)
    document = with_sentences(article)
    citances, note = cited_in(article, work, document)
    return Search(path, digest, note, True, document, work_of(root), citances)


def search_all(
    paths: Iterable[Path | str], work: Work, own: Path, *, jobs: int = 1, progress: bool = False
) -> Citing:
    """Search files, and all articles below folders; the article itself is left out."""
    files = [*files_below(paths)]
    searches = parallel.run(
        partial(search, work=work),
        files,
        jobs=jobs,
        label="articles",
        progress=progress and len(files) >= WAIT,
    )
    citing = Citing()
    seen = {sha(content_of(own)): "is the article itself, and left out"}
    silent: list[Search] = []
    for found in searches:
        if found.digest in seen:
            citing.notes.append(f"{found.path}: {seen[found.digest]}")
            continue
        if found.digest:
            seen[found.digest] = f"the same file as {found.path}, counted once"
        if found.document is None:
            silent.append(found)
        else:
            add(citing, found, found.document)
    citing.notes += told(silent)
    return citing


def add(citing: Citing, found: Search, document: Document) -> None:
    """Add an article that cites; where another has its name, it is named by its path."""
    citances = found.citances
    name = document.doc_id
    if name in citing.texts:
        name = str(found.path)
        numbers = (citance.citance_id.rpartition(":")[2] for citance in citances)
        citances = [
            replace(citance, citance_id=f"{name}:{number}", citing_id=name)
            for citance, number in zip(citances, numbers, strict=True)
        ]
    citing.texts[name] = replace(document, doc_id=name)
    citing.works[name] = found.work
    citing.citances += citances
    citing.notes.append(name + found.note.removeprefix(document.doc_id))


def told(silent: Sequence[Search]) -> list[str]:
    """Tell of files that do not cite, or cannot be read; of many only their number."""
    notes = []
    for is_read, what in ((True, "do not cite the article"), (False, "cannot be read as articles")):
        found = [search.note for search in silent if search.is_read == is_read]
        notes += found[:MANY] if is_read is False or len(found) <= MANY else []
        if len(found) > MANY:
            notes.append(f"{len(found):,} files {what}")
    return notes


def table_of(citing: Citing, passages: pd.DataFrame) -> pd.DataFrame:
    """Add to passages who cites where: the article's identifiers and title, section and marker."""
    known = {citance.citance_id: citance for citance in citing.citances}
    rows = []
    for name in passages["citance"]:
        citance = known.get(name)
        work = citing.works[citance.citing_id] if citance else Work()
        section = section_of(citing.texts[citance.citing_id], citance) if citance else ""
        marker = citance.marker if citance else ""
        rows.append((" ".join(named(work)), "".join(work.titles[:1]), section, marker))
    columns = ["citing_ids", "citing_title", "citing_section", "marker"]
    about = pd.DataFrame(rows, columns=columns, index=passages.index)
    first = ["citance", "citing"]
    return pd.concat([passages[first], about, passages.drop(columns=first)], axis=1)


def named(work: Work) -> list[str]:
    """Return the identifiers of a work as people write them.

    >>> named(Work(ids={"doi": "10.99999/made-up", "pmcid": "17", "pmid": "3"}))
    ['10.99999/made-up', 'PMC17', 'PMID:3']
    """
    before = {"doi": "", "pmcid": "PMC", "pmid": "PMID:", "arxiv": "arXiv:"}
    return [f"{start}{work.ids[kind]}" for kind, start in before.items() if kind in work.ids]


def section_of(document: Document, citance: Citance) -> str:
    """Return the heading of the section in which a citing sentence stands."""
    start = citance.span.start if citance.span else 0
    block = bisect_right(document.blocks, start, key=lambda block: block.start) - 1
    return document.blocks[block].heading
