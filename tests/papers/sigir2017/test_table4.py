"""Table 4 end to end, on the teaching corpus and on small topics made here."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from citectx import profiles
from citectx.corpora import Block, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.evaluation import rouge
from citectx.experiments.contextualization import Protocol
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.sigir2017 import table4
from citectx.papers.sigir2017.table4 import (
    DRAWS,
    NO_CONTEXT,
    RANDOM_CONTEXT,
    Sentence,
    SummaryProtocol,
    references_of,
)
from citectx.retrieval import BM25, VSM
from citectx.summarization import SUMMARIZERS, Budget, Pool, summary, within
from tests.papers import scores_of

METHODS = ["VSM", "BM25", "WE_Bio"]


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return table4.run([teaching], METHODS, words=120)


def test_shape(result: Result, teaching: Corpus) -> None:
    assert list(result.table.columns) == COLUMNS
    assert list(dict.fromkeys(result.table["method"])) == [NO_CONTEXT, RANDOM_CONTEXT, *METHODS]
    assert {*result.table["metric"]} == {*table4.MAIN, "LEAD RG-1", "LEAD RG-2"}
    assert len(scores_of(result)) == 5 * len(teaching)
    assert result.table["value"].between(0, 100).all()


def test_a_cell_from_scratch(result: Result, teaching: Corpus) -> None:
    """No Context, LexRank, one topic: sentences, summary and ROUGE without the package's table."""
    (topic, *_), how = table4.prepare_topics(teaching, Protocol()), SummaryProtocol()
    sentences = table4.citance_sentences(teaching, topic.citances, how)
    texts = [text for own in sentences for text, _, _ in own]
    rarity = table4.field_idf("biomedical", stemmed=False)
    pool, budget = Pool.of(texts, rarity=rarity), Budget(words=120)
    written = summary(pool, within(pool, SUMMARIZERS["LexRank"](pool), budget), budget)
    references = topic.topic.summaries.values()
    expected = max(rouge(written, [r], ["rouge2"])["rouge2"].f1 for r in references)
    found = scores_of(result).set_index(["topic", "method"])["LexRank RG-2"]
    assert found[topic.topic.topic_id, NO_CONTEXT] == pytest.approx(100 * expected)


def test_references_are_summaries_by_people_else_the_abstract(teaching: Corpus) -> None:
    assert {tuple(r) for r in references_of(teaching).values()} == {("A", "B", "C", "D")}
    bare = Corpus("bare", tuple(Topic(t.topic_id, t.reference, t.citances) for t in teaching))
    assert {tuple(r) for r in references_of(bare).values()} == {("abstract",)}
    mixed = Topic(
        "T", Document("d", "Cells."), (), summaries={"human": "Cells rest.", "abstract": "Rest."}
    )
    empty = Topic("U", Document("d", "Cells."), (), summaries={"human": " ", "abstract": "Rest."})
    found = references_of(Corpus("mixed", (mixed, empty)))
    assert found == {"T": {"human": "Cells rest."}, "U": {}}


def test_readings_are_corpora_of_their_own(teaching: Corpus) -> None:
    """A corpus named like CL-SciSumm's: two kinds of summaries; one topic lacks the first."""
    kinds = [("human", "community"), ("human", "community"), ("community",)]
    topics = [
        replace(topic, summaries=dict(zip(names, topic.summaries.values(), strict=False)))
        for topic, names in zip(teaching.topics, kinds, strict=False)
    ]
    result = table4.run([Corpus("scisumm-train", tuple(topics))], ["BM25"])
    counts = result.table.groupby("corpus", sort=False)["n"].first().to_dict()
    names = [*table4.READINGS["scisumm-train"]]
    assert counts == dict(zip(names, [2, 3], strict=True))
    assert {*result.data} == {*names}


def test_corpus_without_references_is_an_error(teaching: Corpus) -> None:
    topic = replace(teaching.topics[0], summaries={"human": " "})
    with pytest.raises(DataError, match="both citances and a reference"):
        table4.run([Corpus("teaching", (topic, topic))], [])


@pytest.mark.open_data
def test_references_of_the_open_corpora_are_those_the_docstring_names() -> None:
    for name, counts in {"citation-integrity": [10], "scisumm-train": [37, 39]}.items():
        corpus = profiles.load(name)
        readings = table4.READINGS.get(name, {name: {}}).values()
        found = [references_of(corpus, changes.get("references", ())) for changes in readings]
        assert [sum(map(bool, own.values())) for own in found] == counts


TEXT = (
    "Cells were studied. We summarize.\nCells divide. Cells rest. Kinases mark <b>mitochondria</b>."
)
BREAK = TEXT.index("\n")


def topic(*citances: str) -> Topic:
    blocks = (Block(0, BREAK, "abstract"), Block(BREAK + 1, len(TEXT), "body", 1, "Results"))
    cited = [Citance(str(i), "Doe", text, marker="Doe, 2001") for i, text in enumerate(citances, 1)]
    return Topic("T1", Document("ref", TEXT, blocks), tuple(cited))


def rows(
    one: Topic, references: dict[str, str], k: int = 1, **how: Any
) -> dict[str, list[Sentence]]:
    corpus = Corpus("small", (one,))
    (ready,) = table4.prepare_topics(corpus, Protocol(k=k))
    scores = {"VSM": ready.scores(VSM()), "BM25": ready.scores(BM25())}
    return dict(table4.rows_of(corpus, ready, scores, references, SummaryProtocol(**how)))


def test_each_citance_is_followed_by_its_contexts_and_each_context_stands_once() -> None:
    one = topic("Cells rest (Doe, 2001).", "They rest. Resting cells rest.")
    found = rows(one, {"human": "Cells rest."})
    texts, _, citances = zip(*found["VSM"], strict=True)
    assert texts == ("Cells rest .", "Cells rest.", "They rest.", "Resting cells rest.")
    assert citances == ("1", "", "2", "2")
    assert [text for text, _, _ in found[NO_CONTEXT]] == [texts[0], *texts[2:]]
    assert len(rows(one, {"human": "-"}, repeated="each time")["VSM"]) == 5


def contexts(row: list[Sentence]) -> list[int]:
    """Where the contexts of a row start in the article."""
    starts = [start for _, start, citance in row if not citance]
    assert all(TEXT[start:].startswith(text) for text, start, citance in row if not citance)
    return starts


def test_the_abstract_is_no_context_where_it_is_the_reference() -> None:
    one = topic("Cells were studied by us.")
    abstract = table4.abstract_of(one)
    assert abstract == "Cells were studied. We summarize."
    for row in ("BM25", RANDOM_CONTEXT):
        assert min(contexts(rows(one, {"abstract": abstract}, k=3)[row])) > BREAK
    people = {"human": "They were."}
    assert min(contexts(rows(one, people)["BM25"])) < BREAK
    without = rows(one, people, abstract=False)["BM25"]
    assert [text for text, _, _ in without[1:]] == ["Cells divide."]  # the best of the body instead


def test_no_context_repeats_an_abstract_that_people_summarized_from() -> None:
    abstract = "We say that cells and kinases divide and rest in mitochondria."
    one = replace(topic("Cells rest in mitochondria."), summaries={"abstract": abstract})
    people = {"human": "They were."}
    how: dict[str, Any] = {"abstract": False, "repeated_abstract": False}
    assert rows(one, people, k=3, **how) == rows(one, people, k=3, abstract=False)
    long = f"{abstract[3:-1]}, too."
    reference = Document(
        "ref", f"{TEXT} {long}", (Block(BREAK + 1, len(TEXT) + len(long) + 1, "body"),)
    )
    repeated = replace(one, reference=reference)
    assert long in [text for text, *_ in rows(repeated, people, k=3)["BM25"]]
    assert long not in [text for text, *_ in rows(repeated, people, k=3, **how)["BM25"]]


def test_random_contexts_are_k_different_sentences_in_each_of_the_draws() -> None:
    corpus = Corpus("small", (topic("Cells rest.", "Kinases mark."),))
    (ready,) = table4.prepare_topics(corpus, Protocol(k=2))
    usable = np.ones(len(ready.candidates), bool)
    drawn = [np.array(table4.random_contexts(ready, usable, i)).tolist() for i in range(DRAWS)]
    assert DRAWS >= 20 and len({str(one) for one in drawn}) > DRAWS / 2
    assert all(len({*numbers}) == 2 for one in drawn for numbers in one)
    assert drawn[3] == np.array(table4.random_contexts(ready, usable, 3)).tolist()
    listed = table4.rows_of(corpus, ready, {}, {"human": "-"}, SummaryProtocol())
    assert [name for name, _ in listed].count(RANDOM_CONTEXT) == DRAWS


def test_an_article_without_a_sentence_is_left_out() -> None:
    empty = Document("ref", TEXT, (Block(0, BREAK, "title"),))
    corpus = Corpus("small", (replace(topic("Cells rest."), reference=empty),))
    assert list(table4.prepare_topics(corpus, Protocol())) == []
