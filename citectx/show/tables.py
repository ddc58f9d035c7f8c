"""A paper's table with our numbers beside it, and how tables look in a notebook."""

from collections.abc import Iterable, Mapping
from html import escape
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from citectx import ledger
from citectx.errors import unknown
from citectx.experiments.results import Result, read
from citectx.paths import RESULTS

OPEN = RESULTS / "open"
"""The committed tables of real data."""

Name = TypeVar("Name", str, int)


def table(name: str, corpus: str | None = None) -> pd.DataFrame:
    """Lay a published table out with our numbers on open data beside it: a row for each method.

    Columns are pairs of a metric and "paper", "ours" or "difference", which is ours minus the
    paper's. The default corpus is the first of the table.

    >>> table("sigir2017_table1").loc["BM25", ("nDCG", "paper")]
    np.float64(38.1)
    """
    paper = name.split("_", maxsplit=1)[0]
    one_of("table", name, f"{paper}_" + ledger.load(paper).printed["table"])
    rows = read(OPEN, name)
    ours = Result(name, rows).wide(one_of("corpus", corpus, rows["corpus"]), 3)
    return beside(published(paper, name), ours).round(3)


def one_of(kind: str, name: str | int | None, known: Iterable[Name]) -> Name:
    """Look one of several things up by its name; None takes the first.

    >>> one_of("citation", "2", range(3)), one_of("class", None, ["Bac", "Con"])
    (2, 'Bac')
    """
    names = {str(name): name for name in known}
    wanted = next(iter(names)) if name is None else str(name)
    if wanted not in names:
        raise unknown(kind, wanted, names)
    return names[wanted]


def published(paper: str, name: str) -> pd.DataFrame:
    """Lay a table out as the paper prints it: methods down, metrics across.

    >>> published("sigir2017", "sigir2017_table1").loc["VSM", "c-P"]
    np.float64(20.5)
    """
    cells = pd.Series(ledger.load(paper).published((name,)))
    return cells.unstack(sort=False)  # noqa: PD010


def beside(theirs: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Join two tables of methods × metrics on the paper's metrics.

    >>> paper = pd.DataFrame({"nDCG": {"A": 50.0}})
    >>> beside(paper, pd.DataFrame({"nDCG": {"A": 51.5, "B": 3.0}}))["nDCG"].loc["A"].tolist()
    [50.0, 51.5, 1.5]
    """
    methods = list(dict.fromkeys([*theirs.index, *ours.index]))
    theirs, ours = theirs.reindex(methods), ours.reindex(methods)
    columns = {}
    for metric in theirs.columns.intersection(ours.columns, sort=False):
        columns[metric, "paper"] = theirs[metric]
        columns[metric, "ours"] = ours[metric]
        columns[metric, "difference"] = ours[metric] - theirs[metric]
    return pd.DataFrame(columns).rename_axis(index=None)


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
        significant = tests[(tests["difference"] > 0) & (tests[p] < level)]
        for method, metric in zip(significant["method"], significant["metric"], strict=True):
            marks[method, (metric, "ours")] = mark
    return marks


COLOURS: dict[str, str] = {
    "holds": "#d7efe0",
    "contradicted": "#f6d5d0",
    "absent": "#f9e6c8",
    "smaller": "#fbf3d5",
    "inconclusive": "#e8e8ee",
    "inconsistent in the paper": "#e3daf0",
    "not testable": "#f2f2f2",
}
"""Behind a text that begins with a verdict."""


class Shown:
    """A table for people: text to the left, numbers to the right, no NaN, the best in bold.

    pandas' Styler puts its looks into a style sheet, which GitHub's viewer drops; so this one
    writes plain HTML. With `best`, the highest number of each column is bold, unless it is a
    difference. `marks`, by row and column, are written behind a number, such as a dagger.

    >>> Shown(pd.DataFrame({"share": [-0.5, None]}, ["A", "B"]), decimals=2)
      share
    A −0.50
    B
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        decimals: int = 1,
        best: bool = False,
        marks: Mapping[tuple[Any, Any], str] | None = None,
        caption: str = "",
    ) -> None:
        self.frame, self.decimals, self.best = frame, decimals, best
        self.marks, self.caption = marks or {}, caption

    def texts(self) -> pd.DataFrame:
        """Return the texts of the cells."""
        page = self.frame.astype(object)
        for j, (name, column) in enumerate(self.frame.items()):
            marks = [self.marks.get((row, name), "") for row in column.index]
            texts = [written(value, self.decimals) for value in column]
            page.isetitem(j, [t and t + mark for t, mark in zip(texts, marks, strict=True)])
        return page

    def _repr_html_(self) -> str:
        page = self.texts()
        for j, (name, column) in enumerate(self.frame.items()):
            texts = page.iloc[:, j]
            if not column.dropna().map(is_number).all():
                page.isetitem(j, texts.map(_badge).tolist())
            elif self.best and "difference" not in str(name):
                numbers = pd.to_numeric(column).round(self.decimals).to_numpy()
                bold = numbers == np.nanmax(numbers)
                page.isetitem(j, texts.mask(bold, "<b>" + texts + "</b>").tolist())
        page = page.rename(index=_escaped, columns=_escaped)
        with pd.option_context("display.max_colwidth", None):
            return f"<p>{escape(self.caption)}</p>\n{page.to_html(escape=False, border=0)}"

    def __repr__(self) -> str:
        return self.texts().to_string()


def written(value: Any, decimals: int) -> str:
    """Write a cell: numbers with a true minus sign, nothing where there is no value.

    >>> written(-1234.56, 1), written(np.nan, 1), written(7, 1), written(-0.4, 0)
    ('−1,234.6', '', '7', '0')
    """
    if not is_number(value):
        missing = pd.api.types.is_scalar(value) and pd.isna(value)
        return "" if missing else str(value)
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    rounded = round(float(value), decimals) + 0.0  # nothing is −0
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def is_number(value: Any) -> bool:
    """Return whether a cell is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _escaped(name: Any) -> str:
    return escape(str(name))


def _badge(text: str) -> str:
    """Return a text as HTML, to the left; a verdict has its colour behind it."""
    colour = next((c for verdict, c in COLOURS.items() if text.startswith(verdict)), "none")
    return f'<div style="text-align:left;background:{colour}">{escape(text)}</div>'
