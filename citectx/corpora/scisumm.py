"""Read CL-SciSumm 2018: training topics, blind test topics, and gold annotations of some of these.

Evidence is given by sentence ids (``sid``) of the reference article, whose XML prescribes the
sentences.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from citectx import reading
from citectx.corpora import tac2014
from citectx.corpora.files import (
    Release,
    Reporter,
    Row,
    bare,
    csv_rows,
    cut,
    listed,
    natural,
    need_folder,
    shown,
    squeeze,
)
from citectx.corpora.markup import TITLE, read_sentences
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.tac_lines import pipe_rows
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

TRAINING, TEST, GOLD = "Training-Set-2018", "Test-Set-2018", "Test-Set-2018-Gold"
"""Folders of the parts, in ``data`` of the upstream repository."""

KEYS = tac2014.KEYS[1:-1]
"""Fields of each annotation: those of TAC 2014 without Topic ID; the Annotator is optional."""

FACETS = {
    "aim": "Aim_Citation",
    "hypothesis": "Hypothesis_Citation",
    "implication": "Implication_Citation",
    "method": "Method_Citation",
    "results": "Results_Citation",
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
    folder = Path(folder)
    gold = need_folder(folder / "data" / GOLD / "Task1", "gold annotations of CL-SciSumm", _REMEDY)
    topics = {path.name.partition("_")[0] for path in reading.listing(gold, "*_*.csv")}
    return _read(folder, "scisumm-gold", allow_missing, topics)


_REMEDY = "Run `citectx fetch scisumm-corpus`, or name the folder that holds `data`."


def _read(folder: Path, name: str, allow_missing: bool, topics: Iterable[str] = ()) -> Corpus:
    part, build = _PARTS[name]
    root = need_folder(folder / "data" / part, "topics of CL-SciSumm", _REMEDY)
    release = Release(name, folder)
    read: list[Topic] = []
    for topic_id in sorted(topics) or _folders(root):
        with release(root / topic_id).attempt("lost"):
            read.append(build(_Papers(root / topic_id, release)))
    corpus = release.corpus(read, allow_missing=allow_missing)
    if not read:
        raise MissingDataError(f"{root} holds no readable topic. {_REMEDY}")
    return corpus


def _folders(root: Path) -> list[str]:
    return [path.name for path in reading.listing(root) if path.is_dir()]


class _Papers:
    """The articles of a topic."""

    def __init__(self, directory: Path, release: Release) -> None:
        self.directory, self.release = directory, release
        self.topic_id = directory.name
        path = directory / "Reference_XML" / f"{self.topic_id}.xml"
        if not reading.there(path):
            raise DataError(f"expected the reference article {path.name} in {path.parent.name}")
        self.reference = read_sentences(path, release)
        self.citing: dict[str, Document] = {}
        for path in reading.listing(directory / "Citance_XML"):
            with release(path).attempt("skipped"):
                if path.suffix == ".xml":
                    self.citing[path.stem] = read_sentences(path, release)
                elif path.suffix != ".json":
                    raise release(path).error("expected an .xml file")

    def _find(self, name: str) -> Document | None:
        """Find a citing article; its name may be spelled differently or cut short."""
        wanted = bare(name)
        alike = [d for d in self.citing.values() if bare(d.doc_id).startswith(wanted)]
        exact = [d for d in alike if bare(d.doc_id) == wanted]
        if exact:
            return exact[0]
        return alike[0] if len(alike) == 1 else None

    def citance(self, row: Row, annotator: str | None) -> tuple[Citance, Reporter]:
        """Read a row; without an annotator, the citance alone. Its place comes with it."""
        fields, report = row
        name = fields["Citing Article"].strip().removesuffix(".xml").removesuffix(".txt")
        citing, span = self._find(name), None
        if citing is None:
            report("noted", f"the citing article {cut(name)} is not in Citance_XML")
        elif fields["Citation Offset"]:
            span = _hull(citing, _sids("Citation Offset", fields, report))
        printed = fields.get("Citation Text Clean") or fields["Citation Text"]
        text, name = squeeze(_plain(printed)), citing.doc_id if citing else name
        number, marker = fields["Citance Number"], fields["Citation Marker"]
        citance = Citance(number, name, text, marker, span)
        if annotator is not None:
            annotation = self._annotation(annotator, fields, report)
            citance = replace(citance, annotations=(annotation,))
        return citance, report

    def _annotation(self, annotator: str, fields: dict[str, str], report: Reporter) -> Annotation:
        sids, known = _sids("Reference Offset", fields, report), self.reference.sentence_spans
        quoted = re.findall(r'\bsid\s*=\s*"?(\d+)', fields["Reference Text"])
        if sids and quoted and set(quoted) != set(sids):
            named = f"Reference Offset names {', '.join(sids)}, Reference Text {', '.join(quoted)}"
            report("noted", f"{named}; the offset holds")
        lost = [sid for sid in sids if sid not in known]
        if lost:
            report("skipped", f"sentence {cut(', '.join(lost))} is not in {self.topic_id}")
        spans = tuple(known[sid] for sid in sids if sid in known)
        return Annotation(annotator, spans, tuple(_facets(fields["Discourse Facet"], report)))


def _sids(key: str, fields: dict[str, str], report: Reporter) -> tuple[str, ...]:
    """Read sentence ids, in whatever quotes and brackets they are."""
    sids = tuple(dict.fromkeys(re.findall(r"\d+", fields[key])))
    if not _SIDS.fullmatch(squeeze(fields[key])):
        ids = cut(", ".join(sids) or "none")
        read = f"{key} {shown(fields[key])} read as {ids}"
        report("repaired" if sids else "noted", f"{read}; expected ['1','94']")
    return sids


def _hull(citing: Document, sids: Sequence[str]) -> Span | None:
    """Return the place of some sentences; 0 means unknown, as no citance is in a title."""
    known = citing.sentence_spans
    wanted = [sid for sid in sids if sid != TITLE]
    if not wanted or not known.keys() >= set(wanted):
        return None
    return Span.around(known[sid] for sid in wanted)


def _facets(value: str, report: Reporter) -> Iterator[str]:
    for item in listed(value):
        word = item.lower().removesuffix("citation").rstrip(" _")
        facet = FACETS.get(word) or FACETS.get(f"{word}s") or item
        if facet == "NA":
            continue
        if facet not in FACETS.values():
            report("noted", f"facet {shown(item)} is none of {', '.join(FACETS.values())}")
        yield facet


def _plain(marked_up: str) -> str:
    """Take the text out of ``<S>`` elements, a line for each."""
    parts = filter(str.strip, _TAG.split(marked_up))
    return "\n".join(html.unescape(part).strip() for part in parts)


def _person(name: str) -> str:
    """Call an annotator by the first name, which one file spells differently."""
    first, *_ = name.lower().split() or ["unnamed"]
    return "aakansha" if first.startswith("akanksha") else first


def _distinct(citances: Iterable[tuple[Citance, Reporter]]) -> tuple[Citance, ...]:
    """Give a new number to each citance whose number is taken."""
    taken: dict[str, Citance] = {}
    for citance, report in citances:
        number = name = citance.citance_id
        count = 1
        while name in taken:
            count += 1
            name = f"{number}-{count}"
        if count > 1:
            report("repaired", f"Citance Number {number} occurred before; here it is {name}")
        taken[name] = replace(citance, citance_id=name)
    return tuple(taken.values())


def _training_topic(papers: _Papers) -> Topic:
    rows: list[Row] = []
    for path in reading.listing(papers.directory / "annotation", "*.ann*.txt"):
        rows += pipe_rows(papers.release.lines(path), KEYS, ["Annotator"])
    found = (papers.citance(row, _person(row[0].get("Annotator", ""))) for row in rows)
    citances, summaries = _distinct(found), _training_summaries(papers)
    return Topic(papers.topic_id, papers.reference, citances, papers.citing, summaries)


def _training_summaries(papers: _Papers) -> dict[str, str]:
    """Read the summaries, whose file names follow no single pattern."""
    summaries: dict[str, str] = {}
    for path in reading.listing(papers.directory / "summary"):
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
    if not reading.there(path):
        papers.release(path)("skipped", "expected the citances of the topic here; there are none")
        return Topic(papers.topic_id, papers.reference, (), papers.citing)
    citances = _distinct(papers.citance(row, None) for row in _csv_rows(papers, path))
    return Topic(papers.topic_id, papers.reference, citances, papers.citing)


def _gold_topic(papers: _Papers) -> Topic:
    """Join what the annotators of a test topic say, by citing article and text."""
    gold = papers.directory.parents[1] / GOLD
    aligned: dict[tuple[str, str], tuple[Citance, Reporter]] = {}
    for path in reading.listing(gold / "Task1", f"{papers.topic_id}_*.csv"):
        annotator = _person(path.stem.partition("_")[2])
        for row in _csv_rows(papers, path):
            citance, report = papers.citance(row, annotator)
            key = bare(citance.citing_id), bare(citance.text)
            first, place = aligned.setdefault(key, (citance, report))
            aligned[key] = _merged(first, citance, report), place
    citances = sorted(_distinct(aligned.values()), key=lambda citance: natural(citance.citance_id))
    summaries = _gold_summaries(papers, gold / "Task2")
    return Topic(papers.topic_id, papers.reference, tuple(citances), papers.citing, summaries)


def _merged(first: Citance, other: Citance, report: Reporter) -> Citance:
    """Add an annotator's view of a citance to what the others say of it."""
    if other is first:
        return first
    [annotation] = other.annotations
    known = {each.annotator: each for each in first.annotations}
    if annotation.annotator in known:
        report(
            "skipped",
            f"{annotation.annotator} annotated this citance before; the first time counts",
        )
    known.setdefault(annotation.annotator, annotation)
    return replace(first, annotations=tuple(known[name] for name in sorted(known)))


def _gold_summaries(papers: _Papers, folder: Path) -> dict[str, str]:
    summaries = {}
    for path in reading.listing(folder, f"{papers.topic_id}[_.]*"):
        whose, _, kind = path.name.removesuffix(".txt").rpartition(".")
        person = whose.partition("_")[2]
        name = f"{kind}-{_person(person)}" if person else kind
        summaries[name] = _plain(papers.release.text(path))
    return summaries


_PARTS = {
    "scisumm-train": (TRAINING, _training_topic),
    "scisumm-test": (TEST, _test_topic),
    "scisumm-gold": (TEST, _gold_topic),
}
"""Folder and reader of each part."""
