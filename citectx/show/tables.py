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
from citectx.experiments.results import read

PARTS = ("paper", "ours", "difference")


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
        For a paper, table or corpus that there is none of.
    MissingDataError
        If the profile's results lack the table.

    Examples
    --------
    >>> float(table("sigir2017", 1).loc["BM25", ("nDCG", "paper")])
    38.1
    """
    claims = ledger.load(paper)
    name = f"{paper}_{number}" if isinstance(number, str) else f"{paper}_table{number}"
    published = claims.published((name,))
    if not published:
        raise unknown(
            "table", name, sorted(n for n in claims.experiments if claims.published((n,)))
        )
    folder = profiles.profile(profile).results
    if not (folder / f"{name}.csv").exists():
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


def laid_out(
    differences: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Lay differences with intervals out as text, in the order in which they come.

    Parameters
    ----------
    differences : DataFrame
        Columns difference, ci_low, ci_high, and those named by `rows` and `columns`.
    rows, columns : sequence of str
        Whose values become the rows and the columns.

    Examples
    --------
    >>> found = pd.DataFrame({"cap": [0.95], "against": ["QR"], "difference": [-0.42], "ci_low": [-1.47],
    ...                       "ci_high": [0.64]})
    >>> laid_out(found, ["cap"], ["against"]).loc[0.95, "QR"]
    '-0.4 [-1.5, 0.6]'
    """
    numbers = zip(*(differences[name] for name in ("difference", "ci_low", "ci_high")), strict=True)
    said = [f"{effect:+.1f} [{low:.1f}, {high:.1f}]" for effect, low, high in numbers]
    frame = differences.assign(said=said)
    return frame.pivot_table("said", list(rows), list(columns), aggfunc="first", sort=False)


def beside(theirs: pd.DataFrame, ours: pd.DataFrame, decimals: int = 1) -> pd.DataFrame:
    """Join two tables of methods × metrics on the paper's metrics.

    >>> paper, mine = pd.DataFrame({"nDCG": {"A": 50.0}}), pd.DataFrame({"nDCG": {"A": 51.26, "B": 3.0}})
    >>> beside(paper, mine)["nDCG"].loc["A"].tolist()
    [50.0, 51.3, 1.3]
    """
    metrics = [m for m in theirs.columns if m in ours.columns]
    if not metrics:
        raise ParameterError(
            f"the tables share no column: {list(theirs.columns)} and {list(ours.columns)}"
        )
    rows = [*theirs.index, *(m for m in ours.index if m not in theirs.index)]
    a, b = theirs.reindex(rows), ours.reindex(rows)
    parts = {
        m: pd.DataFrame(dict(zip(PARTS, (a[m], b[m], b[m] - a[m]), strict=True))) for m in metrics
    }
    joined = pd.concat(parts, axis=1).round(decimals)
    joined.index.name = None
    return joined


def better(
    tests: pd.DataFrame,
    p: str = "t_test",
    levels: Mapping[float, str] = MappingProxyType({0.05: "†"}),
) -> dict[tuple[str, tuple[str, str]], str]:
    """Mark our cells of `beside` that are better than their rival, as papers do.

    Parameters
    ----------
    tests : DataFrame
        Columns method, metric, difference and that of the p-values, a row a cell.
    p : str
    levels : mapping of float to str
        Marks by the level that a p-value must be below, the strictest last.

    >>> row = {"method": "A", "metric": "c-F", "difference": 2.0, "t_test": 0.01}
    >>> better(pd.DataFrame([row, row | {"method": "B", "difference": -2.0}]))
    {('A', ('c-F', 'ours')): '†'}
    """
    won = tests[tests["difference"] > 0]
    marks: dict[tuple[str, tuple[str, str]], str] = {}
    for level, mark in levels.items():
        rows = won[won[p] < level]
        marks |= {
            (a, (b, "ours")): mark for a, b in zip(rows["method"], rows["metric"], strict=True)
        }
    return marks


VERDICTS = {
    "holds": "#d7efe0",
    "contradicted": "#f6d5d0",
    "absent": "#f9e6c8",
    "inconclusive": "#e8e8ee",
    "inconsistent in the paper": "#e3daf0",
    "not testable": "#f2f2f2",
}
"""Verdicts of the ledger and the colours of their badges."""

_CELL = "padding:.25em .6em;text-align:{};vertical-align:top"


class Shown:
    """A table for people: text to the left, numbers to the right, the best of a column in bold, no
    NaN.

    Parameters
    ----------
    frame : DataFrame
        Its index names the rows.
    decimals : int or mapping of column to int
    best : {"", "max", "min"}
        What is bold in each column of numbers that is no difference.
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
        if best not in ("", "max", "min"):
            raise unknown("best", best, ("", "max", "min"))
        self.frame, self.decimals, self.best = frame, decimals, best
        self.marks, self.caption = marks or {}, caption

    def cells(self) -> list[list[str]]:
        """The texts of the table, row by row, without its header."""
        columns = [self._texts(j) for j in range(self.frame.shape[1])]
        return [[column[i] for column in columns] for i in range(len(self.frame))]

    def _texts(self, j: int) -> list[str]:
        name, values = self.frame.columns[j], self.frame.iloc[:, j].items()
        decimals = self.decimals if isinstance(self.decimals, int) else self.decimals.get(name, 1)
        return [
            _text(v, decimals) + (self.marks.get((row, name), "") if _is_number(v) else "")
            for row, v in values
        ]

    def _column(self, j: int, side: str) -> list[str]:
        """Return the cells of a column, the best number in bold, and others that look the same."""
        texts, best = self._texts(j), ""
        sign = -1 if self.best == "min" else 1
        values = [sign * float(v) if _is_number(v) else -np.inf for v in self.frame.iloc[:, j]]
        if (
            self.best
            and "difference" not in _levels(self.frame.columns[j])
            and np.isfinite(values).any()
        ):
            best = texts[int(np.argmax(values))].rstrip("†*")
        plain = [text.rstrip("†*") for text in texts]
        shown = map(_badge, texts)
        return [
            _tag("td", f"<b>{t}</b>" if best and p == best else t, side)
            for t, p in zip(shown, plain, strict=True)
        ]

    def _repr_html_(self) -> str:
        columns = (self.frame.iloc[:, j] for j in range(self.frame.shape[1]))
        sides = ["right" if all(map(_is_number, values.dropna())) else "left" for values in columns]
        cells = [self._column(j, side) for j, side in enumerate(sides)]
        names = [
            "".join(_tag("th", html.escape(str(n)), "left") for n in _levels(name))
            for name in self.frame.index
        ]
        rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(names, *cells, strict=True))
        caption = f'<caption style="caption-side:top;text-align:left">{html.escape(self.caption)}</caption>'
        return (
            f'<table style="border-collapse:collapse">{caption if self.caption else ""}'
            f"<thead>{self._header(sides)}</thead><tbody>{rows}</tbody></table>"
        )

    def _header(self, sides: Sequence[str]) -> str:
        """Return a line for each level of the columns; equal names side by side are one, but in the
        last.
        """
        levels = list(zip(*map(_levels, self.frame.columns), strict=True))
        corner = "<th></th>" * (len(_levels(self.frame.index[0])) if len(self.frame) else 1)
        lines = ""
        for depth, names in enumerate(levels, 1):
            cells, j = corner, 0
            for name, group in (
                groupby(names) if depth < len(levels) else ((name, [name]) for name in names)
            ):
                span = len(list(group))
                cells += _tag(
                    "th", html.escape(str(name)), "center" if span > 1 else sides[j], span
                )
                j += span
            lines += f"<tr>{cells}</tr>"
        return lines

    def __repr__(self) -> str:
        header = [" ".join(map(str, _levels(c))) for c in self.frame.columns]
        names = [" ".join(map(str, _levels(n))) for n in self.frame.index]
        return pd.DataFrame(self.cells(), names, header).to_string()


def _text(value: Any, decimals: int) -> str:
    if not _is_number(value):
        return "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    return (
        f"{value:,}"
        if isinstance(value, int | np.integer)
        else f"{value:,.{decimals}f}".replace("-", "−")
    )


def _levels(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and bool(np.isfinite(value))
    )


def _tag(name: str, text: str, align: str, span: int = 1) -> str:
    wide = f' colspan="{span}"' if span > 1 else ""
    return f'<{name}{wide} style="{_CELL.format(align)}">{text}</{name}>'


def _badge(text: str) -> str:
    """Escape a text, with a coloured background if it begins with a verdict, after a sign or
    without.
    """
    safe = html.escape(text)
    for verdict, color in VERDICTS.items():
        if text.lstrip("✓✗○●·≈?–- ").startswith(verdict):
            return f'<span style="background:{color};color:#111;border-radius:.4em;padding:0 .4em">{safe}</span>'
    return safe
