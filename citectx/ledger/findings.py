r"""Findings in prose: each number in README, docs and notebooks names the result that bears it out.

A mark is an HTML comment directly before a number; the number is rewritten from the results, in the
format that it has: as many decimals, a sign if it has one, an interval if one follows.

==========================================================
=================================================== mark
          number ==========================================================
          ===================================================
``<!-- finding: EXPERIMENT CORPUS METHOD METRIC -->``      a cell, with its interval
``<!-- finding: ... METRIC n -->``                         the cell's count
``<!-- finding: ... METRIC minus METHOD -->``              a paired difference, with the ledger's
interval ``<!-- finding: FILE key=value ... COLUMN -->``            a field of the one line of a CSV
file that matches ``<!-- claim: PAPER/ID CORPUS VERDICT -->``                the claim's effect, if
a number follows ==========================================================
===================================================

Names with spaces are in double quotes; a finding may end in ``percent``, which multiplies by 100. A
claim with another verdict than the mark says, or a mark that names nothing, is a complaint: the
sentence must be rewritten by hand. Code blocks and marks behind a backtick are left alone.
"""

import json
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isnan, nan
from pathlib import Path

import pandas as pd

from citectx.errors import CitectxError, DataError, ParameterError, unknown
from citectx.ledger.entries import Ledger, load, papers
from citectx.ledger.results import Results, View, read_csv
from citectx.ledger.verdicts import check, view_of

NUMBER = r"[+−-]?\d+(?:,\d{3})*(?:\.\d+)?"
MARK = re.compile(
    r"(?P<head>(?<!`)<!-- (?P<kind>finding|claim): (?P<what>[^>]*?) -->)"
    rf"(?P<tail>(?P<bold>\**)(?P<number>{NUMBER})(?P<bold2>\**)(?P<ends> \[{NUMBER}, {NUMBER}\])?)?"
)
FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
Triple = tuple[float, float, float]


@dataclass
class Findings:
    """Looks up what marks name in a folder of results.

    Parameters
    ----------
    folder : Path
        With the tables of a profile.
    verdicts : DataFrame, optional
        As `check` returns them for all papers; computed when a mark asks for them.
    """

    folder: Path
    verdicts: pd.DataFrame | None = None
    complaints: list[str] = field(default_factory=list)

    def rewrite(self, text: str, place: str = "") -> str:
        """Return a Markdown text with its numbers brought up to date; what cannot be goes to
        `complaints`.
        """
        parts = enumerate(FENCE.split(text))
        return "".join(
            part if i % 2 else MARK.sub(partial(self._replaced, place), part) for i, part in parts
        )

    def look_up(self, kind: str, what: str) -> Triple:
        """Return the number that a mark names, with the ends of its interval (NaN without one).

        Raises
        ------
        CitectxError
            If it names nothing, or a verdict that is not the ledger's.
        """
        words = shlex.split(what)
        if kind == "claim":
            return self._judged(words)
        scale = 100.0 if words[-1:] == ["percent"] else 1.0
        words = words[: len(words) - (scale > 1)]
        value, low, high = self._line(*words) if "=" in "".join(words[1:2]) else self._cell(words)
        return value * scale, low * scale, high * scale

    @cached_property
    def _results(self) -> Results:
        return Results(self.folder)

    @cached_property
    def _ledgers(self) -> dict[str, Ledger]:
        return {paper: load(paper) for paper in papers()}

    @cached_property
    def _frame(self) -> pd.DataFrame:
        if self.verdicts is not None:
            return self.verdicts
        return pd.concat([check(ledger, self._results) for ledger in self._ledgers.values()])

    def _replaced(self, place: str, found: "re.Match[str]") -> str:
        try:
            value, low, high = self.look_up(found["kind"], found["what"])
            if not found["tail"] and found["kind"] != "claim":
                raise DataError("no number follows")
            if found["ends"] and isnan(low):
                raise DataError("there is no interval")
        except (CitectxError, ValueError) as error:
            self.complaints.append(f"{place}: <!-- {found['kind']}: {found['what']} -->: {error}")
            return found[0]
        if not found["tail"]:
            return found[0]
        numbers = iter((value, low, high))
        tail = re.sub(NUMBER, lambda old: formatted(next(numbers), old[0]), found["tail"])
        return found["head"] + (tail.replace("-", "−") if "−" in found["tail"] else tail)

    def _cell(self, words: list[str]) -> Triple:
        if len(words) not in {4, 5, 6}:
            raise ParameterError("expected EXPERIMENT CORPUS METHOD METRIC")
        experiment, corpus, method, metric, *more = words
        ledger = next(
            (one for one in self._ledgers.values() if experiment in one.experiments), None
        )
        used = (self._results, (experiment,), corpus)
        view = View(*used) if ledger is None else view_of(ledger, *used)
        for row in (method, *more[1:]):
            if not view.has(row, metric):
                raise DataError(f"{experiment} has no {corpus}, {row}, {metric}")
        number = view.number(method, metric)
        if not more:
            return number[:3]
        if more == ["n"]:
            return number.n, nan, nan
        if len(more) != 2 or more[0] != "minus":
            raise ParameterError(f"does not understand {more}; expected n, or minus METHOD")
        return view.difference(method, more[1], metric)[:3]

    def _line(self, name: str, *words: str) -> Triple:
        *conditions, column = words
        file = self.folder / f"{name}.csv"
        if not file.is_file():
            raise DataError("there is no such file", file=file)
        pairs = [condition.split("=", 1) for condition in conditions]
        frame = read_csv(file, [*(key for key, _ in pairs), column])
        for key, value in pairs:
            frame = frame[frame[key] == value]
        if len(frame) != 1:
            raise DataError(f"{len(frame)} lines match; expected one", file=file)
        line = frame.iloc[0]
        low, high = (float(line.get(end) or nan) for end in ("ci_low", "ci_high"))
        return float(line[column]), low, high

    def _judged(self, words: list[str]) -> Triple:
        """Return the effect of a claim that has a verdict."""
        if len(words) != 3:
            raise ParameterError("expected PAPER/ID CORPUS VERDICT")
        name, corpus, verdict = words
        paper, _, claim_id = name.partition("/")
        if paper not in self._ledgers:
            raise unknown("paper", paper, self._ledgers)
        frame = self._frame
        rows = frame[
            (frame["paper"] == paper) & (frame["corpus"] == corpus) & (frame["id"] == claim_id)
        ]
        if len(rows) != 1:
            raise DataError(f"there is no claim {name} on {corpus}")
        row = rows.iloc[0]
        if row["verdict"].replace(" ", "-") != verdict.replace(" ", "-"):
            raise DataError(
                f"the ledger says {row['verdict']}, not {verdict}; rewrite the sentence"
            )
        return float(row["effect"]), float(row["ci_low"]), float(row["ci_high"])


def formatted(value: float, like: str) -> str:
    """Write a number as another one is written: decimals, plus sign, thousands.

    >>> formatted(1234.56, "+1,000.0"), formatted(-0.04, "0.1"), formatted(-2.5, "1.25")
    ('+1,234.6', '0.0', '-2.50')
    """
    decimals = len(like.partition(".")[2])
    rounded = round(value, decimals) + 0.0  # no -0.0
    return f"{rounded:{'+' if like[0] == '+' else ''}{',' if ',' in like else ''}.{decimals}f}"


def rewritten(file: Path, findings: Findings) -> str:
    """Return the new content of a Markdown file or notebook (its Markdown cells).

    A notebook comes back byte for byte where no number has changed.
    """
    text = file.read_text("utf-8")
    if file.suffix != ".ipynb":
        return findings.rewrite(text, file.name)
    notebook, changed = json.loads(text), False
    for position, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            old = "".join(cell["source"])
            new = findings.rewrite(old, f"{file.name}, cell {position}")
            if new != old:
                cell["source"], changed = new.splitlines(keepends=True), True
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n" if changed else text


def prose(root: Path) -> Iterable[Path]:
    """List the files whose findings are kept up to date: README, docs and notebooks."""
    return [
        root / "README.md",
        *sorted((root / "docs").glob("*.md")),
        *sorted(root.glob("notebooks/*.ipynb")),
    ]
