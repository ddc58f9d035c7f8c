"""Table 4 end to end, on the teaching corpus."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from citectx import profiles
from citectx.corpora import Corpus, Document, Topic
from citectx.errors import DataError
from citectx.evaluation import rouge
from citectx.experiments.contextualization import Protocol
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.sigir2017 import table4 as sigir2017_table4
from citectx.papers.sigir2017.summaries import NO_CONTEXT, RANDOM_CONTEXT
from citectx.papers.sigir2017.table4 import MAIN, materials, readings, references_of, score_row
from citectx.summarization import SUMMARIZERS, Budget, Pool, summary
from tests.papers import scores_of

METHODS = ["VSM", "BM25", "WE_Bio"]


@pytest.fixture(scope="module")
def result(teaching: Corpus) -> Result:
    return sigir2017_table4.run([teaching], METHODS, words=120, progress=False)


def test_shape(result: Result, teaching: Corpus) -> None:
    assert list(result.table.columns) == COLUMNS
    assert list(dict.fromkeys(result.table["method"])) == [NO_CONTEXT, RANDOM_CONTEXT, *METHODS]
    assert set(MAIN) <= set(result.table["metric"])
    assert len(scores_of(result)) == 5 * len(teaching)
    assert not result.table.duplicated(["corpus", "method", "metric"]).any()
    assert result.table["value"].between(0, 100).all()


def test_a_cell_from_scratch(result: Result, teaching: Corpus) -> None:
    """No Context, LexRank, one topic: sentences, summary and ROUGE without the package's table."""
    topic = teaching.topics[0]
    (material,) = materials(teaching, {}, Protocol(), [topic.topic_id])
    texts = [s.text for s in material.sentences if s.citance is not None]
    idf = dict(zip(material.pool.terms, material.pool.idf.tolist(), strict=True))
    pool = Pool.of(texts, rarity=idf.__getitem__)
    budget = Budget(words=120)
    written = summary(pool, SUMMARIZERS["LexRank"].choose(pool, budget), budget)
    expected = max(rouge(written, [r], ["rouge2"])["rouge2"].f1 for r in topic.summaries.values())
    scores = scores_of(result)
    row = scores[(scores["topic"] == topic.topic_id) & (scores["method"] == NO_CONTEXT)].iloc[0]
    assert row["LexRank RG-2"] == pytest.approx(100 * expected)


def test_p_values_are_scipys_against_the_best_baseline(result: Result) -> None:
    wide = scores_of(result).pivot_table(index="topic", columns="method", values="LSA RG-1")
    best = str(wide[["VSM", "BM25"]].mean().idxmax())
    rows = result.table[result.table["metric"] == "LSA RG-1"].set_index("method")
    assert np.isnan(rows["p_value"][best])
    assert rows.loc["WE_Bio", "p_value"] == pytest.approx(
        stats.ttest_rel(wide["WE_Bio"], wide[best]).pvalue
    )


def test_references_are_summaries_by_people_else_the_abstract(teaching: Corpus) -> None:
    assert {tuple(r) for r in references_of(teaching).values()} == {("A", "B", "C", "D")}
    bare = Corpus("bare", tuple(Topic(t.topic_id, t.reference, t.citances) for t in teaching))
    assert {tuple(r) for r in references_of(bare).values()} == {("abstract",)}
    mixed = Topic(
        "T", Document("d", "Cells."), (), summaries={"human": "Cells rest.", "abstract": "Rest."}
    )
    empty = Topic("U", Document("d", "Cells."), (), summaries={"human": " ", "abstract": "Rest."})
    assert references_of(Corpus("mixed", (mixed, empty))) == {
        "T": {"human": "Cells rest."},
        "U": {},
    }


def test_readings_are_corpora_of_their_own(teaching: Corpus) -> None:
    """A corpus named like CL-SciSumm's: two kinds of summaries; one topic lacks the first."""
    kinds = [("human", "community"), ("human", "community"), ("community",)]
    topics = [
        replace(topic, summaries=dict(zip(names, topic.summaries.values(), strict=False)))
        for topic, names in zip(teaching.topics, kinds, strict=False)
    ]
    corpus = Corpus("scisumm-train", tuple(topics))
    by_reading = {r.of(corpus.name): references_of(corpus, r) for r in readings(corpus.name)}
    main, cited = by_reading.values()
    assert list(by_reading) == ["scisumm-train", "scisumm-train (cited sentences as reference)"]
    assert [set(each) for each in main.values()] == [{"human"}, {"human"}, set()]
    assert {tuple(each) for each in cited.values()} == {("community",)}
    result = sigir2017_table4.run([corpus], ["BM25"], progress=False)
    assert result.table.groupby("corpus", sort=False)["n"].first().to_dict() == dict(
        zip(by_reading, [2, 3], strict=True)
    )
    assert set(result.data) == set(by_reading)


def test_no_pool_is_smaller_than_the_second_budget(teaching: Corpus) -> None:
    topic = teaching.topics[0]
    few = replace(topic, citances=topic.citances[:2])
    (material,) = materials(Corpus("teaching", (few,)), {}, Protocol(), [few.topic_id])
    words = material.pool.words[material.rows[NO_CONTEXT]].sum()
    assert words < 100
    text = " ".join(s.text for s in material.sentences if s.citance is not None)
    expected = max(rouge(text, [r], ["rouge1"])["rouge1"].f1 for r in topic.summaries.values())
    # without contexts all sentences are taken, so that all summarizers tie
    for name in ("KLSUM", "LSA"):
        scores = score_row(material, NO_CONTEXT)
        assert scores[f"{name} RG-1 100 words"] == pytest.approx(100 * expected)
    budget = Budget(words=int(words))
    pool = material.pool.take(material.rows[RANDOM_CONTEXT])
    written = summary(pool, SUMMARIZERS["LSA"].choose(pool, budget), budget)
    assert len(written.split()) == words
    best = max(rouge(written, [r], ["rouge1"])["rouge1"].f1 for r in topic.summaries.values())
    row = score_row(material, RANDOM_CONTEXT)
    assert row["LSA RG-1 100 words"] == pytest.approx(100 * best)


def test_corpus_without_citances_is_an_error() -> None:
    topic = Topic("T", Document("d", "Cells rest."), (), summaries={"human": "They rest."})
    with pytest.raises(DataError, match="both citances and a reference"):
        sigir2017_table4.run([Corpus("teaching", (topic,))], ["BM25"], progress=False)


@pytest.mark.open_data
def test_references_of_the_open_corpora_are_those_the_docstring_names() -> None:
    corpora = [
        profiles.load(name) for name in ("citation-integrity", "scisumm-train", "scisummnet")
    ]
    table = sigir2017_table4.reference_lengths(corpora)
    assert table["topics"].to_dict() == {
        "citation-integrity": 10,
        "scisumm-train": 37,
        "scisumm-train (cited sentences as reference)": 39,
        "scisummnet": 779,
        "scisummnet (abstract among candidates)": 779,
    }
