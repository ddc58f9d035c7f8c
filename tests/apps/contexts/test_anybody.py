"""Contexts and impact of anybody's paper, and the command."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from citectx.apps.contexts.anybody import citances_file, contexts, impact
from citectx.cli import main
from citectx.corpora.articles import read_article
from citectx.errors import DataError, MissingDataError, ParameterError
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
    summary = impact(ARTICLE, [GIVEN, "Dim light."], sentences=9, k=2)
    assert notes(summary) == "2 citing sentences: too few for a summary, so only their passages"
    assert 2 <= len(summary) <= 4
    assert summary["chosen_by"].map(len).min() > 0


def test_what_cannot_be_read_is_noted_once_and_the_others_count(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<html/>")
    again = shutil.copyfile(REVIEW, tmp_path / REVIEW.name)
    table = contexts(ARTICLE, citing=[bad, UNRELATED, REVIEW, again])
    assert set(table["citing"]) == {"citing-review", str(again)}
    assert notes(table).count("found 0 in <html>") == 1
    assert "unrelated: does not cite the article (searched for 10.99999" in notes(table)
    with pytest.raises(MissingDataError, match=r"nowhere\.xml"):
        contexts(ARTICLE, citing=["nowhere.xml"])


def test_the_article_goes_by_another_title_or_doi() -> None:
    found = contexts(ARTICLE, citing=[LAKES], title="Life between two droughts", k=1)
    assert found["citing_sentence"].tolist() == ["Dormancy has costs (Fairbourne, 2003)."]
    known = contexts(
        ARTICLE, citing=[REVIEW], title="x", doi="https://doi.org/10.99999/MADE-UP.2016.0042"
    )
    assert len(known) == 9
    with pytest.raises(ParameterError, match="a DOI looks like"):
        contexts(ARTICLE, citing=[REVIEW], doi="10.99999")


def test_what_to_know_before_believing(tmp_path: Path) -> None:
    assert "no word in common" in notes(contexts(ARTICLE, ["Xylophones!", "Dim light."]))
    german = (
        "Die Zellen der Maus ruhen bei Tag. Bei Nacht teilen sie sich, wie man seit langem weiß."
    )
    (tmp_path / "a.xml").write_text(f"<article><body><p>{german}</p></body></article>", "utf-8")
    assert "English" in notes(contexts(tmp_path / "a.xml", ["Zellen ruhen."]))


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
    assert main(["contexts", *given, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["rows"][0]["text"].startswith("Cells rest in the dark")
    assert isinstance(printed["notes"], list)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no citing sentence: name some"),
        (["--cites", "x", "-k", "0"], "k=0"),
        (["--citing", str(UNRELATED)], "does not cite"),
        (["--citances", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_use_has_one_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["contexts", str(ARTICLE), *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count(message) == len(shown.err.splitlines()) == 1


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
