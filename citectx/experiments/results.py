"""The one shape of every result, and the only code that writes results.

A table has one row for each number, in the columns `COLUMNS`; values are in the paper's units. With
``<experiment>.csv`` come ``<experiment>.citances.csv.gz`` (scores of each citance, for your own
tests of significance) and ``run.json``, shared by the experiments of a folder.
"""

import platform
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import pandas as pd

from citectx.cache import LIBRARIES, cached
from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.storage import commit, digest, read_json, to_gzip, write_atomically, write_json

COLUMNS = "experiment corpus method metric value ci_low ci_high p_value n params seed".split()
TEXTS = ["experiment", "corpus", "topic", "citance", "method", "metric", "params"]
KINDS = defaultdict(lambda: float, dict.fromkeys(TEXTS, object))
"""What the columns of a table and of its scores hold: numbers, unless they are `TEXTS`."""
RUN = "run.json"
"""The file that says how its folder was made: for each table the commit, versions and data."""

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
        tables: defaultdict[str, list[pd.DataFrame]] = defaultdict(list)
        data: dict[str, str] = {}
        files: dict[str, bytes] = {}
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

    def wide(self, corpus: str, decimals: int = 1, values: str = "value") -> pd.DataFrame:
        """Lay one corpus out as in the paper: methods down, metrics across, rounded."""
        rows = self.table[self.table["corpus"] == corpus]
        wide = rows.pivot_table(index="method", columns="metric", values=values, sort=False)
        return wide.round(decimals).rename_axis(index=None, columns=None)

    def write(self, folder: Path, *, libraries: Sequence[str] = LIBRARIES, **how: str) -> Path:
        """Write all files to a folder, each whole or not at all; return the path of the table.

        ``run.json`` has the versions of the libraries, and also says how, such as the command.
        """
        record = read_json(folder / RUN)  # an error if it is damaged, before anything is replaced
        contents = {"csv": to_csv(self.table[COLUMNS]), **self.files}
        contents |= {f"{name}.csv": to_csv(frame) for name, frame in self.extra.items()}
        if self.citances is not None:
            contents["citances.csv.gz"] = to_gzip(to_csv(self.citances))
        for ending, content in contents.items():
            write_atomically(folder / f"{self.experiment}.{ending}", content)
        made = {
            "commit": commit(),
            "python": platform.python_version(),
            "libraries": {name: version(name) for name in libraries},
            "data": dict(sorted(self.data.items())),
        }
        tables = record.get("tables", {}) | {self.experiment: made}
        record["tables"] = dict(sorted(tables.items()))
        write_json(folder / RUN, record | how)
        return folder / f"{self.experiment}.csv"


def to_csv(frame: pd.DataFrame) -> bytes:
    """Return CSV with rounded numbers and Unix line ends: same table, same bytes."""
    typed = frame.infer_objects()  # what is kept as objects is not rounded
    return typed.to_csv(index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n").encode()


def cached_frame(
    kind: str, module: str, key: object, compute: Callable[[], pd.DataFrame]
) -> pd.DataFrame:
    """Return the frame that `citectx.cache.cached` keeps under a key, or compute it."""

    def columns() -> dict[Any, Any]:
        return compute().to_dict("list")

    return pd.DataFrame(cached(kind, module, key, columns))


def find(folder: Path, name: str) -> Path:
    """Return where a file is: in a folder of results, or in the folder of one of its notebooks."""
    return [*folder.glob(name), *sorted(folder.glob(f"[!.]*/{name}")), folder / name][0]


def read_csv(file: Path, columns: Sequence[str] = (), kinds: Any = KINDS) -> pd.DataFrame:
    """Read a table that has some columns; empty texts are "", empty numbers NaN."""
    try:
        frame = pd.read_csv(file, dtype=kinds, keep_default_na=False, na_values=[""])
    except (OSError, EOFError, ValueError, zlib.error) as error:
        why = str(error).strip()
        raise DataError(f"cannot be read ({why}); make it again", file=file) from error
    if missing := [name for name in columns if name not in frame]:
        raise DataError(f"lacks the columns {', '.join(missing)}; make it again", file=file)
    return frame.fillna(dict.fromkeys(TEXTS, ""))


def read(folder: Path, experiment: str) -> pd.DataFrame:
    """Read a table back."""
    return read_csv(find(folder, f"{experiment}.csv"), COLUMNS)


def fingerprint(corpus: Corpus) -> str:
    """Hash a corpus's texts and annotations, to check whether two runs saw the same data."""
    return digest([(t.topic_id, t.reference.text, t.citances) for t in corpus])
