"""Which names must not match, rule by rule."""

import pytest

from citectx.ontology.exclusions import RULES, Name, reason
from citectx.ontology.plain_words import FILE, SIZE, plain_words


def name(spelling: str, *, preferred: bool = False, source: str = "hgnc") -> Name:
    return Name(tuple(spelling.lower().replace("-", " ").split()), frozenset({spelling}), preferred, source)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("", "no letters"),
        ("2", "no letters"),
        ("6-16", "no letters"),
        ("T", "one-letter words"),
        ("P K", "one-letter words"),
        ("WAS", "function words"),
        ("NOT", "function words"),
        ("AN", "function words"),
        ("IMPACT", "plain English"),
        ("SET", "plain English"),
        ("MICE", "plain English"),
        ("hole", "plain English"),
        ("FIG", "abbreviation"),
        ("MB", "two letters"),
        ("II", "two letters"),
        ("F2", ""),
        ("p53", ""),
        ("SAMHD1", ""),
        ("AIDS", ""),
        ("SET-1", ""),
        ("impact factor", ""),
    ],
)
def test_gene_names(spelling: str, expected: str) -> None:
    assert reason(name(spelling)) == expected


@pytest.mark.parametrize(
    ("spelling", "preferred", "expected"),
    [
        ("Mice", False, ""),
        ("tumor", False, ""),
        ("heart", True, ""),
        ("Will", False, "function words"),
        ("STEM", False, "plain English"),
        ("pH", False, ""),
        ("K", False, "one-letter words"),
    ],
)
def test_words_of_a_thesaurus_stay_unless_they_are_acronyms(spelling: str, preferred: bool, expected: str) -> None:
    assert reason(name(spelling, preferred=preferred, source="mesh")) == expected


def test_preferred_name_of_a_gene_stays_though_it_is_a_frequent_word() -> None:
    assert reason(name("insulin", preferred=True)) == ""
    assert reason(name("insulin")) == "plain English"


def test_one_spelling_as_acronym_is_enough() -> None:
    assert reason(Name(("met",), frozenset({"MET", "Met"}), False, "mesh")) == "plain English"


def test_reasons_are_those_of_the_rules() -> None:
    assert list(RULES) == [
        *("no letters", "one-letter words", "function words", "plain English", "abbreviation", "two letters")
    ]


def test_plain_words_are_lower_case_words_without_repetition() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    words = [line for line in lines if not line.startswith("#")]
    assert len(words) == len(plain_words()) <= SIZE
    assert all(word.isalpha() and word.islower() and len(word) > 1 for word in words)
    assert words[:3] == ["the", "of", "and"]
