"""What SECURITY.md lets users rely on: damaged input is named, and no input is overwritten."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora import csv_corpus, tac
from citectx.errors import CitectxError
from citectx.paths import DATA, ROOT
from tests.conftest import Ask

CORPORA = {tac.read: DATA / "teaching", csv_corpus.read: ROOT / "tests" / "samples" / "csv"}
PAPER = ROOT / "docs" / "your-paper"
ARTICLE = ["article.xml", "--citing", "citing-review.xml"]


@pytest.mark.parametrize("reader", CORPORA, ids=lambda reader: reader.__module__)
@given(data=st.data())
def test_a_damaged_corpus_is_read_or_an_error_that_names_what_is_wrong(
    reader: object, data: st.DataObject
) -> None:
    assert callable(reader) and reader(CORPORA[reader])
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
    option: list[str], desk: Path, ask: Ask
) -> None:
    (desk / "link.html").symlink_to(desk / "article.xml")
    before = contents(desk)
    for name in ("article.xml", "link.html", f"{desk}/citing-review.xml"):
        told = ask("contexts", *ARTICLE, *option, "--html", name, "--force")
        assert told.code == 1 and Path(name).name in told.err
        assert contents(desk) == before
