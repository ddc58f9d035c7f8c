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
"""So many files without a citing sentence are named one by one; more are counted."""
WAIT = 20
"""From how many files on a search shows a progress bar."""
WHO = ["citance", "citing_ids", "citing_title", "citing_section", "marker"]
"""Who cites where: the article's identifiers and title, the section and what marks the place."""


class Search(NamedTuple):
    """What a file holds about a work: without a document nothing, for some reason."""

    path: Path
    note: str
    digest: str
    """The SHA-256 of the file, or its path if it cannot be read."""
    reason: str = ""
    document: Document | None = None
    citances: Sequence[Citance] = ()
    who: Sequence[tuple[str, ...]] = ()
    """A row of `WHO` for each citance."""


@dataclass
class Citing:
    """The articles that cite a work, their sentences, and notes on what was found in which file."""

    texts: dict[str, Document] = field(default_factory=dict)
    citances: list[Citance] = field(default_factory=list)
    who: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def table(self, passages: pd.DataFrame) -> pd.DataFrame:
        """Add to passages who cites where: the columns `WHO` come first."""
        return pd.DataFrame(self.who, columns=WHO).merge(passages, "right", on="citance")


def search(file: tuple[str, Path], work: Work) -> Search:
    """Search a file for sentences that cite a work; it comes with its article's name."""
    name, path = file
    try:
        content = content_of(path)
        root = root_of(content, path)
        entries = tuple(entries_in(root))
        # most files end here, before their text is written
        if not find(work, entries).entries:
            note = f"{name}: {why_not(work, entries)}"
            return Search(path, note, sha(content), "do not cite the article")
        article = write_article(root, name, path)
    except DataError as error:
        note = f"{path}: {error.message}"
        return Search(path, note, str(path), "cannot be read as articles")
    document = with_sentences(article)
    citances, note = cited_in(article, work, document)
    about = named(article.work), article.work.title
    who = [(c.citance_id, *about, section_of(document, c), c.marker) for c in citances]
    return Search(path, note, sha(content), "", document, citances, who)


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
            # thousands may not cite the article
            silent[found.reason].append(found.note)
            continue
        citing.texts[found.document.doc_id] = found.document
        citing.citances += found.citances
        citing.who += found.who
        citing.notes.append(found.note)
    for reason, notes in silent.items():
        count = f"{len(notes):,} files {reason}; the first is {notes[0]}"
        citing.notes += notes if len(notes) <= MANY else [count]
    return citing


def with_names(files: Sequence[Path]) -> list[tuple[str, Path]]:
    """Name articles by their files, and by their paths where two files have the same name."""
    # a file that is given twice is no second one of its name
    names = Counter(map(name_of, {*files}))
    return [(name_of(file) if names[name_of(file)] == 1 else str(file), file) for file in files]


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
