"""A paper's table with our numbers beside it, and how tables look in a notebook."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any

import pandas as pd

from citectx import ledger
from citectx.errors import Thing, look_up, unknown
from citectx.experiments.results import Result, find, read
from citectx.paths import RESULTS

OPEN = RESULTS / "open"
"""The committed tables of real data."""


def table(name: str, corpus: str | None = None) -> pd.DataFrame:
    """Lay a published table out with our numbers on open data beside it: a row for each method.

    Columns are pairs of a metric and "paper", "ours", or "low" and "high", the ends of our 95 %
    interval. The paper's numbers are of another corpus than ours, so none is subtracted. Ours are
    of the confirmation if the table was declared for one, else of its first corpus; the columns
    have the corpus as their name.

    >>> bm25 = table("sigir2017_table1").loc["BM25", "c-F"]
    >>> bm25.to_dict()
    {'paper': 17.8, 'ours': 18.307, 'low': 16.383, 'high': 20.231}
    >>> table("sigir2017_table1").columns.names[0]
    'citectx on citation-integrity-31'
    """
    tables = sorted(file.stem for file in OPEN.glob("*/*.csv") if "." not in file.stem)
    if name not in tables:
        raise unknown("table", name, tables)
    rows = read(OPEN, name)
    known = [*rows["corpus"].unique()]
    if corpus is None:
        corpus = next((c for c in confirmed(name) if c in known), known[0])
    if corpus not in known:
        raise unknown("corpus", corpus, known)
    ours = Result(name, rows)
    sides = {
        "paper": published(name),
        "ours": ours.wide(corpus, 3),
        "low": ours.wide(corpus, 3, "ci_low"),
        "high": ours.wide(corpus, 3, "ci_high"),
    }
    together = pd.concat(sides, axis=1).swaplevel(axis=1)
    metrics = sides["paper"].columns.intersection(sides["ours"].columns, sort=False)
    columns = pd.MultiIndex.from_product([metrics, sides], names=[f"citectx on {corpus}", None])
    return together.reindex(columns=columns)


def confirmed(table: str) -> list[str]:
    """Return the corpora that were declared to confirm a table's claims, its own first."""
    paper, _, _ = table.partition("_")
    declared = ledger.load(paper).confirmed
    return [declared[name] for name in (table, "") if name in declared]


def one_of(kind: str, name: object, known: Mapping[str, Thing]) -> Thing:
    """Look one of several things up by its name; None takes the first.

    >>> one_of("citance", 2, {"1": "Cells rest.", "2": "They die."})
    'They die.'
    """
    return look_up(kind, next(iter(known)) if name is None else str(name), known)


def published(name: str) -> pd.DataFrame:
    """Lay a table out as the paper prints it: methods down, metrics across.

    >>> published("sigir2017_table1").loc["VSM", "c-P"]
    np.float64(20.5)
    """
    paper, _, _ = name.partition("_")
    cells = pd.Series(ledger.load(paper).published((name,)))
    return cells.unstack(sort=False)  # noqa: PD010


def open_rows(
    table: str, metric: str, corpus: str = "citation-integrity", scale: int = 1
) -> pd.DataFrame:
    """Return rows of a committed table of real data, as `plotting.estimates` takes them.

    In a table of changes the value is the difference. `scale` is 100 where points are wanted.

    >>> open_rows("naacl2015_table2.changes", "F-1", scale=100)["value"].iloc[0].round(1)
    np.float64(-3.2)
    """
    rows = pd.read_csv(find(OPEN, f"{table}.csv")).rename(columns={"difference": "value"})
    rows = rows[(rows["metric"] == metric) & (rows["corpus"] == corpus)]
    return rows.assign(**scale * rows[["value", "ci_low", "ci_high"]])


def beside(theirs: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Join two tables of methods × metrics on the paper's metrics.

    >>> paper = pd.DataFrame({"nDCG": {"A": 50.0}})
    >>> beside(paper, pd.DataFrame({"nDCG": {"A": 51.5, "B": 3.0}}))["nDCG"].loc["A"].tolist()
    [50.0, 51.5, 1.5]
    """
    metrics = theirs.columns.intersection(ours.columns, sort=False)
    sides = {"paper": theirs, "ours": ours, "difference": ours - theirs}
    both = pd.concat(sides, axis=1).swaplevel(axis=1)
    columns = pd.MultiIndex.from_product([metrics, sides])
    return both.reindex(columns=columns)


def better(
    tests: pd.DataFrame, p: str, levels: Mapping[float, str]
) -> dict[tuple[str, tuple[str, str]], str]:
    """Mark our cells of `beside` that are better than their rival, as papers do.

    `tests` has the columns method, metric, difference and `p`, the p-values. `levels` has a mark
    for each bound of the p-values, the strictest last.

    >>> row = {"method": "A", "metric": "c-F", "difference": 2.0, "p_value": 0.01}
    >>> better(pd.DataFrame([row, row | {"difference": -2.0}]), "p_value", {0.05: "†"})
    {('A', ('c-F', 'ours')): '†'}
    """
    marks = {}
    for level, mark in levels.items():
        significant = tests.query(f"difference > 0 and {p} < {level}")
        for method, metric in zip(significant["method"], significant["metric"], strict=True):
            marks[method, (metric, "ours")] = mark
    return marks


CEILING = "Oracle"
"""The row of the best answers that there are. It is never the best method."""

COLOURS: dict[str, str] = {
    "holds, no control": "#dcead6",
    "holds, not beyond its control": "#d3e6ee",
    "holds, below its control": "#bcd3e3",
    "holds": "#c4ecd2",
    "contradicted": "#f6d5d0",
    "absent": "#f9e6c8",
    "smaller": "#fbf3d5",
    "inconclusive": "#e8e8ee",
    "inconsistent in the paper": "#e3daf0",
    "not testable": "#f2f2f2",
}
"""The colours behind texts that begin with a verdict; the first that fits counts."""

INK = "#1a1a1a"
"""The colour of a text that has a colour behind it, in light and dark mode alike."""


@dataclass(eq=False)
class Shown:
    """A table for people: text to the left, numbers to the right, no NaN, the best in bold.

    pandas' Styler puts its looks into a style sheet, which GitHub's viewer drops; so this one
    writes plain HTML. With `best`, the highest number of each column is bold, unless it is a
    difference or that of the row Oracle, which nothing can beat. `marks`, by row and column, are
    written behind a number, such as a dagger.

    >>> Shown(pd.DataFrame({"share": [-0.5, None]}, ["A", "B"]), decimals=2)
      share
    A −0.50
    B
    """

    frame: pd.DataFrame
    decimals: int = 1
    best: bool = False
    marks: Mapping[tuple[Any, Any], str] = field(default_factory=dict)
    caption: str = ""

    def texts(self) -> pd.DataFrame:
        """Return the texts of the cells."""
        cells = self.frame.map(format_cell, decimals=self.decimals)
        page = cells.where(self.frame.notna(), "")
        for (row, column), mark in self.marks.items():
            if row in page.index and column in page.columns and page.loc[row, column]:
                page.loc[row, column] += mark
        return page

    def _repr_html_(self) -> str:
        texts = self.texts()
        is_numeric = self.frame.map(is_number)
        # numbers stay to the right, where HTML puts them
        page = texts.where(is_numeric, texts.map(_badge))
        if self.best:
            numbers = self.frame.where(is_numeric).astype(float).round(self.decimals)
            numbers.loc[numbers.index == CEILING] = nan
            # the largest difference is not the best
            compared = ["difference" not in str(name) for name in numbers]
            page = page.mask((numbers == numbers.max()) & compared, "<b>" + texts + "</b>")
        page = page.rename(index=_escape, columns=_escape)
        with pd.option_context("display.max_colwidth", None):
            return f"<p>{escape(self.caption)}</p>\n{page.to_html(escape=False, border=0)}"

    def __repr__(self) -> str:
        return self.texts().to_string()


def format_cell(value: Any, decimals: int) -> str:
    """Write a cell: numbers with a true minus sign.

    >>> format_cell(-1234.56, 1), format_cell(7, 1), format_cell(-0.4, 0)
    ('−1,234.6', '7', '0')
    """
    if not is_number(value):
        return str(value)
    if isinstance(value, Integral):
        return f"{value:,}"
    return f"{value:z,.{decimals}f}".replace("-", "−")  # z: nothing is −0


def is_number(value: Any) -> bool:
    """Return whether a cell is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _escape(name: Any) -> str:
    return escape(str(name))


def _badge(text: str) -> str:
    """Return a text as HTML, to the left; a verdict has its colour behind it."""
    if not text:
        return ""
    colour = next((c for verdict, c in COLOURS.items() if text.startswith(verdict)), "none")
    ink = "" if colour == "none" else f";color:{INK}"
    return f'<div style="text-align:left;background:{colour}{ink}">{escape(text)}</div>'
