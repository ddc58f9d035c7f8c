"""What differs between two folders of results: values beyond rounding, and verdicts."""

from pathlib import Path

import pandas as pd

from citectx.claims.results import Results
from citectx.claims.verdicts import all_verdicts
from citectx.errors import MissingDataError

ROUNDING = 1e-4
"""Tables have four decimals: values that differ by more are listed."""
KEY = ["experiment", "corpus", "method", "metric"]


def compared(ours: Path, theirs: Path, paper: str | None = None) -> str:
    """Write what differs between two folders of results.

    Parameters
    ----------
    ours, theirs : Path
    paper : str, optional
        Only this paper's experiments and claims.

    Raises
    ------
    MissingDataError
        If the second folder has no table.
    """
    if not sorted(theirs.glob("*.csv")):
        raise MissingDataError("has no tables of results; name a folder that citectx run has written", theirs)
    values = different_values(ours, theirs, paper)
    old, new = (all_verdicts(folder, paper).set_index(["paper", "corpus", "id"]) for folder in (theirs, ours))
    verdicts = pd.concat({"verdict here": new["verdict"], "verdict there": old["verdict"]}, axis=1)
    verdicts = verdicts[verdicts["verdict here"].ne(verdicts["verdict there"])].fillna("(no such claim)")
    parts = []
    for title, frame in (("Values", values), ("Verdicts", verdicts.reset_index())):
        head = f"{title}: {len(frame)} differ"
        parts += [head, "=" * len(head), *([frame.to_string(index=False)] if len(frame) else []), ""]
    return "\n".join(parts)


def different_values(ours: Path, theirs: Path, paper: str | None = None) -> pd.DataFrame:
    """Return the cells of tables that differ by more than rounding, or are in one folder only.

    Returns
    -------
    DataFrame
        Columns experiment, corpus, method, metric, here, there, difference; NaN where a folder has no such
        cell.
    """
    here, there = (_values(folder, paper) for folder in (ours, theirs))
    both = pd.concat({"here": here, "there": there}, axis=1).rename_axis(KEY)
    both["difference"] = both["here"] - both["there"]
    changed = ~(both["difference"].abs() <= ROUNDING + 1e-9)
    return both[changed].reset_index()


def _values(folder: Path, paper: str | None) -> "pd.Series[float]":
    results: Results = Results(folder)
    cells: dict[tuple[str, ...], float] = {}
    for file in sorted(folder.glob("*.csv")):
        if "." not in file.stem and file.stem.startswith(f"{paper}_" if paper else ""):
            cells |= {(file.stem, *key): cell.value for key, cell in results.table(file.stem).items()}
    return pd.Series(cells, dtype=float)
