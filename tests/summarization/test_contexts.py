"""Votes of citances for sentences."""

from citectx.corpora import Annotation, Citance, Document, Topic
from citectx.language.text import SentenceSplitter
from citectx.summarization.contexts import impact_votes
from citectx.types import Span

ARTICLE = Document("Doe", "Cells rest often. Cells die. Nothing fuses in here.")
SPLITTER = SentenceSplitter()


def votes(*marked: dict[str, tuple[Span, ...]]) -> list[int]:
    citances = []
    for number, spans in enumerate(marked):
        annotations = tuple(Annotation(name, spans[name]) for name in spans)
        citances.append(Citance(str(number), "Roe", "", annotations=annotations))
    topic = Topic("Doe", ARTICLE, tuple(citances))
    return list(impact_votes(topic, SPLITTER.sentences(ARTICLE)))


def test_annotators_of_a_citance_count_once_and_citances_add_up() -> None:
    first, second = Span(0, 17), Span(18, 28)
    assert votes({"A": (first,), "B": (first, second)}, {"A": (first,)}, {"A": ()}) == [2, 1, 0]


def test_half_of_the_shorter_one_decides() -> None:
    # all of the span, though not half of the sentence
    assert votes({"A": (Span(0, 8),)}) == [1, 0, 0]
    # five of 14 characters, and eight of ten
    assert votes({"A": (Span(12, 26),)}) == [0, 1, 0]
    assert votes({"A": (Span(0, 50),)}) == [1, 1, 1]
