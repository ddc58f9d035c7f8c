"""The explorer and a page per claim: what the site makes of the committed verdicts."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import isnan
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from citectx import ledger
from citectx.ledger.claim import STAGES, Claim
from citectx.ledger.report import effect
from citectx.ledger.rule import VERDICTS
from citectx.paths import ROOT
from citectx.show import forest
from citectx.show.tables import COLOURS, INK
from docs.bars import picture

Record = Mapping[Any, Any]
"""A row of verdicts.csv; texts that are missing are ""."""

ORDER = ("confirmed", "explored", "second domain")
"""The stages as the site shows them: what decides comes first."""


@cache
def verdicts() -> pd.DataFrame:
    """Read every verdict on open data; a text that is missing is "", a number NaN."""
    table = forest.open_verdicts()
    texts = table.select_dtypes(["object", "string"]).columns
    return table.fillna(dict.fromkeys(texts, ""))


@cache
def drawn(paper: str) -> pd.DataFrame:
    """Return the ends of a paper's bars in units of its effects; checks of ours have them, too."""
    return forest.drawable(paper, verdicts().assign(ours=False))


def colour(verdict: str) -> str:
    """Return the style of a verdict's badge, as in the lessons' tables.

    >>> colour("holds, below its control")
    'background:#bcd3e3;color:#1a1a1a'
    """
    ground = next(c for known, c in COLOURS.items() if verdict.startswith(known))
    return f"background:{ground};color:{INK}"


def lead(control: str) -> str:
    """Write the lead over the control; of several leads, the one that is least clear.

    >>> lead("A over B in c-F: +1.2 [-0.2, 2.6]; A over C in c-F: +4 [3, 5]")
    '+1.2 [-0.2, 2.6]'
    """
    value, low, high = forest.smallest_lead(control)
    return "" if isnan(value) else f"{value:+.3g} [{low:.3g}, {high:.3g}]"


def entry(paper: str, claim: Claim) -> dict[str, Any]:
    """Collect what the site tells of a claim: its verdicts by stage and on every corpus."""
    table = verdicts()
    records = table[table["id"] == claim.claim_id].to_dict("records")
    by_name = {record["stage"]: record for record in records}
    stages = {stage: by_name[stage] for stage in ORDER if stage in by_name}
    rows = drawn(paper).set_index("stage")
    by_stage = rows[rows["id"] == claim.claim_id].to_dict("index")
    bars = {stage: by_stage[stage] for stage in ORDER if stage in by_stage}
    return {
        "paper": paper,
        "claim": claim,
        "records": records,
        "stages": stages,
        "differs": len({stages[name]["verdict"] for name in STAGES[:2]}) > 1,
        "picture": Markup(picture(claim, bars)),
        "words": " ".join(searched(paper, claim, records)).lower(),
    }


def searched(paper: str, claim: Claim, records: Iterable[Record]) -> Iterator[str]:
    """Yield the words by which a claim is found."""
    yield from (paper, claim.claim_id, claim.says, claim.where, *claim.tables)
    for record in records:
        yield from (record[name] for name in ("corpus", "verdict", "pair", "control", "same_as"))


@cache
def entries() -> list[dict[str, Any]]:
    """Return every claim of the papers, in their order."""
    return [entry(name, claim) for name in ledger.papers() for claim in ledger.load(name)]


@cache
def environment() -> Environment:
    """Return the templates of the site's own pages; what they are given is escaped."""
    loader = FileSystemLoader(ROOT / "docs" / "_templates")
    templates = Environment(loader=loader, autoescape=True, trim_blocks=True)
    templates.globals |= {"colour": colour, "lead": lead, "in_words": effect}
    return templates


def render(template: str, **context: Any) -> str:
    """Fill a template of the site."""
    return environment().get_template(template).render(context)


def page(script: str) -> str:
    """Return the explorer: its filters and a row per claim."""
    known = {row["verdict"] for entry in entries() for row in entry["stages"].values()}
    stages = {stage for entry in entries() for stage in entry["stages"]}
    return render(
        "explorer.html",
        entries=entries(),
        papers=ledger.papers(),
        stages=[stage for stage in ORDER if stage in stages],
        verdicts=[verdict for verdict in VERDICTS if verdict in known],
        script=script,
    )
