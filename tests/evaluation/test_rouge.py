"""ROUGE, by hand, and against the pinned numbers of the Perl script and rouge-score."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from citectx import profiles
from citectx.evaluation import Scores, rouge
from citectx.evaluation.rouge import Multi

HERE = Path(__file__).parent
CASES: dict[str, Any] = yaml.safe_load((HERE / "rouge_cases.yaml").read_text("utf-8"))
PINNED = pd.read_csv(HERE / "rouge_perl_155.csv")
"""What ROUGE 1.5.5 printed with ``-f A -n 4 -d -r 1``: counts (``-t 2``) and rates of each case."""
KINDS = ("rouge1", "rouge2", "rouge3", "rouge4", "rougeLsum")
FIVE_DECIMALS = 1.5e-5  # Perl prints so many, and computes F from P and R that it has rounded

words = st.sampled_from("the a cell cells divides rest p53".split())
texts = st.lists(st.lists(words, max_size=25).map(" ".join), max_size=4).map("\n".join)


def test_mean_and_best_over_references_worked_by_hand() -> None:
    references = ["a b", "a b c d", "x"]  # P, R, F: 1/2, 1, 2/3; 1, 1, 1; 0, 0, 0
    mean = rouge("a b c d", references, kinds=["rouge1"])["rouge1"]
    assert mean == pytest.approx(Scores(1 / 2, 2 / 3, 5 / 9))
    assert rouge("a b c d", references, kinds=["rouge1"], multi="best")["rouge1"] == (1, 1, 1)


@given(texts, texts)
def test_every_kind_against_rouge_score(candidate: str, reference: str) -> None:
    expected = rouge_scorer.RougeScorer(KINDS).score(reference, candidate)
    for kind, found in rouge(candidate, [reference], KINDS).items():
        assert found == pytest.approx(tuple(expected[kind]), abs=1e-15)


def agrees(row: Any) -> bool:
    """Compare with the counts that Perl gave, exactly, and with its rounded scores."""
    case = CASES[row.case]
    scores = rouge(case["candidate"], case["references"], [row.kind], "pooled")[row.kind]
    rates = row.hits / max(row.candidate, 1), row.hits / max(row.references, 1)
    rounded = pytest.approx((row.precision, row.recall, row.f1), abs=FIVE_DECIMALS)
    return scores[:2] == rates and tuple(scores) == rounded


def test_pooled_against_perl_rouge_155() -> None:
    assert set(PINNED["case"]) == set(CASES)
    assert set(PINNED["kind"]) == set(KINDS)
    assert [row for row in PINNED.itertuples() if not agrees(row)] == []


@pytest.fixture(scope="module")
def summaries(open_corpus: Callable[[str], Path]) -> list[dict[str, Any]]:
    """Return CL-SciSumm's abstracts, each with its human and its community summary."""
    open_corpus("scisumm-corpus")
    every = [topic.summaries for topic in profiles.load("scisumm-train")]
    both = [given for given in every if {"human", "community"} <= given.keys()]
    return [{"candidate": s["abstract"], "references": [s["human"], s["community"]]} for s in both]


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("multi", "expected"),
    [("mean", (39.5, 21.4, 31.7)), ("best", (46.4, 27.3, 37.0)), ("pooled", (37.1, 20.4, 30.5))],
)
def test_the_table_of_the_docstring(
    summaries: list[dict[str, Any]], multi: Multi, expected: tuple[float, ...]
) -> None:
    kinds = ("rouge1", "rouge2", "rougeLsum")
    scored = [rouge(s["candidate"], s["references"], kinds, multi) for s in summaries]
    means = [100 * np.mean([each[kind].f1 for each in scored]) for kind in kinds]
    assert len(summaries) == 37
    assert tuple(np.round(means, 1)) == expected
