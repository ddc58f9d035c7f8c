"""The width of contexts: by hand on a few paragraphs, and counted again on the real ones."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.apps.contexts import width
from citectx.corpora import citation_integrity_2024, sources
from citectx.corpora.citation_integrity_2024 import (
    CitingParagraph,
    CitingParagraphs,
    read_contexts,
)
from citectx.errors import MissingDataError
from citectx.experiments.results import read
from citectx.paths import RESULTS
from citectx.types import Span

SAMPLE = Path(__file__).parents[2] / "samples" / "citation-integrity-2024"


def value(table: pd.DataFrame, method: str, metric: str) -> float:
    [found] = table[(table["method"] == method) & (table["metric"] == metric)]["value"]
    return float(found)


def test_widths_and_windows_by_hand() -> None:
    table = width.run(read_contexts(SAMPLE)).table
    # Contexts: 0; -2 -1 0; 0 +1; 0; -1 (without the marker's own sentence).
    shares = {"alone": 40, "0": 80, "-1": 40, "-2": 20, "+1": 20, "+2": 0, "further": 0}
    assert {metric: value(table, "context", metric) for metric in shares} == shares
    assert value(table, "context", "sentences") == pytest.approx(1.6)
    assert value(table, "one on either side", "whole") == 80
    # of 3, 2, 2, 1 and 2 sentences
    precision = np.mean([1 / 3, 2 / 2, 2 / 2, 1, 1 / 2])
    assert value(table, "one on either side", "precision") == pytest.approx(100 * precision)
    recall = np.mean([1, 2 / 3, 1, 1, 1])
    assert value(table, "one on either side", "recall") == pytest.approx(100 * recall)


def test_a_sentence_cut_in_two_is_one_context_when_split_again() -> None:
    text = "Growth is slow. They saw, as Fig. 2 shows, that it rests [1]. It does."
    middle = text.index("2 shows")
    cut = [Span(0, 15), Span(16, middle - 1), Span(middle, 61), Span(62, len(text))]
    marker = Span(text.index("[1]") + 1, text.index("[1]") + 2)
    paragraph = CitingParagraph("a:1", "001", text, tuple(cut), (1, 2), marker)
    table = width.run(CitingParagraphs((paragraph,), 0)).table
    assert value(table, "context", "alone") == 0
    assert value(table, f"context{width.AGAIN}", "alone") == 100
    assert value(table, f"context{width.AGAIN}", "same") == 0


def test_a_figure_is_drawn() -> None:
    figure = width.draw(read(RESULTS / "open", width.NAME))
    assert len(figure.axes) == 2
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == list(width.WINDOWS)


@pytest.mark.open_data
def test_committed_table_by_another_count() -> None:
    """Straight from the files: no reader, no spans, no splitter; intervals by Student's t."""
    try:
        folder = sources.folder(citation_integrity_2024.NAME)
    except MissingDataError:
        pytest.skip("needs citation-integrity-2024; run: citectx fetch citation-integrity-2024")
    contexts: list[set[int]] = []
    for part in ("train", "dev", "test"):
        for line in (folder / "Data" / f"{part}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            marked = [s.count("<CITATION_MARKER>") for s in record["sentences"]]
            if sum(marked) == 1 and any(record["labels"]):
                at = marked.index(1)
                contexts.append({i - at for i, own in enumerate(record["labels"]) if own})
    assert len(contexts) == 3051
    counts = {
        "alone": sum(context == {0} for context in contexts),
        **{name: sum(int(name) in c for c in contexts) for name in ("-2", "-1", "0", "+1")},
    }
    assert counts == {"alone": 2713, "-2": 48, "-1": 273, "0": 3037, "+1": 21}
    table = read(RESULTS / "open", width.NAME)
    for metric, count in counts.items():
        assert value(table, "context", metric) == pytest.approx(100 * count / 3051, abs=1e-4)
    articles = [paragraph.article for paragraph in read_contexts(folder).paragraphs]
    alone = pd.Series([100.0 * (c == {0}) for c in contexts])
    sums = alone.groupby(articles).agg(["sum", "count"])
    # A ratio of sums over articles, by its linear approximation.
    errors = sums["sum"] - alone.mean() * sums["count"]
    half = stats.t.ppf(0.975, 99) * np.sqrt(100 * errors.var()) / 3051
    own = table[(table["method"] == "context") & (table["metric"] == "alone")]
    assert float((own["ci_high"] - own["ci_low"]).iloc[0]) == pytest.approx(2 * half, rel=0.1)
