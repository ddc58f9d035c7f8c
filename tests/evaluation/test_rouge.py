"""ROUGE, checked by hand and against a counter of n-grams written here."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.errors import ParameterError
from citectx.evaluation import Scores, rouge

texts = st.lists(st.sampled_from("the a cell cells divides rest p53".split()), max_size=25).map(" ".join)


def ngram_scores(candidate, reference, n):
    """ROUGE-N by its definition: clipped matches over the n-grams of each side."""
    sides = [text.split() for text in (candidate, reference)]
    found, expected = (Counter(zip(*(words[i:] for i in range(n)), strict=False)) for words in sides)
    hits = (found & expected).total()
    precision, recall = hits / max(found.total(), 1), hits / max(expected.total(), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


@given(texts, texts)
def test_rouge_n_equals_clipped_ngram_counts(candidate, reference):
    scores = rouge(candidate, [reference], kinds=["rouge1", "rouge2", "rouge3", "rouge4"])
    for n in (1, 2, 3, 4):
        assert scores[f"rouge{n}"] == pytest.approx(ngram_scores(candidate, reference, n))


def test_precision_is_of_the_candidate_and_recall_of_the_reference_worked_by_hand():
    # Clipped unigrams: the 1, cell 1 -> 2 hits of 5 and of 3; bigrams: "the cell" -> 1 of 4 and of 2.
    scores = rouge("the the cell divides now", ["the cell rests"], kinds=["rouge1", "rouge2", "rouge3"])
    assert scores["rouge1"] == pytest.approx((2 / 5, 2 / 3, 1 / 2))
    assert scores["rouge2"] == pytest.approx((1 / 4, 1 / 2, 1 / 3))
    assert scores["rouge3"] == (0, 0, 0)


def test_rouge_lsum_takes_the_union_of_subsequences_over_lines_worked_by_hand():
    # One line shares "red cells oxygen" in order, the other "red blood": together 4 of 5 words, 4 of 7.
    reference, lines = "red blood cells carry oxygen", "red cells use oxygen\nred blood flows"
    scores = rouge(lines, [reference], kinds=["rougeLsum"])["rougeLsum"]
    assert scores == pytest.approx((4 / 7, 4 / 5, 2 / 3))
    one_line = rouge(lines.replace("\n", " "), [reference], kinds=["rougeLsum"])["rougeLsum"]
    assert one_line == pytest.approx((3 / 7, 3 / 5, 1 / 2))


def test_mean_and_best_over_references_worked_by_hand():
    references = ["a b", "a b c d", "x"]  # P, R, F: 1/2, 1, 2/3; 1, 1, 1; 0, 0, 0
    mean = rouge("a b c d", references, kinds=["rouge1"])["rouge1"]
    assert mean == pytest.approx(Scores(1 / 2, 2 / 3, 5 / 9))
    assert rouge("a b c d", references, kinds=["rouge1"], multi="best")["rouge1"] == (1, 1, 1)


def test_best_chooses_by_f_for_each_kind_on_its_own():
    # One reference shares the words, the other the one bigram.
    references = ["d c b a", "a b x y"]
    scores = rouge("a b c d", references, kinds=["rouge1", "rouge2"], multi="best")
    assert scores["rouge1"].f1 == 1
    assert scores["rouge2"] == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_case_and_punctuation_do_not_matter_and_stemming_is_by_choice():
    assert rouge("Cells, divided!", ["cells divided"])["rouge2"].f1 == 1
    assert rouge("dividing cell", ["divided cells"])["rouge1"].f1 == 0
    assert rouge("dividing cell", ["divided cells"], stem=True)["rouge1"].f1 == 1


def test_texts_seen_before_and_scored_with_other_kinds_or_stemming_keep_their_scores():
    candidate, references = "cells divided", ["cell divides", "cells divided"]
    first = rouge(candidate, references)
    rouge(candidate, references, stem=True)
    rouge(candidate, references, kinds=["rougeLsum"])
    assert rouge(candidate, references) == first


def test_a_text_without_tokens_scores_0():
    for candidate, reference in [("", "a b"), ("a b", " ... "), ("", "")]:
        scores = rouge(candidate, [reference], kinds=["rouge1", "rouge2", "rougeLsum"])
        assert set(scores.values()) == {(0, 0, 0)}


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="unknown kind of ROUGE 'rougeW'; known: 'rouge1'"):
        rouge("a", ["a"], kinds=["rougeW"])
    with pytest.raises(
        ParameterError, match="unknown way to combine references 'max'; known: 'best', 'mean'"
    ):
        rouge("a", ["a"], multi="max")
    with pytest.raises(ParameterError, match="at least one reference"):
        rouge("a", [])
