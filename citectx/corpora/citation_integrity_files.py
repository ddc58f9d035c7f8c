"""What the releases of Citation-Integrity share: BRAT standoff, passages, and the claims of 2024.

What we saw in the claims: the three files number their citances anew, but an article is in one of
them only. Placeholders replace citation markers: ``<|cit|>`` or ``<|multi_cit|>`` the article's
own, one in 3,045 citances and none in 18, and ``<|other_cit|>`` those of other works.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from citectx.corpora.model import Annotation, Citance, Document
from citectx.corpora.structure import markdown_blocks
from citectx.corpora.text_files import numbered_lines, read_text, squeeze
from citectx.types import Span

ANNOTATIONS = "citation-integrity-annotations"
FULL_TEXTS = "citation-integrity-fulltext"
CLAIMS = "citation-integrity-2024"
"""Names of the sources in the registry."""

ROOT = Path("ShruthanCode")
"""Where annotations and full texts are in the upstream repository."""

FOLDER = Path("Data", "multivers-format")
"""Where claims and articles of the release of 2024 are in its upstream repository."""

PARTS = ("train", "dev", "test")
"""The parts of the release of 2024; an article is in one of them. We use all."""

DOUBTFUL = frozenset(["IRRELEVANT", "Span"])
"""Labels of passages that are not evidence; see `citectx.corpora.citation_integrity.read`."""

ANNOTATOR = "adjudicated"
MARKER = "*"
"""What the release of 2024 prints where it has replaced a citation marker."""

_PLACEHOLDER = re.compile(r"<\|\w{1,20}\|>")


def read_marks(path: Path) -> Iterator[tuple[int, str, list[Span], str]]:
    """Read line number, label, spans and quoted text of each ``T`` line of BRAT standoff."""
    for number, line in numbered_lines(path):
        if line.startswith("T"):
            _, mark, quote = line.split("\t")
            label, _, offsets = mark.partition(" ")
            spans = [Span(*map(int, pair.split())) for pair in offsets.split(";")]
            yield number, label, spans, quote


def read_parts(path: Path) -> list[str]:
    """Read the citing passage of a file, the border below it, and the reference article."""
    return re.split(r"(?m)(^\*{20,}$\s*)", read_text(path), maxsplit=1)


def reference_article(name: str, text: str) -> Document:
    """Build the article of a folder, such as ``001_PMC2811155``, in light Markdown."""
    return Document(name.partition("_")[2], text, markdown_blocks(text))


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file with a record of JSON in each line."""
    return (json.loads(line) for _, line in numbered_lines(path))


def read_claims(folder: Path) -> dict[int, list[dict[str, Any]]]:
    """Read the claims about each article, by its number, from the upstream repository."""
    claims: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for part in PARTS:
        for claim in read_records(folder / FOLDER / f"claims-{part}.jsonl"):
            claims[claim["cited_doc_ids"][0] // 1000].append(claim)
    return claims


def evidence_places(claim: Mapping[str, Any]) -> set[tuple[int, int]]:
    """Return the sentences that are evidence: numbers of paragraph and sentence.

    >>> groups = [{"sentences": [4, 3], "label": "ACCURATE"}]
    >>> sorted(evidence_places({"evidence": {"11002": groups}}))
    [(2, 3), (2, 4)]
    """
    places = set()
    for paragraph, groups in claim["evidence"].items():
        for group in groups:
            if group["label"] not in DOUBTFUL:
                places |= {(int(paragraph) % 1000, number) for number in group["sentences"]}
    return places


def citance(name: str, claim: str, evidence: Iterable[Span]) -> Citance:
    """Build the citance of a claim from its evidence; its text is its citing document."""
    parts = re.split(r"<\|(?:multi_)?cit\|>", squeeze(claim), maxsplit=1)
    before, *after = [_PLACEHOLDER.sub(MARKER, part) for part in parts]
    text = MARKER.join([before, *after])
    marker = Span(len(before), len(before) + len(MARKER)) if after else None
    mark = MARKER if after else ""
    annotation = Annotation(ANNOTATOR, tuple(sorted(evidence)))
    return Citance(name, name, text, mark, Span(0, len(text)), marker, (annotation,))


def passages(citances: Iterable[Citance]) -> dict[str, Document]:
    """Return the texts of citances as their citing documents."""
    return {c.citing_id: Document(c.citing_id, c.text) for c in citances}
