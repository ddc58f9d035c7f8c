"""Rows with sentence embeddings, on a tiny encoder whose vectors can be worked out by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citectx.corpora import Document
from citectx.errors import DataError, ParameterError
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.retrieval import (
    LMD,
    MODELS,
    OPTIONAL,
    Dense,
    LMDDense,
    Query,
    RetrievalModel,
    SpanIndex,
    model,
)
from citectx.retrieval.dense import unit_vectors
from citectx.retrieval.lexical import standardised
from citectx.types import Floats, Matrix


class Vowels:
    """Counts a, e and o; keeps the texts it was given."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def encode(self, texts: list[str], /) -> Matrix:
        self.seen.append(texts)
        return np.array(
            [[text.lower().count(v) for v in "aeo"] for text in texts], dtype=np.float32
        )


def index_of(text: str, longest: int = 1) -> SpanIndex:
    sentences = SentenceSplitter().sentences(Document("ref", text))
    return SpanIndex(Candidates.of(sentences, longest), Analyzer(stop_words="none"))


INDEX = "Alpha cats. Green trees. Both dogs."


def queries(*texts: str) -> list[Query]:
    return [Query.of(text, Analyzer(stop_words="none")) for text in texts]


def test_cosine_worked_by_hand() -> None:
    # Vowels a, e, o: (3,0,0), (0,4,0), (0,0,2); the queries (1,0,1) and (0,0,0).
    scores = Dense(Vowels()).fit(index_of(INDEX)).score(queries("a dog", "xyz"))
    assert scores == pytest.approx(np.array([[0.5**0.5, 0, 0.5**0.5], [0, 0, 0]]), abs=1e-6)


def test_windows_are_embedded_as_one_text_and_citances_as_printed() -> None:
    encoder = Vowels()
    Dense(encoder).fit(index_of(INDEX, longest=2)).score(queries("The Dog, of 12."))
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


def test_a_query_without_text_is_embedded_as_its_terms() -> None:
    encoder = Vowels()
    Dense(encoder).fit(index_of(INDEX)).score([Query({"alpha": 2.0, "dogs": 1.0})])
    assert encoder.seen[-1] == ["alpha dogs"]


def test_variants_of_one_article_encode_it_once() -> None:
    encoder, index = Vowels(), index_of(INDEX)
    for variant in LMDDense.variants(encoder=[encoder]):
        variant.fit(index).score(queries("a dog"))
    assert len(encoder.seen) == 2


def test_mixture_against_the_formula_in_plain_python() -> None:
    index, asked = index_of(INDEX), queries("alpha dogs both", "green cats")
    mixed = LMDDense(Vowels(), mu=5.0, weight=0.3).fit(index).score(asked)
    lexical, dense = LMD(5.0).fit(index).score(asked), Dense(Vowels()).fit(index).score(asked)
    for i in range(2):
        for j in range(3):
            z = []
            for row in (lexical[i], dense[i]):
                mean = sum(row) / 3
                z.append((row[j] - mean) / (sum((x - mean) ** 2 for x in row) / 3) ** 0.5)
            assert mixed[i, j] == pytest.approx(0.7 * z[0] + 0.3 * z[1])


@pytest.mark.parametrize(("weight", "alone"), [(0.0, LMD(5.0)), (1.0, Dense(Vowels()))])
def test_at_its_ends_the_mixture_ranks_as_one_alone(weight: float, alone: RetrievalModel) -> None:
    index, asked = index_of(INDEX), queries("alpha dogs both", "green trees of a cat")
    mixed = LMDDense(Vowels(), mu=5.0, weight=weight).fit(index).score(asked)
    assert (np.argsort(-mixed) == np.argsort(-alone.fit(index).score(asked))).all()


def test_equal_scores_standardise_to_0_whatever_rounding_left_of_them() -> None:
    row = np.array([0.1 + 0.2, 0.3, 0.3])
    assert (standardised(np.array([row, row * 0, [1, 2, 3]]))[:2] == 0).all()


@pytest.mark.parametrize(
    "given",
    [np.zeros(2), np.zeros((3, 4)), np.array([[1.0, np.nan], [0.0, 1.0]])],
    ids=["flat", "3", "nan"],
)
def test_an_encoder_that_gives_something_else(given: Floats) -> None:
    class Odd:
        def encode(self, texts: list[str], /) -> Floats:
            return given

    with pytest.raises(
        DataError, match=r"Odd.encode gave an array of shape .* for 2 texts; expected one vector"
    ):
        unit_vectors(Odd(), ["a", "b"])


def test_they_are_opt_in() -> None:
    assert not set(OPTIONAL) & set(MODELS)
    assert model("Dense") is Dense
    assert model("LMD+Dense") is LMDDense


def test_parameters_name_the_encoder(tmp_path: Path) -> None:
    assert Dense(Vowels()).params() == {"encoder": "Vowels"}
    assert Dense("owner/model").params() == {"encoder": "owner/model"}
    assert Dense(str(tmp_path)).params() == {"encoder": tmp_path.name}
    assert LMDDense(weight=0.1).params() == {
        "encoder": "all-MiniLM-L6-v2",
        "mu": 100.0,
        "weight": 0.1,
    }


@pytest.mark.parametrize("given", [{"mu": 0.0}, {"weight": 1.5}])
def test_bad_parameters(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"LMDDense: .* is outside"):
        LMDDense(**given)
