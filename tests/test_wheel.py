"""A wheel has all it needs: the door's lines and `citectx run` work from any folder."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from citectx.paths import NOTEBOOKS, ROOT

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
assert len(citectx.claims("sigir2017"))
"""


def pip(*arguments: str, cwd: Path) -> None:
    """Run pip without a network: the lock file has all that a build needs."""
    command = [sys.executable, "-m", "pip", "--quiet", "--no-input", *arguments]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, *offline], cwd=cwd, check=True)


def tracked(*folders: str) -> set[str]:
    """Return the files of the last commit below these folders."""
    command = ["git", "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return set(listed.stdout.split("\0")) - {""}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source, archive = folder / "source", folder / "source.tar"
    subprocess.run(["git", "archive", "--output", str(archive), "HEAD"], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, source, filter="data")
    pip("wheel", "--wheel-dir", str(folder), ".", cwd=source)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a Python that sees the wheel, unpacked, and no checkout."""
    folder = tmp_path_factory.mktemp("site")
    pip("install", "--target", str(folder), str(wheel), cwd=folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITECTX_")}
    return kept | {"PYTHONPATH": str(folder), "CITECTX_DATA": str(folder / "cache")}


def test_wheel_has_the_package_and_what_it_reads(wheel: Path) -> None:
    assert wheel.stat().st_size < 20_000_000
    names = set(zipfile.ZipFile(wheel).namelist())
    found = {name for name in names if name.startswith("citectx/")}
    bundled = tracked("data", "docs/your-paper", "notebooks/sanitize.cfg")
    bundled |= {name for name in tracked("notebooks") if name.endswith(".ipynb")}
    bundled |= {
        name for name in tracked("results/open") if name.endswith((".csv", ".csv.gz", "/run.json"))
    }
    assert found == tracked("citectx") | {f"citectx/bundled/{name}" for name in bundled}


def test_the_door_opens_anywhere(installed: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LINES], env=installed, cwd=tmp_path, check=True)


def test_notebooks_run_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citectx.cli", "run"]
    out = ["--out", str(tmp_path / "out"), "--jobs", "2"]
    subprocess.run([*command, *out], env=installed, cwd=tmp_path, check=True)
    made = {path.name for path in (tmp_path / "out" / "teaching").iterdir()}
    assert made >= {path.stem for path in NOTEBOOKS.glob("*.ipynb")}


def test_results_of_a_wheel_need_a_folder(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citectx.cli", "run", "--only", "05"]
    refused = subprocess.run(
        command, env=installed, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "--out" in refused.stderr
