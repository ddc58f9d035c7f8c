"""Rows with sentence embeddings, on a tiny encoder whose vectors can be worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from citectx.corpora import Document
from citectx.errors import MissingDataError
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.retrieval import LMD, Dense, LMDDense, Query, SpanIndex, dense
from citectx.retrieval.dense import MINILM
from citectx.retrieval.lexical import standardised
from citectx.types import Matrix


class Vowels:
    """Counts a, e and o; keeps the texts it was given."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def encode(self, texts: list[str], batch_size: int) -> Matrix:
        self.seen.append(texts)
        return np.array(
            [[text.lower().count(v) for v in "aeo"] for text in texts], dtype=np.float32
        )


def index_of(text: str, longest: int = 1) -> SpanIndex:
    sentences = SentenceSplitter().sentences(Document("ref", text))
    return SpanIndex(Candidates.of(sentences, longest), Analyzer(stop_words="none"))


@pytest.fixture(autouse=True)
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vowels:
    vowels = Vowels()
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    monkeypatch.setattr(dense, "open_encoder", lambda _: vowels)
    return vowels


INDEX = "Alpha cats. Green trees. Both dogs."


def queries(*texts: str) -> list[Query]:
    return [Query.of(text, Analyzer(stop_words="none")) for text in texts]


def test_cosine_worked_by_hand() -> None:
    # Vowels a, e, o: (3,0,0), (0,4,0), (0,0,2); the queries (1,0,1) and (0,0,0).
    scores = Dense().fit(index_of(INDEX)).score(queries("a dog", "xyz"))
    assert scores == pytest.approx(np.array([[0.5**0.5, 0, 0.5**0.5], [0, 0, 0]]), abs=1e-6)


def test_windows_are_embedded_as_one_text_citances_as_printed_and_each_once(
    encoder: Vowels,
) -> None:
    for _ in range(2):
        for variant in LMDDense.variants():
            variant.fit(index_of(INDEX, longest=2)).score(queries("The Dog, of 12."))
    assert encoder.seen == [
        [
            "Alpha cats.",
            "Alpha cats. Green trees.",
            "Green trees.",
            "Green trees. Both dogs.",
            "Both dogs.",
        ],
        ["The Dog, of 12."],
    ]


def test_mixture_against_the_formula_in_plain_python() -> None:
    index, asked = index_of(INDEX), queries("alpha dogs both", "green cats")
    mixed = LMDDense(mu=5.0, weight=0.3).fit(index).score(asked)
    lexical, cosine = LMD(5.0).fit(index).score(asked), Dense().fit(index).score(asked)
    for i in range(2):
        for j in range(3):
            z = []
            for row in (lexical[i], cosine[i]):
                mean = sum(row) / 3
                z.append((row[j] - mean) / (sum((x - mean) ** 2 for x in row) / 3) ** 0.5)
            assert mixed[i, j] == pytest.approx(0.7 * z[0] + 0.3 * z[1])


def test_equal_scores_standardise_to_0_whatever_rounding_left_of_them() -> None:
    row = np.array([0.1 + 0.2, 0.3, 0.3])
    assert (standardised(np.array([row, row * 0, [1, 2, 3]]))[:2] == 0).all()


def test_minilm_against_mean_pooling_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of transformers' last layer over word pieces, brought to length 1."""
    monkeypatch.undo()
    dense.open_encoder.cache_clear()
    try:
        model = dense.open_encoder(MINILM)
    except MissingDataError as error:
        assert "pip install .[dense]" in str(error)
        pytest.skip(str(error))
    tokens = model.tokenizer("Cells divide.", return_tensors="pt")
    mean = model[0].auto_model(**tokens).last_hidden_state[0].mean(dim=0).detach().numpy()
    expected = mean / np.linalg.norm(mean)
    assert dense.encode(MINILM, ["Cells divide."])[0] == pytest.approx(expected, abs=1e-5)
