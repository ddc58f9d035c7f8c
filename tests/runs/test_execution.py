"""Up to date means up to date: stamps, staging, recovery, and what `kill -9` leaves."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from citectx.errors import DataError, ParameterError
from citectx.paths import NOTEBOOKS
from citectx.profiles import Profile
from citectx.runs import execution, inputs, runner
from citectx.runs.execution import NotebookError
from tests.runs.test_runner import write_notebook

PROFILE = Profile("teaching", (), "")
WRITES = """\
import json, os
from pathlib import Path
folder = Path(os.environ["CITECTX_RESULTS"], profile)
folder.mkdir(parents=True, exist_ok=True)
done = folder.joinpath("one.csv").write_text(f"k,{k}")
seen = sorted(p.name for p in folder.glob("*.csv"))
done = folder.joinpath("provenance.json").write_text(json.dumps({"one": {"k": k}}))
{more}
done = folder.joinpath("two.csv").write_text(f"k,{k}")
print(folder, seen)"""


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
    """All files but the provenance, in which there are times."""
    found = {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }
    return {name: content for name, content in found.items() if name != "provenance.json"}


@pytest.mark.usefixtures("quick")
def test_a_failed_run_changes_no_table_and_is_not_up_to_date(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    assert run(tmp_path)
    good = files(results)
    assert not run(tmp_path)
    with pytest.raises(NotebookError):
        run(tmp_path, k=3)
    for name in ("one.csv", "two.csv", "notebooks/00_a.ipynb"):
        assert files(results)[name] == good[name]
    assert run(tmp_path)
    assert files(results) == good
    assert set(good) == {
        ".citectx",
        ".stamps/00_a.json",
        "notebooks/00_a.ipynb",
        "one.csv",
        "two.csv",
    }


@pytest.mark.usefixtures("quick")
def test_outputs_that_were_deleted_or_edited_are_made_again(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    run(tmp_path)
    good = files(results)
    for name in ("one.csv", "notebooks/00_a.ipynb", ".stamps/00_a.json"):
        (results / name).unlink()
        assert run(tmp_path)
        for damage in (
            "",
            "{}",
            "[1]",
            '{"outputs": 7}',
            '{"outputs": {"../../x": ""}}',
            "[" * 100_000,
        ):
            (results / name).write_text(damage)
            assert run(tmp_path), (name, damage)
            assert files(results) == good
            if name != ".stamps/00_a.json":
                break
    (results / "provenance.json").unlink()
    assert run(tmp_path)
    assert json.loads((results / "provenance.json").read_text())["one"] == {"k": 1}


@pytest.mark.usefixtures("quick")
def test_a_damaged_provenance_is_an_error_before_anything_runs(
    tmp_path: Path, results: Path
) -> None:
    notebook(tmp_path, "raise SystemExit('ran')")
    results.mkdir(parents=True)
    (results / "provenance.json").write_text('{"half": ')
    with pytest.raises(DataError, match=r"provenance\.json"):
        run(tmp_path)


@pytest.mark.usefixtures("quick")
def test_new_data_and_libraries_count(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Profile("own", (), "")
    write_notebook(tmp_path, "00_a", "print(profile)")
    corpus, other = tmp_path / "corpus", tmp_path / "other"
    for folder in (corpus, other):
        folder.mkdir()
        (folder / "citances.csv").write_text("topic")
    card = tmp_path / "data" / "embeddings" / "general-cbow" / "card.json"
    vocabulary = tmp_path / "data" / "vocabularies" / "terms.obo"
    monkeypatch.setenv("CITECTX_CORPUS", str(corpus))
    assert run(tmp_path, profile=own)
    monkeypatch.setenv("CITECTX_CORPUS", str(other))
    assert not run(tmp_path, profile=own)  # the same content
    for file in (other / "citances.csv", card, card.with_name("vectors.npz"), vocabulary):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("something new")
        assert run(tmp_path, profile=own), file
        assert not run(tmp_path, profile=own), file
    for variable, value in (
        ("CITECTX_CORPUS", str(tmp_path / "nowhere")),
        ("CITECTX_CORPUS_LIKE", "tac2014"),
    ):
        monkeypatch.setenv(variable, value)
        assert run(tmp_path, profile=own), variable
    monkeypatch.setattr(
        inputs, "_libraries", inputs._libraries.__wrapped__
    )  # what a process found, it keeps
    monkeypatch.setattr(inputs, "version", lambda name: "0")
    assert run(tmp_path, profile=own)


@pytest.mark.usefixtures("quick")
def test_a_notebook_reads_only_tables_that_do_not_depend_on_what_ran(
    tmp_path: Path, results: Path
) -> None:
    notebook(tmp_path)
    source = WRITES.replace("{more}", "").replace("one.csv", "b.csv").replace("two", "c")
    write_notebook(tmp_path, "01_b", source)
    path = write_notebook(
        tmp_path, "02_c", source.replace("c.csv", "e.csv").replace("b.csv", "d.csv")
    )
    last = nbformat.read(path, as_version=4)
    last.metadata["citectx"] = {"after": ["01_b"]}
    nbformat.write(last, path)
    run(tmp_path)
    seen = {p.stem: json.loads(p.read_text())["seen"] for p in results.glob("notebooks/*")}
    assert seen == {"00_a": ["one.csv"], "01_b": ["b.csv"], "02_c": ["b.csv", "c.csv", "d.csv"]}
    write_notebook(tmp_path, "01_b", source + "\ndone = folder.joinpath('b.csv').write_text('new')")
    again = runner.run(PROFILE, parameters={"k": 1}, folder=tmp_path)
    assert [o.seconds > 0 for o in again] == [False, True, True]


@pytest.mark.usefixtures("quick")
def test_a_table_that_is_no_longer_written_goes(tmp_path: Path, results: Path) -> None:
    notebook(tmp_path)
    run(tmp_path)
    (results / "mine.csv").write_text("the reader's own")
    write_notebook(tmp_path, "00_a", "print(1)")
    run(tmp_path)
    assert sorted(p.name for p in results.glob("*.csv")) == ["mine.csv"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("moves", range(5))
def test_a_killed_move_is_mended(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    notebook(tmp_path)
    run(tmp_path)
    good = files(results)
    run(tmp_path, k=2)
    other = files(results)

    class Killed(BaseException):
        pass

    done: list[Path] = []
    replace = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if execution.STAGING in self.parts and ".part" not in self.name and len(done) == moves:
            raise Killed
        done.extend([self] if execution.STAGING in self.parts and ".part" not in self.name else [])
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stop)
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        try:
            run(tmp_path)
        except Killed:
            assert files(results) not in (good, other)
    (results / f".two.csv.{'0' * 32}.part").write_text("k,")
    runner.recover(results)
    assert files(results) == good
    assert not run(tmp_path)


@pytest.mark.usefixtures("quick")
def test_what_goes_outside_the_profile_is_refused(tmp_path: Path, results: Path) -> None:
    write_notebook(tmp_path, "00_a", WRITES.replace("{more}", "").replace("profile)", "'other')"))
    with pytest.raises(NotebookError, match="outside the folder"):
        run(tmp_path)
    assert not results.with_name("other").exists()
    assert not list((results / execution.STAGING).iterdir())


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
    code += "from citectx.profiles import profile\nrunner.run(profile('teaching'), folder=Path(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    assert run(tmp_path)
    good = files(results)
    (output,) = json.loads(good["notebooks/00_a.ipynb"])["cells"][-1]["outputs"]
    assert output["text"][0].startswith("half of /"), "two messages are one output"
    (results / "one.csv").unlink()

    def at_work() -> None:
        end = time.monotonic() + 60
        while not list(results.glob(f"{execution.STAGING}/*/teaching/one.csv")):
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
    command, draw = [sys.executable, "-m", "citectx.cli", "run", "--jobs", "2"], random.Random(1)
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    longest, good = time.perf_counter() - started, files(results)
    for _ in range(10):
        for name in good:
            if name.endswith(("1.csv", ".ipynb")):
                (results / name).unlink()
        for _ in range(5):
            killed(command, lambda: time.sleep(draw.uniform(0, longest)))
        subprocess.run(command, check=True, capture_output=True)
        assert files(results) == good


@pytest.mark.slow
def test_other_surroundings_give_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name, hash_seed, language, zone, jobs in (
        ("a", "1", "C.UTF-8", "UTC", "1"),
        ("b", "77", "C", "Asia/Tokyo", "2"),
    ):
        surroundings = {
            "PYTHONHASHSEED": hash_seed,
            "LANG": language,
            "LC_ALL": language,
            "TZ": zone,
        }
        command = [
            sys.executable,
            "-m",
            "citectx.cli",
            "run",
            "--jobs",
            jobs,
            "--out",
            str(tmp_path / name),
        ]
        environment = os.environ | surroundings | {"CITECTX_DATA": str(tmp_path / f"data {name}")}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        found.append(files(tmp_path / name / "teaching"))
    assert [name for name in found[0] if found[0][name] != found[1].get(name)] == []
    assert found[0].keys() == found[1].keys()
    assert len(list(NOTEBOOKS.glob("[0-9]*.ipynb"))) == sum(
        name.startswith("notebooks/") for name in found[0]
    )


def test_ids_of_styled_tables_and_addresses_are_the_same_in_each_run() -> None:
    one, other = (f"{pd.DataFrame({'a': [k]}).style.to_html()} {object()!r}" for k in (1, 1))
    assert one != other
    assert execution._steady(one) == execution._steady(other)


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


STAMP: dict[str, object] = {"state": None, "outputs": {}, "provenance": {}}


READY = {"image": "teaching", "stamp": ".stamps/00_a.json", "content": STAMP}
DAMAGES: list[dict[str, object]] = [
    {"content": STAMP | {"outputs": {"../../victim.txt": "0"}}},
    {"content": STAMP | {"outputs": {"/victim.txt": "0"}}},
    {"content": STAMP | {"outputs": {"two\0.csv": "0"}}},
    {"content": STAMP | {"outputs": {"": "0"}}},
    {"content": STAMP | {"outputs": ["one.csv"]}},
    {"content": STAMP | {"provenance": {"../../victim.txt": []}}},
    {"content": STAMP | {"provenance": {"provenance.json": 7}}},
    {"content": {"outputs": {}}},
    {"content": 7},
    {"stamp": "../../victim.txt"},
    {"stamp": 7},
    {"stamp": "\ud800"},
    {"image": "../../.."},
    {"image": ["teaching"]},
]
MARKERS = [b'{"half": ', b"[1]", b"\xff", b"{}", json.dumps({"content": STAMP}).encode()]
MARKERS += [json.dumps(READY | damage).encode() for damage in DAMAGES]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("marker", MARKERS)
def test_a_damaged_marker_marks_nothing(tmp_path: Path, results: Path, marker: bytes) -> None:
    notebook(tmp_path)
    run(tmp_path)
    good = files(results)
    victim = results.parents[1] / "victim.txt"
    victim.write_text("mine")
    stage = results / execution.STAGING / "00_a-0"
    (stage / "teaching").mkdir(parents=True)
    (theirs := stage.with_name("victim.txt")).write_text(
        "theirs"
    )  # where the marker would take it from
    (stage / execution.READY).write_bytes(marker)
    runner.recover(results)
    assert victim.read_text() == "mine"
    theirs.unlink()
    assert files(results) == good
    assert not run(tmp_path)
