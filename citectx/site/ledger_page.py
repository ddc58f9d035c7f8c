"""The ledger as a web page: every claim with its verdict, to be filtered and sorted by a script of ours.

The table is complete without the script; what filters it stays hidden until the script runs.
"""

from typing import get_args

import pandas as pd

from citectx import claims
from citectx.claims.ledger import Kind
from citectx.claims.report import NOT_RUN, SIGNS, VERDICTS, replication_report
from citectx.site.pages import anchor, rendered

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
    offered = {
        "paper": sorted({*frame["paper"]}),
        "corpus": [*sorted({*frame["corpus"]} - {""}), NOT_RUN],
        "kind": get_args(Kind),
        "verdict": VERDICTS,
    }
    html = rendered("ledger.html", "table", offered, COLUMNS, _rows(frame).to_dict("records"), SIGNS)
    script = '<script src="_static/ledger.js"></script>'
    measured = "" if replication is None else f"## Replication\n\n{replication_report(replication, 'markdown')}\n"
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
    groups = []
    for (paper, corpus), own in words.groupby(["paper", "corpus"]):
        counts = own["verdict"].value_counts()
        groups.append((paper, corpus, [(v, int(counts[v])) for v in VERDICTS if v in counts]))
    return rendered("ledger.html", "bars", groups, SIGNS)


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what the table shows; claims in words come before published numbers."""
    frame = frame.assign(value_claim=frame["kind"] == "value").sort_values(
        ["value_claim", "paper", "corpus"], kind="stable"
    )
    identity = frame["paper"] + " " + frame["id"] + " " + frame["corpus"]
    frame["number"] = frame["value"].where(frame["value_claim"], frame["effect"])
    ends = [frame[end].map("{:.2f}".format) for end in ("ci_low", "ci_high")]
    return frame.assign(
        identity=identity.map(anchor),
        corpus=frame["corpus"].replace("", NOT_RUN),
        theirs=list(map(_number, frame["published"], frame["value_claim"])),
        ours=list(map(_number, frame["number"], frame["value_claim"])),
        ends=(ends[0] + ", " + ends[1]).where(frame["ci_low"].notna(), "").str.replace(r"-(0\.00)", r"\1", regex=True),
        share=frame["seen"].map("{:.0%}".format).where(frame["seen"].notna(), ""),
        rank=frame["verdict"].map(VERDICTS.index),
        why=["; ".join(filter(None, pair)) for pair in zip(frame["reason"], frame["others"], strict=True)],
    )


def _number(value: float, is_value: bool) -> str:
    if pd.isna(value):
        return ""
    return f"{value:.4g}" if is_value else f"{round(value, 2) + 0.0:+.2f}"  # no -0.00
