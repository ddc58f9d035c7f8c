"""Which of many articles cite a work, and in which sentences.

Files are read one by one, in several processes if asked: first the reference list, and the text of
those that cite the work. A file that is there twice counts once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from citectx import parallel
from citectx.beyond.reading.articles import root_of, write_article
from citectx.beyond.reading.bibliography import entries_in
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
    """What a file holds about a work: without a document nothing, for some reason."""

    path: Path
    note: str
    digest: str
    reason: str = ""
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


def search(file: tuple[str, Path], work: Work) -> Search:
    """Search a file for sentences that cite a work; it comes with its article's name."""
    name, path = file
    try:
        content = content_of(path)
        root = root_of(content, path)
        entries = tuple(entries_in(root))
        if not find(work, entries).entries:
            note = f"{name}: {why_not(work, entries)}"
            return Search(path, note, sha(content), "do not cite the article")
        article = write_article(root, name, path)
    except DataError as error:
        note = f"{path}: {error.message}"
        return Search(path, note, str(path), "cannot be read as articles")
    document = with_sentences(article)
    citances, note = cited_in(article, work, document)
    return Search(path, note, sha(content), "", document, article.work, citances)


def search_all(paths: Iterable[Path | str], work: Work, own: Path, *, jobs: int = 1) -> Citing:
    """Search files, and all articles below folders; the article itself is left out."""
    files = with_names([*files_below(paths)])
    progress = len(files) >= WAIT
    searches = parallel.run(
        partial(search, work=work), files, jobs=jobs, label="articles", progress=progress
    )
    citing = Citing()
    seen = {sha(content_of(own)): "is the article itself, and left out"}
    silent: dict[str, list[str]] = defaultdict(list)
    for found in searches:
        if found.digest in seen:
            citing.notes.append(f"{found.path}: {seen[found.digest]}")
            continue
        seen[found.digest] = f"the same file as {found.path}, counted once"
        if found.document is None:
            silent[found.reason].append(found.note)
            continue
        name = found.document.doc_id
        citing.texts[name] = found.document
        citing.works[name] = found.work
        citing.citances += found.citances
        citing.notes.append(found.note)
    for reason, notes in silent.items():
        count = f"{len(notes):,} files {reason}; the first is {notes[0]}"
        citing.notes += notes if len(notes) <= MANY else [count]
    return citing


def with_names(files: Sequence[Path]) -> list[tuple[str, Path]]:
    """Name articles by their files, and by their paths where two files have the same name."""
    names = Counter(map(name_of, {*files}))
    return [(name_of(file) if names[name_of(file)] == 1 else str(file), file) for file in files]


def table_of(citing: Citing, passages: pd.DataFrame) -> pd.DataFrame:
    """Add to passages who cites where: the article's identifiers and title, section and marker."""
    rows = []
    for citance in citing.citances:
        work = citing.works[citance.citing_id]
        section = section_of(citing.texts[citance.citing_id], citance)
        title = "".join(work.titles[:1])
        rows.append((citance.citance_id, named(work), title, section, citance.marker))
    columns = ["citance", "citing_ids", "citing_title", "citing_section", "marker"]
    return pd.DataFrame(rows, columns=columns).merge(passages, "right", on="citance")


def named(work: Work) -> str:
    """Return the identifiers of a work as people write them.

    >>> named(Work(ids={"doi": "10.99999/made-up", "pmcid": "17", "pmid": "3"}))
    '10.99999/made-up PMC17 PMID:3'
    """
    before = {"doi": "", "pmcid": "PMC", "pmid": "PMID:", "arxiv": "arXiv:"}
    known = [f"{start}{work.ids[kind]}" for kind, start in before.items() if kind in work.ids]
    return " ".join(known)


def section_of(document: Document, citance: Citance) -> str:
    """Return the heading of the section in which a citing sentence stands."""
    start = citance.span.start if citance.span else 0
    return [block.heading for block in document.blocks if block.start <= start][-1]
