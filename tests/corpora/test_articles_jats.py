from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.articles import parse_jats
from citectx.corpora.markup import parse
from citectx.corpora.references import Article
from tests.corpora.test_structure import by_hand


def read(body: str, back: str = "") -> Article:
    xml = (
        f"<article xml:lang='en'><front><article-meta/></front>{body}<back>{back}</back></article>"
    )
    return parse_jats("x", parse(xml.encode(), "x.xml"))


def blocks(article: Article) -> list[tuple[str, str]]:
    return [(b.kind, article.document.text[b.start : b.end]) for b in article.document.blocks]


def test_sections_floats_and_formulas_by_hand() -> None:
    """Floats and lists follow the paragraph that holds them; formulas are symbols, and markup is
    text."""
    xml, expected = by_hand("article.jats.xml")
    article = parse_jats("x", parse(xml.encode(), "x.xml"))
    assert ["\t".join(block) for block in blocks(article)] == expected
    assert article.work.title == "On rest"


def test_a_superscript_that_cites_moves_before_the_full_stop() -> None:
    article = read(
        "<body><p>Cells rest.<sup><xref ref-type='bibr' rid='b1'>1</xref></sup> They do.</p></body>"
    )
    assert blocks(article) == [("body", "Cells rest [1]. They do.")]
    assert [article.document.text[slice(*link.span)] for link in article.links] == ["1"]


def test_links_keep_their_places_even_if_empty() -> None:
    article = read(
        "<body><p> Cells\n [<xref ref-type='bibr' rid='b1 b2'/>–"
        "<xref ref-type='bibr' rid='b4'>4</xref>]</p></body>"
    )
    assert article.document.text == "Cells [–4]"
    assert [(tuple(link.span), link.keys) for link in article.links] == [
        ((7, 7), ("b1", "b2")),
        ((8, 9), ("b4",)),
    ]


def test_entries_of_all_makes() -> None:
    entries = read(
        "<body><p>x</p></body>",
        "<ref-list><ref id='a'><label>[1]</label><element-citation>"
        "<name><surname>Doe</surname></name><article-title>On rest</article-title>"
        "<year>2001</year><pub-id pub-id-type='pmid'>17</pub-id>"
        "</element-citation></ref><ref id='b'><mixed-citation publication-type='book'>"
        "Roe. <source>Sleep</source> "
        "<ext-link xmlns:l='urn:x' l:href='https://doi.org/10.1234/ABC'>here</ext-link>"
        "</mixed-citation></ref><ref id='c'>"
        "<nlm-citation citation-type='journal'><source>J Rest</source></nlm-citation></ref>"
        "</ref-list>",
    ).references
    assert [(r.key, r.label, r.work.title, r.work.doi, r.work.pmid) for r in entries] == [
        ("a", "1", "On rest", "", "17"),
        ("b", "2", "Sleep", "10.1234/abc", ""),
        ("c", "3", "", "", ""),
    ]
    assert (entries[0].work.authors, entries[0].work.year) == (("Doe",), "2001")


@pytest.mark.open_data
def test_plos_articles_are_read_with_their_links(open_corpus: Callable[[str], Path]) -> None:
    files = sorted(open_corpus("plos-jats").rglob("*.xml"))
    articles = [parse_jats(f.stem, parse(f.read_bytes(), f.name)) for f in files]
    assert len(articles) == 122
    assert all(a.work.title and a.work.doi and a.document.text for a in articles)
    assert sum(len(a.links) for a in articles) == 12_113
    assert sum(len(a.references) for a in articles) == 7_279
