"""Helpers of lessons: what they show beside a formula and a table."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

from citectx import ledger
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.results import Result, read
from citectx.retrieval import RetrievalModel
from citectx.show import plotting
from citectx.show.forest import open_verdicts
from citectx.show.knobs import Knob
from citectx.show.tables import OPEN, Shown, beside, better, one_of, published
from citectx.show.viewer import mark_up
from citectx.types import Floats, Span

STATIC = "CITECTX_STATIC"
"""Environment variable that keeps widgets out, for batch runs and tests."""

STYLE = Path(__file__).with_name("citectx.css")


def explore(function: Callable[..., Any], **choices: list[Any]) -> Any:
    """Let readers change one thing and see it matter; the first choices are the default.

    Where ipywidgets is installed (the extra ``lab``), each keyword of the function gets a drop-down
    list. On a web page or in a batch run, the output is a `Knob`, which works without Python.

    >>> os.environ[STATIC] = "1"
    >>> explore(lambda k: f"{k} spans", k=[3, 1, 5])
    '3 spans'
    """
    if not os.environ.get(STATIC):
        with suppress(ImportError):
            from ipywidgets import interact

            interact(function, **choices)
            return None
    return Knob(function, choices)


def pick(
    corpus: Iterable[Topic],
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] = ("", ""),
) -> tuple[Topic, Citance]:
    """Look up a topic and one of its citances by their names; None takes the first.

    Where no topic is asked for, `opens_on` names topic and citance, if the corpus has that topic.
    """
    topics = {topic.topic_id: topic for topic in corpus}
    if topic is None and opens_on[0] in topics:
        topic = opens_on[0]
        citance = citance or opens_on[1]
    chosen = one_of("topic", topic, topics)
    citances = {citance.citance_id: citance for citance in chosen.citances}
    return chosen, one_of(f"citance of {chosen.topic_id}", citance, citances)


@dataclass
class Example:
    """One citance and its article as lists of words, to be followed by hand.

    `query` has the words of the citance, as the search sees them; a repeated word is there again.
    `sentences` has the words of each candidate, and `article` all of these, in order.
    """

    prepared: Prepared
    citance: Citance

    def __post_init__(self) -> None:
        self.row = self.prepared.citances.index(self.citance)
        counts: Any = self.prepared.queries[self.row].weights  # whole numbers
        self.query: list[str] = [*Counter(counts).elements()]
        texts = self.prepared.candidates.sentences.texts()  # a candidate is a sentence
        self.sentences = [list(self.prepared.index.analyzer(text)) for text in texts]
        self.article = [*chain(*self.sentences)]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for the citance, shape (candidates,)."""
        return self.prepared.scores(model)[self.row]

    def retrieve(self, model: RetrievalModel, k: int = 3) -> list[Span]:
        """Return the spans that a model finds, best first."""
        return self.prepared.retrieve(self.scores(model), k)

    def show(self, *numbers: int) -> Shown:
        """Show candidates by their numbers, and whether an annotator marked them."""
        relevant = self.prepared.relevant[self.row, [*numbers]]
        table = {
            "words": [len(self.sentences[i]) for i in numbers],
            "marked": np.where(relevant, "yes", "no"),
            "text": map(self.prepared.candidates.text, numbers),
        }
        return Shown(pd.DataFrame(table, numbers))


def work_through(
    corpus: Corpus,
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] = ("", ""),
) -> Example:
    """Prepare one citance, which is chosen as `pick` does.

    >>> from citectx import load
    >>> one = work_through(load("teaching"), "D9001_TEACH", 3)
    >>> one.query[:3], len(one.sentences)
    (['tissues', 'dispatch', 'worn'], 58)
    """
    cited, chosen = pick(corpus, topic, citance, opens_on)
    prepared = next(p for p in prepare(corpus) if p.topic is cited)
    return Example(prepared, chosen)


def show(topic: Topic, citance: Citance) -> HTML:
    """Show a citance, and the paragraphs of the article in which annotators marked something."""
    text = topic.reference.text
    page = f"<h4>Citing passage</h4><p>{escape(citance.text)}</p><h4>Marked in the article</h4>"
    for block in topic.reference.blocks:
        paragraph = mark_up(text, block.span, {}, citance.gold, "show")
        if "<u " in paragraph:  # annotators' marks are underlined
            page += f"<p>{paragraph}</p>"
    return HTML(f'<div class="citectx"><style>{STYLE.read_text("utf-8")}</style>{page}</div>')


def beside_paper(
    result: Result,
    corpus: str,
    metrics: Sequence[str],
    decimals: int = 1,
    methods: Sequence[str] | None = None,
    best: bool = True,
) -> Shown:
    """Show the paper's table and ours: a row for each method, or for those that are named.

    A dagger marks methods that are better than the best baseline, by the paper's test or by ours.
    """
    name = result.experiment
    paper, _, _ = name.partition("_")
    marks = ledger.load(paper).marks(name)
    if "tests" in result.extra:
        marks |= better(result.extra["tests"].query("corpus == @corpus"), "t_test", {0.05: "†"})
    ours = result.wide(corpus, decimals)
    printed = published(name)[[*metrics]]
    rows = ours.index.intersection(printed.index).union(printed.index, sort=False)
    both = beside(printed.loc[rows], ours).dropna(how="all")
    both = both if methods is None else both.loc[[*methods]]
    return Shown(both, decimals, best=best, marks=marks, caption=f"ours: {corpus}")


def spreads(both: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Lay means of `beside` out as `plotting.estimates` takes them, one deviation each way."""
    sides = {side: both.xs(side, axis=1, level=1) for side in ("ours", "paper")}
    rows = pd.concat(sides, names=["table", "method"]).reset_index()
    mean = rows[metric]
    spread = rows[f"{metric} sd"]
    return rows.assign(value=mean, ci_low=mean - spread, ci_high=mean + spread)


def by_citance(result: Result, corpus: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Lay the mean of metrics out: a row per topic and citance, a column per method."""
    assert result.citances is not None
    rows = result.citances[result.citances["corpus"] == corpus]
    scores = rows.assign(score=rows[[*metrics]].mean(axis=1))
    return scores.pivot_table("score", ["topic", "citance"], "method", sort=False)


def on_open_data(
    table: str,
    methods: Sequence[str],
    metrics: Sequence[str],
    corpus: str = "citation-integrity",
    decimals: int = 1,
) -> Shown:
    """Show rows of a committed table of real data.

    >>> on_open_data("sigir2017_table1", ["BM25", "LMD"], ["c-F"])
           c-F
    BM25  23.6
    LMD   21.3
    """
    wide = Result(table, read(OPEN, table)).wide(corpus, decimals)
    caption = f"{corpus}, real data"
    return Shown(wide.loc[[*methods], [*metrics]], decimals, best=True, caption=caption)


def first_picture(paper: pd.Series, ours: pd.DataFrame, title: str, xlabel: str) -> Any:
    """Draw what a paper printed, by method, and ours with its intervals, such as `open_rows`."""
    printed = paper.rename_axis("method").reset_index(name="value").assign(source="paper")
    measured = ours[ours["method"].isin(paper.index)].assign(source="ours (real data)")
    both = pd.concat([printed, measured])
    return plotting.picture(plotting.estimates(both, title, xlabel, hue="source"))


def verdicts(paper: str, *claims: str) -> Shown:
    """Show the verdicts on a paper's claims by the committed ledger, which rests on real data."""
    rows = open_verdicts()
    rows = rows[(rows["paper"] == paper) & rows["id"].isin(claims)]
    by_claim = rows.set_index(["says", "corpus"])["verdict"]
    wide = by_claim.unstack("corpus", sort=False)  # noqa: PD010
    return Shown(wide.rename_axis(index=None, columns=None))
