"""Training: against gensim itself, the same again after an interruption, and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import Word2Vec

from citectx import cli
from citectx.embeddings import ARCHITECTURES, Architecture, open_vectors
from citectx.embeddings import train as training
from citectx.embeddings.checkpoint import Checkpoint, Settings, State
from citectx.embeddings.texts import CORPORA, Article, TextCorpus
from citectx.embeddings.train import count_words, train, train_on
from citectx.errors import DataError, MissingDataError, ParameterError

THEMES = ("cell protein gene tissue enzyme".split(), "song choir verse melody rhyme".split())
QUICK = {"dimensions": 12, "epochs": 4, "min_count": 2}


def two_themes(n: int = 1500, seed: int = 0) -> list[list[str]]:
    """Sentences of eight words that stay within one of two themes."""
    draw = np.random.default_rng(seed)
    return [[THEMES[i % 2][j] for j in draw.integers(5, size=8)] for i in range(n)]


def quietly(sentences: Any, settings: Settings, **options: Any) -> State:
    return train_on(sentences, settings, **options)


def same(one: State, other: State) -> bool:
    return (
        one.counts == other.counts
        and np.array_equal(one.matrix, other.matrix)
        and np.array_equal(one.output, other.output)
        and one.loss == other.loss
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_words_of_a_theme_come_together_and_the_loss_falls(architecture: Architecture) -> None:
    state = quietly(two_themes(), Settings(architecture, **QUICK | {"epochs": 8}))
    unit = state.matrix / np.linalg.norm(state.matrix, axis=1, keepdims=True)
    row = {word: unit[i] for i, word in enumerate(state.counts)}
    within = np.mean([row["cell"] @ row["gene"], row["song"] @ row["verse"]])
    across = np.mean([row["cell"] @ row["song"], row["gene"] @ row["verse"]])
    assert within > across + 0.5
    assert state.loss[-1] < state.loss[0]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_one_epoch_is_gensims_own(architecture: Architecture) -> None:
    text = two_themes(400)
    ours = quietly(text, Settings(architecture, **QUICK | {"epochs": 1, "seed": 3}))
    model = Word2Vec(
        sg=architecture == "skip-gram",
        vector_size=12,
        window=5,
        negative=5,
        min_count=2,
        seed=3,
        workers=1,
        sorted_vocab=0,
    )
    model.build_vocab_from_freq(ours.counts, corpus_count=len(text))
    model.random = np.random.RandomState([3, 0])
    trained, _ = model.train(text, total_examples=len(text), epochs=1, compute_loss=True)
    np.testing.assert_array_equal(ours.matrix, model.wv.vectors)
    np.testing.assert_array_equal(ours.output, model.syn1neg)
    assert ours.loss[0] == pytest.approx(model.get_latest_training_loss() / trained, rel=1e-4)


def test_the_learning_rate_falls_evenly_over_all_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[tuple[float, float]] = []

    def noted(self: Word2Vec, *args: Any, start_alpha: float, end_alpha: float, **options: Any) -> None:
        rates.append((start_alpha, end_alpha))

    monkeypatch.setattr(Word2Vec, "train", noted)
    quietly(two_themes(20), Settings(**QUICK))
    assert rates[0][0] == 0.025
    assert rates[-1][1] == pytest.approx(0.0001)
    assert [end for _, end in rates[:-1]] == [start for start, _ in rates[1:]]
    assert np.ptp([start - end for start, end in rates]) == pytest.approx(0)


def test_same_seed_same_vectors_other_seed_others() -> None:
    text, settings = two_themes(300), Settings(**QUICK)
    assert same(quietly(text, settings), quietly(text, settings))
    assert not same(quietly(text, settings), quietly(text, Settings(**QUICK, seed=1)))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("after", [1, 3])
def test_interrupted_training_ends_as_one_that_was_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    architecture: Architecture,
    after: int,
) -> None:
    text, settings = two_themes(300), Settings(architecture, **QUICK)
    expected = quietly(text, settings)
    checkpoint = Checkpoint(tmp_path / "c.npz", settings)
    interrupt(monkeypatch, epoch=after)
    with pytest.raises(KeyboardInterrupt):
        quietly(text, settings, checkpoint=checkpoint)
    monkeypatch.undo()
    halfway = checkpoint.load()
    resumed = train_on(text, settings, checkpoint=checkpoint, progress=True)
    said = capsys.readouterr().err
    assert f"word2vec: resumes after epoch {after} of 4" in said
    assert said.count("mean loss") == 4 - after
    assert same(resumed, expected)
    assert halfway is not None
    assert 0 < halfway.seconds < resumed.seconds


def interrupt(monkeypatch: pytest.MonkeyPatch, epoch: int) -> None:
    whole = training._epoch

    def stopping(model: Any, sentences: Any, settings: Any, number: int, bar: Any) -> float:
        if number == epoch:
            raise KeyboardInterrupt
        return whole(model, sentences, settings, number, bar)

    monkeypatch.setattr(training, "_epoch", stopping)


def test_a_checkpoint_of_another_training_is_not_used(tmp_path: Path) -> None:
    text, settings = two_themes(100), Settings(**QUICK)
    path = tmp_path / "c.npz"
    quietly(text, settings, checkpoint=Checkpoint(path, settings, "text one"))
    assert Checkpoint(path, settings, "text one").load() is not None
    assert Checkpoint(path, settings, "text two").load() is None
    assert Checkpoint(path, Settings(**QUICK, seed=1), "text one").load() is None
    assert Checkpoint(tmp_path / "none.npz", settings).load() is None


def test_a_checkpoint_holds_plain_arrays_only(tmp_path: Path) -> None:
    settings = Settings(**QUICK)
    quietly(two_themes(50), settings, checkpoint=Checkpoint(tmp_path / "c.npz", settings))
    with np.load(tmp_path / "c.npz", allow_pickle=False) as kept:
        assert {kept[name].dtype.kind for name in kept.files} <= set("fiu")


def test_a_truncated_checkpoint_says_what_to_do(tmp_path: Path) -> None:
    settings = Settings(**QUICK)
    checkpoint = Checkpoint(tmp_path / "c.npz", settings)
    quietly(two_themes(50), settings, checkpoint=checkpoint)
    checkpoint.path.write_bytes(checkpoint.path.read_bytes()[:-200])
    with pytest.raises(DataError, match=r"c\.npz: damaged .*; delete it"):
        quietly(two_themes(50), settings, checkpoint=checkpoint)


def test_words_are_counted_filtered_and_sorted() -> None:
    text = [["b", "a", "rare"], ["a", "b", "c"], ["c", "b"]]
    assert count_words(text, 2) == ({"b": 3, "a": 2, "c": 2}, 3)
    assert list(count_words(text, 2)[0]) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ([["a", "b"], ["a"]], "none of 2 words occurs 5 times, the most frequent occurs 2 times; lower min"),
        ([], "none of 0 words occurs 5 times"),
    ],
)
def test_an_empty_vocabulary_is_an_error_that_says_why(text: list[list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        quietly(text, Settings())


@pytest.mark.parametrize("name", ["dimensions", "window", "negative", "epochs", "min_count", "workers"])
def test_settings_below_one_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name}=0 is outside"):
        Settings(**{name: 0})


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(ParameterError, match="unknown architecture of Settings 'glove'"):
        Settings("glove")  # type: ignore[arg-type]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A small training corpus in place of the real ones, and a data folder of its own."""

    def articles() -> list[Article]:
        return [Article(f"a{i}", " ".join(line) + ".") for i, line in enumerate(two_themes(200))]

    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.setitem(CORPORA, "small", TextCorpus("small", "two themes", "ours", (), articles))
    yield "small"


def test_trained_vectors_are_saved_with_their_card_and_found_again(corpus: str, tmp_path: Path) -> None:
    settings = Settings("cbow", **QUICK)
    vectors = train(corpus, settings, progress=False)
    assert open_vectors("small-cbow").words == vectors.words
    card = json.loads((tmp_path / "embeddings/small-cbow/card.json").read_text())
    assert (card["name"], card["architecture"], card["about"], card["licence"]) == (
        "small",
        "cbow",
        "two themes",
        "ours",
    )
    assert (card["words"], card["dimensions"], card["settings"]["seed"]) == (10, 12, 0)
    assert (card["text"]["articles"], card["text"]["words"]) == (200, 1600)
    assert len(card["loss"]) == 4
    assert {"gensim", "numpy"} <= set(card["libraries"])
    assert vectors.output is not None
    assert not list((tmp_path / "embeddings").glob("*.checkpoint.npz"))


def test_training_from_the_command_line_resumes(
    corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["embeddings", "train", corpus, "--architecture", "cbow", "--epochs", "2"]
    interrupt(monkeypatch, epoch=1)
    assert cli.main(command) == 130
    assert (tmp_path / "embeddings/small-cbow.checkpoint.npz").is_file()
    with pytest.raises(MissingDataError, match="citectx embeddings train small --architecture cbow"):
        open_vectors("small-cbow")
    monkeypatch.undo()
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.setitem(CORPORA, "small", TextCorpus("small", "two themes", "ours", (), list))
    capsys.readouterr()
    assert cli.main(command) == 0
    shown = capsys.readouterr()
    assert "resumes after epoch 1 of 2" in shown.err
    assert "small-cbow: 10 words, 300 dimensions" in shown.out


def test_an_unknown_corpus_is_refused() -> None:
    with pytest.raises(ParameterError, match="unknown training corpus 'medical'"):
        train("medical")
