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


def test_words_of_a_thesaurus_stay_unless_they_are_acronyms() -> None:
    assert all(usable(spelling, source="mesh") for spelling in ("Mice", "tumor", "pH"))
    assert not any(usable(spelling, source="mesh") for spelling in ("Will", "STEM", "K"))


def test_preferred_names_stay_though_they_are_frequent_words() -> None:
    assert usable("heart", preferred=True, source="mesh")
    assert usable("insulin", preferred=True)
    assert not usable("insulin")


def test_one_spelling_as_acronym_is_enough() -> None:
    assert usable_names(Concept("X:1", "steel", ("Met", "MET"), "mesh")) == ["steel"]
