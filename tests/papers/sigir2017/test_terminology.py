"""Terms of citances in their evidence: a small corpus by hand, and the teaching corpus."""

import pandas as pd
import pytest

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare
from citectx.papers.sigir2017 import terminology
from citectx.types import merge


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return profiles.load("teaching")


@pytest.fixture(scope="module")
def scores(corpus: Corpus) -> pd.DataFrame:
    rows = [
        (corpus.name, t.topic_id, c.citance_id, method, 10.0 * (method == "WE_Bio") + i)
        for t in corpus
        for i, c in enumerate(t.citances)
        for method in ("LMD", "WE_Bio", "BM25")
    ]
    return pd.DataFrame(rows, columns=["corpus", "topic", "citance", "method", "c-F"])


def test_shares_are_those_of_sets_of_words(corpus: Corpus, scores: pd.DataFrame) -> None:
    result = terminology.run([corpus], scores)
    kept = result.citances
    assert kept is not None
    shares = kept[kept["method"] == "absent"].set_index(["topic", "citance"])["share"]
    analyzer = Protocol().analyzer
    checked = 0
    for topic in prepare(corpus, Protocol())[:2]:
        sentences = topic.candidates.sentences
        spans = topic.candidates.spans(range(len(topic.candidates)))
        texts = sentences.texts()
        for citance, query in zip(topic.citances, topic.queries, strict=True):
            marked = merge([span for spans_ in citance.gold.values() for span in spans_])
            touched = [
                text
                for span, text in zip(spans, texts, strict=True)
                if any(span.start < gold.end and gold.start < span.end for gold in marked)
            ]
            words = {*query.weights}
            lacking = [len(words - {*analyzer(text)}) / len(words) for text in touched]
            expected = 100 * sum(lacking) / len(lacking)
            found = shares[topic.topic.topic_id, citance.citance_id]
            assert found == pytest.approx(expected, abs=1e-3)
            checked += 1
    assert checked > 10


def test_rows_are_those_whose_models_ran(corpus: Corpus, scores: pd.DataFrame) -> None:
    table = terminology.run([corpus], scores).table.set_index(["method", "metric"])["value"]
    assert {method for method, _ in table.index} == {"absent", "present", "WE_Bio over LMD"}
    assert table["absent", "share"] + table["present", "share"] == pytest.approx(100)
    assert table["WE_Bio over LMD", "gain"] == pytest.approx(10)
