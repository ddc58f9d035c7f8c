"""Citations between articles of Europe PMC: how many are found, and in which sentences."""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from citectx.beyond.reading.articles import read_article
from citectx.beyond.reading.citing import cited_in, with_sentences

Ids = set[tuple[str, str]]
KINDS = ("doi", "pmid")


def ids(elements: list[ElementTree.Element]) -> Ids:
    """DOIs and PubMed ids that elements give, in lower case."""
    texts = [(e.get("pub-id-type", ""), "".join(e.itertext()).strip().lower()) for e in elements]
    return {(kind, text) for kind, text in texts if kind in KINDS}


def both_sides(path: Path) -> tuple[Ids, Ids]:
    """The identifiers of an article, and those in its reference list, by another road than ours."""
    root = ElementTree.parse(path).getroot()
    references = root.findall(".//ref-list//ref")
    cited = ids([found for ref in references for found in ref.iter("pub-id")])
    for ref in references:
        text = "".join(ref.itertext()).lower()
        cited |= {
            ("doi", doi.rstrip(".,;)")) for doi in re.findall(r"10\.\d{4,9}/[^\s<>\"]+", text)
        }
    return ids(root.findall(".//front/article-meta/article-id")), cited


@pytest.mark.slow
@pytest.mark.open_data
def test_134_citations_with_both_articles(open_corpus: Callable[[str], Path]) -> None:
    """Three are cited in tables only, which are left out; without identifiers, titles decide."""
    files = sorted(open_corpus("europepmc-sample").rglob("fulltext.xml"))
    sides = {path: both_sides(path) for path in files}
    articles = {path: read_article(path) for path in files}
    assert len(articles) == 200
    assert all(article.work.years for article in articles.values())
    documents = {path: with_sentences(article) for path, article in articles.items()}
    pairs = [(a, b) for a in files for b in files if a != b and sides[a][0] & sides[b][1]]
    assert len(pairs) == 134
    for is_known, expected in ((True, (134, 131)), (False, (131, 128))):
        found = placed = 0
        for cited, citing in pairs:
            work = articles[cited].work
            work = work if is_known else work._replace(ids={})
            citances, note = cited_in(articles[citing], work, documents[citing])
            placed += bool(citances)
            found += "found by" in note
        assert (found, placed) == expected
