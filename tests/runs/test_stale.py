"""Whatever a notebook opens counts: one byte of any kind of file, and it is not up to date.

Size and time of the file stay what they were, as `rsync -t` and `tar` leave them.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citectx import code
from citectx.experiments.results import RUN
from citectx.paths import RESULTS, ROOT
from citectx.profiles import ALLOW_MISSING
from citectx.runs import inputs
from citectx.runs.execution import Job
from citectx.storage import write_json
from tests.runs.test_runner import write_notebook

PLACE = "project:"
READ = {
    path.parent.name: [
        name
        for name in json.loads(path.read_text("utf-8"))["state"]["inputs"]
        if name.startswith(PLACE)
    ]
    for path in sorted((RESULTS / "open").glob(f"[0-9][0-9]_*/{RUN}"))
}
"""What each notebook opens in the checkout, as the open run has noted it."""


def opened(name: str) -> Iterator[Path]:
    """The files that a noted name means."""
    path = ROOT / name.removeprefix(PLACE)
    if name.endswith("/**"):
        yield from (p for p in path.parent.rglob("*") if p.is_file() and p.name[0] != ".")
    elif "*" not in name and path.is_file():
        yield path


FILES = sorted(
    {path.relative_to(ROOT) for names in READ.values() for name in names for path in opened(name)}
)
KINDS = {(path.parts[0], path.suffix): path for path in FILES}
"""A file of each kind: by its top folder and its ending."""


def flip(file: Path) -> None:
    """Change one byte and nothing else of a file; done again it undoes this."""
    times, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def finished(job: Job, names: list[str], modules: tuple[str, ...] = ()) -> Job:
    """Pretend that a run has just finished and has read some files."""
    found = {"modules": inputs.modules(modules), "inputs": inputs.states(names)}
    job.folder.mkdir(parents=True)
    write_json(job.folder / RUN, {"outputs": {}, "state": job.state(**found)})
    return job


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Job]:
    """All notebooks, finished, in a copy of what they have read."""
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, tmp_path / path)
    monkeypatch.setattr(inputs, "_places", lambda: {"project": tmp_path})
    monkeypatch.setenv("CITECTX_CORPUS", str(tmp_path))
    source, home = write_notebook(tmp_path, "00_a"), tmp_path / "results" / "own"
    return {n: finished(Job(source, {}, home / n), names) for n, names in READ.items()}


def test_one_byte_of_any_kind_of_file_counts_for_those_who_read_it(
    lessons: dict[str, Job], tmp_path: Path
) -> None:
    assert len(READ) == 10
    assert {path.suffix for path in KINDS.values()} >= {".txt", ".gz", ".npz", ".json", ".csv"}
    for path in KINDS.values():
        flip(tmp_path / path)
        own = f"{PLACE}{path.as_posix()}"
        readers = {
            lesson
            for lesson, names in READ.items()
            if own in names or any(n[-3:] == "/**" and own.startswith(n[:-2]) for n in names)
        }
        stale = {lesson: job.changed() for lesson, job in lessons.items()}
        assert readers and stale == {n: {"inputs"} if n in readers else set() for n in READ}, path
        flip(tmp_path / path)
    assert not any(job.changed() for job in lessons.values())


def test_a_file_that_is_new_gone_or_renamed_counts(lessons: dict[str, Job], tmp_path: Path) -> None:
    path = next(p for p in FILES if p.name.endswith(".summary.txt"))
    job = next(
        job for job in lessons.values() if f"{PLACE}{path.as_posix()}" in READ[job.folder.name]
    )
    file = tmp_path / path
    file.rename(file.with_suffix(".old"))
    assert job.changed() == {"inputs"}
    file.with_suffix(".old").rename(file)
    assert not job.changed()
    (beside := file.with_name("another.summary.txt")).write_text("new")
    assert job.changed() == {"inputs"}
    beside.unlink()
    assert not job.changed()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that a notebook imports."""
    file = tmp_path / "module.py"
    file.write_text('"""Text."""\nk = 1\n')
    monkeypatch.setattr(code, "files", lambda: {"citectx.module": file})
    yield file
    code.module_digest.cache_clear()


def test_a_statement_counts_and_a_docstring_does_not(module: Path, tmp_path: Path) -> None:
    job = Job(write_notebook(tmp_path, "00_a"), {}, tmp_path / "00_a")
    finished(job, [], ("citectx.module",))
    for text, counts in (
        ('"""Other."""\nk = 1  # one\n', False),
        ('"""Text."""\nk = 2\n', True),
        ("", True),
    ):
        module.write_text(text)
        code.module_digest.cache_clear()
        assert job.changed() == ({"modules"} if counts else set()), text


def test_libraries_flags_and_parameters_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = finished(Job(write_notebook(tmp_path, "00_a"), {"k": 1}, tmp_path / "00_a"), [])
    assert not job.changed()
    assert Job(job.notebook, {"k": 1.5}, job.folder).changed() == {"parameters"}
    assert Job(job.notebook, {}, job.folder).changed() == {"parameters"}
    with monkeypatch.context() as patch:
        patch.setenv(ALLOW_MISSING, "1")
        assert job.changed() == {"flags"}
    for name in inputs.libraries():
        with monkeypatch.context() as patch:
            other = {**inputs.libraries(), name: "0"}
            patch.setattr(inputs, "libraries", lambda other=other: other)
            assert job.changed() == {"libraries"}, name
    assert not job.changed()


FLIPS = """\
import json, sys
from pathlib import Path
from citectx.paths import NOTEBOOKS, ROOT
from citectx.profiles import profile
from citectx.runs.execution import Job
from tests.runs.test_stale import flip
home = profile("teaching").results
given = {"profile": "teaching"}
jobs = {p.stem: Job(p, given, home / p.stem) for p in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))}
inputs = {n: json.loads((home / n / "run.json").read_text())["state"]["inputs"] for n in jobs}
names = sorted({name for own in inputs.values() for name in own if "*" not in name})
stale = {}
for name in names:
    if (file := ROOT / name.removeprefix("project:")).is_file() and file.stat().st_size:
        flip(file)
        stale[name] = [n for n, job in jobs.items() if job.changed()]
        flip(file)
trees = {n: [name[:-2] for name in own if name.endswith("/**")] for n, own in inputs.items()}
reads = {name: [n for n in jobs if name in inputs[n] or name.startswith(tuple(trees[n]))]
         for name in stale}
left = [n for n, job in jobs.items() if job.changed()]
print(json.dumps({"stale": stale, "reads": reads, "left": left}))
"""


@pytest.mark.slow
def test_each_file_that_a_teaching_run_opens_counts_for_those_who_read_it(tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    for folder in ("citectx", "data", "docs", "notebooks", "results", "tests"):
        without = shutil.ignore_patterns("__pycache__", "by-hand", "views")
        shutil.copytree(ROOT / folder, copy / folder, ignore=without)
    others = {n: value for n, value in os.environ.items() if not n.startswith("CITECTX_")}
    surroundings = {
        **others,
        "PYTHONPATH": str(copy),
        "CITECTX_DATA": str(tmp_path / "data"),
        "CITECTX_RESULTS": str(tmp_path / "results"),
    }
    for command in (["-m", "citectx.cli", "run", "--jobs", "2"], ["-c", FLIPS]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=copy,
            env=surroundings,
            check=True,
            capture_output=True,
            text=True,
        )
    found = json.loads(done.stdout)
    assert len(found["stale"]) > 100
    assert found["stale"] == found["reads"]
    assert not found["left"]
