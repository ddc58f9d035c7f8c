"""Training against gensim itself, the saved vectors, and errors."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from gensim.models import Word2Vec

from citectx import blas, cli
from citectx.catalogue import ARCHITECTURES
from citectx.corpora import sources
from citectx.embeddings import Architecture, open_vectors
from citectx.embeddings.texts import CORPORA
from citectx.embeddings.train import Word2VecSettings, count_words, train_on
from citectx.errors import DataError, MissingDataError
from citectx.paths import RESULTS, ROOT
from citectx.storage import read_json, sha256

THEMES = ("cell protein gene tissue enzyme".split(), "song choir verse melody rhyme".split())
QUICK: dict[str, Any] = {"dimensions": 12, "epochs": 4, "min_count": 2}


def two_themes(n: int = 1500, seed: int = 0) -> list[list[str]]:
    """Sentences of eight words that stay within one of two themes."""
    draw = np.random.default_rng(seed)
    return [[THEMES[i % 2][j] for j in draw.integers(5, size=8)] for i in range(n)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_one_epoch_is_gensims_own(architecture: Architecture) -> None:
    text = two_themes(400)
    ours = train_on(text, Word2VecSettings(architecture, **QUICK | {"epochs": 1, "seed": 3}))
    usual = {"window": 5, "negative": 5, "workers": 1, "sorted_vocab": 0}
    skip = architecture == "skip-gram"
    model = Word2Vec(sg=skip, vector_size=12, min_count=2, seed=3, **usual)
    model.build_vocab_from_freq(count_words(text, 2)[0], corpus_count=len(text))
    model.random = np.random.RandomState([3, 0])
    model.train(text, total_examples=len(text), epochs=1)
    np.testing.assert_array_equal(ours.matrix, model.wv.vectors)
    np.testing.assert_array_equal(ours.output, model.syn1neg)


@pytest.mark.slow
@pytest.mark.open_data
@pytest.mark.skipif(not blas.has_avx2(), reason="no x86-64 processor with AVX2")
def test_training_anew_gives_the_published_vectors(tmp_path: Path) -> None:
    """The program is called as `make vectors` calls it, with a data folder of its own."""
    name = "computational-linguistics-cbow"
    for needed in CORPORA["computational-linguistics"][1]:
        (tmp_path / needed).symlink_to(sources.folder(needed).parent)
    environment = os.environ | {"CITECTX_DATA": str(tmp_path)}
    environment.pop(blas.VARIABLE, None)
    command = [sys.executable, "-m", "citectx.cli", "train", "computational-linguistics"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    published = read_json(RESULTS / "open" / "vectors.json")[name]
    assert sha256(tmp_path / "embeddings" / name / "vectors.npz") == published["sha256"]


def test_the_learning_rate_falls_evenly_over_all_epochs() -> None:
    with mock.patch.object(Word2Vec, "train") as train:
        train_on(two_themes(20), Word2VecSettings(**QUICK))
    options = [call.kwargs for call in train.call_args_list]
    rates = [(epoch["start_alpha"], epoch["end_alpha"]) for epoch in options]
    np.testing.assert_allclose(rates, [*pairwise(np.linspace(0.025, 0.0001, 5))])


@pytest.mark.parametrize("text", [[["a", "b"], ["a"]], []])
def test_an_empty_vocabulary_is_an_error_that_says_why(text: list[list[str]]) -> None:
    with pytest.raises(DataError, match="words occurs 5 times; lower min_count"):
        train_on(text, Word2VecSettings())


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A small training corpus in place of the real ones, and a data folder of its own."""

    def articles() -> list[tuple[str, str]]:
        return [(f"a{i}", " ".join(line) + ".") for i, line in enumerate(two_themes(200))]

    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.setitem(CORPORA, "small", ("two themes", (), articles, lambda: (set(), [])))
    return "small"


def test_vectors_trained_from_the_command_line_are_saved_with_their_card(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MissingDataError, match="citectx train small --architecture cbow"):
        open_vectors("small-cbow")
    assert cli.main(["train", corpus, "--architecture", "cbow"]) == 0
    shown = capsys.readouterr()
    assert "epoch 5/5" in shown.err
    assert "small-cbow: 10 words, 300 dimensions" in shown.out
    vectors = open_vectors("small-cbow")
    assert {*vectors.words} == {*THEMES[0], *THEMES[1]}
    assert vectors.output.shape == vectors.matrix.shape
    card = read_json(tmp_path / "embeddings/small-cbow/card.json")
    assert (card["name"], card["architecture"], card["about"]) == ("small", "cbow", "two themes")
    assert (card["words"], card["dimensions"], card["settings"]["seed"]) == (10, 300, 0)
    assert (card["text"]["articles"], card["text"]["words"]) == (200, 1600)
    assert {"gensim", "numpy"} <= set(card["libraries"])
