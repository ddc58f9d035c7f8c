"""The one shape of every result, and the only code that writes results.

A table has one row for each number, in the columns `COLUMNS`; values are in the paper's units. With
``<experiment>.csv`` come ``<experiment>.citances.csv.gz`` (scores of each citance, for your own
tests of significance) and ``run.json``, shared by the experiments of a folder.
"""

import platform
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pandas as pd

from citectx.cache import LIBRARIES
from citectx.corpora.model import Corpus
from citectx.experiments.tables import numbers, read_csv, refuse, unique
from citectx.storage import commit, digest, read_json, to_gzip, write_atomically, write_json

NUMBERS = ["value", "ci_low", "ci_high", "p_value", "n"]
COLUMNS = ["experiment", "corpus", "method", "metric", *NUMBERS, "params", "seed"]
RUN = "run.json"
"""Says how everything in its folder was made: for each table commit, versions and data."""

DECIMALS = 4
"""Decimals written: enough for any test, few enough to be the same bytes on every machine."""


@dataclass(frozen=True)
class Result:
    """What an experiment returns: a table with the columns `COLUMNS`, and what goes with it.

    `citances` has one row for each corpus, topic, citance and method, and a column for each metric.
    `extra` tables and `files` are written as ``<experiment>.<name>``, tables with ``.csv``. `data`
    holds a fingerprint of each corpus that was read.
    """

    experiment: str
    table: pd.DataFrame
    citances: pd.DataFrame | None = None
    extra: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, experiment: str, parts: Iterable["Result"]) -> Self:
        """Join the results of single corpora; an extra table may be missing from some of them."""
        tables = defaultdict[str, list[pd.DataFrame]](list)
        data, files = dict[str, str](), dict[str, bytes]()
        for part in parts:
            data |= part.data
            files |= part.files
            frames = {"table": part.table, "citances": part.citances, **part.extra}
            for name, frame in frames.items():
                if frame is not None:
                    tables[name].append(frame)
        joined = {name: pd.concat(frames, ignore_index=True) for name, frames in tables.items()}
        table = joined.pop("table", pd.DataFrame(columns=COLUMNS))
        return cls(experiment, table, joined.pop("citances", None), joined, data, files)

    def wide(self, corpus: str, decimals: int = 1) -> pd.DataFrame:
        """Lay one corpus out as in the paper: methods down, metrics across, rounded."""
        rows = self.table[self.table["corpus"] == corpus]
        wide = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
        return wide.round(decimals).rename_axis(index=None, columns=None)

    def write(self, folder: Path) -> Path:
        """Write all files to a folder, each whole or not at all; return the path of the table."""
        about = about_run(folder)  # an error if it is damaged, before anything is replaced
        path = folder / f"{self.experiment}.csv"
        write_atomically(path, to_csv(self.table[COLUMNS]))
        if self.citances is not None:
            scores = to_gzip(to_csv(self.citances))
            write_atomically(path.with_suffix(".citances.csv.gz"), scores)
        for name, frame in self.extra.items():
            write_atomically(path.with_suffix(f".{name}.csv"), to_csv(frame))
        for name, content in self.files.items():
            write_atomically(path.with_suffix(f".{name}"), content)
        made: dict[str, Any] = {"commit": commit(), "python": platform.python_version()}
        made["libraries"] = {name: version(name) for name in LIBRARIES}
        made["data"] = dict(sorted(self.data.items()))
        tables = about.get("tables", {}) | {self.experiment: made}
        about["tables"] = dict(sorted(tables.items()))
        write_json(folder / RUN, about)
        return path


def keep(result: Result, results: Path, command: str) -> Path:
    """Write a result that a command makes, which its ``run.json`` names, to a folder of its own."""
    folder = results / result.experiment
    path = result.write(folder)
    write_json(folder / RUN, about_run(folder) | {"command": command})
    return path


def about_run(folder: Path) -> dict[str, Any]:
    """Read ``run.json`` of a folder; empty if there is none."""
    return read_json(folder / RUN)


def to_csv(frame: pd.DataFrame) -> bytes:
    """Return CSV with rounded numbers and Unix line ends: same table, same bytes."""
    typed = frame.infer_objects()  # what is kept as objects is not rounded
    return typed.to_csv(index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n").encode()


def find(places: Path | Sequence[Path], name: str) -> Path:
    """Return where a file is: the first place that has it, or has it in a notebook's folder."""
    places = [places] if isinstance(places, Path) else places
    for place in places:
        if files := [*place.glob(name), *sorted(place.glob(f"[!.]*/{name}"))]:
            return files[0]
    return places[-1] / name


def read(places: Path | Sequence[Path], experiment: str) -> pd.DataFrame:
    """Read a table back; an error names the first line whose cells are not what columns promise."""
    path = find(places, f"{experiment}.csv")
    table = read_csv(path, COLUMNS)
    refuse(table["experiment"] != experiment, table, ["experiment"], path)
    unique(table, ["corpus", "method", "metric", "params"], path)
    for name in (*NUMBERS, "seed"):
        table[name] = numbers(table, name, path)
    refuse(table["ci_low"] > table["ci_high"], table, ["ci_low", "ci_high"], path)
    return table


def fingerprint(corpus: Corpus) -> str:
    """Hash a corpus's texts and annotations, to check whether two runs saw the same data."""
    return digest([(t.topic_id, t.reference.text, t.citances) for t in corpus])
