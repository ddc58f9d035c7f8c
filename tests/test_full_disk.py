"""A full disk: the message names the file and says what to do; nothing half-written is left."""

import errno
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from citectx import cli, storage
from citectx.apps import engine, parts
from citectx.cache import Cache
from citectx.embeddings import Vectors
from citectx.embeddings.texts import write
from citectx.errors import DataError, MissingDataError
from citectx.experiments.results import COLUMNS, Result
from citectx.paths import ROOT
from citectx.show import plotting

Full = Callable[[], AbstractContextManager[None]]
ADVICE = r"\(make room there, and run again\)"
WORDS = [f"word{i}" for i in range(5000)]


@pytest.fixture
def full(tmp_path: Path) -> Full:
    """Let no file become larger than 2,000 bytes; then what was there must be all that there is."""

    @contextmanager
    def limited() -> Iterator[None]:
        there = contents(tmp_path)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert contents(tmp_path) == there

    return limited


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def result() -> Result:
    row = ["exp", "corpus", "M", "c-F", 0.5, 0.1, 0.5, float("nan"), 3, "{}", 0]
    return Result("exp", pd.DataFrame([row] * 500, columns=COLUMNS))


def vectors() -> Vectors:
    return Vectors(tuple(WORDS), np.ones((len(WORDS), 3), np.float32))


def figure(folder: Path) -> None:
    ax = plt.figure().add_subplot()
    ax.plot(np.random.default_rng(0).normal(size=200))
    plotting.save(ax.figure, folder, "plot")  # type: ignore[arg-type]


LONG = [("a", "\n".join(f"Cells {word} rest in light." for word in WORDS))]
WRITERS: dict[str, Callable[[Path], object]] = {
    "exp.csv": lambda file: result().write(file.parent),
    "vectors.npz": lambda file: vectors().save(file.parent),
    "plot.png": lambda file: figure(file.parent),
    "some.txt": lambda file: write(LONG, (frozenset(), ()), file),
    "some.json": lambda file: storage.write_json(file, WORDS),
    "some.npz": lambda file: storage.write_arrays(file, x=np.arange(9999)),
    "packed.npz": lambda file: storage.write_arrays(
        file, compressed=True, x=np.random.default_rng(0).random(9999)
    ),
    "some.csv.gz": lambda file: storage.write_atomically(
        file, storage.to_gzip(np.random.default_rng(0).bytes(9999))
    ),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("was_there", [False, True])
def test_whatever_is_written_is_named(
    name: str, was_there: bool, tmp_path: Path, full: Full
) -> None:
    file = tmp_path / name
    if was_there:
        file.write_text("years of work")
    with full(), pytest.raises(OSError, match=ADVICE) as error:
        WRITERS[name](file)
    assert error.value.filename == str(file)
    assert error.value.errno in storage.FULL


def test_what_cannot_be_kept_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: Full
) -> None:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "cache"))
    numbers = Cache("numbers", __name__, {"x": "i8 n"})
    for _ in range(2):
        with full():
            assert numbers.get((), lambda: {"x": np.arange(9999)})["x"].sum() == 49985001


def test_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], full: Full
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("article.md").write_text("# On rest\n\nCells rest.\n\nIn the light they divide.\n")
    with full():
        assert cli.main("contexts article.md --cites Cells --html page.html".split()) == 1
    said = capsys.readouterr().err
    assert "(make room there, and run again): page.html" in said


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_part_of_an_index_also_in_a_worker(tmp_path: Path, full: Full, jobs: int) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(" ".join(WORDS))
    storage.own_folder(tmp_path / "index")
    texts = parts.TextFiles.of(tmp_path)
    with full(), pytest.raises(DataError, match=rf"{ADVICE}: '{tmp_path}/index/.*\.npz'"):
        parts.index(texts, tmp_path / "index", 2, jobs=jobs)


@pytest.mark.parametrize("kind", ["opensearch", "tantivy"])
@pytest.mark.parametrize("was_there", [False, True])
def test_an_export_for_an_engine(tmp_path: Path, full: Full, kind: str, was_there: bool) -> None:
    if kind == "tantivy":
        pytest.importorskip("tantivy")
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(" ".join(WORDS))
    texts, out = parts.TextFiles.of(tmp_path), tmp_path / "out"
    if was_there:
        engine.to_opensearch(texts, out)
    export = {"opensearch": engine.to_opensearch, "tantivy": engine.to_tantivy}[kind]
    with (
        full(),
        pytest.raises((OSError, DataError), match=r"make room there.*run again\)") as error,
    ):
        export(texts, out)
    assert str(out) in str(error.value)
    assert not list(tmp_path.glob(".*.part"))


def test_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_text(self: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(OSError, match=rf"{ADVICE}: .*\.run\.json\.lock"):
        storage.lock(tmp_path / "run.json").__enter__()
    assert list(tmp_path.iterdir()) == []


def test_errors_of_what_is_read_meanwhile_keep_their_names(tmp_path: Path) -> None:
    def read(missing: Path) -> Iterator[tuple[str, str]]:
        yield "a", "Cells rest."
        yield "b", missing.read_text()

    file = tmp_path / "some.txt"
    with pytest.raises(FileNotFoundError, match=r"source\.xml"):
        write(read(tmp_path / "source.xml"), (frozenset(), ()), file)
    with pytest.raises(MissingDataError, match=r"^fetch it$"), storage.replacing(file):
        raise MissingDataError("fetch it")
    with pytest.raises(IsADirectoryError) as error:
        storage.write_atomically(tmp_path, "x")
    assert (error.value.filename, error.value.filename2) == (str(tmp_path), None)
    with pytest.raises(NotADirectoryError, match=r"note\.txt/x"):
        (tmp_path / "note.txt").write_text("")
        storage.write_atomically(tmp_path / "note.txt" / "x", "")
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for letter in ("x", "é", "字", "𝔸"):
        name = letter * (255 // len(letter.encode()))
        storage.write_atomically(tmp_path / name, "whole")
        assert (tmp_path / name).read_text() == "whole"


COMMANDS = """
import shlex
from citectx.cli import main
for command in (
    "contexts article.md --cites Cells --html disk/page.html",
    "recommend index texts --unlabelled --out disk/index",
    "view D9001_TEACH --no-tuning --no-open --out disk/view.html",
    "run --only 01 --out disk/results",
):
    print(main(shlex.split(command)), flush=True)
"""


@pytest.mark.slow
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """In a name space of its own, where anybody may mount a small disk."""
    for name in ("disk", "texts"):
        (tmp_path / name).mkdir()
    (tmp_path / "article.md").write_text("# On rest\n\nCells rest.\n\nIn light they divide.\n")
    (tmp_path / "texts" / "a.txt").write_text(" ".join(WORDS))
    mounted = 'mount -t tmpfs -o size=16k disk disk && "$0" -c "$1"; find disk -type f'
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", mounted, sys.executable, COMMANDS],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("needs unshare")
    if not done.stdout:
        pytest.skip(f"needs a disk of its own: {done.stderr}")
    full, place = "No space left on device (make room there, and run again): ", f"{tmp_path}/disk"
    assert f"citectx: {full}disk/page.html" in done.stderr
    assert f"{full}'{place}/index/00000000-00000001.npz'; mend it" in done.stderr
    assert f"citectx: {full}disk/view.html" in done.stderr
    own = f"{place}/results/teaching/"
    table = rf"'{own}\.01_tac_table1\S+\.part/sigir2017_table1"
    assert re.search(rf"OSError: \[Errno 28\] {re.escape(full)}{table}", done.stderr)
    assert re.search(rf"executed so far: not kept.*'{own}01_tac\S+\.failed\.ipynb'", done.stderr)
    codes = [line for line in done.stdout.splitlines() if line in ("0", "1")]
    assert codes == ["1"] * 4
    assert done.stdout.splitlines()[-1] == "disk/index/.citectx"
    assert done.stdout.count("\ndisk/") == 1
