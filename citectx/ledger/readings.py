"""Headline claims under every reading of a paper: what is declared, and how a reading is judged.

A *reading* is something that a paper leaves open and that can move a number. It is one choice for
all rows of a table, and never chosen by what it scores. ``papers/<paper>/readings.py`` declares
`CURVES`: for each table its readings with their choices, the one that our tables have first, and
the comparisons that are made again under all of them: those on which the headline claims rest, with
the controls that their claims declare. ``python -m citectx.papers PAPER`` judges them on the open
corpora. Scores are kept in the cache, so an interrupted command continues where it stopped.

A reading is judged by the rule that judges the tables (`citectx.ledger.rule`). Readings share their
data, so the share of those under which a claim holds has no error of its own; `chance` asks instead
how often the median effect over all readings would be as large if in each topic the row and its
rivals had changed places at random.

Source: Simonsohn, Simmons and Nelson 2020, *Specification curve analysis*.
"""

import os
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from citectx import parallel, profiles
from citectx.experiments.report import KEYS, Cell, tabulate
from citectx.experiments.results import DECIMALS, Result, cached_frame, fingerprint
from citectx.ledger.claim import Best, Claim, Order, better, load, papers
from citectx.ledger.evidence import Evidence
from citectx.ledger.rule import BELOW, NO_CONTROL, NOT_BEYOND
from citectx.ledger.verdicts import judge_with
from citectx.types import Floats

SEED = 0
"""The seed by which combinations of choices, and exchanges of rows, are drawn."""

EXACT = 12
"""Up to how many topics all ways to exchange rows are tried; beyond it, 2 ** 12 drawn ones."""

NUMBERS = ["effect", "ci_low", "ci_high"]
COUNTED = {
    "holds": "holds",
    "no control": NO_CONTROL,
    "not beyond": NOT_BEYOND,
    "below": BELOW,
    "contradicted": "contradicted",
}
"""Verdicts that are counted, by their names in the table."""

BY_TOPIC = "by topic"
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


load_corpus = cache(profiles.load)
"""Reads a corpus once, whichever readings it is scored under."""


@cache
def hash_of(corpus: str) -> str:
    """Hash the texts and annotations of a corpus."""
    return fingerprint(load_corpus(corpus))


EVIDENCE = Reading(
    ("strict", "as published"),
    "whether the first of a run of neighbouring sentences is evidence, or was added",
    "citectx.corpora.citation_integrity_31:read",
)
"""What the confirmation leaves open: it has a twin with its evidence as published."""


@dataclass(frozen=True)
class Headline:
    """A comparison that a claim of the ledger rests on.

    ``than`` is one rival, or `citectx.ledger.claim.best_of` several.
    """

    claim: str
    better: str
    than: tuple[str, ...]
    column: str

    @property
    def label(self) -> str:
        """Names the comparison among those of its claim."""
        return f"{self.better} over {name_rival(self.check)} in {self.column}"

    @property
    def check(self) -> Order:
        """The comparison."""
        return better(self.better, self.than, self.column)

    def controls(self, claim: Claim) -> dict[str, Order]:
        """Return the controls of the claim that are about this row, by what it must be ahead of.

        They are in this column, if they are in one of the claim's.
        """
        whole = claim.check
        assert isinstance(whole, Order)
        controls = {}
        for control in claim.all_controls:
            if self.better in control.rows:
                # in the claim's own columns it is narrowed as the claim is
                is_alike = {*control.columns} <= {*whole.columns}
                narrow = replace(control, rows=(self.better,), rule="each")
                if control.rivals == whole.rivals:
                    narrow = replace(narrow, rivals=self.than)
                if is_alike:
                    narrow = replace(narrow, columns=(self.column,))
                name = name_rival(narrow)
                controls[name if is_alike else f"{name} in {narrow.columns[0]}"] = narrow
        return controls


def name_rival(order: Order) -> str:
    """Name what a row is compared with."""
    rivals = (*order.rivals, *order.minus[:1])
    return "the best baseline" if isinstance(order.rivals, Best) else rivals[-1]


@dataclass(frozen=True)
class Curve:
    """The readings of a table, and the comparisons that are made under each.

    Parameters
    ----------
    name : str
        The table that counts verdicts: the paper's key, and what it is about.
    corpora : tuple of str
        The open corpora on which they are made.
    readings : mapping of str to Reading
        One of the name "over" says whether means are over citances or topics; else over citances.
    headlines : tuple of Headline
    scores : callable
        Takes a corpus and one choice of each reading; returns the scores of the rows of the
        headlines: columns topic, citance, method and the measures, every method on the same
        citances.
    data : callable
        Returns a hash of what scores are computed from on a corpus, by default `hash_of` it.
    drawn : int, optional
        How many combinations are drawn, beside those that change one thing; None for all there are.
    """

    name: str
    corpora: tuple[str, ...]
    readings: Mapping[str, Reading]
    headlines: tuple[Headline, ...]
    scores: Callable[[str, Choices], pd.DataFrame]
    data: Callable[[str], str] = hash_of
    drawn: int | None = 100

    @property
    def paper(self) -> str:
        """Whose claims these are."""
        return self.name.partition("_")[0]

    def specifications(self) -> list[dict[str, Any]]:
        """List the combinations of choices to compute, the declared one first."""
        choices = {name: reading.choices for name, reading in self.readings.items()}
        if self.drawn is None:
            return [dict(zip(choices, each, strict=True)) for each in product(*choices.values())]
        # the declared combination has the first choice of each reading
        default = {name: first for name, (first, *_) in choices.items()}
        listed = [default]
        for name, (_, *others) in choices.items():
            listed += [default | {name: choice} for choice in others]
        # then combinations at random, each once
        wanted = len(listed) + self.drawn
        rng = np.random.default_rng(SEED)
        while len(listed) < wanted:
            drawn = {name: options[rng.integers(len(options))] for name, options in choices.items()}
            if drawn not in listed:
                listed.append(drawn)
        return listed


def confirm(curve: Curve, corpus: str, stage: str = "confirmed", **more: Reading) -> Curve:
    """Return the curve of another stage: each choice alone, and what its corpus leaves open.

    >>> curve = Curve("made_up_curve", ("explored",), {}, (), lambda *_: pd.DataFrame())
    >>> confirm(curve, "more").name
    'made_up_confirmed_curve'
    """
    name = curve.name.replace("_curve", f"_{stage}_curve")
    readings = {**curve.readings, **more}
    return replace(curve, name=name, corpora=(corpus,), readings=readings, drawn=0)


def judge(curve: Curve, corpus: str, choices: Choices) -> pd.DataFrame:
    """Judge the headlines of a paper under one reading.

    Returns
    -------
    DataFrame
        A row for each headline, against the rival that decides, and for each of its controls:
        corpus, claim, headline, against, role ("claim" or "control"), effect, ci_low, ci_high,
        published, verdict and the choices as text. `BY_TOPIC` has what each topic contributes to
        the effect over each rival.
    """
    # the corpus has a twin with its evidence as published
    read = f"{corpus}-published" if choices.get("evidence") == "as published" else corpus
    scored = curve.scores(read, choices)
    table = cells_of(scored, choices)
    ledger = load(curve.paper)
    rows = []
    for headline in curve.headlines:
        claim = ledger[headline.claim].on(corpus)
        paper = ledger.published(claim.tables)
        evidence = Evidence([(table, scored)], paper, ledger.relative(claim))
        # by what the row must be ahead of; the comparison itself has no such name
        declared = {"": headline.check, **headline.controls(claim)}
        orders = {name: one for name, one in declared.items() if not evidence.lacks(one.cells())}
        if "" not in orders:
            continue  # a reading may leave out a row
        verdicts = judge_with(evidence, *orders.values())
        for (against, order), judged in zip(orders.items(), verdicts, strict=True):
            _, _, rival = order.pairs()[judged.pair[0]]
            effect, low, high = judged.first.numbers
            rows.append(
                {
                    "corpus": corpus,
                    "claim": headline.claim,
                    "headline": headline.label,
                    "against": against or rival,
                    "role": "control" if against else "claim",
                    "effect": effect,
                    "ci_low": low,
                    "ci_high": high,
                    "published": judged.paper,
                    "verdict": judged.verdict[0],
                    BY_TOPIC: contributions(order, evidence),
                }
            )
    taken = {name: str(choice) for name, choice in choices.items()}
    return pd.DataFrame(rows).assign(**taken)


def cells_of(scored: pd.DataFrame, choices: Choices) -> pd.DataFrame:
    """List the cells that scores have, with how many units each is a mean of."""
    unit = ["topic"] if choices.get("over") == "topics" else ["topic", "citance"]
    units = len(scored[unit].drop_duplicates())
    cells = product(scored["method"].unique(), scored.columns.drop(KEYS), [np.nan], [units])
    return pd.DataFrame(cells, columns=["method", "metric", "value", "n"])


def contributions(check: Order, evidence: Evidence) -> pd.DataFrame:
    """Return what each topic contributes to each effect, of which the smallest counts."""
    scores = evidence.scores(check.cells())
    # (versions, cells, topics): the topic's share of each mean
    parts = scores.shares * scores.means
    return pd.DataFrame(check.contrasts() @ parts[0], columns=evidence.topics)


def chance(contributions: Floats) -> float:
    """Return how often the median effect is as large with rows exchanged at random in each topic.

    Two-sided. Exchanging a row with its rivals in a topic changes the sign of what it contributes,
    under all readings at once, as they share its text. The strongest rival is chosen again.

    Parameters
    ----------
    contributions : float array, shape (readings, rivals, topics)
        Their sum over topics is the effect.

    Examples
    --------
    >>> chance(np.array([[[1.0, 2.0, 1.0]], [[2.0, 1.0, 1.5]]]))
    0.25
    """
    topics = contributions.shape[-1]
    if topics <= EXACT:
        signs = np.array([*product((1.0, -1.0), repeat=topics)])
    else:
        rng = np.random.default_rng(SEED)
        signs = rng.choice((1.0, -1.0), size=(2**EXACT, topics))
        # the data as they are count among the exchanges
        signs[0] = 1.0
    # the strongest rival is the one with the smallest effect
    effects = (contributions @ signs.T).min(axis=1)  # (readings, exchanges)
    sizes = np.abs(np.median(effects, axis=0))
    # sums that differ in their last digits are as large
    return float((sizes >= sizes[0] - 1e-12).mean())


def count_verdicts(table: pd.DataFrame) -> list[Cell]:
    """Count under how many readings each comparison has which verdict.

    ``table`` has the rows of `judge` of one corpus under several readings, the declared one first.
    Those whose results are the same in all decimals that are written count once.
    """
    control = ", control: " + table["against"]
    labels = table["headline"] + control.where(table["role"] == "control", "")
    cells: list[Cell] = []
    for label, rows in table.groupby(labels, sort=False):
        written = rows[NUMBERS].round(DECIMALS)
        is_new = ~written.duplicated()
        distinct = rows[is_new]
        effects = distinct["effect"]
        by_topic = pd.concat([*distinct[BY_TOPIC]])
        by_topic = by_topic.fillna(0.0).sort_index(axis=1)
        shape = len(distinct), -1, by_topic.shape[1]  # a topic may not be in all
        verdicts = distinct["verdict"].tolist()
        counts = {
            "median": effects.median(),
            "smallest": effects.min(),
            "largest": effects.max(),
            "declared": effects.iloc[0],
            "chance": chance(by_topic.to_numpy().reshape(shape)),
            "run": len(rows),
            "readings": len(distinct),
            "ahead": (written["effect"][is_new] > 0).sum(),
        }
        counts |= {name: verdicts.count(verdict) for name, verdict in COUNTED.items()}
        cells += [Cell(str(label), name, float(size), len(rows)) for name, size in counts.items()]
    return cells


def run(curve: Curve, **how: Any) -> Result:
    """Judge the headline claims of a table under many readings of it.

    Jobs and progress are those of `citectx.parallel.run`. The table has the counts of
    `count_verdicts`, the extra table ``readings`` the rows of `judge`.
    """
    parts = []
    choices = {name: [*map(str, reading.choices)] for name, reading in curve.readings.items()}
    for corpus in curve.corpora:
        under = partial(judge, curve, corpus)
        frames = parallel.run(under, curve.specifications(), label=corpus, **how)
        judged = pd.concat(frames, ignore_index=True)
        table = tabulate(curve.name, corpus, count_verdicts(judged), SEED, {"readings": choices})
        extra = {"readings": judged.drop(columns=BY_TOPIC)}
        parts.append(Result(curve.name, table, extra=extra, data={corpus: curve.data(corpus)}))
    return Result.of(curve.name, parts)


def score_once(curve: Curve, corpus: str, choices: Choices) -> pd.DataFrame:
    """Score a table's rows under one reading, or take the scores that are kept."""
    scored = {name: choice for name, choice in choices.items() if name != "over"}
    # "over" says how scores are averaged, and changes none of them
    key = corpus, curve.data(corpus), sorted(scored.items())
    compute = partial(curve.scores, corpus, choices)
    # the paper's module, whose code its scores depend on
    return cached_frame(f"readings-{curve.name}", curve.scores.__module__, key, compute)


def main() -> None:
    """Run ``python -m citectx.papers PAPER``."""
    parser = ArgumentParser("python -m citectx.papers")
    parser.add_argument("paper", choices=papers(), help="whose readings are judged")
    parser.add_argument("--controls", action="store_true", help="run those added later instead")
    parser.add_argument("--curve", default="", help="only the readings of this name")
    asked = parser.parse_args()
    results = profiles.profile("open").results
    command = f"{parser.prog} {asked.paper}"
    if asked.controls and asked.paper != "naacl2015":
        parser.error("only naacl2015 has controls that were added later")
    if asked.controls:
        later = import_module(f"citectx.papers.{asked.paper}.controls")
        result = later.run([profiles.load(name) for name in later.CORPORA])
        print(result.write(results / later.NAME, command=f"{command} --controls"))
        return
    declared = import_module(f"citectx.papers.{asked.paper}.readings").CURVES
    for curve in [curve for curve in declared if asked.curve in ("", curve.name)]:
        scored = replace(curve, scores=partial(score_once, curve))
        result = run(scored, jobs=os.cpu_count() or 1, progress=True)
        print(result.write(results / curve.name, command=command))
