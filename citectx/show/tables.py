"""A paper's table with our numbers beside it, and how tables look in a notebook."""

from collections.abc import Mapping
from html import escape
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from citectx import ledger, profiles
from citectx.errors import MissingDataError, unknown
from citectx.experiments.results import find, read


def table(
    paper: str, number: int | str, corpus: str | None = None, *, profile: str = "open"
) -> pd.DataFrame:
    """Lay a published table out with our numbers beside it: a row for each method.

    Parameters
    ----------
    paper : str
        Such as "sigir2017".
    number : int or str
        1 for Table 1, "figure3" for a figure.
    corpus : str, optional
        Of our results; the first of the table by default.
    profile : str

    Returns
    -------
    DataFrame
        Columns (metric, part) with the parts paper, ours and difference (ours minus the paper's); a
        method that only one side has keeps its row, with empty cells on the other.

    Raises
    ------
    ParameterError
        For a paper, table or corpus that does not exist.
    MissingDataError
        If the profile's results lack the table.

    Examples
    --------
    >>> table("sigir2017", 1).loc["BM25", ("nDCG", "paper")]
    np.float64(38.1)
    """
    claims = ledger.load(paper)
    name = f"{paper}_{number}" if isinstance(number, str) else f"{paper}_table{number}"
    known = [each for each in claims.tables if claims.published((each,))]
    if name not in known:
        raise unknown("table", name, known)
    folder = profiles.profile(profile).results
    if not find(folder, f"{name}.csv").is_file():
        remedy = f"make it with: citectx run --profile {profile}"
        raise MissingDataError(f"{folder} has no {name}.csv; {remedy}")
    rows = read(folder, name)
    corpora = list(dict.fromkeys(rows["corpus"]))
    if corpus is not None and corpus not in corpora:
        raise unknown("corpus", corpus, corpora)
    rows = rows[rows["corpus"] == (corpus or corpora[0])]
    ours = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
    return beside(published(paper, name), ours).round(1)


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
    parts = {}
    for metric in theirs:
        if metric in ours:
            paper, own = theirs[metric], ours[metric]
            parts[metric] = pd.DataFrame({"paper": paper, "ours": own, "difference": own - paper})
    return pd.concat(parts, axis=1).rename_axis(index=None)


def better(
    tests: pd.DataFrame,
    p: str = "t_test",
    levels: Mapping[float, str] = MappingProxyType({0.05: "†"}),
) -> dict[tuple[str, tuple[str, str]], str]:
    """Mark our cells of `beside` that are better than their rival, as papers do.

    >>> row = {"method": "A", "metric": "c-F", "difference": 2.0, "t_test": 0.01}
    >>> better(pd.DataFrame([row, row | {"method": "B", "difference": -2.0}]))
    {('A', ('c-F', 'ours')): '†'}

    Parameters
    ----------
    tests : DataFrame
        Columns method, metric, difference and that of the p-values.
    p : str
    levels : mapping of float to str
        Marks by the level that a p-value must be below, the strictest last.
    """
    won = tests[tests["difference"] > 0]
    marks: dict[tuple[str, tuple[str, str]], str] = {}
    for level, mark in levels.items():
        cells = won.loc[won[p] < level, ["method", "metric"]]
        marks |= {(method, (metric, "ours")): mark for method, metric in cells.to_numpy()}
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
MARKS = "†*"


class Shown:
    """A table for people: text to the left, numbers to the right, no NaN, the best in bold.

    Our own, as pandas' Styler puts its looks into a style sheet, which GitHub's viewer drops.

    Parameters
    ----------
    frame : DataFrame
        Its index names the rows.
    decimals : int or mapping of column to int
    best : bool
        Whether the highest number of each column is bold, unless it is a difference.
    marks : mapping of (row, column) to str, optional
        Written behind a number, such as a dagger.
    caption : str
        What the reader should know to read it.

    Examples
    --------
    >>> Shown(pd.DataFrame({"share": [-0.5, None]}, ["A", "B"]), decimals=2)
      share
    A −0.50
    B
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        decimals: int | Mapping[Any, int] = 1,
        best: bool = False,
        marks: Mapping[tuple[Any, Any], str] | None = None,
        caption: str = "",
    ) -> None:
        self.frame, self.decimals, self.best = frame, decimals, best
        self.marks, self.caption = marks or {}, caption

    def texts(self) -> pd.DataFrame:
        """Return what is written in the cells."""
        shown = self.frame.astype(object)
        for j, (name, column) in enumerate(self.frame.items()):
            decimals = self.decimals
            if not isinstance(decimals, int):
                decimals = decimals.get(name, 1)
            texts = []
            for row, value in column.items():
                mark = self.marks.get((row, name), "") if is_number(value) else ""
                texts.append(written(value, decimals) + mark)
            shown.isetitem(j, texts)
        return shown

    def _repr_html_(self) -> str:
        page = self.texts()
        for j, (name, column) in enumerate(self.frame.items()):
            texts = page.iloc[:, j]
            if not column.dropna().map(is_number).all():
                page.isetitem(j, texts.map(_badge).tolist())
            elif self.best and "difference" not in (name if isinstance(name, tuple) else ()):
                numbers = pd.to_numeric(column).fillna(-np.inf)
                best = texts.iloc[int(numbers.argmax())].rstrip(MARKS)
                bold = texts.str.rstrip(MARKS) == best
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
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and isfinite(value)


def _escaped(name: Any) -> str:
    return escape(str(name))


def _badge(text: str) -> str:
    """Return a text as HTML, to the left; a verdict has its colour behind it."""
    colour = next((c for verdict, c in COLOURS.items() if text.startswith(verdict)), "none")
    return f'<div style="text-align:left;background:{colour}">{escape(text)}</div>'
