"""Queries: what stands around a citation, and nothing of the citation itself."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citectx.corpora import Document, full_texts
from citectx.corpora.full_texts import CitationMark
from citectx.language.text import SentenceSplitter
from citectx.recommendation.collection import (
    PLACEHOLDER,
    Citation,
    Labels,
    by_kind,
    citations,
    conceal,
    words,
)
from citectx.recommendation.planted import plant
from citectx.types import Span

CITING = "Doe et al. (2001) saw arrest of cells described313 [4]."
TEXT = f"Cells rest. {CITING} They grow. All die by 2020."
PLACES = [Span(0, 11), Span(12, 67), Span(68, 78), Span(79, 95)]
SENTENCES = [*zip(PLACES, ("Bac", "Met", "Res", "Con"), strict=True)]
ARTICLE = Document("c", TEXT)


def mark(quote: str, target: str = "r") -> CitationMark:
    start = TEXT.index(quote)
    return CitationMark("c", target, Span(start, start + len(quote)))


@given(st.text())
@example("".join(map(chr, range(0x200))))
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    assert words(text) == "".join(c if c.isalnum() else " " for c in text.lower()).split()


def test_a_query_is_the_citing_sentence_and_its_neighbours() -> None:
    marks = [mark("4"), mark("4", "elsewhere")]
    labels = {"c": SENTENCES[1:]}
    [citation] = citations(marks, [ARTICLE], {"c": SENTENCES}, ["r"])
    assert citation.kind == "Met"
    assert citation.terms == ("cells", "rest", "saw", "arrest", "described", "they", "grow")
    assert citations([mark("Cells")], [ARTICLE], labels, ["r"]) == []
    year = {"c": [(Span(90, 94), "Con")]}
    assert citations([mark("2020")], [ARTICLE], year, ["r"]) == []


def test_a_class_draws_citations_up_to_the_limit_over_all_articles() -> None:
    many = [Citation(f"c{i}", "r", "Bac" if i % 2 else "Met", ("x",), i) for i in range(200)]
    found = by_kind(many, 30, seed=1)
    assert {kind: len(own) for kind, own in found.items()} == {"Bac": 30, "Met": 30}
    assert all(list(own) == sorted(own, key=lambda c: c.place) for own in found.values())
    assert found["Bac"][-1].place > 150
    assert by_kind(many, 30, seed=2) != found
    assert by_kind(many)["Met"] == tuple(c for c in many if c.kind == "Met")


@pytest.mark.parametrize(
    "marker", ["[3, 4]", "(Doe, 2001)", "(Doe et al., 2001a; Roe 2002)", "Roe and Doe (2001)"]
)
def test_markers_give_way_to_one_placeholder(marker: str) -> None:
    assert conceal(f"It rests {marker}.", []) == f"It rests {PLACEHOLDER} ."


def disguised(text: str) -> str:
    """Another marker of the same kind and length: other digits, other names."""
    digits = str.maketrans("0123456789", "1234567895")
    if re.fullmatch(r"[\d\[\], –-]+", text) and not re.search(r"\d{4}", text):
        return re.sub(r"\d", lambda m: m.group().translate(digits), text)
    text = re.sub(r"(?<=\d\d)\d\d", lambda m: m.group().translate(digits), text)
    return re.sub(r"(?<=[A-Z])[a-z]{2,}", lambda m: "q" * len(m.group()), text)


def assert_no_leak(
    documents: list[Document], marks: list[CitationMark], labels: dict[str, Labels]
) -> int:
    """Change every marker; no query may change."""
    changed = []
    for document in documents:
        text = [*document.text]
        for m in marks:
            if m.citing_id == document.doc_id:
                text[slice(*m.span)] = disguised(m.span.of(document.text))
        assert len(text) == len(document.text)
        changed.append(replace(document, text="".join(text)))
    targets = {m.target_id for m in marks}
    before, after = (citations(marks, some, labels, targets) for some in (documents, changed))
    assert [c.terms for c in before] == [c.terms for c in after]
    return sum(a.text != b.text for a, b in zip(documents, changed, strict=True))


def test_neither_marker_nor_number_reaches_a_query() -> None:
    (_, citing, found, _), labels = plant(articles=20, citations=20)
    assert assert_no_leak(list(citing), list(found), labels) == len(citing)
    marks = [mark("4"), mark("2001"), mark("13")]
    assert assert_no_leak([ARTICLE], marks, {"c": SENTENCES}) == 1


@pytest.mark.open_data
def test_neither_marker_nor_number_reaches_a_query_of_the_open_corpus(
    open_corpus: Callable[[str], Path],
) -> None:
    folder = open_corpus("citation-integrity-fulltext")
    _, citing, found, _ = full_texts.read_full_texts(folder)
    some = citing[::10]
    split = map(SentenceSplitter().sentences, some)
    labels = {s.document.doc_id: [(span, "Bac") for span in s.spans] for s in split}
    marks = [m for m in found if m.citing_id in labels]
    assert assert_no_leak(list(some), marks, labels) == len(some)
