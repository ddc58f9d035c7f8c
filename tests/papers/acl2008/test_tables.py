"""The tables of acl2008 on the teaching corpus, and numbers of the open corpora."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import profiles
from citectx.corpora import Corpus, Topic
from citectx.errors import DataError, ParameterError
from citectx.evaluation import rouge
from citectx.experiments.results import Result
from citectx.ledger import Results, check, load
from citectx.papers.acl2008 import sensitivity as acl2008_sensitivity
from citectx.papers.acl2008 import show as plotting_impact
from citectx.papers.acl2008 import table1 as acl2008_table1
from citectx.papers.acl2008 import table3 as acl2008_table3
from citectx.papers.acl2008 import table4 as acl2008_table4
from citectx.papers.acl2008.citations import by_citations
from citectx.papers.acl2008.impact_set import (
    ImpactProtocol,
    ImpactSet,
    impact_set,
    protocol_of,
    with_authority,
)
from citectx.papers.acl2008.methods import (
    FIXED,
    mead_cite_to_doc,
    measure,
    measure_models,
    random_order,
    reciprocal_ranks,
)
from citectx.summarization import Budget, summary
from citectx.summarization.impact import ImpactModel, raised_words
from tests.papers import scores_of

TEN = Budget(sentences=10)


@pytest.fixture(scope="module")
def teaching() -> ImpactSet:
    return impact_set(profiles.load("teaching"))


@pytest.fixture(scope="module")
def curves(teaching: ImpactSet) -> Result:
    return acl2008_sensitivity.run([teaching], [15], readings=False)


def test_scores_are_rouge_of_the_chosen_text(teaching: ImpactSet) -> None:
    paper = teaching.papers[0]
    for name in ("LEAD", "MEAD-Doc+Cite", "KL-Divergence"):
        chosen = list(FIXED[name](paper))[:5]
        text = "\n".join(" ".join(paper.texts[i].split()) for i in chosen)
        gold = "\n".join(" ".join(s.split()) for s in paper.gold)
        expected = rouge(text, [gold], ["rouge1", "rougeLsum"])
        found = paper.score(chosen)
        assert found["ROUGE-1"] == pytest.approx(expected["rouge1"].recall)
        assert found["ROUGE-L P"] == pytest.approx(expected["rougeLsum"].precision)
        assert found["ROUGE-L F"] == pytest.approx(expected["rougeLsum"].f1)


def test_summaries_of_equal_words_are_cut_where_rouge_would_see_them_end(
    teaching: ImpactSet,
) -> None:
    paper = teaching.papers[1]
    chosen = list(FIXED["KL-Divergence"](paper))
    budget = Budget(words=100)
    text = summary(paper.pool, chosen, budget)
    gold = "\n".join(" ".join(s.split()) for s in paper.gold)
    expected = rouge(text, [gold], ["rouge1", "rougeLsum"])
    found = measure(paper, FIXED["KL-Divergence"], [budget])
    assert len(text.split()) == 100
    assert found["ROUGE-1 @100 words"] == pytest.approx(expected["rouge1"].recall)
    assert found["ROUGE-L P @100 words"] == pytest.approx(expected["rougeLsum"].precision)


def test_longest_and_the_oracle_at_their_own_game(teaching: ImpactSet) -> None:
    result = acl2008_table1.run([teaching], ["Longest", "LEAD", "KL-Divergence", "greedy oracle"])
    scores = scores_of(result).set_index(["topic", "method"])
    for paper in teaching.papers:
        own = scores.loc[[paper.topic.topic_id]].droplevel("topic")
        names = [str(column) for column in own.columns]
        recall = [name for name in names if name.startswith(("ROUGE-1 @", "ROUGE-L @"))]
        assert len(recall) == 12
        total = own[[c for c in recall if "@3" in c]].sum(axis=1)
        assert total["greedy oracle"] == total.max()
        means = own[recall].mean(axis=1)
        assert means["greedy oracle"] > means["KL-Divergence"]
        longest = [len(paper.texts[i].split()) for i in FIXED["Longest"](paper)]
        assert longest == sorted(longest, reverse=True)


def test_readings_count_the_papers_as_a_set_of_their_own_would(teaching: ImpactSet) -> None:
    for changed in ({"stem": True}, {"window": 0}, {"window": 4}, {"strip_markers": False}):
        anew = impact_set(teaching.corpus, replace(teaching.protocol, **changed))
        for paper, other in zip(teaching.recounted(**changed), anew.papers, strict=True):
            assert ImpactModel().scores(paper) == pytest.approx(
                ImpactModel().scores(other.cited), rel=1e-12
            )
            assert paper.citing == other.cited.citing
    with pytest.raises(ParameterError, match="window=9"):
        teaching.recounted(window=9)


def test_votes_and_picked_by_hand(teaching: ImpactSet) -> None:
    paper = replace(
        teaching.papers[0],
        votes=np.array([0, 3, 1, 2] + [0] * 200)[: len(teaching.papers[0].votes)],
    )
    scores = paper.score([0, 1, 2])
    assert scores["votes"] == pytest.approx(4 / 6)
    assert scores["picked"] == pytest.approx(2 / 3)
    assert paper.score([])["picked"] == 0.0


def test_random_is_the_mean_over_seeds(teaching: ImpactSet) -> None:
    result = acl2008_table1.run([teaching], ["Random", "LEAD"], [3], seeds=7, seed=2)
    own = scores_of(result)[scores_of(result)["method"] == "Random"].set_index("topic")[
        "ROUGE-L @3"
    ]
    for paper in teaching.papers[:2]:
        drawn = [
            paper.score(np.random.default_rng(s).permutation(len(paper.votes))[:3].tolist())[
                "ROUGE-L"
            ]
            for s in range(2, 9)
        ]
        assert own[paper.topic.topic_id] == pytest.approx(np.mean(drawn))
    assert list(random_order(paper, 1)) != list(random_order(paper, 2))


def test_table1(teaching: ImpactSet, tmp_path: Path) -> None:
    result = acl2008_table1.run([teaching], seeds=5, folds=3)
    table = result.table[result.table["method"] != "test set"]
    assert set(table["method"]) == set(acl2008_table1.METHODS)
    means = scores_of(result).groupby("method")["ROUGE-1 @10"].mean()
    own = table[table["metric"] == "ROUGE-1 @10"].set_index("method")
    assert own["value"].to_dict() == pytest.approx(means.to_dict())
    assert ((own["ci_low"] <= own["value"]) & (own["value"] <= own["ci_high"])).all()
    best = own.loc[["Random", "LEAD", "MEAD-Doc", "MEAD-Doc+Cite"], "value"].idxmax()
    assert own["p_value"].isna().to_dict() == {m: m == best for m in own.index}
    size = result.table[result.table["method"] == "test set"].set_index("metric")["value"]
    gold = teaching.sizes()["gold"]
    assert size.to_dict() == {
        "papers": 5, "gold min": gold.min(), "gold median": gold.median(), "gold max": gold.max(),
    }  # fmt: skip
    result.write(tmp_path)
    some = ["Random", "MEAD-Doc", "KL-Divergence"]
    again = acl2008_table1.run([teaching], some, seeds=5, folds=3)
    scores = scores_of(result)
    own = scores[scores["method"].isin(some)]
    pd.testing.assert_frame_equal(scores_of(again), own.reset_index(drop=True), check_exact=True)
    verdicts = check(load("acl2008"), Results(tmp_path)).set_index("id")
    assert verdicts.loc["impact-model-beats-baselines", "verdict"] == "inconclusive"  # five topics


def test_tables_3_and_4_and_sensitivity_agree_where_they_share_a_setting(
    teaching: ImpactSet, curves: Result
) -> None:
    third = acl2008_table3.run([teaching], [15], folds=3)
    fourth = acl2008_table4.run([teaching], [15])
    first = acl2008_table1.run([teaching], ["KL-Divergence"], [15])

    def value(result: Result, method: str, metric: str = "ROUGE-L @15") -> float:
        rows = result.table.set_index(["method", "metric"])["value"]
        return float(rows[method, metric])

    published = value(first, "KL-Divergence")
    same = [value(third, "ConstCoef"), value(curves, "delta=0.8"), value(curves, "mu_s=1000")]
    same += [value(curves, "alpha=3"), value(curves, "as published")]
    assert same == pytest.approx([published] * 5)
    assert value(third, "Dirichlet") == pytest.approx(value(curves, "mu_c=20000"))
    assert value(third, "P(w|d)") == pytest.approx(value(curves, "delta=0"))
    assert value(third, "P(w|d)") == pytest.approx(value(curves, "mu_c=0"))
    assert value(third, "P(w|C)") == pytest.approx(value(curves, "delta=1"))
    assert value(fourth, "pg on, pr 3") == pytest.approx(published)
    assert value(fourth, "pg on, pr off") == pytest.approx(value(curves, "alpha=1"))


def test_tuning_never_looks_at_the_paper_that_is_scored(teaching: ImpactSet) -> None:
    result = acl2008_table3.run([teaching], [10], folds=len(teaching.papers))
    variants = acl2008_table3.TUNED["ConstCoef (tuned)"]
    scores = np.array(
        [[m["ROUGE-L @10"] for m in measure_models(p, variants, [TEN])] for p in teaching.papers]
    )
    expected = [
        own[np.argmax(np.delete(scores, i, axis=0).mean(axis=0).round(9))]
        for i, own in enumerate(scores)
    ]
    rows = scores_of(result)[scores_of(result)["method"] == "ConstCoef (tuned)"]
    assert rows["ROUGE-L @10"].tolist() == pytest.approx(expected)


def test_without_a_network_authority_changes_nothing(teaching: ImpactSet) -> None:
    on, off = ImpactModel(), ImpactModel(use_authority=False)
    for paper in teaching.papers:
        first, second = measure_models(paper, [on, off], [TEN], with_authority(paper.cited, {}))
        assert first == second


def test_footnote_5_gives_sentences_of_the_paper_each_once(teaching: ImpactSet) -> None:
    for paper in teaching.papers:
        order = list(mead_cite_to_doc(paper))
        assert len(set(order)) == len(order) > 0
        assert max(order) < len(paper.votes)


def test_reciprocal_ranks_by_hand() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [0.0, 5.0, 5.0], [1.0, 1.0, 1.0]])
    assert reciprocal_ranks(scores) == pytest.approx([1 + 1 / 3, 1 / 2 + 1, 1 / 3 + 1 / 2])


def test_a_summary_longer_than_the_paper_is_all_of_it(teaching: ImpactSet) -> None:
    paper = teaching.papers[0]
    everything = measure(paper, FIXED["LEAD"], [Budget(sentences=10_000), Budget(words=100_000)])
    expected = paper.score(range(len(paper.votes)))
    assert list(everything.values()) == [*expected.values()] * 2


def test_papers_are_left_out_with_a_reason() -> None:
    corpus = profiles.load("teaching")
    topic = corpus.topics[0]
    bare = tuple(replace(c, annotations=()) for c in topic.citances)
    odd = Topic("unmarked", topic.reference, bare, topic.citing)
    few = Topic("few", topic.reference, topic.citances[:2], topic.citing)
    found = impact_set(Corpus("teaching", (odd, few, topic)), ImpactProtocol(least_citances=3))
    assert found.left_out == {"unmarked": "no sentence is marked as cited", "few": "2 citances"}
    with pytest.raises(
        DataError, match="teaching: no paper for the test set: unmarked: no sentence"
    ):
        impact_set(Corpus("teaching", (odd,)))


def test_wrong_options() -> None:
    with pytest.raises(ParameterError, match="authority of ImpactProtocol 'fame'"):
        ImpactProtocol(authority="fame")
    with pytest.raises(ParameterError, match="least_citances=0"):
        ImpactProtocol(least_citances=0)
    with pytest.raises(ParameterError, match="unknown method 'MAED'"):
        acl2008_table1.run([], ["MAED"])


def test_what_the_notebook_shows(teaching: ImpactSet) -> None:
    paper = teaching.papers[0]
    summary = ImpactModel().choose(paper.cited, Budget(sentences=3))
    html = plotting_impact.show_impact(paper, summary, contexts=2).data
    assert html.count('class="own') == 3
    assert html.count("cosine") == 6
    [(context, cosine)] = paper.nearest(summary[0])
    own = len(paper.votes)
    owners = [c for c in paper.contexts for _ in c.sentences]
    row = paper.pool.similarity[summary[0], own:]
    assert context == owners[int(row.argmax())]
    assert cosine == pytest.approx(row.max())


def test_raised_words_and_figures(teaching: ImpactSet, curves: Result) -> None:
    paper = teaching.papers[0]
    words = raised_words(paper.cited, ImpactModel(), 5)
    place = {t: i for i, t in enumerate(paper.cited.paper.terms)}
    document = paper.cited.document_counts / paper.cited.document_counts.sum()
    impact = ImpactModel().model(paper.cited)
    gains = {
        w: impact[i] * np.log(impact[i] / document[i]) for w, i in place.items() if document[i] > 0
    }
    assert words["gain"].tolist() == pytest.approx(sorted(gains.values(), reverse=True)[:5])
    assert [gains[w] for w in words["word"]] == pytest.approx(words["gain"].tolist())
    figure = plotting_impact.raised_words(words, "raised")
    (ax,) = figure.axes
    assert [t.get_text() for t in ax.get_yticklabels()] == words["word"].tolist()
    assert ax.yaxis_inverted()
    both = words["document"].tolist() + words["impact"].tolist()
    assert np.asarray(ax.collections[-1].get_offsets())[:, 0].tolist() == pytest.approx(both)
    figure = plotting_impact.sensitivity(curves.extra["curves"], "ROUGE-L @15", "curves")
    assert len(figure.axes) == len(acl2008_sensitivity.GRIDS)
    table = acl2008_table1.run([teaching], ["LEAD"], [3, 5]).table
    figure = plotting_impact.by_length(
        table, {("LEAD", "ROUGE-L @3"): 0.2}, ["LEAD"], "ROUGE-L", "lengths"
    )
    assert [ax.get_title() for ax in figure.axes] == ["paper (ACL 2008)", "teaching"]


@pytest.mark.open_data
def test_the_test_set_of_citation_integrity(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("citation-integrity-annotations")
    corpus = profiles.load("citation-integrity")
    sizes = impact_set(corpus, ImpactProtocol(least_citances=1)).sizes()
    gold = sizes["gold"]
    assert (len(sizes), gold.min(), gold.median(), gold.max()) == (10, 30, 49, 92)
    assert len(impact_set(corpus).papers) == 6
    assert sizes["out_of_reach"].sum() > 0


@pytest.mark.parametrize(("cited", "least"), [(6, 20), (5, 1)])
def test_twenty_citations_where_six_papers_have_as_many(cited: int, least: int) -> None:
    topic = profiles.load("teaching")["D9001_TEACH"]
    citances = tuple(replace(topic.citances[0], citance_id=str(i)) for i in range(20))
    topics = [
        replace(topic, topic_id=f"t{i}", citances=citances[: 20 if i < cited else 19])
        for i in range(8)
    ]
    assert protocol_of(Corpus("any", tuple(topics))).least_citances == least


def test_headline_rows_at_either_number_of_citations(teaching: ImpactSet) -> None:
    topics = [paper.topic for paper in teaching.papers]
    often = tuple(replace(topics[0].citances[0], citance_id=str(i)) for i in range(20))
    cited = [replace(t, citances=often) if i < 2 else t for i, t in enumerate(topics)]
    of = replace(teaching, corpus=Corpus("any", tuple(cited)))
    rows = [
        {"topic": t.topic_id, "method": name, "ROUGE-L @15": value}
        for i, t in enumerate(cited)
        for name, value in (("KL-Divergence", i), ("Longest", 1.0))
    ]
    found = by_citations(of, pd.DataFrame(rows)).set_index("at_least")
    assert found["papers"].to_dict() == {20: 2, 1: 5}
    assert found["effect"].to_dict() == pytest.approx({20: -0.5, 1: 1.0})
    assert float(found["ci_high"][1]) - 1 == pytest.approx(2.7764 * (2.5 / 5) ** 0.5, abs=1e-3)
    assert found["in_tables"].to_dict() == {20: False, 1: True}
