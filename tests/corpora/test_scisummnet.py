"""ScisummNet: papers, citing sentences, summaries."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import scisummnet

SAMPLE = Path(__file__).parents[1] / "samples" / "scisummnet"


def test_a_made_up_paper() -> None:
    [topic] = scisummnet.read(SAMPLE)
    assert topic.topic_id == "P99-1"
    assert set(topic.summaries) == {"human", "abstract"}
    assert all(citance.text and not citance.annotations for citance in topic.citances)


@pytest.mark.open_data
def test_figures_of_the_release(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("scisumm-corpus")
    corpus = scisummnet.read(folder)
    assert len(corpus) == 779
    assert all(set(topic.summaries) == {"human", "abstract"} for topic in corpus)
    # 13,231 records, one of them without any text.
    citances = [citance for topic in corpus for citance in topic.citances]
    assert len(citances) == 13_230
    assert "5" not in {citance.citance_id for citance in corpus["J93-2005"].citances}
