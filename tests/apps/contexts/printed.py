"""Print articles of XML as plain text, in two styles, and see which citing sentences are found.

The links of the XML are the truth: ``python -m tests.apps.contexts.printed`` measures the articles
of `citectx.apps.contexts.finder`. Titles and years are as in the XML, with a DOI where there is no
title; names have made up initials; lines are wrapped.
"""

import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from statistics import mean

from citectx.apps.contexts.finder import FILES, SENTENCE_KINDS, citing_sentences, sentence_at
from citectx.apps.contexts.sentences import with_sentences
from citectx.corpora import sources
from citectx.corpora.articles import article_of, read_article
from citectx.corpora.references import Article, Link, Work
from citectx.language.text import Sentences, SentenceSplitter
from citectx.reading import listing
from citectx.types import Span

STYLES = ("numbers", "names")
WIDTH = 90


@dataclass(frozen=True)
class Printed:
    """An article as text, and where each character of the XML's text went."""

    text: str
    places: Sequence[int]

    def span(self, span: Span) -> Span:
        return Span(self.places[span.start], self.places[span.end])


def printed(article: Article, style: str) -> Printed:
    """Print an article: headings, wrapped paragraphs, reference list."""
    pieces = list(article.document.text)
    for link in article.links:
        marker = _marker(article, link, style)
        if marker:
            pieces[slice(*link.span)] = [marker] + [""] * (link.span.end - link.span.start - 1)
            if style == "names":
                _round(pieces, link.span)
    ends = {block.end for block in article.document.blocks}
    pieces = [piece + "\n\n" if i + 1 in ends else piece for i, piece in enumerate(pieces)]
    places = [0, *accumulate(map(len, pieces))]
    body = "\n".join(map(_wrapped, "".join(pieces).split("\n")))
    return Printed(f"{body}\nReferences\n\n{_list(article, style)}", places)


def _wrapped(line: str) -> str:
    """Break a line at spaces, so that each character keeps its place."""
    whole, column = list(line), 0
    for i, letter in enumerate(line):
        column += 1
        if letter == " " and column > WIDTH - 15:
            whole[i], column = "\n", 0
    return "".join(whole)


def _marker(article: Article, link: Link, style: str) -> str:
    known = [key for key in link.keys if key in article.places]
    if style == "names":  # which have no ranges
        known += [m.key for m in article.linked if m.span == link.span and m.how == "range"]
    if not known:
        return ""
    own = link.span.of(article.document.text)
    bracketed = own.startswith(("(", "["))
    if style == "numbers":
        numbers = ", ".join(str(article.places[key] + 1) for key in known)
        inside = not article.numbered or bracketed
        return f"[{numbers}]" if inside else numbers
    works = {reference.key: reference.work for reference in reversed(article.references)}
    named = "; ".join(_named(works[key]) for key in known)
    return f"({named})" if bracketed else named


def _named(work: Work) -> str:
    names = work.authors or ("Anonymous",)
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {work.year or 'n.d.'}"


def _round(pieces: list[str], span: Span) -> None:
    """Make square brackets around names round, and the commas between them semicolons."""
    before, after = span.start - 1, span.end
    if before >= 0 and pieces[before] == "[":
        pieces[before] = "("
    if after < len(pieces) and pieces[after] in "],":
        pieces[after] = {"]": ")", ",": ";"}[pieces[after]]


def _list(article: Article, style: str) -> str:
    firsts = {reference.key: reference.work for reference in reversed(article.references)}
    works = [firsts[key] for key in article.places]
    if style == "numbers":
        entries = (f"[{n}] {_vancouver(work)}" for n, work in enumerate(works, 1))
        return "\n".join(textwrap.fill(entry, WIDTH) for entry in entries)
    return "\n".join(textwrap.fill(_apa(work), WIDTH, subsequent_indent="    ") for work in works)


def _vancouver(work: Work) -> str:
    names = ", ".join(f"{name} A" for name in work.authors[:6]) or "Anonymous"
    return f"{names}. {_title(work)}. J Made Up. {work.year};12:345-9."


def _apa(work: Work) -> str:
    names = ", ".join(f"{name}, A." for name in work.authors) or "Anonymous"
    return f"{names} ({work.year or 'n.d.'}). {_title(work)}. Made-up Journal, 12, 345–349."


def _title(work: Work) -> str:
    return work.title or f"doi:{work.doi}"


def shares(article: Article, style: str) -> Iterator[tuple[bool, int, int, int, int]]:
    """Yield for each entry with a title: found, gold sentences, those found, chosen, right ones."""
    splitter = SentenceSplitter()
    truth = splitter.sentences(with_sentences(article, splitter), SENTENCE_KINDS)
    page = printed(article, style)
    text = article_of(page.text, Path("printed.txt"))
    read = splitter.sentences(with_sentences(text, splitter), SENTENCE_KINDS)
    gold = _cited(article, truth, {"link"})
    allowed = _cited(article, truth, {"link", "range"})
    for reference in {each.key: each for each in reversed(article.references)}.values():
        work = replace(reference.work, doi="", pmid="", pmcid="")
        if not work.title:
            continue
        found = citing_sentences(text, work, read)
        chosen = [citance.span for citance in found.citances if citance.span]
        wanted = [page.span(span) for span in gold.get(reference.key, ())]
        right = [page.span(span) for span in allowed.get(reference.key, ())]
        hits = sum(any(_same(span, other) for other in chosen) for span in wanted)
        good = sum(any(_same(span, other) for other in right) for span in chosen)
        yield bool(found.keys), len(wanted), hits, len(chosen), good


def _same(one: Span, other: Span) -> bool:
    """Whether two sentences share most of their characters."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 10 * shared >= 8 * max(one.end - one.start, other.end - other.start)


def _cited(article: Article, sentences: Sentences, hows: set[str]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for place in article.linked:
        number = sentence_at(sentences, place.span.start)
        if place.how in hows and number is not None:
            spans = found.setdefault(place.key, [])
            if sentences.spans[number] not in spans:
                spans.append(sentences.spans[number])
    return found


def measured(articles: Sequence[Article], style: str) -> dict[str, float]:
    """Means over entries in percent."""
    rows = [row for article in articles for row in shares(article, style)]
    return {
        "entries": len(rows),
        "entry recall": 100 * mean(row[0] for row in rows),
        "sentence recall": 100 * mean(row[2] / row[1] for row in rows if row[1]),
        "sentence precision": 100 * mean(row[4] / row[3] for row in rows if row[3]),
    }


if __name__ == "__main__":
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    for name, pattern in FILES.items():
        paths = listing(sources.folder(name), pattern)
        own = [article for article in map(read_article, paths) if article.links][:most]
        for style in STYLES:
            print(name, len(own), style, measured(own, style), flush=True)
