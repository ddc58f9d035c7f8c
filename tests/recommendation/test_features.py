"""What the classifier sees, against hand-worked cases and plain loops."""

from itertools import pairwise

import numpy as np
import pytest

from citectx.corpora.coresc import Paper, Sentence
from citectx.embeddings import open_vectors
from citectx.recommendation.features import (
    BITS,
    HEADING_BITS,
    NEAR_BITS,
    VECTORS,
    Tokens,
    bags,
    meanings,
    places,
)
from citectx.recommendation.networks import INPUT, on_grid
from citectx.recommendation.zones import ZONES, zones


def paper(*sentences: Sentence) -> Paper:
    return Paper("p", sentences)


class Bags:
    """The blocks of `bags` apart."""

    def __init__(self, papers: list[Paper], near: tuple[float, ...] = ()) -> None:
        matrix = bags(papers, Tokens.of(papers), near_weights=near)
        ends = np.cumsum(
            [0, 1 << BITS, 1 << BITS, 1 << HEADING_BITS, *[1 << NEAR_BITS] * 2 * len(near)]
        )
        blocks = [matrix[:, a:b] for a, b in pairwise(ends.tolist())]
        self.ngrams, self.prefixes, self.headings, *self.near = blocks


def test_citation_markers_are_one_token_and_numbers_are_alike() -> None:
    texts = (
        "Cells rest [3,7-9].",
        "Cells rest [CIT] .",
        "Cells rest (Doe et al., 2001; Roe, 2002).",
    )
    matrix = Bags([paper(*(Sentence(t) for t in texts))]).ngrams.toarray()
    assert (matrix[0] == matrix[1]).all()
    assert (matrix[0] == matrix[2]).all()
    numbers = Bags([paper(Sentence("in 12 cells"), Sentence("in 7.5 cells"))]).ngrams.toarray()
    assert (numbers[0] == numbers[1]).all()


def test_rows_have_length_one_and_count_different_ngrams() -> None:
    matrix = Bags([paper(Sentence("Cells rest."), Sentence("The cells were stained."))]).ngrams
    np.testing.assert_allclose(np.sqrt(matrix.multiply(matrix).sum(axis=1)), 1, rtol=1e-6)
    # ("\n", cells, rest, .) has 4 words and 3 pairs; of the skeleton ("\n" and "." at least) as
    # many again as verbs allow: counted by hand with the same tagger below.
    found = Tokens.of([paper(Sentence("Cells rest."), Sentence("Flies."))])
    assert found.sentence.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert found.is_boundary.tolist() == [True, False, False, False, True, False, False]


def test_ngrams_do_not_cross_sentences() -> None:
    both = Bags([paper(Sentence("Cells rest."), Sentence("Flies move."))]).ngrams.toarray()
    alone = [Bags([paper(Sentence(t))]).ngrams.toarray()[0] for t in ("Cells rest.", "Flies move.")]
    np.testing.assert_array_equal(both, alone)


def test_tense_and_voice_are_shared_by_sentences_with_other_words() -> None:
    texts = ("Cells were stained by us.", "Films were coated by us.", "Films coat us.")
    a, b, c = Bags([paper(*(Sentence(t) for t in texts))]).ngrams
    assert (a.multiply(b)).nnz > (b.multiply(c)).nnz


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
    body = [Sentence("x", heading=h, section=i, paragraph=i) for i, h in enumerate(headings)]
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


def test_places_agree_with_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(5):
        n = int(rng.integers(1, 30))
        paragraph = np.sort(rng.integers(0, 6, n))
        made.append(
            paper(
                *(Sentence("a b [2] c", paragraph=int(p), section=int(p) // 2) for p in paragraph)
            )
        )
    indicators, measures = places(made, Tokens.of(made))
    row = 0
    for each in made:
        for i, sentence in enumerate(each.sentences):
            mates = [j for j, s in enumerate(each.sentences) if s.paragraph == sentence.paragraph]
            assert measures[row, 0] == pytest.approx(i / len(each), abs=1e-4)
            assert measures[row, 2] == pytest.approx(mates.index(i) / len(mates), abs=1e-4)
            assert measures[row, 4] == pytest.approx(4 / 80, abs=1e-4)
            assert measures[row, 5] == 1 / 4
            assert indicators[row].nnz == 17
            assert indicators[row, ZONES.index("introduction")] == 1
            row += 1


def test_neighbours_are_those_of_the_same_paper() -> None:
    papers = [paper(Sentence("alpha"), Sentence("beta")), paper(Sentence("gamma"))]
    before, behind, far_before, far_behind = Bags(papers, near=(0.5, 0.25)).near
    assert far_before.nnz == far_behind.nnz == 0
    lone = Bags([paper(Sentence("beta"), Sentence("alpha"), Sentence("beta"))], near=(0.5,)).near
    assert abs(behind[0] - lone[1][1]).nnz == 0  # "beta" is behind
    assert abs(before[1] - lone[0][2]).nnz == 0  # "alpha" is before
    assert [m.getnnz(axis=1).tolist() for m in (before, behind)] == [[0, 2, 0], [2, 0, 0]]
    np.testing.assert_allclose(np.sqrt(before[1].multiply(before[1]).sum()), 0.5)


def test_endings_do_not_count_among_first_letters() -> None:
    a, b, c = Bags(
        [paper(Sentence("activated"), Sentence("activation"), Sentence("acting"))]
    ).prefixes
    assert abs(a - b).nnz == 0
    assert abs(a - c).nnz > 0
    heads = Bags(
        [paper(Sentence("x", heading="1. Data Set"), Sentence("x", heading="data set"))]
    ).headings
    assert abs(heads[0] - heads[1]).nnz == 0


def test_meanings_agree_with_a_plain_loop() -> None:
    texts = ["Cells were cell-qwzx cells.", "Qwzx 12.", "The cat sat."]
    found = meanings(Tokens.of([Paper("p", tuple(Sentence(t) for t in texts))]))
    words = [["cells", "were", "cells"], ["qwzx"], ["the", "cat", "sat"]]
    expected = []
    for own in words:
        blocks = []
        for name in VECTORS:
            vectors = open_vectors(name)
            total = np.zeros(vectors.dimensions)
            for word in own:
                if word in vectors.index:
                    row = vectors.matrix[vectors.index[word]].astype(np.float64)
                    total += np.log(vectors.index[word] + 3) * row / np.linalg.norm(row)
            blocks.append(total / (np.linalg.norm(total) or 1))
        expected.append(np.concatenate(blocks))
    np.testing.assert_allclose(found, expected, atol=2e-3)
    np.testing.assert_array_equal(found, on_grid(found, INPUT))
    assert not found[1].any()
