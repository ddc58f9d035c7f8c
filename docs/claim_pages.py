"""A page per claim, made of the committed verdicts and tables while the site is built."""

from collections.abc import Iterator, Mapping
from functools import cache
from math import isnan
from typing import Any
from urllib.parse import urlencode

import pandas as pd

from citectx import ledger
from citectx.experiments.results import find, read
from citectx.ledger.claim import Claim, Order
from citectx.ledger.report import effect
from citectx.show import forest
from citectx.show.tables import OPEN
from docs import explorer

FOLDER = "docs/claims"
"""Where the pages are on the site."""

Record = Mapping[Any, Any]


def pages(address: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield name, title and body of each page, as Sphinx collects them, and their template."""
    entries = explorer.entries()
    names = [entry["claim"].claim_id for entry in entries]
    for entry, before, after in zip(entries, ["", *names], [*names[1:], ""], strict=False):
        claim = entry["claim"]
        body = explorer.render(
            "claim.html",
            entry=entry,
            claim=claim,
            scale=scale(claim, entry["stages"]),
            changes=changes,
            cells_of=cells,
            counts=readings(claim.claim_id),
            markdown=markdown(entry),
            challenge=challenge(address, claim),
            lessons=lessons(claim),
            before=before,
            after=after,
        )
        title = f"{claim.claim_id} ({entry['paper']})"
        yield f"{FOLDER}/{claim.claim_id}", {"title": title, "body": body}, "page.html"


def scale(claim: Claim, stages: Mapping[str, Record]) -> str:
    """Say what the picture's unit is."""
    if forest.has_margin(claim):
        return "The ground is the claim's margin."
    if any(row["published"] > 0 for row in stages.values()):
        return "The dashed line is the paper's effect."
    return "The paper prints no effect."


def changes(record: Record) -> Iterator[str]:
    """Say what would change a verdict."""
    verdict = record["verdict"]
    if verdict in ("holds, not beyond its control", "holds, below its control"):
        yield "It would be “holds” if the row were clearly ahead of each control."
    if verdict == "inconclusive" and not isnan(record["visible"]):
        yield f"An effect of {record['visible']:.3g} would be seen four times in five."
    kept, _, topics = record["kept"].partition(" of ")
    if topics.isdecimal() and int(topics) > 0:
        stays = "whichever" if kept == topics else f"in {kept} of {topics} cases when one"
        yield f"The verdict stays {stays} topic is left out."
    if record["alike"] not in ("", verdict):
        yield f"It would be {record['alike']} if topics counted alike."
    if record["same_as"]:
        yield f"It rests on the same comparison as {record['same_as']}."


def cells(entry: Mapping[str, Any], record: Record) -> list[dict[str, str]]:
    """Return the two rows whose comparison decides: the paper's numbers, and ours."""
    check = entry["claim"].on(record["corpus"]).check
    if not isinstance(check, Order):
        return []
    for column, row, rival in check.pairs():
        if record["pair"].startswith(f"{row} {check.word} {rival}") and column in record["pair"]:
            told = [cell(entry, record["corpus"], name, column) for name in (row, rival)]
            return [one for one in told if one]
    return []


def cell(entry: Mapping[str, Any], corpus: str, row: str, column: str) -> dict[str, str]:
    """Return a row's number in the paper and here; {} if no table of ours has it."""
    for table in entry["claim"].tables:
        value = committed(table).get((corpus, row, column))
        if value:
            printed = ledger.load(entry["paper"]).published((table,)).get((row, column))
            return {
                "table": table,
                "report": report(table),
                "row": row,
                "column": column,
                "paper": "—" if printed is None else f"{printed:g}",
                "ours": "{value:.3g} [{ci_low:.3g}, {ci_high:.3g}]".format_map(value),
            }
    return {}


@cache
def committed(table: str) -> dict[tuple[str, str, str], Record]:
    """Read a table of ours: its cells by corpus, row and column."""
    cells = read(OPEN, table).to_dict("records")
    return {(cell["corpus"], cell["method"], cell["metric"]): cell for cell in cells}


def folder(table: str) -> str:
    """Return the folder of a table, which has the name of the notebook that makes it."""
    return find(OPEN, f"{table}.csv").parent.name


def lessons(claim: Claim) -> list[str]:
    """Return the numbers of the notebooks that make a claim's tables."""
    numbers = {folder(table).partition("_")[0] for table in claim.tables}
    return sorted(number for number in numbers if number.isdecimal())


def report(table: str) -> str:
    """Return the address of the report that has a table, seen from a claim's page."""
    name = folder(table)
    return f"../../results/open/{name}/{name}.html"


@cache
def readings(claim_id: str) -> list[dict[str, str]]:
    """Count the verdicts on a headline claim under the readings of its paper, by comparison."""
    counts = []
    for file in sorted(OPEN.glob("*_curve/*.readings.csv")):
        table = pd.read_csv(file, keep_default_na=False)
        chosen = table[(table["claim"] == claim_id) & (table["role"] == "claim")]
        for (corpus, headline), rows in chosen.groupby(["corpus", "headline"], sort=False):
            kinds = rows["verdict"].value_counts()
            told = "; ".join(f"{count} × {verdict}" for verdict, count in kinds.items())
            counts.append({"corpus": str(corpus), "headline": str(headline), "told": told})
    return counts


def markdown(entry: Mapping[str, Any]) -> str:
    """Write a claim and its verdicts as Markdown."""
    claim = entry["claim"]
    lines = [f"**{claim.says}** (`{claim.claim_id}`, {entry['paper']}, {claim.where})", ""]
    for stage, row in entry["stages"].items():
        told = f"- {stage} on {row['corpus']}: *{row['verdict']}*"
        if row["pair"]:
            told += f"; {row['pair']}: {effect(row)}"
        if not isnan(row["published"]):
            told += f", paper {row['published']:+.3g}"
        if row["control"]:
            told += f"; over its control: {row['control']}"
        lines.append(told)
    return "\n".join([*lines, "", f"`citectx explain {claim.claim_id}`"])


def challenge(address: str, claim: Claim) -> str:
    """Return the address of a new issue about a claim; "" while the repository has none."""
    fields = {"template": "verdict.yml", "title": f"Verdict: {claim.claim_id}"}
    fields["claim"] = claim.claim_id
    return f"{address}/issues/new?{urlencode(fields)}" if address else ""
