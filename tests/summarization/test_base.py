"""Budgets, pools, and what every summarizer does on thin material."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from citectx.language.idf import open_idf
from citectx.summarization import (
    SUMMARIZERS,
    Budget,
    LexRank,
    Pool,
    Summarizer,
    summary,
)

WORDS = "cells divide rest kinase marks mitochondria the damaged p53 in".split()
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), max_size=12)
EVERY: list[Summarizer] = [
    *SUMMARIZERS.values(),
    LexRank(threshold=None),
]
ids = [f"{type(s).__name__}-{i}" for i, s in enumerate(EVERY)]


@pytest.mark.parametrize("one", EVERY, ids=ids)
@given(texts=sentences, words=st.integers(1, 30))
def test_summarizers_take_sentences_once_and_stop_at_the_budget(
    one: Summarizer, texts: list[str], words: int
) -> None:
    pool = Pool.of(texts)
    chosen = one.choose(pool, Budget(words=words))
    assert len(set(chosen)) == len(chosen) <= len(texts)
    lengths = [len(texts[i].split()) for i in chosen]
    assert sum(lengths[:-1]) < words  # it was not full before the last one
    assert sum(lengths) >= min(words, sum(len(t.split()) for t in texts))
    assert len(summary(pool, chosen, Budget(words=words)).split()) == min(words, sum(lengths))
    assert chosen == one.choose(Pool.of(texts), Budget(words=words))
    everything = one.choose(
        pool, Budget(sentences=99)
    )  # a longer summary begins like a shorter one
    assert summary(pool, everything, Budget(words=words)) == summary(
        pool, chosen, Budget(words=words)
    )


@pytest.mark.parametrize("one", EVERY, ids=ids)
def test_nothing_one_sentence_and_sentences_without_words(one: Summarizer) -> None:
    assert one.choose(Pool.of([]), Budget(words=10)) == []
    assert one.choose(Pool.of(["Cells rest."]), Budget(words=250)) == [0]
    assert sorted(one.choose(Pool.of(["The.", "12", "Of it."]), Budget(sentences=9))) == [0, 1, 2]


def test_similarity_equals_scikit_learns_cosine_of_tf_idf() -> None:
    texts = ["Cells divide and cells rest.", "Kinases mark cells.", "Mitochondria rest.", "The."]
    pool = Pool.of(texts, rarity=open_idf("biomedical").__getitem__)
    weighted = pool.counts * [open_idf("biomedical")[t] for t in pool.terms]
    assert pool.similarity == pytest.approx(cosine_similarity(weighted))


def test_idf_of_the_sentences_themselves_worked_by_hand() -> None:
    pool = Pool.of(["Cells rest.", "Cells divide."])
    assert dict(zip(pool.terms, pool.idf, strict=True)) == pytest.approx(
        {"cells": 1.0, "divide": np.log(2) + 1, "rest": np.log(2) + 1}
    )
