"""README.md and the pages with numbers in docs, rendered from templates over committed tables.

``README.md.j2`` makes ``README.md``, and so on; `citectx.show.prose` says what a template can ask
for. A test fails when a page and its template differ.
"""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from citectx import ledger
from citectx.errors import MissingDataError, unknown
from citectx.experiments.tables import read_csv, typed
from citectx.ledger.report import markdown_table, replication_table, summary, survives
from citectx.ledger.verdicts import keep
from citectx.papers.curves import CURVES, experiment
from citectx.paths import IN_CHECKOUT, RESULTS, ROOT
from citectx.reading import listing, note, read_text, there
from citectx.show.plotting import save, slopes
from citectx.show.prose import Facts, rendered
from citectx.storage import write_atomically

EFFECTS = ("declared", "median", "smallest", "largest")


def pages(root: Path) -> dict[Path, Path]:
    """Return the template of each page that has one."""
    templates = [*listing(root, "*.md.j2"), *listing(root / "docs", "*.md.j2")]
    return {template.with_suffix(""): template for template in templates}


def blocks(root: Path, verdicts: pd.DataFrame, measures: pd.DataFrame) -> dict[str, object]:
    """Return what only pages use: tables of verdicts, and files of the checkout.

    Parameters
    ----------
    root : Path
    verdicts, measures : DataFrame
        As `citectx.ledger.all_verdicts` and `citectx.ledger.all_replication` return them.
    """
    counts, replication = summary(verdicts), replication_table(measures)
    return {
        "overview": markdown_table(_overview(verdicts, replication)),
        "verdicts": markdown_table(counts.reset_index()),
        "replication": markdown_table(replication),
        "published": lambda name: ledger.load(name.partition("_")[0]).published((name,)),
        "moved": lambda *where: _moved(root / "results" / "open", *where),
        "headlines": lambda: markdown_table(_headlines(root / "results" / "open")),
        "headlines_in_short": lambda: markdown_table(_in_short(root / "results" / "open")),
        "file": lambda name: pd.read_csv(note(root / name)).to_dict("records"),
    }


def _overview(verdicts: pd.DataFrame, replication: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts on what each paper says in words, on its main corpus."""
    main = [(paper, ledger.load(paper).main) for paper in ledger.papers()]
    rows = summary(verdicts).reindex(main, fill_value=0)
    rows.insert(0, "claims", rows.sum(axis=1))
    clear = verdicts[survives(verdicts)].groupby(["paper", "corpus"]).size()
    rows["after Holm"] = clear.reindex(rows.index, fill_value=0)
    first = replication.groupby(["paper", "corpus"])[["τ", "effect ratio"]].first()
    return rows.join(first).fillna("—").rename_axis(["paper", "corpus"]).reset_index()


def _counted(results: Path) -> list[dict[Hashable, Any]]:
    """Read what every curve counted: a row a headline comparison or control of one corpus."""
    names = map(experiment, CURVES)
    files = [results / name / f"{name}.csv" for name in names]
    found = pd.concat([typed(read_csv(note(file)), file) for file in files])
    keys = ["experiment", "corpus", "method"]
    wide = found.pivot_table("value", keys, "metric", sort=False, dropna=False).reset_index()
    rows = []
    for one in wide.dropna(subset="readings").to_dict("records"):
        comparison, _, control = one["method"].partition(", control: ")
        digits = 1 if max(-one["smallest"], one["largest"]) >= 1 else 3
        effects = {name: f"{one[name]:+.{digits}f}" for name in EFFECTS}
        about = {"comparison": comparison, "control": control, "paper": one["experiment"]}
        rows.append(one | about | effects)
    return rows


def _headlines(results: Path) -> pd.DataFrame:
    """Say of each headline comparison, and of its controls, under how many readings it holds."""
    rows = []
    for one in _counted(results):
        better, control = one["comparison"].partition(" over ")[0], one["control"]
        rows.append(
            {
                "paper": "" if control else one["paper"].partition("_")[0],
                "corpus": "" if control else one["corpus"],
                "comparison": f"*control:* {better} over {control}"
                if control
                else one["comparison"],
                "readings": f"{one['readings']:.0f}",
                "holds in": f"{one['holds']:.0f}",
                "contradicted in": f"{one['contradicted']:.0f}",
                "effect, declared": one["declared"],
                "median": one["median"],
                "of readings": f"{one['smallest']} to {one['largest']}",
                "chance": "—" if pd.isna(one["chance"]) else f"{one['chance']:.3f}",
            }
        )
    return pd.DataFrame(rows)


def _in_short(results: Path) -> pd.DataFrame:
    """Say the same in a row a headline comparison, with its controls in the last cell."""
    rows = list[dict[str, str]]()
    for one in _counted(results):
        counts = f"holds in {one['holds']:.0f}, contradicted in {one['contradicted']:.0f}"
        if one["control"]:
            told = f"over {one['control']} ({counts}; {one['declared']})"
            rows[-1]["its controls"] += f"; {told}" if rows[-1]["its controls"] else told
            continue
        rows.append(
            {
                "paper": one["paper"].partition("_")[0],
                "claim": f"{one['comparison']}, {one['corpus']}",
                "under all readings": f"{counts} of {one['readings']:.0f}",
                "effect": f"{one['declared']}; median {one['median']}",
                "its controls": "",
            }
        )
    return pd.DataFrame(rows)


def _moved(results: Path, curve: str, corpus: str, headline: str, reading: str) -> str:
    """Say what a reading moves: the median effect of a headline with each of its choices."""
    name = experiment(curve)
    file = results / name / f"{name}.readings.csv"
    long = typed(read_csv(note(file)), file)
    for column, value in (("corpus", corpus), ("headline", headline), ("role", "claim")):
        long = long[long[column] == value]
    if reading not in long or long.empty:
        raise unknown("reading", f"{reading} of {headline} on {corpus}", long.columns)
    medians = long.groupby(long[reading].astype(str), sort=False)["effect"].median()
    digits = 1 if medians.abs().max() >= 1 else 3
    return ", ".join(f"{value:+.{digits}f} with {choice}" for choice, value in medians.items())


def orders(results: Path, measures: pd.DataFrame) -> Figure:
    """Draw the methods of each paper's main table in the paper's order, and in ours."""
    first = measures.groupby("paper")["experiment"].first()
    rows = -(-len(first) // 2)
    figure, axes = plt.subplots(rows, 2, figsize=(11, 3.75 * rows), squeeze=False)
    for ax in axes.flat[len(first) :]:
        ax.set_axis_off()
    for ax, (paper, name) in zip(axes.flat, first.items(), strict=False):
        claims = ledger.load(str(paper))
        table = claims.experiments[name]
        column = table.headline.get("order", table.headline["in"])
        theirs = pd.Series(claims.published((name,))).xs(column, level=1)
        found = Facts(results).rows(name, corpus=claims.main, metric=column)
        ours = found.set_index("method")["value"]
        unit = f"{column}, %" if column in table.percent else column
        strong = [table.headline["better"], table.headline["than"]]
        slopes(theirs, ours, f"{paper}, {claims.main}", strong, unit, ax)
    return figure


def update(root: Path = ROOT, results: Path = RESULTS / "open", *, check: bool = False) -> int:
    """Render all pages; write those that changed, with the verdicts and the picture of README.

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
        1 if `check` finds a difference, else 0.

    Raises
    ------
    DataError
        If a template asks for a number that does not exist, or rests on a verdict that the ledger
        no longer has: names the line.
    MissingDataError
        If there are no templates, as where the package was installed without a checkout.
    """
    templates = pages(root)
    if not (templates or IN_CHECKOUT):
        raise MissingDataError(f"{root} has no templates of pages; run citectx in a checkout")
    verdicts, measures = ledger.all_verdicts(results), ledger.all_replication(results)
    used, facts = blocks(root, verdicts, measures), Facts(results)
    changed = {}
    for page, template in templates.items():
        text = rendered(read_text(template), facts, template.name, **used)
        if not there(page) or read_text(page) != text:
            changed[page] = text
    if not check:
        for page, text in changed.items():
            write_atomically(page, text.encode())
        keep(results)
        save(orders(results, measures), results / "ledger", "orders")
    what = "differs from its template and the results: run make readme" if check else "written"
    print("\n".join(f"{page.name} {what}" for page in changed) or "all pages are up to date")
    return int(check and bool(changed))
