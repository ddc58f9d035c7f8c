"""Helpers of lessons: what they show beside a formula and a table."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from citectx import ledger
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, prepare
from citectx.experiments.results import Result, read
from citectx.retrieval import RetrievalModel
from citectx.show.tables import OPEN, Shown, beside, better, one_of, published
from citectx.show.viewer import marked
from citectx.types import Floats, Span

if TYPE_CHECKING:
    from IPython.display import HTML

STATIC = "CITECTX_STATIC"
"""Environment variable that keeps widgets out, for batch runs and tests."""

STYLE = Path(__file__).with_name("citectx.css")


def explore(function: Callable[..., Any], **choices: list[Any]) -> Any:
    """Let readers change one thing and see it matter; the first choices are the default.

    Where ipywidgets is installed (the extra ``lab``), each keyword of the function gets a drop-down
    list. On a web page or in a batch run, the output is that of the first choices.

    >>> os.environ[STATIC] = "1"
    >>> explore(lambda k: f"{k} spans", k=[3, 1, 5])
    '3 spans'
    """
    if not os.environ.get(STATIC):
        with suppress(ImportError):
            from ipywidgets import interact

            interact(function, **choices)
            return None
    return function(**{name: values[0] for name, values in choices.items()})


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
        topic, citance = opens_on[0], citance or opens_on[1]
    chosen = topics[one_of("topic", topic, topics)]
    citances = {citance.citance_id: citance for citance in chosen.citances}
    return chosen, citances[one_of(f"citance of {chosen.topic_id}", citance, citances)]


@dataclass
class Example:
    """One citance and its article as lists of words, to be followed by hand.

    `row` is the place of the citance among the topic's.
    """

    prepared: Prepared
    row: int

    @property
    def citance(self) -> Citance:
        """The citance that is worked through."""
        return self.prepared.citances[self.row]

    @cached_property
    def query(self) -> list[str]:
        """Its words, as the search sees them; a repeated word is there again."""
        weights = self.prepared.queries[self.row].weights
        return [word for word, times in weights.items() for _ in range(int(times))]

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The words of each candidate."""
        analyzer, candidates = self.prepared.protocol.analyzer, self.prepared.candidates
        return [list(analyzer(candidates.text(i))) for i in range(len(candidates))]

    @cached_property
    def article(self) -> list[str]:
        """All of these words, in order."""
        return [word for sentence in self.sentences for word in sentence]

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all candidates for the citance, shape (candidates,)."""
        return np.asarray(self.prepared.scores(model)[self.row])

    def retrieve(self, model: RetrievalModel, k: int | None = None) -> list[Span]:
        """Return the spans that a model finds, best first; k is the protocol's by default."""
        k = k or self.prepared.protocol.k
        return self.prepared.retrieve(self.scores(model), k)

    def show(self, *numbers: int) -> Shown:
        """Show candidates by their numbers, and whether an annotator marked them."""
        rows = {}
        for i in numbers:
            relevant = "yes" if self.prepared.relevant[self.row, i] else "no"
            text = self.prepared.candidates.text(i)
            rows[i] = {"words": len(self.sentences[i]), "marked": relevant, "text": text}
        return Shown(pd.DataFrame.from_dict(rows, orient="index"))


def work_through(
    corpus: Corpus,
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] = ("", ""),
    protocol: Protocol = DEFAULT,
) -> Example:
    """Prepare one citance, which is chosen as `pick` does.

    >>> from citectx import load
    >>> one = work_through(load("teaching"), "D9001_TEACH", 3)
    >>> one.query[:3], len(one.sentences)
    (['tissues', 'dispatch', 'worn'], 58)
    """
    cited, chosen = pick(corpus, topic, citance, opens_on)
    prepared = next(p for p in prepare(corpus, protocol) if p.topic is cited)
    return Example(prepared, prepared.citances.index(chosen))


def show(topic: Topic, citance: Citance) -> "HTML":
    """Show a citance, and the paragraphs of the article in which annotators marked something."""
    from IPython.display import HTML

    reference, gold = topic.reference, citance.gold
    page = f"<h4>Citing passage</h4><p>{escape(citance.text)}</p><h4>Marked in the article</h4>"
    for block in reference.blocks:
        inside = Span(block.start, block.end)
        if any(inside.overlap(span) for spans in gold.values() for span in spans):
            page += f"<p>{marked(reference.text, inside, {}, gold, 'show')}</p>"
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
    paper = name.split("_")[0]
    ours = result.wide(corpus, decimals)
    marks = ledger.load(paper).marks(name)
    if "tests" in result.extra:
        tests = result.extra["tests"].query("corpus == @corpus")
        marks |= better(tests, "t_test", {0.05: "†"})
    printed = published(paper, name)[[*metrics]]
    rows = ours.index.intersection(printed.index).union(printed.index, sort=False)
    both = beside(printed.loc[rows], ours).dropna(how="all")
    both = both if methods is None else both.loc[[*methods]]
    return Shown(both, decimals, best=best, marks=marks, caption=f"ours: {corpus}")


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


def verdicts(paper: str, *claims: str) -> Shown:
    """Show the verdicts on a paper's claims by the committed ledger, which rests on real data."""
    rows = pd.read_csv(OPEN / "ledger" / "verdicts.csv")
    rows = rows[(rows["paper"] == paper) & rows["id"].isin(claims)]
    by_claim = rows.set_index(["says", "corpus"])["verdict"]
    wide = by_claim.unstack("corpus", sort=False)  # noqa: PD010
    return Shown(wide.rename_axis(index=None, columns=None))
