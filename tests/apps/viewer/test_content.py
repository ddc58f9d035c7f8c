"""The page's data against the corpus, counted anew."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx import profiles
from citectx.apps.viewer import Method, choose, content
from citectx.apps.viewer.content import laid_out, marker_place, missed, short, utf16
from citectx.corpora import Block, Citance, Corpus, Document, Topic
from citectx.experiments.results import find
from citectx.paths import RESULTS
from citectx.retrieval import BM25, LMD, VSM
from citectx.types import Span
from tests.apps.viewer.made import bare, corpus, evil

texts = st.text(st.characters(codec="utf-8") | st.sampled_from("𝛼😀\ud800\u2028"), max_size=30)
spans = st.lists(
    st.tuples(st.integers(0, 19), st.integers(1, 20))
    .filter(lambda s: s[0] < s[1])
    .map(lambda s: Span(*s)),
    max_size=4,
)


def data_of(corpus: Corpus, topic: Topic, methods: list[str]) -> dict[str, Any]:
    return content(*choose(corpus, topic, methods, tuned=False), corpus=corpus.name)


def as_given(models: dict[str, Any]) -> list[Method]:
    return [Method(name, model, "as given") for name, model in models.items()]


def in_units(text: str, pair: list[int]) -> str:
    """Slice as JavaScript does."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * pair[0] : 2 * pair[1]].decode("utf-16-le", "surrogatepass")


@given(texts)
def test_offsets_are_those_of_utf16(text: str) -> None:
    place = utf16(text)
    for i in range(len(text) + 1):
        assert place(i) == len(text[:i].encode("utf-16-le", "surrogatepass")) // 2


def test_spans_blocks_and_markers_are_the_same_text_in_units() -> None:
    topic = evil()
    text = topic.reference.text
    data = data_of(corpus(topic), topic, ["VSM", "LMD"])
    for block, (start, end, kind, _) in zip(topic.reference.blocks, data["blocks"], strict=True):
        assert in_units(text, [start, end]) == text[block.start : block.end]
        assert kind == block.kind
    for citance, shown in zip(topic.citances, data["citances"], strict=True):
        gold = {data["annotators"][a]["name"]: pairs for a, pairs in shown["gold"]}
        expected = {
            name: [text[s.start : s.end] for s in spans] for name, spans in citance.gold.items()
        }
        assert {
            name: [in_units(text, p) for p in pairs] for name, pairs in gold.items()
        } == expected
        if citance.marker:
            assert in_units(citance.text, shown["marker"]) == citance.marker


def covered(text: str, pairs: list[list[int]]) -> set[int]:
    """Characters under spans given in code units, by a plain loop."""
    place, at = {}, 0
    for i, char in enumerate(text):
        place[at] = i
        at += 2 if ord(char) > 0xFFFF else 1
    return {i for at, i in place.items() for start, end in pairs if start <= at < end}


def test_scores_are_those_of_the_spans_on_the_page(teaching: Corpus) -> None:
    for topic in teaching:
        data = data_of(teaching, topic, ["VSM", "BM25", "WE_Bio"])
        for shown in data["citances"]:
            gold = set().union(*(covered(data["text"], pairs) for _, pairs in shown["gold"]))
            returned = [covered(data["text"], pairs) for pairs in shown["found"]]
            for own, (p, r, f, _) in zip(returned, shown["scores"], strict=True):
                assert p == pytest.approx(100 * len(own & gold) / len(own), abs=1e-4)
                assert r == pytest.approx(100 * len(own & gold) / len(gold), abs=1e-4)
                assert f == pytest.approx(200 * len(own & gold) / (len(own) + len(gold)), abs=1e-4)
            lost = gold - set().union(*returned)
            blank = {i for i in lost if data["text"][i].isspace()}
            assert lost - blank <= covered(data["text"], shown["missed"]) <= lost
        for i, method in enumerate(data["methods"]):
            column = [c["scores"][i][2] for c in data["citances"]]
            assert method["means"][2] == pytest.approx(sum(column) / len(column), abs=1e-4)


@pytest.mark.open_data
def test_scores_are_the_committed_ones_of_table_1(open_corpus: Any) -> None:
    open_corpus("citation-integrity-annotations")
    loaded = profiles.load("citation-integrity")
    topic = loaded["PMC3522098"]
    data = content(*choose(loaded, topic))
    scores_of_citances = find(RESULTS / "open", "sigir2017_table1.citances.csv.gz")
    table = pd.read_csv(scores_of_citances, dtype={"citance": str})
    table = table[table["topic"] == topic.topic_id].set_index(["method", "citance"])
    for citance in data["citances"]:
        for method, scores in zip(data["methods"], citance["scores"], strict=True):
            expected = table.loc[(method["name"], citance["id"]), list(data["scores"])]
            assert scores == pytest.approx(np.asarray(expected, dtype=float), abs=1e-3)


@given(st.text("ab \n", min_size=20, max_size=20), spans, spans, spans)
def test_missed_is_gold_without_what_was_returned(
    text: str, a: list[Span], b: list[Span], found: list[Span]
) -> None:
    rest = missed(text, {"A": a, "B": b}, [found])
    wanted = {i for s in (*a, *b) for i in range(*s)} - {i for s in found for i in range(*s)}
    given_ = {i for s in rest for i in range(*s)}
    assert given_ <= wanted
    assert all(text[i].isspace() for i in wanted - given_)
    assert all(text[s.start : s.end].strip() == text[s.start : s.end] != "" for s in rest)


def test_citances_without_evidence_are_shown_without_scores() -> None:
    data = data_of(corpus(evil()), evil(), ["VSM"])
    third = data["citances"][2]
    shown = {name: third[name] for name in ("gold", "annotators", "scores", "missed")}
    assert shown == {"gold": [], "annotators": [2], "scores": [None], "missed": []}
    assert len(third["found"][0]) > 0


def test_a_blind_topic_a_topic_that_nobody_cites_and_one_that_nobody_scores() -> None:
    blind = bare(Citance("1", "x", "Cells rest."))
    data = data_of(corpus(blind), blind, ["BM25"])
    assert data["annotators"] == []
    assert data["methods"][0]["means"] is None
    assert len(data["citances"][0]["found"][0]) == 3
    empty = data_of(corpus(bare()), bare(), ["BM25"])
    assert empty["citances"] == []
    assert empty["start"] == 0
    assert data_of(corpus(blind), blind, [])["citances"][0]["found"] == []


def test_parameters_and_what_was_left_out(teaching: Corpus) -> None:
    prepared, _, _ = choose(teaching, teaching.topics[0], [])
    data = content(prepared, as_given({"mine": LMD(mu=500)}), {"WE": "no vectors"}, start="3")
    assert data["methods"][0]["params"] == "mu=500"
    assert data["methods"][0]["how"] == "as given"
    assert data["leftOut"] == [("WE", "no vectors")]
    assert data["citances"][data["start"]]["id"] == "3"


def test_a_page_begins_where_its_first_and_last_method_differ_most(teaching: Corpus) -> None:
    prepared, _, _ = choose(teaching, teaching.topics[0], [])
    data = content(prepared, as_given({"a": VSM(), "b": LMD(mu=500)}))
    apart = [abs(a[2] - b[2]) if a and b else 0 for a, b in (c["scores"] for c in data["citances"])]
    assert apart[data["start"]] == max(apart) > 0


def test_models_of_other_classes_share_an_article(teaching: Corpus) -> None:
    prepared, _, _ = choose(teaching, teaching.topics[0], [])
    models = {"VSM": VSM(), "BM25": BM25()}
    together = content(prepared, as_given(models))["citances"]
    for i, (name, model) in enumerate(models.items()):
        alone = content(prepared, as_given({name: model}))["citances"]
        assert [c["found"][i] for c in together] == [c["found"][0] for c in alone]


def test_marker_by_its_place_else_the_first_else_none() -> None:
    text = "😀 (3) b (3)."
    assert marker_place(Citance("1", "x", text, "(3)")) == [3, 6]
    assert marker_place(Citance("1", "x", text, "(3)", Span(100, 111), Span(108, 111))) == [9, 12]
    assert marker_place(Citance("1", "x", text, "(3)", Span(100, 111), Span(101, 104))) == [3, 6]
    assert marker_place(Citance("1", "x", text, "2000")) is None
    assert marker_place(Citance("1", "x", text)) is None


def test_text_between_blocks_is_laid_out_too() -> None:
    document = Document(
        "d", "One two  three four", (Block(4, 7, "heading"), Block(9, 14, "body", 1))
    )
    assert [(b.start, b.end) for b in laid_out(document)] == [(0, 4), (4, 7), (9, 14), (14, 19)]


@given(st.lists(st.text("abc", min_size=1, max_size=4), unique=True))
def test_short_names_differ(names: list[str]) -> None:
    labels = short(names)
    assert len(set(labels.values())) == len(names)
    assert all(name.startswith(label) for name, label in labels.items())
