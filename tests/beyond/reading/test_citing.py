"""Citing sentences: where they are, where they end, and how many of real ones are found."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from citectx.beyond.reading.articles import Article, Link, read_article
from citectx.beyond.reading.citing import Citations, cited_in, with_sentences
from citectx.beyond.reading.references import Entry, Work
from citectx.corpora.model import Document
from citectx.types import Span
from tests.beyond.reading.test_articles import jats, ref, tei


def sentences(article: Article) -> list[str]:
    document = with_sentences(article)
    return [span.of(document.text) for span in document.sentences or ()]


def article(text: str, links: dict[str, str], names: bool = False) -> Article:
    """Make an article whose links are pieces of text, each with the keys that it points to."""
    placed, start = [], 0
    for piece, keys in links.items():
        start = text.index(piece, start)
        placed.append((Span(start, start + len(piece)), tuple(keys.split())))
        start += len(piece)
    entries = []
    for n in range(1, 7):
        known = Work((f"Title {n}",), ("2001",), (f"Doe{'abcdef'[n - 1]}",) if names else ())
        entries.append(Entry((f"b{n}",), str(n), known))
    return Article(Document("citing", text), Work(), tuple(entries), tuple(placed))


def cited(citing: Article, number: int) -> list[str]:
    places = Citations(citing).of(citing.entries[number - 1 : number])
    return [place.span.of(citing.document.text) for place in places]


@pytest.mark.parametrize(
    ("text", "links", "found"),
    [
        ("We [3], [5] rest.", {"[3]": "b3"}, ["[3]"]),
        ("We [2]-[5] rest.", {"[2]": "b2", "[5]": "b5"}, ["[2]"]),  # between two links
        ("We [2]~[5] rest.", {"[2]": "b2", "[5]": "b5"}, ["[2]"]),
        ("We 2 through 5 rest.", {"2": "b2", "5": "b5"}, ["2"]),
        ("We 2 to 5 rest.", {"2": "b2", "5": "b5"}, ["2"]),
        ("We [2–5] rest.", {"2–5": "b2"}, ["2–5"]),  # inside a link
        ("We [2], [5] rest.", {"[2]": "b2", "[5]": "b5"}, []),
        ("We [5]-[2] rest.", {"[5]": "b5", "[2]": "b2"}, []),
        ("We [3] rest [1].", {"[3]": "", "[1]": "b1"}, ["[3]"]),  # the file tells no target
        ("We [1,2] rest [3-6].", {}, ["[3-6]"]),  # no links at all
    ],
)
def test_places_are_found_by_link_range_and_number(
    text: str, links: dict[str, str], found: list[str]
) -> None:
    assert cited(article(text, links), 3) == found


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("O’Madden", "O'Madden, 2016"),
        ("O'Madden", "O’MADDEN et al. (2016"),
        ("Mädden", "Madden et al. 2016b"),
        ("Madden", "MA\u0308DDEN, 2016"),
        ("Smith-Jones", "Smith\u2010Jones, 2016"),
        ("Smith-Jones", "Smith\u2013Jones 2016b, c"),
        ("Madden", "Madden, 2012, 2016"),
        ("Madden", "Madden et al. (2012; 2014, 2016"),
        ("Madden", "Madden 2012 and 2016"),
    ],
)
@pytest.mark.parametrize("linked", [True, False])
def test_names_are_compared_as_words_are(name: str, printed: str, linked: bool) -> None:
    parts = f"<surname>{name}</surname><article-title>On light</article-title><year>2016</year>"
    other = "<surname>Noe</surname><article-title>Moss</article-title><year>2016</year>"
    link = f'<xref ref-type="bibr">{printed}</xref>' if linked else printed
    text = f"<p>Moss dries (Noe, 2016). Eggs hatch ({link}).</p>"
    citing = jats(text, ref("a", other) + ref("b", parts))
    document = with_sentences(citing)
    citances, _ = cited_in(citing, citing.entries[1].work, document)
    assert [citance.text[:10] for citance in citances] == ["Eggs hatch"]


def doe(letter: str, *authors: str, raw: bool = True) -> Entry:
    """An entry of 2001 by Doe and others."""
    text = f"Doe, 2001{letter}." if raw else "Doe. 2001."
    return Entry((letter,), letter, Work((f"On {letter}",), ("2001",), ("Doe", *authors)), text)


def test_where_two_entries_fit_the_answer_has_a_note_unless_a_letter_decides() -> None:
    entries = doe("a"), doe("b")
    links: tuple[Link, ...] = ((Span(0, 9), ()), (Span(14, 25), ()))
    citing = Article(Document("x", "Doe, 2001 and Doe (2001b) rest."), Work(), entries, links)
    places = [Citations(citing).of([entry]) for entry in entries]
    assert [[place.is_unsure for place in found] for found in places] == [[True], [True, False]]
    _, note = cited_in(citing, entries[0].work, citing.document)
    assert "1 of them may cite another entry, which has the same names and year" in note


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("Doe et al. 2001a", "a"),
        ("Doe et al. (2001b)", "b"),
        ("(Doe et al., 2001a, b)", "ab"),
        ("(Doe et al., 2001c)", ""),
        ("(Doe, 2001)", "c"),
        ("Doe & Poe, 2001", ""),
        ("Doe & Roe, 2001", "a"),
        ("Roe & Doe, 2001", ""),
        ("However, Doe, Poe and Noe (2001)", "b"),
        ("Zoe and Doe (2001)", ""),
        ("in ponds and Doe (2001)", "c"),
        ("Doe and her colleagues (2001b)", "b"),
    ],
)
def test_authors_in_their_order_and_letters_by_the_order_of_the_list(
    printed: str, found: str
) -> None:
    authors = {"a": ("Roe",), "b": ("Poe", "Noe"), "c": ()}
    entries = tuple(doe(letter, *names, raw=False) for letter, names in authors.items())
    citing = Article(Document("x", f"It is so {printed}."), Work(), entries)
    assert "".join(e.label for e in entries if Citations(citing).of([e])) == found


@pytest.mark.parametrize(
    ("surname", "printed"),
    [
        ("<forename>T</forename><surname>Le Scao</surname>", "Scao et al., 2016"),
        ("<forename>T</forename><surname>Le Scao</surname>", "(Le Scao et al., 2016)"),
        ("<forename>T Le</forename><surname>Scao</surname>", "Le Scao et al. (2016)"),
        ("<surname>Teven Le Scao</surname>", "Scao et al. (2016)"),
        ("<forename>A</forename><surname>van der Roe</surname>", "Van der Roe et al.’s (2016)"),
    ],
)
def test_particles_and_whole_names_of_grobid(surname: str, printed: str) -> None:
    entry = (
        f"<biblStruct xml:id='b0'><analytic><title level='a'>On mud</title>"
        f"<author><persName>{surname}</persName></author></analytic>"
        "<monogr><imprint><date when='2016'/></imprint></monogr></biblStruct>"
    )
    text = f"<p>Eggs rest <ref type='bibr'>{printed}</ref>.</p>"
    citing = tei(f"{text}<listBibl>{entry}</listBibl>")
    citances, _ = cited_in(citing, citing.entries[0].work, with_sentences(citing))
    assert len(citances) == 1


def test_a_quotation_ends_with_its_source() -> None:
    link = '<xref ref-type="bibr" rid="b1">Doe</xref>'
    source = f"<attrib>— {link}. On rest. Ponds, 2001.</attrib>"
    quoted = f"<disp-quote><p>Eggs rest.</p>{source}</disp-quote>"
    citing = jats(f"<p>It was said:</p>{quoted}<p>So.</p>", ref("b1", "Doe"))
    assert sentences(citing)[1] == "Eggs rest. — Doe. On rest. Ponds, 2001."


@pytest.mark.parametrize(
    ("how", "note"),
    [
        (Work(("Fish",)), r"does not cite the article \(searched for Fish\)"),
        (Work(), "not searched"),
        (Work(("Why cells rest in the dark",)), "found by title.* no sentence points there"),
    ],
)
def test_why_there_is_no_citing_sentence(how: Work, note: str) -> None:
    title = "<article-title>Why cells rest in the dark</article-title>"
    citing = jats("<p>Eggs hatch.</p>", ref("b1", title))
    citances, said = cited_in(citing, how, citing.document)
    assert citances == []
    assert re.search(note, said)
    alone = jats("<p>Eggs hatch.</p>", "")
    _, said = cited_in(alone, Work(("Fish",)), alone.document)
    assert "no reference list" in said


def test_letters_behind_a_year_name_several_entries() -> None:
    entries = []
    for date in ("2001a", "2001b", "2003"):
        known = Work((), (date[:4],), ("Doe",))
        entries.append(Entry((date,), "", known, f"Doe, {date}."))
    citing = Article(Document("x", "So (Doe 2001a, b). So (Doe 2003)."), Work(), tuple(entries))
    places = [[place.span.start for place in Citations(citing).of([entry])] for entry in entries]
    assert places == [[8], [8], [27]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Cells rest. [3] However, mice run.", ["Cells rest. [3]", "However, mice run."]),
        ("Cells rest.[3] However, mice run.", ["Cells rest.[3]", "However, mice run."]),
        ("Cells rest. [3], [4]", ["Cells rest. [3], [4]"]),
        ("Cells rest. [3] saw this.", ["Cells rest.", "[3] saw this."]),
        ("Cells rest [3].However, mice run.", ["Cells rest [3].", "However, mice run."]),
        ("All rest (Table 1.) [3, 4] saw this.", ["All rest (Table 1.) [3, 4] saw this."]),
        ("As Doe et al. [3] saw, mice run.", ["As Doe et al. [3] saw, mice run."]),
        ("As shown in Sec. 3 eggs hatch.", ["As shown in Sec. 3 eggs hatch."]),
        ("It took 5 sec. per egg.", ["It took 5 sec. per egg."]),
        ("By Thm. 1 and Eqn. 2 this holds.", ["By Thm. 1 and Eqn. 2 this holds."]),
        ("It took max. 3 hr. in all.", ["It took max. 3 hr. in all."]),
        ("We blocked kinase A. These cells rest.", ["We blocked kinase A.", "These cells rest."]),
        ("We saw it with J. Doe. It rests.", ["We saw it with J. Doe.", "It rests."]),
        ("Eggs need vitamin C. Birds eat them.", ["Eggs need vitamin C.", "Birds eat them."]),
        ("They saw A and B. However, C rests.", ["They saw A and B.", "However, C rests."]),
        ("This is by J. Doe and P. A. Roe of Rome.", ["This is by J. Doe and P. A. Roe of Rome."]),
        ("See pl. 3 and ver. 2 of it.", ["See pl. 3 and ver. 2 of it."]),
        ("This n.gen. n.sp. was new.", ["This n.gen. n.sp. was new."]),
        ("They rest for 16 h. Cells divide.", ["They rest for 16 h.", "Cells divide."]),
        ("Given i.v. injections, mice run.", ["Given i.v. injections, mice run."]),
        ("Figure 1. Cells at rest.", ["Figure 1. Cells at rest."]),
    ],
)
def test_where_sentences_end(text: str, parts: list[str]) -> None:
    links = dict.fromkeys(re.findall(r"\d(?=\]|, \d\])", text), "b1")
    assert sentences(article(text, links)) == parts


def test_sentences_that_the_file_marks_are_kept() -> None:
    marked = "<div><p><s>Eggs rest in e.g.</s><s>mud [1].</s></p><p>Two rest. Four do.</p></div>"
    assert sentences(tei(marked)) == ["Eggs rest in e.g.", "mud [1].", "Two rest.", "Four do."]


APART = "fig table-wrap supplementary-material list disp-quote fn graphic tex-math label".split()
OUTSIDE = "caption table title ref-list sub-article response contrib-group".split()
Place = tuple[str, str]
"""A paragraph's letters before a citation and behind it."""


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, unicodedata.normalize("NFC", text)))


def stream(node: Element) -> Iterator[tuple[str, Element | None]]:
    """The text of a paragraph in pieces, those of a citation with its element."""
    yield node.text or "", None
    for part in node:
        if part.tag == "xref":
            cites = part.get("ref-type") == "bibr"
            yield "".join(part.itertext()), part if cites else None
        elif part.tag not in APART:
            yield from stream(part)
        yield part.tail or "", None


def places(node: Element) -> Iterator[tuple[Element, Place]]:
    """All citations in paragraphs and captions, each with its place."""
    for part in node:
        if part.tag in ("p", "caption"):
            label = (node.findtext("label") or "") if part.tag == "caption" else ""
            pieces = [(label, None), *stream(part)]
            texts = [letters(text) for text, _ in pieces]
            for i, (_, citation) in enumerate(pieces):
                if citation is not None:
                    yield citation, ("".join(texts[:i]), "".join(texts[i:]))
        if part.tag not in OUTSIDE:
            yield from places(part)


def holds(own: str, place: Place) -> bool:
    """Tell whether a sentence, in letters, stands around a place."""
    before, behind = place
    start = (before + behind).find(own, max(0, len(before) - len(own)))
    return bool(own) and 0 <= start <= len(before) <= start + len(own)


IMPLIED = re.compile(r"\d\]?\s*[-‐–—−]\s*\[?\d")


@pytest.mark.slow
@pytest.mark.open_data
def test_citing_sentences_of_122_plos_articles(open_corpus: Callable[[str], Path]) -> None:
    """The links of the files are gold, read by another road, as letters; a fifth of the entries.

    Works that a list has twice are left out, and a sentence with a range counts if it has a link.
    """
    hits = links = right = returned = 0
    for path in sorted(open_corpus("plos-jats").rglob("*.xml")):
        citing, gold = read_article(path), defaultdict[str, list[Place]](list)
        for citation, place in places(ElementTree.parse(path).getroot()):
            for key in citation.get("rid", "").split():
                gold[key].append(place)
        document = with_sentences(citing)
        titles = Counter(letters(title) for entry in citing.entries for title in entry.work.titles)
        for entry in citing.entries[::5]:
            if {titles[letters(title)] for title in entry.work.titles} != {1}:
                continue
            expected = gold[entry.keys[0]]
            citances, _ = cited_in(citing, entry.work, document)
            texts = [letters(citance.text) for citance in citances]
            hits += sum(any(holds(text, place) for text in texts) for place in expected)
            links += len(expected)
            for citance, text in zip(citances, texts, strict=True):
                is_right = any(holds(text, place) for place in expected)
                right += is_right
                returned += is_right or not IMPLIED.search(citance.text)
    print(f"recall {hits / links:.4f} of {links}, precision {right / returned:.4f} of {returned}")
    assert hits / links > 0.99
    assert right / returned > 0.995
