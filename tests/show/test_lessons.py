"""Widgets where there are any, the first choice where not."""

import sys
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from citectx.corpora.model import Annotation, Block, Citance, Corpus, Document, Topic
from citectx.errors import ParameterError
from citectx.experiments.results import Result
from citectx.papers.sigir2017 import table1
from citectx.retrieval import VSM
from citectx.show import lessons, tables
from citectx.show.lessons import STATIC, beside_paper, explore, pick, show, verdicts, work_through
from citectx.types import Span


def test_choices_are_lists_of_widgets_or_knobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(k: int, method: str) -> str:
        return f"{k} by {method}"

    seen: dict[str, Any] = {}
    fake = SimpleNamespace(interact=lambda function, **controls: seen.update(controls))
    choices: dict[str, list[Any]] = {"k": [3, 5], "method": ["LMD", "VSM"]}
    monkeypatch.delenv(STATIC, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", fake)
    explore(shown, **choices)
    assert seen == choices
    monkeypatch.setenv(STATIC, "1")
    knobs = [explore(shown, **choices)]
    monkeypatch.delenv(STATIC)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    knobs.append(explore(shown, **choices))
    for knob in knobs:
        assert repr(knob) == "'3 by LMD'"
        assert [*knob.results.values()] == ["3 by LMD", "3 by VSM", "5 by LMD", "5 by VSM"]


def test_a_lesson_opens_on_its_citance_where_the_corpus_has_it_and_nothing_else_was_asked_for(
    teaching: Corpus,
) -> None:
    def picked(wanted: str | None = None, number: str | int | None = None) -> tuple[str, str]:
        topic, citance = pick(teaching, wanted, number, opens_on=("D9003_TEACH", "8"))
        return topic.topic_id, citance.citance_id

    assert picked() == ("D9003_TEACH", "8")
    assert picked(None, "2") == picked(None, 2) == ("D9003_TEACH", "2")
    assert picked("D9003_TEACH") == ("D9003_TEACH", "1")
    topic, _ = pick(teaching, opens_on=("elsewhere", "8"))
    assert topic is teaching.topics[0]
    with pytest.raises(ParameterError, match=r"D9001_TEACH.*D9005_TEACH"):
        picked("D9009_TEACH")


def test_a_citance_with_the_paragraphs_that_annotators_marked() -> None:
    text = "Title\n\n<script>alert(1)</script> cells rest.\n\nThey die."
    blocks = (Block(0, 5, "title"), Block(7, 44, "body", 1), Block(46, 55, "body", 2))
    annotations = (Annotation('A"', (Span(7, 15),)),)
    citance = Citance("1", "x", "Cells <i>rest</i> [<3>].", "[<3>]", annotations=annotations)
    page = show(Topic("T", Document("r", text, blocks), (citance,)), citance).data
    assert "<script>" not in page
    assert "<i>rest" not in page
    assert 'title="A&quot;">&lt;script&gt;</u>' in page
    assert "They die" not in page


def test_a_table_beside_the_papers_with_marks_of_both(teaching: Corpus) -> None:
    result = table1.run([teaching], ["BM25", "WE_Bio"], folds=2)
    page = beside_paper(result, "teaching", ["nDCG"])._repr_html_()
    assert ">38.1<" in page
    assert "†" in page
    few = beside_paper(result, "teaching", ["nDCG"], methods=["WE_Bio"])
    assert few.frame.index.tolist() == ["WE_Bio"]


def test_verdicts_are_those_of_the_committed_ledger() -> None:
    shown = verdicts("sigir2017", "bio-beats-wiki").texts()
    assert shown.shape == (1, 4)
    assert shown["citation-integrity"].tolist() == ["holds"]
    assert shown["citation-integrity-31"].tolist() == ["smaller"]


def test_an_example_is_one_citance_as_the_package_prepares_it(teaching: Corpus) -> None:
    one = work_through(teaching, "D9003_TEACH", "8")
    assert one.query[:2] == ["suppressive", "lymphocytes"]
    assert len(one.article) == sum(map(len, one.sentences)) == one.prepared.index.lengths.sum()
    shown = one.show(51, 33).frame
    assert shown["marked"].to_dict() == {51: "no", 33: "yes"}
    assert len(one.retrieve(VSM(), 2)) == 2


def test_tables_are_laid_out_as_figures_take_them() -> None:
    columns = ["corpus", "topic", "citance", "method", "RG-1", "RG-2"]
    cells = [("a", "T1", "1", "LMD", 2.0, 4.0), ("a", "T1", "1", "VSM", 1.0, 1.0)]
    scores = pd.DataFrame([*cells, ("b", "T1", "1", "LMD", 9.0, 9.0)], columns=columns)
    wide = lessons.by_citance(Result("toy", pd.DataFrame(), scores), "a", ["RG-1", "RG-2"])
    assert wide.to_dict("index") == {("T1", "1"): {"LMD": 3.0, "VSM": 1.0}}

    both = tables.beside(
        pd.DataFrame({"c-F": {"Q1": 16.0}, "c-F sd": {"Q1": 20.0}}),
        pd.DataFrame({"c-F": {"Q1": 11.0}, "c-F sd": {"Q1": 13.0}}),
    )
    rows = lessons.spreads(both, "c-F").set_index("table")
    assert [*rows.index] == ["ours", "paper"]
    assert rows["ci_low"].tolist() == [-2, -4]
    assert rows["ci_high"].tolist() == [24, 36]


def test_a_first_picture_has_the_papers_rows_in_its_order() -> None:
    ours = pd.DataFrame(
        {"method": ["B", "A", "C"], "value": [2.0, 3, 9], "ci_low": [1.0, 2, 8], "ci_high": 10.0}
    )
    image = lessons.first_picture(pd.Series({"A": 1.0, "B": 2.0}), ours, "title", "points")
    assert image.alt == "title (across: points; downwards: A, B; series: paper, ours (real data))"
    [everything] = tables.open_rows("naacl2015_table1", "alpha").to_dict("records")
    assert everything["ci_low"] < everything["value"] < everything["ci_high"]
