"""Pages that are made, not written: the ledger, the results, the data sources, the open choices,
the API.

Each function gives the Markdown of one page, in the dialect of MyST. The ledger's table is complete
without a script; what filters and sorts it stays hidden until a script of ours runs.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from citectx import ledger
from citectx.apps.site.modules import PAPERS, Ambiguity, Experiment, by_papers, docstring
from citectx.corpora.registry import Licensed, Source
from citectx.ledger.entries import Kind
from citectx.ledger.report import NOT_RUN, SIGNS, VERDICTS, markdown_table, replication_table

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""),
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
)


def rendered(file: str, part: str, *shown: object) -> str:
    """Return a part of a template beside this module, filled with what is shown; HTML is
    escaped.
    """
    return str(getattr(_ENVIRONMENT.get_template(file).module, part)(*shown))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a Markdown table; pipes and line breaks in cells are taken care of.

    >>> print(table(["a", "b"], [["x|y", "1"]]))
    | a | b |
    |---|---|
    | x\|y | 1 |
    """
    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    return markdown_table(pd.DataFrame(cells, columns=list(header), dtype=str))


def results_page(
    found: Sequence[Experiment], figures: Sequence[str], provenance: dict[str, Any]
) -> str:
    """List the experiments with their tables, the commands that make them, and the figures.

    Parameters
    ----------
    found : sequence of Experiment
    figures : sequence of str
        File names in ``results/open/figures``.
    provenance : dict
        Content of ``results/open/provenance.json``.
    """
    shown = [
        (
            each,
            provenance.get(each.name),
            [f for f in figures if re.fullmatch(rf"{each.name}(_[a-z]+)?", Path(f).stem)],
        )
        for each in found
        if each.files
    ]
    return rendered("pages.md", "results", shown, anchor)


def anchor(name: str) -> str:
    """Turn a name into what a link can point to.

    >>> anchor("sigir2017_table1")
    'sigir2017-table1'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def sources_page(sources: Iterable[Source], licensed: Iterable[Licensed]) -> str:
    """Describe every source of data, from the registry."""
    return rendered("pages.md", "sources", sources, licensed)


def choices(found: Iterable[Ambiguity], documented: frozenset[str] | None = None) -> str:
    """List open choices, grouped by paper and then by module: a part of a page, from headings of
    level 2 on.

    Parameters
    ----------
    found : iterable of Ambiguity
    documented : frozenset of str, optional
        Modules that have a page in the API reference, to link to; None links to none.
    """
    return (
        rendered(
            "pages.md", "choices", by_papers(found), documented or frozenset(), _choice
        ).strip()
        + "\n"
    )


def _choice(choice: Ambiguity) -> str:
    text = (
        choice.text if choice.text.startswith(PAPERS) else choice.text[:1].upper() + choice.text[1:]
    )
    text = text.replace("``", "`").replace("|", r"\|").replace("<", r"\<").replace("$", r"\$")
    return f"**`{choice.name}`** {text}" if choice.name else text


def api_pages(listed: dict[str, Path]) -> dict[str, str]:
    """Return the pages of the API reference by their paths: one for each module, and a list by
    layer.

    The side bar has the list only: with every module in it, each page would have to hold all their
    names.
    """
    docs = {name: docstring(path.read_text("utf-8")) for name, path in listed.items()}
    found = {name: " ".join(doc.partition("\n\n")[0].split()) for name, doc in docs.items()}
    up = ":orphan:\n\n:doc:`← API reference <index>`"
    pages = {
        f"api/{name}.rst": f"{up}\n\n``{name}``\n{'=' * (len(name) + 4)}\n\n.. automodule:: {name}\n"
        for name in found
    }
    layers: dict[str, list[str]] = {}
    for name in found:
        layers.setdefault(".".join(name.split(".")[:2]), []).append(name)
    groups: dict[str, list[str]] = {"The package": [n[0] for n in layers.values() if len(n) == 1]}
    groups |= {f"`{layer}`": names for layer, names in layers.items() if len(names) > 1}
    shown = [
        (title, [(f"[`{name}`]({name}.rst)", _markdown(found[name])) for name in names])
        for title, names in groups.items()
    ]
    return pages | {"api/index.md": rendered("pages.md", "reference", shown, table)}


def _markdown(docstring: str) -> str:
    return docstring.replace("``", "`").replace("<", r"\<")


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
        "kind": get_args(Kind),
        "verdict": VERDICTS,
    }
    html = rendered(
        "ledger.html", "table", offered, COLUMNS, _rows(frame).to_dict("records"), SIGNS
    )
    measured = "" if replication is None else markdown_table(replication_table(replication))
    return rendered("pages.md", "ledger", ledgers, bars(frame), measured, html)


def bars(frame: pd.DataFrame) -> str:
    """Draw, for each paper and corpus, the verdicts on its claims in words as one bar."""
    words = frame[frame["kind"] != "value"].assign(
        corpus=lambda f: f["corpus"].replace("", NOT_RUN)
    )
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
        ends=(ends[0] + ", " + ends[1])
        .where(frame["ci_low"].notna(), "")
        .str.replace(r"-(0\.00)", r"\1", regex=True),
        share=frame["seen"].map("{:.0%}".format).where(frame["seen"].notna(), ""),
        rank=frame["verdict"].map(VERDICTS.index),
        why=[
            "; ".join(filter(None, pair))
            for pair in zip(frame["reason"], frame["others"], strict=True)
        ],
    )


def _number(value: float, is_value: bool) -> str:
    if pd.isna(value):
        return ""
    return f"{value:.4g}" if is_value else f"{round(value, 2) + 0.0:+.2f}"  # no -0.00
