"""Trained word vectors: stored without pickle, checked when read, with neighbours and the threshold τ.

A folder of vectors holds ``vectors.npz`` (words, matrix, and the output matrix if there is one) and
``card.json`` (what they were trained on, and how). Nothing in either is executed when it is read.

>>> vectors = Vectors(("cell", "cells", "rest"), np.array([[1, 0], [3, 4], [0, 1]], dtype=np.float32))
>>> vectors.neighbours("cell", 2)
    word  cosine
0  cells     0.6
1   rest     0.0
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.corpora.sources import data_dir
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.storage import packed, read_arrays, read_object, sha256, unpacked, write_arrays, write_json
from citectx.types import Matrix

Precision = Literal["float32", "int8"]
ARRAYS, CARD = "vectors.npz", "card.json"
"""Files in a folder of vectors."""

SMALL: Literal["small"] = "small"
"""Ending of the names of vectors made by `citectx.embeddings.small`."""

TINY = np.finfo(np.float32).tiny


class Threshold(NamedTuple):
    """τ with what it comes from: mean and sd of |cos| of random pairs, and the share of pairs above τ."""

    tau: float
    mean: float
    sd: float
    share_above: float


@dataclass(frozen=True, eq=False)
class Vectors:
    """Words with their vectors, the most frequent words first.

    Parameters
    ----------
    words : tuple of str
        n different words.
    matrix : float32 array, shape (n, d)
        A row for each word.
    output : float32 array, shape (n, d), optional
        word2vec's second matrix, DESM's OUT vectors.
    card : mapping
        Where they come from; see `citectx.embeddings.train`.

    Raises
    ------
    DataError
        If shapes do not fit each other, a word occurs twice, a row is not finite, or there is no word.
    """

    words: tuple[str, ...]
    matrix: Matrix
    output: Matrix | None = None
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.words:
            raise DataError("holds no word", file=self.name)
        for kind, matrix in (("matrix", self.matrix), ("output matrix", self.output)):
            if matrix is not None:
                self._check(kind, matrix)
        if len(self.index) < len(self.words):
            twice = next(word for i, word in enumerate(self.words) if self.index[word] != i)
            raise DataError(f"the word {twice!r} occurs twice", file=self.name)

    def _check(self, kind: str, matrix: Matrix) -> None:
        if matrix.ndim != 2 or matrix.shape != (len(self.words), self.matrix.shape[1]):
            expected = f"({len(self.words)}, {self.matrix.shape[-1]})"
            raise DataError(f"{kind} has shape {matrix.shape}, expected {expected}", file=self.name)
        if matrix.shape[1] != self.card.get("dimensions", matrix.shape[1]):
            message = f"{kind} has {matrix.shape[1]} dimensions, other than its card says"
            raise DataError(message, file=self.name)
        if len(bad := np.flatnonzero(~np.isfinite(matrix).all(axis=1))):
            first = self.words[bad[0]]
            raise DataError(f"{kind}: {len(bad)} rows hold NaN or infinity, first {first!r}", file=self.name)

    @property
    def name(self) -> str:
        """How to ask for them again, as in ``biomedical-cbow``; "vectors" without a card."""
        return name_of(self.card)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    @cached_property
    def index(self) -> dict[str, int]:
        """Row of each word."""
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @cached_property
    def unit(self) -> Matrix:
        """Rows of unit length, shape (n, d); a row of zeros stays one."""
        return unit_rows(self.matrix)

    def rows(self, words: Iterable[str], *, output: bool = False) -> tuple[Matrix, NDArray[np.bool_]]:
        """Look words up.

        Parameters
        ----------
        words : iterable of str
        output : bool
            Take rows of the output matrix.

        Returns
        -------
        rows : float32 array, shape (m, d)
            Unit vectors; zeros for words that are missing.
        known : bool array, shape (m,)

        Raises
        ------
        DataError
            If the output matrix is asked for and there is none.

        Examples
        --------
        >>> rows, known = Vectors(("rest",), np.array([[3, 4]], dtype=np.float32)).rows(["rest", "unrest"])
        >>> rows.round(1).tolist(), known.tolist()
        ([[0.6000000238418579, 0.800000011920929], [0.0, 0.0]], [True, False])
        """
        matrix = self.output if output else self.matrix
        if matrix is None:
            raise DataError("has no output matrix; train the vectors again to have one", file=self.name)
        places = np.array([self.index.get(word, -1) for word in words], dtype=np.int64)
        known = places >= 0
        return unit_rows(matrix[places] * known[:, None]), known

    def neighbours(self, word: str, k: int = 10, *, among: int | None = None) -> pd.DataFrame:
        """Find the words whose vectors have the highest cosine with a word's.

        Parameters
        ----------
        word : str
        k : int
        among : int, optional
            Search only this many of the most frequent words; rare ones have unreliable vectors.

        Returns
        -------
        DataFrame
            Columns word, cosine; the word itself is left out.

        Raises
        ------
        ParameterError
            If the word has no vector; the message names similarly written words.
        """
        if word not in self:
            similar = difflib.get_close_matches(word, self.words[:50_000], n=3)
            hint = f"; similarly written: {', '.join(similar)}" if similar else ""
            raise ParameterError(f"{self.name}: {word!r} is not among the {len(self):,} words{hint}")
        place = self.index[word]
        cosine = self.unit[:among] @ self.unit[place]
        best = [i for i in np.argsort(-cosine, kind="stable")[: k + 1] if i != place][:k]
        return pd.DataFrame({"word": [self.words[i] for i in best], "cosine": cosine[best]})

    def threshold(
        self, deviations: float = 2.0, *, pairs: int = 100_000, seed: int = 0, among: int | None = None
    ) -> Threshold:
        """Compute τ, above which two words count as related: mean + `deviations` × sd of |cos|.

        Parameters
        ----------
        deviations : float
            Standard deviations above the mean.
        pairs : int
            Pairs of different words drawn at random.
        seed : int
        among : int, optional
            Draw from this many of the most frequent words; None draws from all.

        Notes
        -----
        Source: sigir2017 §2 (Embeddings). Ambiguity: the paper draws "random" words without saying from
        where. Drawing from the whole vocabulary takes it at its word, but most words are rare, and vectors of
        rare words resemble each other, which raises τ; `among` draws from the frequent ones. Nor does it say
        how many words are drawn; with 100,000 pairs τ is sure to about 0.003.

        Raises
        ------
        ParameterError
            If there are no two words to pair, or no pairs are asked for.
        """
        size = len(self) if among is None else min(among, len(self))
        if size < 2 or pairs < 1:
            raise ParameterError(f"τ needs two words and one pair at least, not {size} and {pairs}")
        key = (size, pairs, seed)
        if key not in self._random_cosines:
            self._random_cosines[key] = self._draw(*key)
        cosine = self._random_cosines[key]
        mean, sd = float(cosine.mean()), float(cosine.std())
        tau = mean + deviations * sd
        return Threshold(tau, mean, sd, float((cosine > tau).mean()))

    @cached_property
    def _random_cosines(self) -> dict[tuple[int, int, int], NDArray[np.float64]]:
        return {}

    def _draw(self, size: int, pairs: int, seed: int) -> NDArray[np.float64]:
        """|cos| of random pairs of different words, in steps that keep the rows in the processor's cache."""
        draw = np.random.default_rng(seed)
        one = draw.integers(size, size=pairs)
        other = (one + draw.integers(1, size, size=pairs)) % size
        step = 1000
        parts = [
            np.einsum("ij,ij->i", self.unit[one[i : i + step]], self.unit[other[i : i + step]])
            for i in range(0, pairs, step)
        ]
        cosines: NDArray[np.float64] = np.abs(np.concatenate(parts)).astype(np.float64)
        return cosines

    def save(self, folder: Path, precision: Precision = "float32") -> Path:
        """Write ``vectors.npz`` and ``card.json``, each whole or not at all; returns the folder.

        With int8 each row is scaled to −127…127 and keeps its scale: a quarter of the size, and cosines
        change in the third decimal.
        """
        if precision not in get_args(Precision):
            raise unknown("precision", precision, get_args(Precision))
        arrays: dict[str, Any] = {"words": packed(self.words)}
        for name, matrix in (("matrix", self.matrix), ("output", self.output)):
            if matrix is not None:
                arrays |= encoded(name, matrix, precision)
        write_arrays(folder / ARRAYS, **arrays)
        facts = {"words": len(self), "dimensions": self.dimensions, "precision": precision}
        write_json(folder / CARD, dict(self.card) | facts | {"sha256": sha256(folder / ARRAYS)})
        return folder

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        MissingDataError
            If one of the two files is not there.
        DataError
            If the arrays do not match the checksum, cannot be read, or are not what the card says.
        """
        folder = Path(folder)
        for name in (ARRAYS, CARD):
            if not (folder / name).is_file():
                raise MissingDataError(f"{folder} holds no {name}; expected a folder written by Vectors.save")
        card = read_card(folder)
        path = folder / ARRAYS
        if sha256(path) != card["sha256"]:
            raise DataError(f"its SHA-256 is not that of {CARD}; copy it again or train again", file=path)
        arrays = read_arrays(path)
        try:
            words, matrix = unpacked(arrays["words"]), decoded("matrix", arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"does not hold words and a matrix ({error})", file=path) from error
        output = decoded("output", arrays) if "output" in arrays else None
        return cls(words, matrix, output, card)


def check_overlap(vectors: Vectors, words: Collection[str], corpus: str) -> None:
    """Check that at least one of a corpus's words has a vector.

    Raises
    ------
    DataError
        If none has: the vectors are of another language, or their words are written otherwise.

    Examples
    --------
    >>> check_overlap(Vectors(("Zelle",), np.ones((1, 2), dtype=np.float32)), ["cell", "rest"], "teaching")
    Traceback (most recent call last):
    citectx.errors.DataError: vectors: none of the 2 words of teaching (such as 'cell') has a vector;
    those that have look like 'Zelle'; expected lower-cased English words
    """
    if not any(word in vectors for word in words):
        example = f" (such as {min(words)!r})" if words else ""
        missing = f"none of the {len(words):,} words of {corpus}{example} has a vector"
        ours = ", ".join(map(repr, vectors.words[:3]))
        message = f"{missing}; those that have look like {ours}; expected lower-cased English words"
        raise DataError(message, file=vectors.name)


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale rows to unit length; rows of zeros stay.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Matrix = matrix / np.maximum(lengths, TINY)
    return scaled


def embeddings_dir() -> Path:
    """Folder of prepared texts, checkpoints and trained vectors."""
    return data_dir() / "embeddings"


def encoded(name: str, matrix: Matrix, precision: Precision) -> dict[str, NDArray[Any]]:
    """Return the arrays that keep a matrix in some precision; with int8 each row has a scale.

    >>> arrays = encoded("matrix", np.array([[2.0, -1.0]], dtype=np.float32), "int8")
    >>> arrays["matrix"].tolist(), decoded("matrix", arrays).round(2).tolist()
    ([[127, -64]], [[2.0, -1.0099999904632568]])
    """
    if precision != "int8":
        return {name: matrix}
    scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), TINY) / np.float32(127)
    return {name: np.rint(matrix / scale).astype(np.int8), f"{name}_scale": scale}


def decoded(name: str, arrays: Mapping[str, NDArray[Any]]) -> Matrix:
    """Undo `encoded`, shape (n, d)."""
    matrix: Matrix = arrays[name].astype(np.float32)
    return matrix * arrays[f"{name}_scale"] if f"{name}_scale" in arrays else matrix


def read_card(folder: Path) -> dict[str, Any]:
    """Read ``card.json``.

    Raises
    ------
    DataError
        If it is no JSON object, or lacks what `Vectors.load` needs.
    """
    path = Path(folder) / CARD
    card = read_object(path)
    if missing := [key for key in ("words", "dimensions", "sha256") if key not in card]:
        raise DataError(f"lacks {', '.join(missing)}; expected a card written by Vectors.save", file=path)
    return card


def name_of(card: Mapping[str, Any]) -> str:
    """Name of the vectors that a card describes.

    >>> name_of({"name": "general", "architecture": "cbow"}), name_of({"name": "general", "taken_from": 9})
    ('general-cbow', 'general-small')
    """
    if "name" not in card:
        return "vectors"
    return f"{card['name']}-{SMALL if 'taken_from' in card else card.get('architecture', 'trained')}"
