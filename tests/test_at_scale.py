"""The page "Many articles, many runs": its script for Slurm, with three processes at a time."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from citectx.paths import ROOT
from tests.conftest import Ask
from tests.test_runs import write_notebook
from tests.test_sweep import PARAMETERS, WRITES

PAGE = ROOT / "docs" / "at-scale.md"


@pytest.mark.slow
def test_three_parts_of_a_slurm_array_are_collected_by_the_same_command(
    tmp_path: Path, ask: Ask
) -> None:
    """k = 5 stands where the page has 3, which the toy notebook refuses."""
    [script] = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    notebook = write_notebook(tmp_path, WRITES, parameters=PARAMETERS)
    script = script.replace("sweep 01", f"sweep {notebook}").replace("(1 3 5)", "(1 4 5)")
    program = f'citectx() {{ {sys.executable} -m citectx.cli "$@"; }}\n'
    parts = []
    for task in range(3):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task)}
        part = subprocess.Popen(["bash", "-c", program + script], cwd=tmp_path, env=environment)
        parts.append(part)
    assert [part.wait(timeout=300) for part in parts] == [0, 0, 0]
    whole = ["sweep", notebook, "--param", "k=1,4,5", "--out", tmp_path / "sweep"]
    assert "0 of 3 runs were new" in ask(*whole).out
    table = pd.read_csv(tmp_path / "sweep" / "collected.csv")
    assert table["value"].tolist() == [1, 16, 25]
