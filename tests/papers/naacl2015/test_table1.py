"""naacl2015 Table 1 end to end."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.corpora import Annotation, Citance, Corpus, Document, Topic
from citectx.errors import DataError
from citectx.evaluation.agreement import LEVELS, agreement_level, coincidences, krippendorff_alpha
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.naacl2015 import table1 as naacl2015_table1
from citectx.papers.naacl2015.table1 import levels_by_topic
from citectx.types import Span


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return naacl2015_table1.run([teaching])


def value(result: Result, method: str, metric: str) -> float:
    rows = result.table[(result.table["method"] == method) & (result.table["metric"] == metric)]
    return float(rows["value"].item())


def test_counts_are_those_of_the_levels_of_single_citances(
    result: Result, teaching: Corpus
) -> None:
    names = [agreement_level(c.gold).name for t in teaching for c in t.citances]
    assert list(result.table.columns) == COLUMNS
    for name in LEVELS:
        assert value(result, name, "count") == names.count(name)
        assert value(result, name, "share") == pytest.approx(100 * names.count(name) / 40)
    assert value(result, "total", "count") == 40
    halves = ("majority or more", "below majority")
    assert sum(value(result, name, "count") for name in halves) == 40


def test_topics_add_up_to_the_table_and_alpha_is_that_of_pooled_characters(
    result: Result, teaching: Corpus
) -> None:
    topics = result.extra["topics"]
    assert topics["topic"].tolist() == [t.topic_id for t in teaching]
    in_table = [value(result, name, "count") for name in LEVELS]
    assert [topics[name].sum() for name in LEVELS] == in_table
    by_citance = [
        [coincidences(c.gold, len(topic.reference.text)) for c in topic.citances]
        for topic in teaching
    ]
    counts = np.array([np.sum(each, axis=0) for each in by_citance])
    assert topics["alpha"].tolist() == pytest.approx(krippendorff_alpha(counts).tolist())
    pooled = krippendorff_alpha(counts.sum(axis=0))
    assert value(result, "alpha", "alpha") == pytest.approx(float(pooled))


def corpus_of(*marks: dict[str, list[tuple[int, int]]]) -> Corpus:
    citances = []
    for i, marked in enumerate(marks):
        spans = {name: tuple(Span(*ends) for ends in pairs) for name, pairs in marked.items()}
        annotations = tuple(Annotation(*each) for each in spans.items())
        citances.append(Citance(str(i), "citing", "It is so.", annotations=annotations))
    return Corpus("small", (Topic("T", Document("ref", "word " * 20), tuple(citances)),))


def test_citances_that_cannot_be_compared_are_left_out_and_who_found_nothing_counts() -> None:
    corpus = corpus_of({"A": [(0, 9)]}, {"A": [], "B": []}, {"A": [(0, 9)], "B": [(0, 9)], "C": []})
    result = naacl2015_table1.run([corpus])
    assert value(result, "total", "count") == 1
    assert value(result, "majority", "count") == 1
    alpha = result.table[result.table["method"] == "alpha"].iloc[0]
    assert alpha["value"] == pytest.approx(float(krippendorff_alpha([9, 18, 282])))
    assert np.isnan(alpha["ci_low"])  # a single topic says nothing of how it varies
    assert value(result, "none", "share") == 0
    assert not ((result.table["method"] == "none") & (result.table["metric"] == "overlap")).any()


def test_corpora_with_one_annotator_are_passed_over_and_nothing_else_is_an_error(
    teaching: Corpus,
) -> None:
    alone = replace(corpus_of({"A": [(0, 9)]}), name="alone")
    assert set(naacl2015_table1.run([alone, teaching]).table["corpus"]) == {"teaching"}
    with pytest.raises(DataError, match="alone: no citance was annotated by two people"):
        naacl2015_table1.run([alone])


@pytest.mark.open_data
def test_gold_topics_of_scisumm_have_three_annotators_so_hardly_a_minority(
    open_corpus: Callable[[str], Path],
) -> None:
    from citectx.corpora import scisumm

    result = naacl2015_table1.run([scisumm.read_gold(open_corpus("scisumm-corpus"))])
    counts = result.table[result.table["metric"] == "count"].set_index("method")["value"]
    levels = ["full", "all", "majority", "minority", "none", "total"]
    assert counts[levels].tolist() == [24, 1, 88, 12, 227, 352]  # four annotators in two topics


# --- the figure of agreement


@pytest.fixture
def topics() -> pd.DataFrame:
    rows = [("one", "T1", 4, 1, 0, 2, 0, 1, 0.25), ("two", "T2", 2, 0, 0, 0, 2, 0, float("nan"))]
    return pd.DataFrame(rows, columns=["corpus", "topic", "citances", *LEVELS, "alpha"])


def test_bars_are_shares_side_by_side_with_the_paper_at_the_foot(topics: pd.DataFrame) -> None:
    published = {"full": 2.0, "all": 66.0, "majority": 121.0, "minority": 113.0, "none": 11.0}
    (ax,) = levels_by_topic(topics, published, "title").axes
    widths = [[bar.get_width() for bar in level] for level in ax.containers]
    assert [w[0] for w in widths] == [25, 0, 50, 0, 25]
    assert [w[1] for w in widths] == [0, 0, 0, 100, 0]
    assert [w[2] for w in widths] == pytest.approx([100 * n / 313 for n in published.values()])
    assert [bar.get_x() for bar in ax.containers[4]] == pytest.approx([75, 100, 100 * 302 / 313])
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["one  T1", "two  T2", "TAC 2014 (paper)"]
