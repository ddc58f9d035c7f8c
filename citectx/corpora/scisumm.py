"""Read CL-SciSumm 2018: training topics, blind test topics, and the gold annotations of some of the
latter.

Evidence is given by sentence ids (``sid``) of the reference article, whose XML prescribes the
sentences.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from citectx.corpora import files, tac2014
from citectx.corpora.files import (
    Release,
    Reporter,
    Row,
    bare,
    csv_rows,
    listed,
    need_folder,
    pipe_rows,
    shown,
)
from citectx.corpora.markup import TITLE, read_sentences
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

TRAINING, TEST, GOLD = "Training-Set-2018", "Test-Set-2018", "Test-Set-2018-Gold"
"""Folders of the parts, in ``data`` of the upstream repository."""

KEYS = tac2014.KEYS[1:-1]
"""Fields that each annotation has: those of TAC 2014 without Topic ID. The Annotator may be named,
too."""

FACETS = {
    name.lower(): f"{name}_Citation"
    for name in ("Aim", "Hypothesis", "Implication", "Method", "Results")
}
"""Discourse facets by their first word."""

_SIDS = re.compile(r"\[? ?'?\d+'?( ?, ?'?\d+'?)* ?\]?")
_SUMMARY = re.compile(r"human|community|abstract|combined")
_TAG = re.compile(r"</?(?:S|ABSTRACT|COMMUNITY)\b[^<>]*>?")


def read_training(folder: Path, *, allow_missing: bool = False) -> Corpus:
    """Read the 40 training topics, one annotator each.

    Parameters
    ----------
    folder : Path
        The unpacked upstream repository.
    allow_missing : bool
        Leave out a topic that cannot be read, with a finding, where an error would be raised.

    Returns
    -------
    Corpus
        Each topic with its citing articles and up to three summaries: ``human``, ``community`` (the
        sentences marked as cited) and ``abstract``. An annotator is called by the first name.

    Raises
    ------
    MissingDataError
        If the topics are not there.
    DataError
        If a topic cannot be read, unless `allow_missing` is set.

    Notes
    -----
    Ambiguity: in 13 of 753 rows Reference Offset and the ids inside Reference Text differ, and the
    release does not say which one holds. The offset does here; each case is a finding.

    Ambiguity: one row says "Citation Number" for "Citance Number". It can be read, so it is, as a
    753rd citance, with a finding.
    """
    return _read(Path(folder), "scisumm-train", allow_missing)


def read_test(folder: Path, *, allow_missing: bool = False) -> Corpus:
    """Read the 20 test topics, whose citances have no annotations.

    Parameters and errors are those of `read_training`.
    """
    return _read(Path(folder), "scisumm-test", allow_missing)


def read_gold(folder: Path, *, allow_missing: bool = False) -> Corpus:
    """Read the test topics whose annotations are there, by several annotators each.

    Annotators number the citances each in their own way, so citances are aligned on citing article
    and text. Summaries are named by kind and annotator, as in ``human-NAME``. Parameters and errors
    are those of `read_training`.
    """
    gold = need_folder(
        Path(folder) / "data" / GOLD / "Task1", "gold annotations of CL-SciSumm", _REMEDY
    )
    topics = {path.name.partition("_")[0] for path in gold.glob("*_*.csv")}
    return _read(Path(folder), "scisumm-gold", allow_missing, topics)


_REMEDY = "Run `citectx fetch scisumm-corpus`, or name the folder that holds `data`."


def _read(folder: Path, name: str, allow_missing: bool, topics: Iterable[str] = ()) -> Corpus:
    part, build = _PARTS[name]
    root = need_folder(folder / "data" / part, "topics of CL-SciSumm", _REMEDY)
    release = Release(name, folder)
    read: list[Topic] = []
    for topic_id in sorted(topics or {path.name for path in root.iterdir() if path.is_dir()}):
        with release(root / topic_id).attempt("lost"):
            read.append(build(_Papers(root / topic_id, release)))
    found = release.findings(allow_missing=allow_missing)
    if not read:
        raise MissingDataError(f"{root} holds no readable topic. {_REMEDY}")
    return Corpus(name, tuple(read), found)


class _Papers:
    """The articles of a topic."""

    def __init__(self, directory: Path, release: Release) -> None:
        self.directory, self.release = directory, release
        self.topic_id = directory.name
        path = directory / "Reference_XML" / f"{self.topic_id}.xml"
        if not path.is_file():
            raise DataError(f"expected the reference article {path.name} in {path.parent.name}")
        self.reference = read_sentences(path, release)
        self.citing: dict[str, Document] = {}
        for path in sorted((directory / "Citance_XML").glob("*")):
            with release(path).attempt("skipped"):
                if path.suffix == ".xml":
                    self.citing[path.stem] = read_sentences(path, release)
                elif path.suffix != ".json":
                    raise release(path).error("expected an .xml file")

    def _find(self, name: str) -> Document | None:
        """Find a citing article, whose name may be written otherwise or lack what the file's name
        adds.
        """
        alike = [d for d in self.citing.values() if bare(d.doc_id).startswith(bare(name))]
        exact = [d for d in alike if bare(d.doc_id) == bare(name)]
        return exact[0] if exact else alike[0] if len(alike) == 1 else None

    def citance(self, row: Row, annotator: str | None) -> Citance:
        """Read a row; without an annotator, the citance alone."""
        fields, report = row
        name = fields["Citing Article"].strip().removesuffix(".xml").removesuffix(".txt")
        citing, offset = self._find(name), fields["Citation Offset"]
        if citing is None:
            report("noted", f"the citing article {files.cut(name)} is not in Citance_XML")
        return Citance(
            fields["Citance Number"],
            citing.doc_id if citing else name,
            files.squeeze(_plain(fields.get("Citation Text Clean") or fields["Citation Text"])),
            fields["Citation Marker"],
            _hull(citing, _sids("Citation Offset", fields, report)) if citing and offset else None,
            annotations=() if annotator is None else (self._annotation(annotator, fields, report),),
        )

    def _annotation(self, annotator: str, fields: dict[str, str], report: Reporter) -> Annotation:
        sids, known = _sids("Reference Offset", fields, report), self.reference.sentence_spans
        quoted = re.findall(r'\bsid\s*=\s*"?(\d+)', fields["Reference Text"])
        if sids and quoted and set(quoted) != set(sids):
            listing = (
                f"Reference Offset names {', '.join(sids)}, Reference Text {', '.join(quoted)}"
            )
            report("noted", f"{listing}; the offset holds")
        if lost := [sid for sid in sids if sid not in known]:
            report("skipped", f"sentence {files.cut(', '.join(lost))} is not in {self.topic_id}")
        spans = tuple(known[sid] for sid in sids if sid in known)
        return Annotation(annotator, spans, tuple(_facets(fields["Discourse Facet"], report)))


def _sids(key: str, fields: dict[str, str], report: Reporter) -> tuple[str, ...]:
    """Read sentence ids, in whatever quotes and brackets they are."""
    sids = tuple(dict.fromkeys(re.findall(r"\d+", fields[key])))
    if not _SIDS.fullmatch(files.squeeze(fields[key])):
        message = f"{key} {shown(fields[key])} read as {files.cut(', '.join(sids) or 'none')}; expected ['1','94']"
        report("repaired" if sids else "noted", message)
    return sids


def _hull(citing: Document, sids: Sequence[str]) -> Span | None:
    """Return the place of some sentences; 0 means unknown, as no citance is in a title."""
    spans = [citing.sentence_spans.get(sid) for sid in sids if sid != TITLE]
    found = [span for span in spans if span]
    return (
        Span(min(found).start, max(span.end for span in found))
        if found and len(found) == len(spans)
        else None
    )


def _facets(value: str, report: Reporter) -> Iterator[str]:
    for item in listed(value):
        word = item.lower().removesuffix("citation").rstrip(" _")
        facet = FACETS.get(word) or FACETS.get(f"{word}s") or item
        if facet not in (*FACETS.values(), "NA"):
            report("noted", f"facet {shown(item)} is none of {', '.join(FACETS.values())}")
        if facet != "NA":
            yield facet


def _plain(marked_up: str) -> str:
    """Take the text out of ``<S>`` elements, a line for each."""
    return "\n".join(html.unescape(part).strip() for part in _TAG.split(marked_up) if part.strip())


def _person(name: str) -> str:
    """Call an annotator by the first name, which one file writes in another way."""
    return (
        "aakansha"
        if name.lower().startswith("akanksha")
        else (name.lower().split() or ["unnamed"])[0]
    )


def _distinct(citances: Iterable[tuple[Citance, Reporter]]) -> tuple[Citance, ...]:
    """Number anew the citances whose id is taken."""
    taken: dict[str, Citance] = {}
    for citance, report in citances:
        name, count = citance.citance_id, 1
        while name in taken:
            count += 1
            name = f"{citance.citance_id}-{count}"
        if count > 1:
            report(
                "repaired",
                f"Citance Number {citance.citance_id} occurred before; here it is {name}",
            )
        taken[name] = replace(citance, citance_id=name)
    return tuple(taken.values())


def _training_topic(papers: _Papers) -> Topic:
    paths = sorted((papers.directory / "annotation").glob("*.ann*.txt"))
    rows = [
        row for path in paths for row in pipe_rows(papers.release.lines(path), KEYS, ["Annotator"])
    ]
    found = _distinct(
        (papers.citance(row, _person(row[0].get("Annotator", ""))), row[1]) for row in rows
    )
    return Topic(
        papers.topic_id, papers.reference, found, papers.citing, _training_summaries(papers)
    )


def _training_summaries(papers: _Papers) -> dict[str, str]:
    """Read the summaries, whose file names follow no single pattern."""
    summaries: dict[str, str] = {}
    for path in sorted((papers.directory / "summary").glob("*")):
        report, text = papers.release(path), papers.release.text(path)
        kind = _SUMMARY.search(path.name)
        name = kind[0] if kind else "community" if "<COMMUNITY>" in text else ""
        whose = re.split(r"[._](?:human|community|abstract|combined|summary)", path.name)[0]
        if name in ("", "combined", *summaries):
            report("skipped", "expected one human, community and abstract summary")
        elif whose != papers.topic_id and (papers.directory.parent / whose).is_dir():
            report("skipped", f"a summary of another topic, {whose}")
        else:
            summaries[name] = _plain(text)
    return summaries


def _csv_rows(papers: _Papers, path: Path) -> Iterator[Row]:
    """Read a table of annotations as far as possible; only the column of facets may be missing."""
    report = papers.release(path)
    with report.attempt("skipped"):
        for fields, here in csv_rows(papers.release.text(path), report, KEYS[:-1], skip=True):
            yield dict.fromkeys(KEYS, "") | fields, here


def _test_topic(papers: _Papers) -> Topic:
    path = papers.directory / "annotation" / f"{papers.topic_id}.csv"
    if not path.is_file():
        papers.release(path)("skipped", "expected the citances of the topic here; there are none")
    rows = _csv_rows(papers, path) if path.is_file() else ()
    citances = _distinct((papers.citance(row, None), row[1]) for row in rows)
    return Topic(papers.topic_id, papers.reference, citances, papers.citing)


def _gold_topic(papers: _Papers) -> Topic:
    """Join what the annotators of a test topic say, by citing article and text."""
    gold = papers.directory.parents[1] / GOLD
    aligned: dict[tuple[str, str], tuple[Citance, Reporter]] = {}
    for path in sorted((gold / "Task1").glob(f"{papers.topic_id}_*.csv")):
        annotator = _person(path.stem.partition("_")[2])
        for row in _csv_rows(papers, path):
            citance = papers.citance(row, annotator)
            first, place = aligned.setdefault(
                (bare(citance.citing_id), bare(citance.text)), (citance, row[1])
            )
            known = {a.annotator: a for a in first.annotations}
            if first is not citance and annotator in known:
                row[1](
                    "skipped", f"{annotator} annotated this citance before; the first time counts"
                )
            known = {annotator: citance.annotations[0]} | known
            merged = replace(first, annotations=tuple(known[name] for name in sorted(known)))
            aligned[bare(citance.citing_id), bare(citance.text)] = merged, place
    citances = sorted(_distinct(aligned.values()), key=lambda c: files.natural(c.citance_id))
    summaries = {}
    for path in sorted((gold / "Task2").glob(f"{papers.topic_id}[_.]*")):
        whose, _, kind = path.name.removesuffix(".txt").rpartition(".")
        person = whose.partition("_")[2]
        summaries[f"{kind}-{_person(person)}" if person else kind] = _plain(
            papers.release.text(path)
        )
    return Topic(papers.topic_id, papers.reference, tuple(citances), papers.citing, summaries)


_PARTS = {
    "scisumm-train": (TRAINING, _training_topic),
    "scisumm-test": (TEST, _test_topic),
    "scisumm-gold": (TEST, _gold_topic),
}
"""Folder and reader of each part."""
