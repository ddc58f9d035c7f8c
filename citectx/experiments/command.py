"""The command ``citectx evaluate``: anybody's runs scored and tested on a corpus."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from citectx.errors import ParameterError
from citectx.experiments import report
from citectx.experiments.rankings import Run
from citectx.experiments.task import contextualization
from citectx.profiles import load

SEED = 0


def cmd_evaluate(
    runs: Sequence[Path],
    corpus: str,
    metrics: Sequence[str],
    k: int,
    max_sentences: int,
    as_json: bool,
) -> int:
    """Print the means of runs, each tested against the first."""
    names = [str(path) for path in runs]
    if len({*names}) < len(names):
        raise ParameterError("a run is named twice")
    given = {str(path): Run.read(path) for path in runs}
    task = contextualization(load(corpus), k=k, max_sentences=max_sentences)
    for name, run in given.items():
        if missing := len(task.without_spans(run)):
            said = f"{name} has no span for {missing} of {task.citances} citances; they count 0"
            print(f"note: {said}", file=sys.stderr)
    found = evaluated(task.scores(given, metrics=metrics))
    if as_json:
        print(found.to_json(orient="records", indent=2))
    else:
        print(laid_out(found).to_string(index=False))
        print("\nin percent; intervals of 95 %, from a bootstrap over topics", end="")
        print("; p of paired t-tests over citances" if len(runs) > 1 else "")
    return 0


def evaluated(scores: pd.DataFrame) -> pd.DataFrame:
    """Average scores and test each run against the first.

    Parameters
    ----------
    scores : DataFrame
        From `Task.scores`.

    Returns
    -------
    DataFrame
        A row for each run and metric: run, metric, n (citances), mean, ci_low, ci_high; and
        difference (to the first run), difference_low, difference_high, p (paired t-test).
    """
    rows = []
    for cell in report.means(scores, SEED):
        rows.append((cell.method, cell.metric, cell.n, cell.value, *cell.interval))
    columns = ["run", "metric", "n", "mean", "ci_low", "ci_high"]
    means = pd.DataFrame(rows, columns=columns)
    first = scores["method"].iloc[0]
    tests = report.compare(scores, SEED, [first], permute=False)
    ends = {"ci_low": "difference_low", "ci_high": "difference_high"}
    tests = tests.rename(columns={"method": "run", "t_test": "p"} | ends)
    wanted = ["run", "metric", "difference", *ends.values(), "p"]
    return means.merge(tests[wanted], how="left", on=["run", "metric"])


def laid_out(found: pd.DataFrame) -> pd.DataFrame:
    """Round the rows of `evaluated` for the terminal; without tests where there is one run."""
    table = found[["run", "metric", "n"]].assign(mean=_with_interval(found, "mean", "ci_"))
    if found["difference"].isna().all():
        return table
    against = f"minus {found['run'].iloc[0]}"
    tested = {against: _with_interval(found, "difference", "difference_")}
    return table.assign(**tested, p=["" if pd.isna(p) else f"{p:.4f}" for p in found["p"]])


def _with_interval(found: pd.DataFrame, value: str, ends: str) -> list[str]:
    rows = found[[value, f"{ends}low", f"{ends}high"]].to_numpy()
    return ["" if pd.isna(row[0]) else "{:.1f} [{:.1f}, {:.1f}]".format(*row) for row in rows]
