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

    ``columns`` maps methods to metrics to per-citance scores, citances being spread over `TOPICS` topics.
    """

    def write(experiment: str, corpus: str, columns: Columns, *, scores: bool = True, topics: int = TOPICS) -> None:
        cells = [
            {"experiment": experiment, "corpus": corpus, "method": method, "metric": metric}
            | {
                "value": np.nanmean(values),
                "ci_low": np.nanmean(values) - 1,
                "ci_high": np.nanmean(values) + 1,
                "n": np.isfinite(values).sum(),
            }
            for method, metrics in columns.items()
            for metric, values in metrics.items()
        ]
        _append(tmp_path / f"{experiment}.csv", pd.DataFrame(cells, columns=COLUMNS))
        if scores:
            frames = []
            for method, metrics in columns.items():
                frame = pd.DataFrame(metrics)
                frame.insert(0, "method", method)
                frame.insert(0, "citance", [f"c{i}" for i in range(len(frame))])
                frame.insert(0, "topic", [f"t{i % topics}" for i in range(len(frame))])
                frame.insert(0, "corpus", corpus)
                frames.append(frame)
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
