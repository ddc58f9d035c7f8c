"""Noun phrases: the committed model, and the shared task's test part."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.language.noun_phrases import noun_phrases
from citectx.paths import DATA


def test_phrases_of_science_as_a_reader_would_mark_them() -> None:
    text = (
        "Mutant mice were kept in the cold room. "
        "We found that loss of a single gene changed most cells."
    )
    found = [" ".join(words) for words in noun_phrases(text)]
    assert found == ["Mutant mice", "the cold room", "We", "loss", "a single gene", "most cells"]


@pytest.mark.open_data
def test_accuracy_on_the_test_part_of_conll_2000(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("nltk-data")
    tagging, chunking = runpy.run_path(str(DATA / "nounphrases" / "build.py"))["measured"]()
    assert 100 * tagging == pytest.approx(97.19, abs=0.02)
    assert 100 * chunking.f_measure() == pytest.approx(91.75, abs=0.05)
