"""Which entry of a reference list is a given work."""

from typing import Any

import pytest

from citectx.beyond.reading.references import Entry, Work, find, ids_in

TITLE = "Dim light shortens the dormancy of pond rotifers"
DOI = {"doi": "10.99999/made-up.1"}
NOTICES = ("Reply to: {}", "Comment on “{}”", "Corrigendum: {}", "{}: a reply", "{} – Erratum")
NEAR = TITLE.replace("pond rotifers", "pond rotifer")


def work(title: str = "", **known: Any) -> Work:
    return Work((title,) if title else (), **known)


@pytest.mark.parametrize(
    ("ours", "theirs", "how"),
    [
        (work("x", ids=DOI), work("y", ids=DOI, years=("1999",)), "identifier"),
        (work(TITLE, years=("2016",)), work(f"{TITLE.upper()}.", years=("2016",)), "title"),
        (work(TITLE, years=("2016",)), work(TITLE, years=("2017",)), "title"),
        (work(TITLE, years=("2016",)), work(TITLE, years=("2018",)), ""),
        (work(TITLE, years=("2012", "2018")), work(TITLE, years=("2017",)), "title"),
        (work("Ovos de rotíferos em lagos"), work("Ovos de rotiferos em lagos"), "title"),
        (Work(("Ovos", TITLE)), work(TITLE), "title"),
        (work(TITLE), work(NEAR), "similar title"),
        (work(NEAR, authors=("Roe",)), work(TITLE, authors=("Doe",)), ""),
        (work(NEAR, authors=("Roe",)), work(TITLE, authors=("Roe", "Doe")), "similar title"),
        (work(f"{TITLE}: a field study"), work(TITLE), "similar title"),
        (work(TITLE), work(f"{TITLE} – a field study"), "similar title"),
        (work(f"RETRACTED: {TITLE}"), work(TITLE), "title"),
        (work(TITLE), work(f"[Retracted article] {TITLE}"), "title"),
        *((work(TITLE), work(made.format(TITLE)), "") for made in NOTICES),
        *((work(made.format(TITLE)), work(TITLE), "") for made in NOTICES),
        (work(TITLE), work(TITLE.replace("Dim light", "Warm mud")), ""),
        (work(TITLE), work(f"{TITLE} again"), ""),
        (work(f"{TITLE}: part II"), work(TITLE), ""),
        (work(f"{TITLE} I"), work(TITLE.replace("pond", "lake")), ""),
        (work(f"{TITLE} 1"), work(f"{TITLE} 2"), ""),
        (work("Introduction"), work("Introduction"), ""),
        (work("Rest", authors=("O’Mädden",)), work("Rest", authors=("Roe", "OMadden")), "title"),
        (work(TITLE, ids=DOI), work(TITLE, ids={"doi": "10.99999/other"}), ""),
        (work(), work(), ""),
    ],
)
def test_a_work_is_found_by_identifier_else_by_title_and_year(
    ours: Work, theirs: Work, how: str
) -> None:
    other = Entry(("other",), "1", work("Nights beside a pond", years=("2016",)))
    entry = Entry(("b",), "2", theirs)
    assert find(ours, [other, entry]) == ([entry] if how else [], how)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Maddern. {TITLE}. 2016.", True),
        (f"O’Maddern A (2016) {TITLE.upper()}. J Made Up 3: 1", True),
        (f"Noe B (2016) A reply to {TITLE} by Maddern. J Made Up 3: 1", False),
        (f"Noe B (2016) Reply to: {TITLE}. J Made Up 3: 1", False),
        (f"Noe B (2016) Correction: {TITLE}. J Made Up 3: 1", False),
        (f"Noe B (2016) {TITLE} in lakes. J Made Up 3: 1", False),
    ],
)
def test_an_untagged_entry_is_searched_for_the_title(text: str, found: bool) -> None:
    journal = Entry(("b",), "1", work("J Made Up", years=("2016",)), text, tagged=False)
    how = "title in an untagged entry" if found else ""
    assert find(work(TITLE, years=("2016",)), [journal])[1] == how


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("(doi:10.1371/journal.PMED.1000097).", "10.1371/journal.pmed.1000097"),
        ("<10.1016/S0140-6736(05)17709-5>", "10.1016/s0140-6736(05)17709-5"),
        ("10.1002/(SICI)7:1&lt;16::A-M&gt;3.0.C;2-2.", "10.1002/(sici)7:1<16::a-m>3.0.c;2-2"),
        ("https://doi.org/10.1000/AB%3C1%3E2, read", "10.1000/ab<1>2"),
        ("arXiv 10.1", ""),
        ("doi: 10.99999/ made.up.0042", "10.99999/made.up.0042"),
    ],
)
def test_dois_hold_whatever_publishers_put_into_them(text: str, doi: str) -> None:
    assert ids_in(text).get("doi", "") == doi


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("https://www.ncbi.nlm.nih.gov/pubmed/17", {"pmid": "17"}),
        ("https://pubmed.ncbi.nlm.nih.gov/17/", {"pmid": "17"}),
        ("[PubMed: 17] PMC1234567", {"pmid": "17", "pmcid": "1234567"}),
        ("pmc:1234567 pmid:17", {"pmid": "17", "pmcid": "1234567"}),
        ("arXiv:1999.99991v3", {"arxiv": "1999.99991"}),
        ("https://arxiv.org/abs/hep-th/9901001", {"arxiv": "hep-th/9901001"}),
        ("10.48550/arXiv.1999.99991", {"arxiv": "1999.99991"}),
        ("10.1234/a and 10.1234/b", {"doi": "10.1234/a"}),
        ("PubMed was searched, 2001", {}),
    ],
)
def test_identifiers_as_text_and_links_print_them(text: str, ids: dict[str, str]) -> None:
    assert ids_in(text) == ids
