"""Numbers kept on disk are used only where nothing that they follow from has changed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citectx import cache
from citectx.corpora import Corpus
from citectx.errors import CitectxWarning
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.tuning import (
    sums_of,
    tune,
    variants,
)
from citectx.retrieval import BM25, RetrievalModel

Models = list[RetrievalModel]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    return tmp_path / "tuning"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Collect the models that were scored."""
    models: Models = []
    original = Prepared.objective

    def noted(self: Prepared, model: RetrievalModel) -> object:
        models.append(model)
        return original(self, model)

    monkeypatch.setattr(Prepared, "objective", noted)
    return models


def test_the_second_tuning_computes_nothing_and_chooses_the_same(
    kept: Path, computed: Models, teaching: Corpus
) -> None:
    first = tune(prepare(teaching, Protocol()), variants("BM25", "teaching"), 10)
    assert len(computed) == 30 * 5
    again = tune(prepare(teaching, Protocol()), variants("BM25", "teaching"), 10)
    assert len(computed) == 30 * 5
    assert len(list(kept.iterdir())) == 1
    assert again.chosen == first.chosen
    assert again.best == first.best
    assert np.array_equal(again.sums, first.sums)


def test_whatever_changes_is_computed_anew(
    kept: Path, computed: Models, teaching: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = [BM25()]
    topics = prepare(teaching, Protocol())
    seen = [sums_of(topics, one)]
    seen.append(sums_of(topics, [BM25(k1=9.0)]))
    seen.append(sums_of(prepare(teaching, Protocol(k=1)), one))
    first, *rest = teaching.topics
    fewer = replace(teaching, topics=(replace(first, citances=first.citances[1:]), *rest))
    seen.append(sums_of(prepare(fewer, Protocol()), one))
    monkeypatch.setattr(cache, "code", lambda module: "other code")
    seen.append(sums_of(topics, one))
    assert len(computed) == len(seen) * 5
    assert len(list(kept.iterdir())) == len(seen)
    assert np.array_equal(seen[0], seen[-1])
    assert not any(np.array_equal(seen[0], other) for other in seen[1:-1])


def test_new_vectors_of_the_same_name_are_other_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    model = variants("WE_Bio", "teaching")[0]
    before = model.fingerprint()
    monkeypatch.setattr(
        "citectx.retrieval.base.fingerprint_of", lambda name: f"{name} trained again"
    )
    assert before != model.fingerprint()


def test_a_model_of_the_readers_own_is_computed_each_time(
    kept: Path, computed: Models, teaching: Corpus
) -> None:
    class Mine(BM25):
        pass

    topics = prepare(teaching, Protocol())
    for _ in range(2):
        sums_of(topics, [Mine()])
    assert len(computed) == 2 * 5
    assert not kept.exists()


@pytest.mark.parametrize("damage", [b"", b"half a file", b"\x93NUMPY\x01\x00"])
def test_a_damaged_file_is_replaced(
    damage: bytes, kept: Path, computed: Models, teaching: Corpus
) -> None:
    topics = prepare(teaching, Protocol())
    whole = sums_of(topics, [BM25()])
    (file,) = kept.iterdir()
    content = file.read_bytes()
    file.write_bytes(damage)
    with pytest.warns(CitectxWarning, match="computed again"):
        assert np.array_equal(sums_of(topics, [BM25()]), whole)
    assert file.read_bytes() == content
    assert len(computed) == 2 * 5


def test_where_nothing_can_be_written_tuning_still_works(kept: Path, teaching: Corpus) -> None:
    kept.write_text("a file where the folder should be")
    topics = prepare(teaching, Protocol())
    assert sums_of(topics, [BM25()]).shape == (1, 5)
    assert kept.read_text() == "a file where the folder should be"
