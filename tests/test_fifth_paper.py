"""A fifth paper is one folder and a notebook: runner, ledger and site find it without being
told."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citectx.paths import PACKAGE, ROOT


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a fifth paper."""
    root, fifth = tmp_path_factory.mktemp("checkout"), Path(__file__).with_name("fifth")
    shutil.copytree(PACKAGE, root / "citectx")
    (root / "data").symlink_to(ROOT / "data")
    shutil.copytree(fifth / "toy", root / "citectx" / "papers" / "toy")
    (root / "notebooks").mkdir()
    shutil.copy(fifth / "20_toy.ipynb", root / "notebooks")
    return root


PAGES = """
import sys
from citectx import ledger, cli
sys.argv = ["citectx", "run"]
assert cli.main() == 0
assert cli.main(["claims", "--profile", "teaching", "--paper", "toy"]) == 0
from citectx.paths import NOTEBOOKS, RESULTS
from citectx.apps.site.modules import experiments
from citectx.apps.site.pages import ledger_page
(toy,) = [e for e in experiments(RESULTS / "teaching", NOTEBOOKS) if e.name == "toy_table1"]
assert toy.notebooks == ("20_toy",) and "toy_table1.csv" in toy.files, toy
frame = ledger.check(ledger.load("toy"), ledger.Results(RESULTS / "teaching"))
assert "wholes-are-longer" in ledger_page(frame, {"toy": ledger.load("toy")})
"""


def test_a_fifth_paper_is_one_folder(checkout: Path) -> None:
    environment = os.environ | {
        "PYTHONPATH": str(checkout),
        "CITECTX_RESULTS": str(checkout / "results"),
    }
    command = [sys.executable, "-c", PAGES]
    done = subprocess.run(
        command, env=environment, cwd=checkout, capture_output=True, text=True, check=True
    )
    assert "20_toy" in done.stdout
    assert "wholes-are-longer" in done.stdout
    assert (checkout / "results" / "teaching" / "toy_table1.csv").exists()
