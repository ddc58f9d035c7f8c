"""Headline claims under every reading of a paper: what is declared, and how a reading is judged.

A *reading* is something that a paper leaves open and that can move a number. It is one choice for
all rows of a table, and never chosen by what it scores. ``papers/<paper>/readings.py`` declares
`CURVES`: for each table its readings with their choices, the one that our tables have first, and
the comparisons that are made again under all of them: those on which the headline claims rest, and
what must *not* have the same effect if the paper's explanation is right (controls). Where a claim
holds and a control does so in its place, the verdict says so.
``python -m citectx.papers.<paper> readings`` judges them on the open corpora. Scores are kept in
the cache, so an interrupted command continues where it stopped.

A reading is judged by the rule that judges the tables (`citectx.ledger.rule`). Readings share their
data, so the share of those under which a claim holds has no error of its own; `chance` asks instead
how often the median effect over all readings would be as large if in each topic the two rows had
changed places at random.

Source: Simonsohn, Simmons and Nelson 2020, *Specification curve analysis*.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from itertools import product
from math import prod
from typing import Any, Literal

import numpy as np
import pandas as pd

from citectx import parallel, profiles
from citectx.cache import cached
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.ledger.checks import Best, better
from citectx.ledger.entries import FOLDER, load
from citectx.ledger.rule import AS_CONTROL
from citectx.ledger.verdicts import aligned
from citectx.ledger.view import ByTopic, View
from citectx.types import Floats

SEED = 0
"""Of what is drawn: combinations, and exchanges of rows."""

EXACT = 12
"""With so many topics, all ways to exchange the rows are tried; with more, 2 ** 12 drawn ones."""

AFTER = ("over", "part")
"""Readings decided when scores are there: what means are over, which part of ROUGE counts."""

COUNTS = (
    *("median", "smallest", "largest", "declared", "chance"),
    *("run", "readings", "ahead", "holds", "as control", "contradicted"),
)
NUMBERS = ["effect", "ci_low", "ci_high"]
Choices = Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """What a paper leaves open: choices, of which our tables have the first.

    ``open`` says what the paper does not say, ``argued`` names the object whose docstring argues
    for the first choice.
    """

    choices: tuple[Any, ...]
    open: str
    argued: str


@dataclass(frozen=True)
class Headline:
    """A comparison that a claim of the ledger rests on, and what must not have the same effect.

    ``than`` is one rival, or `citectx.ledger.checks.best_of` several. ``controls`` are rows that
    ``better`` must be ahead of, too, and what it would mean if it were not.
    """

    claim: str
    better: str
    than: tuple[str, ...]
    column: str
    controls: Mapping[str, str]

    @property
    def label(self) -> str:
        """Names the comparison among those of its claim."""
        rivals = "the best baseline" if isinstance(self.than, Best) else self.than[0]
        return f"{self.better} over {rivals} in {self.column}"


@dataclass(frozen=True)
class Curve:
    """The readings of a table, and the comparisons that are made under each.

    Parameters
    ----------
    name : str
        The paper's, or ``<paper>-<what>`` for a table that has readings of its own.
    corpora : tuple of str
        The open corpora on which they are made.
    over : {"topics", "citances"}
        What means are over, unless a reading of the name "over" says.
    readings : mapping of str to Reading
    headlines : tuple of Headline
    scores : callable
        Takes a corpus and one choice of each reading; returns the scores of the rows of the
        headlines: columns topic, citance, method and the measures.
    data : callable
        Returns a hash of what scores are computed from on a corpus.
    takes : str
        How long it takes on two cores.
    drawn : int
        How many combinations are drawn, beside those that change one thing.
    """

    name: str
    corpora: tuple[str, ...]
    over: Literal["topics", "citances"]
    readings: Mapping[str, Reading]
    headlines: tuple[Headline, ...]
    scores: Callable[[str, Choices], pd.DataFrame] = field(repr=False)
    data: Callable[[str], str] = field(repr=False)
    takes: str
    drawn: int = 100

    @property
    def paper(self) -> str:
        """Whose claims these are."""
        return self.name.partition("-")[0]

    @property
    def experiment(self) -> str:
        """Name of the table that counts verdicts."""
        return f"{self.name.replace('-', '_')}_curve"

    def specifications(self) -> list[dict[str, Any]]:
        """List the readings to compute, the declared one first.

        Those that change one thing, and others drawn; all, if there are no more than these.
        """
        choices = {name: each.choices for name, each in self.readings.items()}
        default = {name: taken[0] for name, taken in choices.items()}
        found = [default]
        for name, (_, *others) in choices.items():
            found += [default | {name: choice} for choice in others]
        wanted = len(found) + self.drawn
        if prod(map(len, choices.values())) <= wanted:
            combinations = product(*choices.values())
            return [dict(zip(choices, each, strict=True)) for each in combinations]
        rng = np.random.default_rng(SEED)
        while len(found) < wanted:
            one = {name: own[rng.integers(len(own))] for name, own in choices.items()}
            if one not in found:
                found.append(one)
        return found


@cache
def curves() -> dict[str, Curve]:
    """Return what is declared for all papers, by name.

    >>> list(curves())[:2]
    ['acl2008', 'lrec2016']
    """
    papers = sorted(file.parent.name for file in FOLDER.glob("*/readings.py"))
    modules = [import_module(f"citectx.papers.{paper}.readings") for paper in papers]
    return {curve.name: curve for module in modules for curve in module.CURVES}


def scores(curve: Curve, corpus: str, choices: Choices) -> pd.DataFrame:
    """Score a table's rows under one reading, or take the scores that are kept."""
    key = corpus, curve.data(corpus), json.dumps(choices, sort_keys=True)
    where = f"readings-{curve.name}", curve.scores.__module__

    def compute() -> dict[Any, list[Any]]:
        frame = curve.scores(corpus, choices)
        return frame.to_dict("list")

    return pd.DataFrame(cached(*where, key, compute))


def judge(curve: Curve, scored: pd.DataFrame, choices: Choices) -> pd.DataFrame:
    """Judge the headlines of a paper under one reading.

    Parameters
    ----------
    curve : Curve
    scored : DataFrame
        Columns topic, citance, method and the measures; every method on the same citances. With a
        column ``part``, the reading of this name says which rows count.
    choices : mapping of str to object

    Returns
    -------
    DataFrame
        A row for each headline that has its rows, and for each of its controls: claim, headline,
        against, role ("claim" or "control"), effect, ci_low, ci_high, published, verdict; and
        ``topics``, a series of what each topic contributes to the effect.
    """
    if "part" in scored:
        scored = scored[scored["part"] == choices["part"]].drop(columns="part")
    values, topics = aligned(scored.assign(corpus="", table=0))
    over_topics = choices.get("over", curve.over) == "topics"
    n = len({*topics.tolist()}) if over_topics else len(topics)
    numbers = {cell: (ByTopic.of(own, topics, n).mean, n) for cell, own in values.items()}
    names = sorted(scored["topic"].unique())
    ledger = load(curve.paper)
    rows = list[dict[str, Any]]()
    for headline in curve.headlines:
        wanted = product((headline.better, *headline.than), [headline.column])
        if values.keys() >= {*wanted}:
            claim = ledger[headline.claim]
            paper = ledger.published(claim.tables), ledger.relative(claim)
            rows += compare(headline, View(numbers, values, topics, *paper), names)
    return pd.DataFrame(rows)


def compare(headline: Headline, view: View, topics: list[str]) -> Iterator[dict[str, Any]]:
    """Compare a row with its rivals, then with its controls; yield a row of `judge` for each."""
    row, than, column = headline.better, headline.than, headline.column
    outcome = better(row, than, column).judge(view)
    effects = {rival: view.difference(row, rival, column).effect for rival in than}
    strongest = next(rival for rival in than if effects[rival] == outcome.effect)
    others = [better(control, than, column).judge(view).verdict for control in headline.controls]
    if outcome.verdict == "holds" and "holds" in others:
        outcome = outcome._replace(verdict=AS_CONTROL)
    compared = {strongest: ("claim", outcome)}
    for control in headline.controls:
        compared[control] = "control", better(row, control, column).judge(view)
    for against, (role, judged) in compared.items():
        one = view.by_topic(row, column)
        two = view.by_topic(against, column)
        numbers = {name: getattr(judged, name) for name in (*NUMBERS, "published", "verdict")}
        moves: Any = one.shares * (one.means - two.means) if one and two else []
        about: dict[str, Any] = {"claim": headline.claim, "headline": headline.label}
        about |= {"against": against, "role": role, "topics": pd.Series(moves, topics)}
        yield about | numbers


def chance(contributions: Floats) -> float:
    """Return how often the median effect is as large with rows exchanged at random in each topic.

    Two-sided. Exchanging two rows in a topic changes the sign of what it contributes, under all
    readings at once, as they share its text.

    Parameters
    ----------
    contributions : float array, shape (readings, topics)
        Their sum over topics is the effect.

    Examples
    --------
    >>> chance(np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 1.5]]))
    0.25
    """
    topics = contributions.shape[1]
    if topics <= EXACT:
        signs = np.array([*product((1.0, -1.0), repeat=topics)])
    else:
        rng = np.random.default_rng(SEED)
        signs = rng.choice((1.0, -1.0), size=(2**EXACT, topics))
        signs[0] = 1.0
    sizes = np.abs(np.median(signs @ contributions.T, axis=1))
    return float((sizes >= sizes[0] - 1e-12).mean())


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Count under how many readings each comparison has which verdict.

    Readings with the very same result count once.

    Parameters
    ----------
    table : DataFrame
        Rows of `judge` of one corpus, under several readings, the declared one first.

    Returns
    -------
    DataFrame
        Columns headline, against ("" for the claim's own rivals) and `COUNTS`.
    """
    control = table["against"].where(table["role"] == "control", "")
    rows = []
    for about, own in table.groupby([table["headline"], control], sort=False):
        distinct = own[~own[NUMBERS].round(9).duplicated()]
        effects, verdicts = distinct["effect"], distinct["verdict"].value_counts()
        sizes = effects.median(), effects.min(), effects.max(), effects.iloc[0]
        topics = pd.DataFrame([*distinct["topics"]]).fillna(0.0)  # a topic may not be in all
        by_chance = chance(topics.sort_index(axis=1).to_numpy())
        counts = [verdicts.get(name, 0) for name in ("holds", AS_CONTROL, "contradicted")]
        of = len(own), len(distinct), (effects > 0).sum()
        rows.append((*about, *sizes, by_chance, *of, *counts))
    return pd.DataFrame(rows, columns=["headline", "against", *COUNTS])


def run(curve: Curve, corpora: Sequence[str] = (), **how: Any) -> Result:
    """Judge the headline claims of a table under many readings of it.

    Parameters
    ----------
    curve : Curve
        One of `curves`.
    corpora : sequence of str
        By default those that are declared.
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Returns
    -------
    Result
        A row for each headline and control; its ``metric`` is one of `COUNTS`. With the extra table
        ``readings``: a row for each of them under each reading, with effect, interval and verdict.
    """
    parts, listed = [], curve.specifications()
    scored = [{k: v for k, v in choices.items() if k not in AFTER} for choices in listed]
    distinct = {json.dumps(choices): choices for choices in scored}
    for corpus in corpora or curve.corpora:
        score = partial(scores, curve, corpus)
        label = f"{curve.name}: {corpus}"
        found = parallel.run(score, distinct.values(), label=label, **how)
        kept, rows = dict(zip(distinct, found, strict=True)), []
        for key, choices in zip(map(json.dumps, scored), listed, strict=True):
            told = {name: str(choice) for name, choice in choices.items()}
            judged = judge(curve, kept[key], choices)
            rows.append(judged.assign(**told))
        parts.append(report(curve, corpus, pd.concat(rows, ignore_index=True)))
    return Result.of(curve.experiment, parts)


def report(curve: Curve, corpus: str, table: pd.DataFrame) -> Result:
    """Report on one corpus: rows of `judge` under all readings, and what is counted of them."""
    cells = []
    for row in counted(table).to_dict("records"):
        n, label = int(row["run"]), row["headline"]
        label += f", control: {row['against']}" if row["against"] else ""
        cells += [Cell(label, metric, float(row[metric]), n) for metric in COUNTS]
    params = {"readings": {name: [*map(str, r.choices)] for name, r in curve.readings.items()}}
    long = table.drop(columns="topics")
    long.insert(0, "corpus", corpus)
    return Result(
        curve.experiment,
        tabulate(curve.experiment, corpus, cells, SEED, params),
        extra={"readings": long},
        data={corpus: curve.data(corpus)},
    )


def main(paper: str) -> None:
    """Run ``python -m citectx.papers.<paper> readings``."""
    if sys.argv[1:] != ["readings"]:
        sys.exit(f"usage: python -m citectx.papers.{paper} readings")
    for curve in curves().values():
        if curve.paper == paper:
            listed = len(curve.specifications())
            print(f"{curve.name}: {listed} readings, about {curve.takes} on two cores", flush=True)
            result = run(curve, jobs=os.cpu_count() or 1, progress=True)
            command = f"python -m citectx.papers.{paper} readings"
            folder = profiles.profile("open").results / curve.experiment
            print(result.write(folder, command=command))
