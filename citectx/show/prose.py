"""Sentences with numbers: README, pages and lessons are Jinja templates over tables of results.

::

    {% set table1 = table("sigir2017_table1", "citation-integrity") %}
    BM25 has an nDCG of {{ table1.value("BM25", "nDCG") }}; the model is ahead of it by
    {{ table1.difference("WE_Bio", "BM25", "nDCG") }} points, so the claim is
    {{ verdict("sigir2017/bio-beats-wiki", "citation-integrity", holds="borne out") }}.

A template can say what the methods of `Facts` and `Table` return. A table, row or column that does
not exist is an error, and so is a verdict that the sentence has no words for.
"""

import traceback
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, StrictUndefined, TemplateError
from pandas.api.types import is_numeric_dtype

from citectx.errors import CitectxError, DataError, MissingDataError, unknown
from citectx.experiments.results import find
from citectx.experiments.tables import read_csv, typed
from citectx.ledger import Results, check, load
from citectx.ledger.view import View
from citectx.reading import there


def written(
    value: float, low: float = nan, high: float = nan, *, decimals: int = 1, signed: bool = False
) -> str:
    """Write a number, with its interval if it has one.

    >>> written(1335, decimals=0), written(-0.04, signed=True), written(2.04, -1, 5, signed=True)
    ('1,335', '+0.0', '+2.0 [-1.0, 5.0]')
    """
    sign = "+" if signed else ""
    rounded = round(value, decimals) + 0.0  # no -0.0
    number = f"{rounded:{sign},.{decimals}f}"
    return number if isnan(low) else f"{number} [{low:.{decimals}f}, {high:.{decimals}f}]"


@dataclass(frozen=True)
class Facts:
    """What a template can ask for.

    Parameters
    ----------
    places : Path or tuple of Path
        With the tables, as `citectx.experiments.results.find` takes them.
    """

    places: Path | tuple[Path, ...]

    @cached_property
    def results(self) -> Results:
        """The tables, each read once."""
        return Results(self.places)

    def table(self, name: str, corpus: str, decimals: int = 1, percent: bool = False) -> "Table":
        """Return one corpus of a table of results; `percent` multiplies its fractions by 100."""
        self.rows(name, corpus=corpus)
        return Table(self, name, corpus, decimals, percent)

    def rows(self, name: str, **where: object) -> pd.DataFrame:
        """Return the rows of a CSV file that have these values, such as corpus="scisumm-train"."""
        file = find(self.places, f"{name}.csv")
        if not there(file):
            raise MissingDataError(f"there is no table {name} in {file.parent}")
        frame = typed(read_csv(file), file)
        for column, value in where.items():
            if column not in frame:
                raise unknown(f"column of {name}", column, frame.columns)
            chosen = frame[frame[column] == value]
            if chosen.empty:
                raise unknown(f"{column} of {name}", value, frame[column].unique())
            frame = chosen
        return frame

    def cell(
        self,
        name: str,
        column: str,
        *,
        interval: bool = False,
        percent: bool = False,
        decimals: int = 1,
        signed: bool = False,
        **where: object,
    ) -> str:
        """Return a column of the one row that has these values, if asked for with its interval."""
        frame = self.rows(name, **where)
        if len(frame) != 1:
            raise DataError(f"{len(frame)} rows of {name} have {where}; expected one")
        wanted = [column, "ci_low", "ci_high"] if interval else [column]
        for each in wanted:
            if each not in frame:
                raise unknown(f"column of {name}", each, frame.columns)
            if not is_numeric_dtype(frame[each]):
                raise DataError(f"{each} of {name} holds what is no number")
        numbers = frame[wanted].iloc[0].astype(float)
        if numbers.isna().any():
            raise DataError(f"{name} has no {' or '.join(wanted)} for {where}")
        scale = 100 if percent else 1
        return written(*scale * numbers, decimals=decimals, signed=signed)

    def verdict(self, claim: str, corpus: str, **phrases: str) -> str:
        """Return the phrase for the verdict on a claim, such as ``holds="borne out"``.

        Parameters
        ----------
        claim : str
            Paper and id, such as "sigir2017/bio-beats-wiki".
        corpus : str
        **phrases : str
            By verdict, with underscores for spaces: those with which the sentence is true.

        Raises
        ------
        DataError
            If the verdict is another one: then the sentence has to be rewritten.
        """
        found = str(self._judged(claim, corpus)["verdict"])
        if (key := found.replace(" ", "_")) not in phrases:
            allowed = " or ".join(phrases)
            raise DataError(
                f"{claim} on {corpus} is {found}, and the sentence has words for {allowed} only"
            )
        return phrases[key]

    def effect(self, claim: str, corpus: str, verdict: str, *, decimals: int = 3) -> str:
        """Return the effect and interval of a claim, in a sentence that rests on its verdict."""
        self.verdict(claim, corpus, **{verdict: ""})
        row = self._judged(claim, corpus)
        if isnan(row["ci_low"]):
            raise DataError(f"{claim} on {corpus} has no effect with an interval")
        numbers = row["effect"], row["ci_low"], row["ci_high"]
        return written(*numbers, decimals=decimals, signed=True)

    def _judged(self, claim: str, corpus: str) -> dict[str, Any]:
        paper, _, claim_id = claim.partition("/")
        ledger = load(paper)
        if claim_id not in ledger.claims:
            raise unknown(f"claim of {paper}", claim_id, ledger.claims)
        frame = check(ledger, self.results, [ledger[claim_id]])
        rows: Any = {row["corpus"]: row for row in frame.to_dict("records")}
        if corpus not in rows:
            raise unknown(f"corpus of {claim}", corpus, rows)
        return dict(rows[corpus])


@dataclass(frozen=True)
class Table:
    """One corpus of a table of results; see `Facts.table`."""

    facts: Facts
    name: str
    corpus: str
    decimals: int
    percent: bool

    def value(self, row: str, column: str) -> str:
        """Return a cell."""
        return self._cell("value", row, column, self.decimals, self.percent)

    def n(self, row: str, column: str) -> str:
        """Return how many citances, topics or words a cell is the mean of."""
        return self._cell("n", row, column, decimals=0)

    def difference(self, row: str, other: str, column: str, *, interval: bool = True) -> str:
        """Return how far a row lies above another, with the interval that the ledger computes."""
        self.value(row, column), self.value(other, column)  # an error that says what there is
        view = View(self.facts.results, (self.name,), self.corpus)
        found = view.difference(row, other, column)
        if isnan(found.ci_low):
            raise DataError(f"{self.name} has no scores of {row} and {other} for an interval")
        scale = 100 if self.percent else 1
        numbers = [scale * x for x in (found.effect, found.ci_low, found.ci_high)]
        return written(*numbers[: 3 if interval else 1], decimals=self.decimals, signed=True)

    def _cell(self, what: str, row: str, column: str, decimals: int, percent: bool = False) -> str:
        where: Any = {"corpus": self.corpus, "method": row, "metric": column}
        return self.facts.cell(self.name, what, decimals=decimals, percent=percent, **where)


def rendered(text: str, facts: Facts, name: str = "template", **more: object) -> str:
    """Fill a template in.

    Parameters
    ----------
    text : str
    facts : Facts
    name : str
        Of the template, for messages.
    **more : object
        Further names that it can use.

    Raises
    ------
    DataError
        If the template asks for something that does not exist; names its line.

    Examples
    --------
    >>> rendered("{{ 1 + x }} citances", Facts(Path()), x=2)
    '3 citances'
    """
    environment = Environment(
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, autoescape=False
    )
    for method in (facts.table, facts.rows, facts.cell, facts.verdict, facts.effect):
        environment.globals[method.__name__] = method
    try:
        return environment.from_string(text, more).render()
    except (TemplateError, CitectxError, TypeError) as error:
        raise DataError(str(error), file=name, line=_line(error)) from error


def _line(error: Exception) -> int | None:
    """Return the line of the template in which an error was raised."""
    if isinstance(error, TemplateError) and hasattr(error, "lineno"):
        return int(error.lineno)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == "<template>"]
    return lines[-1] if lines else None
