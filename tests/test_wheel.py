"""A wheel has all it needs: the door's lines and `citectx run` work from any folder."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from citectx.paths import ROOT

pytestmark = pytest.mark.slow

LINES = """
import citectx
assert "bundled" in str(__import__("citectx.paths").paths.DATA), citectx.__file__
corpus = citectx.load("teaching")
assert set(corpus["D9001_TEACH"].citances[0].gold) == set("ABCD")
task = citectx.contextualization(corpus, k=3)
run = task.retrieve(citectx.BM25(k1=0.4))
assert task.evaluate(run, ["c-F", "nDCG"]).shape == (40, 4)
assert len(task.compare({"BM25": citectx.BM25, "LMD": citectx.LMD}, folds=5)) == 6
assert citectx.table("sigir2017", 1).loc["BM25", ("c-F", "paper")] == 17.8
assert len(citectx.ledger("sigir2017"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source, archive = folder / "source", folder / "source.tar"
    subprocess.run(["git", "archive", "--output", str(archive), "HEAD"], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, source)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        ".",
    ]
    subprocess.run(command, cwd=source, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a Python that sees the wheel, unpacked, and no checkout."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(folder),
        str(wheel),
    ]
    subprocess.run(command, check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITECTX_")}
    return kept | {"PYTHONPATH": str(folder), "CITECTX_DATA": str(folder / "cache")}


def test_wheel_is_small_and_has_no_scores_of_citances(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.stat().st_size < 20_000_000
    assert not [n for n in names if n.endswith((".citances.csv.gz", ".pyc"))]
    for wanted in (
        "data/teaching/vocabulary.tsv",
        "data/registry/sources.yaml",
        "results/open/sigir2017_table1.csv",
    ):
        assert f"citectx/bundled/{wanted}" in names


def test_the_door_opens_anywhere(installed: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LINES], env=installed, cwd=tmp_path, check=True)


def test_notebooks_run_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    run = [sys.executable, "-m", "citectx.cli", "run", "--only", "05"]
    subprocess.run([*run, "--out", str(tmp_path / "out")], env=installed, cwd=tmp_path, check=True)
    assert (tmp_path / "out" / "teaching" / "naacl2015_table1.csv").exists()
    refused = subprocess.run(
        run, env=installed, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "--out" in refused.stderr
