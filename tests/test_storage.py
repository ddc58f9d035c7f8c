"""Writing: whole files, locks that name their holder, folders that are the user's, escaped
formulas."""

import ast
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import citectx
from citectx import storage
from citectx.arrays import read_arrays
from citectx.errors import DataError, ParameterError
from citectx.storage import (
    LockedError,
    check_output,
    clear,
    lock,
    own_folder,
    read_object,
)

HOLDER = "import sys; from pathlib import Path; from citectx.storage import lock\n"
WRITING = {
    "write_text",
    "write_bytes",
    "mkdtemp",
    "TemporaryDirectory",
    "NamedTemporaryFile",
    "rmtree",
}
ELSEWHERE = {
    "runs/execution.py": "clears what a failed run has written to its own folder",
    "runs/folders.py": "moves what a notebook wrote into its place",
    "runs/kernel.py": "keeps a kernel's sockets for as long as it runs",
    "corpora/registry.py": "unpacks members into a folder that is moved when it is whole",
    "corpora/sources.py": "downloads likewise",
    "corpora/tac2014.py": "unpacks likewise",
    "apps/scisumm/task1a.py": "a run that is scored and thrown away",
}
"""The only other modules that touch the disk, and why."""


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    storage.write_arrays(file, x=np.arange(3))
    with pytest.raises(ValueError, match="Object arrays"):
        storage.write_arrays(file, x=np.array([{}], dtype=object))
    assert read_arrays(file, {"x": "i8 n"})["x"].tolist() == [0, 1, 2]
    assert list(tmp_path.iterdir()) == [file]


def test_a_held_lock_is_an_error_that_names_the_process(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    code = f"{HOLDER}with lock(Path({str(file)!r})): print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=f"process {holder.pid} on"), lock(file, 0.1):
            pass
        holder.kill()
    with lock(file, 5):  # a dead process holds nothing
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("0")

    def count(_: int) -> None:
        for _ in range(5):
            with lock(file):
                number = int(file.read_text())
                time.sleep(0.001)
                file.write_text(str(number + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(4)))
    assert file.read_text() == "20"
    assert list(tmp_path.iterdir()) == [file]


def test_a_damaged_json_file_is_named_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    for content in ('{"a": ', "[1]", "[" * 100_000):
        file.write_text(content)
        with pytest.raises(DataError, match=r"run\.json"):
            read_object(file)
        assert file.read_text() == content


@pytest.mark.parametrize(
    "name",
    [
        *(
            None,
            7,
            ["a"],
            "",
            ".",
            "..",
            "../a",
            "a/../../b",
            "/etc/passwd",
            "C:a",
            "..\\a",
            "a\\b",
        ),
        *("a\0b", "\ud800", "link", "link/a"),
    ],
)
def test_a_name_in_json_stays_in_its_folder(tmp_path: Path, name: object) -> None:
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(DataError, match=r"run\.json: expected the name of a file in .*ours"):
        storage.inside(folder, name, file=Path("run.json"))
    assert storage.inside(folder, "a/b.csv", file=Path("run.json")) == folder / "a" / "b.csv"


def test_a_key_that_occurs_twice_is_no_choice(tmp_path: Path) -> None:
    (file := tmp_path / "run.json").write_text('{"a": {"b": 1, "b": 2}}')
    with pytest.raises(DataError, match="'b' occurs twice"):
        read_object(file)


def test_only_what_bears_our_mark_is_cleared(tmp_path: Path) -> None:
    own_folder(tmp_path / "new")
    (tmp_path / "new" / "page.html").write_text("ours")
    clear(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    theirs = tmp_path / "theirs" / "thesis.tex"
    theirs.parent.mkdir()
    theirs.write_text("years of work")
    for act in (own_folder, clear):
        with pytest.raises(ParameterError, match=r"thesis\.tex"):
            act(theirs.parent)
    assert theirs.read_text() == "years of work"


@pytest.fixture
def article(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read, by a relative name, with another name for each kind of link."""
    monkeypatch.chdir(tmp_path)
    folder = Path("read")
    folder.mkdir()
    file = folder / "article.xml"
    file.write_text("years of work")
    Path("symbolic.html").symlink_to(file)
    Path("hard.html").hardlink_to(file)
    Path("elsewhere").symlink_to(folder)
    return file


@pytest.mark.parametrize(
    "name",
    [
        "read/article.xml",
        "read/../read/article.xml",
        "symbolic.html",
        "hard.html",
        "elsewhere/article.xml",
    ],
)
def test_an_input_is_never_replaced_whatever_it_is_called(article: Path, name: str) -> None:
    for path in (Path(name), Path(name).absolute()):
        with pytest.raises(
            ParameterError, match=r"would replace what is read from read/article\.xml: name another"
        ):
            check_output(path, inputs=[Path("missing.xml"), article], force=True)


def test_a_name_for_an_input_is_one_whichever_of_the_two_is_the_link(article: Path) -> None:
    with pytest.raises(ParameterError, match=r"symbolic\.html"):
        check_output(article, inputs=[Path("symbolic.html")], force=True)


@pytest.mark.parametrize(
    "name", ["read/article.xml", "symbolic.html", "elsewhere/article.xml", "read/link.html"]
)
def test_nothing_in_a_folder_of_inputs_is_replaced(article: Path, name: str) -> None:
    Path("other.html").write_text("a page")
    article.with_name("link.html").symlink_to(Path("other.html").absolute())
    with pytest.raises(ParameterError, match="is read from read:"):
        check_output(Path(name), inputs=[article.parent], force=True)
    check_output(article.with_name("new.html"), inputs=[article.parent])
    check_output(Path("other.html"), inputs=[article.parent], force=True)


def test_another_file_is_replaced_only_by_force(article: Path) -> None:
    Path("page.html").write_text("a page")
    Path("broken.html").symlink_to("nowhere")
    Path("circle.html").symlink_to("circle.html")
    for name in ("page.html", "broken.html", "circle.html"):
        with pytest.raises(
            ParameterError, match=rf"{name} is there already: name another file, or .* --force"
        ):
            check_output(Path(name), inputs=[article])
        check_output(Path(name), inputs=[article, article.parent], force=True)
    check_output(Path("new.html"), inputs=[article])
    assert not Path("new.html").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("read", "read is a folder: name the file"),
        ("", ". is a folder: name the file"),
        ("no/page.html", "there is no folder no: make it first"),
        ("read/article.xml/page.html", "there is no folder read/article.xml"),
        (os.devnull, "is a device or the like: name a file"),
    ],
)
@pytest.mark.usefixtures("article")
def test_where_no_file_can_be(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_output(Path(name), force=True)


def test_text_that_a_spreadsheet_would_run_is_escaped() -> None:
    frame = pd.DataFrame({"=id": ["=1", "+1", "-1", "@x", "\tx", "a=1", ""], "n": [-1.0] * 7})
    safe = storage.spreadsheet_safe(frame)
    assert safe["'=id"].tolist() == ["'=1", "'+1", "'-1", "'@x", "'\tx", "a=1", ""]
    assert safe["n"].tolist() == [-1.0] * 7


def test_a_package_installed_in_another_repository_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "theirs"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "site-packages").mkdir()
    monkeypatch.setattr(storage, "ROOT", tmp_path / "site-packages")
    assert storage.commit() == "unknown"


def test_the_state_of_a_folder_is_its_names_and_content(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "a").mkdir(parents=True)
    file = folder / "a" / "text.txt"
    names, everything = f"{folder}/**/*.txt", f"{folder}/**"
    file.write_text("one")
    seen = [(storage.state_of(names), storage.state_of(everything))]
    os.utime(file, ns=(1, 1))
    (folder / ".hidden.txt").write_text("not counted")
    assert (storage.state_of(names), storage.state_of(everything)) == seen[0]
    file.write_text("two")
    assert storage.state_of(names) == seen[0][0]
    assert storage.state_of(everything) != seen[0][1]
    file.rename(folder / "text.txt")
    assert storage.state_of(names) != seen[0][0]
    assert storage.state_of(str(file)) == "missing"


def writers(package: Path) -> set[str]:
    """Modules that write by themselves."""
    found = set()
    for path in package.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in (
            ast.walk(ast.parse(text)) if any(name in text for name in (*WRITING, "open(")) else ()
        ):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
                opened = name == "open" and any(
                    isinstance(m, str) and m[:1] in "wax" for m in modes
                )
                if name in WRITING or opened:
                    found.add(path.relative_to(package).as_posix())
    return found - {"storage.py"}


def test_only_storage_writes(tmp_path: Path) -> None:
    allowed = {*ELSEWHERE, "embeddings/texts.py"}  # streams into a name that `replacing` made
    assert writers(Path(citectx.__file__).parent) <= allowed
    (tmp_path / "bad.py").write_text("open(path, 'wb').write(data)")
    assert writers(tmp_path) == {"bad.py"}
