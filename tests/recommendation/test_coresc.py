"""The classifier on planted classes, the columns that it sees, and what it refuses."""

import numpy as np
import pytest

from citectx.corpora.coresc import Paper, Sentence
from citectx.errors import ParameterError
from citectx.recommendation.coresc import CoreSCClassifier, columns
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


@pytest.fixture(scope="module")
def model() -> CoreSCClassifier:
    return CoreSCClassifier().fit(*planted(60, seed=1))


def test_words_and_places_are_learnt(model: CoreSCClassifier) -> None:
    papers, labels = planted(30, seed=2)
    found = model.predict(papers)
    assert np.mean(np.array(found) == np.array(labels)) > 0.97
    assert {own[-1] for own in found} == {"Con"}


def test_papers_do_not_influence_each_other(model: CoreSCClassifier) -> None:
    papers, _ = planted(4, seed=4)
    empty = Paper("empty", ())
    assert model.predict([*papers, empty]) == [*(model.predict([p])[0] for p in papers), ()]


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


def test_what_it_refuses() -> None:
    papers, labels = planted(4, seed=6)
    wrong: dict[str, list[tuple[str, ...]]] = {
        r"unknown class in paper 'p6-0'.*'Bug'": [("Bug", *labels[0][1:]), *labels[1:]],
        "6 sentences, 5 labels": [labels[0][1:], *labels[1:]],
        "inconsistent numbers of samples": labels[1:],
        "training needs two classes": [("Bac",) * 6] * 4,
    }
    for message, given in wrong.items():
        with pytest.raises(ParameterError, match=message):
            CoreSCClassifier().fit(papers, given)
    with pytest.raises(ParameterError, match="words that three sentences have"):
        CoreSCClassifier().fit([Paper("p", (Sentence("A b"), Sentence("C")))], [("Bac", "Con")])
    with pytest.raises(ParameterError, match="'empty': 0 sentences, 0 labels"):
        CoreSCClassifier().fit([Paper("empty", ())], [()])
    with pytest.raises(ParameterError, match="not trained"):
        CoreSCClassifier().predict(papers)


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
