"""The one shape of every result, and the only code that writes results.

A table has one row for each number, in the columns `COLUMNS`; values are in the paper's units. With
``<experiment>.csv`` come ``<experiment>.citances.csv.gz`` (scores of each citance, for your own
tests of significance) and ``run.json``, shared by the experiments of a folder.
"""

import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec, Self

import pandas as pd

from citectx.cache import LIBRARIES
from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.experiments.tables import checked, of_experiment, read_csv, unique
from citectx.storage import (
    commit,
    digest,
    read_json,
    to_gzip,
    write_atomically,
    write_json,
)

COLUMNS = [
    *("experiment", "corpus", "method", "metric"),
    *("value", "ci_low", "ci_high", "p_value", "n"),
    *("params", "seed"),
]
P = ParamSpec("P")
RUN = "run.json"
"""Says how everything in its folder was made: for each table commit, versions, data and time."""

DECIMALS = 4
"""Decimals written: enough for any test, few enough to be the same bytes on every machine."""


@dataclass(frozen=True)
class Result:
    """What an experiment returns.

    Parameters
    ----------
    experiment : str
        Its name, also the name of its files.
    table : DataFrame
        Tidy rows, columns `COLUMNS`.
    citances : DataFrame, optional
        One row for each corpus, topic, citance and method; a column for each metric.
    extra : mapping of str to DataFrame
        Further tables by a short name: written as ``<experiment>.<name>.csv``.
    data : mapping of str to str
        A fingerprint of each corpus that was read, for the provenance.
    seconds : float, optional
        Wall time, for the provenance.
    """

    experiment: str
    table: pd.DataFrame
    citances: pd.DataFrame | None = None
    extra: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None

    @classmethod
    def of(cls, experiment: str, parts: Iterable["Result"]) -> Self:
        """Join the results of single corpora; an extra table may be missing from some of them.

        >>> part = Result("exp", pd.DataFrame([range(11)], columns=COLUMNS), data={"a": "1"})
        >>> joined = Result.of("exp", [part, part])
        >>> len(joined.table), joined.citances, joined.data
        (2, None, {'a': '1'})
        """
        tables, scores = list[pd.DataFrame](), list[pd.DataFrame]()
        extra, data = dict[str, list[pd.DataFrame]](), dict[str, str]()
        for part in parts:
            tables.append(part.table)
            data |= part.data
            if part.citances is not None:
                scores.append(part.citances)
            for name, frame in part.extra.items():
                extra.setdefault(name, []).append(frame)
        below = partial(pd.concat, ignore_index=True)
        joined = {name: below(frames) for name, frames in extra.items()}
        table = below(tables) if tables else pd.DataFrame(columns=COLUMNS)
        return cls(experiment, table, below(scores) if scores else None, joined, data)

    def wide(self, corpus: str, decimals: int = 1) -> pd.DataFrame:
        """Lay one corpus out as in the paper: methods down, metrics across, rounded."""
        rows = self.table[self.table["corpus"] == corpus]
        wide = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
        return wide.round(decimals).rename_axis(index=None, columns=None)

    def write(self, folder: Path) -> Path:
        """Write all files of the result; each appears whole or not at all.

        Parameters
        ----------
        folder : Path
            Of the notebook, ``results/<profile>/<notebook>``; made if missing.

        Returns
        -------
        Path
            The CSV file with the table.

        Raises
        ------
        DataError
            If the table's columns are not `COLUMNS`, or ``run.json`` is damaged.
        """
        unexpected = set(self.table.columns) ^ set(COLUMNS)
        if unexpected:
            raise DataError(
                f"columns differ from the tidy ones by {sorted(unexpected)}", file=self.experiment
            )
        about = about_run(folder)  # before anything is replaced
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.experiment}.csv"
        write_atomically(path, to_csv(self.table[COLUMNS]))
        if self.citances is not None:
            packed = to_gzip(to_csv(self.citances))
            write_atomically(folder / f"{self.experiment}.citances.csv.gz", packed)
        for name, frame in self.extra.items():
            write_atomically(folder / f"{self.experiment}.{name}.csv", to_csv(frame))
        tables = about.get("tables", {}) | {self.experiment: self._provenance()}
        write_json(folder / RUN, about | {"tables": dict(sorted(tables.items()))})
        return path

    def _provenance(self) -> dict[str, Any]:
        return {
            "commit": commit(),
            "python": platform.python_version(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "processor": processor(),
            "libraries": {name: version(name) for name in LIBRARIES},
            "data": dict(sorted(self.data.items())),
            "wall_time_s": None if self.seconds is None else round(self.seconds, 1),
        }


def timed(run: Callable[P, Result]) -> Callable[P, Result]:
    """Decorate an experiment so that its result knows how long it took.

    >>> timed(lambda: Result("exp", pd.DataFrame(columns=COLUMNS)))().seconds < 1
    True
    """

    @wraps(run)
    def measured(*args: P.args, **kwargs: P.kwargs) -> Result:
        started = time.perf_counter()
        result = run(*args, **kwargs)
        return replace(result, seconds=time.perf_counter() - started)

    return measured


def keep(result: Result, results: Path) -> Path:
    """Write a result that a command makes, not a notebook, to a folder of its own below `results`.

    Its ``run.json`` names the command.
    """
    folder = results / result.experiment
    path = result.write(folder)
    write_json(folder / RUN, about_run(folder) | {"command": command(sys.orig_argv)})
    return path


def command(words: Sequence[str]) -> str:
    """Write down how a process was started, without the folders of this machine.

    >>> command(["/opt/bin/python3", "-m", "citectx.papers.sigir2017", "dense"])
    'python -m citectx.papers.sigir2017 dense'
    >>> command(["/opt/bin/python3", "/opt/bin/citectx", "claims", "--readings"])
    'citectx claims --readings'
    """
    _, first, *others = words
    script = Path(first)
    start = [script.name] if script.is_absolute() else ["python", first]
    return shlex.join([*start, *others])


def about_run(folder: Path) -> dict[str, Any]:
    """Read ``run.json`` of a folder; empty if there is none.

    Raises
    ------
    DataError
        If it is damaged, or does not say of tables and command what we write there.
    """
    file = folder / RUN
    about = read_json(file)
    tables, command = about.get("tables", {}), about.get("command", "")
    if not isinstance(tables, dict) or not all(isinstance(each, dict) for each in tables.values()):
        raise DataError("tables: expected an object for each table", file=file)
    if not isinstance(command, str):
        raise DataError(f"command is {command!r}; expected text", file=file)
    return about


@cache
def processor() -> dict[str, Any]:
    """Return what last digits may depend on: processor, vector extensions, linear algebra."""
    from threadpoolctl import threadpool_info

    known = _cpuinfo()
    flags = (known.get("flags") or known.get("Features") or "").split()
    vectors = {f for f in flags if f.startswith(("sse", "avx", "fma", "asimd", "sve"))}
    blas = set()
    for entry in threadpool_info():
        if entry["user_api"] == "blas":
            name = f"{entry['internal_api']} {entry['version']}"
            blas.add(f"{name} ({entry.get('architecture', 'unknown')})")
    model = known.get("model name") or platform.processor() or "unknown"
    return {"model": model, "vector_extensions": sorted(vectors), "blas": sorted(blas)}


def _cpuinfo() -> dict[str, str]:
    """Return what Linux says of the processor; empty elsewhere."""
    known = {}
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            name, _, value = line.partition(":")
            known[name.strip()] = value.strip()
    return known


def to_csv(frame: pd.DataFrame) -> bytes:
    """Return CSV with rounded numbers and Unix line ends: same table, same bytes."""
    numbers = frame.infer_objects()  # what is kept as objects is not rounded
    return numbers.to_csv(index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n").encode()


def params_json(params: Mapping[str, Any]) -> str:
    """Return parameters as JSON with sorted keys.

    >>> params_json({"k": 3, "tuned": {"mu": {"100.0": 7, "50.0": 3}}})
    '{"k": 3, "tuned": {"mu": {"100.0": 7, "50.0": 3}}}'
    """
    return json.dumps(params, sort_keys=True, ensure_ascii=False)


def find(places: Path | Sequence[Path], name: str) -> Path:
    """Return where a file is: in one of some folders, or in that of a notebook below it.

    Parameters
    ----------
    places : Path or sequence of Path
        Folders of notebooks, or of profiles, which have a folder for each notebook. The first that
        has the file counts.
    name : str
        Such as ``sigir2017_table1.csv``.

    Returns
    -------
    Path
        Where it would be in the last of the places, if there is none.
    """
    places = [places] if isinstance(places, Path) else places
    for place in places:
        if (place / name).is_file():
            return place / name
        if found := sorted(place.glob(f"[!.]*/{name}")):
            return found[0]
    return places[-1] / name


def read(places: Path | Sequence[Path], experiment: str) -> pd.DataFrame:
    """Read a table back.

    Raises
    ------
    DataError
        If the file's columns are not `COLUMNS`, or a cell is not what its column promises.
    """
    path = find(places, f"{experiment}.csv")
    table = read_csv(path)
    if list(table.columns) != COLUMNS:
        raise DataError(f"expected the columns {COLUMNS}, found {list(table.columns)}", file=path)
    of_experiment(table, path)
    unique(table, ["corpus", "method", "metric", "params"], path)
    return checked(table, path)


def fingerprint(corpus: Corpus) -> str:
    """Hash a corpus's texts and annotations, to check whether two runs saw the same data."""
    return digest([(t.topic_id, t.reference.text, t.citances) for t in corpus])
