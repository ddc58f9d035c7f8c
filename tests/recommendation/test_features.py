"""What the classifier sees, against hand-worked cases and plain loops."""

import numpy as np

from citectx.corpora.coresc import Paper, Sentence
from citectx.embeddings import open_vectors
from citectx.recommendation import features
from citectx.recommendation.features import (
    VECTORS,
    ZONES,
    Bags,
    bags,
    meanings,
    neighbours,
    places,
    tokens,
    zones,
)


def paper(*sentences: Sentence) -> Paper:
    return Paper("p", sentences)


def hashed(papers: list[Paper]) -> Bags:
    return bags(papers, *tokens(papers))


def test_citation_markers_are_one_token_and_numbers_are_alike() -> None:
    texts = ("Cells rest [3,7-9].", "Cells rest [CIT] .", "Cells rest (Doe et al., 2001; Roe, 2002).")
    matrix = hashed([paper(*(Sentence(t) for t in texts))]).ngrams.toarray()
    assert (matrix[0] == matrix[1]).all()
    assert (matrix[0] == matrix[2]).all()
    numbers = hashed([paper(Sentence("in 12 cells"), Sentence("in 7.5 cells"))]).ngrams.toarray()
    assert (numbers[0] == numbers[1]).all()


def test_rows_have_length_one_and_count_different_ngrams() -> None:
    matrix = hashed([paper(Sentence("Cells rest."), Sentence("The cells were stained."))]).ngrams
    np.testing.assert_allclose(np.sqrt(matrix.multiply(matrix).sum(axis=1)), 1, rtol=1e-6)
    # ("\n", cells, rest, .) has 4 words and 3 pairs; of the skeleton ("\n" and "." at least) as many again as
    # verbs allow: counted by hand with the same tagger below.
    types, rows = tokens([paper(Sentence("Cells rest."))])
    assert len(types) == 5
    assert rows.tolist() == [0, 0, 0, 0, 1]


def test_ngrams_do_not_cross_sentences() -> None:
    both = hashed([paper(Sentence("Cells rest."), Sentence("Flies move."))]).ngrams.toarray()
    alone = [hashed([paper(Sentence(t))]).ngrams.toarray()[0] for t in ("Cells rest.", "Flies move.")]
    np.testing.assert_array_equal(both, alone)


def test_tense_and_voice_are_shared_by_sentences_with_other_words() -> None:
    texts = ("Cells were stained by us.", "Films were coated by us.", "Films coat us.")
    a, b, c = hashed([paper(*(Sentence(t) for t in texts))]).ngrams
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
    odd = zones(paper(*(Sentence("x", heading=h) for h in ("Introduction", "Forces at rest", "Results"))))
    assert odd == ["introduction", "other", "results"]


def test_places_agree_with_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(5):
        n = int(rng.integers(1, 30))
        paragraph = np.sort(rng.integers(0, 6, n))
        made.append(paper(*(Sentence("a b [2] c", paragraph=int(p), section=int(p) // 2) for p in paragraph)))
    indicators, measures = places(made, *tokens(made))
    row = 0
    for each in made:
        for i, sentence in enumerate(each.sentences):
            mates = [j for j, s in enumerate(each.sentences) if s.paragraph == sentence.paragraph]
            assert measures[row, 0] == np.float32(i / len(each))
            assert measures[row, 2] == np.float32(mates.index(i) / len(mates))
            assert measures[row, 4] == np.float32(4 / 80)
            assert measures[row, 5] == np.float32(1 / 4)
            assert indicators[row].nnz == 17
            assert indicators[row, ZONES.index("introduction")] == 1
            row += 1


def test_neighbours_are_those_of_the_same_paper() -> None:
    papers = [paper(Sentence("alpha"), Sentence("beta")), paper(Sentence("gamma"))]
    words = hashed(papers).words
    near = (
        neighbours(words, papers, (0.5, 0.25)).toarray().reshape(3, 4, -1)
    )  # before, behind; 1, then 2 away
    expected = np.zeros_like(near)
    expected[0, 1] = 0.5 * words[1].toarray()
    expected[1, 0] = 0.5 * words[0].toarray()
    np.testing.assert_array_equal(near, expected)


def test_endings_do_not_count_among_first_letters() -> None:
    a, b, c = hashed([paper(Sentence("activated"), Sentence("activation"), Sentence("acting"))]).prefixes
    assert (a != b).nnz == 0
    assert (a != c).nnz > 0
    heads = hashed([paper(Sentence("x", heading="1. Data Set"), Sentence("x", heading="data set"))]).headings
    assert (heads[0] != heads[1]).nnz == 0


def test_meanings_agree_with_a_plain_loop() -> None:
    texts = ["Cells were cell-free cells.", "Qwzx 12.", "The cat sat."]
    found = meanings(*tokens([Paper("p", tuple(Sentence(t) for t in texts))]))
    words = [["cells", "were", "cell", "free", "cells"], ["qwzx"], ["the", "cat", "sat"]]
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
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not found[1].any()


def test_nothing_hangs_on_what_was_seen_before() -> None:
    papers = [Paper("a", (Sentence("Lung cells of mice rest."), Sentence("The liver cells of rats grow.")))]
    outputs = []
    for before in (papers, [Paper("b", (Sentence("Rest, rats of mice! Grow cells of the liver, lung"),))]):
        features._types.cache_clear()
        tokens(before)
        types, rows = tokens(papers)
        outputs.append((meanings(types, rows).tobytes(), bags(papers, types, rows).ngrams.data.tobytes()))
    assert outputs[0] == outputs[1]
