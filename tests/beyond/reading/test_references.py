"""Which entry of a reference list is a given work."""

from typing import Any

import pytest

from citectx.beyond.reading.references import Entry, Work, find, ids_in

TITLE = "Dim light shortens the dormancy of pond rotifers"
DOI = {"doi": "10.99999/made-up.1"}
NOTICES = ("Reply to: {}", "Comment on “{}”", "Corrigendum: {}", "{}: a reply", "{} – Erratum")
PAGES = "/full /abstract /pdf .full.pdf .pdf /full/html ?download=1 #abstract".split()
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
        (work(f"The {TITLE}"), work(TITLE), "title"),
        (work(f"Review article: {TITLE}"), work(TITLE), "title"),
        (work(TITLE), work(f"Studies on ponds. III. {TITLE}"), "similar title"),
        (work(f"Ponds II. {TITLE}"), work(f"Ponds III. {TITLE}"), ""),
        (work(f"{TITLE} & α-eggs"), work(f"{TITLE} and alpha-eggs"), "title"),
        (work(f"{TITLE} & eggs"), work(f"{TITLE} &amp;amp;amp; eggs"), "title"),
        (work(TITLE), work(f"&lt;italic&gt;{TITLE}&lt;/italic&gt;"), "title"),
        (work(f"{TITLE}™"), work(TITLE.replace("dormancy", "dor\u00admancy")), "title"),
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
    match = find(ours, [other, entry])
    assert (list(match.entries), match.how) == ([entry] if how else [], how)


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
    assert find(work(TITLE, years=("2016",)), [journal]).how == how


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("(doi:10.1371/journal.PMED.1000097).", "10.1371/journal.pmed.1000097"),
        ("<10.1016/S0140-6736(05)17709-5>", "10.1016/s0140-6736(05)17709-5"),
        ("10.1002/(SICI)7:1&lt;16::A-M&gt;3.0.C;2-2.", "10.1002/(sici)7:1<16::a-m>3.0.c;2-2"),
        ("https://doi.org/10.1000/AB%3C1%3E2, read", "10.1000/ab<1>2"),
        ("arXiv 10.1", ""),
        ("doi: 10.99999/ made.up.0042", "10.99999/made.up.0042"),
        *(
            (f"https://www.example.org/content/10.99999/made.42{page}", "10.99999/made.42")
            for page in PAGES
        ),
        ("10.99999/made.\u200b42\ufeff", "10.99999/made.42"),
        ("doi:10.99999/made.42PMID: 17", "10.99999/made.42"),
        ("10.99999/made.42[PubMed]", "10.99999/made.42"),
        ("10.1002/(SICI)7:1<16::A-M>3.0.CO;2-#", "10.1002/(sici)7:1<16::a-m>3.0.co;2-#"),
    ],
)
def test_dois_hold_whatever_publishers_put_into_them(text: str, doi: str) -> None:
    assert ids_in(text).get("doi", "") == doi


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("https://www.ncbi.nlm.nih.gov/pubmed/17", {"pmid": "17"}),
        ("https://pubmed.ncbi.nlm.nih.gov/17/", {"pmid": "17"}),
        ("https://europepmc.org/article/MED/17", {"pmid": "17"}),
        ("http://europepmc.org/abstract/MED/17", {"pmid": "17"}),
        ("https://europepmc.org/articles/PMC1234567", {"pmcid": "1234567"}),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/", {"pmcid": "1234567"}),
        ("https://www.ncbi.nlm.nih.gov/pubmed/?term=17", {"pmid": "17"}),
        ("entrez/query.fcgi?cmd=Retrieve&db=PubMed&list_uids=17", {"pmid": "17"}),
        ("10.1234/aPMID:17", {"doi": "10.1234/a", "pmid": "17"}),
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


def test_versions_of_a_preprint_are_one_work() -> None:
    ours = work(TITLE, ids={"doi": "10.99999/2016.00042"})
    entry = Entry(("b",), "1", work(ids={"doi": "10.99999/2016.00042v2"}))
    assert find(ours, [entry]).how == "identifier"


@pytest.mark.parametrize(
    ("theirs", "doubt"),
    [
        ([work(TITLE, ids=DOI)], ""),
        ([work(f"{TITLE}: a field study", ids=DOI)], ""),
        ([work(ids=DOI)], ""),
        ([work("Moss is green in all meadows", ids=DOI)], "entry 1 there has the title “Moss"),
        (
            [work("Moss is green in all meadows", ids=DOI), work(TITLE)],
            "entry 1 there has the title “Moss is green in all meadows”, and entry 2 has",
        ),
        ([work(TITLE), work(TITLE)], "entries 1 and 2 of its list both fit"),
    ],
)
def test_a_doubtful_answer_is_not_given_in_silence(theirs: list[Work], doubt: str) -> None:
    entries = [Entry((str(n),), str(n), known) for n, known in enumerate(theirs, 1)]
    match = find(work(TITLE, ids=DOI), entries)
    assert match.entries
    assert doubt in match.doubt
    assert bool(doubt) == bool(match.doubt)
