"""Writing results: the tidy shape, the same bytes, nothing half-written."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from citectx.experiments.report import SPREAD
from citectx.experiments.results import COLUMNS, Result, read, read_csv
from citectx.paths import RESULTS
from citectx.storage import read_json, write_json
from tests.papers import scores_of

CELL = ["corpus", "method", "metric"]


@pytest.fixture
def result() -> Result:
    row = ["exp", "corpus", "M", "c-F", 1 / 3, 0.1, 0.5, float("nan"), 3, '{"k": 3}', 0]
    scores = {"corpus": "corpus", "topic": "T", "citance": "1", "method": "M", "c-F": 1 / 3}
    table, citances = pd.DataFrame([row], columns=COLUMNS), pd.DataFrame([scores])
    tests = {"tests": citances.astype(object)}  # numbers among objects are rounded, too
    return Result("exp", table, citances, tests, {"corpus": "abc"})


def test_files_and_their_bytes(result: Result, tmp_path: Path) -> None:
    result.write(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(first) == ["exp.citances.csv.gz", "exp.csv", "exp.tests.csv", "run.json"]
    assert first["exp.csv"] == (
        b"experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed\n"
        b'exp,corpus,M,c-F,0.3333,0.1000,0.5000,,3,"{""k"": 3}",0\n'
    )
    scores = b"corpus,topic,citance,method,c-F\ncorpus,T,1,M,0.3333\n"
    assert gzip.decompress(first["exp.citances.csv.gz"]) == first["exp.tests.csv"] == scores
    result.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_provenance_keeps_other_experiments(result: Result, tmp_path: Path) -> None:
    write_json(tmp_path / "run.json", {"files": {}, "tables": {"other": {"commit": "1"}}})
    result.write(tmp_path)
    about = read_json(tmp_path / "run.json")
    assert about["files"] == {}
    assert about["tables"]["other"] == {"commit": "1"}
    ours = about["tables"]["exp"]
    assert ours["data"] == {"corpus": "abc"}
    assert {"numpy", "scipy", "pandas"} <= set(ours["libraries"])


def test_results_are_joined_by_table(result: Result) -> None:
    joined = Result.of("exp", [result, Result("exp", result.table, data={"other": "def"})])
    assert len(joined.table) == 2
    assert scores_of(joined).equals(scores_of(result))
    assert list(joined.extra) == ["tests"] and len(joined.extra["tests"]) == 1
    assert joined.data == {"corpus": "abc", "other": "def"}
    assert list(Result.of("exp", []).table.columns) == COLUMNS


def test_committed_tables_still_follow_from_their_scores() -> None:
    """Values are means over citances or over topics, whichever n counts."""
    made = 0
    for file in sorted((RESULTS / "open").glob("*/*.citances.csv.gz")):
        table, scores = read(file.parent, file.name.split(".")[0]), read_csv(file)
        long = scores.melt(["topic", "citance", *CELL[:2]], var_name="metric", value_name="score")
        long = long[~long["metric"].str.endswith(SPREAD)].dropna(subset="score")
        by_topic = long.groupby([*CELL, "topic"], as_index=False)["score"].mean()
        scored = [frame.groupby(CELL)["score"] for frame in (long, by_topic)]
        means = pd.concat([cells.agg(["mean", "count"]) for cells in scored])
        both = table.merge(means.reset_index(), on=CELL)
        same = both[both["n"] == both["count"]].drop_duplicates(CELL)
        assert len(same) == len(both.drop_duplicates(CELL)), file
        assert (same["value"] - same["mean"]).abs().max() < 1.001e-4, file
        made += len(same)
    assert made > 3500
