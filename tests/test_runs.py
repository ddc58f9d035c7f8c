"""Runs of notebooks: checked before they begin, whole or not at all, the same bytes each time."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from citectx import paths, runs
from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.results import RUN
from citectx.runs import execute, notebooks, points, tidy

WRITES = """\
import os
from pathlib import Path
output = Path(os.environ["CITECTX_OUTPUT"])
output.joinpath("sub").mkdir()
one = output.joinpath("one.csv").write_text(f"k\\n{k}\\n")
two = output.joinpath("sub", "two.csv").write_text(f"k\\n{k}\\n")
print(output, end="")
print(" was written")"""
FAILS = "assert k != 3, 'no threes'"
PARAMETERS = 'profile: str = "none"\nk: int = 1  # a number\nmethods: list = None\nfree: float = 0'


def write_notebook(
    folder: Path, *cells: str, name: str = "toy", parameters: str = PARAMETERS
) -> Path:
    notebook = nbformat.v4.new_notebook()
    about = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = about
    first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    notebook.cells = [first, *map(nbformat.v4.new_code_cell, cells)]
    path = folder / f"{name}.ipynb"
    nbformat.write(notebook, path)
    return path


def files(folder: Path) -> dict[str, bytes]:
    """All that a run has made, but for what says when."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != RUN)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return write_notebook(tmp_path, WRITES, FAILS)


def test_a_run_replaces_another_and_has_the_same_bytes(tmp_path: Path, toy: Path) -> None:
    folder = tmp_path / "results" / "toy"
    execute(toy, {"k": 1}, folder)
    first = files(folder)
    assert set(first) == {"one.csv", "sub/two.csv", "toy.ipynb"}
    assert first["one.csv"] == b"k\n1\n"
    shown = json.loads(first["toy.ipynb"])["cells"][2]["outputs"]
    assert [output["text"] for output in shown] == [[f"{folder} was written\n"]]

    execute(toy, {"k": 2}, folder)
    assert files(folder)["sub/two.csv"] == b"k\n2\n"
    execute(toy, {"k": 1}, folder)
    assert files(folder) == first
    about = json.loads((folder / RUN).read_text("utf-8"))
    assert {"commit", "parameters", "seconds"} <= set(about)
    assert about["parameters"] == {"k": 1}
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_a_failure_changes_nothing_and_leaves_the_notebook(tmp_path: Path, toy: Path) -> None:
    folder, failed = tmp_path / "results" / "toy", tmp_path / "results" / "toy.failed.ipynb"
    execute(toy, {"k": 1}, folder)
    before = files(folder)
    with pytest.raises(CitectxError) as stopped:
        execute(toy, {"k": 3}, folder)
    assert str(stopped.value) == (
        f"toy.ipynb, cell In [4]: AssertionError: no threes\nexecuted so far: {failed}"
    )
    assert files(folder) == before
    assert "no threes" in failed.read_text("utf-8")
    assert sorted(path.name for path in folder.parent.iterdir()) == ["toy", failed.name]
    execute(toy, {"k": 2}, folder)
    assert not failed.exists()


def test_a_kernel_that_dies_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = write_notebook(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(CitectxError, match=r"toy\.ipynb, its kernel died, perhaps for want of"):
        execute(path, {}, tmp_path / "out")


KILLER = """\
import os, signal, sys, time
from pathlib import Path
import papermill
from citectx.runs import execute
path, out = Path(sys.argv[1]), Path(sys.argv[2])
execute(path, {"k": 0}, out)
started = time.perf_counter()
execute(path, {"k": 0}, out)
longest = time.perf_counter() - started
for number in range(1, 13):
    process = os.fork()
    if process == 0:
        execute(path, {"k": number}, out)
        os._exit(0)
    time.sleep(longest * number / 11)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    place = out if out.exists() else out.with_name(f".{out.name}.old")
    print(*[(place / name).read_text().split()[1] for name in ("one.csv", "sub/two.csv")])
execute(path, {"k": 99}, out)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies a process")
def test_killed_at_a_dozen_moments_results_are_old_or_new(tmp_path: Path) -> None:
    path, out = write_notebook(tmp_path, WRITES), tmp_path / "results" / "toy"
    command = [sys.executable, "-c", KILLER, str(path), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [line.split() for line in done.stdout.splitlines() if line.count(" ") == 1]
    assert len(found) == 12
    current = 0
    for number, (one, two) in enumerate(found, start=1):
        assert one == two
        assert int(one) in {current, number}
        current = int(one)
    assert files(out)["one.csv"] == b"k\n99\n"
    assert [left.name for left in out.parent.iterdir()] == ["toy"]


def test_a_kill_between_two_renames_is_mended(tmp_path: Path) -> None:
    folder, old, part = (tmp_path / name for name in ("toy", ".toy.old", ".toy.5e.part"))
    for made, content in ((old, "old"), (part, "half")):
        made.mkdir()
        (made / RUN).write_text(content)
    tidy(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]
    assert (folder / RUN).read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a group")
def test_ctrl_c_ends_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    begun = 'open(os.environ["CITECTX_OUTPUT"] + "/begun", "w").close()'
    path = write_notebook(tmp_path, f"import os, time\n{begun}\ntime.sleep(60)")
    out = tmp_path / "out"
    command = ["-m", "citectx.cli", "sweep", path, "-p", "k=1,2", "--jobs", "2", "--out", out]
    with subprocess.Popen(
        [sys.executable, *map(str, command)],
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A test run in the background of a shell ignores Ctrl-C, and its processes inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        while len(list(out.glob(".*.part/begun"))) < 2:
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        started = time.perf_counter()
        _, told = process.communicate()
    assert time.perf_counter() - started < 5  # one second, but for a busy machine
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert b"interrupted; what was finished is kept" in told
    assert not list(out.iterdir())


@pytest.mark.parametrize(
    "pair",
    [
        "nosuch=1",
        "k",
        "k=",
        "k=x",
        "k=1.5",
        "k=[1]",
        "k=[1",
        "methods=BM25",
        "profile=[a]",
    ],
)
def test_what_is_no_parameter_is_refused(toy: Path, pair: str) -> None:
    with pytest.raises(ParameterError) as refused:
        points(toy, [pair])
    assert str(refused.value) == (
        f"{pair!r} does not fit the parameters of toy.ipynb: {{'profile': 'str', 'k': 'int', "
        "'methods': 'list', 'free': 'float'}; a list is written [A, B]; "
        "the cell that declares them needs the tag 'parameters'"
    )


def test_values_are_yaml_and_each_name_is_given_once(toy: Path) -> None:
    given = ["k=1,null", "methods=[BM25, 'a, b']", "profile=open", "free=2.5"]
    first, second = points(toy, given)
    assert first == {"k": 1, "methods": ["BM25", "a, b"], "profile": "open", "free": 2.5}
    assert second["k"] is None
    with pytest.raises(ParameterError, match="'k=2' does not fit"):
        points(toy, ["k=1", "k=2"])


def test_a_notebook_that_papermill_cannot_take_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = write_notebook(tmp_path, "k", parameters="")
    with pytest.raises(ParameterError, match=r"toy\.ipynb: \{\}; .* needs the tag 'parameters'"):
        points(path, ["k=1"])
    content = json.loads(path.read_text("utf-8"))
    content["metadata"] = {}
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(DataError, match=r"toy.ipynb: cannot be run: No kernel name .*\(open it in"):
        points(path, ["k=1"])
    path.write_text("no JSON", "utf-8")
    with pytest.raises(DataError, match=r"toy\.ipynb: cannot be run: "):
        points(path, ["k=1"])


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write_notebook(folder, WRITES, FAILS, name="01_first")
    write_notebook(folder, "k", name="03_second")
    write_notebook(folder, "k", name="10_third")
    monkeypatch.setattr(paths, "NOTEBOOKS", folder)
    return tmp_path / "results"


def test_each_notebook_has_a_folder(lessons: Path) -> None:
    runs.run("teaching", out=lessons, jobs=2)
    folders = sorted((lessons / "teaching").iterdir())
    assert [path.name for path in folders] == ["01_first", "03_second", "10_third"]
    assert (folders[0] / "one.csv").is_file()


def test_a_failure_names_notebook_cell_and_error(
    lessons: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CitectxError, match=r"01_first.ipynb, cell In \[4\]: AssertionError: no"):
        runs.run("teaching", ["01"], ["k=3"], lessons)
    assert sorted(p.name for p in (lessons / "teaching").iterdir()) == ["01_first.failed.ipynb"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"profile": "closed"}, "unknown profile 'closed'"),
        ({"only": ["07"]}, "unknown notebook '07'; known: '01_first', '03_second', '10_third'"),
        ({"param": ["nosuch=1"]}, "'nosuch=1' does not fit the parameters of 10_third.ipynb"),
        ({"param": ["profile=open"]}, "'profile=open' does not fit"),
        ({"param": ["k=1,2"]}, "k=1,2: several values are for `citectx sweep`"),
    ],
)
def test_mistakes_stop_before_anything_runs(
    lessons: Path, given: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        runs.run(**{"profile": "teaching", "out": lessons} | given)  # type: ignore[arg-type]
    assert not lessons.exists()


def test_files_of_somebody_else_are_not_replaced(lessons: Path) -> None:
    theirs = lessons / "teaching" / "10_third" / "notes.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    with pytest.raises(ParameterError, match=r"10_third was not written by a run: it has no run"):
        runs.run("teaching", out=lessons)
    with pytest.raises(ParameterError, match="it has no run"):
        execute(notebooks()[0], {}, theirs.parent)
    assert files(lessons) == {"teaching/10_third/notes.txt": b"mine"}


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_every_parameter_of_a_lesson_has_a_type(path: Path) -> None:
    assert {"None"}.isdisjoint(runs.declared(path).values())


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_executed_notebooks_carry_the_text_of_their_sources(path: Path) -> None:
    folder = paths.RESULTS / "open" / path.stem
    executed = nbformat.read(folder / path.name, as_version=4)
    cells = [c for c in executed.cells if "injected-parameters" not in c.metadata.get("tags", ())]
    expected = runs.lesson(path, "open", folder)
    assert [c.source for c in cells] == [c.source for c in expected.cells]


def test_text_on_the_teaching_corpus_is_left_out_elsewhere_and_links_stay_right(
    tmp_path: Path,
) -> None:
    path = tmp_path / "notebooks" / "toy.ipynb"
    path.parent.mkdir()
    links = "[a](../docs/a.md), [b](02.ipynb), [c](https://d.e), [f](#g)"
    cells = [
        nbformat.v4.new_markdown_cell(links),
        nbformat.v4.new_markdown_cell("BM25 leads.", metadata={"tags": ["teaching"]}),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    out = tmp_path / "results" / "open" / "toy"
    assert len(runs.lesson(path, "teaching", out).cells) == 2
    [cell] = runs.lesson(path, "open", out).cells
    there = "../../../notebooks"
    expected = f"[a]({there}/../docs/a.md), [b]({there}/02.ipynb), [c](https://d.e), [f](#g)"
    assert cell.source == expected
