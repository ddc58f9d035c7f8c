r"""Read the directory format of the TAC 2014 BiomedSumm release.

A topic is a folder with ``Annotation`` (one file per annotator, one line per annotation),
``Documents_Text`` (the reference article and the articles that cite it) and ``Summary``. Offsets
count characters after ``\r`` is removed. The release needs a licence; the teaching corpus has its
format, and one's own corpus can have it.

What we know of the release comes from others who read it: some files are in ISO-8859-1; one key is
spelt ``Reference_offset``; names of documents lose commas and apostrophes; texts hold pipes;
offsets may differ from the text beside them; and the passages that annotators mark as the citance
differ. The teaching corpus has 5 topics, 40 citances and 159 annotations.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from citectx.corpora.annotation_lines import KEYS, annotation_row
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.corpora.text_files import (
    NAME,
    Row,
    bare,
    in_quotes,
    listing,
    natural,
    numbered_lines,
    read_text,
    unix_lines,
)
from citectx.errors import DataError, MissingDataError
from citectx.types import Span

_QUOTES = {
    "Citation Marker Offset": "Citation Marker",
    "Citation Offset": "Citation Text",
    "Reference Offset": "Reference Text",
}
"""Fields with offsets, and those that quote the text there."""

_ENCODING = "iso-8859-1"  # of what is not UTF-8


def read(folder: Path, name: str = "tac2014") -> Corpus:
    """Read all topics of a release, or of its ``data``, in the order of their names.

    Ambiguity: TAC's release does not say which holds where an offset and the text beside it differ.
    As in all releases here, the offset does, and each such case is a finding.
    """
    folders = topic_folders(folder)
    if not folders:
        raise MissingDataError(
            f"{folder} holds no topic; expected there: data/TOPIC/Annotation, "
            "data/TOPIC/Documents_Text and data/TOPIC/Summary"
        )
    findings: list[str] = []
    topics = tuple(_topic(topic, findings) for topic in folders)
    return Corpus(name, topics, tuple(findings))


def topic_folders(root: Path) -> list[Path]:
    """Return the folders of the topics below that of a release; none if it is no release."""
    parts = [*root.glob("*/*"), *root.glob("data/*/*")]
    return sorted({p.parent for p in parts if p.name in ("Annotation", "Documents_Text")})


def _topic(folder: Path, findings: list[str]) -> Topic:
    """Build a topic from its annotations, which all name one reference article."""
    rows = [*_rows(folder)]
    if not rows:
        raise DataError("expected annotations in Annotation/*.ann.txt", file=folder)
    if not NAME.fullmatch(folder.name):
        raise DataError("rename the folder: a topic's name has no blank and no colon", file=folder)
    documents = {}
    for path in listing(folder / "Documents_Text", "*.txt"):
        text = unix_lines(read_text(path, _ENCODING))
        documents[bare(path.stem)] = Document(path.stem, text, plain_blocks(text))
    reference = _article(rows, "Reference Article", documents)
    numbered = defaultdict(list)
    for row in rows:
        numbered[row.name("Citance Number")].append(row)
    citances = []
    for number in sorted(numbered, key=natural):
        citing = _article(numbered[number], "Citing Article", documents)
        citances.append(_citance(numbered[number], reference, citing, findings))
    others = {d.doc_id: d for d in documents.values() if d is not reference}
    summaries = {  # D1401.A.summary.txt
        path.name.split(".")[-3]: unix_lines(read_text(path, _ENCODING))
        for path in listing(folder / "Summary", "*.summary.txt")
    }
    return Topic(folder.name, reference, tuple(citances), others, summaries)


def _article(rows: Sequence[Row], key: str, documents: Mapping[str, Document]) -> Document:
    """Return the article that all rows name, perhaps without its commas and apostrophes."""
    names = [bare(row[key].removesuffix(".txt")) for row in rows]
    for name, row in zip(names, rows, strict=True):
        if name != names[0] or name not in documents:
            expected = "expected an article in Documents_Text, the same in all such lines"
            raise row.error(f"{key} {in_quotes(row[key])}: {expected}")
    return documents[names[0]]


def _rows(folder: Path) -> Iterator[Row]:
    """Read the annotations of a topic; an annotator is called as the file is."""
    for path in listing(folder / "Annotation", "*.ann.txt"):
        for number, line in numbered_lines(path, _ENCODING):
            row = annotation_row(line, path, number, KEYS)
            row.fields["Annotator"] = path.name.split(".")[-3]  # D1401.A.ann.txt
            yield row


def _spans(row: Row, key: str, document: Document, findings: list[str]) -> list[Span]:
    """Read printed offsets; where they do not hold the text beside them, that is a finding."""
    spans = [
        Span(int(start), int(end))
        for start, end in re.findall(r"(?<!\d)(\d{1,12})\s*-\s*(\d{1,12})(?!\d)", row[key])
    ]
    size = len(document.text)
    for start, end in spans:
        if not start < end <= size:
            raise row.error(f"{key} {start}-{end} is empty or lies outside the text (0-{size})")
    quoted = _QUOTES[key]
    held = "".join(_letters(span.of(document.text)) for span in spans)
    if _letters(row[quoted]) != held:
        findings.append(row.finding(f"noted: {key} does not hold the {quoted}; the offset holds"))
    return spans


def _letters(text: str) -> str:
    """Leave out white space and ``...``, which are lost when a text is copied."""
    return re.sub(r"\s|\.\.\.", "", text)


def _citance(
    rows: Sequence[Row], reference: Document, citing: Document, findings: list[str]
) -> Citance:
    """Join what the annotators say of one citance.

    Ambiguity: annotators may mark different passages. The citance is what most of them marked, and
    among equals the longest.
    """
    passages, markers, annotations = [], [], []
    for row in rows:
        marker = _spans(row, "Citation Marker Offset", citing, findings)
        passage = _spans(row, "Citation Offset", citing, findings)
        evidence = _spans(row, "Reference Offset", reference, findings)
        if not (marker and passage):
            raise row.error("expected offsets of the citance and its marker in the citing article")
        markers.append(marker[0])
        passages.append(passage[0])
        annotations.append(Annotation(row["Annotator"], tuple(evidence)))
    agreed = _favourite(passages)
    mark = _favourite(markers)
    texts = agreed.of(citing.text), mark.of(citing.text)
    number = rows[0]["Citance Number"]
    return Citance(number, citing.doc_id, *texts, agreed, mark, tuple(annotations))


def _favourite(spans: Sequence[Span]) -> Span:
    """Return the most frequent span; among equals the longest, then the first."""
    counts = Counter(spans)
    return max(spans, key=lambda span: (counts[span], span.end - span.start))
