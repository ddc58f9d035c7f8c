"""What goes into the summaries of Table 4, on the teaching corpus and on small topics made here."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from citectx.corpora import Block, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import Protocol, splitter_of
from citectx.papers.sigir2017.summaries import (
    NO_CONTEXT,
    RANDOM_CONTEXT,
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
    assert [found.sentences[i].kind for i in found.rows["VSM"]] == [
        "citance",
        "context",
        "citance",
        "citance",
    ]
    assert [found.sentences[i].text for i in found.rows[NO_CONTEXT]] == [texts[0], *texts[2:]]


def test_markers_do_not_reach_the_summaries() -> None:
    found = material(topic("Cells rest (Doe, 2001)."), {"human": "Cells rest."})
    assert not any("Doe" in s.text or "2001" in s.text for s in found.sentences)


def test_contexts_lie_where_they_say_they_do() -> None:
    found = material(topic("Kinases mark cells."), {"human": "-"}, k=3)
    contexts = [s for s in found.sentences if s.kind == "context"]
    assert contexts
    for sentence in contexts:
        assert sentence.span is not None
        assert TEXT[slice(*sentence.span)] == sentence.text


def test_the_abstract_is_no_context_where_it_is_the_reference() -> None:
    one = topic("Cells were studied by us.")
    assert abstract_of(one) == "Cells were studied. We summarize."
    found = material(one, {"abstract": abstract_of(one)}, k=3)
    assert all(s.span is None or s.span.start > BREAK for s in found.sentences)
    other = material(topic("Cells were studied by us."), {"human": "They were."}, k=1)
    assert any(s.span is not None and s.span.start < BREAK for s in other.sentences)
    without = material(
        topic("Cells were studied by us."), {"human": "They were."}, k=1, abstract=False
    )
    best = [
        without.sentences[i] for i in without.rows["BM25"] if without.sentences[i].kind == "context"
    ]
    assert [s.text for s in best] == ["Cells divide."]  # the best sentence of the body instead


def test_drawn_contexts_are_cut_to_k_after_the_abstract_is_left_out() -> None:
    ranked = [Span(0, 18), Span(34, 47), Span(48, 59), Span(60, len(TEXT))]
    one = topic("Cells were studied by us.", "Kinases mark.")
    for abstract, spans in ((True, ranked[:2]), (False, ranked[1:3])):
        more = {"drawn": {"again": [ranked, []]}, "abstract": abstract}
        got = material(one, {"human": "They were."}, k=2, **more)
        assert [got.sentences[i].span for i in got.rows["again"]] == [None, *spans, None]


def test_article_without_abstract_is_named() -> None:
    bare = replace(topic("Cells rest."), reference=Document("ref", TEXT))
    with pytest.raises(DataError, match=r"T1.*no abstract"):
        abstract_of(bare)


def test_shares_of_what_was_chosen_worked_by_hand() -> None:
    found = material(topic("Cells rest.", "Cells divide and divide."), {"human": "-"})
    # a citance of 2 words, its context of 2, one of 4, its context of 2
    rows = found.rows["VSM"].tolist()
    assert [found.pool.words[i] for i in rows] == [2, 2, 4, 2]
    assert found.used(rows) == 1
    assert found.used(rows[1:]) == 0.5
    assert found.from_contexts(rows) == pytest.approx(4 / 10)
    assert found.from_contexts([]) == 0


def test_topics_without_citances_or_references_are_left_out() -> None:
    corpus = Corpus("small", (topic(), replace(topic("Cells rest."), topic_id="T2")))
    assert prepare_all(corpus, ["T1"], Protocol()) == []


def test_random_contexts_are_the_same_each_time_and_within_the_article() -> None:
    one = topic("Cells rest.", "Kinases mark.")
    first, again = (material(one, {"human": "-"}, k=2).rows[RANDOM_CONTEXT] for _ in range(2))
    assert np.array_equal(first, again)
    whole = material(one, {"human": "-"}, k=99).rows[RANDOM_CONTEXT]
    assert len(whole) == 2 + 5


def test_an_article_without_a_sentence_is_left_out() -> None:
    empty = replace(
        topic("Cells rest."), reference=Document("ref", TEXT, (Block(0, BREAK, "title"),))
    )
    assert prepare_all(Corpus("small", (empty,)), ["T1"], Protocol()) == []
