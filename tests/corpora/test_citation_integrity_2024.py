"""The published corpus: articles of our own in its schema, and the real claims."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from citectx.corpora import Span, Topic
from citectx.corpora.citation_integrity_2024 import read
from citectx.corpora.citation_integrity_files import (
    CLAIMS,
    citance,
    evidence_places,
    read_claims,
)

SAMPLE = Path(__file__).parents[1] / "samples" / "citation-integrity-2024"


@pytest.fixture(scope="module")
def topic() -> Topic:
    return read(SAMPLE, SAMPLE)["007"]


def test_an_article_is_its_paragraphs_and_given_sentences(topic: Topic) -> None:
    reference = topic.reference
    kinds = [(b.kind, reference.text[b.start : b.end].split()[0]) for b in reference.blocks]
    assert kinds == [
        *(("title", "On"), ("heading", "Abstract"), ("abstract", "Cells")),
        *(("heading", "Results"), ("body", "Résting")),
    ]
    assert reference.sentence_spans["4:1"].of(reference.text) == "Food ends the rest."
    assert reference.text.count("\n\n") == 4


def test_evidence_is_where_its_sentences_are(topic: Topic) -> None:
    marked = [
        span.of(topic.reference.text) for c in topic.citances for span in c.annotations[0].spans
    ]
    # What is irrelevant to the second citance is no evidence; the third has none.
    food = "Food ends the rest."
    assert marked == ["Cells rest for long.", food, "Light does not.", food]
    assert [len(c.gold) for c in topic.citances] == [1, 1, 0]


def test_placeholders_are_no_words(topic: Topic) -> None:
    _, second, third = topic.citances
    assert second.text == "After [*], rest was said to end with food (*)."
    assert second.marker_span == Span(43, 44)
    assert (third.marker, third.marker_span) == ("", None)


@pytest.mark.open_data
def test_real_claims_are_read_in_full(open_corpus: Callable[[str], Path]) -> None:
    by_article = read_claims(open_corpus(CLAIMS))
    claims = [*chain.from_iterable(by_article.values())]
    assert (sorted(by_article), len(claims)) == ([*range(1, 101)], 3063)
    assert sum(not claim["evidence"] for claim in claims) == 622
    assert sum(not evidence_places(claim) for claim in claims) == 622 + 2  # IRRELEVANT only
    assert sum(not citance("1", claim["claim"], ()).marker for claim in claims) == 18
