"""The best extract, step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.evaluation import rouge
from citectx.summarization.extract import greedy_extract

words = st.lists(st.sampled_from("a b c d e".split()), max_size=9).map(" ".join)


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=5))
def test_greedy_takes_at_each_step_what_adds_most(reference: list[str], texts: list[str]) -> None:
    def recall(chosen: list[int]) -> float:
        text = "\n".join(texts[i] for i in chosen)
        scores = rouge(text, ["\n".join(reference)], ["rouge1", "rougeLsum"])
        return sum(each.recall for each in scores.values())

    costs = np.array([len(text.split()) + 1.0 for text in texts])
    order = list(greedy_extract(reference, texts, costs))
    assert sorted(order) == list(range(len(texts)))
    for n in range(len(order)):
        before = recall(order[:n])
        gains = [(recall([*order[:n], i]) - before) / costs[i] for i in order[n:]]
        assert gains[0] == pytest.approx(max(gains))
