"""A fifth paper is one folder and a notebook: runner and ledger find it untold."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citectx.paths import PACKAGE, ROOT

FIFTH = Path(__file__).with_name("fifth")
CHECKS = """
from citectx import cli, ledger
from citectx.paths import RESULTS

results = RESULTS / "teaching"
assert cli.main(["run"]) == 0
assert cli.main(["claims", "--profile", "teaching", "--paper", "toy"]) == 0
[claim] = ledger.check(ledger.load("toy"), ledger.open_results(results))["id"]
assert claim == "wholes-are-longer"
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a fifth paper."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PACKAGE, root / "citectx")
    (root / "data").symlink_to(ROOT / "data")
    shutil.copytree(FIFTH / "toy", root / "citectx" / "papers" / "toy")
    (root / "notebooks").mkdir()
    shutil.copy(FIFTH / "20_toy.ipynb", root / "notebooks")
    return root


def test_a_fifth_paper_is_one_folder(checkout: Path) -> None:
    folders = {"RESULTS": checkout / "results", "DATA": checkout / "build" / "data"}
    own = {f"CITECTX_{name}": str(folder) for name, folder in folders.items()}
    own["PYTHONPATH"] = str(checkout)
    command = [sys.executable, "-c", CHECKS]
    done = subprocess.run(
        command, env=os.environ | own, cwd=checkout, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (checkout / "results" / "teaching" / "20_toy" / "toy_table1.csv").is_file()
