"""How wide is a citation context? Measured where people marked it, sentence by sentence.

``python -m citectx.apps.contexts.width`` measures the citing paragraphs of
`citectx.corpora.citation_integrity_2024`: which sentences, counted from the one with the marker,
belong to the context, and how well windows of a fixed width cover it. lrec2016 takes one sentence
on either side of the citing one, acl2008 two.

The release's sentences decide what a neighbour is. So all is computed a second time with our own
splitter: a sentence of ours belongs to the context if any of its characters do. What is outside the
paragraph was not annotated and counts neither way.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import nan

import pandas as pd
from matplotlib.figure import Figure

from citectx.corpora import sources
from citectx.corpora.citation_integrity_2024 import NAME as CORPUS
from citectx.corpora.citation_integrity_2024 import CitingParagraph, CitingParagraphs, read_contexts
from citectx.experiments.report import KEYS, means, tabulate
from citectx.experiments.results import Result, keep, timed
from citectx.language.text import SentenceSplitter
from citectx.profiles import profile
from citectx.show.plotting import estimates, finished, save
from citectx.storage import digest
from citectx.types import Span

NAME = "beyond_context_width"
WINDOWS = {
    "marker's sentence": (0, 0),
    "one before": (1, 0),
    "one on either side": (1, 1),
    "two on either side": (2, 2),
}
"""Sentences before and after. Source: lrec2016 §4 and acl2008 §2 have the last two."""

WIDTHS = ("alone", "-3", "-2", "-1", "0", "+1", "+2", "+3", "further")
"""Metrics of the contexts: whether the marker's sentence is all of it, and which it includes."""

COVERAGE = ("whole", "recall", "precision")
"""Metrics of windows: whether one holds the whole context, the part of the context's sentences that
it holds, and the part of its own that belong."""

AGAIN = ", split again"
"""Ends the names of what was computed with our own sentences."""


@timed
def run(found: CitingParagraphs, *, seed: int = 0) -> Result:
    """Measure contexts and windows.

    Parameters
    ----------
    found : CitingParagraphs
    seed : int
        Of the bootstrap, which draws whole reference articles.

    Returns
    -------
    Result
        Means over paragraphs in percent; ``same`` says in how many both ways of splitting find the
        same context, ``sentences`` is the number of its sentences. `params` count the paragraphs
        that were left out.
    """
    splitter = SentenceSplitter(paragraph.text for paragraph in found.paragraphs)
    rows: list[dict[str, object]] = []
    for paragraph in found.paragraphs:
        given = _places(paragraph, paragraph.sentences, set(paragraph.context))
        again = _split_again(paragraph, splitter)
        for places, ending in ((given, ""), (again, AGAIN)):
            about: dict[str, object] = {"topic": paragraph.article, "citance": paragraph.name}
            for method, values in _scores(*places):
                rows.append(about | {"method": method + ending} | values)
        rows[-len(WINDOWS) - 1]["same"] = 100.0 * (given[0] == again[0])
    metrics = [*WIDTHS, "sentences", "same", *COVERAGE]
    scores = pd.DataFrame(rows, columns=[*KEYS, *metrics])
    params = {"left out": found.skipped}
    table = tabulate(NAME, CORPUS, means(scores, seed), seed, params)
    return Result(NAME, table, data={CORPUS: digest(found.paragraphs)})


Places = tuple[set[int], range]
"""Where a context's sentences are, and all of the paragraph, counted from the marker's."""


def _places(paragraph: CitingParagraph, sentences: Sequence[Span], context: set[int]) -> Places:
    start = paragraph.marker.start
    marked = max(0, bisect_right(sentences, start, key=lambda span: span.start) - 1)
    return {i - marked for i in context}, range(-marked, len(sentences) - marked)


def _split_again(paragraph: CitingParagraph, splitter: SentenceSplitter) -> Places:
    sentences = splitter.split(paragraph.text)
    parts = [paragraph.sentences[i] for i in paragraph.context]
    context = {
        i for i, span in enumerate(sentences) if any(span.overlap(part) > 0 for part in parts)
    }
    return _places(paragraph, sentences, context)


def _scores(context: set[int], paragraph: range) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the metrics of a context, and those of each window."""
    named = {name: name.removeprefix("+") for name in WIDTHS[1:-1]}
    widths = {name: 100.0 * (int(at) in context) for name, at in named.items()}
    further = any(abs(i) > 3 for i in context)
    alone = 100.0 * (context == {0})
    yield (
        "context",
        {
            "alone": alone,
            **widths,
            "further": 100.0 * further,
            "sentences": float(len(context)),
            "same": nan,
        },
    )
    for name, (before, after) in WINDOWS.items():
        window = {i for i in paragraph if -before <= i <= after}
        held = len(window & context)
        yield (
            name,
            {
                "whole": 100.0 * (context <= window),
                "recall": 100 * held / len(context),
                "precision": 100 * held / len(window),
            },
        )


def draw(table: pd.DataFrame) -> Figure:
    """Draw how windows cover contexts, with either way of splitting.

    Parameters
    ----------
    table : DataFrame
        As `run` makes it.
    """
    again = table["method"].str.endswith(AGAIN)
    rows = table.assign(
        method=table["method"].str.removesuffix(AGAIN),
        split=again.map({False: "the release's sentences", True: "our splitter's"}),
        panel=table["metric"].map(
            {
                "whole": "% of contexts that are wholly in the window",
                "precision": "% of the window that is context",
            }
        ),
    )
    shown = rows[rows["method"].isin(WINDOWS)].dropna(subset="panel")
    grid = estimates(shown, "split", "panel", width=4.0, more=1.5, height=0.2)
    grid.set(xlabel="")
    return finished(grid.figure, "What a window of sentences around a citation marker holds")


if __name__ == "__main__":
    result = run(read_contexts(sources.folder(CORPUS)))
    path = keep(result, profile("open").results)
    print(path, save(draw(result.table), path.parent, NAME))
