"""The licensed profile, rehearsed on a release with TAC 2014's topics, made of our articles."""

import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path

import pytest

from citectx import profiles
from citectx.embeddings import open_vectors
from citectx.errors import MissingDataError
from citectx.paths import DATA
from citectx.runs import notebooks

TOPICS = 20
TEACHING = DATA / "teaching/data"


def release(folder: Path) -> Path:
    """Write 20 topics: our five again and again, under TAC's names."""
    sources = cycle(sorted(TEACHING.iterdir()))
    for number, source in enumerate(islice(sources, TOPICS), start=1):
        topic = f"D14{number:02}_TRAIN"
        for path in source.rglob("*.txt"):
            name = path.relative_to(TEACHING).as_posix().replace(source.name, topic)
            (folder / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            content = path.read_bytes().replace(source.name.encode(), topic.encode())
            (folder / "data" / name).write_bytes(content)
    return folder


@pytest.fixture
def tac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = release(tmp_path / "release")
    monkeypatch.setenv("CITECTX_TAC2014", str(made))
    return made


def test_the_release_is_read(tac: Path) -> None:
    (corpus,) = profiles.profile("tac2014").load()
    assert [len(topic.summaries) for topic in corpus] == [4] * TOPICS


@pytest.mark.slow
@pytest.mark.open_data
def test_all_notebooks_run_on_it(tac: Path, tmp_path: Path) -> None:
    try:
        open_vectors("biomedical-cbow")
    except MissingDataError as error:
        pytest.skip(str(error))
    command = [sys.executable, "-m", "citectx.cli", "run", "--profile", "tac2014", "--jobs", "2"]
    numbers = {path.stem[:2] for path in notebooks()}
    few_deals = ["07", "-p", "shuffles=1"]  # of labels, for two collections of real articles
    for only in (sorted(numbers - {"07"}), few_deals):
        told = [*command, "--out", str(tmp_path), "--only", *only]
        done = subprocess.run(told, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
    for name in (path.stem for path in notebooks()):
        assert (tmp_path / "tac2014" / name / f"{name}.ipynb").is_file(), name
