"""What goes into the summaries of Table 4, on the teaching corpus and on small topics made here."""

from dataclasses import replace
from typing import Any

import pytest

from citectx.corpora import Block, Citance, Corpus, Document, Topic
from citectx.experiments.contextualization import Protocol, splitter_of
from citectx.papers.sigir2017.summaries import (
    NO_CONTEXT,
    Material,
    abstract_of,
    gather,
    prepare_all,
)
from citectx.retrieval import BM25, VSM
from citectx.types import Span

TEXT = (
    "Cells were studied. We summarize.\nCells divide. Cells rest. Kinases mark <b>mitochondria</b>."
)
BREAK = TEXT.index("\n")


def topic(*citances: str, summaries: dict[str, str] | None = None) -> Topic:
    blocks = (Block(0, BREAK, "abstract"), Block(BREAK + 1, len(TEXT), "body", 1, "Results"))
    cited = tuple(
        Citance(str(i), "Doe", text, marker="Doe, 2001") for i, text in enumerate(citances, start=1)
    )
    return Topic("T1", Document("ref", TEXT, blocks), cited, summaries=summaries or {})


def material(one: Topic, references: dict[str, str], k: int = 1, **more: Any) -> Material:
    corpus = Corpus("small", (one,))
    (prepared,) = prepare_all(corpus, ["T1"], Protocol(k=k))
    scores = {"VSM": prepared.scores(VSM()), "BM25": prepared.scores(BM25())}
    return gather(prepared, scores, references, splitter_of(corpus), **more)


def test_each_citance_is_followed_by_its_contexts_and_each_context_stands_once() -> None:
    found = material(
        topic("Cells rest (Doe, 2001).", "They rest. Resting cells rest."), {"human": "Cells rest."}
    )
    texts = [found.sentences[i].text for i in found.rows["VSM"]]
    assert texts == ["Cells rest .", "Cells rest.", "They rest.", "Resting cells rest."]
    assert [found.sentences[i].citance for i in found.rows["VSM"]] == [0, None, 1, 1]
    assert [found.sentences[i].text for i in found.rows[NO_CONTEXT]] == [texts[0], *texts[2:]]


def contexts(found: Material) -> list[Span]:
    """Places of all contexts in the article."""
    return [s.span for s in found.sentences if s.citance is None]


def test_contexts_lie_where_they_say_they_do() -> None:
    found = material(topic("Kinases mark cells."), {"human": "-"}, k=3)
    texts = [s.text for s in found.sentences if s.citance is None]
    assert texts and [span.of(TEXT) for span in contexts(found)] == texts


def test_the_abstract_is_no_context_where_it_is_the_reference() -> None:
    one = topic("Cells were studied by us.")
    assert abstract_of(one) == "Cells were studied. We summarize."
    assert min(contexts(material(one, {"abstract": abstract_of(one)}, k=3))).start > BREAK
    people = {"human": "They were."}
    assert min(contexts(material(one, people, k=1))).start < BREAK
    without = material(one, people, k=1, abstract=False)
    best = [without.sentences[i].text for i in without.rows["BM25"]]
    assert best[1:] == ["Cells divide."]  # the best sentence of the body instead


def test_drawn_contexts_are_cut_to_k_after_the_abstract_is_left_out() -> None:
    ranked = [Span(0, 18), Span(34, 47), Span(48, 59), Span(60, len(TEXT))]
    one = topic("Cells were studied by us.", "Kinases mark.")
    for abstract, spans in ((True, ranked[:2]), (False, ranked[1:3])):
        more = {"drawn": {"again": [ranked, []]}, "abstract": abstract}
        got = material(one, {"human": "They were."}, k=2, **more)
        row = [got.sentences[i] for i in got.rows["again"]]
        assert [s.span for s in row if s.citance is None] == spans
        assert [s.citance for s in row] == [0, None, None, 1]


def test_shares_of_what_was_chosen_worked_by_hand() -> None:
    found = material(topic("Cells rest.", "Cells divide and divide."), {"human": "-"})
    # a citance of 2 words, its context of 2, one of 4, its context of 2
    rows = found.rows["VSM"].tolist()
    assert [found.pool.words[i] for i in rows] == [2, 2, 4, 2]
    assert found.used(rows) == 1
    assert found.used(rows[1:]) == 0.5
    assert found.from_contexts(rows) == pytest.approx(4 / 10)
    assert found.from_contexts([]) == 0


def test_an_article_without_a_sentence_is_left_out() -> None:
    empty = replace(
        topic("Cells rest."), reference=Document("ref", TEXT, (Block(0, BREAK, "title"),))
    )
    assert prepare_all(Corpus("small", (empty,)), ["T1"], Protocol()) == []
