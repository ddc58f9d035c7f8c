"""Articles in which each sentence is an XML element."""

from pathlib import Path

import pytest

from citectx.corpora.markup import parse_sentences, read_sentences
from citectx.corpora.model import Document, Finding
from citectx.corpora.text_files import Release, Reporter
from citectx.errors import DataError
from tests.corpora.test_structure import by_hand, described


def parse(xml: str) -> tuple[Document, list[str]]:
    findings: list[Finding] = []
    document = parse_sentences("P01-1", xml, Reporter(findings, "P01-1.xml"))
    return document, [str(finding) for finding in findings]


def test_blocks_and_sentences_by_hand() -> None:
    xml, expected = by_hand("article.xml")
    document, findings = parse(xml)
    assert described(document.text, document.blocks) == expected
    assert document.text.startswith(
        "On rest\n\nCells rest. They do so by day.\n\nIntroduction\n\nCells"
    )
    assert findings == []
    assert document.sentence_ids == tuple("012345678")
    assert document.text[slice(*document.sentence_spans["2"])] == "They do so by day."


def test_cp1252_is_read_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "P01-1.xml"
    path.write_bytes('<PAPER><S sid="0">“Rest”</S></PAPER>'.encode("cp1252"))
    release = Release("x", tmp_path)
    assert read_sentences(path, release).text == "“Rest”"
    assert [str(f) for f in release.found] == [
        "P01-1.xml: repaired: byte 18 is not UTF-8; the file is read as cp1252"
    ]


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
    assert [document.text[slice(*s)] for s in document.sentences or ()] == [
        "Cells rest.",
        "They do.",
    ]
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
    document, _ = parse(
        '<P></Q><!DOCTYPE P [<!ENTITY x SYSTEM "file:///etc/hostname">]><S sid="1">&x;</S></P>'
    )
    assert document.text == "&x;"


def test_sentences_without_id_or_text_and_repeated_ids_are_reported() -> None:
    document, findings = parse(
        '<P><S sid="">No id.</S><S sid="4"> </S><S sid="5">One.</S><S sid="5">Two.</S></P>'
    )
    assert document.sentence_ids == ("", "5", "5")
    assert findings == [
        "P01-1.xml: skipped: 1 sentences hold no text, the first is sid 4",
        "P01-1.xml: noted: 1 sentences have no sid; they are kept without",
        "P01-1.xml: noted: several sentences have sid 5; the last one counts",
    ]


def test_the_encoding_that_a_file_declares_does_not_matter_once_it_is_decoded() -> None:
    document, findings = parse(
        '<?xml version="1.0" encoding="klingon"?>\n<P><S sid="1">Cells.</S></P>'
    )
    assert (document.text, findings) == ("Cells.", [])
