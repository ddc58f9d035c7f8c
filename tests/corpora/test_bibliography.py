"""Reference lists that are text."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora.bibliography import references_in
from citectx.corpora.references import Work, find

ENTRIES = [
    "Doe J, Roe R. Why cells rest in the dark. Nature. 2001;410:5-9.",
    "Poe E. How fish swim at night. Cell. 2003;12:345-9.",
    "Roe R. What birds see by day. Science. 1999;2:1-2.",
]
LISTS = {
    "square": "\n".join(f"[{i}] {e}" for i, e in enumerate(ENTRIES, 1)),
    "dots": "\n".join(f"{i}. {e}" for i, e in enumerate(ENTRIES, 1)),
    "round": "\n".join(f"({i}) {e}" for i, e in enumerate(ENTRIES, 1)),
    "one missing": "\n".join(f"{i}. {e}" for i, e in zip((1, 3, 4), ENTRIES, strict=True)),
    "wrapped": "\n".join(textwrap.fill(f"{i}. {e}", 30) for i, e in enumerate(ENTRIES, 1)),
    "a page in between": "\n".join(f"{i}. {e}\n\n" for i, e in enumerate(ENTRIES, 1)),
    "blank lines": "\n\n".join(e.replace(". ", ".\n", 1) for e in ENTRIES),
    "hanging": "\n".join(e.replace(". ", ".\n   ", 1) for e in ENTRIES),
    "lines": "\n".join(ENTRIES),
    "bullets": "\n".join(f"- {e.replace('. ', '.' + chr(10), 1)}" for e in ENTRIES),
    "by look": "\n".join(e.replace(". ", ".\n", 1).replace(". ", ".\n") for e in ENTRIES),
}


@pytest.mark.parametrize("how", LISTS)
def test_entries_are_told_apart(how: str) -> None:
    found = references_in(LISTS[how])
    assert [r.text for r in found] == ENTRIES
    assert [r.work.year for r in found] == ["2001", "2003", "1999"]
    labels = ["1", "3", "4"] if how == "one missing" else ["1", "2", "3"]
    assert [r.label for r in found] == labels


def test_names_in_brackets_are_labels() -> None:
    found = references_in("[Doe01] J. Doe. On rest. 2001.\n[Roe99] R. Roe. On\nfish. 1999.")
    assert [(r.label, r.text) for r in found] == [
        ("Doe01", "J. Doe. On rest. 2001."),
        ("Roe99", "R. Roe. On fish. 1999."),
    ]


@pytest.mark.parametrize(
    ("entry", "title", "year", "authors"),
    [
        ("Doe, J., & Roe, R. (2001a). Why cells rest. Nature, 2, 1.", "", "2001a", "Doe Roe"),
        ("Jane Doe and Rob van Roe. 2001. Why cells rest. In Cell.", "", "2001", "Doe Roe"),
        ("J. Doe, R. Roe, “Why cells rest,” Nature, vol. 2, 2001.", "", "2001", "Doe Roe"),
        ('Doe, J. "Why cells rest." Nature 410 (2001): 1-5.', "", "2001", "Doe"),
        ("Doe J, Roe RA. Why cells rest. Nature 2001;410:1999-2003.", "", "2001", "Doe Roe"),
        ("Doe, J. & Roe, R. Why cells rest. Nature 410, 1–2 (2001).", "", "2001", "Doe Roe"),
        ("Doe, J., Roe, R.: Why cells rest. In: Cell, pp. 1-5 (2001)", "", "2001", "Doe Roe"),
        ("O'Doe-Roe J, et al. Why cells rest? Nature. 2001.", "", "2001", "O'Doe-Roe"),
        ("Organisation of resting cells and their many friends", " ", "", ""),
    ],
)
def test_what_an_entry_says_is_guessed(entry: str, title: str, year: str, authors: str) -> None:
    [found] = references_in(entry)
    assert found.work.title == (title.strip() if title else "Why cells rest")
    assert (found.work.year, found.work.authors) == (year, tuple(authors.split()))


def test_identifiers_that_a_line_breaks_are_whole() -> None:
    [found] = references_in(
        "1. Doe J. Rest. https://doi.org/10.1371/\njournal.\npone.0050698. PMID: 123"
    )
    assert (found.work.doi, found.work.pmid) == ("10.1371/journal.pone.0050698", "123")


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("Doe J 2001 (in press), Why resting cells are dark! Nature.", True),
        ("Doe J. Why resting cells are dark and fish are not. Nature. 2001.", False),
        ("Doe J. Why resting cells are dark 2. Nature. 2001.", False),
        ("Doe J. Why resting cells are dark. Nature. 1987.", False),
        ("Doe J. Why restng cells are dark. Nature. 2001.", True),
    ],
)
def test_a_title_is_found_in_an_entry_whose_parts_are_guessed(entry: str, found: bool) -> None:
    keys, _ = find(Work("Why Resting Cells are Dark", "2001"), references_in(entry))
    assert bool(keys) is found


@given(
    st.text(st.sampled_from("\n\n [].()-1239aA,:“”&/\t") | st.characters(exclude_categories=["Cs"]))
)
def test_nothing_of_a_list_is_lost(text: str) -> None:
    found = references_in(text)
    assert len({r.key for r in found}) == len(found)
    letters = [c for c in text if c.isalpha()]
    assert [c for r in found for c in f"{r.label}{r.text}" if c.isalpha()] in (
        letters,
        [c for r in found for c in r.text if c.isalpha()],
    )
