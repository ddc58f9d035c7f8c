"""Settings and state of a training, and the checkpoint that survives an interruption."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from citectx.embeddings.store import ARCHITECTURES, Architecture
from citectx.errors import DataError
from citectx.storage import packed, read_arrays, unpacked, write_arrays
from citectx.types import Matrix, Parameters


@dataclass(frozen=True)
class Settings(Parameters):
    """How word2vec is trained.

    Parameters
    ----------
    architecture : {"cbow", "skip-gram"}
    dimensions : int
    window : int
        Words on either side.
    negative : int
        Noise words for each true one.
    epochs : int
    min_count : int
        Words that occur less often are dropped before windows are formed.
    seed : int
    workers : int
        Threads. With one, the same seed gives the same vectors on the same kind of machine; with more,
        training is faster and no two runs are alike.

    Notes
    -----
    Source: sigir2017, footnote 4 (word2vec in gensim, negative sampling, window 5, 300 dimensions).

    Ambiguity: the paper does not say CBOW or skip-gram; both are trained, and the tables say which is used.
    Nor does it give epochs, noise words, the least frequency, learning rate, or the threshold at which
    frequent words are thinned out: gensim's defaults are taken (5, 5, 5, 0.025 to 0.0001, 0.001).
    """

    architecture: Architecture = "cbow"
    dimensions: int = 300
    window: int = 5
    negative: int = 5
    epochs: int = 5
    min_count: int = 5
    seed: int = 0
    workers: int = 1

    allowed: ClassVar = {"architecture": ARCHITECTURES} | dict.fromkeys(
        ("dimensions", "window", "negative", "epochs", "min_count", "workers"), "[1, inf)"
    )


@dataclass
class State:
    """The state of a training after some epochs; all that a checkpoint holds.

    Parameters
    ----------
    counts : dict of str to int
        Frequency of each word of the vocabulary, the most frequent first.
    sentences : int
    matrix, output : float32 array, shape (n, d)
        word2vec's two matrices.
    loss : list of float
        For each finished epoch the mean loss over trained words.
    seconds : float
        Spent on these epochs, interruptions not counted.
    """

    counts: dict[str, int]
    sentences: int
    matrix: Matrix
    output: Matrix
    loss: list[float]
    seconds: float


_ARRAYS = ("sentences", "matrix", "output", "loss", "seconds")


class Checkpoint:
    """A training's state on disk, of use only to a training with the same settings on the same text."""

    def __init__(self, path: Path, settings: Settings, text: str = "") -> None:
        self.path = path
        self.of = json.dumps(settings.params() | {"text": text}, sort_keys=True)

    def save(self, state: State) -> None:
        """Write the state; what was saved before is replaced when all is written."""
        arrays: dict[str, Any] = {name: np.asarray(getattr(state, name)) for name in _ARRAYS}
        words, counts = packed(state.counts), np.array(list(state.counts.values()))
        write_arrays(self.path, of=packed([self.of]), words=words, counts=counts, **arrays)

    def load(self) -> State | None:
        """Read the state; None if there is none, or if it is of another training.

        Raises
        ------
        DataError
            If the file is damaged.
        """
        if not self.path.is_file():
            return None
        try:
            arrays = read_arrays(self.path)
            if unpacked(arrays["of"]) != (self.of,):
                return None
            counts = dict(zip(unpacked(arrays["words"]), arrays["counts"].tolist(), strict=True))
            sentences, matrix, output, loss, seconds = (arrays[name] for name in _ARRAYS)
            return State(counts, sentences.tolist(), matrix, output, loss.tolist(), seconds.tolist())
        except (DataError, KeyError, ValueError) as error:
            raise DataError(f"damaged ({error}); delete it to train anew", file=self.path) from error
