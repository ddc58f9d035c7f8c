"""Headline claims of the papers under every reading: ``python -m citectx.papers``.

What is declared is in ``papers/<paper>/readings.toml``, and how a reading is judged in
`citectx.ledger.readings`; ``papers/<paper>/curve.py`` scores a paper's rows under one reading, and
``curve_<what>.py`` those of another table, declared in ``readings-<what>.toml``.
Scores are kept in the cache, so an interrupted command continues where it stopped.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx import parallel, profiles
from citectx.cache import Arrays, cached
from citectx.errors import unknown
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, keep
from citectx.experiments.tables import read_csv, typed
from citectx.ledger.readings import Choices, Declared, counted, declared, judged

CURVES = ("sigir2017", "sigir2017-summaries", "naacl2015", "lrec2016", "acl2008")
"""Papers, and tables of them that have readings of their own."""

COUNTS = (
    *("readings", "holds", "contradicted", "ahead"),
    *("declared", "smallest", "median", "largest", "chance"),
)


class Item(NamedTuple):
    """What is scored at once: a corpus under one reading."""

    curve: str
    corpus: str
    choices: Mapping[str, Any]


def module_of(curve: str) -> str:
    """Name the module that scores a curve's rows.

    >>> module_of("sigir2017-summaries")
    'citectx.papers.sigir2017.curve_summaries'
    """
    paper, *what = curve.split("-")
    return f"citectx.papers.{paper}.{'_'.join(['curve', *what])}"


def experiment(curve: str) -> str:
    """Name the table of a curve.

    >>> experiment("sigir2017-summaries")
    'sigir2017_summaries_curve'
    """
    return f"{curve.replace('-', '_')}_curve"


def scores(item: Item) -> pd.DataFrame:
    """Score a paper's rows under one reading, or take the scores that are kept.

    Returns
    -------
    DataFrame
        Columns topic, citance, method and the measures.
    """
    module = import_module(module_of(item.curve))
    compute = partial(module.scores, item.corpus, item.choices)
    key = item.corpus, module.data(item.corpus), json.dumps(item.choices, sort_keys=True)
    kind = f"readings-{item.curve}"
    return _long(cached(kind, module.__name__, key, lambda: _wide(compute())))


def _wide(frame: pd.DataFrame) -> Arrays:
    """Lay scores out as arrays; every method must have been scored on the same citances."""
    metrics = frame.columns[3:].tolist()
    if frame.empty:
        names = dict.fromkeys(("topic", "citance", "method", "metric"), np.zeros(0, dtype=str))
        return names | {"scores": np.zeros((0, 0, 0))}
    wide = frame.pivot_table(metrics, ["topic", "citance"], "method", sort=False)
    methods = frame["method"].unique().tolist()
    topics, citances = zip(*wide.index, strict=True)
    return {
        "topic": np.array(topics),
        "citance": np.array(citances),
        "method": np.array(methods),
        "metric": np.array(metrics),
        "scores": np.stack([wide[metric][methods].to_numpy() for metric in metrics], axis=2),
    }


def _long(arrays: Arrays) -> pd.DataFrame:
    frames = [pd.DataFrame(columns=["topic", "citance", "method"])]
    for i, method in enumerate(arrays["method"].tolist()):
        frame = pd.DataFrame(arrays["scores"][:, i], columns=arrays["metric"].tolist())
        frame.insert(0, "topic", arrays["topic"])
        frame.insert(1, "citance", arrays["citance"])
        frame.insert(2, "method", method)
        frames.append(frame)
    return pd.concat(frames[-len(arrays["method"]) :], ignore_index=True)


def _judged(item: Item) -> pd.DataFrame:
    """Judge the headlines of a paper under one reading; columns as `judged` has them."""
    return judged(item.curve, scores(item), item.choices)


def run(
    curve: str,
    corpora: Sequence[str] = (),
    *,
    vary: Sequence[str] = (),
    drawn: int | None = None,
    seed: int = 0,
    **how: Any,
) -> Result:
    """Judge the headline claims of a paper under many readings of it.

    Parameters
    ----------
    curve : str
        One of `CURVES`.
    corpora : sequence of str
        By default those that are declared.
    vary : sequence of str
        The readings that are left open; by default all that are declared.
    drawn : int, optional
        Another number of combinations drawn than is declared; 0 changes one thing at a time.
    seed : int
        By which they are drawn.
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Returns
    -------
    Result
        A row for each headline and control; its ``metric`` is one of `COUNTS` (see
        `citectx.ledger.readings.counted`). With the extra table ``readings``: a row for each of
        them under each reading, with effect, interval and verdict.
    """
    known = declared(curve)
    corpora = corpora or known.corpora
    listed = known.specifications(vary=vary, drawn=drawn, seed=seed)
    items = [Item(curve, corpus, choices) for corpus in corpora for choices in listed]
    found = parallel.run(_judged, items, label=f"{curve}: {len(listed)} readings", **how)
    parts = []
    for i, corpus in enumerate(corpora):
        own = found[i * len(listed) : (i + 1) * len(listed)]
        frames = [_with_choices(*pair) for pair in zip(own, listed, strict=True)]
        parts.append(_part(known, corpus, pd.concat(frames, ignore_index=True), seed))
    return Result.of(experiment(curve), parts)


class Curve(NamedTuple):
    """A headline comparison under several readings.

    Parameters
    ----------
    counts : DataFrame
        A row for the comparison, and one for each of its controls; columns as `COUNTS`.
    readings : DataFrame
        A row a reading: effect, interval, published, verdict, and the choices.
    names : list of str
        The readings that are left open.
    """

    counts: pd.DataFrame
    readings: pd.DataFrame
    names: list[str]


def of_headline(result: Result, corpus: str, headline: str) -> Curve:
    """Take one headline comparison on one corpus out of what `run` or `kept` return.

    Raises
    ------
    ParameterError
        If there is no such corpus or headline.
    """
    long = result.extra["readings"]
    for column, value in (("corpus", corpus), ("headline", headline)):
        if value not in {*long[column]}:
            raise unknown(column, value, long[column].unique())
        long = long[long[column] == value]
    own = result.table[result.table["corpus"] == corpus]
    wide = own.pivot_table("value", "method", "metric", sort=False).reindex(columns=[*COUNTS])
    wide = wide[[str(row).partition(", control: ")[0] == headline for row in wide.index]]
    wide.index = pd.Index([str(row).partition(f"{headline}, ")[2] or row for row in wide.index])
    rows = long[long["role"] == "claim"].reset_index(drop=True)
    choices = rows.iloc[:, [*rows].index("verdict") + 1 :].astype(str)
    varied = (choices != choices.iloc[0]).any()
    return Curve(wide, rows, [str(name) for name in choices.columns[varied]])


def kept(curve: str, profile: str) -> Result | None:
    """Read what `run` found on a profile; None if it has not run."""
    name = experiment(curve)
    file = profiles.profile(profile).results / name / f"{name}.csv"
    if not file.is_file():
        return None
    long = read_csv(file.with_suffix(".readings.csv"))
    extra = typed(long, file).fillna({"published": np.nan})
    return Result(name, typed(read_csv(file), file), extra={"readings": extra})


def _label(headline: str, control: str) -> str:
    return f"{headline}, control: {control}" if control else headline


def _with_choices(frame: pd.DataFrame, choices: Choices) -> pd.DataFrame:
    return frame.assign(**{name: str(choice) for name, choice in choices.items()})


def _part(known: Declared, corpus: str, table: pd.DataFrame, seed: int) -> Result:
    """Report on one corpus."""
    name, cells = experiment(known.name), []
    for row in counted(table).to_dict("records"):
        label, n = _label(row["headline"], row["against"]), row["readings"]
        cells += [Cell(label, metric, float(row[metric]), n) for metric in COUNTS]
    params = {"readings": {n: [*map(str, r.choices)] for n, r in known.readings.items()}}
    long = table.drop(columns="topics")
    long.insert(0, "corpus", corpus)
    data = {corpus: import_module(module_of(known.name)).data(corpus)}
    whole = tabulate(name, corpus, cells, seed, params)
    return Result(name, whole, extra={"readings": long}, data=data)


def cmd_readings(*, curves: Sequence[str], profile: str, drawn: int | None, **how: Any) -> int:
    """Run ``python -m citectx.papers``."""
    chosen = profiles.profile(profile)
    for curve in curves or CURVES:
        corpora = [
            c for c in declared(curve).corpora if c in (*chosen.corpora, *chosen.collections)
        ]
        result = run(curve, corpora or chosen.corpora, drawn=drawn, progress=True, **how)
        path = keep(result, chosen.results)
        print(_said(result), path, sep="\n")
    return 0


def _said(result: Result) -> str:
    wide = result.table.pivot_table("value", ["corpus", "method"], "metric", sort=False)
    return str(wide.reindex(columns=[*COUNTS]).round(3).to_string())
