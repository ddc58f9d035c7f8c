"""Contexts and impact of anybody's paper, and the command."""

import shutil
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
        "citing-review: 3 citing sentences, found by identifier",
        "citing-lakes: 2 citing sentences, found by similar title",
    ]


def test_impact_names_the_citances_that_chose_each_sentence() -> None:
    summary = impact(ARTICLE, citing=[REVIEW, LAKES], sentences=3)
    assert summary["rank"].tolist() == [1, 2, 3]
    assert summary["score"].is_monotonic_decreasing
    chosen = contexts(ARTICLE, citing=[REVIEW, LAKES])
    for row in summary.itertuples():
        assert row.chosen_by == chosen[chosen["start"] == row.start]["citance"].tolist()
    assert "fewer" not in notes(summary)


def test_from_few_citing_sentences_only_what_they_are_about() -> None:
    summary = impact(ARTICLE, [GIVEN, "Dim light."], sentences=9)
    assert notes(summary) == "2 citing sentences: too few for a summary, so only their passages"
    assert 2 <= len(summary) <= 6
    assert summary["chosen_by"].map(len).min() > 0


def test_what_cannot_be_read_is_noted_once_and_the_others_count(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<html/>")
    again = shutil.copyfile(REVIEW, tmp_path / REVIEW.name)
    table = contexts(ARTICLE, citing=[bad, UNRELATED, REVIEW, again])
    assert set(table["citing"]) == {"citing-review", str(again)}
    assert notes(table).count("is a web page (HTML)") == 1
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no citing sentence: name some"),
        (["--cites", "x", "-k", "0"], "k=0"),
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
