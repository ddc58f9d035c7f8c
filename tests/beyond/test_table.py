"""The table of learned contexts: rows, controls, and people by hand."""

from dataclasses import replace

import numpy as np
import pytest

from citectx.beyond import table
from citectx.beyond.ltr import held_out, values_of
from citectx.corpora.model import Corpus
from citectx.evaluation import human_precision
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import COLUMNS, Result


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    few = replace(teaching, name="few", topics=teaching.topics[:4])
    return table.run([teaching, few])


def test_the_table_has_every_row_and_control(result: Result) -> None:
    assert [*result.wide("few").index] == ["BM25"]
    assert list(result.table.columns) == COLUMNS
    values = result.wide("teaching")["nDCG"].to_dict()
    assert {"BM25", *table.ROWS, "LTR (outside the abstract)"} < {*values}
    assert values["LTR"] > values["LTR (evidence permuted)"] + 10
    assert values["LTR"] > values["LTR (no query)"] + 10
    assert {*result.extra} == {"tests", "weights", "people"}
    weights = result.extra["weights"]
    assert (weights["ci_low"] <= weights["ci_high"]).all()


def test_acl_papers_are_scored_by_what_was_learned_from_other_years(teaching: Corpus) -> None:
    names = ["C65-1001", "P99-1001", "P03-1001", "J04-3001", "D18-1001"]
    blocks = table.blocks_of_years(names)
    assert blocks.tolist() == [0, 0, 1, 1, 2]
    renamed = [replace(t, topic_id=i) for i, t in zip(names, teaching, strict=True)]
    corpus = replace(teaching, topics=tuple(renamed))
    scored = table.run([corpus]).citances
    assert scored is not None
    topics = prepare(corpus)
    marked = [topic.relevant for topic in topics]
    learned, _ = held_out(values_of(topics), marked, 10, blocks=blocks)
    expected = [
        row["nDCG"]
        for t, scores in zip(topics, learned, strict=True)
        for row in t.measure(scores, ["nDCG"])
    ]
    by_row = {name: rows["nDCG"].tolist() for name, rows in scored.groupby("method")}
    assert by_row["LTR (other years)"] == pytest.approx(expected)
    assert by_row["LTR (other years)"] != by_row["LTR"]


def test_outside_the_abstract_nothing_is_left_of_it(teaching: Corpus) -> None:
    hidden = prepare(Corpus("hidden", tuple(map(table.without_abstract, teaching))))
    for topic, own in zip(prepare(teaching), hidden, strict=True):
        blocks = topic.topic.reference.blocks
        [(start, end)] = [(b.start, b.end) for b in blocks if b.kind == "abstract"]
        assert len(own.candidates) < len(topic.candidates)
        marked = [s for c in own.citances for spans in c.gold.values() for s in spans]
        assert all(b <= start or end <= a for a, b in [*own.candidates.chars, *marked])


def test_people_against_a_computation_by_hand(teaching: Corpus, result: Result) -> None:
    topic = prepare(teaching)[1]
    citance, scored = topic.citances[2], result.citances
    assert scored is not None
    rows = scored[scored["corpus"] == "teaching"].set_index(["topic", "citance", "method"])
    found = rows.loc[(topic.topic.topic_id, citance.citance_id, table.PEOPLE), "c-P@1"]
    assert found == pytest.approx(100 * np.mean([*human_precision(citance.gold).values()]))
