"""A folder of articles: for each, who of many cites it, and which passages these are about.

The output is a file with one line of JSON for each article, in the order of their names. It is
written line by line: whoever starts the same command again goes on behind the last whole line, and
the finished file has the same bytes, whatever happened and on however many cores.

Each line begins with what it was made of, ``made_of``: a run goes on only where all lines are its
own.
"""

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from citectx import __version__, parallel, storage
from citectx.apps.contexts.anybody import (
    Contexts,
    UncitedError,
    citance_rows,
    cmd_own_paper,
    contexts,
    printable,
)
from citectx.apps.contexts.citers import Known, known_of, pairs
from citectx.apps.contexts.finder import Cited, report
from citectx.cache import libraries
from citectx.code import code_digest
from citectx.corpora.articles import read_article
from citectx.corpora.references import Work
from citectx.errors import CitectxWarning, DataError, ParameterError
from citectx.reading import listing, note

SUFFIXES = (".xml", ".nxml", ".tei", ".txt", ".md", ".markdown", ".pdf")
"""How the names of articles in a folder end, in whatever case."""

LINES = ".jsonl"
"""How the name of the output ends; no article's does."""

CAUSES = {
    "citectx": "by another version of citectx",
    "code": "by other code or with other libraries",
    "k": "with another number of passages (-k)",
    "inputs": "of other articles or other citing sentences",
}
"""What a line says that it was made of, and what is wrong if that differs."""


class Job(NamedTuple):
    """An article, the beginning of its line, and what is asked of it."""

    head: str
    path: Path
    citances: tuple[str, ...]
    citing: tuple[Path, ...]
    k: int


class Done(NamedTuple):
    """What an output holds: articles, how many bytes their lines take, and which had an error."""

    articles: int
    size: int
    failed: list[str]


@dataclass(frozen=True)
class Folder:
    """What is read.

    Parameters
    ----------
    path : Path
    files : tuple of Path
        The articles, by name.
    given : mapping of str to tuple of str
        Citing sentences by the article's name; those of "" are for all.
    citing : tuple of Path
        Articles in which citing sentences are looked for.
    table : Path, optional
        Where citing sentences were read from.
    """

    path: Path
    files: tuple[Path, ...]
    given: Mapping[str, tuple[str, ...]]
    citing: tuple[Path, ...]
    table: Path | None = None

    @property
    def inputs(self) -> tuple[Path, ...]:
        """All files that are read."""
        return (*self.files, *self.citing, *([self.table] if self.table else []))

    @classmethod
    def of(
        cls, path: Path, cites: Sequence[str], citances: Path | None, citing: Sequence[Path]
    ) -> "Folder":
        """List the articles of a folder, and find out what is asked of them.

        If there is neither a citing sentence nor a citing article, those of the folder are searched
        for citations of each other.

        Raises
        ------
        ParameterError
            If it is no folder, or holds no article.
        DataError
            If citing sentences name an article that it does not hold.
        """
        files = articles_in(path)
        rows = citance_rows(citances) if citances else []
        given = _by_article(cites, rows)
        names = {"", *(each for file in files for each in _names(path, file))}
        strange = next((name for name in given if name not in names), None)
        if strange is not None:
            raise DataError(f"{path} holds no article {strange!r}", file=citances)
        searched = [file for each in citing for file in _citing_in(each)]
        if not (cites or rows or citing):
            searched = [*files]
        return cls(path, files, given, tuple(dict.fromkeys(searched)), citances)

    def citances(self, file: Path) -> tuple[str, ...]:
        """Return the sentences that are given for an article."""
        names = ("", *_names(self.path, file))
        return tuple(one for name in names for one in self.given.get(name, ()))

    def digest(self) -> str:
        """Hash names and contents of all that is read."""
        articles = [(_name(self.path, file), storage.sha256(note(file))) for file in self.files]
        citing = [(file.name, storage.sha256(note(file))) for file in self.citing]
        return storage.digest(articles, citing, sorted(self.given.items()))


def _by_article(
    cites: Sequence[str], rows: Sequence[Mapping[str, str]]
) -> dict[str, tuple[str, ...]]:
    """Collect citing sentences by the article's name; those for all have none."""
    given = {"": tuple(cites)}
    for row in rows:
        name = row.get("article", "")
        given[name] = (*given.get(name, ()), row["citance"])
    return given


def articles_in(folder: Path) -> tuple[Path, ...]:
    """List the articles below a folder, by name.

    Raises
    ------
    ParameterError
        If it is no folder, or there are none.
    """
    if not folder.is_dir():
        raise ParameterError(f"{folder} is no folder: --jsonl takes a folder of articles")
    found = [p for p in listing(folder, "**/*") if p.suffix.lower() in SUFFIXES and p.is_file()]
    if not found:
        raise ParameterError(f"{folder} holds no article: expected files in {', '.join(SUFFIXES)}")
    return tuple(sorted(found, key=lambda file: _name(folder, file)))


def _citing_in(path: Path) -> tuple[Path, ...]:
    return articles_in(path) if path.is_dir() else (path,)


def _name(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def _names(folder: Path, file: Path) -> tuple[str, ...]:
    """Return the names by which a table of citing sentences may call an article."""
    name = _name(folder, file)
    stem = name.removesuffix(file.suffix)
    return tuple(dict.fromkeys([name, stem, stem.removesuffix(".tei")]))


def in_bulk(
    folder: Folder,
    out: Path,
    *,
    k: int = 3,
    jobs: int = 1,
    force: bool = False,
    progress: bool = False,
) -> list[str]:
    """Write a line for each article, going on behind those that the output holds.

    Parameters
    ----------
    folder : Folder
    out : Path
    k : int
        Passages for each citing sentence.
    jobs : int
        Processes; the lines do not depend on them.
    force : bool
        Begin anew, whatever the output holds; an input is not replaced in any case.
    progress : bool
        Show progress bars.

    Returns
    -------
    list of str
        Errors of articles that could not be read, each with the article's name. Their lines have
        the error instead of passages.

    Raises
    ------
    ParameterError
        If `k` or `jobs` is below 1, the output's name does not end in ``.jsonl``, it is an input,
        or it holds anything but lines of this run and `force` is not set.
    DataError
        If an input changed in the meantime.
    MissingDataError
        If an article is PDF and pypdf is not installed. Lines that are written stay.
    """
    if k < 1:
        raise ParameterError(f"k must be at least 1, not {k}")
    parallel.check(jobs)
    storage.check_output(out, inputs=folder.inputs, force=True)
    code = storage.digest(code_digest(__name__), libraries())
    inputs = folder.digest()
    made_of = {"citectx": __version__, "code": code, "k": k, "inputs": inputs}
    heads = [_head(made_of, _name(folder.path, file)) for file in folder.files]
    with storage.lock(out, 0):
        done = Done(0, 0, []) if force else finished(out, made_of, heads)
        if out.suffix != LINES:
            raise ParameterError(f"{out}: the name of the output must end in {LINES}")
        failed = [*done.failed]
        left = range(done.articles, len(folder.files))
        todo = _jobs(folder, left, heads, k, jobs, progress)
        lines = parallel.stream(line_of, todo, jobs=jobs, label="articles", progress=progress)
        with storage.appending(out, done.size) as write:
            for line in lines:
                write(line)
                failed += _error_of(json.loads(line))
    if folder.digest() != inputs:
        raise DataError("articles changed while they were read: begin anew with --force", file=out)
    return failed


def _head(made_of: Mapping[str, Any], name: str) -> str:
    """Return the beginning of a line."""
    return json.dumps({"made_of": made_of, "file": name})[:-1]


def _error_of(line: Mapping[str, Any]) -> list[str]:
    return [f"{line['file']}: {line['error']}"] if line["error"] else []


def finished(out: Path, made_of: Mapping[str, Any], heads: Sequence[str]) -> Done:
    """Tell what an output holds, which must be lines of this run and nothing else.

    What a kill has left of a line, at the end, is not counted.

    Raises
    ------
    ParameterError
        If it holds anything else; the message says what, and in which line.
    """
    articles, size, failed = 0, 0, list[str]()
    if not out.exists():
        storage.check_output(out)  # it may be a link to nowhere
        return Done(articles, size, failed)
    with out.open("rb") as lines:
        for line in lines:
            head = heads[articles] if articles < len(heads) else None
            if head and not line.endswith(b"\n") and _torn(line, head.encode()):
                break
            found = _parsed(line)
            if cause := _cause(found, line, head, made_of):
                remedy = "name another file, or replace it with --force"
                why = f"its line {articles + 1} {cause}"
                raise ParameterError(f"{out} is there already: {remedy} ({why})")
            articles, size = articles + 1, size + len(line)
            failed += _error_of(found)
    return Done(articles, size, failed)


def _torn(line: bytes, head: bytes) -> bool:
    return line.startswith(head) or head.startswith(line)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _cause(
    found: Mapping[str, Any], line: bytes, head: str | None, made_of: Mapping[str, Any]
) -> str:
    """Say why a line is not the one that belongs there; "" if it is."""
    made = found.get("made_of")
    if not isinstance(made, dict) or not {"file", "error"} <= found.keys():
        return "was not written by citectx contexts --jsonl"
    for name, cause in CAUSES.items():
        if made.get(name) != made_of[name]:
            return f"was made {cause}"
    if head is None or not line.startswith(head.encode()) or not line.endswith(b"\n"):
        return "is not the line that this run writes there"
    return ""


def _jobs(
    folder: Folder, left: Sequence[int], heads: Sequence[str], k: int, jobs: int, progress: bool
) -> Iterator[Job]:
    """Say what is to be done for some articles."""
    files = [folder.files[i] for i in left]
    citers = _citers(folder.citing, files, jobs, progress) if files and folder.citing else {}
    for i, file in zip(left, files, strict=True):
        yield Job(heads[i], file, folder.citances(file), citers.get(file, ()), k)


def _citers(
    citing: Sequence[Path], files: Sequence[Path], jobs: int, progress: bool
) -> dict[Path, tuple[Path, ...]]:
    """Find the articles that may cite each file; tell which cannot be searched."""
    both = [*dict.fromkeys([*citing, *files])]
    read = parallel.stream(known, both, jobs=jobs, label="reference lists", progress=progress)
    found = dict(zip(both, read, strict=True))
    unusable = [Cited(file.stem, note=found[file][1]) for file in citing if found[file][1]]
    for line in report(unusable):
        print(f"not searched: {printable(line)}", file=sys.stderr)
    works = [found[file][0].work for file in files]
    places = pairs(works, [found[file][0] for file in citing])
    listed = zip(files, places, strict=True)
    return {file: tuple(citing[i] for i in own if citing[i] != file) for file, own in listed}


def known(path: Path) -> tuple[Known, str]:
    """Read what tells whom a file cites and who cites it, and why its citations are not found."""
    try:
        return known_of(read_article(path)), ""
    except DataError as error:
        return Known(Work()), error.message


def line_of(job: Job) -> str:
    """Return the line of an article."""
    about: dict[str, Any] = {
        "article": job.path.stem.removesuffix(".tei"),
        "method": "",
        "notes": [],
        "cited_by": [],
        "citances": [],
        "error": "",
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CitectxWarning)  # it is among the notes, too
            about |= _found(job)
    except DataError as error:
        about["error"] = str(error)
    return f"{job.head}, {json.dumps(about, allow_nan=False)[1:]}"


def _found(job: Job) -> dict[str, Any]:
    """Describe the passages of an article; a note if nobody cites it."""
    uncited = {"notes": ["no citing sentence is given or found"]}
    if not (job.citances or job.citing):
        read_article(job.path)
        return uncited
    try:
        found = contexts(job.path, job.citances, citing=job.citing, k=job.k)
    except UncitedError as error:
        return uncited | {"cited_by": [*_described(error.cited)]}
    return {
        "article": found.topic.topic_id,
        "method": found.method,
        "notes": list(found.notes),
        "cited_by": [*_described(found.cited)],
        "citances": [*_citances(found)],
    }


def _described(cited: Iterable[Cited]) -> Iterator[dict[str, Any]]:
    """Describe the articles that have this one in their reference lists."""
    for one in cited:
        if one.how:
            yield {"citing": one.citing_id, "how": one.how, "note": one.note}


def _citances(found: Contexts) -> Iterator[dict[str, Any]]:
    """Describe each citing sentence with its passages."""
    passages = defaultdict[str, list[dict[str, Any]]](list)
    for row in found.frame().drop(columns="citing").to_dict("records"):
        passages[row.pop("citance")].append({str(name): row[name] for name in row})
    for citance in found.topic.citances:
        yield {
            "citance": citance.citance_id,
            "citing": citance.citing_id,
            "text": citance.text,
            "marker": citance.marker,
            "passages": passages[citance.citance_id],
        }


def cmd_contexts(*, jsonl: Path | None, jobs: int, **given: Any) -> int:
    """Run ``citectx contexts``, for one article or for a folder."""
    if jsonl is None:
        if jobs != 1:
            raise ParameterError("--jobs is for a folder of articles: name the output by --jsonl")
        return cmd_own_paper(**given)
    shared = ("kind", "article", "cites", "citances", "citing", "k", "force")
    for name, value in given.items():
        if value and name not in shared:
            option = name.removeprefix("as_")
            raise ParameterError(f"--{option} is for one article: leave it out with --jsonl")
    folder = Folder.of(*(given[name] for name in ("article", "cites", "citances", "citing")))
    failed = in_bulk(folder, jsonl, k=given["k"], jobs=jobs, force=given["force"], progress=True)
    for line in failed:
        print(printable(f"could not be read: {line}"), file=sys.stderr)
    total = len(folder.files)
    print(f"{total - len(failed):,} of {total:,} articles: {jsonl}")
    return 1 if failed else 0
