"""ROUGE, by hand, and against a counter of n-grams, the Perl script and rouge-score."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from citectx import profiles
from citectx.errors import ParameterError
from citectx.evaluation import Scores, rouge
from citectx.evaluation.rouge import KINDS, Multi
from tests.evaluation import perl_rouge

CASES = perl_rouge.cases()
PINNED = pd.read_csv(perl_rouge.PINNED)
FIVE_DECIMALS = 1.5e-5  # Perl prints so many, and computes F from P and R that it has rounded

texts = st.lists(st.sampled_from("the a cell cells divides rest p53".split()), max_size=25).map(
    " ".join
)

lines = st.lists(texts, max_size=4).map("\n".join)


def ngram_scores(candidate: str, reference: str, n: int) -> tuple[float, float, float]:
    """ROUGE-N by its definition: clipped matches over the n-grams of each side."""
    sides = [text.split() for text in (candidate, reference)]
    found, expected = (
        Counter(zip(*(words[i:] for i in range(n)), strict=False)) for words in sides
    )
    hits = (found & expected).total()
    precision, recall = hits / max(found.total(), 1), hits / max(expected.total(), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


@given(texts, texts)
def test_rouge_n_equals_clipped_ngram_counts(candidate: str, reference: str) -> None:
    scores = rouge(candidate, [reference], kinds=["rouge1", "rouge2", "rouge3", "rouge4"])
    for n in (1, 2, 3, 4):
        assert scores[f"rouge{n}"] == pytest.approx(ngram_scores(candidate, reference, n))


def test_mean_and_best_over_references_worked_by_hand() -> None:
    references = ["a b", "a b c d", "x"]  # P, R, F: 1/2, 1, 2/3; 1, 1, 1; 0, 0, 0
    mean = rouge("a b c d", references, kinds=["rouge1"])["rouge1"]
    assert mean == pytest.approx(Scores(1 / 2, 2 / 3, 5 / 9))
    assert rouge("a b c d", references, kinds=["rouge1"], multi="best")["rouge1"] == (1, 1, 1)


def test_best_chooses_by_f_for_each_kind_on_its_own() -> None:
    # One reference shares the words, the other the one bigram.
    references = ["d c b a", "a b x y"]
    scores = rouge("a b c d", references, kinds=["rouge1", "rouge2"], multi="best")
    assert scores["rouge1"].f1 == 1
    assert scores["rouge2"] == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_case_and_punctuation_do_not_matter_and_nothing_is_stemmed() -> None:
    assert rouge("Cells, divided!", ["cells divided"])["rouge2"].f1 == 1
    assert rouge("dividing cell", ["divided cells"])["rouge1"].f1 == 0


def test_texts_seen_before_and_scored_with_other_kinds_keep_their_scores() -> None:
    candidate, references = "cells divided", ["cell divides", "cells divided"]
    first = rouge(candidate, references)
    rouge(candidate, references, kinds=["rougeLsum"])
    assert rouge(candidate, references) == first


def test_a_text_without_tokens_scores_0() -> None:
    for candidate, reference in [("", "a b"), ("a b", " ... "), ("", "")]:
        scores = rouge(candidate, [reference], kinds=["rouge1", "rouge2", "rougeLsum"])
        assert set(scores.values()) == {(0, 0, 0)}


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="unknown kind of ROUGE 'rougeW'; known: 'rouge1'"):
        rouge("a", ["a"], kinds=["rougeW"])
    with pytest.raises(ParameterError, match="references 'max'; known: 'best', 'mean', 'pooled'"):
        rouge("a", ["a"], multi="max")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at least one reference"):
        rouge("a", [])


def test_pooled_worked_by_hand() -> None:
    # Unigram hits 2, 2 of 4 in the candidate each time; 2 and 8 in the references.
    references = ["a b", "a b u v w x y z"]
    scores = rouge("a b c d", references, kinds=["rouge1"], multi="pooled")["rouge1"]
    assert scores == pytest.approx((4 / 8, 4 / 10, 4 / 9))


@given(lines, lines)
def test_every_kind_against_rouge_score(candidate: str, reference: str) -> None:
    expected = rouge_scorer.RougeScorer(KINDS).score(reference, candidate)
    assert rouge(candidate, [reference], KINDS) == {kind: tuple(expected[kind]) for kind in KINDS}


def agrees(row: Any, cases: Any) -> bool:
    """Compare with the counts that Perl gave, exactly, and with its rounded scores."""
    case = cases[row.case]
    scores = rouge(case["candidate"], case["references"], [row.kind], "pooled")[row.kind]
    rates = row.hits / max(row.candidate, 1), row.hits / max(row.references, 1)
    rounded = pytest.approx((row.precision, row.recall, row.f1), abs=FIVE_DECIMALS)
    return (scores.precision, scores.recall) == rates and tuple(scores) == rounded


def test_pooled_against_perl_rouge_155() -> None:
    assert set(PINNED["case"]) == set(CASES)
    assert set(PINNED["kind"]) == set(KINDS)
    assert [row for row in PINNED.itertuples() if not agrees(row, CASES)] == []


@pytest.mark.skipif(perl_rouge.release() is None, reason=perl_rouge.MISSING)
def test_random_texts_against_perl_rouge_155_run_now() -> None:
    rng = np.random.default_rng(5)
    words = np.array("the a of cell cells gene-x p53 IL-2 divides, rest. 37 β-actin".split())

    def text() -> str:
        return "\n".join(
            " ".join(rng.choice(words, rng.integers(0, 15))) for _ in range(rng.integers(0, 5))
        )

    cases = [{"candidate": text(), "references": [text(), text(), text()]} for _ in range(40)]
    rows = perl_rouge.run(cases)
    assert len(rows) == len(cases) * len(KINDS)
    assert [row for row in rows.itertuples() if not agrees(row, cases)] == []


@pytest.mark.skipif(perl_rouge.release() is None, reason=perl_rouge.MISSING)
def test_the_pinned_numbers_are_what_perl_rouge_155_prints_now() -> None:
    found = perl_rouge.run(list(CASES.values())).drop(columns="case").sort_index(axis=1)
    pinned = PINNED.drop(columns="case").sort_index(axis=1)
    pd.testing.assert_frame_equal(found, pinned)


@pytest.fixture(scope="module")
def summaries(open_corpus: Callable[[str], Path]) -> list[dict[str, Any]]:
    """Return CL-SciSumm's abstracts, each with its human and its community summary."""
    open_corpus("scisumm-corpus")
    both = [
        t.summaries
        for t in profiles.load("scisumm-train")
        if {"human", "community"} <= set(t.summaries)
    ]
    return [{"candidate": s["abstract"], "references": [s["human"], s["community"]]} for s in both]


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("multi", "expected"),
    [
        ("mean", (39.5, 21.4, 31.7)),
        ("best", (46.4, 27.3, 37.0)),
        ("pooled", (37.1, 20.4, 30.5)),
    ],
)
def test_the_table_of_the_docstring(
    summaries: list[dict[str, Any]], multi: Multi, expected: tuple[float, ...]
) -> None:
    kinds = ("rouge1", "rouge2", "rougeLsum")
    scored = [rouge(s["candidate"], s["references"], kinds, multi) for s in summaries]
    means = [100 * np.mean([each[kind].f1 for each in scored]) for kind in kinds]
    assert len(summaries) == 37
    assert tuple(np.round(means, 1)) == expected


@pytest.mark.open_data
@pytest.mark.skipif(perl_rouge.release() is None, reason=perl_rouge.MISSING)
def test_summaries_of_cl_scisumm_against_perl_rouge_155_run_now(
    summaries: list[dict[str, Any]],
) -> None:
    some = summaries[::6]  # Perl's ROUGE-L takes seconds a topic
    rows = perl_rouge.run(some)
    assert len(rows) == len(some) * len(KINDS)
    assert [row for row in rows.itertuples() if not agrees(row, some)] == []
