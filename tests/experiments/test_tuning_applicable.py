"""Which methods apply to which corpus, and with what."""

import math

import pytest

from citectx.errors import ParameterError
from citectx.experiments.tuning import applicable, variants
from citectx.profiles import LOADERS, RESOURCES, resources_of
from citectx.retrieval import MODELS


def test_every_corpus_that_can_be_loaded_has_its_resources() -> None:
    assert set(RESOURCES) == set(LOADERS) - {"own"}  # whose resources its owner names


def test_rows_of_each_corpus() -> None:
    assert set(MODELS) - set(applicable("citation-integrity")) == {"WE_Dom"}
    assert set(MODELS) - set(applicable("teaching")) == {"WE_Dom"}
    assert set(MODELS) - set(applicable("scisumm-train")) == {
        "WE_Bio",
        "WE_Bio+rtrft",
        "WE_Bio+dmn",
    }


def test_an_unlisted_corpus_counts_as_biomedical() -> None:
    assert resources_of("my own") == RESOURCES["tac2014"]


def test_vectors_and_ontologies_are_those_of_the_field() -> None:
    def used(method: str, corpus: str, name: str) -> set[object]:
        return {v.params()[name] for v in variants(method, corpus)}

    assert used("WE_Wiki", "scisumm-train", "vectors") == {"general-cbow"}
    assert used("DESM", "scisumm-train", "vectors") == {"computational-linguistics-cbow"}
    assert used("WE_Bio+dmn", "citation-integrity", "vocabulary") == {("mesh", "pro")}
    assert used("WE_Bio+dmn", "teaching", "vocabulary") == {("teaching",)}
    assert used("QR", "citation-integrity", "concepts") == {("mesh", "pro", "hgnc", "doid")}
    assert used("QR", "scisumm-train", "domain") == {"computational-linguistics"}
    assert used("WE_Bio+rtrft", "teaching", "vectors") == {"biomedical-small"}


def test_variants_are_the_grid() -> None:
    for name, size in {"WE_Bio": 9, "WE_Bio+dmn": 108, "LMD": 9, "QR": 1}.items():
        sizes = map(len, MODELS[name].grid.values())
        assert len(variants(name, "citation-integrity")) == math.prod(sizes) == size


def test_a_method_that_does_not_apply() -> None:
    with pytest.raises(ParameterError, match=r"WE_Bio\+dmn does not apply to scisumm-train"):
        variants("WE_Bio+dmn", "scisumm-train")
    with pytest.raises(ParameterError, match="unknown method 'WE_Bo'"):
        variants("WE_Bo", "teaching")
