"""What a paper says in words, and how each form of claim is checked.

Rows are methods (or groups, folds …), columns are metrics; one name may stand for a tuple. Rivals
may be `best_of` several rows: whichever is the strongest. Where a claim makes several comparisons,
``rule`` says how many of them must be true.

>>> check = better("B", best_of(("A", "C")), ("c-F", "nDCG"), rule="most")
>>> check.cells()[:3]
[('B', 'c-F'), ('A', 'c-F'), ('C', 'c-F')]

``papers/<paper>/claims.py`` lists the claims and what cannot be tested on which corpus. The numbers
of the paper's own tables are in ``published/`` beside it (`citectx.ledger.published`). They are not
claims, but stand beside ours in every table. `citectx.ledger.rule` makes the verdicts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import combinations, product
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx.errors import ParameterError, unknown
from citectx.evaluation.significance import kendall_tau
from citectx.ledger.evidence import Coordinate, Evidence, TopicScores
from citectx.ledger.published import read_published
from citectx.ledger.rule import Comparisons, Rule
from citectx.types import Floats

FOLDER = Path(__file__).parents[1] / "papers"
"""Each paper's folder has its ``claims.py``."""

DRAWS = 500
"""How often a claim is simulated; a share of a half then has a standard error of 2.2 %."""

SIGNS = (1, -1, -1, 1)
"""The signs of a row, its rival, and the row and rival whose difference is taken off."""

NO_DIFFERENCE = "It says that rows do not differ, so there is no gain for a control to explain."
OF_A_LOSS = "It says that a row is worse; a control would leave out what explains a gain."
TAU_ALONE = "It is about a correlation, and a difference between two of them has no interval here."
"""Why some kinds of claims have no control."""

STAGES = ("explored", "confirmed", "second domain")
"""What a corpus may be for a claim."""

Names = str | tuple[str, ...]


class Best(tuple[str, ...]):
    """Whichever of some rows is best.

    >>> better("NP", Best(("baseline", "KW")), "F-1").pairs()
    [('F-1', 'NP', 'baseline'), ('F-1', 'NP', 'KW')]
    """


best_of = Best


@dataclass(frozen=True)
class Order:
    """Each row against each rival in each column; the same rows pair by pair.

    Parameters
    ----------
    rows, rivals, columns : tuple of str
    rule : {"each", "most", "any"}
        How many of the comparisons must be true.
    word : str
        Between a row and its rival.
    sign : int
        -1 where lower is what the claim wants.
    low, high : float
        Bounds of the difference if the claim is true.
    percent : str
        Where the paper prints an effect only in percent of the rival: the column that has it.
    minus : tuple of str, optional
        Another row and its rival, whose difference is taken off.
    among : str
        Another row, whose citances alone are compared; "" for those of each row.
    least : float
        The effect that counts where the paper prints none, in its unit or, where its effects carry
        over so, in percent of the rival: the claim is absent if ours is clearly within half of it.

    >>> check = better("NP", "baseline", ("precision", "recall"))
    >>> check.cells()[:2]
    [('NP', 'precision'), ('baseline', 'precision')]
    >>> check.pairs()
    [('precision', 'NP', 'baseline'), ('recall', 'NP', 'baseline')]
    """

    rows: tuple[str, ...]
    rivals: tuple[str, ...]
    columns: tuple[str, ...]
    rule: Rule = "each"
    word: str = "over"
    sign: int = 1
    low: float = 0.0
    high: float = inf
    percent: str = ""
    minus: tuple[str, ...] = ()
    among: str = ""
    least: float = nan

    def cells(self) -> list[Coordinate]:
        """Return the rows and columns that the tables must have, column by column."""
        rows = dict.fromkeys((*self.rows, *self.rivals, *self.minus))
        return [(row, column) for column, row in product(self.columns, rows)]

    def pairs(self) -> list[tuple[str, str, str]]:
        """List column, row and rival of each pair; the rivals of a row follow each other."""
        if isinstance(self.rivals, Best):
            pairs = [*product(self.rows, self.rivals)]
        elif self.rows == self.rivals:
            pairs = [(row, rival) for rival, row in combinations(self.rows, 2)]
        else:
            pairs = [(row, rival) for rival, row in product(self.rivals, self.rows)]
        return [(column, *pair) for column, pair in product(self.columns, pairs)]

    def compare(self, evidence: Evidence, scores: TopicScores) -> Comparisons:
        """Compare rows with rivals; the paper's effect is that over its own strongest rival."""
        more = f", more than {self.minus[0]} {self.word} {self.minus[1]}," if self.minus else ""
        among = f", {self.among} citances alone" if self.among else ""
        names = [
            f"{row} {self.word} {rival}{more} in {column}{among}"
            for column, row, rival in self.pairs()
        ]
        rivals = len(self.rivals) if isinstance(self.rivals, Best) else 1
        paper = self.published(evidence)
        ours = scores.contrast(self.contrasts())
        least = self.least_effects(evidence)
        return Comparisons(
            names,
            ours,
            paper,
            low=self.low,
            high=self.high,
            rivals=rivals,
            rule=self.rule,
            least=least,
        )

    def imagine(self, evidence: Evidence, scores: TopicScores) -> Comparisons:
        """Draw what we would see if the paper's numbers were true."""
        expected = self.published(evidence, strongest=False)
        noise = scores.draw(np.zeros_like(scores.values), DRAWS)
        drawn = self.compare(evidence, noise)
        ours = drawn.ours._replace(effect=drawn.ours.effect + expected)
        return drawn._replace(ours=ours)

    def contrasts(self) -> Floats:
        """Return the weight of each cell in each pair, (pairs, cells).

        >>> better("A", "B", "c-F", minus=("C", "B")).contrasts()  # A - B - (C - B)
        array([[ 1.,  0., -1.]])
        """
        cells = self.cells()
        pairs = self.pairs()
        contrasts = np.zeros((len(pairs), len(cells)))
        for contrast, (column, row, rival) in zip(contrasts, pairs, strict=True):
            names = (row, rival, *self.minus)
            for name, sign in zip(names, SIGNS[: len(names)], strict=True):
                # a row may stand on both sides: its signs add up
                contrast[cells.index((name, column))] += sign * self.sign
        return contrasts

    def least_effects(self, evidence: Evidence) -> Floats:
        """Return the least effect that counts in each pair, in our unit, (pairs,)."""
        pairs = self.pairs()
        if np.isnan(self.least) or not evidence.relative:
            return np.full(len(pairs), self.least)
        rivals = [evidence.value(rival, column) for column, _, rival in pairs]
        return self.least / 100 * np.array(rivals)

    def compared(self, pair: int) -> frozenset[Any]:
        """Return the cells that a pair compares with their weights, whichever is the rival."""
        weights = dict(zip(self.cells(), self.contrasts()[pair], strict=True))
        used = {cell: weight for cell, weight in weights.items() if weight}
        first = used[min(used)]
        return frozenset((cell, weight / first) for cell, weight in used.items())

    def published(self, evidence: Evidence, *, strongest: bool = True) -> Floats:
        """Return the paper's effects in our unit, (pairs,); over each rival, or its strongest."""
        effects: list[float] = []
        is_best = strongest and isinstance(self.rivals, Best)
        for column, row, rival in self.pairs():
            rivals = self.rivals if is_best else (rival,)
            values = [self.sign * evidence.published_value(name, column) for name in rivals]
            theirs = self.sign * np.max(values)
            effect = evidence.published_value(row, column) - theirs
            if self.percent:
                change = evidence.published_value(row, self.percent) / 100
                effect = change * evidence.value(rival, column)
            elif evidence.relative and theirs:
                effect = effect / theirs * evidence.value(rival, column)
            effects.append(self.sign * effect)
        return np.array(effects)


@dataclass(frozen=True)
class Correlates:
    """Kendall's tau of a column with another, over rows or over the citances of one row.

    Ambiguity: "correlates" and "goes with" come without a statistic in these papers; tau asks for
    nothing but order.

    >>> correlates("c-F", "nDCG", across=("VSM", "BM25")).cells()
    [('VSM', 'c-F'), ('BM25', 'c-F'), ('VSM', 'nDCG'), ('BM25', 'nDCG')]
    """

    column: str
    other: str
    across: tuple[str, ...] = ()
    of: str = ""
    least: float = nan
    """The tau that counts where the paper prints none."""

    def cells(self) -> list[Coordinate]:
        """Return the columns of the rows that are correlated over, or of the one row."""
        rows = self.across or (self.of,)
        return [(row, column) for column, row in product((self.column, self.other), rows)]

    def compare(self, evidence: Evidence, scores: TopicScores) -> Comparisons:
        """Correlate our columns, and the paper's."""
        label = f"tau of {self.column} with {self.other}"
        if self.of:
            columns = (self.column, self.other)
            ours = evidence.tau_over_citances(self.of, columns, scores.shares)
        else:
            ours = scores.tau()
        paper = kendall_tau(*np.split(self.published(evidence), 2))  # NaN for a single row
        return Comparisons([label], ours, np.array([paper]), least=self.least)

    def compared(self, _pair: int) -> frozenset[Any]:
        """Return what is correlated over."""
        return frozenset(self.cells())

    def published(self, evidence: Evidence) -> Floats:
        """Return the paper's numbers, (cells,)."""
        return np.array([evidence.published_value(*cell) for cell in self.cells()])

    def imagine(self, evidence: Evidence, scores: TopicScores) -> Comparisons:
        """Draw what we would see if the paper's numbers were true."""
        return self.compare(evidence, scores.draw(self.published(evidence), DRAWS))


Check = Order | Correlates
correlates = Correlates


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def better(rows: Names, than: Names, columns: Names, **how: Any) -> Order:
    """Rows have higher values than rivals; ``how`` are other fields of `Order`.

    >>> better("NP", "baseline", "F-1").pairs()
    [('F-1', 'NP', 'baseline')]
    >>> better(("NP", "KW"), "baseline", "F-1", rule="any").rule  # one of the two is enough
    'any'
    """
    return Order(_tuple(rows), _tuple(than), _tuple(columns), **how)


def lower(rows: Names, than: Names, columns: Names, **how: Any) -> Order:
    """Rows have lower values than rivals.

    >>> lower("feedback", "baseline", "F-1").contrasts()  # in the direction that the claim wants
    array([[-1.,  1.]])
    """
    return better(rows, than, columns, word="below", sign=-1, **how)


def no_better(rows: Names, than: Names, columns: Names, *, within: float, **how: Any) -> Order:
    """Rows have no advantage over rivals: less than a margin.

    >>> no_better("NP+expand", "NP", "F-1", within=0.004).high
    0.004
    """
    return better(rows, than, columns, word="no better than", low=-inf, high=within, **how)


def alike(rows: Names, to: Names, columns: Names, *, within: float, **how: Any) -> Order:
    """Rows differ from others by less than a margin.

    >>> models = ("VSM", "BM25", "LMD")
    >>> len(alike(models, models, "F-1", within=0.004).pairs())  # each with each
    3
    """
    return better(rows, to, columns, word="like", low=-within, high=within, **how)


@dataclass(frozen=True)
class Claim:
    """One thing the paper says, and how to check it.

    Parameters
    ----------
    claim_id : str
        Unique in its ledger.
    where : str
        Section, table or figure.
    says : str
        In our own words.
    table : str or tuple of str
        What the check and its control look at; a cell is taken from the first table that has it.
    check : Check
    controls : tuple of Order
        What must hold, too, if the paper's explanation is right: the row is ahead of one that lacks
        what it is explained by. A control whose rows a table lacks is not compared there.
    post_hoc : tuple of Order
        Controls that were added when verdicts on the claim had been seen. They count as the others
        do, and are marked wherever a corpus was not declared after them.
    no_control : str
        Why no row can serve as a control.
    headline : bool
        Whether it is among the few claims that a summary shows.
    ours : bool
        A check of ours, which the paper does not make in these words.
    relative : bool
        Whether the paper's effect carries over in percent of the rival, though its table's do not.
    elsewhere : mapping of str to tuple of Order
        For corpora that lack rows of the check: another check, and its controls.

    >>> claim = load("naacl2015")["np-beats-baseline"]
    >>> claim.says, claim.tables
    ('Noun phrases are better than the baseline.', ('naacl2015_table2',))
    """

    claim_id: str
    where: str
    says: str
    table: Names
    check: Check
    controls: tuple[Order, ...] = ()
    post_hoc: tuple[Order, ...] = ()
    no_control: str = ""
    headline: bool = False
    ours: bool = False
    relative: bool = False
    elsewhere: Mapping[str, tuple[Order, ...]] = field(default_factory=dict)

    def on(self, corpus: str) -> "Claim":
        """Return the claim as it is judged on a corpus: the same, unless rows differ there."""
        if corpus not in self.elsewhere:
            return self
        check, *controls = self.elsewhere[corpus]
        return replace(self, check=check, controls=tuple(controls), post_hoc=())

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the check looks at."""
        return _tuple(self.table)

    @property
    def all_controls(self) -> tuple[Order, ...]:
        """Its controls, whenever they were added."""
        return (*self.controls, *self.post_hoc)


class Limit(NamedTuple):
    """Rows or claims that cannot be tested on some corpora (on any, if none is named), and why.

    >>> no_ontology = Limit("there is no ontology", corpora=("scisumm-train",), rows=("expand",))
    >>> no_ontology.rows
    ('expand',)
    """

    why: str
    corpora: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """What one paper says in words, and the numbers that it prints.

    ``comparisons`` has what each table is about, with every baseline that the paper names;
    ``percent`` names the tables whose effects carry over in percent of the rival. Claims and code
    grew up on the corpus ``explored``; ``confirmed`` names the corpus that a table was declared
    for, under "" that of all other tables; ``second`` does so for a second domain, which was
    declared before any method was run there. ``twins`` names rows that the paper does not print,
    and the printed rows whose numbers count for them.

    >>> ledger = load("naacl2015")
    >>> ledger.stage(ledger["np-beats-baseline"], "citation-integrity-31")
    'confirmed'
    >>> ledger.published(("naacl2015_table2",))["NP", "F-1"]
    0.185
    """

    paper: str
    claims: Mapping[str, Claim]
    limits: tuple[Limit, ...]
    printed: pd.DataFrame
    comparisons: Mapping[str, Order]
    percent: tuple[str, ...] = ()
    explored: str = ""
    confirmed: Mapping[str, str] = field(default_factory=dict)
    second: Mapping[str, str] = field(default_factory=dict)
    twins: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __getitem__(self, claim_id: str) -> Claim:
        return self.claims[claim_id]

    def relative(self, claim: Claim) -> bool:
        """Return whether the paper's effect carries over in percent of the rival."""
        return claim.relative or claim.tables[0] in self.percent

    def stage(self, claim: Claim, corpus: str) -> str:
        """Say whether a claim was explored or confirmed on a corpus, or is "second domain" there.

        Else it is "".
        """
        if corpus and corpus == self.explored:
            return "explored"
        for stage, declared in (("confirmed", self.confirmed), ("second domain", self.second)):
            named = declared.get(claim.tables[0]) or declared.get("")
            if corpus and corpus == named:
                return stage
        return ""

    def why_never(self, corpus: str, rows: Iterable[str], claim_id: str) -> str:
        """Return why a corpus cannot have one of these rows, or test a claim; "" if it can."""
        for limit in self.limits:
            applies = claim_id in limit.claims or not {*rows}.isdisjoint(limit.rows)
            if applies and corpus in (limit.corpora or [corpus]):
                return limit.why
        return ""

    def published(self, tables: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        rows = self.printed[self.printed["table"].isin(tables)]  # of the text, then tables
        printed: Any = rows.set_index(["method", "metric"])["value"].dropna().to_dict()
        borrowed = {
            (row, column): value
            for row, twin in self.twins.items()
            for (name, column), value in printed.items()
            if name == twin
        }
        return borrowed | printed

    def marks(self, table: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        rows = self.printed[self.printed["table"] == table]
        cells = zip(rows["method"], rows["metric"], rows["mark"], strict=True)
        return {(row, (column, "paper")): mark for row, column, mark in cells if mark}


def papers() -> list[str]:
    """List the papers that have a ledger.

    >>> "sigir2017" in papers()
    True
    """
    return sorted(file.parent.name for file in FOLDER.glob("*/claims.py"))


@cache
def load(paper: str) -> Ledger:
    """Return the ledger of a paper.

    >>> load("sigir2017").published(("sigir2017_table1",))["VSM", "c-P"]
    20.5
    """
    if paper not in papers():
        raise unknown("paper", paper, papers())
    declared = import_module(f"citectx.papers.{paper}.claims")
    claims = {claim.claim_id: claim for claim in declared.CLAIMS}
    if len(claims) < len(declared.CLAIMS):
        raise ParameterError(f"two claims of {paper} have the same id in its claims.py")
    printed = read_published(FOLDER / paper / "published")
    printed["table"] = f"{paper}_" + printed["table"]
    return Ledger(
        paper,
        claims,
        declared.LIMITS,
        printed,
        comparisons=declared.COMPARISONS,
        percent=declared.PERCENT,
        explored=declared.EXPLORED,
        confirmed=declared.CONFIRMED,
        second=declared.SECOND,
        twins=getattr(declared, "TWINS", {}),
    )
