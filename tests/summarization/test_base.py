"""Budgets, pools, and what every summarizer does on thin material."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.papers.sigir2017.readings_summaries import SUMMARIZED_BY
from citectx.summarization import Budget, Pool, summary, within

WORDS = "cells divide rest kinase marks mitochondria the damaged p53 in".split()
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), max_size=12)


def chosen_by(name: str, texts: list[str], budget: Budget) -> list[int]:
    pool = Pool.of(texts)
    return within(pool, SUMMARIZED_BY[name](pool), budget)


@pytest.mark.parametrize("name", SUMMARIZED_BY)
@given(texts=sentences, words=st.integers(1, 30))
def test_summarizers_take_sentences_once_and_stop_at_the_budget(
    name: str, texts: list[str], words: int
) -> None:
    pool = Pool.of(texts)
    chosen = chosen_by(name, texts, Budget(words=words))
    assert len(set(chosen)) == len(chosen) <= len(texts)
    lengths = [len(texts[i].split()) for i in chosen]
    assert sum(lengths[:-1]) < words  # it was not full before the last one
    assert sum(lengths) >= min(words, sum(len(t.split()) for t in texts))
    assert len(summary(pool, chosen, Budget(words=words)).split()) == min(words, sum(lengths))
    assert chosen == chosen_by(name, texts, Budget(words=words))
    # A longer summary begins like a shorter one.
    everything = chosen_by(name, texts, Budget(sentences=99))
    assert everything[: len(chosen)] == chosen


@pytest.mark.parametrize("name", SUMMARIZED_BY)
def test_nothing_one_sentence_and_sentences_without_words(name: str) -> None:
    assert chosen_by(name, [], Budget(words=10)) == []
    assert chosen_by(name, ["Cells rest."], Budget(words=250)) == [0]
    assert sorted(chosen_by(name, ["The.", "12", "Of it."], Budget(sentences=9))) == [0, 1, 2]


def test_idf_of_the_sentences_themselves_worked_by_hand() -> None:
    pool = Pool.of(["Cells rest.", "Cells divide."])
    assert pool.terms == ("cells", "divide", "rest")
    assert pool.idf == pytest.approx([1.0, np.log(2) + 1, np.log(2) + 1])
