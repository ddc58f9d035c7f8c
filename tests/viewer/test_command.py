"""citectx view: where the page goes, and what is wrong with a question."""

import subprocess
import webbrowser
from pathlib import Path

import pytest

from citectx import cli
from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.paths import ROOT
from citectx.viewer.command import cmd_view, file_name, find

QUICKLY = ["--methods", "VSM", "LMD", "--no-tuning"]


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What would have been opened in a browser; results go to a folder of the test's own."""
    seen: list[str] = []
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(webbrowser, "open", lambda url: bool(seen.append(url)) or True)
    return seen


def test_page_goes_to_the_profiles_views_and_is_opened(
    opened: list[str], tmp_path: Path, teaching: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["view", "D9002_TEACH", *QUICKLY]) == 0
    path = tmp_path / "results" / "teaching" / "views" / "D9002_TEACH.html"
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert opened == [path.as_uri()]
    assert capsys.readouterr().out == f"{path}: {len(teaching['D9002_TEACH'].citances)} citances, 2 methods\n"
    assert not list(tmp_path.rglob("*.part"))


def test_out_and_no_open(opened: list[str], tmp_path: Path) -> None:
    out = tmp_path / "my view.html"
    assert cli.main(["view", "D9001_TEACH", *QUICKLY, "--out", str(out), "--no-open", "--citance", "3"]) == 0
    assert '"start":2' in out.read_text("utf-8")
    assert opened == []
    assert cli.main(["view", "D9001_TEACH", *QUICKLY, "--out", str(out), "--no-open"]) == 0  # ours: replaced
    out.write_text("<html>my own page</html>")
    assert cli.main(["view", "D9001_TEACH", *QUICKLY, "--out", str(out), "--no-open"]) == 1
    assert out.read_text() == "<html>my own page</html>"


def test_same_question_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        cmd_view("D9001_TEACH", methods=["BM25", "WE_Bio"], out=tmp_path / name, opened=False)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_git_ignores_views() -> None:
    command = ["git", "check-ignore", "results/open/views/PMC1.html", "results/my own/views/x.html"]
    ignored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ignored.returncode == 128:
        pytest.skip("not a git checkout")
    assert len(ignored.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["D9"], "unknown topic of teaching 'D9'; known: 'D9001_TEACH', 'D9002_TEACH'"),
        (["D9001_TEACH", "--corpus", "x"], "unknown corpus 'x'; known: 'citation-integrity'"),
        (["D9001_TEACH", "--methods", "X"], "unknown method 'X'; known: 'BM25'"),
        (["D9001_TEACH", "--citance", "99"], "unknown citance of D9001_TEACH '99'; known: '1', '2'"),
        (["D9001_TEACH", "--out", "."], ". is a folder: name the file, such as view.html"),
        (["D9001_TEACH", "--out", "no/such.html"], "there is no folder no: make it first"),
        (["D1401_TRAIN", "--profile", "tac2014"], "CITECTX_TAC2014"),
    ],
)
def test_bad_questions(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITECTX_TAC2014", raising=False)
    assert cli.main(["view", *arguments, "--no-open"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_without_a_browser_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert cli.main(["view", "D9001_TEACH", *QUICKLY]) == 0
    assert "no browser was found here: open the file in one" in capsys.readouterr().out


def test_first_corpus_that_has_the_topic() -> None:
    assert find("D9003_TEACH", ["teaching"]).name == "teaching"
    with pytest.raises(ParameterError, match="unknown topic of teaching"):
        find("", ["teaching"])
    assert file_name("a/b:c") == "a_b_c"
