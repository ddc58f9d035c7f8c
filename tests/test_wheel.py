"""A wheel has all it needs: the door's lines and `citectx run` work from any folder."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from citectx.experiments.results import RUN
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


def content(folder: Path) -> dict[Path, bytes]:
    """The bytes of all files below a folder."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


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
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked, where nobody may write (which root does all the same)."""
    folder = tmp_path_factory.mktemp("site")
    pip("install", "--target", str(folder), str(wheel), cwd=folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    return folder


@pytest.fixture
def installed(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Environment of a Python that sees the wheel and no checkout, with a home of its own.

    Nothing may be written beside the package then.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITECTX_")}
    home = {"HOME": str(tmp_path_factory.mktemp("home")), "XDG_CACHE_HOME": ""}
    before = content(site)
    yield kept | home | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    assert content(site) == before


def citectx(environment: dict[str, str], folder: Path, *arguments: str, fails: bool = False) -> str:
    """Run a command in a folder; returns what it has printed or, if it is to fail, its error."""
    command = [sys.executable, "-m", "citectx.cli", *arguments]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == fails, done.stderr
    return done.stderr if fails else done.stdout


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
    assert "results are in" in citectx(installed, tmp_path, "run", "--out", "out", "--jobs", "2")
    made = {path.name for path in (tmp_path / "out" / "teaching").iterdir()}
    assert made == {path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb")}
    about = json.loads((tmp_path / "out" / "teaching" / "05_naacl_agreement" / RUN).read_text())
    assert about["commit"] == "unknown"


@pytest.mark.parametrize("command", [["run", "--only", "05"], ["sweep", "05", "--param", "seed=1"]])
def test_results_of_a_wheel_need_a_folder(
    installed: dict[str, str], tmp_path: Path, command: list[str]
) -> None:
    refused = citectx(installed, tmp_path, *command, fails=True)
    assert "say where results go with --out" in refused
    assert list(tmp_path.iterdir()) == []
    citectx(installed, tmp_path, *command, "--out", "out")
    assert list(tmp_path.rglob("05_naacl_agreement.ipynb"))


@pytest.mark.parametrize("command", ["site"])
def test_pages_need_a_checkout(installed: dict[str, str], tmp_path: Path, command: str) -> None:
    assert "in a checkout" in citectx(installed, tmp_path, command, fails=True)


def test_the_other_commands_work_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    for name in tracked("docs/your-paper"):
        shutil.copy(ROOT / name, tmp_path)
    call = partial(citectx, installed, tmp_path)
    assert "8 citances" in call("view", "D9001_TEACH", "--no-open")
    assert (tmp_path / "results" / "teaching" / "views" / "D9001_TEACH.html").is_file()
    assert "holds" in call("claims")
    paper = ["article.xml", "--citing", "citing-review.xml"]
    assert "citing-review" in call("contexts", *paper)
    assert "citing-review" in call("impact", *paper)
    assert "citation-integrity" in call("sources")
