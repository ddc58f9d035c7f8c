from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.articles import read_article
from citectx.corpora.references import find


def test_structure_and_metadata() -> None:
    article = read_article(Path(__file__).parents[1] / "samples" / "tei.xml" / "a.tei.xml")
    assert [(b.kind, article.document.text[b.start : b.end]) for b in article.document.blocks] == [
        ("title", "On rest"),
        ("abstract", "Cells rest."),
        ("heading", "2 Results"),
        ("body", "So [1] do 1 we."),
        ("caption", "Figure 1 Mice."),
        ("back", "See there."),
        ("heading", "Proofs"),
        ("back", "None."),
    ]
    assert article.document.doc_id == "a"
    assert (article.work.doi, article.work.authors) == ("10.1234/rest", ("Doe",))
    [link] = article.links
    assert (article.document.text[slice(*link.span)], link.keys) == ("[1]", ("b0",))


@pytest.mark.open_data
def test_grobids_reading_of_two_papers(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("s2orc-samples") / "tests" / "pdf"
    citing, cited = (
        read_article(folder / f"{name}.tei.xml") for name in ("2020.acl-main.207", "N18-3011")
    )
    assert (len(citing.references), len(cited.references)) == (57, 27)
    assert find(cited.work, citing.references) == (("b1",), "title")
