"""A paper's table with our numbers beside it, and how tables look in a notebook."""

import html
from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from citectx import ledger, profiles
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.experiments.results import find, read


def table(
    paper: str,
    number: int | str,
    corpus: str | None = None,
    *,
    profile: str = "open",
    decimals: int = 1,
) -> pd.DataFrame:
    """Lay a published table out with our numbers beside it: a row a method.

    Parameters
    ----------
    paper : str
        Such as "sigir2017".
    number : int or str
        1 for Table 1, "figure3" for a figure.
    corpus : str, optional
        Of our results; the first of the table by default.
    profile : str
    decimals : int

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
    >>> float(table("sigir2017", 1).loc["BM25", ("nDCG", "paper")])
    38.1
    """
    claims = ledger.load(paper)
    name = f"{paper}_{number}" if isinstance(number, str) else f"{paper}_table{number}"
    known = [each for each in claims.tables if claims.published((each,))]
    if name not in known:
        raise unknown("table", name, known)
    published = claims.published((name,))
    folder = profiles.profile(profile).results
    if not find(folder, f"{name}.csv").is_file():
        raise MissingDataError(
            f"{folder} has no {name}.csv; make it with: citectx run --profile {profile}"
        )
    ours = read(folder, name)
    corpora = list(dict.fromkeys(ours["corpus"]))
    if corpus is not None and corpus not in corpora:
        raise unknown("corpus", corpus, corpora)
    ours = ours[ours["corpus"] == (corpus or corpora[0])]
    theirs = pd.Series(published).unstack(sort=False)  # noqa: PD010
    wide = ours.pivot_table(index="method", columns="metric", values="value", sort=False)
    return beside(theirs, wide, decimals)


def beside(theirs: pd.DataFrame, ours: pd.DataFrame, decimals: int = 1) -> pd.DataFrame:
    """Join two tables of methods × metrics on the paper's metrics.

    >>> paper = pd.DataFrame({"nDCG": {"A": 50.0}})
    >>> beside(paper, pd.DataFrame({"nDCG": {"A": 51.26, "B": 3.0}}))["nDCG"].loc["A"].tolist()
    [50.0, 51.3, 1.3]
    """
    metrics = [metric for metric in theirs if metric in ours]
    if not metrics:
        both = f"{list(theirs.columns)} and {list(ours.columns)}"
        raise ParameterError(f"the tables share no column: {both}")
    rows = list(dict.fromkeys([*theirs.index, *ours.index]))
    theirs, ours = theirs.reindex(rows), ours.reindex(rows)
    parts = {}
    for metric in metrics:
        paper, own = theirs[metric], ours[metric]
        parts[metric] = pd.DataFrame({"paper": paper, "ours": own, "difference": own - paper})
    joined = pd.concat(parts, axis=1).round(decimals)
    joined.index.name = None
    return joined


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
        Columns method, metric, difference and that of the p-values, a row a cell.
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
"""Colours of the badges of verdicts."""
MARKS = "†*"
_CELL = "padding:.25em .6em;text-align:{};vertical-align:top"
_BADGE = "background:{};color:#111;border-radius:.4em;padding:0 .4em"


class Shown:
    """A table for people: text to the left, numbers to the right, no NaN, the best in bold.

    Our own, as pandas' Styler puts its looks into a style sheet, which GitHub's viewer drops.

    Parameters
    ----------
    frame : DataFrame
        Its index names the rows.
    decimals : int or mapping of column to int
    best : {"", "max"}
        Whether the highest number is bold in each column that is no difference.
    marks : mapping of (row, column) to str, optional
        Written behind a number, such as a dagger.
    caption : str
        What the reader should know to read it.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        decimals: int | Mapping[Any, int] = 1,
        best: str = "",
        marks: Mapping[tuple[Any, Any], str] | None = None,
        caption: str = "",
    ) -> None:
        if best not in ("", "max"):
            raise unknown("best", best, ("", "max"))
        self.frame, self.decimals, self.best = frame, decimals, best
        self.marks, self.caption = marks or {}, caption

    def cells(self) -> list[list[str]]:
        """Return the texts of the table, row by row, without its header."""
        columns = [self._texts(j) for j in range(self.frame.shape[1])]
        return [[column[i] for column in columns] for i in range(len(self.frame))]

    def _texts(self, j: int) -> list[str]:
        name, decimals = self.frame.columns[j], self.decimals
        if not isinstance(decimals, int):
            decimals = decimals.get(name, 1)
        texts = []
        for row, value in self.frame.iloc[:, j].items():
            mark = self.marks.get((row, name), "") if _is_number(value) else ""
            texts.append(_text(value, decimals) + mark)
        return texts

    def _column(self, j: int, side: str) -> list[str]:
        """Return the cells of a column, the best number in bold, and others that look the same."""
        texts, best = self._texts(j), None
        values = [float(v) if _is_number(v) else -np.inf for v in self.frame.iloc[:, j]]
        judged = self.best and "difference" not in _levels(self.frame.columns[j])
        if judged and np.isfinite(values).any():
            best = texts[int(np.argmax(values))].rstrip(MARKS)
        cells = []
        for text in texts:
            shown = _badge(text)
            bold = text.rstrip(MARKS) == best
            cells.append(_tag("td", f"<b>{shown}</b>" if bold else shown, side))
        return cells

    def _repr_html_(self) -> str:
        columns = [self.frame.iloc[:, j] for j in range(self.frame.shape[1])]
        sides = ["right" if all(map(_is_number, c.dropna())) else "left" for c in columns]
        names = ["".join(_head(each, "left") for each in _levels(n)) for n in self.frame.index]
        cells = [self._column(j, side) for j, side in enumerate(sides)]
        rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(names, *cells, strict=True))
        caption = ""
        if self.caption:
            text = html.escape(self.caption)
            caption = f'<caption style="caption-side:top;text-align:left">{text}</caption>'
        head = f"<thead>{self._header(sides)}</thead>"
        return (
            f'<table style="border-collapse:collapse">{caption}{head}<tbody>{rows}</tbody></table>'
        )

    def _header(self, sides: Sequence[str]) -> str:
        """Return a line for each level of the columns; equal neighbours are one but in the last."""
        *upper, last = list(zip(*map(_levels, self.frame.columns), strict=True)) or [()]
        depth = len(_levels(self.frame.index[0])) if len(self.frame) else 1
        corner, lines = "<th></th>" * depth, ""
        for names in upper:
            cells, j = corner, 0
            for name, group in groupby(names):
                span = len(list(group))
                cells += _head(name, "center" if span > 1 else sides[j], span)
                j += span
            lines += f"<tr>{cells}</tr>"
        cells = corner + "".join(map(_head, last, sides))
        return f"{lines}<tr>{cells}</tr>"

    def __repr__(self) -> str:
        header = [" ".join(map(str, _levels(c))) for c in self.frame.columns]
        names = [" ".join(map(str, _levels(n))) for n in self.frame.index]
        return pd.DataFrame(self.cells(), names, header).to_string()


def _text(value: Any, decimals: int) -> str:
    if not _is_number(value):
        return "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return f"{value:,.{decimals}f}".replace("-", "−")


def _levels(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and bool(np.isfinite(value))


def _head(name: Any, align: str, span: int = 1) -> str:
    return _tag("th", html.escape(str(name)), align, span)


def _tag(name: str, text: str, align: str, span: int = 1) -> str:
    wide = f' colspan="{span}"' if span > 1 else ""
    return f'<{name}{wide} style="{_CELL.format(align)}">{text}</{name}>'


def _badge(text: str) -> str:
    """Escape a text, with a coloured background if it begins with a verdict, signed or not."""
    safe, bare = html.escape(text), text.lstrip("✓✗○●·≈?–- ")
    for verdict, colour in COLOURS.items():
        if bare.startswith(verdict):
            return f'<span style="{_BADGE.format(colour)}">{safe}</span>'
    return safe
