import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citectx.apps.contexts.anybody import citances_file, contexts, impact
from citectx.cli import main
from citectx.corpora.articles import article_of
from citectx.errors import CitectxWarning, DataError
from citectx.paths import ROOT

EXAMPLES = ROOT / "docs" / "your-paper"
ARTICLE, REVIEW, LAKES = (
    EXAMPLES / n for n in ("article.xml", "citing-review.xml", "citing-lakes.tei.xml")
)
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m"


def test_contexts_of_given_and_of_found_sentences() -> None:
    given = "Cold is thought to kill weak eggs rather than to delay strong ones [7]."
    found = contexts(ARTICLE, [given], citing=[REVIEW, LAKES], k=2)
    frame = found.frame()
    expected = ["1", *(f"citing-review:{i}" for i in (3, 4, 5)), "citing-lakes:2", "citing-lakes:4"]
    assert list(frame["citance"].unique()) == expected
    assert frame.groupby("citance").size().eq(2).all()
    text = found.topic.reference.text
    rows = frame.to_dict("records")
    assert [text[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    best = frame[frame["rank"] == 1].set_index("citance")["text"]
    assert "cold kills weak eggs" in best["1"]
    assert "nine days" in best["citing-review:3"]
    assert json.loads(found.to_json())["found"][0]["how"] == "doi"


def test_one_citing_article_needs_no_list() -> None:
    alone = contexts(ARTICLE, citing=str(REVIEW))
    assert alone.to_json() == contexts(ARTICLE, citing=[REVIEW]).to_json()
    assert repr(alone) == f"Contexts('article', {len(alone.topic.citances)} citances, k=3, LTR)"


def test_impact_names_the_citances_that_chose_each_sentence() -> None:
    summary = impact(ARTICLE, citing=[REVIEW, LAKES], sentences=3)
    frame = summary.frame()
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["score"].is_monotonic_decreasing
    chosen = summary.contexts.frame()
    for row in frame.itertuples():
        assert row.chosen_by == chosen[chosen["start"] == row.start]["citance"].tolist()
    assert any(frame["chosen_by"].map(len))


def test_few_citing_sentences_are_noted_and_how_much_of_a_summary_they_chose() -> None:
    citing = contexts(ARTICLE, citing=[REVIEW]).topic.citances[0].text
    one = impact(ARTICLE, citing, sentences=5, k=1)
    assert one.notes[-2].startswith("few citing sentences (1;")
    unchosen = sum(not voters for voters in one.votes.values())
    assert one.notes[-1].startswith(f"{unchosen} of the 5 sentences of the summary")
    assert json.loads(one.to_json())["notes"] == list(one.notes)
    many = impact(ARTICLE, [citing] * 10, sentences=1, k=5)
    assert [*many.votes.values()] != [[]]
    assert many.notes == many.contexts.notes


def test_articles_that_do_not_cite_take_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(12):
        other = f"<article><body><p>Fish {i} swim.</p></body></article>"
        (tmp_path / f"other-{i:02}.xml").write_text(other)
    citing = [str(REVIEW), *map(str, sorted(tmp_path.iterdir()))]
    assert main(["contexts", str(ARTICLE), "--citing", *citing]) == 0
    told = capsys.readouterr().err
    assert "in 1 of 13 citing articles" in told
    assert told.count("no reference list") == 1
    assert "12 articles: has no reference list" in told
    assert "(other-00, other-01, other-02, and 9 more)" in told


def test_an_impact_summary_longer_than_the_article_is_all_of_it() -> None:
    summary = impact(
        article_of("Cells rest in the dark. They divide in the light."), "Cells rest.", sentences=9
    )
    assert len(summary.frame()) == 2


@pytest.mark.parametrize(
    ("text", "citances", "message"),
    [
        ("Cells rest in the dark.", [], "no citing sentence"),
        ("Cells rest in the dark.", ["", "  "], "no text: 1, 2"),
        ("...", ["Cells rest."], "nothing to index"),
    ],
)
def test_nothing_to_work_with_is_said(text: str, citances: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        contexts(article_of(text), citances)


def test_a_citing_file_that_is_no_article_is_noted_and_the_others_count(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<html/>")
    found = contexts(ARTICLE, citing=[tmp_path / "bad.xml", tmp_path / "none.xml", REVIEW, REVIEW])
    assert [bool(c.note) for c in found.cited] == [True, True, False, False]
    assert {c.citing_id for c in found.topic.citances} == {"citing-review", "citing-review-2"}
    with pytest.raises(DataError, match="expected one <article>"):
        contexts(ARTICLE, citing=[tmp_path / "bad.xml"])


def test_an_article_without_title_cannot_be_looked_for() -> None:
    with pytest.raises(DataError, match="neither its title nor its DOI"):
        contexts(
            article_of("Cells rest in the dark, as is known. They divide in the light."),
            citing=[REVIEW],
        )


def test_the_page_of_a_summary_has_its_citances_as_annotators() -> None:
    summary = impact(ARTICLE, citing=[REVIEW, LAKES], sentences=3)
    [data] = re.findall('id="data">(.*?)</script>', summary.to_html())
    first, *others = json.loads(data)["citances"]
    assert len(others) == 5
    names = [a["name"] for a in json.loads(data)["annotators"]]
    chose = {(names[who], start) for who, spans in first["gold"] for start, _ in spans}
    frame = summary.frame()
    rows = frame.to_dict("records")
    assert chose == {(name, row["start"]) for row in rows for name in row["chosen_by"]}
    assert sorted(start for start, _ in first["found"][1]) == sorted(frame["start"])


def test_a_citance_without_a_word_of_the_article_is_noted() -> None:
    found = contexts(ARTICLE, ["Xylophones!", "Dim light."])
    assert [note for note in found.notes if note.endswith(": 1")]


def test_another_language_warns() -> None:
    german = (
        "Die Zellen der Maus ruhen bei Tag. Bei Nacht teilen sie sich, wie man seit langem weiß."
    )
    with pytest.warns(CitectxWarning, match="English"):
        found = contexts(article_of(german), "Zellen ruhen.")
    assert found.notes


def test_thousands_of_sentences_without_any_structure() -> None:
    text = " ".join(
        f"Sample {i} of the batch rested in dish {i % 97} for days." for i in range(4_000)
    )
    found = contexts(article_of(text), ["Dish and batch rested."], k=1)
    assert len(found.sentences) == 4_000


@pytest.mark.parametrize("kind", ["contexts", "impact"])
def test_nothing_of_a_file_is_shown_as_markup(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    article = tmp_path / "a.md"
    article.write_text(
        f"# {EVIL}\n\n## Results {EVIL}\n\nCells rest in the dark {EVIL}.\n\nThey divide.\n",
        "utf-8",
    )
    page = tmp_path / "page.html"
    assert main([kind, str(article), "--cites", f"Cells rest {EVIL}", "--html", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "<img" not in html
    assert len(re.findall("<script", html)) == 2  # the page's own
    assert "\x1b" not in capsys.readouterr().out
    assert main([kind, str(article), "--cites", "Cells rest.", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["article"] == "a"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no citing sentence"),
        (["--cites", "x", "-k", "0"], "at least 1"),
        (["--citing", str(EXAMPLES / "unrelated.xml")], "does not cite"),
        (["--citances", "nowhere.csv"], "nowhere.csv"),
        (["--cites", "x", "--html", "no/such/folder/x.html"], "no/such/folder"),
    ],
)
def test_wrong_use_has_a_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["contexts", str(ARTICLE), *arguments]) == 1
    assert message in capsys.readouterr().err


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an article, what cites it, and a page that is no business of ours."""
    monkeypatch.chdir(tmp_path)
    for source, name in ((ARTICLE, "article.xml"), (REVIEW, "review.xml"), (LAKES, "lakes.xml")):
        shutil.copyfile(source, name)
    Path("citances.csv").write_text("citance\nDim light makes eggs hatch.\n")
    Path("notes.html").write_text("years of work")
    return tmp_path


@pytest.mark.parametrize("kind", ["contexts", "impact"])
@pytest.mark.parametrize("name", ["article.xml", "review.xml", "lakes.xml", "./citances.csv"])
def test_a_page_never_replaces_what_is_read(
    own: Path,
    kind: str,
    name: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "citectx.apps.contexts.anybody.contexts", None
    )  # it is said before anything is computed
    before = {path: path.read_bytes() for path in own.iterdir()}
    reads = ["article.xml", "--citing", "review.xml", "lakes.xml", "--citances", "citances.csv"]
    assert main([kind, *reads, "--html", name, "--force"]) == 1
    assert f"{Path(name)} would replace what is read from {Path(name)}" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in own.iterdir()} == before


def test_a_page_replaces_another_file_only_by_force(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "contexts",
        "article.xml",
        "--cites",
        "Dim light makes eggs hatch.",
        "--html",
        "notes.html",
    ]
    assert main(command) == 1
    assert (
        "notes.html is there already: name another file, or replace it with --force"
        in capsys.readouterr().err
    )
    assert (own / "notes.html").read_text() == "years of work"
    assert main([*command, "--force"]) == 0
    page = (own / "notes.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert main(command) == 1  # a page of ours is somebody's file, too
    assert (own / "notes.html").read_text("utf-8") == page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("citance\na\n\nb\n", ["a", "b"]),
        ('id,citance\n1,"a, b"\n', ["a, b"]),
        ("\ufeffcitance,id\na,1\n", ["a"]),
        ("", None),
        ("id,words\n1,a\n", None),
        ('citance\n"a\n', None),
    ],
)
def test_files_of_citances(text: str, expected: list[str] | None, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(text, "utf-8")
    if expected is not None:
        assert citances_file(path) == expected
    else:
        with pytest.raises(DataError, match=r"c\.csv"):
            citances_file(path)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_no_sklearn_no_gensim_no_matplotlib_and_little_memory() -> None:
    code = (
        "import sys; from pathlib import Path; from citectx.cli import main;"
        f"main(['contexts', {str(ARTICLE)!r}, '--citing', {str(REVIEW)!r}]);"
        "print([m for m in ('sklearn', 'scipy.stats', 'gensim', 'matplotlib') if m in sys.modules],"
        " *[w for w in Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[:1]])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    heavy, memory = re.fullmatch(r"(\[.*\]) (\d+)", out.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert heavy == "[]"
    assert (
        int(memory) < 500_000
    )  # kB, of this program alone: getrusage would count what the test runner held


HOSTILE = {
    "one word": "a",
    "capitals": "A",
    "dots": ".",
    "brackets": "(",
    "one line": "cells rest in the dark ",
    "numbers": "1,",
    "names": "Doe, ",
}


@pytest.mark.parametrize("size", [20_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_or_refused(
    text: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    article = tmp_path / "a.txt"
    article.write_text((text * size)[:size])
    code = main(["contexts", str(article), "--cites", "Cells rest in the dark (Doe, 2001)."])
    out, err = capsys.readouterr()
    assert len(out) + len(err) < 50_000
    assert "Cells rest" in out if code == 0 else err.startswith("citectx: a: ")
