"""Pages that are made, not written: the ledger, the results, the data sources, the open choices.

Each function gives the Markdown of one page, in the dialect of MyST. The ledger's table is complete
without a script; what filters and sorts it stays hidden until a script of ours runs.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, get_args

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from citectx import ledger
from citectx.apps.site.choices import Ambiguity, by_papers
from citectx.apps.site.outputs import Output
from citectx.corpora.sources import Source
from citectx.ledger.entries import Kind
from citectx.ledger.report import NOT_RUN, SIGNS, markdown_table, replication_table
from citectx.ledger.rule import VERDICTS

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
)


def _plain(text: object) -> str:
    """Leave of somebody's text what neither ends a span of code nor begins a tag.

    >>> _plain("k=1 `<b>`")
    'k=1 b '
    """
    return re.sub(r"[`<>\s]+", " ", str(text))


_ENVIRONMENT.filters["plain"] = _plain


def rendered(file: str, part: str, *shown: object) -> str:
    """Return a part of a template beside this module, filled with what is shown, HTML escaped."""
    return str(getattr(_ENVIRONMENT.get_template(file).module, part)(*shown))


def results_page(outputs: Iterable[Output]) -> str:
    """List what each notebook or command has made: tables, figures, and the command again."""
    return rendered("pages.md", "results", outputs, anchor)


def anchor(name: str) -> str:
    """Turn a name into what a link can point to.

    >>> anchor("sigir2017_table1")
    'sigir2017-table1'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def sources_page(sources: Iterable[Source]) -> str:
    """Describe every source of data, from the registry."""
    return rendered("pages.md", "sources", sources)


def choices(found: Iterable[Ambiguity]) -> str:
    """List open choices by paper and module: a part of a page, from headings of level 2 on."""
    return rendered("pages.md", "choices", by_papers(found), _choice).strip() + "\n"


def _choice(choice: Ambiguity) -> str:
    text = choice.text
    if not text.startswith(tuple(ledger.papers())):
        text = text[:1].upper() + text[1:]
    text = text.replace("``", "`").replace("|", r"\|").replace("<", r"\<").replace("$", r"\$")
    return f"**`{choice.name}`** {text}" if choice.name else text


OURS = "check of ours"
COLUMNS = ("Claim", "Corpus", "Kind", "Paper", "Ours", "Seen", "Verdict")


def ledger_page(
    frame: pd.DataFrame,
    ledgers: "dict[str, ledger.Ledger]",
    replication: pd.DataFrame | None = None,
) -> str:
    """Return the page with all claims.

    Parameters
    ----------
    frame : DataFrame
        As `citectx.ledger.check` gives it, for all papers.
    ledgers : dict of Ledger
        By paper, for their titles.
    replication : DataFrame, optional
        As `citectx.ledger.all_replication` returns it.
    """
    offered = {
        "paper": sorted({*frame["paper"]}),
        "corpus": [*sorted({*frame["corpus"]} - {""}), NOT_RUN],
        "kind": [*get_args(Kind), OURS],
        "verdict": VERDICTS,
    }
    html = rendered("ledger.html", "table", offered, COLUMNS, _rows(frame), SIGNS)
    measured = "" if replication is None else markdown_table(replication_table(replication))
    return rendered("pages.md", "ledger", ledgers, bars(frame), measured, html)


def bars(frame: pd.DataFrame) -> str:
    """Draw the verdicts on the claims of each paper, by corpus, as one bar; not checks of ours."""
    claimed = frame[~frame["ours"]]
    words = claimed.assign(corpus=claimed["corpus"].replace("", NOT_RUN))
    groups = []
    for (paper, corpus), own in words.groupby(["paper", "corpus"]):
        counts = own["verdict"].value_counts()
        found = [(verdict, int(counts[verdict])) for verdict in VERDICTS if verdict in counts]
        groups.append((paper, corpus, found))
    return rendered("ledger.html", "bars", groups, SIGNS)


def _rows(frame: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return what the table shows."""
    ordered = frame.sort_values(["paper", "corpus"], kind="stable")
    return [claim | _shown(claim) for claim in ordered.to_dict("records")]


def _shown(claim: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
    """Lay out a claim for readers."""
    low, high = _rounded(claim["ci_low"]), _rounded(claim["ci_high"])
    return {
        "identity": anchor(f"{claim['paper']} {claim['id']} {claim['corpus']}"),
        "kind": OURS if claim["ours"] else claim["kind"],
        "corpus": claim["corpus"] or NOT_RUN,
        "theirs": _signed(claim["published"]),
        "ours": _signed(claim["effect"]),
        "ends": "" if pd.isna(low) else f"{low:.2f}, {high:.2f}",
        "share": "" if pd.isna(claim["seen"]) else f"{claim['seen']:.0%}",
        "rank": VERDICTS.index(claim["verdict"]),
        "why": "; ".join(filter(None, [claim["reason"], claim["others"]])),
    }


def _signed(value: float) -> str:
    return "" if pd.isna(value) else f"{_rounded(value):+.2f}"


def _rounded(value: float) -> float:
    return round(value, 2) + 0.0  # no -0.00
