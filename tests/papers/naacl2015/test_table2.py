"""naacl2015 Table 2 and its comparison of models, end to end on the teaching corpus."""

import json

import numpy as np
import pytest
from scipy import stats

from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import Result
from citectx.papers.naacl2015 import table2 as naacl2015_table2
from citectx.papers.naacl2015.queries import FEWER
from citectx.papers.naacl2015.table2 import LEFT_OUT, METHODS, PROTOCOL, lines
from citectx.retrieval import QR
from citectx.types import Span
from tests.papers import scores_of


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return naacl2015_table2.run([teaching])


@pytest.fixture(scope="module")
def models(teaching: Corpus) -> Result:
    return naacl2015_table2.run_models([teaching])


def test_scores_of_one_citance_worked_out_from_the_spans(teaching: Corpus, result: Result) -> None:
    topic = prepare(teaching, PROTOCOL)[1]
    model = QR(reformulation="expand", concepts=("teaching",))
    returned = topic.retrieve(topic.scores(model)[0], 3)
    rows = scores_of(result)[scores_of(result)["topic"] == topic.topic.topic_id]
    row = rows[rows["method"] == "expand"].iloc[0]
    scores = weighted_scores(returned, topic.citances[0].gold)
    assert row["citance"] == topic.citances[0].citance_id
    expected = (scores.recall, scores.precision, scores.f1)
    assert (row["recall"], row["precision"], row["F-1"]) == expected


def test_p_values_and_changes_are_against_the_baseline(result: Result) -> None:
    wide = scores_of(result).pivot_table(index=["topic", "citance"], columns="method", values="F-1")
    means = wide.groupby("topic").mean()
    rows = result.table[result.table["metric"] == "F-1"].set_index("method")
    changes = result.extra["changes"].set_index(["method", "metric"])
    assert np.isnan(rows["p_value"]["baseline"])
    for method in set(METHODS) - {"baseline"}:
        expected = stats.ttest_rel(means[method], means["baseline"]).pvalue
        if not np.isnan(expected):  # scipy has none where all pairs are equal
            assert rows["p_value"][method] == pytest.approx(expected)
        change = 100 * (rows["value"][method] / rows["value"]["baseline"] - 1)
        assert changes.loc[(method, "F-1"), "change"] == pytest.approx(change)
    assert len(changes) == (8 + 3) * 6  # three controls
    assert (changes["p_value_holm"] >= changes["p_value"]).all()


def test_a_field_without_ontologies_has_three_rows(teaching: Corpus) -> None:
    other = Corpus("scisumm-train", teaching.topics[:2])
    table = naacl2015_table2.run([other]).table
    assert table["method"].unique().tolist() == ["baseline", "KW", "NP", *LEFT_OUT, *FEWER]
    assert json.loads(table["params"].iloc[0])["domain"] == "computational-linguistics"


def test_bad_input(teaching: Corpus) -> None:
    with pytest.raises(ParameterError, match="name of Reformulation 'UMLS'"):
        naacl2015_table2.run([teaching], ["baseline", "UMLS"])
    with pytest.raises(ParameterError, match="methods must hold 'baseline'"):
        naacl2015_table2.run([teaching], ["NP"])
    with pytest.raises(ParameterError, match="unknown method 'BM52'"):
        naacl2015_table2.run_models([teaching], ["VSM", "BM52"])


def test_lines_hold_each_character_once_one_sentence_a_line(teaching: Corpus) -> None:
    topic = prepare(teaching, PROTOCOL)[0]
    first, second, third = topic.candidates.sentences.spans[:3]
    overlapping = [Span(first.start, second.end), Span(second.start, third.start + 4)]
    text = topic.topic.reference.text
    expected = [
        text[first.start : first.end],
        text[second.start : second.end],
        text[third.start : third.start + 4],
    ]
    assert [line.strip() for line in lines(topic, overlapping).splitlines() if line.strip()] == [
        " ".join(e.split()) for e in expected
    ]


def test_models_are_compared_with_vsm_and_with_each_other(models: Result) -> None:
    assert models.table["method"].unique().tolist() == ["VSM", "BM25", "DFR", "LMD"]
    wide = scores_of(models).pivot_table(
        index=["topic", "citance"], columns="method", values="precision"
    )
    rows = models.table[models.table["metric"] == "precision"].set_index("method")
    assert np.isnan(rows["p_value"]["VSM"])
    topics = wide.groupby("topic").mean()
    assert rows.loc["LMD", "p_value"] == pytest.approx(
        stats.ttest_rel(topics["LMD"], topics["VSM"]).pvalue
    )
    assert sum(json.loads(rows["params"]["LMD"])["chosen"]["mu"].values()) == 5
