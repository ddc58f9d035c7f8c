"""The intrinsic experiment on invented pairs and vectors, and its committed table."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from citectx.embeddings import Vectors
from citectx.experiments.report import Cell
from citectx.experiments.results import COLUMNS, read
from citectx.papers.sigir2017 import ratings
from citectx.papers.sigir2017.ratings import FILES, Pair, WordSet
from citectx.profiles import profile

WORDS = tuple(f"w{i}" for i in range(30))
RATINGS = tuple(float(i) for i in range(29))


def vectors(name: str, noise: float, words: tuple[str, ...] = WORDS) -> Vectors:
    """Vectors on a circle: the cosine of w0 with another falls with the rating, but for noise."""
    draw = np.random.default_rng(0)
    angle = np.linspace(np.pi, 0, 30) + draw.normal(size=30) * noise
    angle[0] = 0
    matrix = np.column_stack([np.cos(angle), np.sin(angle)]).astype(np.float32)
    card = {"name": name, "sha256": "0123456789abcdef0123"}
    return Vectors(words, matrix[: len(words)], None, card)


SET = WordSet(
    "invented",
    "biomedical",
    tuple(Pair("w0", f"w{i}", rating) for i, rating in enumerate(RATINGS, start=1)),
)
EMBEDDINGS = {
    "biomedical-cbow": vectors("biomedical", 0.1),
    "general-cbow": vectors("general", 2.0, WORDS[:20]),
    "computational-linguistics-cbow": vectors("computational-linguistics", 1.0),
}


def measured() -> dict[tuple[str, str], Cell]:
    return {cell[:2]: cell for cell in ratings.measure(SET, EMBEDDINGS)}


def test_rows_hold_correlation_coverage_and_the_gain_at_home() -> None:
    rows = measured()
    expected = {(name, metric) for name in EMBEDDINGS for metric in ("spearman", "coverage")}
    assert set(rows) == expected | {("biomedical-cbow", "gain")}
    assert rows["general-cbow", "coverage"].value == pytest.approx(100 * 19 / 29)
    assert rows["general-cbow", "spearman"].n == 19
    assert rows["biomedical-cbow", "spearman"].value > 0.95


def test_the_gain_is_a_difference_over_shared_pairs() -> None:
    value = measured()["biomedical-cbow", "gain"].value
    cosines = [
        EMBEDDINGS[name].unit[1:20] @ EMBEDDINGS[name].unit[0]
        for name in ("biomedical-cbow", "general-cbow")
    ]
    home, away = (spearmanr(each, RATINGS[:19]).statistic for each in cosines)
    assert value == pytest.approx(home - away)


def test_the_whole_experiment_gives_tidy_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "open_vectors", EMBEDDINGS.__getitem__)
    monkeypatch.setattr(ratings, "word_set", lambda name: SET)
    result = ratings.intrinsic(list(EMBEDDINGS), ["invented"], progress=False)
    assert list(result.table.columns) == COLUMNS
    assert not result.table.duplicated(["corpus", "method", "metric"]).any()
    assert result.data["general-cbow"] == "0123456789abcdef"


def test_in_the_committed_table_each_embedding_is_ahead_at_home_but_for_verbs() -> None:
    gains = read(profile("open").results, ratings.INTRINSIC).query("metric == 'gain'")
    assert len(gains) == 16
    assert set(gains.loc[gains["value"] <= 0, "corpus"]) == {"Bio-SimVerb"}
    sure = gains[(gains["ci_low"] > 0) & gains["method"].str.endswith("skip-gram")]
    assert set(sure["corpus"]) == {*FILES} - {"Bio-SimVerb", "MayoSRS"}
