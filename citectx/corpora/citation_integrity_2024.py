"""Read Citation-Integrity as it was published in 2024: 100 reference articles, 3,063 citances.

A line of the claims (SciFact's schema) is a citance, whose evidence is given by numbers of
sentences in numbered paragraphs of the cited article: its number times 1,000 plus their own. There
is one adjudicated annotation per citance. Articles 1 to 10 are those of
`citectx.corpora.citation_integrity`, in another conversion.

What we saw in the claims: the three files number their citances anew, but an article is in one of
them only. 2,441 of 3,063 citances have evidence, two of them only with the label IRRELEVANT.
Placeholders replace citation markers: ``<|cit|>`` or ``<|multi_cit|>`` the article's own, one in
3,045 citances and none in 18, and ``<|other_cit|>`` those of other works. The form of
``corpus.jsonl`` (not at hand) follows from the claims and the schema.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from citectx.corpora.citation_integrity import DOUBTFUL, article_blocks
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.scisumm import Section, lay_out
from citectx.corpora.text_files import numbered_lines, squeeze
from citectx.types import Span

NAME = "citation-integrity-2024"
FOLDER = Path("Data", "multivers-format")
"""Where claims and articles are in the upstream repository."""

PARTS = ("train", "dev", "test")
"""Of the release; an article is in one of them. We use all."""

ANNOTATOR = "adjudicated"
MARKER = "*"
"""Printed where the release has replaced a citation marker."""

_OWN = re.compile(r"<\|(?:multi_)?cit\|>")
_PLACEHOLDER = re.compile(r"<\|\w{1,20}\|>")


def read(folder: Path, articles: Path) -> Corpus:
    """Read the 100 topics from the upstream repository with the claims, and that with the articles.

    Topics are named by the number of their article. The citing document of a citance is its text.

    Ambiguity: upstream calls nothing a title, heading or abstract. An article's paragraphs are
    taken for lines of plain text, as the full texts of the other release are, and their kinds
    guessed alike. The first is its title if it is short, and is then no candidate, though 346 of
    6,134 groups of evidence sentences name it.
    Ambiguity: as in the other release, sentences labelled ``IRRELEVANT`` are no evidence.
    """
    paragraphs: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for record in _records(articles / FOLDER / "corpus.jsonl"):
        article, number = divmod(record["doc_id"], 1000)
        paragraphs[article][number] = record["abstract"]
    topics = []
    for article, claims in sorted(read_claims(folder).items()):
        reference = _reference(f"{article:03}", paragraphs[article])
        citances = tuple(
            citance(claim, _annotation(claim["evidence"], reference)) for claim in claims
        )
        citing = {c.citance_id: Document(c.citance_id, c.text) for c in citances}
        topics.append(Topic(reference.doc_id, reference, citances, citing))
    return Corpus(NAME, tuple(topics))


def read_claims(folder: Path) -> dict[int, list[dict[str, Any]]]:
    """Read the claims about each article, by its number, from the upstream repository."""
    claims: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for part in PARTS:
        for claim in _records(folder / FOLDER / f"claims-{part}.jsonl"):
            claims[claim["cited_doc_ids"][0] // 1000].append(claim)
    return claims


def _records(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for _, line in numbered_lines(path))


def _reference(name: str, paragraphs: Mapping[int, list[str]]) -> Document:
    """Lay an article out; the id of a sentence is ``paragraph:number``."""
    sections: list[Section] = []
    for number in sorted(paragraphs):
        lines = enumerate(map(squeeze, paragraphs[number]))
        sections.append(("", "body", [(f"{number}:{i}", sentence) for i, sentence in lines]))
    article = lay_out(name, sections)
    return replace(article, blocks=article_blocks(article.text))


def citance(claim: Mapping[str, Any], annotation: Annotation) -> Citance:
    """Build the citance of a claim; its text is its citing document."""
    name, printed = str(claim["id"]), squeeze(claim["claim"])
    text = _PLACEHOLDER.sub(MARKER, printed)
    marker = None
    if match := _OWN.search(printed):
        start = len(_PLACEHOLDER.sub(MARKER, printed[: match.start()]))
        marker = Span(start, start + len(MARKER))
    shown = MARKER if marker else ""
    return Citance(name, name, text, shown, Span(0, len(text)), marker, (annotation,))


def _annotation(evidence: Mapping[str, list[dict[str, Any]]], article: Document) -> Annotation:
    spans, labels = set[Span](), set[str]()
    for paragraph, groups in evidence.items():
        for group in groups:
            labels.add(group["label"])
            if group["label"] not in DOUBTFUL:
                sids = [f"{int(paragraph) % 1000}:{number}" for number in group["sentences"]]
                spans.update(article.sentence_spans[sid] for sid in sids)
    return Annotation(ANNOTATOR, tuple(sorted(spans)), tuple(sorted(labels)))
