"""Ledgers: what a paper says in words.

``papers/<paper>/claims.py`` lists the claims (`citectx.ledger.checks` has the forms) and what
cannot be tested on which corpus. The numbers of the paper's own tables are in ``published/`` beside
it (`citectx.ledger.published`). They are not claims, but stand beside ours in every table.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from citectx.errors import unknown
from citectx.ledger.checks import Check, Order
from citectx.ledger.published import read_published

FOLDER = Path(__file__).parents[1] / "papers"
"""Each paper's folder has its ``claims.py``."""


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
    control : Check, optional
        What must not hold as well if the paper's explanation is right.
    headline : bool
        Whether it is among the few claims that a summary shows.
    ours : bool
        A check of ours, which the paper does not make in these words.
    relative : bool
        Whether the paper's effect carries over in percent of the rival, though its table's do not.
    """

    claim_id: str
    where: str
    says: str
    table: str | tuple[str, ...]
    check: Check
    control: Check | None = None
    headline: bool = False
    ours: bool = False
    relative: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the check looks at."""
        return (self.table,) if isinstance(self.table, str) else self.table


class Limit(NamedTuple):
    """Rows or claims that cannot be tested on some corpora (on any, if none is named), and why."""

    why: str
    corpora: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """What one paper says in words, and the numbers that it prints.

    ``comparisons`` has the one that each table is about; ``percent`` names the tables whose effects
    carry over in percent of the rival.
    """

    paper: str
    claims: Mapping[str, Claim]
    limits: tuple[Limit, ...]
    printed: pd.DataFrame
    comparisons: Mapping[str, Order]
    percent: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __getitem__(self, claim_id: str) -> Claim:
        return self.claims[claim_id]

    def relative(self, claim: Claim) -> bool:
        """Return whether the paper's effect carries over in percent of the rival."""
        return claim.relative or claim.tables[0] in self.percent

    def why_never(self, corpus: str, rows: Iterable[str], claim_id: str) -> str:
        """Return why a corpus cannot have one of these rows, or test a claim; "" if it can."""
        for limit in self.limits:
            about = claim_id in limit.claims or not {*rows}.isdisjoint(limit.rows)
            if about and corpus in (limit.corpora or [corpus]):
                return limit.why
        return ""

    def numbers(self, *tables: str) -> pd.DataFrame:
        """Return what the paper prints in these tables, or about them."""
        names = [name.removeprefix(f"{self.paper}_") for name in tables]
        return self.printed[self.printed["table"].isin(names)]

    def published(self, tables: tuple[str, ...]) -> dict[tuple[str, str], float]:
        """Return the paper's own numbers in these tables by (row, column).

        Where two texts of the paper print different numbers, that of the table counts.
        """
        printed = self.numbers(*tables).dropna(subset="value")
        cells = printed[["method", "metric", "value"]].itertuples(index=False)
        return {(row, column): value for row, column, value in cells}

    def marks(self, table: str) -> dict[tuple[str, tuple[str, str]], str]:
        """Return the paper's marks of significance by the cells of `citectx.show.tables.beside`.

        >>> load("sigir2017").marks("sigir2017_table1")["WE_Wiki", ("nDCG", "paper")]
        '†'
        """
        cells = self.numbers(table)[["method", "metric", "mark"]].itertuples(index=False)
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
    printed = read_published(FOLDER / paper / "published")
    about = declared.COMPARISONS, declared.PERCENT
    return Ledger(paper, claims, declared.LIMITS, printed, *about)
