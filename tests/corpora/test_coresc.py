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
from citectx.corpora.model import Document, Topic
from citectx.corpora.structure import plain_blocks
from citectx.errors import DataError
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


def parsed(tmp_path: Path, xml: str) -> LabelledPaper:
    path = tmp_path / "ann3" / "b1_mode2.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(xml, encoding="utf-8")
    return read_paper(path)


def test_art_gives_text_place_class_and_annotator(tmp_path: Path) -> None:
    paper = parsed(tmp_path, art("Bac", "Res"))
    assert (paper.paper.doc_id, paper.group, paper.labels) == ("b1", "ann3", ("Obj", "Bac", "Res"))
    title, first, _ = paper.paper.sentences
    assert (title.zone, first.zone) == ("title", "body")
    assert first.text == "Cells rest. [CIT]"
    assert first.heading == "Results in vivo"


def test_cra_gives_second_classes_marks_citations_and_leaves_unlabelled_sentences_out(
    tmp_path: Path,
) -> None:
    paper = parsed(tmp_path, CRA)
    assert paper.labels == ("Obj", "Goa", "Bac")
    assert paper.others == ((), ("Mot",), ())
    assert [s.zone for s in paper.paper.sentences] == ["title", "abstract", "body"]
    assert [s.heading for s in paper.paper.sentences] == ["", "Aim", ""]
    assert paper.paper.sentences[2].text == "Cells rest ( [CIT] ; Fig 1)."


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
    paper = parsed(tmp_path, f'<PAPER><p><s>Cells {marked}<CoreSc1 type="Bac"/></s></p></PAPER>')
    assert paper.paper.sentences[0].text == f"Cells {read}"


def test_a_section_that_begins_with_a_subsection_is_not_forgotten(tmp_path: Path) -> None:
    def section(title: str, *inside: str) -> str:
        return f"<DIV><HEADER>{title}</HEADER>{''.join(inside)}</DIV>"

    def paragraph(text: str) -> str:
        return f'<P><s>{text}<annotationART type="Res"/></s></P>'

    a, b, c, d = map(paragraph, "abcd")
    results = section("Results", section("Mice", a, b), section("Rats", section("Livers", c)), d)
    paper = parsed(tmp_path, f"<PAPER><BODY>{results}{section('Tables')}</BODY></PAPER>")
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


TOPIC = Topic("T", Document("ref", "Cells rest. They sleep."), ())


def test_teaching_labels_are_sentences_of_the_article(tmp_path: Path) -> None:
    path = tmp_path / "coresc.csv"
    path.write_text("topic,start,end,class\nT,0,11,Bac\nT,12,23,Res\n")
    corpus = read_teaching(path, [TOPIC])
    assert [s.text for s in corpus.papers[0].paper.sentences] == ["Cells rest.", "They sleep."]
    assert corpus.papers[0].labels == ("Bac", "Res")
    assert corpus.counts()["Res"] == 1
    path.write_text("topic,start,end,class\nT,0,11,Bac\nT,12,99,Res\n")
    with pytest.raises(DataError, match=r"sentence 12-99 is empty, overlaps .* leaves the text"):
        read_teaching(path, [TOPIC])


@pytest.mark.open_data
def test_real_corpora_have_the_known_sizes(open_corpus: Callable[[str], Path]) -> None:
    external = open_corpus("coresc-corpora") / "dataset" / "external"
    ours, cra = read_art(), read_cra()
    assert (len(ours), int(ours.counts().sum()), len({p.group for p in ours})) == (225, 34_680, 9)
    assert (len(cra), int(cra.counts().sum())) == (50, 8_447)
    assert sum(len(others) > 0 for p in cra for others in p.others) == 276
    # Counted again in the raw bytes.
    for name in CLASSES:
        found = sum(
            path.read_bytes().count(b'type="%s"' % name.encode())
            for path in external.glob("ART_Corpus/*/*.xml")
        )
        assert found == ours.counts()[name]
