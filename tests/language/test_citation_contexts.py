"""Windows around citing sentences, and how these are found."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from citectx import profiles
from citectx.corpora import Citance, Document, Topic
from citectx.language.citation_contexts import align, citation_contexts
from citectx.language.text import SentenceSplitter
from citectx.types import Span

TEXT = (
    "One cell rests. Two cells rest. Three cells die, as Doe (2001) saw. "
    "Four cells rest. Five fuse. Six die."
)
SPLITTER = SentenceSplitter()


def topic(*citances: Citance, text: str = TEXT) -> Topic:
    return Topic("Doe", Document("Doe", "Cells rest."), citances, {"Roe": Document("Roe", text)})


def at(text: str, marker: str = "", whole: str = TEXT) -> Citance:
    start = whole.index(text)
    return Citance("1", "Roe", text, marker, Span(start, start + len(text)))


def test_the_window_ends_with_the_document() -> None:
    [context] = citation_contexts(topic(at("Six die.")), SPLITTER)
    assert context.sentences == ("Four cells rest.", "Five fuse.", "Six die.")
    [alone] = citation_contexts(topic(at("Six die.")), SPLITTER, window=0)
    assert alone.sentences == ("Six die.",)


def test_of_several_sentences_the_one_with_the_marker_is_the_citing_one() -> None:
    passage = "Two cells rest. Three cells die, as Doe (2001) saw. Four cells rest."
    [context] = citation_contexts(topic(at(passage, "Doe (2001)")), SPLITTER, window=1)
    assert context.distances == (1, 0, 1)
    [unmarked] = citation_contexts(topic(at(passage, "Poe (1999)")), SPLITTER, window=1)
    assert unmarked.distances == (1, 0, 0, 0, 1)


def test_a_marker_that_has_a_place_decides() -> None:
    passage = "Three cells die, as Doe (2001) saw. Four cells rest."
    start = TEXT.index("Four")
    citance = Citance("1", "Roe", passage, "", at(passage).span, Span(start, start + 4))
    [context] = citation_contexts(topic(citance), SPLITTER, window=1)
    assert context.sentences[context.distances.index(0)] == "Four cells rest."


def test_far_sentences_between_two_markers_are_no_context() -> None:
    text = "We say so (Doe). Cells rest. Cells die. They fuse. They fade. Cells age. And so (Doe)."
    [context] = citation_contexts(topic(at(text, "Doe", text), text=text), SPLITTER, window=1)
    assert context.sentences == ("We say so (Doe).", "Cells rest.", "Cells age.", "And so (Doe).")


@pytest.mark.parametrize(
    ("text", "found", "which"),
    [
        ("three cells die as Doe 2001 saw", "text", [2]),
        ("Five fuse.  Six die.", "text", [4, 5]),
        ("cells die, as Doe (2001) clearly saw", "words", [2]),
        ("cells rest", "alone", []),  # in two places
        ("Nothing of the kind.", "alone", []),
    ],
)
@pytest.mark.parametrize("place", [None, Span(0, 15)], ids=["no offset", "a wrong offset"])
def test_without_a_right_offset_the_text_is_searched_for(
    text: str, found: str, which: list[int], place: Span | None
) -> None:
    sentences = SPLITTER.sentences(Document("Roe", TEXT))
    assert align(Citance("1", "Roe", text, span=place), sentences) == (found, which)


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("name", "source", "counts"),
    [
        ("scisumm-train", "scisumm-corpus", [750, 1, 0, 2]),
        ("scisumm-gold", "scisumm-corpus", [0, 304, 23, 30]),
        ("citation-integrity", "citation-integrity-annotations", [218, 0, 0, 0]),
    ],
)
def test_how_the_citances_of_the_open_corpora_are_found(
    open_corpus: Callable[[str], Path], name: str, source: str, counts: list[int]
) -> None:
    open_corpus(source)
    contexts = (citation_contexts(topic, SPLITTER) for topic in profiles.load(name))
    found = Counter(context.found for context in chain.from_iterable(contexts))
    assert [found[way] for way in ("offset", "text", "words", "alone")] == counts
