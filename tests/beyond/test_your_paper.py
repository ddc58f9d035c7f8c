"""Contexts and impact of anybody's paper, and the command."""

import shutil
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from citectx.beyond.reading.articles import read_article
from citectx.beyond.your_paper import contexts, impact
from citectx.cli import main
from citectx.errors import MissingDataError
from citectx.paths import ROOT

EXAMPLES = ROOT / "docs" / "your-paper"
ARTICLE, REVIEW, LAKES, UNRELATED = (
    EXAMPLES / f"{name}.xml"
    for name in ("article", "citing-review", "citing-lakes.tei", "unrelated")
)
GIVEN = "Cold is thought to kill weak eggs rather than to delay strong ones [7]."
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def notes(table: pd.DataFrame) -> str:
    return "\n".join(table.attrs["notes"])


def test_contexts_of_given_and_of_found_sentences() -> None:
    table = contexts(ARTICLE, [GIVEN], citing=[REVIEW, LAKES], k=2)
    expected = ["1", *(f"citing-review:{i}" for i in (3, 4, 5)), "citing-lakes:2", "citing-lakes:4"]
    assert list(table["citance"].unique()) == expected
    assert table.groupby("citance").size().eq(2).all()
    text = read_article(ARTICLE).document.text
    rows = table.to_dict("records")
    assert [text[row["start"] : row["end"]] for row in rows] == [row["text"] for row in rows]
    best = table[table["rank"] == 1].set_index("citance")["text"]
    assert "cold kills weak eggs" in best["1"]
    assert "nine days" in best["citing-review:3"]
    assert notes(table).splitlines() == [
        "citing-review: 3 citing sentences, found by identifier; "
        "but entry 3 there has the title “Dim light shortens dormancy”",
        "citing-lakes: 2 citing sentences, found by similar title",
    ]


def test_impact_names_the_citances_that_chose_each_sentence() -> None:
    summary = impact(ARTICLE, citing=[REVIEW, LAKES], sentences=3)
    assert summary["rank"].tolist() == [1, 2, 3]
    assert summary["score"].is_monotonic_decreasing
    chosen = contexts(ARTICLE, citing=[REVIEW, LAKES]).groupby("start")["citance"].agg(list)
    assert summary["chosen_by"].tolist() == [chosen.get(at, []) for at in summary["start"]]
    # from few citing sentences, only what they are about
    few = impact(ARTICLE, [GIVEN, "Dim light."], sentences=9)
    assert notes(few) == "2 citing sentences: too few for a summary, so only their passages"
    assert 2 <= len(few) <= 6
    assert few["chosen_by"].map(len).min() > 0


def test_what_cannot_be_read_is_noted_once_and_the_others_count(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<html/>")
    again = shutil.copyfile(REVIEW, tmp_path / REVIEW.name)
    other = tmp_path / "other" / REVIEW.name
    other.parent.mkdir()
    other.write_bytes(REVIEW.read_bytes() + b"\n")
    table = contexts(ARTICLE, citing=[bad, UNRELATED, REVIEW, again, other, ARTICLE])
    # three files have the same name, so they go by their paths
    assert set(table["citing"]) == {str(REVIEW), str(other)}
    assert set(table["citance"]) > {f"{other}:3"}
    assert notes(table).count("is a web page (HTML)") == 1
    assert f"{again}: the same file as {REVIEW}, counted once" in notes(table)
    assert f"{ARTICLE}: is the article itself, and left out" in notes(table)
    assert "unrelated: does not cite the article (searched for 10.99999" in notes(table)
    with pytest.raises(MissingDataError, match=r"nowhere\.xml"):
        contexts(ARTICLE, citing=["nowhere.xml"])


@pytest.mark.parametrize("option", [[], ["--impact"]])
def test_nothing_of_a_file_is_shown_as_markup(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = EVIL.replace("<", "&lt;")
    title = f"<sec><title>Results {evil}</title><p>Cells rest in the dark {evil}.</p></sec>"
    (tmp_path / "a.xml").write_text(f"<article><body>{title}</body></article>")
    page = tmp_path / "page.html"
    given = [str(tmp_path / "a.xml"), "--cites", f"Cells rest {EVIL}\x1b[31m", *option]
    assert main(["contexts", *given, "--html", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "<img" not in html
    assert "<script" not in html
    assert 'href="#c1-' in html
    assert "\x1b" not in capsys.readouterr().out


def test_a_sentence_without_a_word_of_the_article_has_a_note() -> None:
    passages = contexts(ARTICLE, ["Eggs hatch in dim light.", "Xyzzy plugh."], k=1)
    (note,) = passages.attrs["notes"]
    assert "no word of citing sentence 2;" in note


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no citing sentence: name some"),
        (["--cites", "Eggs hatch.", " "], "citing sentence 2 is empty"),
        (["--citing", str(UNRELATED)], "does not cite"),
    ],
)
def test_wrong_use_has_one_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["contexts", str(ARTICLE), *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count(message) == len(shown.err.splitlines()) == 1


def test_a_folder_is_searched_in_one_pass_as_getpapers_lays_it_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(30):
        folder = tmp_path / "papers" / f"PMC{number}"
        folder.mkdir(parents=True)
        source = REVIEW if number == 7 else UNRELATED
        # no two files are the same
        (folder / "fulltext.xml").write_bytes(source.read_bytes() + b"\n" * number)
    table = tmp_path / "who.csv"
    papers = str(tmp_path / "papers")
    given = ["contexts", str(ARTICLE), "--citing", papers, "-k", "1", "--jobs", "2"]
    assert main([*given, "--csv", str(table)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("PMC7: 3 citing sentences, found by identifier")
    assert "29 files do not cite the article; the first is PMC0: does not cite" in shown
    rows = pd.read_csv(table, dtype=str)
    assert rows["citing"].unique().tolist() == ["PMC7"]
    assert rows["citing_section"].tolist() == [
        *["What ends dormancy"] * 2,
        "Costs of hatching late",
    ]
    assert rows["marker"].tolist() == ["3", "2", "3"]
    assert main([*given, "--csv", str(table)]) == 1
    assert "replace it with --force" in capsys.readouterr().err


def test_citances_of_every_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["citances", str(REVIEW)]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out), dtype=str, na_filter=False)
    read = read_article(REVIEW)
    assert table["reference"].unique().tolist() == [e.label for e in read.entries]
    third = table[table["reference"] == "3"]
    found = contexts(ARTICLE, citing=[REVIEW], k=1)
    assert third["sentence"].tolist() == found["citing_sentence"].tolist()
    assert set(third["identifiers"]) == {"10.99999/made-up.2016.0042"}


def test_the_page_shows_what_the_terminal_shows(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    given = ["contexts", str(ARTICLE), "--citing", str(REVIEW), str(LAKES), "--impact"]
    assert main([*given, "--html", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "<title>Dim light shortens the dormancy of pond rotifers</title>" in html
    assert "passage 1, section Results, chosen by citing-review:5" in html
    passages = contexts(ARTICLE, citing=[REVIEW, LAKES])
    assert all(f", {share} is right" in html for share in passages["share"])
    assert "prefers-color-scheme: dark" in html
    assert html.count('accesskey="n"') == html.count('accesskey="p"') == 5
