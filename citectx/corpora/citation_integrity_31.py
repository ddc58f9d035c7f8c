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
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path

from citectx.corpora.citation_integrity_files import (
    ANNOTATIONS,
    ROOT,
    citance,
    evidence_places,
    passages,
    read_claims,
    read_parts,
    reference_article,
)
from citectx.corpora.model import Corpus, Document, Topic
from citectx.corpora.structure import lines_of
from citectx.corpora.text_files import in_quotes, listing, natural, need_part, read_text
from citectx.types import Span, merge

NAME = "citation-integrity-31"
ARTICLES = Path("BratFiles", "AccuracyFiles")
EVIDENCE = Path("IR", "IR", "recon_cs_no_title.json")
SENTENCES = Path("IR", "Sentences")
"""Where things are in the upstream repository: folders of 11 to 21; evidence and text of 22 on."""

_FIRST_TEN = "010"
_SHORTEST = 8  # letters and digits of evidence that is looked for in a text
_REFERENCES = re.compile(r"(?i)#+\s*(references|literature|bibliograph)")
_UNNUMBERED = re.compile(
    r"(?i)#+\s*(abstract|introduction|background|(materials and )?methods|results|discussion"
    r"|conclusions?|acknowledgments|footnotes|supplementary material|(figure|table)( s?\d+)?)"
)
"""Headings that are not counted as paragraphs."""


Split = Callable[[str], list[Span]]
"""A function that finds the sentences of a paragraph."""


def read(
    annotations: Path,
    published: Path,
    train: Callable[[Iterable[Document]], Split],
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
    root = need_part(annotations, ROOT, ANNOTATIONS)
    findings: list[str] = []
    numbered = _numbered_topics(root / ARTICLES, published, train, findings, strict)
    return Corpus(NAME, (*numbered, *_quoted_topics(root, findings)), tuple(findings))


# Articles 11 to 21


def _numbered_topics(
    folder: Path,
    published: Path,
    train: Callable[[Iterable[Document]], Split],
    findings: list[str],
    strict: bool,
) -> Iterator[Topic]:
    claims = read_claims(published)
    files = {place.name: listing(place, "*.txt") for place in listing(folder)}
    articles = {
        name: reference_article(name, read_parts(first)[2]) for name, (first, *_) in files.items()
    }
    split = train(articles.values())
    for name, article in articles.items():
        sentences = _numbered_sentences(article.text, split)
        citances = []
        for claim in claims[int(name[:3])]:
            places = evidence_places(claim)
            spans = set()
            for place in sorted(without_first(places) if strict else places):
                if place in sentences:
                    spans.add(sentences[place])
                else:
                    findings.append(f"{name}, citance {claim['id']}: no sentence %d:%d" % place)
            citances.append(citance(str(claim["id"]), claim["claim"], spans))
        citing = {file.stem: Document(file.stem, read_parts(file)[0]) for file in files[name]}
        yield Topic(article.doc_id, article, tuple(citances), citing)


def _numbered_sentences(text: str, split: Split) -> dict[tuple[int, int], Span]:
    """Return the place of each sentence by the numbers of its paragraph and its own."""
    numbered = {}
    for i, (start, end) in enumerate(paragraphs(text)):
        for j, (a, b) in enumerate(split(text[start:end])):
            numbered[i, j] = Span(start + a, start + b)
    return numbered


def paragraphs(text: str) -> list[Span]:
    r"""Find the paragraphs of an article that the release of 2024 numbers.

    >>> text = "# Rest\n\n## Abstract\n\nCells rest.\n\n## References\n\n1. Doe"
    >>> [span.of(text) for span in paragraphs(text)]
    ['# Rest', 'Cells rest.']
    """
    spans = []
    for span in lines_of(text):
        if _REFERENCES.match(text, *span):
            break
        if not _UNNUMBERED.fullmatch(text, *span):
            spans.append(span)
    return spans


def without_first(places: Set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Drop the first of each run of neighbours in a paragraph.

    >>> sorted(without_first({(2, 3), (2, 4), (2, 8)}))
    [(2, 4), (2, 8)]
    """
    return {(i, j) for i, j in places if (i, j - 1) in places or (i, j + 1) not in places}


# Articles 22 to 41


def _quoted_topics(root: Path, findings: list[str]) -> Iterator[Topic]:
    quoted = json.loads(read_text(root / EVIDENCE))
    for name in sorted(name for name in quoted if name[:3] > _FIRST_TEN):
        file = root / SENTENCES / f"{name.partition('_')[2]}.json"
        article = reference_article(name, "\n\n".join(json.loads(read_text(file))))
        citances = []
        for citance_id in sorted(quoted[name], key=natural):
            told = quoted[name][citance_id]
            spans = []
            for quote in told["support"]:
                if place := find_quote(quote, article.text):
                    spans.append(place)
                else:
                    findings.append(f"{name}, {citance_id}: not in the text: {in_quotes(quote)}")
            citances.append(citance(citance_id, told["context"], merge(spans)))
        yield Topic(article.doc_id, article, tuple(citances), passages(citances))


def find_quote(quote: str, text: str) -> Span | None:
    """Find where a text holds the letters and digits of a quote.

    >>> find_quote("Many cells rest!", "We saw: many cells (rest).")
    Span(start=8, end=24)
    """
    letters = re.findall(r"[^\W_]", quote)
    match = re.search(r"[\W_]*".join(letters), text, re.IGNORECASE)
    return Span(*match.span()) if match and len(letters) >= _SHORTEST else None
