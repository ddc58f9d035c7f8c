"""The Topic model refuses what cannot be."""

import pytest

from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import fingerprint
from citectx.types import Span

TEXT = "Cells divide. They also rest."
ARTICLE = Document("ref", TEXT)


@pytest.mark.parametrize(
    "pairs",
    [[(0, 30)], [(5, 5)], [(7, 5)], [(-1, 5)], [(0, 10), (9, 12)], [(10, 12), (0, 5)]],
    ids=["too long", "empty", "reversed", "negative", "overlapping", "out of order"],
)
def test_blocks_and_sentences_lie_in_order_within_the_text(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(DataError, match="ref: block"):
        Document("ref", TEXT, tuple(Block(start, end, "body") for start, end in pairs))
    with pytest.raises(DataError, match="ref: sentence"):
        Document("ref", TEXT, sentences=tuple(Span(start, end) for start, end in pairs))


def citance(*annotations: Annotation, citance_id: str = "1") -> Citance:
    return Citance(citance_id, "citing", "Cells rest.", annotations=annotations)


@pytest.mark.parametrize("span", [Span(0, 30), Span(3, 3), Span(-2, 4), Span(9, 4)])
def test_evidence_lies_within_the_article(span: Span) -> None:
    with pytest.raises(
        DataError, match=r"T1: citance 1, annotator A: span .* lies outside the reference text"
    ):
        Topic("T1", ARTICLE, (citance(Annotation("A", (span,))),))


def test_citances_and_annotators_stand_once() -> None:
    with pytest.raises(DataError, match="citance 1 occurs twice"):
        Topic("T1", ARTICLE, (citance(), citance()))
    with pytest.raises(DataError, match="twice with the same annotator"):
        Topic("T1", ARTICLE, (citance(Annotation("A", ()), Annotation("A", (Span(0, 5),))),))


def test_gold_leaves_out_annotators_who_found_nothing() -> None:
    assert citance(Annotation("A", ()), Annotation("B", (Span(0, 5),))).gold == {"B": (Span(0, 5),)}


def test_what_is_shown_is_short() -> None:
    topic = Topic("<i>", ARTICLE, (citance(),))
    assert repr(topic) == "Topic('<i>', 1 citances, 29 characters)"
    corpus = Corpus("many", tuple(Topic(f"<i>{i}", ARTICLE, (citance(),)) for i in range(1000)))
    assert repr(corpus) == "Corpus('many', 1,000 topics, 1,000 citances)"


def test_what_is_shown_decides_no_fingerprint() -> None:
    """Fingerprints hash what `repr` shows: of the texts, not of a corpus's short line."""
    other = Document("ref", TEXT.replace("rest", "doze"))
    marked = citance(Annotation("A", (Span(0, 29),)))
    corpora = [Corpus("one", (Topic("T1", text, (marked,)),)) for text in (ARTICLE, other)]
    assert repr(corpora[0]) == repr(corpora[1])
    assert fingerprint(corpora[0]) != fingerprint(corpora[1])
    first, second = map(prepare, corpora)
    assert first[0].fingerprint != second[0].fingerprint
