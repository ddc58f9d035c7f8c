"""The page on which one chooses a reading: the committed results of all readings, in short."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import ledger
from citectx.ledger.rule import VERDICTS
from citectx.show.tables import OPEN
from docs import explorer

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A choice by its number; a reading is a letter per switch."""

Curve = dict[str, Any]


def curves() -> list[Curve]:
    """Return the headline comparisons under their readings: confirmed ones first.

    Corpora that were declared for no stage are left out.
    """
    files = sorted(OPEN.glob("*_curve/*.readings.csv"))
    found = [curve for file in files for curve in curves_of(file)]
    declared = [curve for curve in found if curve["stage"]]
    return sorted(declared, key=lambda curve: explorer.ORDER.index(curve["stage"]))


def curves_of(file: Path) -> Iterator[Curve]:
    """Read the comparisons of a file.

    What a reading chooses is in the columns behind *verdict*; our own reading is the first row.
    """
    table = pd.read_csv(file, dtype=str, keep_default_na=False)
    columns = [*table.columns]
    switches = columns[columns.index("verdict") + 1 :]
    options = {name: [*table[name].unique()] for name in switches}
    options = {name: values for name, values in options.items() if len(values) > 1}
    paper = ledger.load(file.name.split("_")[0])
    claims = table[table["role"] == "claim"]
    for (corpus, headline), rows in claims.groupby(["corpus", "headline"], sort=False):
        claim = paper[rows["claim"].iloc[0]]
        published = rows["published"].iloc[0]
        rivals = [*rows["against"].unique()]
        yield {
            "paper": paper.paper,
            "says": claim.says,
            "headline": headline,
            "corpus": corpus,
            "stage": paper.stage(claim, str(corpus)),
            "published": float(published) if published else None,
            "options": {name.replace("_", " "): values for name, values in options.items()},
            "rivals": rivals,
            "readings": readings(rows, options, rivals),
        }


def readings(
    rows: pd.DataFrame, options: dict[str, list[str]], rivals: list[str]
) -> dict[str, list[float]]:
    """Return effect, interval, and numbers of verdict and rival, by the letters of a reading."""
    found = {}
    for row in rows.to_dict("records"):
        letters = [DIGITS[values.index(row[name])] for name, values in options.items()]
        effects = [float(row[name]) for name in ("effect", "ci_low", "ci_high")]
        numbers = [float(f"{effect:.3g}") for effect in effects]
        names = VERDICTS.index(row["verdict"]), rivals.index(row["against"])
        found["".join(letters)] = [*numbers, *names]
    return found


def data() -> str:
    """Write all of it as JSON that may stand in a page."""
    colours = [explorer.colour(verdict) for verdict in VERDICTS]
    content = {"curves": curves(), "verdicts": VERDICTS, "colours": colours}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")


def page(script: str) -> str:
    """Return the switches, the picture and the data."""
    return explorer.render("readings.html", data=data(), script=script)
