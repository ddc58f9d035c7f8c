from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.articles import read_article
from citectx.corpora.references import find

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader><fileDesc><titleStmt><title>On rest</title></titleStmt>
<sourceDesc><biblStruct><analytic><author><persName><surname>Doe</surname></persName></author></analytic>
<idno type="DOI">10.1234/REST</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><p>Cells rest.</p></abstract></profileDesc></teiHeader><text xml:lang="en"><body>
<div><head n="2">Results</head><p>So <ref type="bibr" target="#b0">[1]</ref> do <ref type="figure">1</ref>
<formula>x = 1</formula> we.</p><figure><head>Figure 1</head><figDesc>Mice.</figDesc></figure></div>
<note place="foot">See there.</note></body>
<back><div type="annex"><div><head>Proofs</head><p>None.</p></div></div>
</back></text></TEI>"""


def test_structure_and_metadata(tmp_path: Path) -> None:
    path = tmp_path / "paper.tei.xml"
    path.write_text(TEI, encoding="utf-8")
    article = read_article(path)
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
    assert article.document.doc_id == "paper"
    assert (article.work.doi, article.work.authors) == ("10.1234/rest", ("Doe",))
    [link] = article.links
    assert (article.document.text[slice(*link.span)], link.keys) == ("[1]", ("b0",))


@pytest.mark.open_data
def test_grobids_reading_of_two_papers(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("s2orc-samples") / "tests" / "pdf"
    citing, cited = (read_article(folder / f"{name}.tei.xml") for name in ("2020.acl-main.207", "N18-3011"))
    assert (len(citing.references), len(cited.references)) == (57, 27)
    assert find(cited.work, citing.references) == (("b1",), "title")
