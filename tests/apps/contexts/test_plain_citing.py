"""Citing articles without links: text, Markdown and PDF."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citectx.apps.contexts.anybody import contexts, impact
from citectx.cli import main
from citectx.corpora.articles import article_of, read_article
from citectx.corpora.references import Work
from citectx.errors import DataError, ParameterError
from citectx.paths import ROOT
from tests.apps.contexts.printed import STYLES, measured, printed

EXAMPLES = ROOT / "docs" / "your-paper"
ARTICLE, REVIEW = EXAMPLES / "article.xml", EXAMPLES / "citing-review.xml"


@pytest.mark.parametrize("style", STYLES)
def test_a_citing_article_printed_as_text_has_the_citing_sentences_of_its_xml(
    style: str, tmp_path: Path
) -> None:
    path = tmp_path / "review.txt"
    path.write_text(printed(read_article(REVIEW), style).text, "utf-8")
    title = "Dim light shortens dormancy"  # as the review has it, beside the DOI
    found = contexts(ARTICLE, citing=[path], title=title)
    truth = contexts(ARTICLE, citing=[REVIEW])
    starts = [[c.text[:14] for c in each.topic.citances] for each in (found, truth)]
    assert starts[0] == starts[1]
    [cited] = found.cited
    entries = len(read_article(REVIEW).references)
    assert cited.guessed == f"reference list read from plain text: {entries} entries"
    assert cited.guessed in str(cited)
    assert set(cited.places) == {"marker"}


TEXT = """# Sleep in ponds

Some sleep at night. [2] Others, as was shown {marker}, do not.

## References

{entries}
"""
DIM = "Maddern A, Poe B, Roe C. Dim light shortens the dormancy of pond rotifers."


@pytest.mark.parametrize(
    ("marker", "entries", "sentence"),
    [
        (
            "[1]",
            f"1. {DIM} Ponds. 2016.\n2. Doe J. Sleep. 1999.",
            "Others, as was shown [1], do not.",
        ),
        (
            "[1-2]",
            f"1. {DIM} Ponds. 2016.\n2. Doe J. Sleep. 1999.",
            "Others, as was shown [1-2], do",
        ),
        ("(Maddern et al. 2016)", f"{DIM} Ponds. 2016.", "Others, as was shown (Maddern et al."),
    ],
)
def test_markers_are_told_by_style(
    marker: str, entries: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "pond.md"
    path.write_text(TEXT.format(marker=marker, entries=entries), "utf-8")
    [citance] = contexts(ARTICLE, citing=[path]).topic.citances
    assert sentence in citance.text


def test_a_reference_behind_the_full_stop_belongs_to_the_sentence_before() -> None:
    text = TEXT.format(marker="[1]", entries=f"1. Doe J. Fish. 1999.\n2. {DIM} Ponds. 2016.")
    [citance] = contexts(ARTICLE, citing=[article_of(text)]).topic.citances
    assert citance.text == "Some sleep at night. [2]"


def test_a_citing_text_without_reference_list_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pond.txt"
    path.write_text("Sleep in ponds\n\nOthers do not [1].\n")
    with pytest.raises(DataError, match=r"pond: has no reference list \(searched for DOI"):
        contexts(ARTICLE, citing=[path])


OWN = "Journal of Rest\n\nPond rotifers\n\nThey rest in dim light. Eggs hatch early in dim light.\n"
CITING = TEXT.format(marker="[1]", entries=f"1. {DIM} Ponds. 2016. doi:10.99999/dim.1")


@pytest.mark.parametrize(
    "known",
    [
        {"title": "Dim light shortens the dormancy of pond rotifers"},
        {"title": "Dim light shortens the dormancy of pond rotifers", "year": 2016},
        {"doi": "https://doi.org/10.99999/DIM.1"},
    ],
)
def test_what_is_given_counts_instead_of_what_a_file_tells(known: dict[str, Any]) -> None:
    own, citing = article_of(OWN), [article_of(CITING, Path("pond.md"))]
    with pytest.raises(DataError, match="does not cite"):
        contexts(own, citing=citing)
    found = contexts(own, citing=citing, **known)
    assert len(found.topic.citances) == 1
    assert any("'Pond rotifers' from the first line" in note for note in found.notes)
    summary = impact(own, citing=citing, sentences=1, **known)
    assert len(summary.frame()) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("year", "99"), ("year", "20166"), ("doi", "99"), ("title", " - ")]
)
def test_what_cannot_be_one_is_refused(
    name: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ParameterError, match=value):
        contexts(ARTICLE, "Cells rest.", **{name: value})  # type: ignore[arg-type]
    for kind in ("contexts", "impact"):
        assert main([kind, str(ARTICLE), "--cites", "x", f"--{name}={value}"]) == 1
        assert value in capsys.readouterr().err


@pytest.mark.open_data
def test_a_pdf_cites_a_pdf(open_corpus: Callable[[str], Path]) -> None:
    pytest.importorskip("pypdf")
    folder = open_corpus("s2orc-samples") / "tests" / "pdf"
    article, citing = folder / "N18-3011.pdf", folder / "2020.acl-main.207.pdf"
    found = contexts(article, citing=[citing])
    [citance] = found.topic.citances
    assert citance.text.startswith("Training Data To train our model, we use a subset of")
    assert citance.marker == "Ammar et al., 2018"
    assert "guessed: title 'Construction of the Literature Graph" in found.notes[0]
    assert found.cited[0].guessed.endswith("57 entries")


@pytest.mark.open_data
@pytest.mark.parametrize(("style", "least"), [("numbers", 97), ("names", 90)])
def test_most_citing_sentences_of_articles_printed_as_text_are_found(
    open_corpus: Callable[[str], Path], style: str, least: int
) -> None:
    folder = open_corpus("plos-jats") / "allofplos" / "starter_corpus"
    names = "pbio.1000359", "pbio.0020334", "pcbi.1002484"
    articles = [read_article(folder / f"journal.{name}.xml") for name in names]
    shares = measured(articles, style)
    assert shares["entries"] == 172
    assert min(shares["entry recall"], shares["sentence recall"]) > least
    assert shares["sentence precision"] > least


def test_entries_without_a_title_are_looked_for_by_doi() -> None:
    text = TEXT.format(marker="[1]", entries="1. Maddern et al., doi:10.99999/dim.1\n2. Doe. 1999.")
    own = article_of(OWN)
    found = contexts(own, citing=[article_of(text)], doi="10.99999/dim.1")
    assert found.cited[0].how == "doi"
    assert own.work == Work("Pond rotifers")
