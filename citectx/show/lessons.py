"""Helpers of lessons: what they show beside a formula and a table."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from citectx import ledger
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import unknown
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, prepare
from citectx.experiments.results import Result, read
from citectx.paths import RESULTS
from citectx.retrieval import RetrievalModel
from citectx.show.tables import Shown, beside, better, published
from citectx.show.viewer import Section, marked
from citectx.types import Floats, Span

if TYPE_CHECKING:
    from IPython.display import HTML

STATIC = "CITECTX_STATIC"
"""Set in the environment, it keeps widgets out: batch runs and tests compare static outputs."""

STYLE = Path(__file__).with_name("citectx.css")
OPEN = RESULTS / "open"
"""The committed tables of real data."""

Name = TypeVar("Name", str, int)


def explore(function: Callable[..., Any], **choices: Sequence[Any]) -> Any:
    """Let the reader change one thing and see it matter.

    Where ipywidgets is installed (the extra ``lab``), each choice becomes a slider if it is among
    numbers, else a drop-down list. Elsewhere, on a web page or in a batch run, the output is that
    of the first choices.

    Parameters
    ----------
    function : callable
        Takes one keyword for each choice and returns what to show.
    **choices : sequence
        Values of each keyword, the default first.

    Examples
    --------
    >>> os.environ[STATIC] = "1"
    >>> explore(lambda k: f"{k} spans", k=[3, 1, 5])
    '3 spans'
    """
    first = {name: values[0] for name, values in choices.items()}
    if os.environ.get(STATIC):
        return function(**first)
    try:
        from ipywidgets import Dropdown, SelectionSlider, interact
    except ImportError:
        print("to vary this with the mouse: pip install ipywidgets, or make lab")
        return function(**first)
    controls = {}
    for name, values in choices.items():
        numbers = all(isinstance(value, int | float) for value in values)
        control = SelectionSlider if numbers else Dropdown
        options = sorted(values) if numbers else list(values)
        controls[name] = control(options=options, value=values[0], description=name)
    interact(function, **controls)
    return None


def pick(
    corpus: Iterable[Topic],
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] | None = None,
) -> tuple[Topic, Citance]:
    """Look up a topic and one of its citances; None takes the first.

    Parameters
    ----------
    corpus : Corpus or topics
    topic, citance : str or int, optional
        Their names; 3 means "3".
    opens_on : (topic, citance), optional
        What is taken instead of the first where nothing is asked for, if the corpus has that topic.

    Raises
    ------
    ParameterError
        If there is no such topic or citance; the message lists those there are.
    """
    topics = {each.topic_id: each for each in corpus}
    if opens_on and opens_on[0] in topics and str(topic or opens_on[0]) == opens_on[0]:
        topic, citance = opens_on[0], citance or opens_on[1]
    chosen = topics[one_of("topic", topic, topics)]
    citances = {each.citance_id: each for each in chosen.citances}
    return chosen, citances[one_of(f"citance of {chosen.topic_id}", citance, citances)]


def one_of(kind: str, name: str | int | None, known: Iterable[Name]) -> Name:
    """Look one of several things up by its name; None takes the first.

    Raises
    ------
    ParameterError
        If there is none of that name; the message lists those there are.

    Examples
    --------
    >>> one_of("citation", "2", range(3)), one_of("class", None, ["Bac", "Con"])
    (2, 'Bac')
    """
    named = {str(each): each for each in known}
    if name is None:
        return next(iter(named.values()))
    if str(name) not in named:
        raise unknown(kind, str(name), named)
    return named[str(name)]


@dataclass
class Example:
    """One citance and its article as lists of words, to be followed by hand.

    Parameters
    ----------
    prepared : Prepared
        The topic.
    row : int
        Place of the citance among the topic's.
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
        return self.prepared.retrieve(self.scores(model), k or self.prepared.protocol.k)

    def show(self, *numbers: int) -> Shown:
        """Show candidates by their numbers, and whether an annotator marked them."""
        rows = {}
        for i in numbers:
            relevant = "yes" if self.prepared.relevant[self.row, i] else "no"
            text = self.prepared.candidates.text(i)
            rows[i] = {"words": len(self.sentences[i]), "marked": relevant, "text": text}
        return Shown(pd.DataFrame(rows).T.infer_objects())


def work_through(
    corpus: Corpus,
    topic: str | int | None = None,
    citance: str | int | None = None,
    opens_on: tuple[str, str] | None = None,
    protocol: Protocol = DEFAULT,
) -> Example:
    """Make one citance ready, which is chosen as `pick` does.

    >>> from citectx import load
    >>> one = work_through(load("teaching"), "D9001_TEACH", 3)
    >>> one.query[:3], len(one.sentences)
    (['tissues', 'dispatch', 'worn'], 58)
    """
    cited, chosen = pick(corpus, topic, citance, opens_on)
    ready = next(p for p in prepare(corpus, protocol) if p.topic is cited)
    return Example(ready, [c.citance_id for c in ready.citances].index(chosen.citance_id))


def show(topic: Topic, citance: Citance) -> "HTML":
    """Show a citance, and the paragraphs of the article in which annotators marked something."""
    from IPython.display import HTML

    page = "".join(_marked_paragraphs(topic, citance))
    style = STYLE.read_text("utf-8")
    return HTML(f'<div class="citectx"><style>{style}</style>{page}</div>')


def _marked_paragraphs(topic: Topic, citance: Citance) -> Iterator[str]:
    section = Section(citance.citance_id, citance.text, {}, citance.gold)
    yield f"<h4>Citing passage</h4><p>{escape(citance.text)}</p><h4>Marked in the article</h4>"
    spans = [span for marked_spans in citance.gold.values() for span in marked_spans]
    for block in topic.reference.blocks:
        inside = Span(block.start, block.end)
        if any(inside.overlap(span) for span in spans):
            yield f"<p>{marked(topic.reference.text, inside, section, 'show')}</p>"


def side_by_side(columns: Mapping[str, Sequence[tuple[str, str]]]) -> "HTML":
    """Lay texts out in titled columns, each text with a note of where it comes from.

    >>> side_by_side({"A": [("Cells <rest>.", "citance 1")]}).data.partition("</style>")[2]
    '<section><h4>A</h4><p>Cells &lt;rest&gt;.<br><small>citance 1</small></p></section></div>'
    """
    from IPython.display import HTML

    page = ""
    for title, texts in columns.items():
        lines = [f"<p>{escape(text)}<br><small>{escape(note)}</small></p>" for text, note in texts]
        page += f"<section><h4>{escape(title)}</h4>{''.join(lines)}</section>"
    return HTML(
        f'<div class="citectx beside"><style>{STYLE.read_text("utf-8")}</style>{page}</div>'
    )


def beside_paper(
    result: Result,
    corpus: str,
    metrics: Sequence[str],
    decimals: int = 1,
    methods: Sequence[str] | None = None,
    best: bool = True,
) -> Shown:
    """Show the paper's table and ours, a row for each method, or for those that are named.

    A dagger says: better than the best baseline, by the paper's test or by ours.
    """
    paper, name = result.experiment.split("_")[0], result.experiment
    ours = result.wide(corpus, decimals)
    marks = ledger.load(paper).marks(name)
    if "tests" in result.extra:
        tests = result.extra["tests"]
        marks |= better(tests[tests["corpus"] == corpus])
    printed = published(paper, name)[list(metrics)]
    rows = ours.index.intersection(printed.index).append(printed.index).unique()
    both = beside(printed.loc[rows], ours).dropna(how="all")
    both = both if methods is None else both.loc[list(methods)]
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
    rows = read(OPEN, table)
    rows = rows[rows["corpus"] == corpus]
    wide = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
    shown = wide.loc[list(methods), list(metrics)].rename_axis(index=None, columns=None)
    return Shown(shown, decimals, best=True, caption=f"{corpus}, real data")


def verdicts(paper: str, *claims: str) -> Shown:
    """Show what real data say to a paper's claims, by the committed ledger."""
    rows = pd.read_csv(OPEN / "ledger" / "verdicts.csv")
    rows = rows[(rows["paper"] == paper) & rows["id"].isin(claims)]
    wide = rows.set_index(["says", "corpus"])["verdict"].unstack("corpus", sort=False)  # noqa: PD010
    return Shown(wide.rename_axis(index=None, columns=None))
