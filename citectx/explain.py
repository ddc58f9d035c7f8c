"""Where a number in a table comes from: the command ``citectx explain``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.ledger.report import effect
from citectx.ledger.verdicts import FILE
from citectx.paths import PACKAGE, RESULTS, ROOT
from citectx.profiles import profile as profile_of
from citectx.storage import read_json


def explain(
    table: str, row: str, metric: str, corpus: str | None = None, profile: str = "open"
) -> str:
    """Say what is known of a number, on each corpus or on one.

    Names may be in either case, and as short as no other name begins so.

    >>> text = explain("naacl2015_table2", "np", "f-1", "citation-integrity")
    >>> text.splitlines()[1].strip()
    'value       0.1086 [0.0863, 0.1309], n = 10, p = 0.0476'
    """
    name, file = find_table(table, profile)
    cells = pd.read_csv(file)
    if "method" not in cells:
        raise ParameterError(f"{name} has no rows of methods; read {near(file)}")
    for column, given in {"method": row, "metric": metric, "corpus": corpus}.items():
        if given:
            cells = cells[cells[column] == complete(column, given, cells[column])]
    lines = []
    for line, cell in zip(cells.index + 2, cells.to_dict("records"), strict=True):
        lines += [
            f"{name}: {cell['method']}, {cell['metric']}, on {cell['corpus']}",
            f"  value       {value_of(cell)}",
            f"  paper       {published(name, cell['method'], cell['metric'])}",
            f"  table       {near(file)}, line {line}",
            f"  scores      {scores_of(file)}",
            f"  parameters  {cell['params']}",
            f"  code        {code_of(name)}",
            f"  made by     {command(file.parent, profile)}",
        ]
    return "\n".join(lines)


def tables_in(results: Path) -> dict[str, Path]:
    """List the tables in a folder of results by their names."""
    return {file.stem: file for file in results.glob("*/*.csv") if "." not in file.stem}


def find_table(given: str, profile: str) -> tuple[str, Path]:
    """Find a table by the beginning of its name; if a run has yet to make it, say which."""
    results = profile_of(profile).results
    made, committed = tables_in(results), tables_in(RESULTS / "open")
    name = complete("table", given, made | committed)
    if name not in made:
        remedy = command(committed[name].parent, profile)
        raise MissingDataError(f"{name} is not in {near(results)} yet; run: {remedy}")
    return name, made[name]


def explain_claim(claim: str, corpus: str | None = None, profile: str = "open") -> str:
    """Say what is known of a claim, on each corpus or on one; names may be short, as in `explain`.

    >>> print(explain_claim("bio-beats-wiki", "citation-integrity-31"))  # doctest: +ELLIPSIS
    bio-beats-wiki (sigir2017, ...
    """
    file = profile_of(profile).results / FILE
    remedy = f"citectx claims --profile {profile}"
    if not file.is_file():
        raise MissingDataError(f"{near(file)} is missing; run: {remedy}")
    rows = pd.read_csv(file)
    rows = rows[rows["id"] == complete("claim", claim, rows["id"])]
    if corpus:
        rows = rows[rows["corpus"] == complete("corpus", corpus, rows["corpus"].dropna())]
    first = rows.iloc[0]
    lines = [f"{first['id']} ({first['paper']}, {first['where']}): {first['says']}"]
    for line, row in zip(rows.index + 2, rows.to_dict("records"), strict=True):
        facts = {
            "verdict": row["verdict"],
            "stage": row["stage"],
            "decided by": row["reason"],
            "effect": effect(row) or None,
            "paper": row["published"],
            "controls": row["control"],
            "table": f"{near(file)}, line {line}",
        }
        lines += ["", f"on {row['corpus']}" if pd.notna(row["corpus"]) else "on no corpus"]
        lines += [f"  {label:<11} {fact}" for label, fact in facts.items() if pd.notna(fact)]
    code = near(PACKAGE / "papers" / first["paper"] / "claims.py")
    return "\n".join([*lines, "", f"  {'code':<11} {code}", f"  {'made by':<11} {remedy}"])


def complete(kind: str, given: str, known: Iterable[str]) -> str:
    """Complete a name.

    >>> complete("row", "we_bio+d", ["WE_Bio", "WE_Bio+dmn"])
    'WE_Bio+dmn'
    >>> complete("row", "we_bio", ["WE_Bio", "WE_Bio+dmn"])
    'WE_Bio'
    """
    names = {name.casefold(): name for name in known}
    start = given.casefold()
    matches = [name for folded, name in names.items() if folded.startswith(start)]
    if start not in names and len(matches) != 1:
        raise unknown(kind, given, matches or names.values())
    return names.get(start, matches[0])


def value_of(cell: Mapping[Any, float]) -> str:
    """Write a value with its interval, number of units and p-value, where it has them."""
    parts = {
        "value": "{value:.4f}",
        "ci_low": " [{ci_low:.4f}, {ci_high:.4f}]",
        "n": ", n = {n:.0f}",
        "p_value": ", p = {p_value:.4f}",
    }
    texts = [text for name, text in parts.items() if pd.notna(cell[name])]
    return "".join(texts).format_map(cell)


def published(table: str, row: str, metric: str) -> str:
    """Return the number that the paper prints, with its marks."""
    paper, _, number = table.partition("_")
    file = PACKAGE / "papers" / paper / "published" / f"{number}.csv"
    if not file.is_file():
        return "prints no such table"
    numbers = pd.read_csv(file, index_col=0, dtype=str, keep_default_na=False)
    if numbers.index.name == "metric":  # methods are columns
        numbers = numbers.T
    printed = numbers.stack().get((row, metric))  # noqa: PD013
    return f"{printed} ({near(file)})" if printed else "prints no such number"


def scores_of(file: Path) -> str:
    """Name the file with a score for each citance, of which the value is the mean."""
    scores = file.with_name(f"{file.stem}.citances.csv.gz")
    return near(scores) if scores.is_file() else "none: the number is not a mean"


def code_of(table: str) -> str:
    """Name the module that makes a table: it says ``NAME = "TABLE"``."""
    files = sorted(PACKAGE.rglob("*.py"))
    found = (near(file) for file in files if f'= "{table}"' in file.read_text("utf-8"))
    return next(found, "citectx/papers")


def command(folder: Path, profile: str) -> str:
    """Return the command that makes the tables of a folder."""
    number = folder.name[:2]
    if number.isdecimal():
        return f"citectx run --profile {profile} --only {number}"
    return read_json(folder / "run.json").get("command", "unknown")


def near(file: Path) -> str:
    """Name a file from the root of the checkout."""
    return str(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file)


def cmd_explain(
    table: str, row: str | None, metric: str | None, corpus: str | None, profile: str
) -> None:
    """Run ``citectx explain``: for a number of a table, or for a claim.

    A claim is named alone, or as a row of ``verdicts.csv``, of which all columns are told.
    """
    verdicts = Path(FILE).stem
    if table == verdicts and row is not None:
        print(explain_claim(row, corpus, profile))
    elif row is None and table not in tables_in(RESULTS / "open"):
        print(explain_claim(table, corpus, profile))
    elif row is not None and metric is not None:
        print(explain(table, row, metric, corpus, profile))
    else:
        raise ParameterError(f"name a row and a metric of {table}, or the id of a claim alone")
