"""ROUGE of extracts is `rouge` of the same sentences, whatever they are."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx import profiles
from citectx.errors import ParameterError
from citectx.evaluation import rouge
from citectx.evaluation.rouge import ExtractRouge
from citectx.language.text import SentenceSplitter

words = st.lists(st.sampled_from("a b c d e".split()), max_size=9).map(" ".join)


def both(reference: list[str], sentences: list[str], chosen: list[int]) -> None:
    ours = ExtractRouge(reference, sentences)(chosen)
    text = "\n".join(sentences[i] for i in chosen)
    theirs = rouge(text, ["\n".join(reference)], ["rouge1", "rougeLsum"])
    assert ours["rouge1"] == pytest.approx(theirs["rouge1"])
    assert ours["rougeL"] == pytest.approx(theirs["rougeLsum"])


@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=5), st.data())
def test_equals_rouge_score_where_many_subsequences_are_longest(
    reference: list[str], sentences: list[str], data: st.DataObject
) -> None:
    if not "".join(reference).strip():
        with pytest.raises(ParameterError, match="no word"):
            ExtractRouge(reference, sentences)
        return
    chosen = data.draw(st.lists(st.sampled_from(range(len(sentences))), unique=True))
    both(reference, sentences, chosen)
    if chosen and sentences[chosen[-1]]:  # the last sentence cut
        last = data.draw(st.integers(1, 9))
        whole = [*sentences, " ".join(sentences[chosen[-1]].split()[:last])]
        cut = ExtractRouge(reference, sentences)(chosen, last)
        assert cut == ExtractRouge(reference, whole)([*chosen[:-1], len(sentences)])


def test_greedy_takes_at_each_step_what_adds_most() -> None:
    topic = profiles.load("teaching").topics[0]
    texts = SentenceSplitter().sentences(topic.reference).texts()
    scorer = ExtractRouge(texts[3:9:2], texts)
    for costs in (np.ones(20), np.array([len(text.split()) for text in texts[:20]], dtype=float)):
        order = list(islice(scorer.greedy(costs), 6))
        for n in range(6):
            before = sum(s.recall for s in scorer(order[:n]).values())
            gains = {
                i: (sum(s.recall for s in scorer([*order[:n], i]).values()) - before) / costs[i]
                for i in range(20)
                if i not in order[:n]
            }
            assert gains[order[n]] == pytest.approx(max(gains.values()))
    assert sorted(scorer.greedy(np.ones(20))) == list(range(20))


def test_equals_rouge_score_on_an_article() -> None:
    topic = profiles.load("teaching").topics[0]
    texts = SentenceSplitter().sentences(topic.reference).texts()
    rng = np.random.default_rng(0)
    reference = [texts[i] for i in rng.choice(len(texts), 8, replace=False)]
    for size in (1, 3, 10, len(texts)):
        both(reference, texts, rng.choice(len(texts), size, replace=False).tolist())


def test_hand_worked_case() -> None:
    # "b a" shares one token in order with "a b": the later one, where backtracking starts.
    scores = ExtractRouge(["a b"], ["b a", "c"])([0, 1])
    assert scores["rouge1"] == pytest.approx((2 / 3, 1.0, 0.8))
    assert scores["rougeL"] == pytest.approx((1 / 3, 1 / 2, 0.4))
