"""The tables of acl2008 on the teaching corpus, and the test set on open data."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from citectx import profiles
from citectx.corpora import Citance, Corpus, Document, Topic
from citectx.corpora.model import Block
from citectx.errors import DataError
from citectx.evaluation import rouge
from citectx.experiments.results import Result
from citectx.language.text import SentenceSplitter
from citectx.ledger import check, load, open_results
from citectx.papers.acl2008 import references, sensitivity, table1, table3, table4
from citectx.papers.acl2008.impact_set import ImpactPaper, ImpactSet, impact_set, least_of
from citectx.papers.acl2008.methods import (
    BASELINES,
    DONORS,
    ELSEWHERE,
    FIXED,
    measure,
    random_order,
    reciprocal_ranks,
    score_models,
)
from citectx.summarization import Budget, summary
from tests.papers import scores_of


@pytest.fixture(scope="module")
def teaching() -> ImpactSet:
    return impact_set(profiles.load("teaching"))


@pytest.fixture(scope="module")
def first(teaching: ImpactSet) -> Result:
    return table1.run([teaching], seeds=5, folds=3)


@pytest.fixture
def paper(teaching: ImpactSet) -> ImpactPaper:
    return teaching.papers[1]


@pytest.mark.parametrize("method", ["LEAD", "MEAD-Doc+Cite", "KL-Divergence"])
@pytest.mark.parametrize("budget", [Budget(sentences=5), Budget(words=100)], ids=str)
def test_scores_are_rouge_of_the_text(paper: ImpactPaper, method: str, budget: Budget) -> None:
    order = list(FIXED[method](paper))
    text = summary(paper.pool, order, budget)
    assert budget.words is None or len(text.split()) == budget.words
    expected = rouge(text, ["\n".join(paper.gold)], ["rouge1", "rougeLsum"])
    found = paper.score(order, budget)
    assert found["ROUGE-1"] == pytest.approx(expected["rouge1"].recall)
    assert found["ROUGE-L F"] == pytest.approx(expected["rougeLsum"].f1)


def test_picked_by_hand(paper: ImpactPaper) -> None:
    votes = np.zeros(len(paper.sentences), int)
    votes[1:4] = 3, 1, 2
    scores = replace(paper, votes=votes).score([0, 1, 2], Budget(sentences=3))
    assert scores["picked"] == pytest.approx(2 / 3)


def test_the_control_reads_the_contexts_of_the_next_papers(
    first: Result, teaching: ImpactSet
) -> None:
    scores = scores_of(first).set_index(["method", "topic"])["ROUGE-L @15"]
    for i, paper in enumerate(teaching.papers):
        donors = [teaching.papers[(i + step) % 5] for step in range(1, DONORS + 1)]
        values = []
        for donor in donors:
            other = replace(paper, contexts=donor.contexts)
            values.append(paper.score(FIXED["KL-Divergence"](other), Budget(sentences=15)))
        mean = np.mean([value["ROUGE-L"] for value in values])
        assert scores[ELSEWHERE, paper.topic.topic_id] == pytest.approx(mean)


def test_a_summary_longer_than_the_paper_is_all_of_it(paper: ImpactPaper) -> None:
    budgets = [Budget(sentences=10_000), Budget(words=100_000)]
    values = [*measure(paper, FIXED["LEAD"], budgets).values()]
    everything = paper.score(paper.candidates, Budget(sentences=len(paper.sentences)))
    assert values == [*everything.values()] * 2


def test_random_is_the_mean_over_seeds(first: Result, teaching: ImpactSet) -> None:
    scores = scores_of(first).set_index(["method", "topic"])["ROUGE-L @3"]
    for paper in teaching.papers[:2]:
        orders = [
            np.random.default_rng(seed).permutation(len(paper.sentences)) for seed in range(5)
        ]
        drawn = [paper.score(order, Budget(sentences=3))["ROUGE-L"] for order in orders]
        assert scores["Random", paper.topic.topic_id] == pytest.approx(np.mean(drawn))
        assert random_order(paper, 2).tolist() == orders[2].tolist()


def test_table1(first: Result, tmp_path: Path) -> None:
    table = first.table
    rows = ["Random", *FIXED, "BM25", ELSEWHERE, "greedy oracle"]
    assert table["method"].unique().tolist() == rows
    means = scores_of(first).groupby("method")["ROUGE-1 @10"].mean()
    own = table[table["metric"] == "ROUGE-1 @10"].set_index("method")
    assert own["value"].to_dict() == pytest.approx(means.to_dict())
    assert own["value"].between(own["ci_low"], own["ci_high"]).all()
    best = own.loc[[*BASELINES], "value"].idxmax()
    assert own["p_value"].isna().to_dict() == {m: m == best for m in own.index}
    first.write(tmp_path)
    verdicts = check(load("acl2008"), open_results(tmp_path)).set_index("id")
    assert verdicts.loc["impact-model-beats-baselines", "verdict"] == "inconclusive"  # five topics


def test_tables_agree_where_they_share_a_setting(teaching: ImpactSet, first: Result) -> None:
    def at_15(result: Result) -> dict[str, float]:
        rows = result.table[result.table["metric"] == "ROUGE-L @15"]
        assert scores_of(result)["method"].nunique() == len(rows)
        return dict(zip(rows["method"], rows["value"], strict=True))

    third, fourth = at_15(table3.run([teaching], folds=3)), at_15(table4.run([teaching]))
    curves, published = at_15(sensitivity.run([teaching])), at_15(first)["KL-Divergence"]
    same = [third["ConstCoef"], fourth["pg on, pr 3"], curves["as published"]]
    same += [curves["delta=0.8"], curves["mu_s=1000"], curves["alpha=3"]]
    assert same == [published] * 6
    assert third["Dirichlet"] == curves["mu_c=20000"]
    assert third["P(w|d)"] == curves["delta=0"] == curves["mu_c=0"]
    assert third["P(w|C)"] == curves["delta=1"]
    assert fourth["pg on, pr off"] == curves["alpha=1"]


def test_tuning_never_looks_at_the_paper_that_is_scored(teaching: ImpactSet) -> None:
    variants = sensitivity.vary("delta")
    n, column = len(teaching.papers), "ROUGE-L @10"
    found = table3.tune(teaching, variants, folds=n)[column].tolist()
    models = {str(model): model for model in variants}
    scores = (
        score_models(teaching, models, [Budget(sentences=10)])[column].to_numpy().reshape(n, -1)
    )
    others = [np.delete(scores, i, axis=0).mean(axis=0).round(9) for i in range(n)]
    assert found == [own[np.argmax(mean)] for own, mean in zip(scores, others, strict=True)]


def test_without_a_network_no_row_is_about_authority(teaching: ImpactSet) -> None:
    table = table4.run([replace(teaching, authority={})]).table
    assert table["method"].unique().tolist() == [*table4.models("off")]


def test_reciprocal_ranks_by_hand() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [0.0, 5.0, 5.0], [1.0, 1.0, 1.0]])
    assert reciprocal_ranks(scores) == pytest.approx([1 + 1 / 3, 1 / 2 + 1, 1 / 3 + 1 / 2])


def test_papers_without_marks_or_with_few_citations_are_left_out(paper: ImpactPaper) -> None:
    topic = paper.topic
    bare = tuple(replace(citance, annotations=()) for citance in topic.citances)
    unmarked = replace(topic, topic_id="unmarked", citances=bare)
    few = replace(topic, topic_id="few", citances=topic.citances[:2])
    corpus = Corpus("teaching", (unmarked, few, topic))
    [kept] = impact_set(corpus, 3).papers
    assert kept.topic == topic
    with pytest.raises(DataError, match="teaching: no paper with 1 or more citances has"):
        impact_set(Corpus("teaching", (unmarked,)))


@pytest.mark.parametrize(("cited", "least"), [(6, 20), (5, 1)])
def test_twenty_citations_where_six_papers_have_as_many(cited: int, least: int) -> None:
    topic = profiles.load("teaching")["D9001_TEACH"]
    often = tuple(replace(topic.citances[0], citance_id=str(i)) for i in range(20))
    counts = [20] * cited + [19] * (8 - cited)
    topics = [
        replace(topic, topic_id=f"t{i}", citances=often[:count]) for i, count in enumerate(counts)
    ]
    assert least_of(Corpus("any", tuple(topics))) == least


def summarized(name: str, abstract: str, *sentences: str) -> Topic:
    """Return a paper that people summarized, and that nobody annotated."""
    text = " ".join((abstract, *sentences))
    blocks = (
        Block(0, len(abstract), "abstract"),
        Block(len(abstract) + 1, len(text), "body", 1, "Results"),
    )
    citances = tuple(Citance(str(i), f"Doe{i}", "Cells rest in the cold.") for i in range(2))
    summaries = {"abstract": abstract, "human": "Cells rest. They do so in the cold."}
    return Topic(name, Document(name, text, blocks), citances, summaries=summaries)


ABSTRACT = "Here we show that most cells of this kind rest in the cold."
REPEATED = "We have shown that most cells of this kind rest in the dark, too."


def test_a_persons_summary_is_the_gold_of_a_paper_that_nobody_annotated() -> None:
    topic = summarized("one", ABSTRACT, "Cells divide.", REPEATED, "They rest.")
    papers = impact_set(Corpus("made up", (topic, replace(topic, topic_id="two"))))
    paper, _ = papers.papers
    assert not papers.is_marked
    assert [*paper.gold] == ["Cells rest.", "They do so in the cold."]
    assert paper.sentences.texts() == ["Cells divide.", "They rest."]
    assert [*FIXED["LEAD"](paper)] == [0, 1]
    assert papers.params["barred"] == 4  # of each paper its abstract, and what repeats it
    assert "picked" not in paper.score([0], Budget(sentences=1))
    assert paper.cited.paper.texts == ("Cells divide.", "They rest.")  # p(w|d) counts what is left


def test_a_paper_without_a_candidate_is_left_out() -> None:
    topic = summarized("one", ABSTRACT, "Cells divide.")
    bare = Document("bare", ABSTRACT, (Block(0, len(ABSTRACT), "abstract"),))
    empty = replace(topic, topic_id="empty", reference=Document("empty", ""))
    only_abstract = replace(topic, topic_id="bare", reference=bare)
    [paper] = impact_set(Corpus("made up", (empty, only_abstract, topic))).papers
    assert paper.topic is topic


def test_the_abstract_may_be_a_candidate_in_a_reading() -> None:
    topic = summarized("one", ABSTRACT, "Cells divide.", REPEATED)
    [paper] = impact_set(Corpus("made up", (topic,)), abstract=True).papers
    assert paper.sentences.texts() == [ABSTRACT, "Cells divide.", REPEATED]


def test_both_references_measure_the_same_summaries(teaching: ImpactSet) -> None:
    result = references.run([teaching], seeds=3, folds=3)
    scores = scores_of(result).set_index(["method", "topic"])
    for paper in teaching.papers:
        key = "KL-Divergence", paper.topic.topic_id
        order = FIXED["KL-Divergence"](paper)
        text = summary(paper.pool, order, Budget(sentences=15))
        split = SentenceSplitter()
        wanted = [
            "\n".join(span.of(by_one) for span in split.split(by_one))
            for name, by_one in paper.topic.summaries.items()
            if name != "abstract"
        ]
        people = np.mean([rouge(text, [one], ["rougeLsum"])["rougeLsum"].recall for one in wanted])
        assert len(wanted) >= 2
        assert scores["ROUGE-L @15, people"][key] == pytest.approx(people)
        marks = paper.score(FIXED["KL-Divergence"](paper), Budget(sentences=15))["ROUGE-L"]
        assert scores["ROUGE-L @15, marked"][key] == pytest.approx(marks)


def test_agreement_is_tau_with_a_jackknife_over_papers() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((7, 5)), rng.random((7, 5))
    estimate = references.tau_over_topics(x, y)
    assert estimate.effect == pytest.approx(stats.kendalltau(x.mean(0), y.mean(0)).statistic)
    left = [np.delete(np.arange(7), i) for i in range(7)]
    without = [stats.kendalltau(x[k].mean(0), y[k].mean(0)).statistic for k in left]
    assert estimate.error == pytest.approx(np.std(without) * 6**0.5)


@pytest.mark.open_data
def test_the_test_set_of_citation_integrity(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("citation-integrity-annotations")
    corpus = profiles.load("citation-integrity")
    papers = impact_set(corpus, 1).papers
    gold = [len(paper.gold) for paper in papers]
    assert (len(gold), min(gold), float(np.median(gold)), max(gold)) == (10, 30, 49, 92)
    assert len(impact_set(corpus).papers) == 6
    votes = [paper.votes for paper in papers]
    marked = [(of_one > 0).sum() for of_one in votes if of_one is not None]
    assert any(number < size for number, size in zip(marked, gold, strict=True))
