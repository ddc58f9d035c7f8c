"""Folders of results from others: a run neither hangs, nor leaves them, nor believes them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citectx import cache, storage
from citectx.arrays import packed
from citectx.cache import Cache
from citectx.errors import DataError, ParameterError
from citectx.experiments.results import RUN, Result, keep
from citectx.ledger import verdicts
from citectx.paths import ROOT
from citectx.profiles import Profile
from citectx.runs import folders, runner
from citectx.runs.execution import Job
from citectx.storage import LockedError, lock, sha256
from tests.experiments.test_results import make_result
from tests.runs.test_runner import write_notebook

PROFILE = Profile("teaching", "", ())


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A notebook whose folder of results says that it is up to date."""
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    folder = tmp_path / "results" / "teaching" / "00_a"
    folder.mkdir(parents=True)
    (folder / "00_a.ipynb").write_text("{}")
    (folder / "one.csv").write_text("k,1")
    made = Job(write_notebook(tmp_path, "00_a"), {"profile": "teaching"}, folder)
    says(made)
    assert not made.changed()
    return made


def says(job: Job, found: dict[str, str] | None = None, **other: Any) -> None:
    """Write what the folder says of itself: that all is up to date, but for what is given."""
    state = job.state(modules={}, inputs=found or {})
    about = {"outputs": folders.outputs(job.folder), "state": state, "wall_time_s": 1.0}
    (job.folder / RUN).write_text(json.dumps(about | other))


STRANGE = [
    *("/**", "//**", "/*/*", "/*/*/*", "/**/x", "/proc/**", "/proc/*/*", "/etc/../**", "/**/**/**"),
    *(
        "/proc/kmsg",
        "/proc/kcore",
        "/proc/self/mem",
        "/sys/kernel/notes",
        "/dev/zero",
        "/dev/stdin",
    ),
    *(
        "project:../../**",
        "project:/**",
        "project:/etc/**",
        "project:./data/**",
        "project:data//**",
    ),
    *("project:**/**", "project:**/x/**/y", "project:*/*/*/*", "project:a**b", "project:"),
    *("downloads:downloads:x", "downloads:../**", "nowhere:x/**", "C:\\**", "\\\\host\\**"),
    *(
        "",
        "*",
        "x" * 5000,
        "/" + "x" * 5000,
        "/" + "x/" * 3000,
        "/a\0b",
        "/a\0*",
        "/\ud800",
        "/\ud800*",
    ),
    *("{tmp}/pipe", "{tmp}/circle", "{tmp}/everything/**", "{tmp}/everything/*/*", "{tmp}/zero"),
    *("{tmp}/results/link/**", "{tmp}/results/link/*/*", "{tmp}/results/*/link/**"),
]


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a pipe, and links to itself, to a device, and to the whole disk."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "everything").symlink_to("/")
    (tmp_path / "results").mkdir(exist_ok=True)
    (tmp_path / "results" / "link").symlink_to("/")
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    return tmp_path


@pytest.mark.parametrize("state", ["0" * 64, storage.UNCHECKED])
def test_what_a_stranger_lists_has_changed_and_is_neither_walked_nor_read(
    job: Job, odd: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    def refuse(*what: object) -> None:
        raise AssertionError(f"looked at {what}")

    monkeypatch.setattr(storage, "sha256", refuse)
    monkeypatch.setattr(storage, "_tree_hash", refuse)
    for name in (name.replace("{tmp}", str(odd)) for name in STRANGE):
        says(job, {name: state})
        assert job.changed() == {"inputs"}, name


def test_a_pattern_walks_below_known_folders_only(odd: Path) -> None:
    files = odd / "results" / "a" / "b"
    files.mkdir(parents=True)
    (files / "c.csv").touch()
    for pattern in ("results/**", "results/a/**", "results/*/*", "results/**/*.csv", "results/*"):
        assert storage.is_followed(str(odd / pattern)), pattern
    for pattern in ("*.csv", "*/Annotation"):
        assert storage.is_followed(str(odd / pattern)), "one folder may be listed anywhere"
    assert storage.is_followed(str(ROOT / "data" / "**"))
    for pattern in ("**", "*/*", "results/../**", "results/**/a/**", "results/link/**"):
        assert not storage.is_followed(str(odd / pattern)), pattern


def test_no_more_is_hashed_than_what_the_stranger_knows(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [str(tmp_path / f"{number}.txt") for number in range(1000)]
    for name in names:
        Path(name).write_text(name)
    right = {name: storage.state_of(name) for name in names[:3]}  # kept: not hashed again
    hashed: list[Path] = []

    def counted(path: Path) -> str:
        hashed.append(path)
        return sha256(path)

    monkeypatch.setattr(storage, "sha256", counted)
    says(job, {**dict.fromkeys(names, "0" * 64), **right})
    assert job.changed() == {"inputs"}
    assert len(hashed) == 1


def test_what_cannot_be_read_counts_as_changed_even_if_it_was_so_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file := tmp_path / "mine.txt").touch()

    def locked(_: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(storage, "sha256", locked)
    assert storage.state_of(str(file)) == storage.UNCHECKED
    assert not storage.unchanged([(str(file), storage.UNCHECKED)])


HUGE = "[" * 100_000
DAMAGED: list[tuple[str, Any]] = [
    ("outputs", {"one.csv": 5}),
    ("outputs", ["one.csv"]),
    ("outputs", {"../00_b/one.csv": "0" * 64}),
    ("outputs", {"/etc/passwd": "0" * 64}),
    ("outputs", {"C:\\one.csv": "0" * 64}),
    ("outputs", {"a\0b": "0" * 64, "\ud800": "0" * 64, "": "0" * 64}),
    ("outputs", {"one.csv": folders.NO_FILE}),
    ("state", "all is well"),
    ("state", {"modules": {}, "inputs": []}),
    ("state", {"modules": {"os": 1}, "inputs": {}}),
    ("state", {"modules": {}, "inputs": {"/a": None}}),
    ("tables", "none"),
    ("tables", {"one": 1}),
    ("wall_time_s", "long"),
    ("wall_time_s", [1]),
    ("wall_time_s", -1),
    ("wall_time_s", float("nan")),
    ("wall_time_s", float("inf")),
    ("wall_time_s", 10**400),
]


@pytest.mark.parametrize(("part", "content"), DAMAGED)
def test_a_damaged_run_json_says_nothing(job: Job, part: str, content: Any) -> None:
    says(job, **{part: content})
    assert folders.about(job.folder) == {}
    assert job.changed() == {"outputs"}
    assert runner.in_order({"00_a": job}, {"00_a": set()}) == ["00_a"]
    with pytest.raises(ParameterError, match="was not written by a run"):
        folders.check(job.folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"wall_time_s": 1.0', '"wall_time_s": 1e999'),
        lambda text: text.replace('"wall_time_s": 1.0', '"wall_time_s": ' + "9" * 5000),
        lambda text: text.replace('"inputs": {}', '"inputs": {"/a": "1", "/a": "2"}'),
        lambda text: text.replace('"modules": {}', f'"modules": {HUGE}'),
        lambda text: text[:-20],
        lambda text: "",
        lambda text: "\0" * 100,
        lambda text: "\ufeff" + text,
    ],
)
def test_json_of_another_kind_says_nothing(job: Job, change: Callable[[str], str]) -> None:
    file = job.folder / RUN
    file.write_text(change(file.read_text()))
    assert folders.about(job.folder) == {}
    with pytest.raises(DataError, match=r"run\.json"):
        storage.read_object(file)


def test_a_run_json_that_is_no_file_says_nothing(job: Job) -> None:
    (job.folder / RUN).unlink()
    os.mkfifo(job.folder / RUN)
    assert folders.about(job.folder) == {}
    (job.folder / RUN).unlink()
    (job.folder / RUN).symlink_to("/dev/zero")
    assert folders.about(job.folder) == {}


@pytest.mark.parametrize("kind", ["pipe", "circle", "zero", "everything"])
def test_what_is_no_file_is_never_an_output(job: Job, odd: Path, kind: str) -> None:
    place = job.folder / "deep" / "two.csv"
    place.parent.mkdir()
    (odd / kind).rename(place)
    with pytest.raises(ParameterError, match=r"deep/two\.csv was not written by a run"):
        folders.check(job.folder)
    listed = folders.outputs(job.folder)
    assert listed["deep/two.csv"] == folders.NO_FILE
    says(job, outputs=listed | {"deep/two.csv": "0" * 64})
    assert job.changed() == {"outputs"}


def run(job: Job) -> None:
    runner.run(PROFILE, folder=job.notebook.parent)


@pytest.mark.usefixtures("quick")
def test_links_in_the_way_are_refused_or_deleted_never_followed(job: Job, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    for beside in (storage.part_of(job.folder), job.folder.with_name(".00_a.old")):
        beside.symlink_to(mine)
    run(job)
    assert sorted(path.name for path in job.folder.parent.iterdir()) == ["00_a"]
    job.folder.rename(mine / "00_a")
    job.folder.symlink_to(mine)
    with pytest.raises(ParameterError, match="is a link"):
        run(job)
    assert sorted(path.name for path in mine.iterdir()) == ["00_a", "thesis.tex"]
    job.folder.unlink()
    (tmp_path / "results" / ".teaching.lock").symlink_to(mine / "thesis.tex")
    with pytest.raises(LockedError, match=r"\.teaching\.lock is no lock of ours"):
        run(job)
    assert (mine / "thesis.tex").read_text() == "years of work"


def test_a_lock_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".results.lock")
    with pytest.raises(LockedError, match="delete it"), lock(tmp_path / "results"):
        pass


def test_results_are_not_written_through_links(tmp_path: Path) -> None:
    results, mine = tmp_path / "results", tmp_path / "mine"
    results.mkdir()
    mine.mkdir()
    for name in ("ledger", "exp"):
        (results / name).symlink_to(mine)
    with pytest.raises(DataError, match="expected a place below"):
        verdicts.keep(results)
    with pytest.raises(DataError, match="expected a place below"):
        keep(make_result(), results)
    assert not list(mine.iterdir())


@pytest.mark.parametrize("tables", [[], {"other": 5}, "none"])
def test_a_table_is_not_written_beside_a_damaged_run_json(tmp_path: Path, tables: Any) -> None:
    result: Result = make_result()
    (tmp_path / RUN).write_text(json.dumps({"tables": tables}))
    with pytest.raises(DataError, match=r"run\.json: tables: expected an object"):
        result.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [RUN]


def test_an_entry_of_the_cache_is_held_to_the_same_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    squares = Cache("squares", __name__, {"square": "i8"})
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    monkeypatch.setattr("citectx.cache.code_digest", lambda _: "code")
    monkeypatch.setattr("citectx.cache.data_of", lambda _: [])
    file, kept = squares.file((3,)), {"square": np.array(8)}
    for name in ("/**", "/proc/kmsg", "project:../**"):
        read = packed([json.dumps([[name, storage.UNCHECKED]]), cache._hash(kept)])
        arrays: dict[str, Any] = {**kept, "files read": read}
        storage.write_arrays(file, **arrays)
        assert squares.get((3,), lambda: {"square": 9})["square"] == 9, name
