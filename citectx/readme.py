"""The generated parts of README.md: our numbers beside the papers', and the counts of verdicts.

Each stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; a test fails when README and results
differ.
"""

from pathlib import Path

import pandas as pd

from citectx import claims
from citectx.errors import DataError
from citectx.experiments.results import read
from citectx.paths import RESULTS, ROOT
from citectx.storage import write_atomically

SHOWN = ("c-P", "c-R", "c-F", "nDCG", "RG-1", "RG-2", "c-P@1", "c-P@5")


def replace_block(text: str, name: str, content: str) -> str:
    r"""Put content between the markers of a name.

    Raises
    ------
    DataError
        Unless each marker stands in the text once, in order.

    Examples
    --------
    >>> replace_block("<!-- a:begin -->old<!-- a:end -->", "a", "new")
    '<!-- a:begin -->\nnew\n<!-- a:end -->'
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise DataError(f"expected {begin} once and {end} once behind it", file="README.md")
    head, tail = text[: text.index(begin)], text[text.index(end) :]
    return f"{head}{begin}\n{content.strip()}\n{tail}"


def table1(results: Path) -> str:
    """Return Table 1 of sigir2017 as Markdown: ours for each corpus, the paper's in a last block."""
    table = read(results, "sigir2017_table1")
    published = claims.load("sigir2017").published(("sigir2017_table1",))
    lines = ["| corpus | method | " + " | ".join(SHOWN) + " |", "|---|---|" + "---:|" * len(SHOWN)]
    for (corpus, method), rows in table.groupby(["corpus", "method"], sort=False):
        values = rows.set_index("metric")["value"]
        lines.append(_line(str(corpus), str(method), [values[m] for m in SHOWN]))
    for method in dict.fromkeys(row for row, _ in published):
        lines.append(_line("*TAC 2014 (paper)*", method, [published[method, m] for m in SHOWN]))
    return "\n".join(lines)


def _line(corpus: str, method: str, values: "list[float]") -> str:
    return f"| {corpus} | {method} | " + " | ".join(f"{v:.1f}" for v in values) + " |"


def ledger(results: Path) -> str:
    """Count the verdicts on the claims of all papers, as Markdown."""
    found = claims.Results(results)
    frames = [claims.check(claims.load(paper), found) for paper in claims.papers()]
    return claims.markdown_summary(pd.concat(frames, ignore_index=True))


def update(
    readme: Path = ROOT / "README.md", results: Path = RESULTS / "open", *, check: bool = False
) -> int:
    """Write the generated parts; with `check`, only tell whether they are up to date.

    Returns
    -------
    int
        1 if `check` finds a difference, else 0.
    """
    old = readme.read_text("utf-8")
    new = replace_block(old, "table1", table1(results))
    new = replace_block(new, "ledger", ledger(results))
    if new == old:
        print(f"{readme.name} is up to date")
    elif check:
        print(f"{readme.name} differs from {results}: run make readme")
    else:
        write_atomically(readme, new.encode())
        print(f"{readme.name} written")
    return int(check and new != old)
