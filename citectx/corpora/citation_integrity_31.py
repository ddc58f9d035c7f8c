"""Read 31 more articles of Citation-Integrity, each citance with one adjudicated reading.

Articles 11 to 21 come as text with citing passages, laid out as the ten of
`citectx.corpora.citation_integrity` are. Their evidence is in the release of 2024
(`citectx.corpora.citation_integrity_2024`), by numbers of sentences in numbered paragraphs.
Articles 22 to 41 come as lists of sentences. Their evidence is text.

What we saw in 11 to 21: 605 citances, 490 with evidence. The numbers of their paragraphs follow
from the text, and all 11 articles have as many paragraphs as the release of 2024 says. How upstream
split sentences is not known; with our splitter 30 numbers lie beyond their paragraph.

What we saw in 22 to 41: 559 citances, 558 with evidence. A heading stands in one string with the
sentence that follows it. Two of 757 pieces of evidence are not in the text.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from citectx.corpora import citation_integrity_2024 as release
from citectx.corpora.citation_integrity import ANNOTATIONS, DOUBTFUL, REMEDY, read_parts
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.structure import markdown_blocks
from citectx.corpora.text_files import listing, natural, need_folder, read_text, shown, squeeze
from citectx.types import Span, merge

NAME = "citation-integrity-31"
ROOT = Path("ShruthanCode")
ARTICLES = Path("BratFiles", "AccuracyFiles")
EVIDENCE = Path("IR", "IR", "recon_cs_no_title.json")
SENTENCES = Path("IR", "Sentences")
"""Where things are in the upstream repository: folders of 11 to 21; evidence and text of 22 on."""

ANNOTATOR = "adjudicated"

_FIRST_TEN = "010"
_SHORTEST = 8  # letters and digits of evidence that is looked for in a text
_UNNUMBERED = re.compile(
    r"abstract|introduction|background|(materials and )?methods|results|discussion|conclusions?"
    r"|acknowledgments|footnotes|supplementary material|(figure|table)( s?\d+)?"
)
"""Headings that are not counted as paragraphs."""
_REFERENCES = re.compile(r"#+\s*(references|literature|bibliograph)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\S(?:[^\n]*\S)?")


class Splitter(Protocol):
    """Finds the sentences of a paragraph."""

    def split(self, text: str, /) -> list[Span]:
        """Return the places of the sentences."""


Found = tuple[list[Topic], list[str]]
"""Topics, and findings about them."""


def read(
    annotations: Path,
    published: Path,
    train: Callable[[Iterable[Document]], Splitter],
    *,
    strict: bool = True,
) -> Corpus:
    """Read the 31 topics from the upstream repository and its release of 2024.

    Topics are named by their reference article. `train` makes a splitter of sentences for some
    articles. Findings name the evidence that is not in its article.

    Ambiguity: in 11 to 21 the numbers of a piece of evidence often include the sentence before it.
    In articles 1 to 10, where the text of the evidence is known, they do in 115 of 211 paragraphs,
    and are right in 88. So `strict` drops the first of a run of neighbours; without it the numbers
    are taken as published.
    Ambiguity: as in the first ten articles, passages labelled ``IRRELEVANT`` are no evidence.
    Ambiguity: the release does not say which passage a citance of 11 to 21 is from, and of 22 to 41
    only the citing sentences are known. So the context of every citance is the citance.
    """
    root = need_folder(Path(annotations) / ROOT, "BratFiles", REMEDY.format(ANNOTATIONS))
    numbered, missing = _numbered_topics(root / ARTICLES, published, train, strict=strict)
    quoted, lost = _quoted_topics(root)
    return Corpus(NAME, (*numbered, *quoted), (*missing, *lost))


# Articles 11 to 21


def _numbered_topics(
    folder: Path, published: Path, train: Callable[[Iterable[Document]], Splitter], *, strict: bool
) -> Found:
    claims, topics, findings = release.read_claims(published), list[Topic](), list[str]()
    files = {place.name: sorted(listing(place, "*.txt"), key=natural) for place in listing(folder)}
    articles = {name: _article(name, read_parts(first)[2]) for name, (first, *_) in files.items()}
    splitter = train(articles.values())
    for name, article in articles.items():
        sentences = _numbered_sentences(article, splitter)
        citances = []
        for claim in claims[int(name[:3])]:
            places = evidence_places(claim["evidence"], strict=strict)
            spans = {sentences[place] for place in places if place in sentences}
            citances.append(release.citance(claim, Annotation(ANNOTATOR, tuple(sorted(spans)))))
            lost = [place for place in places if place not in sentences]
            findings += [f"{name}, citance {claim['id']}: no sentence {p}:{n}" for p, n in lost]
        passages = {file.stem: read_parts(file)[0] for file in files[name]}
        citing = {stem: Document(stem, passage) for stem, passage in passages.items()}
        topics.append(Topic(article.doc_id, article, tuple(citances), citing))
    return topics, findings


def _numbered_sentences(article: Document, splitter: Splitter) -> dict[tuple[int, int], Span]:
    """Return the place of each sentence by the numbers of its paragraph and its own."""
    numbered = {}
    for i, (start, end) in enumerate(paragraphs(article.text)):
        for j, (a, b) in enumerate(splitter.split(article.text[start:end])):
            numbered[i, j] = Span(start + a, start + b)
    return numbered


def _article(name: str, text: str) -> Document:
    return Document(name.partition("_")[2], text, markdown_blocks(text))


def paragraphs(text: str) -> list[Span]:
    r"""Find the paragraphs of an article that the release of 2024 numbers.

    >>> text = "# Rest\n\n## Abstract\n\nCells rest.\n\n## References\n\n1. Doe"
    >>> [span.of(text) for span in paragraphs(text)]
    ['# Rest', 'Cells rest.']
    """
    spans = []
    for match in _PARAGRAPH.finditer(text):
        if _REFERENCES.match(match[0]):
            break
        title = match[0].lstrip("#")
        is_heading = title != match[0]
        if not (is_heading and _UNNUMBERED.fullmatch(title.strip().lower())):
            spans.append(Span(*match.span()))
    return spans


def evidence_places(
    evidence: Mapping[str, Sequence[Mapping[str, Any]]], *, strict: bool
) -> list[tuple[int, int]]:
    """Return paragraph and number of each sentence of evidence.

    >>> evidence = {"11002": [{"sentences": [3, 4, 8], "label": "ACCURATE"}]}
    >>> evidence_places(evidence, strict=False)
    [(2, 3), (2, 4), (2, 8)]
    >>> evidence_places(evidence, strict=True)
    [(2, 4), (2, 8)]
    """
    places = []
    for paragraph, groups in evidence.items():
        sure = [group["sentences"] for group in groups if group["label"] not in DOUBTFUL]
        numbers = sorted(set(chain(*sure)))
        kept = [*_without_first(numbers)] if strict else numbers
        places += [(int(paragraph) % 1000, number) for number in kept]
    return places


def _without_first(numbers: Sequence[int]) -> Iterator[int]:
    """Drop the first number of each run of two or more neighbours."""
    known = {*numbers}
    for number in numbers:
        if number - 1 in known or number + 1 not in known:
            yield number


# Articles 22 to 41


def _quoted_topics(root: Path) -> Found:
    topics, findings = list[Topic](), list[str]()
    quoted = json.loads(read_text(root / EVIDENCE))
    for name in sorted(name for name in quoted if name[:3] > _FIRST_TEN):
        file = root / SENTENCES / f"{name.partition('_')[2]}.json"
        article = _article(name, "\n\n".join(json.loads(read_text(file))))
        citances, citing = [], {}
        for citance_id in sorted(quoted[name], key=natural):
            text = squeeze(quoted[name][citance_id]["context"])
            places = {q: find_quote(q, article.text) for q in quoted[name][citance_id]["support"]}
            evidence = Annotation(ANNOTATOR, merge(filter(None, places.values())))
            whole = Span(0, len(text))
            citances.append(Citance(citance_id, citance_id, text, "", whole, None, (evidence,)))
            citing[citance_id] = Document(citance_id, text)
            lost = [shown(quote) for quote, place in places.items() if place is None]
            findings += [f"{name}, {citance_id}: not in the text: {quote}" for quote in lost]
        topics.append(Topic(article.doc_id, article, tuple(citances), citing))
    return topics, findings


def find_quote(quote: str, text: str) -> Span | None:
    """Find where a text holds the letters and digits of a quote.

    >>> find_quote("Many cells rest!", "We saw: many cells (rest).")
    Span(start=8, end=24)
    """
    kept = [i for i, character in enumerate(text) if character.isalnum()]
    letters, wanted = _letters(text), _letters(quote)
    start = letters.find(wanted) if len(wanted) >= _SHORTEST else -1
    return Span(kept[start], kept[start + len(wanted) - 1] + 1) if start >= 0 else None


def _letters(text: str) -> str:
    """Return a letter, in lower case, or digit for each that a text holds."""
    return "".join(character.lower()[0] for character in text if character.isalnum())
