"""The executed notebooks that come with the repository say what their sources say."""

from pathlib import Path

import nbformat
import pytest

from citectx.paths import RESULTS
from citectx.runs.runner import notebooks

OPEN = RESULTS / "open"


def sources(path: Path) -> list[tuple[str, str]]:
    """Kind and source of each cell, without what a run puts in."""
    cells = nbformat.read(path, as_version=4).cells
    written = [c for c in cells if "injected-parameters" not in c.metadata.get("tags", ())]
    return [(cell.cell_type, cell.source) for cell in written]


def test_each_notebook_has_been_executed() -> None:
    assert sorted(p.name for p in OPEN.glob("*/*.ipynb")) == [p.name for p in notebooks()]


@pytest.mark.parametrize("source", notebooks(), ids=lambda path: path.stem)
def test_executed_notebooks_carry_the_text_of_their_sources(source: Path) -> None:
    assert sources(OPEN / source.stem / source.name) == sources(source), (
        "run it: citectx run --profile open"
    )
