"""Articles in which each sentence is an XML element."""

from pathlib import Path

import pytest

from citectx.corpora.files import Release, Reporter
from citectx.corpora.markup import parse_sentences, read_sentences
from citectx.corpora.model import Document, Finding
from citectx.errors import DataError

XML = """<PAPER>
<S sid="0">On rest</S>
\t<ABSTRACT>
\t\t<S sid ="1" ssid = "1">Cells rest.</S>
\t\t<S sid ="2" ssid = "2">They  do so
 by day.</S>
\t</ABSTRACT>
\t<SECTION title="Introduction. " number = "1">
\t\t\t<S sid ="3" ssid = "3">Cells &lt; 5 &#181;m &amp; rest.</S>
\t\t<SUBSECTION title="Night">
\t\t\t<S sid ="4" ssid = "1">They divide.</S>
\t\t</SUBSECTION>
\t\t\t<S sid ="5" ssid = "4">So it is.</S>
\t</SECTION>
\t<SECTION title="Summary.">
\t\t\t<S sid ="6" ssid = "1">All rest.</S>
\t</SECTION>
\t<SECTION title="ACKNOWLEDGEMENTS">
\t\t\t<S sid ="7" ssid = "1">Thanks.</S>
\t</SECTION>
\t<SECTION title="References"><S sid ="8" ssid = "1">Doe J.</S></SECTION>
</PAPER>
"""


def parse(xml: str) -> tuple[Document, list[str]]:
    findings: list[Finding] = []
    document = parse_sentences("P01-1", xml, Reporter(findings, "P01-1.xml"))
    return document, [str(finding) for finding in findings]


def test_blocks_and_text_by_hand() -> None:
    document, findings = parse(XML)
    assert [(b.kind, b.section, b.heading, document.text[b.start : b.end]) for b in document.blocks] == [
        ("title", 0, "", "On rest"),
        ("abstract", 1, "", "Cells rest. They do so by day."),
        ("heading", 3, "Introduction", "Introduction"),
        ("body", 3, "Introduction", "Cells < 5 µm & rest."),
        ("heading", 4, "Night", "Night"),
        ("body", 4, "Night", "They divide."),
        ("body", 5, "", "So it is."),
        ("heading", 7, "Summary", "Summary"),
        ("body", 7, "Summary", "All rest."),
        ("heading", 9, "ACKNOWLEDGEMENTS", "ACKNOWLEDGEMENTS"),
        ("back", 9, "ACKNOWLEDGEMENTS", "Thanks."),
        ("heading", 11, "References", "References"),
        ("references", 11, "References", "Doe J."),
    ]
    assert document.text.startswith("On rest\n\nCells rest. They do so by day.\n\nIntroduction\n\nCells")
    assert findings == []


def test_sentences_by_their_ids() -> None:
    document, _ = parse(XML)
    assert document.sentence_ids == ("0", "1", "2", "3", "4", "5", "6", "7", "8")
    assert document.text[slice(*document.sentence_spans["2"])] == "They do so by day."


def test_cp1252_is_read_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "P01-1.xml"
    path.write_bytes('<PAPER><S sid="0">“Rest”</S></PAPER>'.encode("cp1252"))
    release = Release("x", tmp_path)
    assert read_sentences(path, release).text == "“Rest”"
    assert [str(f) for f in release.found] == ["P01-1.xml: repaired: byte 18 is not UTF-8; the file is read as cp1252"]


@pytest.mark.parametrize(
    "xml",
    [
        '<PAPER><S sid="1">Cells rest.</S><SECTION title="A"><S sid="2">They do.</S></PAPER>',
        '<PAPER><S sid="1">Cells rest.<S sid="2">They do.</S></PAPER>',
        '<PAPER><S sid="1">Cells rest.</S>\n<S sid="2">They do.</S> & more',
    ],
)
def test_ill_formed_xml_is_read_tag_by_tag_and_reported(xml: str) -> None:
    document, findings = parse(xml)
    assert [document.text[slice(*s)] for s in document.sentences or ()] == ["Cells rest.", "They do."]
    assert len(findings) == 1
    assert "not well-formed XML" in findings[0]


def bomb(depth: int = 30) -> str:
    entities = "".join(f'<!ENTITY e{i} "&e{i - 1};&e{i - 1};">' for i in range(1, depth))
    return f'<!DOCTYPE P [<!ENTITY e0 "rest">{entities}]><P><S sid="1">&e{depth - 1};</S></P>'


@pytest.mark.parametrize(
    "xml",
    [bomb(), '<!DOCTYPE P [<!ENTITY x SYSTEM "file:///etc/hostname">]><P><S sid="1">&x;</S></P>'],
    ids=["billion laughs", "external entity"],
)
def test_entities_are_refused(xml: str) -> None:
    with pytest.raises(DataError, match=r"P01-1\.xml: declares entities, which is refused"):
        parse(xml)


def test_entities_behind_a_fault_are_not_expanded() -> None:
    document, _ = parse('<P></Q><!DOCTYPE P [<!ENTITY x SYSTEM "file:///etc/hostname">]><S sid="1">&x;</S></P>')
    assert document.text == "&x;"


def test_sentences_without_id_or_text_and_repeated_ids_are_reported() -> None:
    document, findings = parse('<P><S sid="">No id.</S><S sid="4"> </S><S sid="5">One.</S><S sid="5">Two.</S></P>')
    assert document.sentence_ids == ("", "5", "5")
    assert findings == [
        "P01-1.xml: skipped: 1 sentences hold no text, the first is sid 4",
        "P01-1.xml: noted: 1 sentences have no sid; they are kept without",
        "P01-1.xml: noted: several sentences have sid 5; the last one counts",
    ]


def test_the_encoding_that_a_file_declares_does_not_matter_once_it_is_decoded() -> None:
    document, findings = parse('<?xml version="1.0" encoding="klingon"?>\n<P><S sid="1">Cells.</S></P>')
    assert (document.text, findings) == ("Cells.", [])
