"""Rows of a table are compared fairly only if tuning had equal freedom for all of them."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from citectx.catalogue import RESOURCES
from citectx.corpora import Corpus
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.language.spans import best_first
from citectx.papers.naacl2015 import readings as naacl2015
from citectx.papers.sigir2017 import readings as sigir2017
from citectx.papers.sigir2017.readings import EQ2
from citectx.retrieval import (
    DESM,
    EXTENDS,
    MODELS,
    OPTIONAL,
    OURS,
    QR,
    VSM,
    model,
    variants,
)

ALL = MODELS | OURS | OPTIONAL
HERE = [name for name in EXTENDS if name not in OPTIONAL and name != "WE_Dom"]
"""Those that apply to the teaching corpus and need no encoder."""


SYMBOLS = {"mu": "μ", "weight": "λ", "gamma": "γ", "k1": "k1", "b": "b", "c": "c", "topics": "K"}
"""What may be tuned: the papers, or those that they cite, have a symbol for it."""


@pytest.mark.parametrize("name", EXTENDS)
def test_the_grid_of_the_extended_method_is_inside(name: str) -> None:
    base, off = EXTENDS[name]
    own = [*ParameterGrid(model(name).grid)]
    for point in ParameterGrid(model(base).grid):
        wanted = point | off
        assert any(wanted.items() <= other.items() for other in own), wanted


@pytest.mark.parametrize("name", [name for name in HERE if EXTENDS[name][1]])
def test_with_nothing_added_it_is_the_extended_method(name: str, topic: Prepared) -> None:
    base, off = EXTENDS[name]
    given = {parameter: [value] for parameter, value in off.items()}
    (plain, *_), (extended, *_) = variants(base, "teaching"), variants(name, "teaching", **given)
    ours, theirs = topic.scores(extended), topic.scores(plain)
    np.testing.assert_array_equal(best_first(ours), best_first(theirs))
    if name != "BM25+abstract":  # whose scores are standardised
        np.testing.assert_allclose(ours, theirs)


def test_what_the_paper_leaves_open_is_never_tuned_and_is_the_same_for_all_rows() -> None:
    for name, cls in ALL.items():
        new = cls.grid.keys() - SYMBOLS.keys()
        assert not new, f"{name} tunes {new}: if it has a symbol, write that into SYMBOLS here"
    first = sigir2017.CURVES[0].specifications()[0]
    assert not {*EQ2} & SYMBOLS.keys()
    for name in ("WE_Wiki", "WE_Bio", "WE_Bio+rtrft", "WE_Bio+dmn"):
        for variant in variants(name, "citation-integrity"):
            params = variant.params()
            assert all(params[reading] == first[reading] for reading in EQ2)


def test_rows_have_the_choices_that_are_declared_first() -> None:
    first, other = (own.CURVES[0].specifications()[0] for own in (sigir2017, naacl2015))
    assert VSM().tf == QR().tf == first["tf"] == other["tf"]
    assert QR().reformulation == first["reformulation"]
    for corpus, resources in RESOURCES.items():
        if corpus != "teaching":  # which has the small vectors alone
            assert resources.kinds[0] == first["architecture"]
    assert DESM().space == first["space"]


@pytest.fixture(scope="module")
def topic(teaching: Corpus) -> Prepared:
    return prepare(teaching, Protocol())[0]
