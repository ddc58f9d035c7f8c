"""What is generated in README.md and docs: tables of verdicts, the picture, and every number that states a
finding.

A generated block is between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; numbers in prose carry the
marks of `citectx.claims.findings`. A test fails when prose and results differ.
"""

from functools import cached_property
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from citectx import claims
from citectx.claims.findings import prose, rewritten
from citectx.claims.report import VERDICTS, markdown_table, replication_table, summary, with_interval
from citectx.errors import DataError
from citectx.experiments.results import read
from citectx.paths import RESULTS, ROOT
from citectx.show.plotting import save, slopes
from citectx.storage import write_atomically

SHOWN = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "RG-3", "c-P@1", "c-P@5")


class Report:
    """The generated parts, from one folder of results.

    Parameters
    ----------
    results : Path
    """

    def __init__(self, results: Path) -> None:
        self.results = results
        self.ledgers = {paper: claims.load(paper) for paper in claims.papers()}

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Verdicts on all claims."""
        return claims.all_verdicts(self.results)

    @cached_property
    def replication(self) -> pd.DataFrame:
        """Measures of replication of all tables."""
        return claims.all_replication(self.results)

    def blocks(self) -> dict[str, str]:
        """Return the content of each generated block, by name."""
        return {
            "overview": self.overview(),
            "table1": self.table1(),
            "ledger": markdown_table(summary(self.verdicts).reset_index()),
            "replication": markdown_table(replication_table(self.replication)),
        }

    def overview(self) -> str:
        """Count the verdicts on what each paper says in words, on its main corpus, as Markdown."""
        rows = [self._row(paper) for paper in self.ledgers]
        return markdown_table(pd.DataFrame(rows))

    def _row(self, paper: str) -> dict[str, object]:
        ledger, frame = self.ledgers[paper], self.verdicts
        worded = [claim.claim_id for claim in ledger if claim.worded]
        own = frame[(frame["paper"] == paper) & frame["corpus"].isin([ledger.main, ""])]
        counts = own[own["id"].isin(worded)]["verdict"].value_counts()
        found = self.replication
        found = found[(found["paper"] == paper) & (found["corpus"] == ledger.main)]
        measures = {
            title: with_interval(*found.iloc[0][[name, f"{name}_low", f"{name}_high"]]) if len(found) else "—"
            for name, title in (("tau", "τ"), ("effect_ratio", "effect ratio"))
        }
        about = {"paper": paper, "corpus": ledger.main, "claims": len(worded)}
        return about | {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS} | measures

    def table1(self) -> str:
        """Return Table 1 of sigir2017 as Markdown: ours for each corpus, the paper's in a last block."""
        table = read(self.results, "sigir2017_table1")
        published = self.ledgers["sigir2017"].published(("sigir2017_table1",))
        rows = [
            (str(corpus), str(method), *own.set_index("metric")["value"][list(SHOWN)])
            for (corpus, method), own in table.groupby(["corpus", "method"], sort=False)
        ]
        methods = dict.fromkeys(row for row, _ in published)
        rows += [("*TAC 2014 (paper)*", m, *(published[m, metric] for metric in SHOWN)) for m in methods]
        return markdown_table(pd.DataFrame(rows, columns=["corpus", "method", *SHOWN]).round(1))

    def orders(self) -> Figure:
        """Draw the order of methods of each paper's main table, theirs on the left and ours on the right."""
        first = self.replication.groupby("paper").first()
        figure, axes = plt.subplots(2, 2, figsize=(11, 7.5))
        for ax, (paper, ledger) in zip(axes.flat, self.ledgers.items(), strict=False):
            name = str(first["experiment"].get(paper, ""))
            headline = ledger.experiments[name].headline if name else {}
            if not headline:
                continue
            column = headline.get("order", headline["in"])
            published = ledger.published((name,))
            theirs = pd.Series({row: value for (row, c), value in published.items() if c == column})
            table = claims.Results(self.results).table(name)
            wanted = (ledger.main, column)
            ours = pd.Series({row: cell.value for (c, row, m), cell in table.items() if (c, m) == wanted})
            unit = f"{column}, %" if column in ledger.experiments[name].percent else column
            strong = [headline["better"], headline["than"]]
            slopes(theirs, ours, f"{paper}, {ledger.main}", strong, unit, ax)
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
    report = Report(results)
    findings = claims.Findings(results, report.verdicts)
    blocks = report.blocks()
    changed = []
    for file in prose(root):
        old = file.read_text("utf-8")
        new = rewritten(file, findings)
        if file.suffix == ".md":
            for name, content in blocks.items():
                if f"<!-- {name}:begin -->" in new:
                    new = replace_block(new, name, content)
        if new != old:
            changed.append(file)
            if not check:
                write_atomically(file, new.encode())
    if changed and not check:
        save(report.orders(), results, "orders")
    if not check:
        write_atomically(results / claims.VERDICTS, report.verdicts.to_csv(index=False))
    for complaint in findings.complaints:
        print(complaint)
    what = "differs from the results: run make readme" if check else "written"
    print("\n".join(f"{file.name} {what}" for file in changed) or "README, docs and notebooks are up to date")
    return int(bool(findings.complaints) or (check and bool(changed)))
