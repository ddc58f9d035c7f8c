"""The ledger as a web page: every claim with its verdict, to be filtered and sorted by a script of ours.

The table is complete without the script; what filters it stays hidden until the script runs.
"""

from html import escape
from typing import Any, get_args

import pandas as pd

from citectx import claims
from citectx.claims.ledger import Kind
from citectx.claims.report import NOT_RUN, SIGNS, VERDICTS, replication_report
from citectx.site.pages import anchor

COLUMNS = ("Claim", "Corpus", "Kind", "Paper", "Ours", "Seen", "Verdict")


def ledger_page(
    frame: pd.DataFrame, ledgers: "dict[str, claims.Ledger]", replication: pd.DataFrame | None = None
) -> str:
    """Return the page with all claims.

    Parameters
    ----------
    frame : DataFrame
        As `citectx.claims.check` gives it, for all papers.
    ledgers : dict of Ledger
        By paper, for their titles.
    replication : DataFrame, optional
        As `citectx.claims.all_replication` returns it.
    """
    titles = "\n".join(f"- `{name}`: *{ledger.title}*" for name, ledger in ledgers.items())
    html = f'{filters(frame)}\n<div class="table-wrapper ledger-wrapper">\n{rows(frame)}\n</div>'
    script = '<script src="_static/ledger.js"></script>'
    measured = (
        "" if replication is None else f"## Replication\n\n{replication_report(replication, 'markdown')}\n"
    )
    parts = [
        "---\nhide-toc: true\n---",  # room for the table
        "# Ledger of claims",
        _INTRO,
        titles,
        _raw(bars(frame)),
        measured,
        "## Claims",
        _raw(html + script),
    ]
    return "\n\n".join(parts) + "\n"


_INTRO = """\
Every claim of the papers, each published number and each sentence that says that one thing beats another,
with a verdict for each corpus. No verdict is typed by hand: each is computed from the [tables](results.md)
by the rule in {py:mod}`citectx.claims.outcomes`. Beside our effect and its interval is the paper's own, in
our unit; "seen" is the probability of "holds" if the paper's effect were true with our noise. A published
*number* of
another corpus cannot be tested here; such rows show the two side by side. In a terminal: `citectx claims`."""


def _raw(html: str) -> str:
    # A blank line would end the HTML block in Markdown, four spaces would make code of it.
    return "```{raw} html\n" + html + "\n```"


def bars(frame: pd.DataFrame) -> str:
    """Draw, for each paper and corpus, the verdicts on its claims in words as one bar."""
    words = frame[frame["kind"] != "value"].assign(corpus=lambda f: f["corpus"].replace("", NOT_RUN))
    lines = [
        '<div class="verdict-bars" role="list" aria-label="Verdicts on the claims that are not numbers">'
    ]
    for (paper, corpus), own in words.groupby(["paper", "corpus"]):
        counts = [(v, int((own["verdict"] == v).sum())) for v in VERDICTS]
        told = ", ".join(f"{n} {v}" for v, n in counts if n)
        parts = "".join(
            f'<span class="verdict {anchor(v)}" style="flex-grow:{n}" title="{n} {v}">{n}</span>'
            for v, n in counts
            if n
        )
        lines.append(
            '<div role="listitem" class="verdict-row"><span class="verdict-name">'
            f"<b>{escape(str(paper))}</b> {escape(str(corpus))}</span>"
            f'<span class="verdict-bar" role="img" aria-label="{told}">{parts}</span></div>'
        )
    key = " ".join(f'<span class="verdict {anchor(v)}">{SIGNS[v]} {v}</span>' for v in VERDICTS)
    return "\n".join([*lines, f'<p class="verdict-key">{key}</p>', "</div>"])


def filters(frame: pd.DataFrame) -> str:
    """Return the form: a choice for each of paper, kind, corpus and verdict, and a search box."""
    offered = {
        "paper": sorted(set(frame["paper"])),
        "corpus": [*sorted(set(frame["corpus"]) - {""}), NOT_RUN],
        "kind": get_args(Kind),
        "verdict": VERDICTS,
    }
    parts = ['<form class="ledger-filter" id="ledger-filter" hidden aria-controls="ledger">']
    for name, values in offered.items():
        options = "".join(f'<option value="{escape(v)}">{escape(v)}</option>' for v in values)
        every = f'<select name="{name}"><option value="">all</option>{options}</select>'
        parts.append(f"<label>{name.capitalize()} {every}</label>")
    parts.append('<label>Search <input type="search" name="q" placeholder="c-F, logit, BM25 …"></label>')
    parts.append('<button type="reset">Show all</button><output aria-live="polite"></output></form>')
    return "\n".join(parts)


def rows(frame: pd.DataFrame) -> str:
    """Return the table; claims in words come before published numbers."""
    ordered = frame.assign(number=frame["kind"] == "value").sort_values(
        ["number", "paper", "corpus"], kind="stable"
    )
    head = "".join(f'<th scope="col" data-name="{name.lower()}">{name}</th>' for name in COLUMNS)
    body = "\n".join(_row(row) for _, row in ordered.iterrows())
    return f"{_TABLE}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>{_PAGER}"


_TABLE = '<table class="docutils ledger" id="ledger">'
_PAGER = (
    '<nav id="ledger-pages" hidden aria-label="Pages of the ledger">'
    '<button type="button" value="-1">← previous</button> <output aria-live="polite"></output> '
    '<button type="button" value="1">next →</button></nav>'
)


def _row(row: "pd.Series[Any]") -> str:
    corpus, verdict, value = row["corpus"] or NOT_RUN, row["verdict"], row["kind"] == "value"
    facts = {"paper": row["paper"], "corpus": corpus, "kind": row["kind"], "verdict": verdict}
    data = " ".join(f'data-{name}="{escape(fact)}"' for name, fact in facts.items())
    identity = anchor(f"{row['paper']} {row['id']} {row['corpus']}")
    ours = row["value"] if value else row["effect"]
    shown = _number(ours, signed=not value)
    if pd.notna(row["ci_low"]):
        ends = ", ".join(f"{_rounded(row[end]):.2f}" for end in ("ci_low", "ci_high"))
        shown += f' <small class="interval">[{ends}]</small>'
    seen = "" if pd.isna(row["seen"]) else f"{row['seen']:.0%}"
    sign = f'<span aria-hidden="true">{SIGNS[verdict]}</span>'
    why = escape("; ".join(part for part in (row["reason"], row["others"]) if part))
    cells = [
        f'<td>{escape(row["says"])} <small><a href="#{identity}">{escape(row["id"])}</a>, '
        f"{escape(row['where'])}</small></td>",
        f"<td>{escape(corpus)} <small>{escape(row['paper'])}</small></td>",
        f"<td>{escape(row['kind'])}</td>",
        f'<td data-sort="{row["published"]}">{_number(row["published"], signed=not value)}</td>',
        f'<td data-sort="{ours}">{shown}</td>',
        f'<td data-sort="{row["seen"]}">{seen}</td>',
        f'<td data-sort="{VERDICTS.index(verdict)}"><span class="verdict {anchor(verdict)}">{sign} {verdict}'
        f"</span> <small>{why}</small></td>",
    ]
    return f'<tr id="{identity}" {data}>{"".join(cells)}</tr>'


def _number(value: float, *, signed: bool) -> str:
    return "" if pd.isna(value) else f"{_rounded(value):+.2f}" if signed else f"{value:.4g}"


def _rounded(value: float) -> float:
    return round(value, 2) + 0.0  # no -0.00
