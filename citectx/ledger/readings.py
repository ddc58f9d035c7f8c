"""Headline claims under every reading of a paper: what is declared, and how a reading is judged.

A *reading* is something that a paper leaves open and that can move a number. It is one choice for
all rows of a table, and never chosen by what it scores. ``papers/<paper>/readings.toml`` declares
each with its choices, the one that our tables have first, and the comparisons that are made again
under all of them: those on which the headline claims rest, and what must *not* have the same effect
if the paper's explanation is right (controls). A paper with another table that has readings of its
own declares them in ``readings-<what>.toml``, and the curve is called ``<paper>-<what>``.

A reading is judged by the rule that judges the tables (`citectx.ledger.checks`). Readings share
their data, so the share of those under which a claim holds has no error of its own; `chance` asks
instead how often the median effect over all readings would be as large if in each topic the two
rows had changed places at random.

Source: Simonsohn, Simmons and Nelson 2020, *Specification curve analysis*.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from citectx.errors import DataError, ParameterError, unknown
from citectx.ledger.checks import Best, better
from citectx.ledger.entries import FOLDER, Claim, Ledger, load
from citectx.ledger.results import CellKey, Number, Results, Scores
from citectx.ledger.rule import Comparison, Outcome, outcome
from citectx.ledger.view import View
from citectx.types import Floats

FILE = "readings{}.toml"
"""Holds ``-<what>`` where the braces are, or nothing."""

DRAWN = 100
"""So many combinations are drawn, beside those that change one thing."""

EXACT = 12
"""With so many topics, all ways to exchange the rows are tried; with more, 2 ** 12 drawn ones."""

Over = Literal["topics", "citances"]
OVER = "over"
"""A reading of this name says what means are over."""

Choices = Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """What a paper leaves open.

    Parameters
    ----------
    choices : list
        The one that our tables have comes first.
    open : str
        What the paper does not say.
    argued : str
        The object whose docstring argues for the first choice.
    """

    choices: list[Any]
    open: str
    argued: str = ""

    def __post_init__(self) -> None:
        if len(self.choices) < 2 or len({*map(repr, self.choices)}) < len(self.choices):
            raise ParameterError(
                f"choices: expected two or more different ones, not {self.choices}"
            )


@dataclass(frozen=True)
class Headline:
    """A comparison that a headline claim rests on, and what must not have the same effect.

    Parameters
    ----------
    claim : str
        Of the ledger.
    better : str
    than : tuple of str
        Whichever is best, if it is `citectx.ledger.checks.best_of` them.
    column : str
    controls : dict of str to str
        Rows that `better` must be ahead of, too, and what it would mean if it were not.
    """

    claim: str
    better: str
    than: tuple[str, ...]
    column: str
    controls: dict[str, str]

    @property
    def label(self) -> str:
        """Names the comparison among those of its claim."""
        rivals = "the best baseline" if isinstance(self.than, Best) else self.than[0]
        return f"{self.better} over {rivals} in {self.column}"


@dataclass(frozen=True)
class Declared:
    """The readings of a paper, and the comparisons that are made under each.

    Parameters
    ----------
    name : str
        The paper's, or ``<paper>-<what>``.
    paper : str
    corpora : tuple of str
        The open corpora on which they are made.
    over : {"topics", "citances"}
        What means are over, unless a reading says.
    readings : mapping of str to Reading
    headlines : tuple of Headline
    drawn : int
        How many combinations are drawn where there are too many for all.
    """

    name: str
    paper: str
    corpora: tuple[str, ...]
    over: Over
    readings: Mapping[str, Reading]
    headlines: tuple[Headline, ...]
    drawn: int = DRAWN

    @property
    def default(self) -> dict[str, Any]:
        """The reading that our tables have."""
        return {name: each.choices[0] for name, each in self.readings.items()}

    @property
    def combinations(self) -> int:
        """How many there are."""
        return prod(len(each.choices) for each in self.readings.values())

    def specifications(
        self, *, vary: Sequence[str] = (), drawn: int | None = None, seed: int = 0
    ) -> list[dict[str, Any]]:
        """List the readings to compute, the declared one first.

        Those that change one thing, and others drawn; all, if there are no more than these.

        Parameters
        ----------
        vary : sequence of str
            The readings that are left open; by default all.
        drawn : int, optional
            Another number than the declared one; with 0, one choice at a time is all.
        seed : int

        Raises
        ------
        ParameterError
            If there is no such reading.
        """
        drawn = self.drawn if drawn is None else drawn
        for name in vary:
            if name not in self.readings:
                raise unknown("reading", name, self.readings)
        open_ = {name: each.choices for name, each in self.readings.items()}
        if vary:
            open_ = {n: choices if n in vary else choices[:1] for n, choices in open_.items()}
        options, found = [*open_.values()], [self.default]
        for name, choices in open_.items():
            found += [self.default | {name: choice} for choice in choices[1:]]
        if prod(map(len, options)) <= len(found) + drawn:
            return [dict(zip(self.readings, values, strict=True)) for values in product(*options)]
        rng = np.random.default_rng(seed)
        wanted = len(found) + drawn
        while len(found) < wanted:
            places = [int(rng.integers(len(choices))) for choices in options]
            values = [choices[i] for choices, i in zip(options, places, strict=True)]
            one = dict(zip(self.readings, values, strict=True))
            if one not in found:
                found.append(one)
        return found


@cache
def declarations() -> dict[str, Path]:
    """Find the files that declare readings, by the names of their curves, in order."""
    found = {}
    for file in sorted(FOLDER.glob(f"*/{FILE.format('*')}")):
        found[_name(file.parent.name, file)] = file
    return dict(sorted(found.items()))


def _name(paper: str, file: Path) -> str:
    """Name the curve of a declaration.

    >>> _name("doe2001", Path("readings-summaries.toml"))
    'doe2001-summaries'
    """
    start = FILE.partition("{")[0]
    return paper + file.stem.removeprefix(start)


@cache
def declared(name: str) -> Declared:
    """Read what is declared for a paper, or for another table of it (``<paper>-<what>``), once.

    Raises
    ------
    ParameterError
        If nothing is declared by this name.
    """
    known = declarations()
    if name not in known:
        raise unknown("paper with readings", name, known)
    return read(known[name], load(known[name].parent.name))


def read(file: Path, ledger: Ledger) -> Declared:
    """Read and check a declaration.

    Raises
    ------
    DataError
        Naming the file: if it is no TOML, or lacks a field, a reading has fewer than two choices,
        or a headline names no claim of the ledger.
    """
    try:
        content = tomllib.loads(file.read_text("utf-8"))
        readings = {name: Reading(**entry) for name, entry in content["readings"].items()}
        headlines = tuple(_headline(entry, ledger) for entry in content["headlines"])
        means = (tuple(content["corpora"]), content["over"])
    except (ValueError, TypeError, KeyError, ParameterError) as error:
        raise DataError(f"declares no readings: {error}", file=file) from error
    name, drawn = _name(ledger.paper, file), content.get("drawn", DRAWN)
    return Declared(name, ledger.paper, *means, readings, headlines, drawn)


def _headline(entry: Mapping[str, Any], ledger: Ledger) -> Headline:
    claim, than = entry["claim"], entry["than"]
    if claim not in ledger.claims:
        raise unknown("claim", claim, ledger.claims)
    if isinstance(than, dict):
        rivals: tuple[str, ...] = Best(than["best_of"])
    else:
        rivals = (than,) if isinstance(than, str) else tuple(than)
    return Headline(claim, entry["better"], rivals, entry["in"], entry.get("controls", {}))


class Scored(Results):
    """The scores of some rows under one reading, seen as results are.

    Parameters
    ----------
    scores : DataFrame
        Columns topic, citance, method and the measures; every method on the same citances.
    over : {"topics", "citances"}
    """

    def __init__(self, scores: pd.DataFrame, over: Over) -> None:
        super().__init__(())
        self.wide = scores.pivot_table(index=["topic", "citance"], columns="method")
        self.over = over

    def table(self, experiment: str) -> dict[CellKey, Number]:  # noqa: ARG002
        """Return the mean of each cell, for whatever experiment and corpus ""."""
        topics = self.wide.groupby(level="topic").mean()
        units = topics if self.over == "topics" else self.wide
        cells = {}
        for i, (metric, method) in enumerate([*units.columns]):
            value = float(units.iloc[:, i].mean())
            cells["", str(method), str(metric)] = Number(value, np.nan, np.nan, len(units))
        return cells

    def scores(
        self,
        experiment: str,  # noqa: ARG002
        corpus: str,  # noqa: ARG002
        method: str,
        metric: str,
    ) -> "Scores | None":
        """Return a row's scores by (topic, citance)."""
        column: Scores = self.wide[metric, method]
        return column


def judged(name: str, scores: pd.DataFrame, choices: Choices) -> pd.DataFrame:
    """Judge the headlines of a paper under one reading.

    Parameters
    ----------
    name : str
        As `declared` takes it.
    scores : DataFrame
        As `Scored` takes them.
    choices : mapping of str to object

    Returns
    -------
    DataFrame
        A row for each headline that has its rows, and for each of its controls: claim, headline,
        against, role ("claim" or "control"), effect, ci_low, ci_high, published, verdict; and
        ``topics``, a series of what each topic contributes to the effect.
    """
    found = declared(name)
    ledger = load(found.paper)
    over: Over = choices.get(OVER, found.over)
    results, methods = Scored(scores, over), {*scores["method"]}
    rows = []
    for each in found.headlines:
        if not {each.better, *each.than} <= methods:
            continue
        claim = ledger[each.claim]
        view = _view(claim, ledger, results)
        rival = max(each.than, key=lambda row, c=each.column: view.value(row, c))  # type: ignore[misc]
        form = better(each.better, each.than, each.column)
        rows.append(_row(each, rival, "claim", view, form.judge(view)))
        for control in each.controls:
            difference = view.difference(each.better, control, each.column)
            made = Comparison(f"{each.better} over {control}", difference)
            rows.append(_row(each, control, "control", view, outcome(made, ())))
    return pd.DataFrame(rows)


def _view(claim: Claim, ledger: Ledger, results: Results) -> View:
    published = ledger.published(claim.tables)
    return View(results, claim.tables, "", published, ledger.relative(claim))


def _row(each: Headline, rival: str, role: str, view: View, found: Outcome) -> dict[str, Any]:
    one, two = view.cell(each.better, each.column), view.cell(rival, each.column)
    if one is None or two is None:
        raise DataError(f"{each.better} or {rival} has no scores", file=each.claim)
    ends = {"effect": found.effect, "ci_low": found.ci_low, "ci_high": found.ci_high}
    about = {"claim": each.claim, "headline": each.label, "against": rival, "role": role}
    topics = one.shares * (one.means - two.means)
    return about | ends | {"published": found.published, "verdict": found.verdict, "topics": topics}


def chance(contributions: Floats, seed: int = 0) -> float:
    """Return how often the median effect is as large with rows exchanged at random in each topic.

    Two-sided. Exchanging two rows in a topic changes the sign of what it contributes, under all
    readings at once, as they share its text.

    Parameters
    ----------
    contributions : float array, shape (readings, topics)
        Their sum over topics is the effect.
    seed : int

    Examples
    --------
    >>> chance(np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 1.5]]))
    0.25
    """
    topics = contributions.shape[1]
    if topics <= EXACT:
        signs = np.array([*product((1.0, -1.0), repeat=topics)])
    else:
        signs = np.random.default_rng(seed).choice((1.0, -1.0), size=(2**EXACT, topics))
        signs[0] = 1.0
    medians = np.median(signs @ contributions.T, axis=1)
    return float((np.abs(medians) >= abs(medians[0]) - 1e-12).mean())


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Count under how many readings each comparison has which verdict.

    Parameters
    ----------
    table : DataFrame
        Rows of `judged` of one corpus, under several readings, the declared one first.

    Returns
    -------
    DataFrame
        Columns headline, against ("" for the claim's own rivals), readings, holds, contradicted,
        ahead, declared, smallest, median, largest (effects) and `chance`.
    """
    rows = []
    named = table.assign(against=table["against"].where(table["role"] == "control", ""))
    for (headline, against), own in named.groupby(["headline", "against"], sort=False):
        effects, verdicts = own["effect"], own["verdict"]
        row: dict[str, Any] = {"claim": own["claim"].iloc[0], "headline": headline}
        row |= {"against": against, "readings": len(own)}
        row |= {name: int((verdicts == name).sum()) for name in ("holds", "contradicted")}
        row |= {"ahead": int((effects > 0).sum()), "declared": effects.iloc[0]}
        row |= {"smallest": effects.min(), "median": effects.median(), "largest": effects.max()}
        contributions = pd.DataFrame([*own["topics"]]).fillna(0.0)  # a topic may not be in all
        row["chance"] = chance(contributions.sort_index(axis=1).to_numpy())
        rows.append(row)
    return pd.DataFrame(rows)
