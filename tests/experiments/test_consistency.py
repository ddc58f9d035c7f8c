"""Tables against the scores that they are means of."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import profiles
from citectx.evaluation import bootstrap_interval
from citectx.experiments import results
from citectx.experiments.consistency import contradictions
from citectx.experiments.report import (
    SPREAD,
    Cell,
    Over,
    means,
    tabulate,
)
from citectx.ledger.results import KEY_COLUMNS, SCORES

COMMITTED = profiles.profile("open").results
TEXT = dict.fromkeys(["corpus", "method", "metric", "topic", "citance"], str)
Frames = tuple[pd.DataFrame, pd.DataFrame]


def opened(file: Path) -> Frames:
    """Read a table and its scores."""
    scores = file.with_name(file.name.replace(".csv", SCORES))
    table, own = (
        pd.read_csv(f, dtype=TEXT, keep_default_na=False, na_values=[""]) for f in (file, scores)
    )
    return table, own.fillna(dict.fromkeys(KEY_COLUMNS, ""))


def with_scores() -> list[Path]:
    """List the committed tables that have scores."""
    names = [file.name.removesuffix(SCORES) for file in sorted(COMMITTED.glob(f"*/*{SCORES}"))]
    return [results.find(COMMITTED, f"{name}.csv") for name in sorted(names)]


def uneven() -> pd.DataFrame:
    """Scores of two rows in three topics of 1 to 7 citances; a third of one metric is missing."""
    topics = np.repeat(["a", "b", "c"], [1, 4, 7])
    draw = np.random.default_rng(0)
    frames = []
    for method in ("A", "B"):
        frame = pd.DataFrame({"topic": topics, "citance": range(12), "method": method})
        part = draw.uniform(0, 100, 12)
        part[::3] = np.nan
        frames.append(frame.assign(whole=draw.uniform(0, 100, 12), part=part))
    return pd.concat(frames).astype({"citance": str})


def written(cells: list[Cell], scores: pd.DataFrame) -> Frames:
    """Round a table and its scores as files do."""
    table = tabulate("exp", "home", cells, seed=0)
    return table.round(results.DECIMALS), scores.round(results.DECIMALS).assign(corpus="home")


@pytest.mark.parametrize("over", ["citances", "topics"])
def test_means_are_made_again_over_what_n_counts(over: Over) -> None:
    table, scores = written(means(uneven(), 0, over), uneven())
    assert contradictions(table, scores) == []
    other = written(means(uneven(), 0, "topics" if over == "citances" else "citances"), scores)[0]
    assert len(contradictions(table.assign(value=other["value"]), scores)) == 4
    assert len(contradictions(table.assign(n=other["n"]), scores)) == 4


def test_endings_name_what_is_made_of_another_columns_scores() -> None:
    scores = uneven()
    cells = means(scores, 0, "topics")
    for method, own in scores.groupby("method"):
        cells.append(Cell(str(method), "part" + SPREAD, own["part"].std(), 8))
    cells.append(Cell("A", "tau", 0.3, 12))  # of which no scores tell
    table, rounded = written(cells, scores)
    assert contradictions(table, rounded) == []
    ends = table["metric"].str.endswith(SPREAD)
    moved = contradictions(table.assign(value=table["value"] + 0.001 * ends), rounded)
    assert len(moved) == ends.sum() == 2
    assert len(contradictions(table.assign(n=table["n"].mask(ends, 3)), rounded)) == 2


def test_a_value_passes_as_far_as_rounding_can_have_moved_it_and_no_further() -> None:
    """Each score is rounded up by half a unit, and their mean down by nearly as much."""
    scores = pd.DataFrame({"topic": "t", "citance": [f"{i}" for i in range(100)], "method": "A"})
    exact = scores.assign(whole=[1.00015] * 99 + [1.00005])
    exact["whole"] += 1e-9
    table, rounded = written(means(exact, 0), exact)
    assert rounded["whole"].mean() - table["value"][0] == pytest.approx(0.99e-4)
    assert contradictions(table, rounded) == []
    table["value"] -= 1e-4
    says = "home, A, whole: 1.0000 with n = 100, its scores give 1.0002"
    assert contradictions(table, rounded) == [says]


def test_committed_tables_are_what_their_scores_make() -> None:
    made = 0
    for file in with_scores():
        table, scores = opened(file)
        assert contradictions(table, scores) == [], file
        made += len(contradictions(table.assign(value=table["value"] + 1), scores))
    assert made > 3500, "most cells of all tables are made again"


@pytest.mark.slow
def test_committed_intervals_are_what_the_scores_make() -> None:
    """`citectx claims` does not: for its tables alone that takes six seconds."""
    made = 0
    for file in with_scores():
        table, scores = opened(file)
        rows = dict(list(scores.groupby(["corpus", "method"], sort=False)))
        for cell in table.to_dict("records"):
            metric, own = cell["metric"], rows.get((cell["corpus"], cell["method"]))
            if own is None or metric not in own or metric.endswith(SPREAD):
                continue
            values, topics = own[metric].dropna(), own.loc[own[metric].notna(), "topic"]
            by_topic = values.groupby(topics, sort=False).mean()
            whole = cell["n"] == len(by_topic)
            again = bootstrap_interval(
                by_topic if whole else values, cell["seed"], groups=None if whole else topics
            )
            ends = cell["ci_low"], cell["ci_high"]
            assert again == pytest.approx(ends, rel=0, abs=1.00001e-4, nan_ok=True), (file, cell)
            made += 1
    assert made > 9000
