"""Step diagrams show the numbers of the algorithm, and are the same bytes twice."""

import re
from math import exp

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

mpl.use("Agg")

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import prepare
from citectx.language.spans import select
from citectx.papers.naacl2015 import table2
from citectx.retrieval import LMD, VSM
from citectx.show import lessons, plotting, steps


def test_urns_end_in_the_likelihood_of_the_word(teaching: Corpus) -> None:
    one = lessons.work_through(teaching, "D9003_TEACH", "8")
    sentences = {"right": one.sentences[33], "wrong": one.sentences[51]}
    borrowed = 100 * one.article.count("lymphocytes") / len(one.article)
    drawn = [
        steps.urns(sentences, lambda own: own == "lymphocytes", "lymphocytes", borrowed, "Urns")
        for _ in range(2)
    ]
    assert drawn[0].data == drawn[1].data
    scores = one.scores(LMD(mu=100))  # of one word: the article has no other of the query
    likely = [f"{100 * exp(scores[i]):.2f}" for i in (33, 51)]
    assert re.findall(r"= (\d\.\d\d) %", drawn[0].alt) == likely


def test_the_way_of_a_climb_is_told_change_by_change() -> None:
    path = [(np.array([1.0, 1.0]), 0.5), (np.array([1.0, 0.0]), 0.75), (np.array([7.0, 0.0]), 1.0)]
    picture = steps.climb(path, ["Bac", "Con"], "A climb")
    told = "step 1: Con from 1 to 0 (0.750); step 2: Bac from 1 to 7 (1.000)."
    assert picture.alt == f"A climb. From 0.500; {told}"


def test_shares_are_of_the_text_and_of_the_summary() -> None:
    picture = steps.shares({"a": 3, "b": 1}, {"Step 1": {"b": 1}, "Step 2": {"a": 1, "b": 1}}, "KL")
    assert picture.alt.endswith(
        "Step 1: a 75 and 0, b 25 and 100. Step 2: a 75 and 50, b 25 and 50."
    )


@pytest.mark.parametrize("depth", [3, 20])
def test_merged_windows_are_those_that_are_returned(teaching: Corpus, depth: int) -> None:
    prepared = prepare(teaching, table2.PROTOCOL)[0]
    scores = prepared.scores(VSM(tf="log"))[0]
    gold = prepared.citances[0].gold
    picture = steps.merging(prepared, scores, gold, [depth], "Windows")
    found = select(prepared.candidates, scores, 3, depth)
    size = sum(end - start for start, end in prepared.candidates.spans(found))
    assert f"{depth} windows are found, {len(found)} returned: {size:,} characters" in picture.alt


def test_the_impact_model_says_who_is_loudest_and_what_is_chosen() -> None:
    words = {"kidney": (0.1, 0.3, 0.26), "cell": (0.2, 0.0, 0.04)}
    heard = {"A": 1.0, "B": 2.5}
    picture = steps.impact(heard, words, np.array([0.1, 0.4, 0.2]), [1], "Impact")
    assert "B speaks loudest, 2.5 times" in picture.alt
    assert picture.alt.endswith("sentences 1 are chosen.")


def test_a_saved_figure_says_where_it_is() -> None:
    figure, _ = plt.subplots()
    image = plotting.picture(plotting.finish(figure, "A title"), filename="a.png")
    assert image._data_and_metadata()[1]["filename"] == "a.png"
