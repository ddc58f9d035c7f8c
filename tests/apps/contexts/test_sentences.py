"""Citations behind the full stop: whose they are, and that no table's corpus notices.

In the paragraphs below, ``{3}`` is a link with the text 3, and so is ``{[3]}``.
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citectx.apps.contexts.anybody import contexts, impact
from citectx.apps.contexts.finder import SENTENCE_KINDS, sentence_at
from citectx.apps.contexts.sentences import with_sentences
from citectx.corpora.articles import article_of, read_article
from citectx.corpora.references import Article
from citectx.language.text import SentenceSplitter
from citectx.paths import ROOT
from tests.test_layers import graph

DARK = "Cells rest in the dark"
LINKS = {
    "xml": '<xref ref-type="bibr" rid="b1">{}</xref>',
    "tei.xml": '<ref type="bibr" target="#b1">{}</ref>',
}


def article(folder: Path, paragraph: str, kind: str = "xml") -> Article:
    """An article with one paragraph, as JATS or as TEI."""
    inside = re.sub(r"\{(.*?)\}", lambda found: LINKS[kind].format(found[1]), paragraph)
    if kind == "xml":
        text = f"<article><body><p>{inside}</p></body></article>"
    else:
        text = f"<TEI><text><body><div><p>{inside}</p></div></body></text></TEI>"
    path = folder / f"citing.{kind}"
    path.write_text(text, "utf-8")
    return read_article(path)


def sentences(folder: Path, paragraph: str, kind: str = "xml") -> list[str]:
    """The paragraph's sentences, the same as when cut out of the article by offsets."""
    own = article(folder, paragraph, kind)
    document = with_sentences(own, SentenceSplitter())
    assert (document.text, document.blocks) == (own.document.text, own.document.blocks)
    return [document.text[slice(*span)] for span in document.sentences or ()]


BEHIND = {
    "number without a space": ("{1} Some", "1"),
    "superscript in the link": ("{<sup>1</sup>} Some", "1"),
    "brackets without a space": ("{[3]} Some", "[3]"),
    "brackets around the link": ("[{3}] Some", "[3]"),
    "brackets behind a space": (" {[3]} Some", " [3]"),
    "two numbers": ("{1},{2} Some", "1,2"),
    "a range of links": ("{[3]}–{[5]} Some", "[3]–[5]"),
    "a range of superscripts": ("{<sup>1</sup>}<sup>–</sup>{<sup>3</sup>} Some", "1–3"),
    "a range of which one end is a link": ("{1}–3 Some", "1–3"),
    "a group behind a space": (" {[3]}, {[5]} and {[7]} Some", " [3], [5] and [7]"),
    "a group with one link": (" [{3}, 5–7] Some", " [3, 5–7]"),
    "author and year in brackets": (" ({Doe 2001}; {Roe 2002}) Some", " (Doe 2001; Roe 2002)"),
    "inside a closing quote": ("{[3]}” Some", "[3]”"),
    "before a sentence that begins with a digit": (" {[3]} 20 of them", " [3]"),
    "before a quotation": (" {[3]} “Some", " [3]"),
    "before a panel of a figure": (" {[3]} (B) Some", " [3]"),
    "before a lower-case name, without a space": ("{1} p53 and some", "1"),
}


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize(("behind", "marker"), BEHIND.values(), ids=BEHIND)
def test_a_citation_behind_the_stop_closes_its_sentence(
    behind: str, marker: str, kind: str, tmp_path: Path
) -> None:
    found = sentences(tmp_path, f"{DARK}.{behind} divide. Others rest.", kind)
    following = re.sub(r"<.*?>|[{}]", "", behind).removeprefix(marker).strip()
    assert found == [f"{DARK}.{marker}", f"{following} divide.", "Others rest."]


@pytest.mark.parametrize("stop", ["?", "!", ".”", ".)"])
def test_other_ends_of_sentences(stop: str, tmp_path: Path) -> None:
    assert sentences(tmp_path, f"({DARK}{stop} {{[3]}} Some divide.") == [
        f"({DARK}{stop} [3]",
        "Some divide.",
    ]


@pytest.mark.parametrize(
    "marker", ["{[3]}", "[{3}]", " [{3},{4}]", "{<sup>3</sup>}", " ({Doe 2001})"]
)
def test_a_sentence_ends_behind_a_citation_without_a_space(marker: str, tmp_path: Path) -> None:
    plain = re.sub(r"<.*?>|[{}]", "", marker)
    found = sentences(tmp_path, f"{DARK}{marker}.However, some divide{marker}.It helps.")
    whole = [f"{DARK}{plain}.", f"However, some divide{plain}.", "It helps."]
    assert [re.sub(r"\s", "", text) for text in found] == [re.sub(r"\s", "", s) for s in whole]


@pytest.mark.parametrize("name", ["{[3]}.com", "{3}.5 mg"])
def test_a_stop_without_a_space_that_ends_nothing(name: str, tmp_path: Path) -> None:
    assert len(sentences(tmp_path, f"Cells rest at {name} today. Others divide.")) == 2


@pytest.mark.parametrize(
    "own",
    [
        "{[3]} showed that some divide.",
        "[{3}] and [{4}] showed that some divide.",
        "{[3]}, {[4]} have seen some divide.",
        "{12} have seen some divide.",
        "{[3]}’s model has them divide.",
        "{[3]}: a review.",
        "In {[4]} they divide.",
        "{Doe (2001)} DNA was found.",
        "(see {[3]}) Some divide.",
        "[3] Some divide, which is no link.",
        "5.4? That is no link, either.",
    ],
)
def test_a_citation_that_begins_a_sentence_stays_there(own: str, tmp_path: Path) -> None:
    paragraph = f"{DARK}. {own} So do others {{[9]}}."
    plain = article(tmp_path, paragraph).document
    expected = [plain.text[slice(*span)] for span in SentenceSplitter().sentences(plain).spans]
    assert sentences(tmp_path, paragraph) == expected
    assert expected[:2] != [f"{DARK}."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Doe et al. {[3]} showed it.",
        "Doe et al.{<sup>3</sup>} showed it.",
        "As in Fig. {[3]} cells rest.",
        "Some rest, i.e. {[3]} Not all.",
        "Some rest (Ref. {3}) in the dark.",
        "We used version 2.2 {[19]} here.",
        "We used version 2.2{<sup>19</sup>} here.",
        "The doses (Table 1.) {[3]} suggested it.",
        "We ask whether they rest (do others rest?) {[3]} and how.",
    ],
)
def test_a_stop_that_ends_no_sentence_is_none_before_a_citation(
    sentence: str, tmp_path: Path
) -> None:
    plain = re.sub(r"<.*?>|[{}]", "", sentence)
    assert sentences(tmp_path, f"They rest. {sentence} Others do not.") == [
        "They rest.",
        plain,
        "Others do not.",
    ]


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (". {[95]}", ". [95]"),
        (".{1}", ".1"),
        (". {[3]} and {[4]}", ". [3] and [4]"),
        (".” {[75]}.", ".” [75]."),
        (", as in v. 1.1 {[8]}–{[9]}.", ", as in v. 1.1 [8]–[9]."),
        (": a: {[1]}, {[2]}. b: {[3]}. c: {[4]}.", ": a: [1], [2]. b: [3]. c: [4]."),
        ("? {[49]}).", "? [49])."),
    ],
)
def test_what_has_no_words_of_its_own_is_no_sentence(
    end: str, expected: str, tmp_path: Path
) -> None:
    assert sentences(tmp_path, f"{DARK}{end}") == [f"{DARK}{expected}"]
    if end.endswith("."):
        assert sentences(tmp_path, f"{DARK}{end} Others divide.") == [
            f"{DARK}{expected}",
            "Others divide.",
        ]


def test_no_sentence_grows_into_another_paragraph(tmp_path: Path) -> None:
    assert sentences(tmp_path, f"{DARK}.</p><p>{{[3]}}</p><p>{{[4]}} Some divide.") == [
        f"{DARK}.",
        "[3]",
        "[4] Some divide.",
    ]


def test_articles_without_links_and_prescribed_sentences_are_left_alone(tmp_path: Path) -> None:
    text = article_of(f"{DARK}. [3] Some divide.")
    assert with_sentences(text, SentenceSplitter()) is text.document
    linked = article(tmp_path, f"{DARK}. {{[3]}} Some divide.")
    prescribed = replace(
        linked.document, sentences=SentenceSplitter().sentences(linked.document).spans
    )
    assert with_sentences(replace(linked, document=prescribed), SentenceSplitter()) is prescribed


@pytest.mark.parametrize(
    "paragraph", ["." + "{[1]} " * 20_000 + "x", ". [" + "{Doe} " * 20_000 + "x"]
)
def test_no_file_makes_the_search_slow(paragraph: str, tmp_path: Path) -> None:
    own = article(tmp_path, f"{DARK} {{1}}{paragraph}")
    begin = time.process_time()
    with_sentences(own, SentenceSplitter())
    assert time.process_time() - begin < 5


def citing_behind_the_stop(folder: Path) -> Path:
    """A citing article of our example, with its citations moved behind the full stops."""
    text = (ROOT / "docs" / "your-paper" / "citing-review.xml").read_text("utf-8")
    moved, citations = re.subn(r" \[(<xref.*?</xref>)\]\.", r".\1", text)
    assert citations == 4
    moved = re.sub(r"(<xref[^>]*>)(\w+)</xref>", r"\1<sup>\2</sup></xref>", moved)
    path = folder / "citing.xml"
    path.write_text(moved, "utf-8")
    return path


def test_the_commands_find_the_same_sentences_wherever_the_citation_stands(tmp_path: Path) -> None:
    folder = ROOT / "docs" / "your-paper"
    before = contexts(folder / "article.xml", citing=[folder / "citing-review.xml"]).topic.citances
    found = impact(folder / "article.xml", citing=[citing_behind_the_stop(tmp_path)]).contexts
    words = [re.sub(r"[^a-z]", "", c.text) for c in (*before, *found.topic.citances)]
    assert words[: len(before)] == words[len(before) :]
    assert any(re.search(r"\.\d$", c.text) for c in found.topic.citances)
    [citing] = found.topic.citing.values()
    assert all(citing.text[slice(*c.span)] == c.text for c in found.topic.citances if c.span)


def test_no_table_of_a_paper_reads_articles_so() -> None:
    """Who may reach these sentences by imports: the corpora of all others keep theirs."""
    arrows = graph()
    reached = {"citectx.apps.contexts.sentences"}
    while more := {name for name, others in arrows.items() if others & reached} - reached:
        reached |= more
    assert reached == {
        *(f"citectx.apps.contexts.{name}" for name in ("sentences", "finder", "anybody", "bulk")),
        "citectx",
    }


@pytest.mark.open_data
@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("pone.0050698", 0),
        ("pmed.1001473", 0),
        ("pone.0118238", 9),
    ],  # the last one means it: "[3] showed"
)
def test_citations_that_begin_a_sentence_in_plos(
    open_corpus: Callable[[str], Path], name: str, begin: int
) -> None:
    own = read_article(
        open_corpus("plos-jats") / "allofplos" / "starter_corpus" / f"journal.{name}.xml"
    )
    split = SentenceSplitter().sentences(with_sentences(own, SentenceSplitter()), SENTENCE_KINDS)
    places = [(link.span.start, sentence_at(split, link.span.start)) for link in own.links]
    leads = [
        own.document.text[split.spans[i].start : start] for start, i in places if i is not None
    ]
    assert len([lead for lead in leads if not lead.strip("[( ")]) == begin
