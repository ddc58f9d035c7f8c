"""Where a number in a table comes from: the command ``citectx explain``."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

import pandas as pd

from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.ledger.report import effect
from citectx.ledger.verdicts import FILE
from citectx.paths import PACKAGE, RESULTS, ROOT
from citectx.profiles import profile as profile_of
from citectx.storage import read_json

WIDTH = 100
"""The longest line of parameters."""


def explain(
    table: str, row: str, metric: str, corpus: str | None = None, profile: str = "open"
) -> str:
    """Say what a reader wants to know of a number, on each corpus or on one.

    Names may be in either case, and as short as no other name begins so.

    >>> text = explain("naacl2015_table2", "np", "f-1", "citation-integrity")
    >>> text.splitlines()[1].strip()
    'value       0.1086 [0.0863, 0.1309], n = 10, p = 0.048'
    """
    lines = []
    for told in facts(table, row, metric, corpus, profile):
        lines += [
            f"{told['table']}: {told['method']}, {told['metric']}, on {told['corpus']}",
            f"  value       {value_of(told)}",
            f"  paper       {told['paper']}",
            f"  table       {told['file']}, line {told['line']}",
            f"  scores      {told['scores']}",
            *parameters(told["params"]),
            f"  code        {told['code']}",
            f"  made by     {told['made by']}",
        ]
    return "\n".join(lines)


def facts(
    table: str, row: str, metric: str, corpus: str | None = None, profile: str = "open"
) -> Iterator[dict[str, Any]]:
    """Yield all that is known of a number, on each corpus or on one; parameters are read.

    >>> told, *_ = facts("naacl2015_table2", "np", "f-1")
    >>> told["value"], told["params"]["depth"]
    (0.1086, 20)
    """
    name, file = find_table(table, profile)
    cells = pd.read_csv(file)
    if "method" not in cells:
        raise ParameterError(f"{name} has no rows of methods; read {near(file)}")
    for column, given in {"method": row, "metric": metric, "corpus": corpus}.items():
        if given:
            cells = cells[cells[column] == complete(column, given, cells[column])]
    for line, cell in zip(cells.index + 2, cells.to_dict("records"), strict=True):
        of_cell = {str(key): None if pd.isna(value) else value for key, value in cell.items()}
        yield {
            "table": name,
            **of_cell,
            "params": json.loads(cell["params"]) if pd.notna(cell["params"]) else {},
            "paper": published(name, cell["method"], cell["metric"]),
            "file": near(file),
            "line": line,
            "scores": scores_of(file),
            "code": code_of(name),
            "made by": command(file.parent, profile),
        }


def parameters(params: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that tell parameters as ``k=3``, and how often folds chose which value.

    >>> told = parameters({"k": 3, "stem": False, "chosen": {"b": {"0.5": 9, "0.75": 1}}})
    >>> [line.strip() for line in told]
    ['parameters  k=3, stem=no', 'chosen      b=0.5 in 9 folds, 0.75 in 1']
    """
    chosen = params.get("chosen")
    chosen = chosen if isinstance(chosen, dict) else {}  # on the leaderboard it is yes or no
    fixed = [f"{name}={shown(x)}" for name, x in params.items() if x is not chosen]
    if fixed:
        yield from wrap(f"  parameters  {', '.join(fixed)}", WIDTH, subsequent_indent=14 * " ")
    label = "chosen"
    for name, folds in chosen.items():
        if not folds:  # the row has no such parameter
            continue
        often, *rarer = sorted(folds.items(), key=lambda fold: -fold[1])
        others = "".join(f", {value} in {count}" for value, count in rarer)
        yield f"  {label:<10}  {name}={often[0]} in {often[1]} folds{others}"
        label = ""


def shown(value: object) -> str:
    """Write the value of a parameter as a person does.

    >>> shown(True), shown(None), shown([1.0, "mesh"]), shown(20000.0)
    ('yes', 'none', '[1, mesh]', '20000')
    """
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    words = {None: "none", True: "yes", False: "no"}
    if value is None or isinstance(value, bool):
        return words[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


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
    rows = rows_of(claim, corpus, profile)
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
    return "\n".join(
        [*lines, "", f"  {'code':<11} {code}", f"  {'made by':<11} {judged_by(profile)}"]
    )


def rows_of(claim: str, corpus: str | None, profile: str) -> pd.DataFrame:
    """Read the rows of a claim in the verdicts of a profile, on each corpus or on one."""
    file = profile_of(profile).results / FILE
    if not file.is_file():
        raise MissingDataError(f"{near(file)} is missing; run: {judged_by(profile)}")
    rows = pd.read_csv(file)
    rows = rows[rows["id"] == complete("claim", claim, rows["id"])]
    if corpus:
        rows = rows[rows["corpus"] == complete("corpus", corpus, rows["corpus"].dropna())]
    return rows


def judged_by(profile: str) -> str:
    """Return the command that judges the claims by a profile's results."""
    return f"citectx claims --profile {profile}"


def to_json(told: Iterable[Mapping[Any, Any]]) -> str:
    """Write what is known as JSON, nothing rounded; what is not known is null."""
    known = [{key: None if is_missing(x) else x for key, x in row.items()} for row in told]
    return json.dumps(known, indent=2, ensure_ascii=False)


def is_missing(value: object) -> bool:
    """Tell whether a cell of a table is empty."""
    return isinstance(value, float) and value != value  # noqa: PLR0124 (only NaN is not itself)


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


def value_of(cell: Mapping[Any, Any]) -> str:
    """Write a value with its interval, number of units and p-value, where it has them.

    >>> value_of({"value": 56.9208, "ci_low": 52.6339, "ci_high": 61.2, "n": 218, "p_value": None})
    '56.92 [52.63, 61.2], n = 218'
    >>> value_of({"value": 5.0, "ci_low": None, "ci_high": None, "n": 9, "p_value": 0.0})
    '5, n = 9, p < 0.0001'
    """
    parts = {
        "value": "{value:.4g}",
        "ci_low": " [{ci_low:.4g}, {ci_high:.4g}]",
        "n": ", n = {n:,.0f}",
        "p_value": ", p = {p_value:.2g}",
    }
    if cell["p_value"] == 0:  # tables keep four decimals
        parts["p_value"] = ", p < 0.0001"
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
    table: str,
    row: str | None,
    metric: str | None,
    corpus: str | None,
    profile: str,
    as_json: bool,
) -> None:
    """Run ``citectx explain``: for a number of a table, or for a claim.

    A claim is named alone, or as a row of ``verdicts.csv``, of which all columns are told.
    """
    claim = table
    if table == Path(FILE).stem:
        claim, metric = row or table, None
    elif row is not None and metric is not None:
        told = facts(table, row, metric, corpus, profile)
        print(to_json(told) if as_json else explain(table, row, metric, corpus, profile))
        return
    tables = tables_in(RESULTS / "open")
    if claim in tables:
        rows = pd.read_csv(tables[claim])
        known = ", ".join(dict.fromkeys(rows.get("method", [])))
        raise ParameterError(f"name a row and a metric of {claim}; its rows: {known}")
    if row is not None and claim == table:
        raise ParameterError(f"name a metric of {row}, too; or the id of a claim alone")
    if as_json:
        print(to_json(rows_of(claim, corpus, profile).to_dict("records")))
    else:
        print(explain_claim(claim, corpus, profile))
