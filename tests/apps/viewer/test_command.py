"""citectx view: where the page goes, and what is wrong with a question."""

import shutil
import subprocess
import webbrowser
from pathlib import Path

import pytest

from citectx import cli, paths
from citectx.apps.viewer.command import MARK, cmd_view, file_name, find
from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.paths import ROOT

QUICKLY = ["--methods", "VSM", "LMD", "--no-tuning"]


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What would have been opened in a browser; results go to a folder of the test's own."""
    seen: list[str] = []

    def opens(url: str) -> bool:
        seen.append(url)
        return True

    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(webbrowser, "open", opens)
    return seen


def test_page_goes_to_the_profiles_views_and_is_opened(
    opened: list[str], tmp_path: Path, teaching: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["view", "D9002_TEACH", *QUICKLY]) == 0
    path = tmp_path / "results" / "teaching" / "views" / "D9002_TEACH.html"
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert opened == [path.as_uri()]
    assert (
        capsys.readouterr().out
        == f"{path}: {len(teaching['D9002_TEACH'].citances)} citances, 2 methods\n"
    )
    assert not list(tmp_path.rglob("*.part"))


def test_without_a_checkout_the_page_goes_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITECTX_RESULTS")
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["view", "D9002_TEACH", *QUICKLY]) == 0
    assert (tmp_path / "results" / "teaching" / "views" / "D9002_TEACH.html").is_file()


def test_out_and_no_open(opened: list[str], tmp_path: Path) -> None:
    out = tmp_path / "my view.html"
    assert (
        cli.main(
            ["view", "D9001_TEACH", *QUICKLY, "--out", str(out), "--no-open", "--citance", "3"]
        )
        == 0
    )
    assert '"start":2' in out.read_text("utf-8")
    assert opened == []


def test_a_file_that_was_named_is_replaced_only_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    command = ["view", "D9001_TEACH", *QUICKLY, "--no-open", "--out", str(out)]
    for mine in ("<html>my own page</html>", MARK.decode()):
        out.write_text(mine)
        assert cli.main(command) == 1
        assert f"{out} is there already" in capsys.readouterr().err
        assert out.read_text() == mine
    assert cli.main([*command, "--force"]) == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_a_page_in_the_results_is_replaced_but_nothing_else_there(tmp_path: Path) -> None:
    command = ["view", "D9001_TEACH", *QUICKLY, "--no-open"]
    assert cli.main(command) == cli.main(command) == 0
    [path] = (tmp_path / "results").rglob("*.html")
    path.write_text("<html>my own page</html>")
    assert cli.main(command) == 1
    assert path.read_text() == "<html>my own page</html>"
    assert cli.main([*command, "--force"]) == 0


def test_data_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(ROOT / "tests" / "samples" / "csv", corpus)
    monkeypatch.setenv("CITECTX_CORPUS", str(corpus))
    for file in (min(p for p in corpus.rglob("*") if p.is_file()), ROOT / "data" / "README.md"):
        before = file.read_bytes()
        assert (
            cli.main(["view", "x", "--profile", "own", "--out", str(file), "--force", "--no-open"])
            == 1
        )
        assert f"{file} would replace what is read from" in capsys.readouterr().err
        assert file.read_bytes() == before
    (corpus / "page.html").write_bytes(MARK)  # a page among the data is no data
    assert (
        cli.main(
            [
                "view",
                "x",
                "--profile",
                "own",
                "--out",
                str(corpus / "page.html"),
                "--force",
                "--no-open",
            ]
        )
        == 1
    )
    assert "unknown topic" in capsys.readouterr().err


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
        (
            ["D9001_TEACH", "--citance", "99"],
            "unknown citance of D9001_TEACH '99'; known: '1', '2'",
        ),
        (["D9001_TEACH", "--out", "."], ". is a folder: name the file"),
        (["D9001_TEACH", "--out", "no/such.html"], "there is no folder no: make it first"),
        (["D1401_TRAIN", "--profile", "tac2014"], "CITECTX_TAC2014"),
    ],
)
def test_bad_questions(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CITECTX_TAC2014", raising=False)
    assert cli.main(["view", *arguments, "--no-open"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_without_a_browser_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert cli.main(["view", "D9001_TEACH", *QUICKLY]) == 0
    assert "no browser was found here: open the file in one" in capsys.readouterr().out


def test_first_corpus_that_has_the_topic() -> None:
    assert find("D9003_TEACH", ["teaching"]).name == "teaching"
    with pytest.raises(ParameterError, match="unknown topic of teaching"):
        find("", ["teaching"])
    assert file_name("a/b:c") == "a_b_c"
