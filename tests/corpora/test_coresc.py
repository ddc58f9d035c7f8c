"""Readers of labelled papers, on files of every dialect and on the real corpora."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.coresc import (
    CLASSES,
    LabelledPaper,
    Paper,
    read_art,
    read_cra,
    read_paper,
    read_teaching,
)
from citectx.corpora.model import Document, Finding, Topic
from citectx.corpora.structure import plain_blocks
from citectx.corpora.text_files import Reporter
from citectx.errors import DataError, MissingDataError
from citectx.language.text import SentenceSplitter
from citectx.recommendation.labelling import KINDS
from citectx.recommendation.zones import zones


def art(*labels: str) -> str:
    text = 'Cells <IT>rest</IT>.<REF ID="c1 c2">1,2</REF>'
    sentences = "".join(
        f'<s><annotationART type="{label}">{text}</annotationART></s> ' for label in labels
    )
    title = '<TITLE><s><annotationART type="Obj">Rest</annotationART></s></TITLE>'
    heading = "<HEADER>Results <IT>in vivo</IT></HEADER>"
    return f"<PAPER>{title}<BODY><DIV>{heading}<P>{sentences}</P></DIV></BODY></PAPER>"


CRA = """
<PAPER><article><front><article-title><s>Rest<CoreSc1 type="Obj"/></s></article-title>
<abstract><sec><title>Aim</title>
<p><s>We ask.<CoreSc1 type="Goa"/><CoreSc2 type="Mot"/></s></p></sec></abstract></front>
<body><p><s>Cells rest (<xref ref-type="bibr">3</xref>; <xref ref-type="fig">Fig 1</xref>).
<CoreSc1 type="Bac"/></s></p>
<sec><title>Thanks</title><p><s>We thank Doe.</s></p></sec></body></article></PAPER>"""


def parsed(tmp_path: Path, xml: str) -> tuple[LabelledPaper | None, list[Finding]]:
    path = tmp_path / "ann3" / "b1_mode2.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(xml, encoding="utf-8")
    findings: list[Finding] = []
    report, paper = Reporter(findings, path.name), None
    with report.attempt("skipped"):
        paper = read_paper(path, report)
    return paper, findings


def test_art_gives_text_place_class_and_annotator(tmp_path: Path) -> None:
    paper, findings = parsed(tmp_path, art("Bac", "Res"))
    assert paper
    assert (paper.paper.doc_id, paper.group, paper.labels) == ("b1", "ann3", ("Obj", "Bac", "Res"))
    title, first, _ = paper.paper.sentences
    assert (title.zone, first.zone) == ("title", "body")
    assert first.text == "Cells rest. [CIT]"
    assert first.heading == "Results in vivo"
    assert not findings


def test_cra_gives_second_classes_marks_citations_and_leaves_unlabelled_sentences_out(
    tmp_path: Path,
) -> None:
    paper, findings = parsed(tmp_path, CRA)
    assert paper
    assert paper.labels == ("Obj", "Goa", "Bac")
    assert paper.others == ((), ("Mot",), ())
    assert [s.zone for s in paper.paper.sentences] == ["title", "abstract", "body"]
    assert [s.heading for s in paper.paper.sentences] == ["", "Aim", ""]
    assert paper.paper.sentences[2].text == "Cells rest ( [CIT] ; Fig 1)."
    assert [str(f) for f in findings] == [
        "b1_mode2.xml: noted: 1 sentences without a class are left out"
    ]


@pytest.mark.parametrize(
    ("cited", "read"),
    [
        ("rest. C", "rest. [CIT]"),  # ART: raised numbers behind the sentence
        ("rest (C, C; C–C).", "rest [CIT] ."),  # CRA: groups in brackets
        ("rest [C]; C.", "rest [CIT] ; [CIT] ."),
        ("rest (see C and C).", "rest (see [CIT] and [CIT] )."),
    ],
)
def test_a_group_of_citations_is_one_mark_without_its_brackets(
    tmp_path: Path, cited: str, read: str
) -> None:
    marked = cited.replace("C", '<xref ref-type="bibr">1</xref>')
    paper, _ = parsed(tmp_path, f'<PAPER><p><s>Cells {marked}<CoreSc1 type="Bac"/></s></p></PAPER>')
    assert paper
    assert paper.paper.sentences[0].text == f"Cells {read}"


def test_a_section_that_begins_with_a_subsection_is_not_forgotten(tmp_path: Path) -> None:
    def section(title: str, *inside: str) -> str:
        return f"<DIV><HEADER>{title}</HEADER>{''.join(inside)}</DIV>"

    def paragraph(text: str) -> str:
        return f'<P><s>{text}<annotationART type="Res"/></s></P>'

    a, b, c, d = map(paragraph, "abcd")
    results = section("Results", section("Mice", a, b), section("Rats", section("Livers", c)), d)
    paper, _ = parsed(tmp_path, f"<PAPER><BODY>{results}{section('Tables')}</BODY></PAPER>")
    assert paper
    assert [(s.text, s.heading, s.above) for s in paper.paper.sentences] == [
        ("a", "Mice", ("Results",)),
        ("b", "Mice", ()),
        ("c", "Livers", ("Rats",)),
        ("d", "Results", ()),
    ]


def test_sentences_of_a_document_know_the_headings_above_them() -> None:
    text = "Cells\nAbstract\nThey rest.\nResults\nMice\nMice rest. They sleep.\nRats\nRats rest.\n"
    document = Document("a", text, plain_blocks(text))
    found = SentenceSplitter().sentences(document, KINDS)
    sentences = Paper.of(document, found.spans, found.blocks).sentences
    assert [(s.heading, s.above) for s in sentences[-3:]] == [
        ("Mice", ("Results",)),
        ("Mice", ()),
        ("Rats", ()),
    ]
    assert zones(Paper("a", sentences))[-3:] == ["results"] * 3


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<PAPER><s>", "not well-formed XML"),
        ('<!DOCTYPE x [<!ENTITY e "e">]><PAPER>&e;</PAPER>', "declares entities"),
        ("<PAPER/>", "no sentence with a class"),
        (art("Bac", "Bug"), "unknown classes Bug; known: Bac, Con"),
    ],
)
def test_bad_files_are_named_and_left_out(tmp_path: Path, xml: str, message: str) -> None:
    paper, findings = parsed(tmp_path, xml)
    assert paper is None
    assert findings[0].file == "b1_mode2.xml"
    assert findings[0].action == "skipped"
    assert message in findings[0].message


def test_bad_files_do_not_hide_good_ones_but_none_at_all_is_an_error(tmp_path: Path) -> None:
    parsed(tmp_path, art("Bac"))
    (tmp_path / "ann3" / "b2_mode2.xml").write_text("<PAPER>")
    corpus = read_art(tmp_path)
    assert len(corpus) == 1
    assert [f.file for f in corpus.findings] == ["ann3/b2_mode2.xml"]
    (tmp_path / "ann3" / "b1_mode2.xml").unlink()
    with pytest.raises(
        DataError, match=r"none of 1 files can be read .*b2_mode2\.xml.*Run: citectx fetch"
    ):
        read_art(tmp_path)
    (tmp_path / "ann3" / "b2_mode2.xml").unlink()
    with pytest.raises(DataError, match=r"there is no ann\*/\*\.xml\. Run: citectx fetch"):
        read_art(tmp_path)


TOPIC = Topic("T", Document("ref", "Cells rest. They sleep."), ())


def teaching(tmp_path: Path, *rows: str, header: str = "topic,start,end,class") -> Path:
    path = tmp_path / "coresc.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_teaching_labels_are_sentences_of_the_article(tmp_path: Path) -> None:
    corpus = read_teaching(teaching(tmp_path, "T,0,11,Bac", "T,12,23,Res"), [TOPIC])
    assert [s.text for s in corpus.papers[0].paper.sentences] == ["Cells rest.", "They sleep."]
    assert corpus.papers[0].labels == ("Bac", "Res")
    assert corpus.counts()["Res"] == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("X,0,11,Bac", "line 3: found .*'X'"),
        ("T,12,23,Bug", "line 3: found .*'Bug'"),
        ("T,10,23,Bac", "sentence 10-23 is empty, overlaps"),
        ("T,12,99,Bac", "leaves the text"),
        ("T,a,23,Bac", "whole numbers"),
    ],
)
def test_bad_teaching_rows_are_named(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_teaching(teaching(tmp_path, "T,0,11,Bac", row), [TOPIC])


def test_teaching_file_needs_its_columns(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1: lacks the columns"):
        read_teaching(teaching(tmp_path, header="topic,begin,end,class"), [TOPIC])
    with pytest.raises(MissingDataError, match="not there"):
        read_teaching(tmp_path / "nowhere.csv", [TOPIC])


@pytest.mark.open_data
def test_real_corpora_have_the_known_sizes(open_corpus: Callable[[str], Path]) -> None:
    external = open_corpus("coresc-corpora") / "dataset" / "external"
    ours, cra = read_art(), read_cra()
    assert (len(ours), int(ours.counts().sum()), len({p.group for p in ours})) == (225, 34_680, 9)
    assert (len(cra), int(cra.counts().sum())) == (50, 8_447)
    assert sum(len(others) > 0 for p in cra for others in p.others) == 276
    assert not ours.findings
    # Counted again in the raw bytes.
    for name in CLASSES:
        found = sum(
            path.read_bytes().count(b'type="%s"' % name.encode())
            for path in external.glob("ART_Corpus/*/*.xml")
        )
        assert found == ours.counts()[name]
