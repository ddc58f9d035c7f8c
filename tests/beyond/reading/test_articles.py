"""Anybody's article in JATS and TEI: one small file for each kind of thing that real files do."""

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any
from zipfile import ZipFile

import pytest

from citectx.beyond.reading.articles import Article, read_article, read_xml
from citectx.beyond.reading.citing import with_sentences
from citectx.beyond.reading.files import files_below
from citectx.errors import DataError
from tests.corpora.test_structure import by_hand

LINK = '<xref ref-type="bibr" rid="b1">'
OTHER = '<xref ref-type="bibr" rid="b2">'
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{}</teiHeader><text><body>{}</body></text></TEI>'


def ref(key: str, inside: str = "", label: str = "") -> str:
    """An entry of a reference list."""
    return f'<ref id="{key}"><label>{label}</label><mixed-citation>{inside}</mixed-citation></ref>'


REFS = ref("b1", label="1") + ref("b2", label="2")


def jats(body: str = "<p>So.</p>", refs: str = REFS, meta: str = "", more: str = "") -> Article:
    """An article with a reference list."""
    front = f"<front><article-meta>{meta}</article-meta></front>"
    lists = f"<back><ref-list>{refs}</ref-list></back>"
    return read_xml("x", f"<article>{front}<body>{body}</body>{lists}{more}</article>".encode())


def tei(body: str, header: str = "") -> Article:
    """An article in TEI, without a reference list."""
    return read_xml("x", TEI.format(header, body).encode())


def blocks(article: Article) -> list[tuple[str, str]]:
    """Kind and text of each block."""
    return [(b.kind, article.document.text[b.start : b.end]) for b in article.document.blocks]


def body(article: Article) -> str:
    """The first paragraph."""
    return next(text for kind, text in blocks(article) if kind == "body")


def test_sections_floats_and_formulas_by_hand() -> None:
    xml, expected = by_hand("article.jats.xml")
    assert ["\t".join(block) for block in blocks(read_xml("x", xml.encode()))] == expected


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("", True),
        (' abstract-type="abstract"', True),
        (' abstract-type="key-points"', True),
        (' abstract-type="Graphical"', False),
        (' abstract-type="teaser"', False),
    ],
)
def test_every_abstract_is_read_but_those_that_are_something_else(kind: str, read: bool) -> None:
    abstracts = f"<abstract><p>Eggs rest.</p></abstract><abstract{kind}><p>Mud.</p></abstract>"
    meta = f"{abstracts}<trans-abstract><p>Ovos.</p></trans-abstract>"
    found = [text for kind, text in blocks(jats(meta=meta)) if kind == "abstract"]
    assert found == (["Eggs rest.", "Mud."] if read else ["Eggs rest."])
    alone = jats(meta=f"<abstract{kind}><p>Mud.</p></abstract>")
    assert ("abstract", "Mud.") in blocks(alone)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        # citations are apart from the word before, and in its sentence
        (f"rest{LINK}<sup>1</sup></xref> on", "rest [1] on"),
        (f"rest<sup>{LINK}1</xref>,{OTHER}2</xref></sup> on", "rest [1,2] on"),
        (f"rest{LINK}1</xref> on", "rest [1] on"),
        (f"rest.{LINK}<sup>1</sup></xref> On", "rest [1]. On"),
        (f"rest<sup>[{LINK}1</xref>]</sup>. On", "rest [1]. On"),
        (f"by Doe et al.<sup>{LINK}1</xref></sup> On", "by Doe et al. [1] On"),
        (f"rest [{LINK}1</xref>,{OTHER}2</xref>] on", "rest [1,2] on"),
        ("rest<sup>1</sup> on", "rest [1] on"),  # not linked
        # powers keep their meaning; other superscripts are as printed
        ("10<sup>5</sup> eggs per m<sup>2</sup>", "10^5 eggs per m^2"),
        ("10<sup>−<italic>n</italic></sup>, s<sup>−1</sup>", "10^−n, s^−1"),
        ("(a + b)<sup>2</sup> of Ca<sup>2+</sup>", "(a + b)^2 of Ca2+"),
        ("the 5<sup>th</sup> <sup>14</sup>C", "the 5th 14C"),
        # formulas, once
        ("<math><msup><mn>10</mn><mn>5</mn></msup></math>", "10^5"),
        ("<math><mfrac><mn>1</mn><mi>n</mi></mfrac></math>", "1/n"),
        ("<math><mfrac><mn>1</mn><mrow><mi>n</mi><mo>+</mo></mrow></mfrac></math>", "1/(n+)"),
        (
            "<inline-formula><alternatives><tex-math>$x$</tex-math><math><semantics><mi>x</mi>"
            "<annotation>x</annotation></semantics></math></alternatives></inline-formula>",
            "x",
        ),
        # what the file leaves out or adds
        ("re<!-- x -->st", "rest"),
        ("one<break/>two<italic>s</italic>", "one twos"),
        ("mud<xref ref-type='fn' rid='f1'><sup>1</sup></xref> dries", "mud dries"),
        ("see note <xref ref-type='fn' rid='f1'>3</xref>", "see note 3"),
        ("o\u0302", "ô"),
        # words that the file sets apart by elements alone
        ("by<disp-formula><graphic/></disp-formula>where t", "by where t"),
        ("<math><mi>x</mi><mtext>if wet</mtext><mspace/><mi>y</mi></math>", "x if wet y"),
        (
            "of <related-object><name><surname>Doe</surname><given-names>A</given-names></name>"
            "<year>2001</year><source>Eggs</source></related-object>.",
            "of Doe A 2001 Eggs.",
        ),
        # TeX, where it is all there is
        (r"<tex-math>\documentclass{a}\begin{document}$T$\end{document}</tex-math>", "$T$"),
        ("mud<inline-graphic><alt-text>a pond</alt-text></inline-graphic>", "mud"),
    ],
)
def test_inside_a_paragraph(written: str, printed: str) -> None:
    assert body(jats(f"<p>{written}</p>")) == printed


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "<disp-formula><math><mi>D</mi><mo>=</mo><mi>m</mi></math></disp-formula><p>So.</p>",
            [("table", "D=m"), ("body", "So.")],
        ),
        (
            "<list><list-item><disp-formula><tex-math>x</tex-math></disp-formula></list-item></list>",
            [("table", "x")],
        ),
        (
            "<fig><caption><p>Ponds.</p></caption><graphic/><attrib>Source: Doe.</attrib></fig>",
            [("caption", "Ponds."), ("caption", "Source: Doe.")],
        ),
        (
            "<fig><label>1</label><fig><label>1a</label><caption><p>Mud.</p></caption></fig></fig>",
            [("caption", "1"), ("caption", "1a Mud.")],
        ),
        (
            "<supplementary-material><media><caption><p>Eggs.</p></caption></media>"
            "</supplementary-material>",
            [("caption", "Eggs.")],
        ),
        ("<supplementary-material>Data <b>1</b></supplementary-material>", [("body", "Data 1")]),
        (
            "<table-wrap><table><tr><td>1</td><td>2</td></tr></table><table-wrap-foot><p>Wet.</p>"
            "<attrib>From Doe.</attrib></table-wrap-foot></table-wrap>",
            [("table", "1\t2"), ("back", "Wet."), ("back", "From Doe.")],
        ),
        ("<sec><bold>Wet</bold> <italic>mud</italic></sec>", [("body", "Wet mud")]),
        # what stands inside a paragraph, and is no part of its sentence, follows it
        (
            "<p>Eggs rest in mud<xref ref-type='fn' rid='f1'><sup>1</sup></xref><fn id='f1'>"
            "<label>1</label><p>Wet mud.</p></fn><fig><label>Fig. 1</label><caption><p>Mud.</p>"
            "</caption></fig> for years.</p>",
            [
                ("body", "Eggs rest in mud for years."),
                ("back", "Wet mud."),
                ("caption", "Fig. 1 Mud."),
            ],
        ),
    ],
)
def test_formulas_and_floats(written: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(jats(written)) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "<p>Eggs rest<note place='foot'>Wet mud.</note> for years.</p>",
            [("body", "Eggs rest for years."), ("back", "Wet mud.")],
        ),
        (
            "<div><p><s>Eggs rest in e.g.</s><s>mud.</s></p><list><item>A</item><item>B</item>"
            "</list></div>",
            [("body", "Eggs rest in e.g. mud."), ("body", "A"), ("body", "B")],
        ),
        (
            "<p>We saw 10<hi rend='superscript'>5</hi> eggs<ref type='bibr'>1</ref>.</p>",
            [("body", "We saw 10^5 eggs [1].")],
        ),
    ],
)
def test_paragraphs_of_tei(written: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(tei(written)) == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ('<xref rid="b1">1</xref>', [("b1",)]),  # without a type, as LaTeXML writes it
        ('<xref ref-type="other" rid="b1 b2">1</xref>', [("b1", "b2")]),
        ('<xref ref-type="bibr" rid="b1"/>', [("b1",)]),
        ('<xref ref-type="bibr" rid="b9">9</xref>', [("b9",)]),
        ('<xref ref-type="bibr" rid="f1">9</xref><fn id="f1"><p>N.</p></fn>', []),
        ('<xref ref-type="fig" rid="g1">1</xref>', []),
    ],
)
def test_what_points_to_an_entry_cites(link: str, expected: list[tuple[str, ...]]) -> None:
    assert [keys for _, keys in jats(f"<p>Eggs [{link}] hatch.</p>").links] == expected


def test_entries_of_all_makes() -> None:
    entries = jats(
        refs="<ref id='a'><label>[1]</label><element-citation id='a1'>"
        "<name><surname>Doe</surname></name><article-title>On rest</article-title>"
        "<date-in-citation>read <year>2021</year></date-in-citation><year>2001</year>"
        "<pub-id pub-id-type='pmid'>17</pub-id></element-citation>"
        "<element-citation id='a2'><source>Sleep</source></element-citation></ref>"
        "<ref id='b'><mixed-citation>Roe. On mud. 1999. <ext-link xmlns:l='urn:x' "
        "l:href='https://doi.org/10.1234/AB%3C1%3E'>here</ext-link></mixed-citation></ref>"
    ).entries
    assert [(e.keys, e.label, e.work.titles, e.work.years) for e in entries] == [
        (("a", "a1"), "1", ("On rest",), ("2001",)),
        (("a", "a2"), "1", ("Sleep",), ()),
        (("b",), "2", (), ("1999",)),
    ]
    assert (entries[0].work.authors, entries[0].work.ids) == (("Doe",), {"pmid": "17"})
    assert entries[2].work.ids == {"doi": "10.1234/ab<1>"}
    assert [entry.tagged for entry in entries] == [True, False, False]


MIXED = (
    "<mixed-citation id='m{0}'>Doe. On rest {0}. <pub-id pub-id-type='doi'>10.1234/{0}</pub-id>"
    "</mixed-citation>"
)
TAGGED = "<element-citation><article-title>On rest {0}</article-title></element-citation>"


@pytest.mark.parametrize(
    ("inside", "entries"),
    [
        (MIXED.format(1) + TAGGED.format(1), [(("a", "m1"), ("On rest 1",))]),
        (
            f"<citation-alternatives>{MIXED.format(1)}{MIXED.format(2)}</citation-alternatives>",
            [(("a", "m1", "m2"), ())],
        ),
        (MIXED.format(1) + MIXED.format(2), [(("a", "m1"), ()), (("a", "m2"), ())]),
    ],
)
def test_an_entry_written_twice_is_one(inside: str, entries: list[tuple[Any, ...]]) -> None:
    found = jats(refs=f"<ref id='a'>{inside}</ref>").entries
    assert [(entry.keys, entry.work.titles) for entry in found] == entries
    assert found[0].work.ids == {"doi": "10.1234/1"}


@pytest.mark.parametrize(
    "note",
    [
        "<mixed-citation>Doe (2001), <article-title>On rest</article-title>.</mixed-citation>",
        "Doe (2001), On rest.",
    ],
)
def test_entries_may_be_footnotes(note: str) -> None:
    notes = f"<fn id='n1'><label>1</label><p>{note}</p></fn><fn id='n2'><p>Wet mud.</p></fn>"
    marks = [f"<xref ref-type='fn' rid='n{n}'>{n}</xref>" for n in (1, 2)]
    article = jats(f"<p>Eggs rest.{marks[0]} Mud dries{marks[1]}.</p>{notes}", refs="")
    assert body(article) == "Eggs rest [1]. Mud dries."
    [entry] = article.entries
    assert (entry.label, entry.keys) == ("1", ("n1",))
    assert [keys for _, keys in article.links] == [("n1",)]


@pytest.mark.parametrize(
    ("entry", "authors"),
    [
        ("<string-name>J. Maddern</string-name>", ("Maddern",)),
        ("<string-name>Li, Jane</string-name>", ("Li",)),
        ("<string-name><surname>de Roe</surname> A</string-name>", ("de Roe",)),
        ("<collab>The Pond Group</collab>", ("The Pond Group",)),
    ],
)
def test_authors_however_they_are_tagged(entry: str, authors: tuple[str, ...]) -> None:
    assert jats(refs=ref("b", entry)).entries[0].work.authors == authors


def test_a_reference_list_may_stand_anywhere_but_in_another_article() -> None:
    boxed = f"<sec><p>So.</p><boxed-text><sec><ref-list>{REFS}</ref-list></sec></boxed-text></sec>"
    assert len(jats(boxed, refs="").entries) == 2
    response = f"<response><back><ref-list>{REFS}</ref-list></back></response>"
    assert jats(refs="", more=response).entries == ()


@pytest.mark.parametrize(
    ("group", "titles"),
    [
        ("<article-title>On rest<xref><sup>1</sup></xref></article-title>", ["On rest"]),
        ("<article-title>On rest<fn><p>Paid.</p></fn> *</article-title>", ["On rest"]),
        (
            "<article-title>On rest</article-title><subtitle>in mud</subtitle>",
            ["On rest: in mud", "On rest", "in mud"],
        ),
        (
            "<article-title>Ovos</article-title><trans-title-group><trans-title>Eggs</trans-title>"
            "</trans-title-group><alt-title>O.</alt-title>",
            ["Ovos", "Eggs", "O."],
        ),
    ],
)
def test_titles_by_which_an_article_goes(group: str, titles: list[str]) -> None:
    article = jats(meta=f"<title-group>{group}</title-group>")
    assert list(article.work.titles) == titles


ENGLISH = (
    "<sub-article article-type='translation' xml:lang='{}'><front-stub><title-group>"
    "<article-title>Eggs</article-title></title-group><abstract><p>They rest.</p></abstract>"
    f"</front-stub><body><p>Eggs rest {LINK}1</xref>.</p></body></sub-article>"
)


def test_the_english_translation_is_read_and_named() -> None:
    meta = "<title-group><article-title>Ovos</article-title></title-group>"
    article = jats("<p>Ovos.</p>", meta=meta, more=ENGLISH.format("en"))
    texts = [text for _, text in blocks(article)]
    assert texts == ["Eggs", "They rest.", "Eggs rest 1."]
    assert article.work.titles == ("Eggs", "Ovos")
    assert [keys for _, keys in article.links] == [("b1",)]
    assert article.notes == ("the English translation in the file is read",)
    other = jats("<p>Eggs.</p>", meta=meta, more=ENGLISH.format("pt"))
    assert (body(other), other.notes) == ("Eggs.", ())
    assert other.work.titles == ("Ovos", "Eggs")


def test_escaped_markup_is_named_with_its_line() -> None:
    article = jats("<sec>\n<p>&lt;p&gt;Eggs rest.&lt;/p&gt;</p></sec>")
    assert article.notes == ("line 2: escaped markup is read as text",)


def test_dialects_of_tei() -> None:
    front = "<div type='abstract'><p>Eggs rest.</p></div><div type='dedication'><p>To A.</p></div>"
    text = (
        "<p>We count<ref type='foot' target='#foot_0'>foot_0</ref> eggs <ptr target='#b0'/>.</p>"
        "<formula>x = 1</formula><figure type='table'><head>Table 1</head><table><row>"
        "<cell>1</cell></row></table><note><p>Wet.</p></note></figure>"
        "<note xml:id='foot_0'>By eye.</note>"
    )
    entry = (
        "<biblStruct xml:id='b0'><analytic><title level='a' type='main'>On rest</title>"
        "<title level='a' type='sub'>in mud</title><author>Doe, J.</author></analytic>"
        "<idno type='arXiv'>arXiv:1999.99991v2[cs.XX]</idno></biblStruct>"
    )
    whole = f"<front>{front}</front><body>{text}</body><back><listBibl>{entry}</listBibl></back>"
    article = read_xml("x", f"<TEI><teiHeader/><text>{whole}</text></TEI>".encode())
    assert blocks(article) == [
        ("abstract", "Eggs rest."),
        ("body", "We count eggs ."),
        ("table", "x = 1"),
        ("caption", "Table 1"),
        ("table", "1"),
        ("back", "Wet."),
        ("back", "By eye."),
    ]
    assert [keys for _, keys in article.links] == [("b0",)]
    [known] = article.entries
    assert (known.work.titles[0], known.work.authors) == ("On rest: in mud", ("Doe",))
    assert known.work.ids == {"arxiv": "1999.99991"}


def test_tei_by_hand() -> None:
    article = read_article(Path(__file__).parents[2] / "samples" / "tei.xml" / "a.tei.xml")
    assert blocks(article) == [
        ("title", "On rest"),
        ("abstract", "Cells rest."),
        ("heading", "2 Results"),
        ("body", "So [1] do 1 x = 1 we."),
        ("caption", "Figure 1 Mice."),
        ("back", "See there."),
        ("heading", "Proofs"),
        ("back", "None."),
    ]
    assert (article.work.ids, article.work.authors) == ({"doi": "10.1234/rest"}, ("Doe",))
    [(span, keys)] = article.links
    assert (span.of(article.document.text), keys) == ("[1]", ("b0",))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("declared", ["", " encoding='UTF-16'", ' encoding="utf-8"'])
def test_encodings_whatever_is_declared(tmp_path: Path, encoding: str, declared: str) -> None:
    xml = f"<?xml version='1.0'{declared}?>\r\n<article><body><p>Eggs “rest”.</p></body></article>"
    (tmp_path / "paper.txt").write_bytes(xml.encode(encoding))
    assert body(read_article(tmp_path / "paper.txt")) == "Eggs “rest”."


def test_other_encodings_are_believed() -> None:
    declared = "\n<?xml version='1.0' encoding='iso-8859-1'?>"
    xml = f"{declared}<article><body><p>Über.</p></body></article>"
    assert body(read_xml("x", xml.encode("iso-8859-1"))) == "Über."


def test_lines_are_counted_from_the_top_of_the_file() -> None:
    with pytest.raises(DataError, match="line 4"):
        content = b"\n\n<?xml version='1.0'?>\n<article><p>R & D</p></article>"
        read_xml("x", content, Path("x.xml"))


def test_what_converters_from_pdf_leave() -> None:
    written = "<p>Eggs\x0c rest&#12;in &#x3b1;&#xFFFF;mud.\x00</p>"
    assert body(jats(written)) == "Eggs rest in α mud."


def test_long_words_and_deep_nesting() -> None:
    deep = "<italic>" * 500 + "Eggs rest." + "</italic>" * 500
    article = jats(f"<p>{'A' * 11_000_000} {deep}</p>")
    assert body(article) == "… Eggs rest."
    assert article.notes == ("what has more than 1000 letters and no space is left out",)
    sections = "<sec>" * 700 + "<p>Eggs rest.</p>" + "</sec>" * 700
    assert body(jats(sections)) == "Eggs rest."


def test_a_bomb_in_an_attribute_is_refused() -> None:
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghijk")
    )
    bomb = f"<!DOCTYPE x [{entities}]><article><body><p id='&k;'>x</p></body></article>"
    with pytest.raises(DataError, match="well-formed"):
        read_xml("x", bomb.encode())


def test_gzip_and_names_of_files(tmp_path: Path) -> None:
    xml = b"<article><body><p>Eggs rest.</p></body></article>"
    (tmp_path / "a.nxml.gz").write_bytes(gzip.compress(xml))
    (tmp_path / "PMC17").mkdir()
    (tmp_path / "PMC17" / "fulltext.xml").write_bytes(xml)
    (tmp_path / ".hidden.xml").touch()
    (tmp_path / "notes.txt").touch()
    files = [*files_below([tmp_path])]
    assert [read_article(file).document.doc_id for file in files] == ["PMC17", "a"]
    (tmp_path / "a.nxml.gz").write_bytes(gzip.compress(xml)[:-9])
    with pytest.raises(DataError, match="cannot be unpacked"):
        read_article(tmp_path / "a.nxml.gz")
    with ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", "x")
    with pytest.raises(DataError, match=r"Word .*GROBID"):
        read_article(tmp_path / "a.docx")


def test_time_grows_with_the_number_of_paragraphs() -> None:
    """120,000 paragraphs take under 20 s; if time grew with the square, minutes."""
    entry = ref("b1", "<surname>Doe</surname><year>2001</year>", "1")
    marked = "<p><s>Eggs rest (Doe, 2001).</s></p>"
    started = process_time()
    article = jats(f"{marked}<p>Mud dries in ponds.</p>" * 60_000, entry)
    assert len(with_sentences(article).sentences or ()) == 120_000
    assert process_time() - started < 20


@pytest.mark.parametrize(
    "date",
    [
        "<pub-date><day>25</day><month>1</month><year>2018</year></pub-date>",
        "<pub-date><season>Fall</season><year>2018</year></pub-date>",
        '<pub-date iso-8601-date="2018-01-25"/>',
        "<pub-date><string-date>25 January 2018</string-date></pub-date>",
        "<pub-history><event><date><day>5</day><month>12</month><year>2018</year></date></event>"
        "</pub-history>",
    ],
)
def test_the_year_in_every_form_of_a_date(date: str) -> None:
    assert jats(meta=date).work.years == ("2018",)


TYPE = '<!DOCTYPE article SYSTEM "file:///no.dtd">'
BOMB = '<!DOCTYPE x [<!ENTITY b "bbb"><!ENTITY a "&b;&b;">]>'
FILE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("doctypes", "written", "read"),
    [
        # no entity is expanded, nothing is fetched
        ([BOMB, FILE, TYPE], "Eggs &a; rest.", "Eggs &a; rest."),
        # what a document type would declare, and what leaves no doubt
        ([TYPE, ""], "&alpha;-eggs", "α-eggs"),
        ([TYPE, ""], "at <mml:math><mml:mi>T</mml:mi></mml:math>", "at T"),
        ([TYPE, ""], "&thinsp;at <mml:math><mml:mi>T</mml:mi></mml:math>", "at T"),
        ([TYPE, ""], "<ext-link xlink:href='http://example.org'>at</ext-link> T", "at T"),
        ([TYPE, ""], "<q:b xmlns:q='no address'>at</q:b> T", "at T"),
        ([TYPE, ""], "<b xml:id='2'>at</b> T", "at T"),
        ([TYPE, ""], "<b xml:id='p'>at</b> <b xml:id='p'>T</b>", "at T"),
    ],
)
def test_document_types_are_not_needed(doctypes: list[str], written: str, read: str) -> None:
    for doctype in doctypes:
        # as PubMed Central wraps it
        article = f"<set><article><body><p>{written}</p></body></article></set>"
        assert body(read_xml("x", f"{doctype}{article}".encode())).strip() == read


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"%PDF-1.4 nonsense", "PDF, not XML; GROBID"),
        (b"PK\x03\x04 nothing", "ZIP archive, not XML; unpack it"),
        (b"\xd0\xcf\x11\xe0 old", "Word .*save it as PDF, and GROBID"),
        (b'{"title": "On eggs"}', "JSON, not XML; take the article in JATS"),
        (b'[{"source": "PMC", "documents": []}]', "BioC .JSON.*; take the article in JATS"),
        (b"<collection><document><passage/></document></collection>", "BioC, which has no ref"),
        (b"<!DOCTYPE html>\n<html lang=en><body><br><p>x", "web page .HTML.*in JATS"),
        (
            b"<article><front><article-meta><title-group><article-title>On eggs</article-title>"
            b"</title-group></article-meta></front></article>",
            "a title, but no text below it",
        ),
        (b"# On rest\n\nCells <b>rest</b>.", "not XML; GROBID"),
        (b"<html><body>x</body></html>", "web page"),
        (b"<set><article/><article/></set>", "found 2 in <set>"),
        (b"<article><fm/><bdy><p>x</p></bdy></article>", "not JATS, which has no <bdy>.*TEI"),
        (b"<article><body></body></article>", "no text"),
        (b"<article><body>\n<p>x</body></article>", "line 2: not well-formed"),
        (b"<article><body>\n<p>x</p>", "line 2: not well-formed"),
        (b"<article>\n<p b='1' b='2'>x</p></article>", "line 2: not well-formed"),
        (b"<article><p>R & D</p></article>", "line 1: not well-formed"),
        (b"<article><p><a:1b/></p></article>", "line 1: not well-formed"),
        (b"<tex-math><article/></tex-math>", "no text"),
        (b"<?xml version='1.0' encoding='x'?><article/>", "line 1: not well-formed"),
        (b"<html><tei><text/></tei></html>", "found 0 in <html>; its <tei> lost its capitals"),
        (b"<article>" + b"<sec>" * 5_000, "depth"),
    ],
)
def test_what_is_no_article_is_refused_by_name(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    (tmp_path / "paper.xml").write_bytes(content)
    with pytest.raises(DataError, match=rf"paper\.xml.*{complaint}"):
        read_article(tmp_path / "paper.xml")


@pytest.mark.slow
@pytest.mark.open_data
def test_plos_articles_are_read_with_their_links(open_corpus: Callable[[str], Path]) -> None:
    articles = [*map(read_article, sorted(open_corpus("plos-jats").rglob("*.xml")))]
    assert len(articles) == 122
    assert all(a.work.titles and a.work.ids["doi"] and a.document.text for a in articles)
    assert sum(len(a.links) for a in articles) == 12_113
    assert sum(len(a.entries) for a in articles) == 7_279
