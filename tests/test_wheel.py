"""A wheel has all it needs: the door and `citectx run` work from any folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citectx.paths import ROOT

pytestmark = pytest.mark.slow

LINES = """
import citectx
from citectx import paths
assert "bundled" in str(paths.DATA), citectx.__file__
corpus = citectx.load("teaching")
run = citectx.retrieve(corpus, citectx.BM25(k1=0.4))
assert citectx.evaluate(corpus, run, ["c-F", "nDCG"]).shape == (40, 4)
assert citectx.table("sigir2017", 1).loc["BM25", ("c-F", "paper")] == 17.8
assert len(citectx.claims("sigir2017"))
"""


def pip(*arguments: str, cwd: Path) -> None:
    """Run pip without a network: the lock file has all that a build needs."""
    command = [sys.executable, "-m", "pip", "--quiet", "--no-input", *arguments]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, *offline], cwd=cwd, check=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a Python that sees the wheel of the last commit, and no checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source, archive = folder / "source", folder / "source.tar"
    subprocess.run(["git", "archive", "--output", str(archive), "HEAD"], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, source, filter="data")
    pip("wheel", "--wheel-dir", str(folder), ".", cwd=source)
    (wheel,) = folder.glob("*.whl")
    assert wheel.stat().st_size < 20_000_000
    pip("install", "--target", str(folder / "site"), str(wheel), cwd=folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITECTX_")}
    return kept | {"HOME": str(folder), "PYTHONPATH": str(folder / "site")}


def test_the_door_opens_anywhere(installed: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LINES], env=installed, cwd=tmp_path, check=True)


def test_a_notebook_runs_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citectx.cli", "run", "--only", "05", "--out", "out"]
    subprocess.run(command, env=installed, cwd=tmp_path, check=True)
    assert list(tmp_path.glob("out/teaching/05_naacl_agreement/*.csv"))
