"""Writing results: the tidy shape, the same bytes, nothing half-written."""

import gzip
import json
from pathlib import Path

import pandas as pd

from citectx.experiments.report import SPREAD
from citectx.experiments.results import COLUMNS, Result, read, read_csv
from citectx.paths import RESULTS
from citectx.storage import write_json

CELL = ["corpus", "method", "metric"]


def make_result(value: float = 1 / 3) -> Result:
    row = ["exp", "corpus", "M", "c-F", value, 0.1, 0.5, float("nan"), 3, '{"k": 3}', 0]
    citances = pd.DataFrame(
        {"corpus": ["corpus"], "topic": ["T"], "citance": ["1"], "method": ["M"], "c-F": [value]}
    )
    table = pd.DataFrame([row], columns=COLUMNS)
    tests = {"tests": citances.astype(object)}
    return Result("exp", table, citances, tests, {"corpus": "abc"})


def test_files_and_their_bytes(tmp_path: Path) -> None:
    make_result().write(tmp_path)
    assert (tmp_path / "exp.csv").read_text() == (
        "experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed\n"
        'exp,corpus,M,c-F,0.3333,0.1000,0.5000,,3,"{""k"": 3}",0\n'
    )
    assert gzip.decompress((tmp_path / "exp.citances.csv.gz").read_bytes()).endswith(
        b"corpus,T,1,M,0.3333\n"
    )
    assert (tmp_path / "exp.tests.csv").read_text().endswith("corpus,T,1,M,0.3333\n"), (
        "numbers among objects, too"
    )
    first = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    make_result().write(tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == first
    assert sorted(first) == ["exp.citances.csv.gz", "exp.csv", "exp.tests.csv", "run.json"]


def test_provenance_keeps_other_experiments(tmp_path: Path) -> None:
    write_json(tmp_path / "run.json", {"files": {}, "tables": {"other": {"commit": "1"}}})
    make_result().write(tmp_path)
    about = json.loads((tmp_path / "run.json").read_text())
    assert about["files"] == {}
    entries = about["tables"]
    assert entries["other"] == {"commit": "1"}
    assert entries["exp"]["data"] == {"corpus": "abc"}
    assert {"numpy", "scipy", "pandas"} <= set(entries["exp"]["libraries"])


def test_results_are_joined_by_table() -> None:
    one = make_result()
    joined = Result.of("exp", [one, Result("exp", one.table, data={"other": "def"})])
    assert len(joined.table) == 2
    assert joined.citances is not None and one.citances is not None
    assert joined.citances.equals(one.citances)
    assert list(joined.extra) == ["tests"] and len(joined.extra["tests"]) == 1
    assert joined.data == {"corpus": "abc", "other": "def"}
    assert list(Result.of("exp", []).table.columns) == COLUMNS


def test_table_comes_back(tmp_path: Path) -> None:
    make_result(0.25).write(tmp_path)
    back, table = read(tmp_path, "exp"), make_result(0.25).table
    pd.testing.assert_frame_equal(back, table, check_dtype=False)


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
