"""Synthetic results with planted differences."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.experiments.results import COLUMNS

Columns = Mapping[str, Mapping[str, Sequence[float]]]
Write = Callable[..., None]
TOPICS, PER_TOPIC = 10, 8


@pytest.fixture
def write_results(tmp_path: Path) -> Write:
    """Return a function that writes an experiment's table (means) and scores into `tmp_path`.

    ``columns`` maps methods to metrics to per-citance scores, citances being spread over `TOPICS`
    topics.
    """

    def write(experiment: str, corpus: str, columns: Columns, *, topics: int = TOPICS) -> None:
        rows, frames = [], []
        for method, metrics in columns.items():
            frame = pd.DataFrame(metrics).assign(corpus=corpus, method=method)
            number = np.arange(len(frame))
            topic = [f"t{i}" for i in number % topics]
            frames.append(frame.assign(topic=topic, citance=[f"c{i}" for i in number]))
            for metric, values in frame[[*metrics]].items():
                mean = values.mean()
                cell = (experiment, corpus, method, metric, mean, mean - 1, mean + 1)
                rows.append((*cell, values.count()))
        names = ["experiment", "corpus", "method", "metric", "value", "ci_low", "ci_high", "n"]
        table = pd.DataFrame(rows, columns=names).reindex(columns=COLUMNS)
        _append(tmp_path / f"{experiment}.csv", table)
        _append(tmp_path / f"{experiment}.citances.csv.gz", pd.concat(frames))

    return write


def _append(file: Path, frame: pd.DataFrame) -> None:
    if file.exists():
        frame = pd.concat([pd.read_csv(file), frame])
    frame.to_csv(file, index=False)


@pytest.fixture
def base() -> np.ndarray:
    """80 scores that differ between citances far more than the planted differences do."""
    return np.random.default_rng(1).uniform(10, 60, TOPICS * PER_TOPIC)
