"""Up to date means up to date: inputs, folders, and what `kill -9` leaves."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from citectx.errors import DataError, ParameterError
from citectx.experiments.results import RUN
from citectx.paths import NOTEBOOKS
from citectx.profiles import Profile
from citectx.runs import folders, inputs, kernel, runner
from citectx.runs.kernel import NotebookError
from tests.runs.test_runner import write_notebook

PROFILE = Profile("teaching", "", ())
WRITES = """\
import os
from pathlib import Path
from citectx import reading
folder = Path(os.environ["CITECTX_OUTPUT"])
done = folder.joinpath("one.csv").write_text(f"k,{k}")
{more}
done = folder.joinpath("two.csv").write_text(f"k,{k}")
print(folder)"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    return tmp_path / "results" / "teaching"


def notebook(folder: Path, more: str = "assert k != 3", name: str = "00_a") -> Path:
    return write_notebook(folder, name, WRITES.replace("{more}", more))


def run(folder: Path, k: int = 1, profile: Profile = PROFILE) -> bool:
    """Run the notebooks; whether anything was executed."""
    return any(o.seconds for o in runner.run(profile, parameters={"k": k}, folder=folder))


def files(folder: Path) -> dict[str, bytes]:
    """All files but those that hold times."""
    found = (p for p in sorted(folder.rglob("*")) if p.is_file())
    named = {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}
    return {name: content for name, content in named.items() if not name.endswith(RUN)}


@pytest.mark.usefixtures("quick")
def test_a_failed_run_changes_nothing(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    assert run(tmp_path)
    good = files(results)
    assert set(good) == {"00_a/00_a.ipynb", "00_a/one.csv", "00_a/two.csv"}
    with pytest.raises(NotebookError):
        run(tmp_path, k=3)
    assert files(results) == good
    assert not run(tmp_path)
    assert run(tmp_path, k=2)
    assert run(tmp_path)
    assert files(results) == good


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["one.csv", "00_a.ipynb"])
def test_outputs_that_were_deleted_or_edited_are_made_again(
    tmp_path: Path, results: Path, name: str
) -> None:
    notebook(tmp_path)
    run(tmp_path)
    good = files(results)
    (results / "00_a" / name).unlink()
    assert run(tmp_path)
    (results / "00_a" / name).write_text("edited")
    assert run(tmp_path)
    assert files(results) == good


@pytest.mark.usefixtures("quick")
def test_what_a_notebook_reads_is_an_input_and_nothing_else(tmp_path: Path, results: Path) -> None:
    article, another = tmp_path / "article.xml", tmp_path / "another.xml"
    for file in (article, another):
        file.write_text("one")
    more = f"seen = reading.read_text(Path({str(article)!r}))"
    more += f"\nmissing = reading.there(Path({str(tmp_path / 'later.txt')!r}))"
    more += f"\nlisted = reading.listing(Path({str(tmp_path / 'pages')!r}), '*.txt')"
    more += "\nown = reading.read_text(folder / 'one.csv')"
    notebook(tmp_path, more)
    assert run(tmp_path)
    times = article.stat()
    another.write_text("two")
    assert not run(tmp_path)
    article.write_text("two")
    os.utime(article, ns=(times.st_atime_ns, times.st_mtime_ns))  # size and time stay the same
    assert run(tmp_path)
    (tmp_path / "later.txt").write_text("is there now")
    assert run(tmp_path)
    (tmp_path / "pages").mkdir()
    assert not run(tmp_path)
    (tmp_path / "pages" / "new.txt").write_text("a page")
    assert run(tmp_path)
    assert not run(tmp_path)
    found = json.loads((results / "00_a" / RUN).read_text())["state"]["inputs"]
    assert {Path(name).name for name in found} >= {"article.xml", "later.txt", "*.txt"}
    assert "one.csv" not in {Path(name).name for name in found}


@pytest.mark.usefixtures("quick")
def test_modules_libraries_and_flags_count(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook(tmp_path)
    run(tmp_path)
    state = json.loads((results / "00_a" / RUN).read_text())["state"]
    assert "citectx.reading" in state["modules"]
    assert not [name for name in state["modules"] if name.startswith("citectx.runs")]
    with monkeypatch.context() as patch:
        patch.setattr("citectx.code.module_digest", lambda _: "edited")
        assert run(tmp_path)
    assert run(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(inputs, "libraries", lambda: {"numpy": "0"})
        assert run(tmp_path)
    assert run(tmp_path)
    for flag in inputs.FLAGS:
        monkeypatch.setenv(flag, "1")
        assert run(tmp_path), flag
        assert not run(tmp_path), flag


@pytest.mark.usefixtures("quick")
def test_a_notebook_finds_tables_of_others_but_not_its_own_old_ones(
    tmp_path: Path, results: Path
) -> None:
    finds = "from citectx.experiments.results import find\n"
    finds += "places = folder, folder.parent\n"
    names = "'one.csv', 'two.csv', 'b.csv'"
    finds += f"seen = [find(places, n).parent.name.strip('.') for n in ({names})]"
    notebook(tmp_path)
    source = WRITES.replace("one.csv", "a.csv").replace("two.csv", "b.csv")
    write_notebook(tmp_path, "01_b", source.replace("{more}", finds))
    for _ in range(2):
        runner.run(PROFILE, parameters={"k": 1}, folder=tmp_path, force=True)
        shown = (results / "01_b" / "01_b.ipynb").read_text()
        assert "['00_a', '00_a', 'teaching']" in shown, "its own are not found before they are made"


@pytest.mark.usefixtures("quick")
def test_a_table_that_is_no_longer_written_goes(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    run(tmp_path)
    checkpoint = results / "00_a" / folders.IGNORED / "00_a-checkpoint.ipynb"
    checkpoint.parent.mkdir()
    checkpoint.write_text("Jupyter's own")
    assert not run(tmp_path)
    write_notebook(tmp_path, "00_a", "print(1)")
    run(tmp_path)
    assert list(files(results)) == ["00_a/00_a.ipynb"]


@pytest.mark.usefixtures("quick")
def test_what_no_run_has_written_stops_the_run_and_stays(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    notebook(tmp_path, "", "01_b")
    mine = results / "01_b" / "notes" / "mine.csv"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    with pytest.raises(ParameterError, match=r"mine\.csv was not written by a run"):
        run(tmp_path)
    assert list(files(results)) == ["01_b/notes/mine.csv"], "nothing was run"
    mine.unlink()
    run(tmp_path)
    mine.parent.mkdir()
    mine.write_text("years of work")
    before = files(results)
    with pytest.raises(ParameterError, match=r"mine\.csv was not written by a run"):
        run(tmp_path)
    assert files(results) == before


LISTED = '{"outputs": {"../../victim.txt": "0"}, "state": {"modules": {}, "inputs": {}}}'


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"outputs": 7}', "[" * 100_000, LISTED])
def test_a_folder_without_a_whole_list_is_not_ours(
    tmp_path: Path, results: Path, damage: str
) -> None:
    notebook(tmp_path)
    run(tmp_path)
    (victim := results.parent / "victim.txt").write_text("mine")
    (results / "00_a" / RUN).write_text(damage)
    before = files(results)
    with pytest.raises(ParameterError, match="does not list it"):
        run(tmp_path)
    assert files(results) == before
    assert victim.read_text() == "mine"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["provenance.json", ".stamps"])
def test_results_of_an_older_version_are_recognised_and_left_alone(
    tmp_path: Path, results: Path, name: str
) -> None:
    notebook(tmp_path)
    results.mkdir(parents=True)
    (results / name).touch()
    with pytest.raises(ParameterError, match=r"older version.*move it away"):
        run(tmp_path)
    assert [p.name for p in results.iterdir()] == [name]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("renames", range(4))
def test_a_kill_between_two_renames_is_mended(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    notebook(tmp_path)
    run(tmp_path)
    good = files(results)

    class Killed(BaseException):
        pass

    done: list[Path] = []
    rename = Path.rename

    def stop(self: Path, target: Path) -> Path:
        if len(done) == renames:
            raise Killed
        done.append(self)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stop)
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        with pytest.raises(Killed) if renames < 3 else pytest.MonkeyPatch.context():
            run(tmp_path, k=2)
    left = sorted(re.sub(r"[0-9a-f]{32}", "*", p.name) for p in results.iterdir())
    assert (
        left
        == [
            [".00_a.*.part", "00_a"],
            [".00_a.*.part", ".00_a.old"],
            [".00_a.old", "00_a"],
            [".00_a.*.part", "00_a"],  # the old ones, while they are deleted
        ][renames]
    )
    assert run(tmp_path) == (renames > 1), "what was moved aside is put back"
    assert files(results) == good


def killed(command: list[str], moment: Callable[[], object]) -> None:
    """Begin a command, and kill it with all that it started after some moment."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        moment()
        os.kill(process.pid, signal.SIGKILL)


def test_killed_at_its_work_and_at_a_random_moment_a_run_ends_with_the_same_bytes(
    tmp_path: Path, results: Path
) -> None:
    notebook(tmp_path, 'print("half of", end=" ", flush=True)')
    code = "import sys; from pathlib import Path; from citectx.runs import runner\n"
    code += "from citectx.profiles import profile\n"
    code += "runner.run(profile('teaching'), folder=Path(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    assert run(tmp_path)
    good = files(results)
    (output,) = json.loads(good["00_a/00_a.ipynb"])["cells"][-1]["outputs"]
    assert output["text"][0].startswith("half of /"), "two messages are one output"
    assert str(results / "00_a") in output["text"][0], "not the folder of the unfinished run"
    (results / "00_a" / "one.csv").unlink()

    def at_work() -> None:
        end = time.monotonic() + 60
        while not list(results.glob(".00_a.*.part/one.csv")):
            assert time.monotonic() < end
            time.sleep(0.01)

    started = time.perf_counter()
    killed(command, at_work)
    longest = time.perf_counter() - started
    assert files(results) != good
    killed(command, lambda: time.sleep(random.Random(0).uniform(0, longest)))
    assert run(tmp_path)
    assert files(results) == good


@pytest.mark.slow
def test_a_teaching_run_killed_at_fifty_moments_ends_with_the_same_bytes(results: Path) -> None:
    """Ten times two notebooks that lack some outputs, so that most kills meet them at work."""
    command, draw = [sys.executable, "-m", "citectx.cli", "run", "--jobs", "2"], random.Random(1)
    subprocess.run(command, check=True, capture_output=True)
    good = files(results)
    names = sorted(path.name for path in results.iterdir())
    for _ in range(10):
        two = draw.sample(names, 2)
        for name in good:
            if name.startswith(tuple(two)) and name.endswith(("1.csv", ".ipynb")):
                (results / name).unlink()
        times = [json.loads((results / name / RUN).read_text())["wall_time_s"] for name in two]
        for moment in [draw.uniform(1, 4 + max(times)) for _ in range(5)]:
            killed(command, partial(time.sleep, moment))
        subprocess.run(command, check=True, capture_output=True)
        assert files(results) == good


@pytest.mark.slow
def test_other_surroundings_give_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name, hash_seed, language, zone, jobs in (
        ("a", "1", "C.UTF-8", "UTC", "1"),
        ("b", "77", "C", "Asia/Tokyo", "2"),
    ):
        surroundings = {"PYTHONHASHSEED": hash_seed, "LANG": language, "LC_ALL": language}
        surroundings |= {"TZ": zone, "CITECTX_DATA": str(tmp_path / f"data {name}")}
        command = [sys.executable, "-m", "citectx.cli", "run", "--jobs", jobs]
        command += ["--out", str(tmp_path / name)]
        subprocess.run(command, env=os.environ | surroundings, check=True, capture_output=True)
        found.append(files(tmp_path / name / "teaching"))
    assert [name for name in found[0] if found[0][name] != found[1].get(name)] == []
    assert found[0].keys() == found[1].keys()
    executed = [name for name in found[0] if name.endswith(".ipynb")]
    assert len(executed) == len(list(NOTEBOOKS.glob("[0-9]*.ipynb")))


def test_ids_of_styled_tables_and_addresses_are_the_same_in_each_run() -> None:
    one, other = (f"{pd.DataFrame({'a': [k]}).style.to_html()} {object()!r}" for k in (1, 1))
    assert one != other
    assert kernel.steady(one) == kernel.steady(other)


def test_a_results_folder_that_is_a_file_is_named(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    results.parent.mkdir()
    results.write_text("mine")
    with pytest.raises(ParameterError, match="is a file"):
        run(tmp_path)


@pytest.mark.usefixtures("quick")
def test_a_lenient_run_does_not_count_for_a_strict_one(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook(tmp_path)
    monkeypatch.setenv("CITECTX_ALLOW_MISSING", "1")
    assert run(tmp_path)
    assert not run(tmp_path)
    monkeypatch.delenv("CITECTX_ALLOW_MISSING")

    def damaged() -> None:
        raise DataError("a topic is damaged")

    for _ in range(2):
        with pytest.raises(DataError, match="a topic is damaged"):
            runner.run(PROFILE, parameters={"k": 1}, folder=tmp_path, first=damaged)
    assert run(tmp_path)
    assert not run(tmp_path)


@pytest.mark.parametrize("later", ["edited", "a text", "[]", '{"cells": [], "metadata": []}'])
@pytest.mark.usefixtures("quick")
def test_a_failed_notebook_that_somebody_mends_is_not_replaced(
    tmp_path: Path, later: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    path = write_notebook(tmp_path, "01_bad", "print('mended elsewhere')")
    failed = PROFILE.results / "01_bad.failed.ipynb"
    failed.parent.mkdir(parents=True)
    notebook = nbformat.read(path, as_version=4)
    assert kernel.kept(notebook, failed) == str(failed)
    if later == "edited":
        notebook = nbformat.read(failed, as_version=4)
        notebook.cells[-1].source += "\nprint('an idea')"
        nbformat.write(notebook, failed)
    else:
        failed.write_text(later)
    content = failed.read_bytes()
    with pytest.raises(ParameterError, match=r"01_bad\.failed\.ipynb is not as a run has left it"):
        runner.run(PROFILE, folder=tmp_path, force=True)
    assert failed.read_bytes() == content
    assert [each.name for each in failed.parent.iterdir()] == [failed.name]


@pytest.mark.usefixtures("quick")
def test_a_failed_notebook_that_was_only_looked_at_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    path = write_notebook(tmp_path, "01_bad", "print('mended')")
    failed = PROFILE.results / "01_bad.failed.ipynb"
    failed.parent.mkdir(parents=True)
    kernel.kept(nbformat.read(path, as_version=4), failed)
    notebook = nbformat.read(failed, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, failed)
    runner.run(PROFILE, folder=tmp_path)
    assert not failed.exists()
