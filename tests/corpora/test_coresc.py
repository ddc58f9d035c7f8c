"""Readers of labelled papers, on files of every dialect and on the real corpora."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.coresc import (
    CLASSES,
    Paper,
    Sentence,
    read_art,
    read_cra,
    read_paper,
    read_teaching,
)
from citectx.corpora.model import Document
from citectx.corpora.structure import plain_blocks
from citectx.language.text import SentenceSplitter
from citectx.recommendation.labelling import KINDS
from citectx.recommendation.zones import zones

ART = """
<PAPER><TITLE><s><annotationART type="Obj">Rest</annotationART></s></TITLE>
<BODY><DIV><HEADER>Results <IT>in vivo</IT></HEADER>
<P><s><annotationART type="Res">Cells <IT>rest</IT>.<REF ID="c1 c2">1,2</REF></annotationART></s>
</P></DIV></BODY></PAPER>"""
CRA = """
<PAPER><article><front><article-title><s>Rest<CoreSc1 type="Obj"/></s></article-title>
<abstract><sec><title>Aim</title>
<p><s>We ask.<CoreSc1 type="Goa"/><CoreSc2 type="Mot"/></s></p></sec></abstract></front>
<body><p><s>Cells rest (<xref ref-type="bibr">3</xref>; <xref ref-type="fig">Fig 1</xref>).
<CoreSc1 type="Bac"/></s></p>
<sec><title>Thanks</title><p><s>We thank Doe.</s></p></sec></body></article></PAPER>"""


def parsed(tmp_path: Path, xml: str) -> Paper:
    path = tmp_path / "ann3" / "b1_mode2.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(xml, encoding="utf-8")
    return read_paper(path)


def test_art_gives_text_place_class_and_annotator(tmp_path: Path) -> None:
    paper = parsed(tmp_path, ART)
    assert (paper.doc_id, paper.group, paper.labels) == ("b1", "ann3", ("Obj", "Res"))
    title, first = paper.sentences
    assert title.zone == "title"
    assert first == Sentence("Cells rest. [CIT]", "body", "Results in vivo")


def test_cra_gives_first_classes_marks_citations_and_leaves_unlabelled_sentences_out(
    tmp_path: Path,
) -> None:
    paper = parsed(tmp_path, CRA)
    assert paper.labels == ("Obj", "Goa", "Bac")
    assert paper.sentences == (
        *(Sentence("Rest", "title"), Sentence("We ask.", "abstract", "Aim")),
        Sentence("Cells rest ( [CIT] ; Fig 1)."),
    )


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
    assert paper.sentences[0].text == f"Cells {read}"


def test_a_section_that_begins_with_a_subsection_is_not_forgotten(tmp_path: Path) -> None:
    def section(title: str, *inside: str) -> str:
        return f"<DIV><B><HEADER>{title}</HEADER></B>{''.join(inside)}</DIV>"

    def paragraph(text: str) -> str:
        return f'<P><s>{text}<annotationART type="Res"/></s></P>'

    a, b, c, d = map(paragraph, "abcd")
    results = section("Results", section("Mice", a, b), section("Rats", section("Livers", c)), d)
    paper = parsed(tmp_path, f"<PAPER><BODY>{results}{section('Tables')}</BODY></PAPER>")
    assert [(s.text, s.heading, s.above) for s in paper.sentences] == [
        ("a", "Mice", ("Results",)),
        ("b", "Mice", ()),
        ("c", "Livers", ("Rats",)),
        ("d", "Results", ()),
    ]


def test_sentences_of_a_document_know_the_headings_above_them() -> None:
    text = "Cells\nAbstract\nThey rest.\nResults\nMice\nMice rest. They sleep.\nRats\nRats rest.\n"
    document = Document("a", text, plain_blocks(text))
    found = SentenceSplitter().sentences(document, KINDS)
    sentences = Paper.of(document, found.spans).sentences
    assert [(s.heading, s.above) for s in sentences[-3:]] == [
        ("Mice", ("Results",)),
        ("Mice", ()),
        ("Rats", ()),
    ]
    assert zones(Paper("a", sentences))[-3:] == ["results"] * 3


def test_teaching_labels_are_sentences_of_the_article() -> None:
    corpus = read_teaching()
    assert {label for paper in corpus for label in paper.labels} == {*CLASSES}
    assert all(len(paper) == len(paper.labels) > 0 for paper in corpus)
    assert all(s.text[-1] in ".?" for paper in corpus for s in paper.sentences if s.zone == "body")


@pytest.mark.open_data
def test_real_corpora_have_the_known_sizes(open_corpus: Callable[[str], Path]) -> None:
    external = open_corpus("coresc-corpora") / "dataset" / "external"
    ours, cra = read_art(), read_cra()
    counts = Counter(label for paper in ours for label in paper.labels)
    assert (len(ours), counts.total(), len({p.group for p in ours})) == (225, 34_680, 9)
    assert (len(cra), sum(map(len, cra))) == (50, 8_447)
    # Counted again in the raw bytes.
    for name in CLASSES:
        found = sum(
            path.read_bytes().count(b'type="%s"' % name.encode())
            for path in external.glob("ART_Corpus/*/*.xml")
        )
        assert found == counts[name]
