"""Trained word vectors: stored without pickle, checked when read, found by name; neighbours, the
threshold τ.

A folder of vectors holds ``vectors.npz`` (words, matrix, and the output matrix if there is one) and
``card.json`` (what they were trained on, and how). Nothing in either is executed when it is read.

=====================  =====================================================================
name                   vectors
=====================  =====================================================================
``general``            trained, in the architecture `DEFAULT`; the small ones if there are none
``general-cbow``       trained, in that architecture
``general-skip-gram``
``general-small``      the small ones, the same on every machine
=====================  =====================================================================

>>> vectors = Vectors(("cell", "cells", "rest"), np.array([[1, 0], [3, 4], [0, 1]], dtype=np.float32))
>>> vectors.neighbours("cell", 2)
    word  cosine
0  cells     0.6
1   rest     0.0
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar, get_args

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve_triangular

from citectx.embeddings.texts import embeddings_dir, text_corpus
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.paths import DATA
from citectx.storage import (
    packed,
    read_arrays,
    read_object,
    sha256,
    unpacked,
    write_arrays,
    write_json,
)
from citectx.types import Floats, Matrix

Architecture = Literal["cbow", "skip-gram"]
ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)
DEFAULT: Architecture = "skip-gram"
"""What is meant where a name has no architecture; `embeddings_intrinsic` shows how the two
compare."""

Update = Literal["in-place", "simultaneous"]
FloatT = TypeVar("FloatT", np.float32, np.float64)

ARRAYS, CARD = "vectors.npz", "card.json"
"""Files in a folder of vectors."""

SMALL = "small"
"""Ending of the names of the repository's small vectors, which ``data/vectors/build.py`` makes."""

SMALL_VECTORS = DATA / "vectors"

TINY = np.finfo(np.float32).tiny


class Threshold(NamedTuple):
    """τ with what it comes from: mean and sd of |cos| of random pairs, and the share of pairs above
    τ.
    """

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
        If shapes do not fit each other, a word occurs twice, a row is not finite, or there is no
        word.
    """

    words: tuple[str, ...]
    matrix: Matrix
    output: Matrix | None = None
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.words:
            raise DataError("holds no word", file=self.name)
        if len(self.index) < len(self.words):
            twice = next(word for i, word in enumerate(self.words) if self.index[word] != i)
            raise DataError(f"the word {twice!r} occurs twice", file=self.name)
        expected = len(self.words), self.card.get("dimensions", self.matrix.shape[-1])
        for kind, matrix in (("matrix", self.matrix), ("output matrix", self.output)):
            if matrix is not None and matrix.shape != expected:
                raise DataError(
                    f"{kind} has shape {matrix.shape}, expected {expected}", file=self.name
                )
            if matrix is not None and len(bad := np.flatnonzero(~np.isfinite(matrix).all(axis=1))):
                first = self.words[bad[0]]
                raise DataError(
                    f"{kind}: {len(bad)} rows hold NaN or infinity, first {first!r}", file=self.name
                )

    @property
    def name(self) -> str:
        """How to ask for them again, as in ``biomedical-cbow``; "vectors" without a card."""
        ending = SMALL if "taken_from" in self.card else self.card.get("architecture", "trained")
        return f"{self.card['name']}-{ending}" if "name" in self.card else "vectors"

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

    def rows(
        self, words: Iterable[str], *, output: bool = False
    ) -> tuple[Matrix, NDArray[np.bool_]]:
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
            raise DataError(
                "has no output matrix; train the vectors again to have one", file=self.name
            )
        places = np.array([self.index.get(word, -1) for word in words], dtype=np.int64)
        known = places >= 0
        return unit_rows(matrix[places] * known[:, None]), known

    def place(self, word: str) -> int:
        """Return the row of one word.

        Raises
        ------
        ParameterError
            If the word has no vector; the message names similarly written words.
        """
        if word not in self:
            similar = difflib.get_close_matches(word, self.words[:50_000], n=3)
            hint = (
                f"similarly written: {', '.join(similar)}"
                if similar
                else "expected a lower-cased English word"
            )
            raise ParameterError(
                f"{self.name}: {word!r} is not among the {len(self):,} words; {hint}"
            )
        return self.index[word]

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
            If the word has no vector.
        """
        place = self.place(word)
        cosine = self.unit[:among] @ self.unit[place]
        best = [i for i in np.argsort(-cosine, kind="stable")[: k + 1] if i != place][:k]
        return pd.DataFrame({"word": [self.words[i] for i in best], "cosine": cosine[best]})

    def threshold(
        self,
        deviations: float = 2.0,
        *,
        pairs: int = 100_000,
        seed: int = 0,
        among: int | None = None,
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
        Source: sigir2017 §2 (Embeddings). Ambiguity: the paper draws "random" words without saying
        from where. Drawing from the whole vocabulary takes it at its word, but most words are rare,
        and vectors of rare words resemble each other, which raises τ; `among` draws from the
        frequent ones. Nor does it say how many words are drawn; with 100,000 pairs τ is sure to
        about 0.003.

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
            cosine = self._draw(*key)
            self._random_cosines[key] = cosine, float(cosine.mean()), float(cosine.std())
        cosine, mean, sd = self._random_cosines[key]
        if (*key, deviations) not in self._thresholds:
            tau = mean + deviations * sd
            self._thresholds[*key, deviations] = Threshold(
                tau, mean, sd, float((cosine > tau).mean())
            )
        return self._thresholds[*key, deviations]

    @cached_property
    def _random_cosines(self) -> dict[tuple[int, int, int], tuple[Floats, float, float]]:
        return {}

    @cached_property
    def _thresholds(self) -> dict[tuple[int, int, int, float], Threshold]:
        return {}

    def _draw(self, size: int, pairs: int, seed: int) -> Floats:
        """|cos| of random pairs of different words, in steps that keep the rows in the processor's
        cache.
        """
        draw = np.random.default_rng(seed)
        one = draw.integers(size, size=pairs)
        other = (one + draw.integers(1, size, size=pairs)) % size
        steps = (slice(i, i + 1000) for i in range(0, pairs, 1000))
        parts = [np.einsum("ij,ij->i", self.unit[one[at]], self.unit[other[at]]) for at in steps]
        return np.asarray(np.abs(np.concatenate(parts)), dtype=np.float64)

    def check_overlap(self, words: Collection[str], corpus: str) -> None:
        """Check that at least one of a corpus's words has a vector.

        Raises
        ------
        DataError
            If none has: the vectors are of another language, or their words are written otherwise.

        Examples
        --------
        >>> Vectors(("Zelle",), np.ones((1, 2), dtype=np.float32)).check_overlap(["cell", "rest"], "teaching")
        Traceback (most recent call last):
        citectx.errors.DataError: vectors: none of the 2 words of teaching has a vector;
        those that have look like 'Zelle'; expected lower-cased English words
        """
        if not any(word in self for word in words):
            ours = ", ".join(map(repr, self.words[:3]))
            message = f"none of the {len(words):,} words of {corpus} has a vector; those that have look like {ours}"
            raise DataError(f"{message}; expected lower-cased English words", file=self.name)

    def save(self, folder: Path, *, int8: bool = False) -> Path:
        """Write ``vectors.npz`` and ``card.json``, each whole or not at all; returns the folder.

        With `int8` each row is scaled to −127…127 and keeps its scale: a quarter of the size, and
        cosines change in the third decimal.
        """
        arrays: dict[str, Any] = {"words": packed(self.words)}
        for name, matrix in (("matrix", self.matrix), ("output", self.output)):
            if matrix is not None and int8:
                scale = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), TINY) / np.float32(
                    127
                )
                arrays |= {name: np.rint(matrix / scale).astype(np.int8), f"{name}_scale": scale}
            elif matrix is not None:
                arrays[name] = matrix
        write_arrays(folder / ARRAYS, **arrays)
        facts = {
            "words": len(self),
            "dimensions": self.dimensions,
            "precision": "int8" if int8 else "float32",
        }
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
        path = folder / ARRAYS
        for file in (path, folder / CARD):
            if not file.is_file():
                raise MissingDataError(
                    f"{folder} holds no {file.name}; expected a folder written by Vectors.save"
                )
        card = _card(folder)
        if sha256(path) != card["sha256"]:
            raise DataError(
                f"its SHA-256 is not that of {CARD}; copy it again or train again", file=path
            )
        arrays = read_arrays(path)
        if not {"words", "matrix"} <= arrays.keys():
            raise DataError(f"does not hold words and a matrix but {[*arrays]}", file=path)
        matrices = {
            name: arrays[name].astype(np.float32) for name in ("matrix", "output") if name in arrays
        }
        for name in matrices:
            matrices[name] *= arrays.get(f"{name}_scale", np.float32(1))
        return cls(unpacked(arrays["words"]), **matrices, card=card)


def _card(folder: Path) -> dict[str, Any]:
    file = folder / CARD
    return dict(_card_of(folder, file.stat().st_mtime_ns if file.is_file() else 0))


@lru_cache(maxsize=64)
def _card_of(
    folder: Path, _changed: int
) -> dict[str, Any]:  # a card that was written again is read again
    card = read_object(folder / CARD)
    if missing := [key for key in ("words", "dimensions", "sha256") if key not in card]:
        raise DataError(
            f"lacks {', '.join(missing)}; expected a card written by Vectors.save",
            file=folder / CARD,
        )
    return card


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale rows to unit length; rows of zeros stay.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Matrix = matrix / np.maximum(lengths, TINY)
    return scaled


def retrofit(
    vectors: NDArray[FloatT],
    edges: NDArray[np.integer],
    *,
    iterations: int = 10,
    update: Update = "in-place",
) -> NDArray[FloatT]:
    """Retrofit: move each vector towards its synonyms': q_i ← (α·q̂_i + Σ_j β_ij·q_j) / (α + Σ_j
    β_ij).

    With α = 1 and β_ij = 1 / n_i, n_i neighbours of word i, that is q_i ← (n_i·q̂_i + Σ_j q_j) /
    2n_i. All vectors are scaled to length 1 first (a row of zeros stays one), but not again at the
    end.

    Parameters
    ----------
    vectors : float array, shape (n, d)
        q̂, one row a word. Left as it is.
    edges : int array, shape (m, 2)
        Pairs of rows that are synonyms; repeated pairs count once, a word is not its own neighbour.
    iterations : int
        At least 1.
    update : {"in-place", "simultaneous"}
        Whether an iteration goes through the words in order of their rows and uses what it has just
        computed, or computes all words from the iteration before.

    Returns
    -------
    float array, shape (n, d)
        Of the same precision. Words without neighbours keep their (scaled) vectors.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    DataError
        If shapes do not fit, an edge leads to no row, or a vector is not finite.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* 1 (Faruqui et al. 2015, Eq. 1 and the rule below it).
    Ambiguity: sigir2017 gives no parameters; α, β and the defaults are those of the method's
    authors' program. Ambiguity: that program takes edges as directed, as its lexicon lists them.
    Synonymy goes both ways and our lexicon lists each pair once, so ours are undirected; for a
    lexicon that lists every pair both ways they are the same.
    Ambiguity: it goes through the words in the order of a set, which is arbitrary; we take the
    rows' order. After 10 iterations the order matters in the fourth digit, after 100 neither order
    nor `update` matters. Ambiguity: the rule leaves out that β_ji pulls at word i, too. With β = 1
    / n_i it does not minimise the published objective, but Σ_i α·n_i·|q_i − q̂_i|² + Σ_{i,j
    neighbours} |q_i − q_j|², each pair once.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> retrofit(vectors, np.array([[0, 1]]), iterations=50).round(3)
    array([[0.667, 0.333], [0.333, 0.667], [0.6 , 0.8 ]])
    """
    if update not in get_args(Update):
        raise unknown("update", update, get_args(Update))
    if iterations < 1:
        raise ParameterError(f"iterations must be at least 1, not {iterations}")
    if vectors.ndim != 2 or edges.ndim != 2 or edges.shape[1] != 2:
        raise DataError(
            f"expected vectors (n, d) and edges (m, 2), found {vectors.shape} and {edges.shape}"
        )
    if len(edges) and (edges.min() < 0 or edges.max() >= len(vectors)):
        raise DataError(f"edges lead to rows {edges.min()} to {edges.max()} of {len(vectors)}")
    if len(bad := np.flatnonzero(~np.isfinite(vectors).all(axis=1))):
        raise DataError(f"{len(bad)} vectors hold NaN or infinity, the first is row {bad[0]}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result = vectors.copy()
    result /= np.where(lengths > 0, lengths, 1)
    touched, pairs = np.unique(edges, return_inverse=True)
    pairs = pairs.reshape(-1, 2)[np.not_equal(*pairs.reshape(-1, 2).T)]
    both_ways = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    shape = len(touched), len(touched)
    neighbours = sp.csr_array(
        (np.ones(len(both_ways)), tuple(both_ways.T)), shape=shape
    )  # 0/1, both ways
    degree = np.diff(neighbours.indptr)
    each = 1 / np.maximum(degree, 1)
    total = 1 + each * degree
    others = sp.diags_array(each / total) @ neighbours
    start = result[touched].astype(np.float64)
    kept, q = (1 / total)[:, None] * start, start
    below, above = sp.tril(others, format="csr"), sp.triu(others, format="csr")
    solved = sp.eye_array(len(touched), format="csr") - below
    for _ in range(iterations if len(touched) else 0):
        if update == "simultaneous":
            q = kept + others @ q
        else:  # rows above are of this iteration, rows below of the one before: a triangular system
            q = spsolve_triangular(solved, kept + above @ q, lower=True, unit_diagonal=True)
    result[touched] = q
    return result


def trained_folder(name: str, architecture: Architecture = DEFAULT) -> Path:
    """Where vectors are saved when they are trained:
    ``<data_dir>/embeddings/NAME-ARCHITECTURE``.
    """
    return embeddings_dir() / f"{name}-{architecture}"


def open_vectors(name: str) -> Vectors:
    """Read vectors by name; those read before are cached.

    Parameters
    ----------
    name : str
        A training corpus, see `citectx.embeddings.texts.CORPORA`, and perhaps an architecture or
        ``small`` as in ``general-cbow``.

    Raises
    ------
    MissingDataError
        If there are none; the message holds the command that trains them.
    ParameterError
        If there is no such corpus, or the repository has no small vectors of it.
    DataError
        If the files are damaged.

    Examples
    --------
    >>> "cells" in open_vectors("biomedical-small")
    True
    """
    return _loaded(_folder(name), fingerprint_of(name))


def fingerprint_of(name: str) -> str:
    """Checksum of the vectors of a name, without reading them; raises as `open_vectors` does.

    >>> fingerprint_of("biomedical-small") == fingerprint_of("general-small")
    False
    """
    return str(_card(_folder(name))["sha256"])


def _folder(name: str) -> Path:
    ending = next((e for e in (*ARCHITECTURES, SMALL) if name.endswith(f"-{e}")), "")
    corpus = name.removesuffix(f"-{ending}")
    architecture = ending if ending in ARCHITECTURES else DEFAULT
    if ending != SMALL and ((trained := trained_folder(corpus, architecture)) / CARD).is_file():
        return trained
    if ending in (SMALL, "") and ((small := SMALL_VECTORS / corpus) / CARD).is_file():
        return small
    if ending == SMALL:
        raise unknown(
            "small vectors", corpus, (path.parent.name for path in SMALL_VECTORS.glob(f"*/{CARD}"))
        )
    text_corpus(corpus)  # an error if there is none
    how = f"citectx embeddings train {corpus} --architecture {architecture}"
    raise MissingDataError(f"there are no vectors of {corpus} in {trained}; run: {how}")


@lru_cache(maxsize=4)
def _loaded(folder: Path, sha256: str) -> Vectors:  # noqa: ARG001 - new vectors have another checksum
    return Vectors.load(folder)
