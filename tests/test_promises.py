"""What SECURITY.md lets users rely on: readers, their files, and writing whole or not at all."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx import cli
from citectx.corpora import csv_corpus, tac
from citectx.errors import CitectxError
from citectx.paths import DATA, ROOT
from citectx.storage import write_atomically

CORPORA = {
    tac.read: DATA / "teaching",
    csv_corpus.read: ROOT / "tests" / "samples" / "csv",
}
PAPER = ROOT / "docs" / "your-paper"
ARTICLE = ["article.xml", "--citing", "citing-review.xml"]


@pytest.mark.parametrize("reader", CORPORA, ids=lambda reader: reader.__module__)
@given(data=st.data())
def test_a_damaged_corpus_is_read_or_an_error_that_names_what_is_wrong(
    reader: object, data: st.DataObject
) -> None:
    assert callable(reader)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        shutil.copytree(CORPORA[reader], corpus)
        files = sorted(path for path in corpus.rglob("*") if path.suffix in (".txt", ".csv"))
        file = data.draw(st.sampled_from(files))
        text = file.read_bytes()
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 200, len(text))))
        file.write_bytes(text[:start] + data.draw(st.binary(max_size=20)) + text[end:])
        try:
            reader(corpus)
        except CitectxError as error:
            assert str(error)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an article and who cites it."""
    for path in PAPER.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("option", [[], ["--impact"]])
def test_no_input_is_overwritten_whatever_force_says(
    option: list[str], desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(desk)
    for name in ("article.xml", f"{desk}/citing-review.xml", "citances.csv"):
        words = [
            "contexts",
            *ARTICLE,
            *option,
            "--citances",
            "citances.csv",
            "--html",
            name,
            "--force",
        ]
        assert cli.main(words) == 1
        assert Path(name).name in capsys.readouterr().err
        assert contents(desk) == before


@pytest.mark.parametrize("option", [[], ["--impact"]])
def test_another_file_is_overwritten_only_if_that_is_asked(option: list[str], desk: Path) -> None:
    page = desk / "page.html"
    page.write_text("mine")
    assert cli.main(["contexts", *ARTICLE, *option, "--html", "page.html"]) == 1
    assert page.read_text() == "mine"
    assert cli.main(["contexts", *ARTICLE, *option, "--html", "page.html", "--force"]) == 0
    assert page.read_text() != "mine"


@pytest.mark.parametrize("old", [None, b"old"])
def test_after_a_failing_write_a_file_is_as_it_was(
    old: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.csv"
    if old is not None:
        file.write_bytes(old)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        patch.setattr(Path, "replace", full)
        with pytest.raises((OSError, CitectxError)):
            write_atomically(file, b"new")
    assert contents(tmp_path) == ({} if old is None else {file: old})
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
