"""`citectx contexts --jsonl`: the same bytes on any number of cores and after any kill."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citectx.apps.contexts import bulk
from citectx.apps.contexts.anybody import contexts
from citectx.apps.contexts.bulk import Folder, in_bulk
from citectx.cli import main
from citectx.corpora import sources
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.paths import ROOT
from citectx.storage import LockedError, lock

EXAMPLES = ROOT / "docs" / "your-paper"
SENTENCE = "Cold is thought to kill weak eggs rather than to delay strong ones [7]."


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    shutil.copytree(EXAMPLES, folder)
    (folder / "more").mkdir()
    (folder / "more" / "note.md").write_text("# On rest\n\nCells rest in the dark.\n", "utf-8")
    (folder / "damaged.xml").write_text("<article><body>", "utf-8")
    return folder


def written(out: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return {line["file"]: line for line in lines}


def run(out: Path, *words: object, code: int = 1) -> str:
    """Run the command; the folder has one damaged article, hence code 1."""
    assert main(["contexts", "--jsonl", *map(str, (out, *words))]) == code
    return out.read_text("utf-8") if out.exists() else ""


def test_articles_of_a_folder_that_cite_each_other(articles: Path, tmp_path: Path) -> None:
    run(tmp_path / "out.jsonl", articles, "-k", 2)
    lines = written(tmp_path / "out.jsonl")
    names = ["article.xml", "citing-lakes.tei.xml", "citing-review.xml", "damaged.xml"]
    assert [*lines] == [*names, "more/note.md", "unrelated.xml"]
    cited = lines["article.xml"]
    assert [(one["citing"], one["how"]) for one in cited["cited_by"]] == [
        ("citing-lakes", "title"),
        ("citing-review", "doi"),
    ]
    citing = [articles / "citing-lakes.tei.xml", articles / "citing-review.xml"]
    frame = contexts(articles / "article.xml", citing=citing, k=2).frame()
    passages = [
        {"citance": one["citance"], "citing": one["citing"], **passage}
        for one in cited["citances"]
        for passage in one["passages"]
    ]
    assert passages == frame.to_dict("records")
    assert [one["marker"] for one in cited["citances"]][:1] == ["(Maddern et al., 2016)"]
    assert "damaged.xml" in lines["damaged.xml"]["error"]
    for name in ("more/note.md", "unrelated.xml"):
        assert (lines[name]["error"], lines[name]["citances"]) == ("", [])
        assert lines[name]["notes"] == ["no citing sentence is given or found"]


def test_two_processes_write_the_same_bytes(articles: Path, tmp_path: Path) -> None:
    one = run(tmp_path / "one.jsonl", articles, "--cites", SENTENCE)
    assert run(tmp_path / "two.jsonl", articles, "--cites", SENTENCE, "--jobs", 2) == one


def test_wherever_it_was_torn_it_goes_on(
    articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.jsonl"
    whole = run(out, articles).encode()
    line_of, computed = bulk.line_of, list[str]()

    def counted(job: bulk.Job) -> str:
        computed.append(job.path.name)
        return line_of(job)

    monkeypatch.setattr(bulk, "line_of", counted)
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for end in (0, 1, 20, ends[0] - 1, ends[0], ends[0] + 150, ends[3], ends[-1] - 1, ends[-1]):
        out.write_bytes(whole[:end])
        computed.clear()
        assert run(out, articles).encode() == whole
        assert len(computed) == len(ends) - whole[:end].count(b"\n")


def test_a_run_that_is_interrupted_keeps_its_lines(
    articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.jsonl"
    whole = run(out, articles)
    line_of = bulk.line_of

    def interrupted(job: bulk.Job) -> str:
        if job.path.name == "damaged.xml":
            raise KeyboardInterrupt
        return line_of(job)

    with monkeypatch.context() as patch:
        patch.setattr(bulk, "line_of", interrupted)
        out.unlink()
        assert main(["contexts", "--jsonl", str(out), str(articles)]) == 130
    assert out.read_text("utf-8") == "".join(whole.splitlines(keepends=True)[:3])
    assert run(out, articles) == whole


Change = Callable[[Path, Path], list[object]]


def _other_content(articles: Path, out: Path) -> list[object]:
    (articles / "more" / "note.md").write_text("# On rest\n\nFish rest.\n", "utf-8")
    return []


def _another_article(articles: Path, out: Path) -> list[object]:
    (articles / "new.txt").write_text("Fish rest.", "utf-8")
    return []


def _another_line(articles: Path, out: Path) -> list[object]:
    lines = out.read_text("utf-8").splitlines(keepends=True)
    out.write_text("".join([lines[1], lines[0], *lines[2:]]), "utf-8")
    return []


def _another_version(articles: Path, out: Path) -> list[object]:
    out.write_text(out.read_text("utf-8").replace('"citectx": "', '"citectx": "0'), "utf-8")
    return []


def _notes(text: str) -> Change:
    def change(articles: Path, out: Path) -> list[object]:
        out.write_text(text, "utf-8")
        return []

    return change


CHANGES: dict[str, tuple[Change, str]] = {
    "content": (_other_content, "its line 1 was made of other articles or other citing sentences"),
    "article": (
        _another_article,
        "its line 1 was made of other articles or other citing sentences",
    ),
    "sentence": (lambda *_: ["--cites", SENTENCE], "other citing sentences"),
    "k": (lambda *_: ["-k", 2], r"another number of passages \(-k\)"),
    "version": (_another_version, "by another version of citectx"),
    "order": (_another_line, "its line 1 is not the line that this run writes there"),
    "notes": (_notes("my notes\n"), "its line 1 was not written by citectx contexts --jsonl"),
    "no break": (_notes("my notes"), "was not written by"),
    "json": (_notes('{"id": 1}'), "was not written by"),
    "deep": (_notes("[" * 100_000), "was not written by"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_is_not_its_own_is_left_alone(
    kind: str, articles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, reason = CHANGES[kind]
    out = tmp_path / "out.jsonl"
    run(out, articles)
    words = change(articles, out)
    before = out.read_bytes()
    capsys.readouterr()
    run(out, articles, *words)
    told = capsys.readouterr().err
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(told)
    assert str(out) in told
    assert "--force" in told
    assert out.read_bytes() == before
    anew = run(out, articles, *words, "--force")
    assert len(written(out)) >= 6
    assert run(tmp_path / "fresh.jsonl", articles, *words) == anew


def test_lines_behind_the_last_article_are_not_ours(articles: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    whole = run(out, articles)
    out.write_text(whole + whole.splitlines(keepends=True)[0], "utf-8")
    assert run(out, articles) == whole + whole.splitlines(keepends=True)[0]
    out.write_text(whole + "{", "utf-8")
    assert run(out, articles) == whole + "{"


def test_no_input_is_replaced_even_with_force(articles: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    os.link(articles / "article.xml", out)
    before = out.read_bytes()
    assert main(["contexts", "--jsonl", str(out), str(articles), "--force"]) == 1
    assert out.read_bytes() == before
    citances = tmp_path / "citances.jsonl"
    citances.write_text(f'citance\n"{SENTENCE}"\n', "utf-8")
    words = ["--jsonl", citances, articles, "--citances", citances, "--force"]
    assert main(["contexts", *map(str, words)]) == 1
    assert SENTENCE in citances.read_text("utf-8")


def test_the_output_may_lie_among_the_articles(articles: Path) -> None:
    whole = run(articles / "out.jsonl", articles)
    assert run(articles / "out.jsonl", articles) == whole


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--jsonl", "out.txt", "articles"], "must end in .jsonl"),
        (["--jsonl", "out.jsonl", "articles/article.xml"], "is no folder"),
        (["--jsonl", "out.jsonl", "articles/empty"], "holds no article"),
        (["--jsonl", "out.jsonl", "articles", "--html", "a.html"], "--html is for one article"),
        (["--jsonl", "out.jsonl", "articles", "--doi", "10.1234/a"], "--doi is for one article"),
        (["--jsonl", "out.jsonl", "articles", "--json"], "--json is for one article"),
        (["--jsonl", "out.jsonl", "articles", "--jobs", "0"], "jobs must be at least 1"),
        (["--jsonl", "out.jsonl", "articles", "-k", "0"], "k must be at least 1"),
        (["--jsonl", "nowhere/out.jsonl", "articles"], "there is no folder"),
        (["articles/article.xml", "--jobs", "2", "--cites", "Rest."], "--jobs is for a folder"),
    ],
)
def test_mistakes_are_named(
    words: list[str],
    reason: str,
    articles: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(articles.parent)
    (articles / "empty").mkdir()
    before = sorted(articles.parent.rglob("*"))
    assert main(["contexts", *words]) == 1
    assert reason in capsys.readouterr().err
    assert sorted(articles.parent.rglob("*")) == before


def test_an_empty_name_is_refused(articles: Path) -> None:
    with pytest.raises(SystemExit):
        main(["contexts", str(articles), "--jsonl", ""])


def test_sentences_for_single_articles(articles: Path, tmp_path: Path) -> None:
    table = tmp_path / "citances.csv"
    table.write_text(f'article,citance\narticle,"{SENTENCE}"\n,Cells rest.\n', "utf-8")
    run(tmp_path / "out.jsonl", articles, "--citances", table)
    lines = written(tmp_path / "out.jsonl")
    assert [one["text"] for one in lines["article.xml"]["citances"]] == ["Cells rest.", SENTENCE]
    assert [one["text"] for one in lines["more/note.md"]["citances"]] == ["Cells rest."]
    table.write_text("article,citance\nnobody,Cells rest.\n", "utf-8")
    with pytest.raises(DataError, match=r"citances\.csv: .*no article 'nobody'"):
        Folder.of(articles, [], table, [])


def test_citing_articles_from_elsewhere(
    articles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    citing = tmp_path / "citing"
    citing.mkdir()
    for name in ("citing-review.xml", "damaged.xml"):
        (articles / name).rename(citing / name)
    shutil.copy(articles / "more" / "note.md", citing)  # text, too, may cite
    run(tmp_path / "out.jsonl", articles, "--citing", citing, code=0)
    cited = written(tmp_path / "out.jsonl")["article.xml"]["cited_by"]
    assert [one["citing"] for one in cited] == ["citing-review"]  # and not lakes
    told = capsys.readouterr().err
    assert told.count("not searched: ") == told.count("not searched: damaged: ") == 1


def test_articles_that_change_meanwhile_are_an_error(
    articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line_of = bulk.line_of

    def changing(job: bulk.Job) -> str:
        (articles / "more" / "note.md").write_text("Fish swim.", "utf-8")
        return line_of(job)

    monkeypatch.setattr(bulk, "line_of", changing)
    with pytest.raises(DataError, match="changed while they were read"):
        in_bulk(Folder.of(articles, [SENTENCE], None, []), tmp_path / "out.jsonl")


def test_a_second_run_on_the_same_file_is_refused(articles: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with lock(out), pytest.raises(LockedError):
        in_bulk(Folder.of(articles, [SENTENCE], None, []), out)
    assert not out.exists()


def test_a_missing_library_ends_the_run(
    articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be installed, and the run goes on; an error in the line would stay there."""

    def missing(path: Path) -> None:
        raise MissingDataError("PDF needs the library pypdf")

    monkeypatch.setattr(bulk, "read_article", missing)
    table = tmp_path / "citances.csv"
    table.write_text(f'article,citance\narticle,"{SENTENCE}"\n', "utf-8")
    with pytest.raises(MissingDataError):
        in_bulk(Folder.of(articles, [], table, []), tmp_path / "out.jsonl")
    assert [*written(tmp_path / "out.jsonl")] == ["article.xml"]


def test_a_folder_is_asked_for_with_the_right_name() -> None:
    with pytest.raises(ParameterError, match="is no folder"):
        Folder.of(EXAMPLES / "article.xml", [], None, [])


@pytest.mark.slow
def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    articles = tmp_path / "articles"
    for i in range(40):
        shutil.copytree(EXAMPLES, articles / f"{i:02}")
    out = tmp_path / "out.jsonl"
    words = [str(articles), "--cites", SENTENCE, "--jobs", "2"]
    whole = run(tmp_path / "whole.jsonl", *words, code=0)
    command = [sys.executable, "-m", "citectx.cli", "contexts", "--jsonl", str(out), *words]
    for seconds in (3, 4, 5):
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        process.wait()
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert out.read_text("utf-8") == whole


@pytest.mark.slow
@pytest.mark.open_data
def test_articles_of_plos_that_cite_each_other(tmp_path: Path) -> None:
    folder = sources.folder("plos-jats") / "allofplos" / "starter_corpus"
    run(tmp_path / "out.jsonl", folder, code=0)
    lines = written(tmp_path / "out.jsonl").values()
    pairs = {(one["citing"][8:], line["article"][8:]) for line in lines for one in line["cited_by"]}
    assert pairs == {
        ("pone.0087236", "pbio.0040088"),
        ("pcbi.1002484", "pcbi.1001051"),
        ("pone.0016976", "pmed.1000097"),
        ("pone.0153152", "pmed.1000097"),
        ("pone.0008519", "ppat.0020025"),
    }
