"""What is generated in README.md and docs: tables of verdicts, the picture, and every number that
states a finding.

A generated block is between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; numbers in prose
carry the marks of `citectx.ledger.findings`. A test fails when prose and results differ.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from citectx import ledger
from citectx.errors import DataError
from citectx.experiments.results import read
from citectx.ledger.findings import prose, rewritten
from citectx.ledger.report import VERDICTS, markdown_table, replication_table, summary
from citectx.paths import RESULTS, ROOT
from citectx.show.plotting import save, slopes
from citectx.show.tables import laid_out
from citectx.storage import write_atomically

DENOMINATORS = {
    "article": "the article's words (declared)",
    "length": "none: length of the sentence",
    "query": "the query's words",
    "embedding": "all words of the vectors",
}
"""What the choices of the denominator of Eq. 2 are called in README."""
SHOWN = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5")


def blocks(results: Path, verdicts: pd.DataFrame, replication: pd.DataFrame) -> dict[str, str]:
    """Return the content of each generated block, by name.

    Parameters
    ----------
    results : Path
        Folder of the tables.
    verdicts, replication : DataFrame
        As `citectx.ledger.all_verdicts` and `citectx.ledger.all_replication` return them.
    """
    rows = [_overview(ledger.load(paper), verdicts, replication) for paper in ledger.papers()]
    return {
        "overview": markdown_table(pd.DataFrame(rows)),
        "readings": _readings(results),
        "table1": _table1(results),
        "ledger": markdown_table(summary(verdicts).reset_index()),
        "replication": markdown_table(replication_table(replication)),
    }


def _overview(
    ledger: ledger.Ledger, verdicts: pd.DataFrame, replication: pd.DataFrame
) -> dict[Any, object]:
    """Count the verdicts on what a paper says in words, on its main corpus."""
    worded = [claim.claim_id for claim in ledger if claim.worded]
    own = verdicts[(verdicts["paper"] == ledger.paper) & verdicts["corpus"].isin([ledger.main, ""])]
    counts = own[own["id"].isin(worded)]["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    found = replication[
        (replication["paper"] == ledger.paper) & (replication["corpus"] == ledger.main)
    ]
    measures = replication_table(found[:1])[["τ", "effect ratio"]].to_dict("records")
    about = {"paper": ledger.paper, "corpus": ledger.main, "claims": len(worded)} | counts.to_dict()
    return about | (measures[0] if measures else {"τ": "—", "effect ratio": "—"})


def _table1(results: Path) -> str:
    """Return Table 1 of sigir2017 as Markdown: ours for each corpus, the paper's in a last
    block.
    """
    table = read(results, "sigir2017_table1")
    rows = pd.MultiIndex.from_frame(table[["corpus", "method"]].drop_duplicates())
    ours = table.pivot_table("value", ["corpus", "method"], "metric").reindex(rows)
    published = ledger.load("sigir2017").published(("sigir2017_table1",))
    theirs = pd.Series(published).unstack(sort=False)  # noqa: PD010
    both = pd.concat([ours, pd.concat({"*TAC 2014 (paper)*": theirs}, names=["corpus", "method"])])
    return markdown_table(both[list(SHOWN)].round(1).reset_index())


def _readings(results: Path) -> str:
    """Return sigir2017's main claim on its main corpus under each reading of Eq. 2, as Markdown,
    once it was run.
    """
    file = results / "sigir2017_readings.headline.csv"
    if not file.is_file():
        return ""
    found = pd.read_csv(file)
    main = ledger.load("sigir2017").main
    own = found[(found["corpus"] == main) & (found["method"] == "WE_Bio+dmn")]
    shown = own[own["against"].isin(["BM25", "QR"]) & own["unseen"].isin(["related", "out"])]
    wide = laid_out(shown, ["denominator", "cap"], ["unseen", "against"])
    unseen = {"related": "share of relatives", "out": "left out"}
    named = wide.set_axis(
        [f"over {pair[1]}; unseen words: {unseen[pair[0]]}" for pair in wide.columns], axis=1
    )
    rows = named.rename(index=DENOMINATORS, level="denominator").reset_index()
    return markdown_table(
        rows.rename(columns={"denominator": "V, of the denominator", "cap": "cosines cut at"})
    )


def orders(results: Path, replication: pd.DataFrame) -> Figure:
    """Draw the order of methods of each paper's main table, theirs on the left and ours on the
    right.
    """
    figure, axes = plt.subplots(2, 2, figsize=(11, 7.5))
    for ax, paper in zip(axes.flat, ledger.papers(), strict=False):
        claims, own = ledger.load(paper), replication[replication["paper"] == paper]
        if own.empty:
            continue
        name = str(own["experiment"].iloc[0])
        experiment = claims.experiments[name]
        column = experiment.headline.get("order", experiment.headline["in"])
        published = claims.published((name,))
        theirs = pd.Series({row: value for (row, c), value in published.items() if c == column})
        table = ledger.Results(results).table(name)
        ours = pd.Series(
            {row: n.value for (c, row, m), n in table.items() if (c, m) == (claims.main, column)}
        )
        unit = f"{column}, %" if column in experiment.percent else column
        strong = [experiment.headline["better"], experiment.headline["than"]]
        slopes(theirs, ours, f"{paper}, {claims.main}", strong, unit, ax)
    return figure


def replace_block(text: str, name: str, content: str) -> str:
    r"""Put content between the markers of a name.

    Raises
    ------
    DataError
        Unless each marker occurs in the text once, in order.

    Examples
    --------
    >>> replace_block("<!-- a:begin -->old<!-- a:end -->", "a", "new")
    '<!-- a:begin -->\nnew\n<!-- a:end -->'
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise DataError(f"expected {begin} once and {end} once behind it")
    head, tail = text[: text.index(begin)], text[text.index(end) :]
    return f"{head}{begin}\n{content.strip()}\n{tail}"


def update(root: Path = ROOT, results: Path = RESULTS / "open", *, check: bool = False) -> int:
    """Write the generated blocks and the numbers of findings in README, docs and notebooks.

    Parameters
    ----------
    root : Path
        A checkout.
    results : Path
    check : bool
        Write nothing; only say what differs.

    Returns
    -------
    int
        1 if `check` finds a difference, or if a finding is no longer borne out; else 0.
    """
    verdicts, replication = ledger.all_verdicts(results), ledger.all_replication(results)
    findings = ledger.Findings(results, verdicts)
    generated = blocks(results, verdicts, replication)
    changed = []
    for file in prose(root):
        old = file.read_text("utf-8")
        new = rewritten(file, findings)
        if file.suffix == ".md":
            for name, content in generated.items():
                if f"<!-- {name}:begin -->" in new:
                    new = replace_block(new, name, content)
        if new != old:
            changed.append(file)
            if not check:
                write_atomically(file, new.encode())
    if changed and not check:
        save(orders(results, replication), results, "orders")
    if not check:
        write_atomically(
            results / ledger.VERDICTS, verdicts.to_csv(index=False, float_format="%.6g")
        )
    for complaint in findings.complaints:
        print(complaint)
    what = "differs from the results: run make readme" if check else "written"
    print(
        "\n".join(f"{file.name} {what}" for file in changed)
        or "README, docs and notebooks are up to date"
    )
    return int(bool(findings.complaints) or (check and bool(changed)))
