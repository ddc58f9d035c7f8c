"""Runs of notebooks: checked before they begin, whole or not at all, the same bytes each time."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from citectx import paths, runs
from citectx.errors import CitectxError, DataError, ParameterError
from citectx.experiments.results import RUN
from citectx.runs import execute, notebooks, parameter_grid

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
PARAMETERS = """\
profile: str = "none"
k: int = 1  # a number
methods: list = None
free: float = 0
maybe: int | None = 3
equal: str = "a=b\""""


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a run of `toy` goes."""
    return tmp_path / "results" / "toy"


def test_a_run_replaces_another_and_has_the_same_bytes(folder: Path, toy: Path) -> None:
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


def test_a_failure_changes_nothing_and_leaves_the_notebook(folder: Path, toy: Path) -> None:
    failed = folder.with_name("toy.failed.ipynb")
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


@pytest.mark.parametrize("python", [sys.executable, shutil.which("false")])
def test_a_kernel_that_dies_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    path = write_notebook(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(CitectxError, match=r"toy\.ipynb, its kernel died, perhaps for want of"):
        execute(path, {}, tmp_path / "out")


FIGURE = """\
import sys
import matplotlib.pyplot as plt
plt.plot([1, 2])
sys.executable"""


def test_a_run_has_the_same_bytes_whatever_a_user_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = write_notebook(tmp_path, FIGURE), tmp_path / "out"
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # has fonts
    execute(path, {}, out)
    first = files(out)
    assert first["toy.ipynb"].count(b'"image/png"') == 1

    home = tmp_path / "home"
    for name, text in {
        ".config/matplotlib/matplotlibrc": "font.size: 20",
        ".ipython/profile_default/ipython_config.py": "c.InlineBackend.figure_formats = {'svg'}",
        "kernels/python3/kernel.json": '{"argv": ["false"], "display_name": "", "language": ""}',
    }.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text(text)
    for name, value in {"MPLBACKEND": "Agg", "HOME": str(home), "JUPYTER_PATH": str(home)}.items():
        monkeypatch.setenv(name, value)
    execute(path, {}, out)
    assert files(out) == first

    monkeypatch.setenv("HOME", str(path))  # no folder, so nothing can be written there
    (long := tmp_path / ("a" * 90)).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    execute(path, {}, out)
    assert files(out) == first


def test_a_folder_that_cannot_be_moved_is_replaced(
    folder: Path, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Overlay file systems do not move a folder of a lower layer, as results in an image are."""
    rename = os.rename

    def of_upper_layer(source: Path, target: Path) -> None:
        if source == folder:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(source, target)

    execute(toy, {"k": 1}, folder)
    monkeypatch.setattr(os, "rename", of_upper_layer)
    execute(toy, {"k": 2}, folder)
    assert files(folder)["one.csv"] == b"k\n2\n"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_a_run_that_is_killed_while_it_replaces_another_loses_nothing(
    folder: Path, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it made is whole beside the folder, and the next run puts it there."""
    rmtree = shutil.rmtree

    def stop(path: Path, *args: Any, **options: Any) -> None:
        if path == folder:
            raise KeyboardInterrupt
        rmtree(path, *args, **options)

    execute(toy, {"k": 1}, folder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(shutil, "rmtree", stop)
        execute(toy, {"k": 2}, folder)
    assert files(folder)["one.csv"] == b"k\n1\n"
    with runs.locked(folder):
        pass
    assert files(folder)["one.csv"] == b"k\n2\n"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_of_a_run_that_was_stopped_stays_what_was_finished(tmp_path: Path) -> None:
    for name in (".toy.part", "toy", ".toy.new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / RUN).write_text(name)
    (tmp_path / ".toy.lock").touch()
    with runs.locked(tmp_path / "toy"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]
    assert (tmp_path / "toy" / RUN).read_text() == ".toy.new"


HOLDER = """\
import sys, time
from pathlib import Path
from citectx.runs import hidden_beside, locked
folder = Path(sys.argv[1])
with locked(folder):
    hidden_beside(folder, "part").mkdir()
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_live_run_is_left_alone_and_a_killed_one_taken_over(folder: Path, toy: Path) -> None:
    part = folder.with_name(".toy.part")
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout and held.stdout.readline() == "held\n"
        with pytest.raises(ParameterError, match=r"a run of \S+toy is under way; wait for it, or"):
            execute(toy, {}, folder)
        (message,) = runs.execute_all([(toy, {}, folder)], 1)
        assert "is under way" in message
        assert part.is_dir()
        held.kill()
    assert part.is_dir()
    execute(toy, {}, folder)
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_without_locks_a_file_keeps_others_away_until_it_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(runs, "lock", refuse)
    folder, file = tmp_path / "toy", tmp_path / ".toy.lock"
    with runs.locked(folder):
        told = pytest.raises(ParameterError, match=r"no locks to tell .* delete \S+\.toy\.lock")
        with told, runs.locked(folder):
            pass
        assert file.exists()
    assert not file.exists()


def test_a_lock_that_another_run_deleted_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, really = tmp_path / ".toy.lock", runs.lock

    def late(file: object) -> None:
        monkeypatch.setattr(runs, "lock", really)
        path.unlink()  # the run before us ends just now

    monkeypatch.setattr(runs, "lock", late)
    with runs.locked(tmp_path / "toy"):
        assert path.exists()


@pytest.mark.skipif(os.name != "posix", reason="chooses a user")
def test_a_place_that_may_not_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    (file := tmp_path / "results").touch()
    with pytest.raises(ParameterError, match=r"cannot be written .* --out, or set CITECTX_RESULTS"):
        execute(tmp_path / "toy.ipynb", {}, file / "teaching" / "toy")


@pytest.mark.parametrize("name", ["a {k} {b}", "a $HOME $$", "a %d %s %"])
def test_any_path_may_hold_a_run(tmp_path: Path, name: str) -> None:
    (home := tmp_path / name).mkdir()
    path = write_notebook(home, WRITES, name=name)
    execute(path, {"k": 1}, home / "results" / name)
    made = files(home / "results" / name)
    assert set(made) == {"one.csv", "sub/two.csv", f"{name}.ipynb"}
    assert f"{home}/results/{name} was written" in made[f"{name}.ipynb"].decode()


@pytest.mark.slow
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


REFUSED = (
    "nosuch=1 k k= k=x k=1.5 k=[1] k=[1 methods=BM25 k=true k=1:30 free=on profile=[a] maybe=x"
)


@pytest.mark.parametrize("pair", REFUSED.split())
def test_what_is_no_parameter_is_refused(toy: Path, pair: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parameter_grid(toy, [pair])
    assert str(refused.value) == (
        f"{pair!r} does not fit the parameters of toy.ipynb: {{'profile': 'str', 'k': 'int', "
        "'methods': 'list', 'free': 'float', 'maybe': 'int | None', 'equal': 'str'}; "
        "a list is written [A, B]; "
        "the cell that declares them needs the tag 'parameters'"
    )


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ("k=1,null,010", [1, None, 10]),
        ("methods=[BM25, 'a, b']", [["BM25", "a, b"]]),
        ("free=2.5,1e3,2", [2.5, 1000.0, 2]),
        ("maybe=4", [4]),
        ("equal=2020-01-01", ["2020-01-01"]),
        (
            *("profile=open,010,on,1:30,2020-13-01,null,'null'",),
            ["open", "010", "on", "1:30", "2020-13-01", None, "null"],
        ),
    ],
)
def test_values_are_yaml_and_text_keeps_its_letters(
    toy: Path, given: str, values: list[object]
) -> None:
    name = given.partition("=")[0]
    assert [point[name] for point in parameter_grid(toy, [given])] == values


def test_several_names_make_a_grid_and_each_is_given_once(toy: Path) -> None:
    first, second = parameter_grid(toy, ["k=1,null", "free=2.5"])
    assert (first, second) == ({"k": 1, "free": 2.5}, {"k": None, "free": 2.5})
    with pytest.raises(ParameterError, match="'k=2' does not fit"):
        parameter_grid(toy, ["k=1", "k=2"])


def test_a_notebook_that_papermill_cannot_take_is_named_with_what_to_do(tmp_path: Path) -> None:
    path = write_notebook(tmp_path, "k", parameters="")
    with pytest.raises(ParameterError, match=r"toy\.ipynb: \{\}; .* needs the tag 'parameters'"):
        parameter_grid(path, ["k=1"])
    path.write_text("no JSON", "utf-8")
    with pytest.raises(DataError, match=r"toy\.ipynb: cannot be run: .*\(open it in"):
        parameter_grid(path, ["k=1"])


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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"profile": "closed"}, "unknown profile 'closed'"),
        ({"only": ["07"]}, "unknown notebook '07'; known: '01_first', '03_second', '10_third'"),
        ({"param": ["nosuch=1"]}, "'nosuch=1' does not fit the parameters of 10_third.ipynb"),
        ({"param": ["profile=open"]}, "'profile=open' does not fit"),
        ({"param": ["k=1,2"]}, "k=1,2: several values are for `citectx sweep`"),
        ({"jobs": 0}, "jobs must be at least 1, not 0"),
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


def test_a_lesson_that_fails_stops_no_other(lessons: Path) -> None:
    write_notebook(paths.NOTEBOOKS, "1 / 0", name="02_wrong")
    with pytest.raises(CitectxError) as stopped:
        runs.run("teaching", out=lessons)
    assert str(stopped.value).startswith(
        "1 of 4 runs failed\n02_wrong.ipynb, cell In [3]: ZeroDivisionError"
    )
    assert len(list(lessons.glob("teaching/*/run.json"))) == 3


def test_lessons_are_copied_and_none_is_replaced(tmp_path: Path) -> None:
    runs.cmd_lessons(tmp_path, force=False)
    for pattern in ("*.ipynb", "solutions/*.py"):
        copies, originals = tmp_path.glob(pattern), paths.NOTEBOOKS.glob(pattern)
        assert {path.name for path in copies} == {path.name for path in originals}
    first = tmp_path / notebooks()[0].name
    first.write_text("mine")
    with pytest.raises(ParameterError, match=r"exists: .* --force"):
        runs.cmd_lessons(tmp_path, force=False)
    assert first.read_text() == "mine"
    runs.cmd_lessons(tmp_path, force=True)
    assert first.read_bytes() == notebooks()[0].read_bytes()


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_every_parameter_of_a_lesson_has_a_type(path: Path) -> None:
    untyped = [name for name, kind in runs.parameters_of(path).items() if not kind]
    assert not untyped, f"write a type after the names of these parameters: {untyped}"


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_executed_notebooks_carry_the_text_of_their_sources(path: Path) -> None:
    folder = paths.RESULTS / "open" / path.stem
    command = f"citectx run --profile open --only {path.name[:2]}"
    assert (folder / path.name).is_file(), f"{command} writes what is committed of {path.name}"
    executed = nbformat.read(folder / path.name, as_version=4)
    cells = [c for c in executed.cells if c["id"] not in ("injected-parameters", runs.BANNER)]
    expected = runs.lesson(path, "open", folder)
    assert [c.source for c in cells] == [c.source for c in expected.cells]


def test_text_on_the_teaching_corpus_is_left_out_elsewhere_and_links_stay_right(
    tmp_path: Path,
) -> None:
    path = tmp_path / "my (own) notebooks" / "toy.ipynb"  # a blank or a bracket ends a link
    path.parent.mkdir()
    links = "[a](../docs/a.md), [b](02.ipynb), [c](https://d.e), [f](#g)"
    cells = [
        nbformat.v4.new_markdown_cell(f"# Toy\n\n{links}"),
        nbformat.v4.new_markdown_cell("BM25 leads.", metadata={"tags": ["teaching"]}),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    out = tmp_path / "results" / "open" / "toy"
    title, _ = runs.lesson(path, "teaching", out).cells
    assert title.source.startswith("# Toy\n")
    [cell] = runs.lesson(path, "open", out).cells
    there = "../../../my%20%28own%29%20notebooks"
    expected = f"[a]({there}/../docs/a.md), [b]({there}/02.ipynb), [c](https://d.e), [f](#g)"
    assert cell.source == f"# Report on real data: Toy\n\n{expected}"
