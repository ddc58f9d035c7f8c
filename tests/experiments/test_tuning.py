"""Which methods apply to which corpus; kept numbers are used only where nothing has changed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from citectx import cache
from citectx.catalogue import LOADERS, RESOURCES, resources_of
from citectx.corpora import Corpus
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.tuning import sums_of, tune
from citectx.retrieval import BM25, MODELS, applicable, base, variants


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    return tmp_path / "tuning"


@pytest.fixture
def computed() -> Iterator[mock.Mock]:
    """Count the models that are scored, topic by topic."""
    score = Prepared.objective
    with mock.patch.object(Prepared, "objective", autospec=True, side_effect=score) as scored:
        yield scored


def test_the_second_tuning_computes_nothing_and_chooses_the_same(
    kept: Path, computed: mock.Mock, teaching: Corpus
) -> None:
    models = variants("BM25", "teaching")
    first, again = (tune(prepare(teaching), models, 10) for _ in range(2))
    assert first == again
    assert computed.call_count == 30 * 5
    assert len(list(kept.iterdir())) == 1


def test_whatever_changes_is_computed_anew(
    kept: Path, computed: mock.Mock, teaching: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, topics = [BM25()], prepare(teaching)
    first, *rest = teaching.topics
    fewer = replace(teaching, topics=(replace(first, citances=first.citances[1:]), *rest))
    seen = [
        sums_of(topics, one),
        sums_of(topics, [BM25(k1=9.0)]),
        sums_of(prepare(teaching, Protocol(k=1)), one),
        sums_of(prepare(fewer), one),
    ]
    monkeypatch.setattr(cache, "code", lambda module: "other code")
    seen.append(sums_of(topics, one))
    assert computed.call_count == len(seen) * 5
    assert len(list(kept.iterdir())) == len(seen)
    assert np.array_equal(seen[0], seen[-1])
    assert not any(np.array_equal(seen[0], other) for other in seen[1:-1])


def test_new_vectors_of_the_same_name_are_other_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    model = variants("WE_Bio", "teaching")[0]
    before = model.fingerprint()
    monkeypatch.setattr(base, "fingerprint_of", lambda name: f"{name} trained again")
    assert before != model.fingerprint()


def test_a_model_of_the_readers_own_is_computed_each_time(
    kept: Path, computed: mock.Mock, teaching: Corpus
) -> None:
    class Mine(BM25):
        pass

    for _ in range(2):
        sums_of(prepare(teaching), [Mine()])
    assert computed.call_count == 2 * 5
    assert not kept.exists()


def test_rows_of_each_corpus() -> None:
    named = set(LOADERS) - {"own"}  # whose resources its owner names
    both = "citectx/catalogue.py needs a line in LOADERS and in RESOURCES for"
    assert set(RESOURCES) == named, f"{both} {set(RESOURCES) ^ named}"
    assert resources_of("my own") == RESOURCES["tac2014"]
    for corpus in ("citation-integrity", "teaching"):
        assert set(MODELS) - set(applicable(corpus)) == {"WE_Dom"}
    missing = {"WE_Bio", "WE_Bio+rtrft", "WE_Bio+dmn"}
    assert set(MODELS) - set(applicable("scisumm-train")) == missing


@pytest.mark.parametrize(
    ("method", "corpus", "name", "value"),
    [
        ("WE_Wiki", "scisumm-train", "vectors", "general-cbow"),
        ("DESM", "scisumm-train", "vectors", "computational-linguistics-cbow"),
        ("WE_Bio+dmn", "citation-integrity", "vocabulary", ("mesh", "pro")),
        ("QR", "citation-integrity", "concepts", ("mesh", "pro", "hgnc", "doid")),
        ("QR", "scisumm-train", "domain", "computational-linguistics"),
        ("WE_Bio+rtrft", "teaching", "vectors", "biomedical-small"),
    ],
)
def test_vectors_and_ontologies_are_those_of_the_field(
    method: str, corpus: str, name: str, value: object
) -> None:
    assert {v.params()[name] for v in variants(method, corpus)} == {value}


def test_a_method_that_does_not_apply() -> None:
    with pytest.raises(ParameterError, match=r"WE_Bio\+dmn does not apply to scisumm-train"):
        variants("WE_Bio+dmn", "scisumm-train")
    with pytest.raises(ParameterError, match="unknown method 'WE_Bo'"):
        variants("WE_Bo", "teaching")
