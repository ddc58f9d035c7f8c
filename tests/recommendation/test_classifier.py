"""The classifier on planted classes, the columns that it sees, and zones."""

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from citectx.corpora.coresc import Paper, Sentence
from citectx.recommendation.classifier import columns, pipeline
from citectx.recommendation.zones import zones

WORDS = {
    "Bac": "It is known that cells {}.",
    "Met": "We have {} the cells.",
    "Res": "Cells were {} in flies.",
}


def planted(papers: int, seed: int) -> tuple[list[Paper], list[tuple[str, ...]]]:
    """Papers of six sentences: words tell Bac, Met and Res; the last is Con by its place alone."""
    rng = np.random.default_rng(seed)
    made, labels = [], []
    for i in range(papers):
        classes = [str(c) for c in rng.choice(list(WORDS), 5)]
        texts = [WORDS[c].format(rng.choice(["stained", "moved", "changed"])) for c in classes]
        last = WORDS[str(rng.choice(list(WORDS)))].format("seen")
        sentences = [Sentence(t, heading="Results") for t in texts]
        sentences.append(Sentence(last, heading="Conclusions"))
        made.append(Paper(f"p{seed}-{i}", tuple(sentences)))
        labels.append((*classes, "Con"))
    return made, labels


def trained() -> Pipeline:
    papers, labels = planted(60, seed=1)
    return pipeline().fit(columns(papers), [label for own in labels for label in own])


def test_words_and_places_are_learnt() -> None:
    papers, labels = planted(30, seed=2)
    predicted = trained().predict(columns(papers)).reshape(30, 6)
    assert np.mean(predicted == np.array(labels)) > 0.97
    assert set(predicted[:, -1]) == {"Con"}


def test_papers_do_not_influence_each_other() -> None:
    papers, _ = planted(4, seed=4)
    together = columns([*papers, Paper("empty", ())])
    apart = pd.concat([columns([paper]) for paper in papers], ignore_index=True)
    pd.testing.assert_frame_equal(together, apart)


def test_columns_by_hand() -> None:
    long = " ".join(["word"] * 80)
    one = Paper(
        "a", (Sentence("On rest", "title"), Sentence(long), Sentence("So.", heading="Results"))
    )
    table = columns([one, Paper("b", (Sentence("Six words are in this one."),))])
    assert table["text"].tolist() == ["On rest", long, "So.", "Six words are in this one."]
    assert table["before"].tolist() == ["", "On rest", long, ""]
    assert table["after"].tolist() == [long, "So.", "", ""]
    assert table["heading"].tolist() == ["none", "none", "Results", "none"]
    assert table["zone"].tolist() == ["title", "introduction", "results", "introduction"]
    assert table["tenth"].tolist() == [0, 3, 6, 0]
    assert table["zone and tenth"].tolist()[1:3] == ["introduction 3", "results 6"]
    assert table["length"].tolist() == [0, 11, 0, 1]


def paper(*sentences: Sentence) -> Paper:
    return Paper("p", sentences)


def test_zones_follow_headings_that_open_a_part() -> None:
    headings = [
        "",
        "Introduction",
        "2. Materials and Methods",
        "Statistics",
        "RESULTS",
        "The gene X",
        "Conclusions",
    ]
    body = [Sentence("x", heading=h) for h in headings]
    found = zones(paper(Sentence("t", "title"), Sentence("a", "abstract"), *body))
    assert found == [
        *("title", "abstract", "introduction", "introduction", "methods", "methods"),
        *("results", "results", "conclusion"),
    ]
    odd = zones(
        paper(*(Sentence("x", heading=h) for h in ("Introduction", "Forces at rest", "Results")))
    )
    assert odd == ["introduction", "other", "results"]
    at_once = [
        Sentence("x", heading="Mice", above=("Methods",)),
        Sentence("x", heading="Rats", above=("Results", "Rest")),
    ]
    assert zones(paper(*at_once)) == ["methods", "results"]
    back = Sentence("x", heading="Rats", above=("Discussion",))
    assert zones(paper(at_once[1], back)) == ["results", "discussion"], (
        "the same words head another subsection"
    )
