"""A paper's table with our numbers beside it."""

import pandas as pd

from citectx import claims, profiles
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.experiments.results import read

PARTS = ("paper", "ours", "difference")


def table(
    paper: str, number: int | str, corpus: str | None = None, *, profile: str = "open", decimals: int = 1
) -> pd.DataFrame:
    """Lay a published table out with our numbers beside it: a row a method.

    Parameters
    ----------
    paper : str
        Such as "sigir2017".
    number : int or str
        1 for Table 1, "figure3" for a figure.
    corpus : str, optional
        Of our results; the first of the table by default.
    profile : str
    decimals : int

    Returns
    -------
    DataFrame
        Columns (metric, part) with the parts paper, ours and difference (ours minus the paper's); a method
        that only one side has keeps its row, with empty cells on the other.

    Raises
    ------
    ParameterError
        For a paper, table or corpus that there is none of.
    MissingDataError
        If the profile's results lack the table.

    Examples
    --------
    >>> float(table("sigir2017", 1).loc["BM25", ("nDCG", "paper")])
    38.1
    """
    ledger = claims.load(paper)
    name = f"{paper}_{number}" if isinstance(number, str) else f"{paper}_table{number}"
    published = ledger.published((name,))
    if not published:
        raise unknown("table", name, sorted(n for n in ledger.experiments if ledger.published((n,))))
    folder = profiles.profile(profile).results
    if not (folder / f"{name}.csv").exists():
        raise MissingDataError(f"{folder} has no {name}.csv; make it with: citectx run --profile {profile}")
    ours = read(folder, name)
    corpora = list(dict.fromkeys(ours["corpus"]))
    if corpus is not None and corpus not in corpora:
        raise unknown("corpus", corpus, corpora)
    ours = ours[ours["corpus"] == (corpus or corpora[0])]
    cells = [(row, column, value) for (row, column), value in published.items()]
    theirs = pd.DataFrame(cells, columns=["row", "column", "value"]).pivot_table(
        index="row", columns="column", values="value", sort=False
    )
    wide = ours.pivot_table(index="method", columns="metric", values="value", sort=False)
    return beside(theirs, wide, decimals)


def beside(theirs: pd.DataFrame, ours: pd.DataFrame, decimals: int = 1) -> pd.DataFrame:
    """Join two tables of methods × metrics on the paper's metrics.

    >>> paper, mine = pd.DataFrame({"nDCG": {"A": 50.0}}), pd.DataFrame({"nDCG": {"A": 51.26, "B": 3.0}})
    >>> beside(paper, mine)["nDCG"].loc["A"].tolist()
    [50.0, 51.3, 1.3]
    """
    metrics = [m for m in theirs.columns if m in ours.columns]
    if not metrics:
        raise ParameterError(f"the tables share no column: {list(theirs.columns)} and {list(ours.columns)}")
    rows = [*theirs.index, *(m for m in ours.index if m not in theirs.index)]
    a, b = theirs.reindex(rows), ours.reindex(rows)
    parts = {m: pd.DataFrame(dict(zip(PARTS, (a[m], b[m], b[m] - a[m]), strict=True))) for m in metrics}
    joined = pd.concat(parts, axis=1).round(decimals)
    joined.index.name = None
    return joined
