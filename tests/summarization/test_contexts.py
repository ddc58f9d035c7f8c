"""Votes of citances for sentences."""

from citectx.corpora import Annotation, Citance, Document, Topic
from citectx.language.text import SentenceSplitter
from citectx.summarization.contexts import impact_votes
from citectx.types import Span

ARTICLE = Document("Doe", "Cells rest often. Cells die. Nothing fuses in here.")
SPLITTER = SentenceSplitter()


def votes(*marked: dict[str, tuple[Span, ...]]) -> list[int]:
    citances = tuple(
        Citance(
            str(i), "Roe", "", annotations=tuple(Annotation(a, spans) for a, spans in each.items())
        )
        for i, each in enumerate(marked)
    )
    found: list[int] = impact_votes(
        Topic("Doe", ARTICLE, citances), SPLITTER.sentences(ARTICLE)
    ).tolist()
    return found


def test_annotators_of_a_citance_count_once_and_citances_add_up() -> None:
    first, second = Span(0, 17), Span(18, 28)
    assert votes({"A": (first,), "B": (first, second)}, {"A": (first,)}, {"A": ()}) == [2, 1, 0]


def test_half_of_the_shorter_one_decides() -> None:
    assert votes({"A": (Span(0, 8),)}) == [
        1,
        0,
        0,
    ]  # all of the span, though not half of the sentence
    assert votes({"A": (Span(12, 26),)}) == [0, 1, 0]  # five of 14 characters, and eight of ten
    assert votes({"A": (Span(0, 50),)}) == [1, 1, 1]
