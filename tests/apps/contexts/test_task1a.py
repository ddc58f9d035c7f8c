"""Runs for CL-SciSumm's Task 1a."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from citectx.apps.contexts.task1a import tags_of, write_run
from citectx.corpora.model import Block, Document
from citectx.corpora.scisumm import GOLD, read_test
from citectx.evaluation.scisumm import read_evidence, score_run
from citectx.retrieval import BM25
from citectx.types import Span


def test_sentences_are_numbered_in_the_paper_and_in_their_section() -> None:
    spans = (Span(0, 5), Span(6, 11), Span(12, 17))
    blocks = (Block(0, 11, "body", 1, "Intro"), Block(12, 17, "body", 2, "Methods"))
    article = Document("T1", "A & b C d e F < g", blocks, spans, ("1", "2", "3"))
    assert list(tags_of(article).values()) == [
        '<S sid="1" ssid="1">A &amp; b</S>',
        '<S sid="2" ssid="2">C d e</S>',
        '<S sid="3" ssid="1">F &lt; g</S>',
    ]


@pytest.mark.open_data
def test_a_run_has_k_sentences_for_each_citance(
    open_corpus: Callable[[str], Path], tmp_path: Path
) -> None:
    release = open_corpus("scisumm-corpus")
    write_run(release, BM25(), tmp_path, k=3)
    for topic in read_test(release):
        run = pd.read_csv(tmp_path / f"{topic.topic_id}.csv")
        assert len(run) == len(topic.citances)
        assert list(run)[-3:] == ["Reference Offset", "Reference Text", "Discourse Facet"]
        found = read_evidence(tmp_path / f"{topic.topic_id}.csv")
        assert {len(sids) for sids in found.values()} == {3}
    official = score_run(release / "data" / GOLD / "Task1", tmp_path)
    assert official["micro-F"] == pytest.approx(0.1042, abs=5e-5)
