"""Citing sentences against 100 places of PLOS articles that were read and marked by hand.

``gold_sentences.csv`` holds no text. A place is the number of a citation's ``<xref>`` in its
article, counted from 0; its sentence reaches ``before`` letters back from there and ``after``
letters on, so that neither spaces nor punctuation nor our reader's offsets count. 50 places follow
a full stop ("et al." apart, at most six of one article), 50 are any. Whoever marked them saw
paragraphs, not our sentences.
"""

import csv
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.citing import SENTENCE_KINDS, with_sentences
from citectx.language.text import SentenceSplitter
from tests.beyond.reading.test_citing import letters, places

FILE = Path(__file__).with_name("gold_sentences.csv")


class Sentence(NamedTuple):
    """A sentence in letters of the article, as marked and as we cut it."""

    drawn: str
    marked: range
    ours: range


def offset(text: str, before: str, after: str) -> int:
    """Where a citation is among an article's letters, of which formulas may hold some more."""
    for size in (1_000_000, 100, 60, 30):
        wanted = before[-size:] + after[:size]
        if text.count(wanted) == 1:
            return text.index(wanted) + len(before[-size:])
    raise AssertionError(f"{wanted!r} is not in the article just once")


def cut(path: Path, rows: list[dict[str, str]]) -> Iterator[Sentence]:
    article = read_article(path)
    text = article.document.text
    spans = SentenceSplitter().sentences(with_sentences(article), SENTENCE_KINDS).spans
    positions = [i for i, character in enumerate(text) if character.isalpha()]
    root = ElementTree.parse(path).getroot()
    citations = [x for x in root.iter("xref") if x.get("ref-type") == "bibr"]
    around = dict(places(root))
    for row in rows:
        here = offset(letters(text), *around[citations[int(row["citation"])]])
        marked = range(here - int(row["before"]), here + int(row["after"]))
        starts = [span.start for span, _ in article.links]
        linked = [start for start in starts if bisect_left(positions, start) == here]
        holding = {s for s in spans for start in linked if s.start <= start < s.end}
        assert len(holding) == 1, row
        [own] = holding
        ours = range(bisect_left(positions, own.start), bisect_left(positions, own.end))
        yield Sentence(row["drawn"], marked, ours)


@pytest.mark.open_data
def test_sentences_of_100_citations_as_they_were_marked(open_corpus: Callable[[str], Path]) -> None:
    by_article: dict[str, list[dict[str, str]]] = {}
    with FILE.open(newline="") as file:
        for row in csv.DictReader(file):
            by_article.setdefault(row["article"], []).append(row)
    folder = open_corpus("plos-jats") / "allofplos" / "starter_corpus"
    found: list[Sentence] = []
    for name, rows in sorted(by_article.items()):
        found += cut(folder / f"journal.{name}.xml", rows)
    assert len(found) == 100
    exact = {"behind": 0, "any": 0}
    for place in found:
        exact[place.drawn] += place.marked == place.ours
    shared = sum(len({*place.marked} & {*place.ours}) for place in found)
    precision = shared / sum(len(place.ours) for place in found)
    recall = shared / sum(len(place.marked) for place in found)
    assert (exact["behind"], exact["any"]) >= (48, 47)
    assert precision > 0.998
    assert recall > 0.956  # one sentence, cited twice, holds two questions in brackets
