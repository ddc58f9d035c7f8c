"""Writing: whole files, locks that name their holder, folders that are the user's, escaped
formulas."""

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
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
    inside,
    lock,
    own_folder,
    read_object,
)

HOLDER = "import sys; from pathlib import Path; from citectx.storage import lock\n"
ELSEWHERE = {
    "arrays.py": (
        ".open() numpy.memmap",
        "opens an archive and its members, or maps it, to read it",
    ),
    "apps/engine.py": (".open()", "opens an index; tantivy writes it in a folder of storage's"),
    "apps/explain/sections.py": (
        "subprocess.CalledProcessError subprocess.run",
        "asks git for the day of a commit",
    ),
    "apps/scisumm/task1a.py": ("tempfile.TemporaryDirectory", "a run that is scored, and goes"),
    "corpora/articles.py": (".open()", "opens a block of text"),
    "corpora/markup.py": (".open()", "opens a block of text"),
    "corpora/sources.py": (".write_text .replace()", "marks that folder, and moves it"),
    "embeddings/train.py": (".unlink", "a checkpoint, once the vectors are kept"),
    "recommendation/labelling.py": (".unlink", "an entry of the cache that is made anew"),
    "runs/execution.py": (".unlink shutil.rmtree", "clears what a run has written"),
    "runs/folders.py": (
        ".rename()",
        "moves what a run has written to its place",
    ),
    "runs/kernel.py": ("tempfile.TemporaryDirectory", "a kernel's sockets, while it runs"),
    "runs/nursery.py": (
        "subprocess.PIPE subprocess.Popen tempfile.TemporaryDirectory",
        "starts a process, and the socket at which it is asked for kernels",
    ),
    "evaluation/significance.py": (".rename()", "names a column"),
    "papers/sigir2017/terminology.py": (".rename()", "names a column"),
    "show/plotting.py": (".savefig", "draws in memory"),
}
"""The only other modules that could write or delete: what they call, and why."""


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
    "content",
    [
        '{"a": 1, "a": 1}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5000 + "}",
    ],
)
def test_json_holds_each_name_once_and_finite_numbers(tmp_path: Path, content: str) -> None:
    (file := tmp_path / "run.json").write_text(content)
    with pytest.raises(DataError, match=r"run\.json: is not valid JSON"):
        read_object(file)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../a", "a/../../b", "/etc/passwd", "C:a", "C:/a", "//host/a", "a\\b"),
        *(
            "a\0b",
            "a\nb",
            "\ud800",
            "x" * 256,
            "link/a",
            "link",
            "circle",
            5,
            None,
            True,
            ["a"],
            {},
        ),
    ],
)
def test_a_name_in_json_stays_in_its_folder(tmp_path: Path, name: object) -> None:
    folder, file = tmp_path / "parts", tmp_path / "parts.json"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    (folder / "circle").symlink_to("../parts.json")
    with pytest.raises(DataError, match=r"parts\.json: names .*; expected a place below .*parts"):
        inside(folder, name, file=file)


def test_a_name_may_lead_deeper_and_over_links_that_stay(tmp_path: Path) -> None:
    folder, file = tmp_path / "parts", tmp_path / "parts.json"
    (folder / "0").mkdir(parents=True)
    (folder / "first").symlink_to("0")
    (tmp_path / "all").symlink_to(folder)
    for name in ("0", "0/a.npz", "first/a.npz", "Zürich, 2018.txt", "new/b"):
        assert inside(folder, name, file=file) == folder / name
        assert inside(tmp_path / "all", name, file=file) == tmp_path / "all" / name


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


def test_the_state_of_a_folder_is_its_names_and_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_CORPUS", str(tmp_path))
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


MODULES = ("shutil.", "tempfile.", "subprocess.", "pickle.", "joblib.", "dill.")
HARMLESS = {"shutil.get_terminal_size"}
FUNCTIONS = {
    *(f"os.{name}" for name in "fdopen link mkfifo open remove removedirs rename renames".split()),
    *(f"os.{name}" for name in "replace rmdir symlink truncate unlink write".split()),
    *(f"numpy.{name}" for name in "memmap save savetxt savez savez_compressed".split()),
    *("io.FileIO", "nbformat.write", "papermill.execute_notebook"),
}
METHODS = set(
    "dump extract extractall hardlink_to rmdir rmtree savefig symlink_to to_excel to_feather to_hdf"
    " to_parquet to_pickle tofile touch truncate unlink write_bytes write_html write_image"
    " write_text".split()
)
"""Forbidden wherever they are named, called or not."""

TO_TEXT = {"to_csv", "to_html", "to_json", "to_latex", "to_markdown", "to_string", "to_xml"}
"""They return text unless they are given a file."""

OPENERS = {
    *("open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open"),
    *("gzip.GzipFile", "bz2.BZ2File", "lzma.LZMAFile", "tarfile.TarFile", "zipfile.ZipFile"),
}
"""They take a file, then its mode; any other method ``open`` begins with the mode."""

MODE = re.compile(r"[rwaxbtU+]+([:|]\w*)?")


def imported(tree: ast.AST) -> dict[str, str]:
    """The full names of what a module imports."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for each in node.names:
                whole = each.name if each.asname else each.name.partition(".")[0]
                known[each.asname or whole] = start + (each.name if start else whole)
    return known


def full_name(node: ast.AST, known: Mapping[str, str]) -> str:
    """Name what an expression refers to: "os.remove", or ".unlink" of whatever is computed."""
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id)
    return f"{full_name(node.value, known)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def could_write(tree: ast.AST) -> set[str]:
    """What a module names or calls that could write or delete a file."""
    known, found = imported(tree), set()
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        name = full_name(node, known)
        if name in FUNCTIONS or (name.startswith(MODULES) and name not in HARMLESS):
            found.add(name)
        elif isinstance(node, ast.Attribute) and node.attr in METHODS:
            found.add(f".{node.attr}")
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            continue  # a field may be called "open"
        elif name in OPENERS and name.endswith("open") and id(node) not in called:
            found.add(name)
        elif isinstance(node, ast.Call):
            found |= called_to_write(node, full_name(node.func, known))
    return found


def called_to_write(call: ast.Call, name: str) -> set[str]:
    """What is called, if its arguments say that it writes."""
    method, given = name.rpartition(".")[2], {each.arg: each.value for each in call.keywords}
    own = name if name in OPENERS else f".{method}()"
    if name in OPENERS or (method == "open" and name not in ("open", "webbrowser.open")):
        place = int(name in OPENERS)
        unknown = None in given or any(isinstance(each, ast.Starred) for each in call.args)
        mode = given.get("mode") or (call.args[place] if len(call.args) > place else None)
        return {own} if unknown or (mode and not only_reads(mode)) else set()
    if method in ("replace", "rename"):  # of a path, as texts take two and tables name theirs
        moves = "." in name and ("target" in given or (len(call.args) == 1 and not given))
        return {own} if moves else set()
    if method in TO_TEXT and "." in name and not name.startswith("citectx."):
        to = call.args or given.keys() & {"path_or_buf", "path", "buf", "path_or_buffer"}
        return {own} if to else set()
    return set()


def only_reads(mode: ast.expr) -> bool:
    if not isinstance(mode, ast.Constant):
        return False
    return not MODE.fullmatch(str(mode.value)) or not set(str(mode.value)) & {*"wax+"}


def writers(package: Path) -> dict[str, str]:
    """What each module could write with, but for `citectx.storage`."""
    texts = {p.relative_to(package).as_posix(): p.read_text("utf-8") for p in package.rglob("*.py")}
    found = {name: could_write(ast.parse(texts[name])) for name in texts if name != "storage.py"}
    return {name: " ".join(sorted(calls)) for name, calls in found.items() if calls}


def test_only_storage_writes() -> None:
    allowed = {name: " ".join(sorted(calls.split())) for name, (calls, _) in ELSEWHERE.items()}
    assert writers(Path(citectx.__file__).parent) == allowed


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'wb')",
        "open(path, mode='a')",
        "open(path, 'r+')",
        "open(path, mode)",
        "open(path, *how)",
        "open(path, **how)",
        "write = partial(open, mode='w')",
        "path.open('x')",
        "path.open(mode='w', encoding='utf-8')",
        "Path(name).open(mode)",
        "from io import open as o; o(path, 'w')",
        "import gzip; gzip.open(path, 'wt')",
        "import gzip; gzip.GzipFile(path, mode='wb')",
        "from lzma import open; open(path, 'w')",
        "import tarfile as t; t.open(path, 'w:gz')",
        "import zipfile; zipfile.ZipFile(path, 'a')",
        "import os; os.fdopen(os.open(path, flags))",
        "import os; os.remove(path)",
        "from os import unlink as gone; list(map(gone, paths))",
        "import os; os.rename(a, b)",
        "import shutil; shutil.copyfile(a, b)",
        "from shutil import rmtree; rmtree(a)",
        "import tempfile; tempfile.mkdtemp()",
        "import subprocess; subprocess.run(command)",
        "import numpy as np; np.save(path, array)",
        "import numpy as np; (np.savez if a else np.savez_compressed)(path)",
        "array.tofile(path)",
        "import json; json.dump(content, file)",
        "import pickle; pickle.dump(content, file)",
        "import nbformat; nbformat.write(notebook, path)",
        "frame.to_csv(path)",
        "frame.to_csv(path_or_buf=path)",
        "frame.head(3).to_json(path)",
        "frame.to_html(buf=path)",
        "frame.to_parquet(path)",
        "frame.to_pickle(path)",
        "figure.savefig(path)",
        "path.write_text('')",
        "path.write_bytes(b'')",
        "path.with_suffix('').unlink()",
        "path.rename(other)",
        "path.replace(other)",
        "path.replace(target=other)",
        "path.rmdir()",
        "path.touch()",
        "path.symlink_to(other)",
        "path.hardlink_to(other)",
        "tar.extractall(folder)",
    ],
)
def test_whatever_else_writes_is_found(tmp_path: Path, code: str) -> None:
    (tmp_path / "planted.py").write_text(f"def work():\n    {code}\n")
    assert list(writers(tmp_path)) == ["planted.py"]


def test_what_only_reads_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(
        "import dataclasses, gzip, json\n"
        "open(path), open(path, 'rb'), path.open('rb'), path.open(encoding='utf-8')\n"
        "gzip.open(path), gzip.open(path, 'rt'), json.dumps(content), frame.to_csv(index=False)\n"
        "text.replace('a', 'b'), frame.rename(columns=names), dataclasses.replace(thing, x=1)\n"
        "moment.replace(year=1), page.open('body')\n"
    )
    assert writers(tmp_path) == {}
