"""Word vectors: stored and found by name, their neighbours, the threshold τ, and retrofitting.

A folder of vectors holds ``vectors.npz`` (words, matrix, and the output matrix if there is one) and
``card.json`` (training texts and settings). Vectors are called ``general-cbow`` or
``biomedical-skip-gram`` (trained on this machine) or ``general-small`` (part of the repository).

>>> matrix = np.array([[1, 0], [3, 4], [0, 1]], dtype=np.float32)
>>> vectors = Vectors(("cell", "cells", "rest"), matrix)
>>> vectors.neighbours("cell", 2)
    word  cosine
0  cells     0.6
1   rest     0.0
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.catalogue import ARCHITECTURES
from citectx.embeddings.texts import CORPORA, embeddings_dir
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.paths import DATA
from citectx.storage import (
    pack,
    read_arrays,
    read_json,
    sha256,
    unpack,
    write_arrays,
    write_json,
)
from citectx.types import Matrix

Architecture = Literal["cbow", "skip-gram"]

FloatT = TypeVar("FloatT", np.float32, np.float64)

ARRAYS, CARD = "vectors.npz", "card.json"
"""Files in a folder of vectors."""

SMALL_VECTORS = DATA / "vectors"
"""The repository's small vectors, which ``build.py`` there makes."""

PAIRS = 100_000
"""How many random pairs of words τ is computed from; its error is then about 0.003."""

TINY = np.finfo(np.float32).tiny


class Threshold(NamedTuple):
    """τ, and the mean and sd of |cos| of random pairs that it comes from."""

    tau: float
    mean: float
    sd: float


@dataclass(frozen=True, eq=False)
class Vectors:
    """Words with their vectors, the most frequent words first.

    `matrix` has one row per word, shape (n, d). `output` is word2vec's second matrix (DESM's OUT
    vectors), empty where it is not needed. `card` holds the facts of `citectx.embeddings.train`,
    and `name` is a name for `open_vectors`.
    """

    words: tuple[str, ...]
    matrix: Matrix
    output: Matrix = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))
    card: Mapping[str, Any] = field(default_factory=dict)
    name: str = "vectors"

    def __post_init__(self) -> None:
        size = len(self.matrix)
        # `index` is shorter than `words` if one is there twice
        if {len(self.words), len(self.index)} != {size}:
            raise DataError(f"expected {size:,} words, one per vector, each once", file=self.name)
        finite = np.isfinite(self.matrix).all(axis=1)
        if not finite.all():
            word = self.words[finite.argmin()]
            raise DataError(
                f"the vector of {word!r} holds NaN or infinity; leave the word out", file=self.name
            )

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.matrix.shape[1]

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
        """Rows of unit length, shape (n, d); rows of zeros stay."""
        return unit_rows(self.matrix)

    def rows(
        self, words: Iterable[str], *, output: bool = False
    ) -> tuple[Matrix, NDArray[np.bool_]]:
        """Look up words: unit vectors, shape (m, d), and which words are known, shape (m,).

        Rows of missing words are zeros. With `output`, rows are those of the output matrix.

        >>> vectors = Vectors(("rest",), np.array([[3, 4]], dtype=np.float32))
        >>> rows, known = vectors.rows(["rest", "unrest"])
        >>> rows.round(1).tolist(), known.tolist()
        ([[0.6000000238418579, 0.800000011920929], [0.0, 0.0]], [True, False])
        """
        matrix = self.output if output else self.matrix
        # -1 takes the last row, which `known` then sets to zero
        places = np.array([self.index.get(word, -1) for word in words], int)
        known = places >= 0
        return unit_rows(matrix[places] * known[:, None]), known

    def place(self, word: str) -> int:
        """Return the number of a word's row, or raise a ParameterError if it has no vector."""
        if word not in self:
            raise ParameterError(
                f"{word!r} is not among the {len(self):,} words of {self.name}; "
                "expected a lower-cased English word"
            )
        return self.index[word]

    def neighbours(self, word: str, k: int = 10, *, among: int | None = None) -> pd.DataFrame:
        """Return the k words whose vectors have the highest cosine with a word's, and the cosines.

        With `among`, search only that many of the most frequent words: rare words have unreliable
        vectors.
        """
        # (n, d) @ (d,), where n is `among` or all words
        cosine = self.unit[:among] @ self.unit[self.place(word)]
        # the word itself has a cosine of 1, and is not its own neighbour
        near = pd.DataFrame({"word": self.words[:among], "cosine": cosine})
        return near[near["word"] != word].nlargest(k, "cosine").reset_index(drop=True)

    def threshold(
        self, deviations: float = 2.0, *, among: int | None = None, seed: int = 0
    ) -> Threshold:
        """Compute τ, above which two words count as related: mean + `deviations` × sd of |cos|.

        Source: sigir2017 §2 (Embeddings). Ambiguity: the paper draws "random" words without saying
        from where. The literal reading is the whole vocabulary, but most words are rare, and
        vectors of rare words resemble each other, which raises τ. `among` draws from that many of
        the most frequent words. Nor does the paper say how many words it draws. We draw `PAIRS`
        pairs.
        """
        size = min(among or len(self), len(self))
        mean, sd = mean_and_sd(self, size, seed)
        return Threshold(mean + deviations * sd, mean, sd)

    def save(self, folder: Path, *, int8: bool = False) -> Path:
        """Write ``vectors.npz`` and ``card.json``, each whole or not at all; return the folder.

        With `int8`, each row is scaled to −127…127 and stored with its scale. The file is then a
        quarter of the size, and cosines change in the third decimal.
        """
        arrays: dict[str, Any] = {"matrix": self.matrix, "output": self.output}
        if int8:
            for name, rows in list(arrays.items()):
                # (words, 1): one scale per row; TINY keeps rows of zeros from dividing by zero
                largest = np.abs(rows).max(axis=1, keepdims=True)
                scale = np.maximum(largest, TINY) / np.float32(127)
                arrays[name] = np.rint(rows / scale).astype(np.int8)
                arrays[f"{name}_scale"] = scale
        write_arrays(folder / ARRAYS, words=pack(self.words), **arrays)
        facts = {
            "words": len(self),
            "dimensions": self.dimensions,
            "precision": "int8" if int8 else "float32",
            "sha256": sha256(folder / ARRAYS),
        }
        write_json(folder / CARD, dict(self.card) | facts)
        return folder

    @classmethod
    def load(cls, folder: Path, name: str) -> Self:
        """Read what `save` wrote; a damaged file raises a DataError."""
        arrays = read_arrays(folder / ARRAYS)
        matrix, output = (
            arrays[kind] * arrays.get(f"{kind}_scale", np.float32(1))
            for kind in ("matrix", "output")
        )
        card = read_json(folder / CARD)
        return cls(unpack(arrays["words"]), matrix, output, card, name)


@lru_cache(maxsize=8)  # every variant of a model asks for every article
def mean_and_sd(vectors: Vectors, size: int, seed: int) -> tuple[float, float]:
    """Mean and standard deviation of |cos| of random pairs of words among the first `size`."""
    draw = np.random.default_rng(seed)
    one = draw.integers(size, size=PAIRS)
    # a step of 1 to size - 1 round the circle never ends at the same word
    other = (one + draw.integers(1, size, size=PAIRS)) % size
    # (PAIRS,): inner products of rows of unit length
    cosine = np.einsum("ij,ij->i", vectors.unit[one], vectors.unit[other])
    magnitude = np.abs(cosine).astype(float)
    return float(magnitude.mean()), float(magnitude.std())


def unit_rows(matrix: NDArray[FloatT]) -> NDArray[FloatT]:
    """Scale rows to unit length; rows of zeros stay.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.maximum(lengths, TINY)


def retrofit(
    vectors: NDArray[FloatT], edges: NDArray[np.integer], *, iterations: int = 10
) -> NDArray[FloatT]:
    """Move vectors towards those of their synonyms, by q_i ← (n_i·q̂_i + Σ_j q_j) / 2n_i.

    q̂ are the vectors scaled to length 1, n_i the number of neighbours of word i. An iteration goes
    through the words in the order of their rows and uses what it has just computed. Words without
    neighbours keep their scaled vectors.

    `vectors` has the shape (n, d), `edges` the shape (m, 2): pairs of rows that are synonyms.
    Repeated pairs count once.

    Source: sigir2017 §2, *Domain knowledge* 1 (Faruqui et al. 2015, Eq. 1 and the rule below it,
    q_i ← (α·q̂_i + Σ_j β_ij·q_j) / (α + Σ_j β_ij), with α = 1 and β_ij = 1 / n_i).

    Ambiguity: sigir2017 gives no parameters. α, β and the number of iterations are those of the
    program by the method's authors.

    Ambiguity: that program takes edges as directed, as its lexicon lists them. Our lexicon lists
    each pair of synonyms once, so our edges are undirected. A lexicon that lists every pair both
    ways makes no difference.

    Ambiguity: the program goes through the words in the arbitrary order of a set. We take the order
    of the rows. It matters in the fourth digit after 10 iterations, and no longer after 100.

    Ambiguity: the rule ignores that β_ji also pulls at word i. With β = 1 / n_i it minimises
    Σ_i α·n_i·|q_i − q̂_i|² + Σ_{i,j neighbours} |q_i − q_j|², not the published objective.

    >>> vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> retrofit(vectors, np.array([[0, 1]]), iterations=50).round(3)
    array([[0.667, 0.333], [0.333, 0.667], [0.6 , 0.8 ]])
    """
    # (2m, 2): each pair from either end
    both_ways = np.vstack([edges, edges[:, ::-1]])
    pairs = np.unique(both_ways, axis=0)
    # by row, the rows of its synonyms; rows without any are not in it, and stay
    neighbours: dict[Any, list[int]] = pd.DataFrame(pairs).groupby(0)[1].agg(list).to_dict()
    start = unit_rows(vectors).astype(float)
    q = start.copy()
    for _ in range(iterations):
        for i, js in neighbours.items():
            # n_i is len(js); `start` are the vectors q̂, and `q` holds what is computed so far
            q[i] = (len(js) * start[i] + q[js].sum(axis=0)) / (2 * len(js))
    return q.astype(vectors.dtype)


def open_vectors(name: str) -> Vectors:
    """Read vectors by name; they stay in memory.

    If there are none, the MissingDataError holds the command that trains them.

    >>> "cells" in open_vectors("biomedical-small")
    True
    """
    return _load(name, fingerprint_of(name))


def fingerprint_of(name: str) -> str:
    """Return the checksum of vectors without reading them.

    >>> fingerprint_of("biomedical-small") == fingerprint_of("general-small")
    False
    """
    return read_json(folder_of(name) / CARD)["sha256"]


def folder_of(name: str) -> Path:
    """Find the folder of vectors, in ``<data_dir>/embeddings`` or in the repository.

    >>> folder_of("medical-cbow")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: unknown vectors 'medical-cbow'; did you mean ...
    """
    folder = embeddings_dir() / name
    if name.endswith("-small"):
        folder = SMALL_VECTORS / name.removesuffix("-small")
    if (folder / CARD).is_file():
        return folder
    how = {f"{c}-{kind}": f"{c} --architecture {kind}" for c in CORPORA for kind in ARCHITECTURES}
    if name not in how:
        raise unknown("vectors", name, [*how, "biomedical-small", "general-small"])
    message = f"there are no vectors {name} in {folder}; run: citectx train {how[name]}"
    raise MissingDataError(message)


@lru_cache(maxsize=4)
def _load(name: str, sha256: str) -> Vectors:  # noqa: ARG001 - new vectors have another checksum
    return Vectors.load(folder_of(name), name)
