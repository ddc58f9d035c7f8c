"""Files are written whole or not at all, errors name them, and inputs are never replaced."""

import errno
import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from citectx import parallel, storage
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.storage import check_output, pack, read_arrays, read_json, unpack


def test_a_kill_leaves_what_was_there(tmp_path: Path) -> None:
    (file := tmp_path / "a.txt").write_text("old")
    code = (
        "import os, signal, sys; from pathlib import Path; from citectx.storage import replacing\n"
        "with replacing(Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'), file.flush(), os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert file.read_text() == "old"


def test_a_full_disk_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.txt"
    with pytest.raises(OSError, match=r"No space left.*a\.txt"), storage.replacing(file):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(file.parent.iterdir()) == []


def test_an_error_of_ours_keeps_its_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError) as told, storage.replacing(tmp_path / "a.txt"):
        raise MissingDataError("general is missing; run: citectx fetch general")
    assert str(told.value) == "general is missing; run: citectx fetch general"


def test_json_comes_back_in_its_order(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert read_json(file) == {}
    storage.write_json(file, {"b": "Zürich", "a": [1.5]})
    assert list(read_json(file).items()) == [("b", "Zürich"), ("a", [1.5])]


@pytest.mark.parametrize("content", ['{"a": ', "[1]", "\xff"])
def test_damaged_json_is_named_and_kept(tmp_path: Path, content: str) -> None:
    (file := tmp_path / "run.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(DataError, match=r"run\.json: .*restore or delete it"):
        read_json(file)
    assert file.exists()


def pickled() -> bytes:
    np.savez(file := BytesIO(), x=np.array([{}], dtype=object))
    return file.getvalue()


@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage", "pickled"])
def test_damaged_arrays_are_named(tmp_path: Path, damage: str) -> None:
    storage.write_arrays(file := tmp_path / "a.npz", x=np.arange(1000))
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    damaged = {"cut": whole[:-30], "flipped": flipped, "garbage": b"garbage", "pickled": pickled()}
    file.write_bytes(damaged[damage])
    with pytest.raises(DataError, match=r"a\.npz: cannot be read"):
        read_arrays(file)


def test_packed_strings_come_back() -> None:
    for words in ((), ("cell",), ("Zürich", "p53")):
        assert unpack(pack(words)) == words


def test_no_input_is_ever_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITECTX_CORPUS", str(tmp_path / "corpus"))
    for name in ("article.xml", "folder/a.xml", "corpus/b.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("years of work")
    (tmp_path / "link.html").symlink_to(tmp_path / "article.xml")
    inputs = [tmp_path / "article.xml", tmp_path / "folder"]
    for name in ("article.xml", "link.html", "folder/a.xml", "corpus/b.xml"):
        with pytest.raises(ParameterError, match="name another file"):
            check_output(tmp_path / name, inputs=inputs, force=True)
    check_output(tmp_path / "folder" / "new.html", inputs=inputs)


def test_another_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    (file := tmp_path / "page.html").write_text("a page")
    with pytest.raises(ParameterError, match=r"page\.html exists: .* --force"):
        check_output(file)
    check_output(file, force=True)
    with pytest.raises(ParameterError, match="is a folder"):
        check_output(tmp_path, force=True)


def test_a_package_in_another_repository_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(storage, "ROOT", tmp_path / "site-packages")
    assert storage.commit() == "unknown"


def new_repository(folder: Path) -> str:
    """Make a repository with some code; return its commit."""
    (folder / "citectx").mkdir(parents=True)
    (folder / "citectx" / "code.py").write_text(f"FOLDER = {folder.name!r}\n")
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Code"]):
        subprocess.run([*git, *step], check=True)
    return subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A checkout that stands for ours, and its commit."""
    for name in storage.ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(storage, "ROOT", tmp_path / "ours")
    return tmp_path / "ours", new_repository(tmp_path / "ours")


def test_the_commit_is_ours_in_a_hook_of_another_repository(
    checkout: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, name = checkout
    other = tmp_path / "other"
    assert name != new_repository(other)
    places = {"DIR": ".git", "INDEX_FILE": ".git/index", "OBJECT_DIRECTORY": ".git/objects"}
    for variable, place in {"WORK_TREE": "", **places}.items():
        monkeypatch.setenv(f"GIT_{variable}", str(other / place))
    assert storage.commit() == name
    (ours / "citectx" / "code.py").write_text("# changed\n")
    assert storage.commit() == f"{name}+changes"


def test_the_commit_of_a_checkout_that_belongs_to_another_user(
    checkout: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, name = checkout
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # which may call all folders safe
    asked = subprocess.run(["git", "-C", str(ours), "rev-parse"], capture_output=True, check=False)
    assert b"dubious ownership" in asked.stderr
    assert storage.commit() == name


def test_processes_give_the_same_results_in_order() -> None:
    items = [-3, 2, -1]
    assert parallel.run(abs, items, jobs=2) == parallel.run(abs, items) == [3, 2, 1]


def test_jobs_below_one_are_refused() -> None:
    with pytest.raises(ParameterError, match="jobs must be at least 1, not 0"):
        parallel.run(abs, [1], jobs=0)
