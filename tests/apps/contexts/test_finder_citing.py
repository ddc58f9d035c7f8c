from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.apps.contexts.finder import SENTENCE_KINDS, Cited, citing_sentences, summary
from citectx.corpora.articles import read_article
from citectx.language.text import SentenceSplitter
from citectx.paths import ROOT

EXAMPLES = ROOT / "docs" / "your-paper"


def cited(article: Path, citing: Path) -> Cited:
    text = read_article(citing)
    sentences = SentenceSplitter().sentences(text.document, SENTENCE_KINDS)
    return citing_sentences(text, read_article(article).work, sentences)


def test_links_and_ranges_lead_to_sentences() -> None:
    found = cited(EXAMPLES / "article.xml", EXAMPLES / "citing-review.xml")
    assert (found.how, found.places, found.outside) == ("doi", {"link": 2, "range": 1}, 0)
    assert [c.marker for c in found.citances] == ["3", "2", "3"]
    text = read_article(EXAMPLES / "citing-review.xml").document.text
    assert all(text[slice(*c.span)] == c.text for c in found.citances if c.span)
    assert [c.text[:14] for c in found.citances] == [
        "More recently,",
        "Several groups",
        "Rotifers that ",
    ]


def test_a_link_without_target_is_read_by_its_name() -> None:
    found = cited(EXAMPLES / "article.xml", EXAMPLES / "citing-lakes.tei.xml")
    assert (found.how, found.places) == ("title", {"link": 1, "marker": 1})


def test_an_article_that_does_not_cite_says_so() -> None:
    found = cited(EXAMPLES / "article.xml", EXAMPLES / "unrelated.xml")
    assert not found.citances
    assert "does not cite" in str(found)


def test_an_entry_that_nothing_points_to_says_so(tmp_path: Path) -> None:
    path = tmp_path / "citing.xml"
    review = (EXAMPLES / "citing-review.xml").read_text("utf-8")
    path.write_text(
        review[: review.index("<sec>")] + "<p>None.</p></body>" + review[review.index("<back>") :],
        "utf-8",
    )
    found = cited(EXAMPLES / "article.xml", path)
    assert (found.how, found.citances) == ("doi", ())
    assert "no sentence points there" in str(found)
    assert summary([found]) == "0 citing sentences in 0 of 1 citing articles"


def test_places_in_tables_and_headings_are_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "citing.xml"
    link = "<xref ref-type='bibr' rid='b'>1</xref>"
    path.write_text(
        f"<article><body><sec><title>As {link}</title><p>So {link} does it.</p><table-wrap>"
        f"<table><tr><td>{link}</td></tr></table></table-wrap></sec></body>"
        "<back><ref-list><ref id='b'><mixed-citation>"
        "10.99999/made-up.2016.0042</mixed-citation></ref></ref-list></back></article>"
    )
    found = cited(EXAMPLES / "article.xml", path)
    assert ([c.text for c in found.citances], found.outside) == (["So 1 does it."], 1)


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("citing", "article", "how", "sentences"),
    [
        ("pone.0153152", "pmed.1000097", "doi", 1),
        ("pone.0016976", "pmed.1000097", "title", 1),
        ("pone.0087236", "pbio.0040088", "title", 1),
        ("pone.0008519", "ppat.0020025", "title", 2),
    ],
)
def test_four_citations_of_plos_with_both_articles(
    open_corpus: Callable[[str], Path], citing: str, article: str, how: str, sentences: int
) -> None:
    folder = open_corpus("plos-jats") / "allofplos" / "starter_corpus"
    found = cited(folder / f"journal.{article}.xml", folder / f"journal.{citing}.xml")
    assert (found.how, len(found.citances)) == (how, sentences)
