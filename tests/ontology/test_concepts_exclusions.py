"""Which names must not match, rule by rule."""

import pytest

from citectx.ontology import Concept
from citectx.ontology.concepts import usable_names


def usable(spelling: str, *, preferred: bool = False, source: str = "hgnc") -> bool:
    concept = (
        Concept("X:1", spelling, (), source)
        if preferred
        else Concept("X:1", "", (spelling,), source)
    )
    return usable_names(concept) != []


@pytest.mark.parametrize(
    "spelling",
    "2,6-16,T,P K,WAS,NOT,AN,IMPACT,SET,MICE,hole,FIG,MB,II".split(","),
)
def test_symbols_of_genes_that_mean_something_else(spelling: str) -> None:
    assert not usable(spelling)


@pytest.mark.parametrize("spelling", ["F2", "p53", "SAMHD1", "AIDS", "SET-1", "impact factor"])
def test_symbols_of_genes_that_stay(spelling: str) -> None:
    assert usable(spelling)


@pytest.mark.parametrize(
    ("spelling", "preferred", "expected"),
    [
        ("Mice", False, True),
        ("tumor", False, True),
        ("heart", True, True),
        ("Will", False, False),
        ("STEM", False, False),
        ("pH", False, True),
        ("K", False, False),
    ],
)
def test_words_of_a_thesaurus_stay_unless_they_are_acronyms(
    spelling: str, preferred: bool, expected: bool
) -> None:
    assert usable(spelling, preferred=preferred, source="mesh") == expected


def test_preferred_name_of_a_gene_stays_though_it_is_a_frequent_word() -> None:
    assert usable("insulin", preferred=True)
    assert not usable("insulin")


def test_one_spelling_as_acronym_is_enough() -> None:
    assert usable_names(Concept("X:1", "steel", ("Met", "MET"), "mesh")) == ["steel"]
