"""Sentences, tokens and citation markers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora import Block, Document
from citectx.language.text import Analyzer, SentenceSplitter, stop_words, strip_citation_markers
from citectx.types import Span


def split(text: str) -> list[str]:
    return [span.of(text) for span in SentenceSplitter().split(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Growth rose (see Fig. 3 and Figs. 4, 5) by 2.5 per cent.",
        "Doe et al. found it in D. melanogaster, i.e. in flies.",
        "Two strains, e.g. RF1 vs. RF2, were compared cf. Roe et al. (2001).",
        "This holds in approx. 3 of 10 cases (ref. 4).",
    ],
)
def test_abbreviations_of_science_do_not_end_a_sentence(sentence: str) -> None:
    assert split(sentence + " Then it rained.") == [sentence, "Then it rained."]


def test_punkt_learns_abbreviations_of_the_corpus() -> None:
    text = "We used strain z.q.x. alpha here. It grew."
    training = " ".join(f"It was z.q.x. {n} that grew. We saw no change." for n in range(200))
    article = Document("r", training + "\n\nz.q.", (Block(0, len(training), "body"),))
    sentences = [span.of(text) for span in SentenceSplitter.of([article]).split(text)]
    assert sentences == ["We used strain z.q.x. alpha here.", "It grew."]
    assert len(split(text.replace("alpha", "Alpha"))) > 2


@given(st.text(alphabet="abAB .?!\n\té𝛼", max_size=80))
def test_sentences_are_ordered_and_lose_only_white_space(text: str) -> None:
    spans = SentenceSplitter().split(text)
    covered = {i for s in spans for i in range(s.start, s.end)}
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(text[i].isspace() for i in set(range(len(text))) - covered)


def test_only_candidate_blocks_give_sentences() -> None:
    text = "Title here\n\nOne is short. Two is long.\n\nReferences\n\n1. Doe. A paper."
    title, body = Block(0, 10, "title"), Block(12, 38, "body")
    heading, listed = Block(40, 50, "heading", 1), Block(52, 68, "references", 1)
    document = Document("ref", text, (title, body, heading, listed))
    sentences = SentenceSplitter().sentences(document)
    assert sentences.texts() == ["One is short.", "Two is long."]
    assert sentences.blocks == (body, body)
    others = SentenceSplitter().sentences(document, kinds=("title", "heading"))
    assert others.texts() == ["Title here", "References"]


def test_label_of_a_caption_is_no_sentence_of_its_own() -> None:
    text = "Figure 1. Cells rest. Bars, 2 cm."
    document = Document("r", text, (Block(0, len(text), "caption"),))
    found = SentenceSplitter().sentences(document).texts()
    assert found == ["Figure 1. Cells rest.", "Bars, 2 cm."]


def test_prescribed_sentences_are_kept_as_they_are() -> None:
    first, second = Span(0, 5), Span(6, 8)
    blocks = (Block(*first, "body"), Block(*second, "back"))
    document = Document("r", "a. b. c.", blocks, (first, second))
    assert SentenceSplitter().sentences(document).spans == (first,)


def test_analyzer_by_hand() -> None:
    text = "The p53-mediated responses of 3,000 cells were not HLA-DR+."
    whole = Analyzer(split_hyphens=False, stop_words="none", numbers=True)
    assert " ".join(Analyzer()(text)) == "p53 mediated responses cells hla dr"
    assert " ".join(whole(text)) == "the p53-mediated responses of 3 000 cells were not hla-dr"
    assert " ".join(Analyzer(stem=True)(text)) == "p53 mediat respons cell hla dr"


def test_the_english_stop_words_are_scikit_learns() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stop_words("english") == ENGLISH_STOP_WORDS


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Cells die (Doe et al., 2001; Roe and Poe, 2002a, b).", "Cells die ."),
        ("As Doe et al. (2001) and van der Roe (2002, 2003) say, so.", "As and say, so."),
        ("Cells die [12], [3-5,7] or (refs. 8, 9) rest.", "Cells die , or rest."),
        ("Cells die12,13 and rest.14 They grow.", "Cells die12,13 and rest. They grow."),
        ("Neurons degenerate12,13 quickly.", "Neurons degenerate quickly."),
        ("Cells die¹²,¹³ quickly.", "Cells die quickly."),
        ("In 2001 CD4 and p53 rose by 1.1 in HeLa cells (n = 12 mice).", None),
        ("Levels of H2O2 (3.5 mM) fell, see Fig. 2.", None),
        ("Parsing (Doe, 2000) was fast (see Roe, 1999, for more).", "Parsing was fast ."),
        ("The Doe et al. 2001 parser", "The parser"),
        ("Using G, Doe et al (2008) extend parsing.", "Using G, extend parsing."),
    ],
)
def test_citation_markers(text: str, bare: str | None) -> None:
    assert strip_citation_markers(text) == (text if bare is None else bare)


def test_annotated_marker_is_removed_but_not_inside_a_number() -> None:
    fell = strip_citation_markers("In 112 cells, gene X12 fell 12", marker="12")
    assert fell == "In 112 cells, gene X12 fell"
    said = strip_citation_markers("As Doe et al. (2001) say", marker="Doe et al. (2001)")
    assert said == "As say"
