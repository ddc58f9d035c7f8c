"""The licensed profile, rehearsed on a release of TAC 2014's size, made of our articles."""

import shutil
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path

import pytest

from citectx.embeddings import open_vectors
from citectx.errors import MissingDataError
from citectx.paths import DATA
from citectx.runs import notebooks

TOPICS, CITANCES = 20, 313
TEACHING = DATA / "teaching/data"


def release(folder: Path) -> Path:
    """Write 20 topics with 313 citances: our five topics again and again, under TAC's names.

    A topic of ours has half as many citances as one of TAC, so each is told twice, under two
    numbers; the last topics lack what is too many.
    """
    sources = sorted(TEACHING.iterdir())
    left = CITANCES
    for number, source in enumerate(islice(cycle(sources), TOPICS), start=1):
        topic = folder / f"data/D14{number:02}_TRAIN"
        shutil.copytree(source / "Documents_Text", topic / "Documents_Text")
        for part in ("Annotation", "Summary"):
            (topic / part).mkdir()
        for path in sorted((source / "Summary").iterdir()):
            shutil.copy(path, topic / "Summary" / path.name.replace(source.name, topic.name))
        here = min(16, left - 15 * (TOPICS - number))
        for path in sorted((source / "Annotation").iterdir()):
            lines = path.read_text("iso-8859-1").replace(source.name, topic.name)
            name = path.name.replace(source.name, topic.name)
            (topic / "Annotation" / name).write_text(twice(lines, here), "iso-8859-1", newline="")
        left -= here
    return folder


def twice(lines: str, most: int) -> str:
    """Tell each annotation of a file twice, the second time under another number; 1 to `most`."""
    again = lines
    for number in range(8, 0, -1):
        again = again.replace(f"Citance Number: {number} |", f"Citance Number: {number + 8} |")
    told = [*lines.splitlines(keepends=True), *again.splitlines(keepends=True)]
    left_out = tuple(f"Citance Number: {number} |" for number in range(most + 1, 17))
    return "".join(line for line in told if not any(each in line for each in left_out))


@pytest.fixture
def tac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = release(tmp_path / "release")
    monkeypatch.setenv("CITECTX_TAC2014", str(made))
    return made


@pytest.mark.slow
@pytest.mark.open_data
def test_all_notebooks_run_on_it(tac: Path, tmp_path: Path) -> None:
    try:
        open_vectors("biomedical-cbow")
    except MissingDataError as error:
        pytest.skip(str(error))
    command = ["-m", "citectx.cli", "run", "--profile", "tac2014", "--jobs", "2", "--out"]
    done = subprocess.run(
        [sys.executable, *command, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for name in (path.stem for path in notebooks()):
        assert (tmp_path / "tac2014" / name / f"{name}.ipynb").is_file(), name
