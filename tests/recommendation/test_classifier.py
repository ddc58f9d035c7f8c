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
        classes = rng.choice(list(WORDS), 5).tolist()
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
    title, rest = Sentence("On rest", "title"), Sentence("So.", heading="Results")
    other = Paper("b", (Sentence("Six words are in this one."),))
    table = columns([Paper("a", (title, Sentence(long), rest)), other])
    assert table["text"].tolist() == ["On rest", long, "So.", "Six words are in this one."]
    assert table["before"].tolist() == ["", "On rest", long, ""]
    assert table["after"].tolist() == [long, "So.", "", ""]
    assert table["heading"].tolist() == ["none", "none", "Results", "none"]
    assert table["zone"].tolist() == ["title", "introduction", "results", "introduction"]
    assert table["tenth"].tolist() == [0, 3, 6, 0]
    assert table["zone and tenth"].tolist()[1:3] == ["introduction 3", "results 6"]
    assert table["length"].tolist() == [0, 11, 0, 1]


def zones_of(*headings: str) -> list[str]:
    return zones(Paper("p", tuple(Sentence("x", heading=heading) for heading in headings)))


def test_zones_follow_headings_that_open_a_part() -> None:
    opening = Paper("p", (Sentence("t", "title"), Sentence("a", "abstract")))
    assert zones(opening) == ["title", "abstract"]
    assert zones_of("", "Introduction") == ["introduction", "introduction"]
    assert zones_of("2. Materials and Methods", "Statistics") == ["methods", "methods"]
    assert zones_of("RESULTS", "The gene X", "Conclusions") == ["results", "results", "conclusion"]
    odd = zones_of("Introduction", "Forces at rest", "Results")
    assert odd == ["introduction", "other", "results"]


def test_the_same_words_may_head_subsections_of_two_parts() -> None:
    above = {("Methods",): "Mice", ("Results", "Rest"): "Rats", ("Discussion",): "Rats"}
    sentences = [Sentence("x", heading=heading, above=parts) for parts, heading in above.items()]
    assert zones(Paper("p", tuple(sentences))) == ["methods", "results", "discussion"]
