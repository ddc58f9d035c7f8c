"""A fifth paper is one folder and a notebook: runner, ledger and site find it without being told."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from citectx.paths import PACKAGE, ROOT

TABLE = '''"""toy Table 1: are long sentences longer?"""

import pandas as pd

from citectx.experiments.results import COLUMNS, Result

NAME = "toy_table1"
METHODS = {"whole": 1.0, "half": 0.5}


def run(corpora):
    """Count the characters of citances, and half of them."""
    rows = [
        (c.name, t.topic_id, s.citance_id, method, share * len(s.text))
        for c in corpora for t in c for s in t.citances for method, share in METHODS.items()
    ]
    scores = pd.DataFrame(rows, columns=["corpus", "topic", "citance", "method", "length"])
    means = scores.groupby(["corpus", "method"], sort=False)["length"].agg(["mean", "size"]).reset_index()
    table = means.rename(columns={"mean": "value", "size": "n"}).assign(
        experiment=NAME, metric="length", ci_low=0.0, ci_high=1000.0, p_value=None, params="{}", seed=0
    )
    return Result(NAME, table[COLUMNS], scores)
'''
CLAIMS = """
paper: toy
title: A toy
corpus: toyland
experiments:
  toy_table1: {where: Table 1, rows: [whole, half], columns: [length]}
claims:
  - id: wholes-are-longer
    kind: order
    where: Section 1
    says: Whole sentences are longer than half of them.
    experiment: toy_table1
    check: {better: whole, than: half, in: length}
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a fifth paper."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PACKAGE, root / "citectx", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").symlink_to(ROOT / "data")
    paper = root / "citectx" / "papers" / "toy"
    (paper / "published").mkdir(parents=True)
    (paper / "__init__.py").write_text('"""A toy."""\n')
    (paper / "table1.py").write_text(TABLE)
    (paper / "claims.yaml").write_text(CLAIMS)
    (paper / "published" / "table1.csv").write_text("method,length\nwhole,100.0\nhalf,50.0\n")
    cells = [
        new_markdown_cell("# A toy"),
        new_code_cell('profile = "teaching"', metadata={"tags": ["parameters"]}),
        new_code_cell(
            "from citectx import profiles\nfrom citectx.papers.toy import table1\n"
            "chosen = profiles.profile(profile)\ntable1.run(chosen.load()).write(chosen.results)"
        ),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    (root / "notebooks").mkdir()
    nbformat.write(new_notebook(cells=cells, metadata=kernel), root / "notebooks" / "20_toy.ipynb")
    return root


def python(checkout: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(checkout), "CITECTX_RESULTS": str(checkout / "results")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, cwd=checkout, capture_output=True, text=True, check=True).stdout


def test_a_fifth_paper_is_one_folder(checkout: Path) -> None:
    assert "20_toy" in python(checkout, "-m", "citectx.cli", "run")
    assert (checkout / "results" / "teaching" / "toy_table1.csv").exists()
    pages = """
from citectx import claims, cli
assert cli.main(["claims", "--profile", "teaching", "--paper", "toy"]) == 0
from citectx.paths import NOTEBOOKS, RESULTS
from citectx.site.modules import experiments
from citectx.site.pages import ledger_page
(toy,) = [e for e in experiments(RESULTS / "teaching", NOTEBOOKS) if e.name == "toy_table1"]
assert toy.notebooks == ("20_toy",) and "toy_table1.csv" in toy.files, toy
frame = claims.check(claims.load("toy"), claims.Results(RESULTS / "teaching"))
assert "wholes-are-longer" in ledger_page(frame, {"toy": claims.load("toy")})
"""
    assert "wholes-are-longer" in python(checkout, "-c", pages)
