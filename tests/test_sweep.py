"""Sweeps of a small notebook: one table, nothing twice, and a Dask cluster."""

from functools import partial
from pathlib import Path

import joblib
import pandas as pd
import pytest

from citectx.experiments.results import COLUMNS
from citectx.runs import folder_name
from tests.conftest import Ask
from tests.test_runs import write_notebook

WRITES = """\
import os
from functools import partial
from pathlib import Path
folder = Path(os.environ["CITECTX_OUTPUT"])
columns = "experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed"
table = folder.joinpath("toy.csv").write_text(f"{columns}\\ntoy,a,M,c-F,{k * k},,,,1,{{}},0\\n")
other = folder.joinpath("toy.more.csv").write_text("square\\n1")
assert k != 3, "no threes" """
PARAMETERS = "k: int = 1\nmethods: list = None\nwhen = None"


@pytest.fixture
def sweep(tmp_path: Path, ask: Ask) -> Ask:
    path = write_notebook(tmp_path, WRITES, parameters=PARAMETERS)
    return partial(ask, "sweep", path, "--out", tmp_path / "out", "-p")


def test_tidy_tables_are_collected_and_nothing_is_run_twice(tmp_path: Path, sweep: Ask) -> None:
    out = tmp_path / "out"
    assert "2 of 2 runs were new; tables are in" in sweep("k=1,2", "methods=[BM25, LMD]").out
    table = pd.read_csv(out / "collected.csv")
    assert list(table.columns) == [*COLUMNS, "param_k", "param_methods"]
    assert table["value"].tolist() == [1, 4]
    assert table["param_k"].tolist() == [1, 2]
    assert set(table["param_methods"]) == {"['BM25', 'LMD']"}
    before = (out / "collected.csv").read_bytes()
    (folder,) = out.glob("k-2-*")
    (folder / "toy.csv").unlink()  # who runs it again would make it again
    assert "0 of 2 runs were new" in sweep("k=2,1", "methods=[BM25, LMD]").out
    assert not (folder / "toy.csv").exists()
    assert (out / "collected.csv").read_bytes() != before


def test_a_date_and_no_number_are_values_and_not_run_twice(tmp_path: Path, sweep: Ask) -> None:
    for new in (2, 0):
        assert f"{new} of 2 runs were new" in sweep("when=2020-01-01,.nan").out
    table = pd.read_csv(tmp_path / "out" / "collected.csv", keep_default_na=False)
    assert table["param_when"].tolist() == ["2020-01-01", "nan"]


def test_after_a_failure_finished_runs_are_there(tmp_path: Path, sweep: Ask) -> None:
    told = sweep("k=3,2,5")
    assert told.code == 1
    says = "1 of 3 runs failed\ntoy.ipynb, cell In [3]: AssertionError: no threes"
    assert says in told.err
    assert pd.read_csv(tmp_path / "out" / "collected.csv")["value"].tolist() == [4, 25]
    assert "1 of 2 runs were new" in sweep("k=2,4").out


@pytest.mark.slow
def test_jobs_and_a_cluster_give_the_same_bytes(tmp_path: Path, sweep: Ask) -> None:
    """Two kernels are started by one process of the cluster, each with an output of its own."""
    distributed = pytest.importorskip("distributed")
    assert sweep("k=1,2", "--jobs", "2").code == 0
    before = (tmp_path / "out" / "collected.csv").read_bytes()
    how = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.Client(**how), joblib.parallel_config("dask"):
        assert sweep("k=1,2", "--out", tmp_path / "cluster").code == 0
    assert (tmp_path / "cluster" / "collected.csv").read_bytes() == before


def test_a_folder_of_somebody_else_stops_no_other_point(tmp_path: Path, sweep: Ask) -> None:
    theirs = tmp_path / "out" / folder_name({"k": 1}) / "notes.csv"
    theirs.parent.mkdir(parents=True)
    theirs.write_text(",".join(COLUMNS) + "\n" + ",".join("a" * len(COLUMNS)))
    told = sweep("k=1,2")
    assert told.code == 1 and "was not written by a run" in told.err
    assert pd.read_csv(tmp_path / "out" / "collected.csv")["value"].tolist() == [4]
    assert theirs.exists()
