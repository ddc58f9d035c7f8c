"""ROUGE of extracts is `rouge` of the same sentences, whatever they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citectx import profiles
from citectx.errors import ParameterError
from citectx.evaluation import rouge
from citectx.evaluation.extracts import ExtractRouge
from citectx.language.text import SentenceSplitter

words = st.lists(st.sampled_from("a b c d e".split()), max_size=9).map(" ".join)


def both(reference: list[str], sentences: list[str], chosen: list[int], stem: bool = False) -> None:
    ours = ExtractRouge(reference, sentences, stem)(chosen)
    text = "\n".join(sentences[i] for i in chosen)
    theirs = rouge(text, ["\n".join(reference)], ["rouge1", "rougeLsum"], stem)
    assert ours["rouge1"] == pytest.approx(theirs["rouge1"])
    assert ours["rougeL"] == pytest.approx(theirs["rougeLsum"])


@settings(max_examples=200, deadline=None)
@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=5), st.data())
def test_equals_rouge_score_where_many_subsequences_are_longest(reference, sentences, data):
    if not "".join(reference).strip():
        with pytest.raises(ParameterError, match="no word"):
            ExtractRouge(reference, sentences)
        return
    chosen = data.draw(st.lists(st.sampled_from(range(len(sentences))), unique=True))
    both(reference, sentences, chosen)


@pytest.mark.parametrize("stem", [False, True])
def test_equals_rouge_score_on_an_article(stem):
    topic = profiles.load("teaching").topics[0]
    texts = SentenceSplitter().sentences(topic.reference).texts()
    rng = np.random.default_rng(0)
    reference = [texts[i] for i in rng.choice(len(texts), 8, replace=False)]
    for size in (1, 3, 10, len(texts)):
        both(reference, texts, rng.choice(len(texts), size, replace=False).tolist(), stem)


def test_hand_worked_case():
    # "b a" shares one token in order with "a b": the later one, where backtracking starts.
    scores = ExtractRouge(["a b"], ["b a", "c"])([0, 1])
    assert scores["rouge1"] == pytest.approx((2 / 3, 1.0, 0.8))
    assert scores["rougeL"] == pytest.approx((1 / 3, 1 / 2, 0.4))
