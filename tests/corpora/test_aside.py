"""What users have put into a source, or changed there, when it is fetched again."""

import logging
import os
import shutil
import sys
from itertools import count
from pathlib import Path

import pytest

from citectx.corpora import registry as facts
from citectx.corpora import sources
from citectx.corpora.registry import Source, write_members
from citectx.errors import CitectxError, DataError
from tests.corpora.test_sources import (  # noqa: F401 - fixtures
    FILES,
    ONE,
    contents,
    data,
    fetch,
    sample,
    shelf,
)

CHANGED = f"{ONE}/c.txt"
THEIRS = {
    "notes.txt": b"years of work",
    f"{ONE}/text/mine/deep.txt": b"more",
    f"{ONE}/.hidden": b"",
    ".citectxt": b"hidden, too",
    CHANGED: b"gamma, corrected\n",
}


@pytest.fixture
def used(sample: Source, shelf: Path) -> Path:  # noqa: F811
    """A source with what its user has added and changed, and a link to a folder elsewhere."""
    there = fetch(sample, shelf)
    for name, content in THEIRS.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_bytes(content)
    (shelf / "elsewhere").mkdir()
    (shelf / "elsewhere/far.txt").write_bytes(b"far")
    (there / "link").symlink_to(shelf / "elsewhere")
    (there / "dangling").symlink_to("nowhere")
    return there


def links(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_symlink())


def kept(data: Path) -> dict[str, bytes]:  # noqa: F811
    """All that lies in folders NAME.yours-N, under the paths that it had in the source."""
    return {
        name: content
        for folder in sorted(data.glob("sample.yours-*"))
        for name, content in contents(folder).items()
    }


def test_what_is_the_users_is_moved_aside_and_named(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert fetch(sample, shelf, verify=True) == used
    assert contents(used) == FILES
    aside = data / "sample.yours-1"
    assert contents(aside) == THEIRS
    assert links(aside) == ["dangling", "link"]
    assert contents(shelf / "elsewhere") == {"far.txt": b"far"}
    assert sorted(path.name for path in data.iterdir()) == ["sample", "sample.yours-1"]
    added, changed = caplog.messages
    assert (
        f"sample: kept in {aside}, 6 not of this source: '.citectxt', 'dangling', 'link', 'notes"
        in added
    )
    assert changed == f"sample: kept in {aside}, 1 of this source, but changed: '{CHANGED}'"


def test_a_source_that_is_whole_is_left_alone(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (used / CHANGED).write_bytes(FILES[CHANGED])
    fetch(sample, shelf, verify=True)
    assert contents(used) == FILES | THEIRS | {CHANGED: FILES[CHANGED]}
    assert [path.name for path in data.iterdir()] == ["sample"]
    assert not caplog.messages


def test_nothing_that_was_kept_is_ever_replaced(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    (data / "sample.yours-2").mkdir(parents=True)
    for _ in range(3):
        there = fetch(sample, shelf, verify=True)
        (there / CHANGED).write_bytes(b"again")
        for number in range(15):
            (there / f"{number:02}").touch()
    names = sorted(path.name for path in data.iterdir())
    assert names == ["sample", "sample.yours-1", "sample.yours-2", "sample.yours-3"]
    assert not list((data / "sample.yours-2").iterdir())
    assert caplog.messages[0].endswith("'08', '09' and 5 more")


def test_files_of_an_older_registry_are_ours_if_unchanged(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    there = fetch(sample, shelf)
    (there / "notes.txt").write_bytes(b"mine")
    write_members(sample.member_list, [m for m in sample.members if m.path != CHANGED])
    facts.registry.cache_clear()
    newer = facts.registry(tmp_path / "registry")["sample"]
    fetch(newer, shelf)
    assert kept(data) == {"notes.txt": b"mine"}
    (there / sources._MEMBERS).unlink()  # as an older version left it
    write_members(sample.member_list, sample.members)
    facts.registry.cache_clear()
    fetch(facts.registry(tmp_path / "registry")["sample"], shelf)
    assert contents(there) == FILES


def test_a_failed_fetch_moves_nothing(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
) -> None:
    (shelf / "sample.tar.xz").write_bytes(b"no archive")
    before = contents(used)
    with pytest.raises(DataError, match="truncated or changed"):
        fetch(sample, shelf, verify=True)
    assert contents(used) == before
    assert [path.name for path in data.iterdir()] == ["sample"]


def test_a_source_that_is_a_link_is_not_replaced(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
) -> None:
    used.rename(shelf / "moved")
    used.symlink_to(shelf / "moved")
    assert sources.fetch(sample) == used  # it is read where it is
    with pytest.raises(DataError, match=r"data/sample: is a link .* remove the link"):
        fetch(sample, shelf, verify=True)
    assert (shelf / "moved/notes.txt").read_bytes() == THEIRS["notes.txt"]


def test_a_pipe_in_the_place_of_a_file_is_moved_unread(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
) -> None:
    there = fetch(sample, shelf)
    (there / CHANGED).unlink()
    os.mkfifo(there / CHANGED)
    fetch(sample, shelf, verify=True)
    assert (data / "sample.yours-1" / CHANGED).is_fifo()


STEPS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink"}


def killed(at: int, sample: Source, shelf: Path) -> bool:  # noqa: F811
    """Fetch in a process that dies just before its nth step on the disk; False if it has fewer."""
    process = os.fork()
    if process == 0:
        steps = count(1)

        def die(event: str, arguments: tuple[object, ...]) -> None:
            writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & 3
            if (event in STEPS or writes) and next(steps) == at:
                os._exit(9)

        logging.disable()
        sys.addaudithook(die)
        try:
            fetch(sample, shelf, verify=True)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_any_step_the_next_fetch_finds_everything(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
    stride: int,
) -> None:
    shutil.copytree(data, shelf / "start", symlinks=True)
    for at in count(1, stride):
        if not killed(at, sample, shelf):
            break
        assert fetch(sample, shelf, verify=True) == used
        assert contents(used) == FILES, at
        assert kept(data) == THEIRS, at
        seen = {path.name for path in data.iterdir() if not path.name.startswith(".")}
        assert seen == {"sample", "sample.yours-1"}, at
        shutil.rmtree(data)
        shutil.copytree(shelf / "start", data, symlinks=True)
    assert at > 30


def test_an_error_while_it_is_replaced_loses_nothing(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
    used: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    really = Path.replace

    def fails(path: Path, target: Path) -> Path:
        if target == used:
            raise OSError(28, "No space left on device")
        return really(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fails)
        with pytest.raises(CitectxError, match="No space left"):
            fetch(sample, shelf, verify=True)
    assert kept(data) == THEIRS
    assert contents(fetch(sample, shelf)) == FILES


def test_a_strangers_folder_in_the_place_of_ours_stays(
    sample: Source,  # noqa: F811
    shelf: Path,  # noqa: F811
    data: Path,  # noqa: F811
) -> None:
    (data / ".sample-fetching/old").mkdir(parents=True)
    (data / ".sample-fetching/old/notes.txt").write_bytes(b"mine")
    with pytest.raises(CitectxError, match="was not written by citectx"):
        fetch(sample, shelf)
    assert contents(data / ".sample-fetching") == {"old/notes.txt": b"mine"}
