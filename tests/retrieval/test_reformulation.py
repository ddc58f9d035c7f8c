"""Reformulations on invented text and vocabularies, and the model that uses them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx.language.idf import Idf
from citectx.language.text import Analyzer
from citectx.ontology import Concept, SynonymGraph
from citectx.retrieval import QR, VSM, Query, SpanIndex, reformulation
from citectx.retrieval.reformulation import (
    NEEDS_CONCEPTS,
    REFORMULATIONS,
    Reformulation,
    keywords,
    phrases,
)
from tests.retrieval import PLAIN, index_of

USUAL = Analyzer()
CITANCE = (
    "The loss of heart muscle cells was found after a large heart attack, "
    "but quickly reversed by abcin."
)
CONCEPTS = [
    Concept.of("c:1", "Myocardial infarction", ["heart attack", "infarct of the heart"], "made"),
    Concept.of("c:2", "Heart", ["cor"], "made"),
    Concept.of("c:3", "Muscle cells", ["myocytes", "cells of muscle"], "made"),
]


@pytest.fixture(autouse=True)
def means(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = SynonymGraph.build(CONCEPTS)
    often = {"loss": 900, "found": 999, "cells": 800, "large": 700}
    rarity = Idf(1000, often | {"heart": 82, "muscle": 83})
    monkeypatch.setattr(reformulation, "open_vocabulary", lambda concepts: graph)
    monkeypatch.setattr(reformulation, "open_idf", lambda domain: rarity)


def reformulated(name: str, text: str = CITANCE, analyzer: Analyzer = USUAL) -> dict[str, float]:
    return dict(Reformulation(name, analyzer)(Query.of(text, analyzer)).weights)


def test_each_of_the_seven_on_one_citance_worked_out_by_hand() -> None:
    kept = {"loss": 1, "heart": 2, "muscle": 1, "cells": 1, "large": 1, "attack": 1}
    everything = kept | {"quickly": 1, "reversed": 1, "abcin": 1}
    added = {"myocytes": 1, "cor": 1, "myocardial": 1, "infarction": 1, "infarct": 1}
    concepts = {"heart": 2, "muscle": 1, "cells": 1, "attack": 1}
    assert reformulated("baseline") == everything
    assert reformulated("reduce") == concepts
    assert reformulated("KW") == {"heart": 2, "attack": 1, "quickly": 1, "reversed": 1, "abcin": 1}
    assert reformulated("NP") == kept | {"abcin": 1}
    assert reformulated("expand") == everything | added
    assert reformulated("reduce+expand") == concepts | added
    assert reformulated("NP+expand") == kept | {"abcin": 1} | added


def test_synonyms_are_looked_for_in_what_a_reduction_has_left() -> None:
    text = "An exceptionally large mouse heart attack model rests in the cor."
    assert "myocardial" in reformulated("expand", text)
    assert "myocardial" not in reformulated("NP+expand", text)  # stands in a phrase of six terms
    assert reformulated("NP+expand", text)["heart"] == 1


def test_terms_are_those_of_the_index() -> None:
    stemmed = reformulated("reduce+expand", analyzer=Analyzer(stem=True))
    assert "infarct" in stemmed
    assert "infarction" not in stemmed
    assert "the" in reformulated("expand", analyzer=PLAIN)


def test_keyword_threshold_is_inclusive_and_in_natural_logarithms() -> None:
    rarity = Idf(1000, {"often": 83, "seldom": 82, "exactly": 100})
    assert rarity["seldom"] == pytest.approx(2.5010360)
    assert keywords("often seldom unheard", rarity) == ["seldom", "unheard"]
    assert keywords("exactly often", rarity, threshold=rarity["exactly"]) == ["exactly", "often"]


def test_phrases_of_three_terms_stay_and_longer_ones_go_whole() -> None:
    assert phrases("The two old grey mice were found.", USUAL) == ["The two old grey mice"]
    assert phrases("The two old grey house mice were found.", USUAL) == []


@pytest.mark.parametrize("name", [n for n in REFORMULATIONS if n not in ("baseline", "expand")])
def test_a_query_that_would_lose_all_its_terms_stays_as_it_is(name: str) -> None:
    query = Query.of("Found, found and found.", USUAL)
    reformulate = Reformulation(name)
    assert reformulate.weights(query) == {}
    assert reformulate(query).weights == query.weights


@given(st.text(alphabet="ab heartcls,.-", max_size=60))
def test_reductions_only_take_and_expansions_only_add(text: str) -> None:
    base = Query.of(text, USUAL).weights
    for name in ("reduce", "KW", "NP"):
        assert all(weight <= base[term] for term, weight in reformulated(name, text).items())
    assert {term: reformulated("expand", text)[term] for term in base} == base


@pytest.fixture
def index() -> SpanIndex:
    text = "Muscle cells rest. Myocardial infarction was large. The heart was found. Abcin is bad."
    return index_of(text, longest=2, analyzer=USUAL)


@pytest.mark.parametrize("tf", ["raw", "log", "sqrt"])
def test_qr_is_vsm_on_the_reformulated_query(index: SpanIndex, tf: str) -> None:
    texts = (CITANCE, "Found after an infarct of the heart.")
    queries = [Query.of(text, USUAL) for text in texts]
    for name in REFORMULATIONS:
        ours = QR(tf=tf, reformulation=name).fit(index).score(queries)
        expected = VSM(tf=tf).fit(index).score([Reformulation(name)(q) for q in queries])
        np.testing.assert_array_equal(ours, expected)
    assert not np.array_equal(ours, VSM(tf=tf).fit(index).score(queries))


def test_without_an_ontology_no_text_names_a_concept(index: SpanIndex) -> None:
    queries = [Query.of(CITANCE, USUAL), Query.of("The heart was large.", USUAL)]

    def scores(name: str) -> np.ndarray:
        return QR(reformulation=name, concepts=()).fit(index).score(queries)

    left = {"expand": "baseline", "reduce": "baseline", "reduce+expand": "baseline"}
    left["NP+expand"] = "NP"
    assert left == NEEDS_CONCEPTS
    for name, other in left.items():
        np.testing.assert_array_equal(scores(name), scores(other))
        assert QR(reformulation=name, concepts=()).params()["reformulation"] == other
    assert not np.array_equal(scores("NP"), scores("baseline"))
