from typing import Any

import pytest

from citectx.corpora.model import Document
from citectx.corpora.references import Article, Link, Reference, Work, find, mentions
from citectx.types import Span

TITLE = "Dim light shortens the dormancy of pond rotifers"
DOI = "10.99999/made-up.1"


def entry(key: str, label: str = "", text: str = "", **known: object) -> Reference:
    return Reference(key, label, Work(**known), text)  # type: ignore[arg-type]


def article(text: str, links: dict[str, str], labels: str = "1 2 3 4 5 6") -> Article:
    """Make an article whose links are pieces of text, each with the keys that it points to."""
    placed, start = [], 0
    for piece, keys in links.items():
        start = text.index(piece, start)
        placed.append(Link(Span(start, start + len(piece)), tuple(keys.split())))
        start += len(piece)
    entries = [
        entry(f"b{n}", n, authors=(f"Doe{n}",), year="2001", title=f"Title {n}")
        for n in labels.split()
    ]
    return Article(Document("citing", text), Work(), tuple(entries), tuple(placed))


@pytest.mark.parametrize(
    ("work", "reference", "how"),
    [
        ({"doi": DOI, "title": "x"}, {"doi": DOI, "title": "y"}, "doi"),
        ({"pmid": "7", "title": TITLE}, {"pmid": "7"}, "pmid"),
        (
            {"title": TITLE, "year": "2016"},
            {"title": TITLE.upper() + ".", "year": "2016b"},
            "title",
        ),
        ({"title": TITLE, "year": "2016"}, {"title": TITLE, "year": "2017"}, "title"),
        ({"title": TITLE, "year": "2016"}, {"title": TITLE, "year": "2018"}, ""),
        ({"title": TITLE}, {"title": TITLE.replace("pond rotifers", "pond rotifer")}, "title"),
        ({"title": TITLE + " I"}, {"title": TITLE.replace("pond", "lake")}, ""),
        ({"title": TITLE + " 1"}, {"title": TITLE + " 2"}, ""),
        ({"title": "Introduction"}, {"title": "Introduction"}, ""),
        (
            {"title": "Rest", "authors": ("Doe",)},
            {"title": "Rest", "authors": ("Roe", "Doe")},
            "title",
        ),
        ({"title": TITLE, "doi": DOI}, {"title": TITLE, "doi": "10.99999/other"}, ""),
        ({}, {}, ""),
    ],
)
def test_a_work_is_found_by_identifier_else_by_title_and_year(
    work: dict[str, Any], reference: dict[str, Any], how: str
) -> None:
    entries = [entry("other", title="Nights beside a pond"), entry("b", **reference)]
    found = find(Work(**work), entries)
    assert found == (("b",) if how else (), how)


def test_an_entry_that_is_only_text_is_found_by_the_title_in_it() -> None:
    assert find(Work(TITLE), [entry("b", text=f"Maddern. {TITLE}. 2016.")]) == (("b",), "title")


@pytest.mark.parametrize(
    ("text", "links", "expected"),
    [
        ("We [2]-[5] rest.", {"[2]": "b2", "[5]": "b5"}, "range"),  # between two links
        ("We [2–5] rest.", {"2": "b2", "5": "b5"}, "range"),
        ("We [2-5] rest.", {"2-5": "b2"}, "range"),  # inside one link
        ("We [2], [5] rest.", {"[2]": "b2", "[5]": "b5"}, None),
        ("We [5]-[2] rest.", {"[5]": "b5", "[2]": "b2"}, None),
        ("We [3], [5] rest.", {"[3]": "b3"}, "link"),
        ("We [3] rest [1].", {"[3]": "", "[1]": "b1"}, "marker"),  # the file does not say to what
        ("We [1], [3] rest.", {"[1]": "b1"}, "marker"),  # not linked at all
    ],
)
def test_places_are_found_by_link_range_and_marker(
    text: str, links: dict[str, str], expected: str | None
) -> None:
    found = [(m.key, m.how) for m in mentions(article(text, links), ["b3"])]
    assert found == ([("b3", expected)] if expected else [])


def test_without_links_the_style_that_reaches_most_entries_is_read() -> None:
    numbers = article("Cells [1,2] rest [4-6] in (3) mice.", {})
    assert [m.key for m in mentions(numbers, ["b3", "b5"])] == ["b5"]
    names = article("Doe1 (2001), Doe2 et al., 2001; Doe3 and Roe 2001 saw [4].", {})
    assert [m.key for m in mentions(names, ["b1", "b3", "b4"])] == ["b1", "b3"]
    assert not mentions(article("In (3) mice.", {}), ["b3"])  # reaches one of six


def test_numbers_of_footnotes_are_no_references_where_names_are_linked() -> None:
    text = article(
        "Doe1, 2001 rests. 3 Doe2, 2001 does not.",
        {"Doe1, 2001": "b1", "3": "", "Doe2, 2001": "b2"},
    )
    assert not mentions(text, ["b3"])


def test_a_name_that_fits_two_entries_is_left_alone_unless_the_coauthor_decides() -> None:
    entries = (
        entry("one", authors=("Doe", "Roe"), year="2001"),
        entry("two", authors=("Doe", "Poe"), year="2001"),
    )
    text = "Doe, 2001 and Doe and Poe (2001) differ."
    links = (Link(Span(0, 9), ()), Link(Span(14, 32), ()))
    citing = Article(Document("citing", text), Work(), entries, links)
    assert [m.key for m in mentions(citing, ["one", "two"])] == ["two"]


def test_only_titles_of_a_usual_length_are_compared_for_misprints() -> None:
    for times, keys in ((5, ("b1",)), (50, ())):
        title = " ".join(f"{TITLE} {i}" for i in range(times))
        other = entry("b1", title=title.replace("pond", "bond", 1), year="2001")
        assert find(Work(title, "2001"), [other])[0] == keys
