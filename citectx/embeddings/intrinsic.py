"""How well cosines agree with people's ratings of the similarity of two words.

Each set is a list of pairs of terms with the mean rating that people gave them. Sets from biomedicine show
what an embedding knows there, general ones what it knows of everyday English.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import rankdata

from citectx.corpora import sources
from citectx.embeddings.vectors import Vectors, unit_rows
from citectx.errors import DataError, unknown
from citectx.evaluation import Interval
from citectx.language.text import Analyzer
from citectx.types import Floats, Matrix

Domain = Literal["biomedical", "general"]
_ANALYZER = Analyzer(stem=False, stop_words="none", numbers=False)


class Pair(NamedTuple):
    """Two terms, of one or more words each, and their rating."""

    one: str
    other: str
    rating: float


class WordSet(NamedTuple):
    """A set of rated pairs.

    Parameters
    ----------
    name : str
    domain : {"biomedical", "general"}
    pairs : tuple of Pair
    """

    name: str
    domain: Domain
    pairs: tuple[Pair, ...]


FILES: dict[str, tuple[Domain, str]] = {
    "UMNSRS similarity": ("biomedical", "UMNSRS/UMNSRS-sim.txt"),
    "UMNSRS relatedness": ("biomedical", "UMNSRS/UMNSRS-rel.txt"),
    "MayoSRS": ("biomedical", "MayoSRS/MayoSRS.txt"),
    "Bio-SimLex": ("biomedical", "bio-simlex/Bio-SimLex.txt"),
    "Bio-SimVerb": ("biomedical", "bio-simverb/Bio-SimVerb.txt"),
    "SimLex-999": ("general", "SimLex-999/SimLex-999.txt"),
    "WordSim-353": ("general", "WordSim-353/WordSim-353.txt"),
    "MEN": ("general", "MEM-TR-3k/EN-MEN-TR-3k.txt"),
}
"""Domain and file of each set in the source ``word-similarities``."""


def word_set(name: str) -> WordSet:
    """Read a set by its name.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingDataError
        If the source is not on this machine.
    """
    if name not in FILES:
        raise unknown("word set", name, FILES)
    domain, path = FILES[name]
    root = sources.folder("word-similarities") / "wvlib" / "word-similarities"
    return WordSet(name, domain, read_pairs(root / path))


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """Read lines of two terms and a rating, separated by tabs, or by blanks where no term holds one.

    Raises
    ------
    DataError
        If a line is anything else.
    """
    pairs = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        fields = line.strip().split("\t" if "\t" in line else None)
        try:
            one, other, rating = fields
            pairs.append(Pair(one, other, float(rating)))
        except ValueError as error:
            raise DataError(f"expected two terms and a rating: {line!r}", file=path, line=number) from error
    return tuple(pairs)


def similarities(vectors: Vectors, pairs: Sequence[Pair]) -> Floats:
    """Cosine of each pair's terms, shape (n,); NaN where a term has no vector.

    Ambiguity: an embedding of words does not say what a term of several words is. It is the mean of its
    words' unit vectors here, and has no vector unless all of its words have one.

    Examples
    --------
    >>> vectors = Vectors(("heart", "attack", "rest"), np.eye(3, dtype=np.float32))
    >>> similarities(vectors, [Pair("heart attack", "heart", 4), Pair("heart", "failure", 3)]).round(3)
    array([0.707,   nan])
    """
    ones = _terms(vectors, [pair.one for pair in pairs])
    others = _terms(vectors, [pair.other for pair in pairs])
    cosine: Floats = np.einsum("ij,ij->i", ones, others).astype(np.float64)
    return cosine


def _terms(vectors: Vectors, terms: Sequence[str]) -> Matrix:
    means = np.full((len(terms), vectors.dimensions), np.nan, dtype=np.float32)
    for i, term in enumerate(terms):
        rows, known = vectors.rows(_ANALYZER(term))
        if len(known) and known.all():
            means[i] = rows.mean(axis=0)
    return unit_rows(means)


def spearman(a: Floats, b: Floats) -> Floats:
    """Spearman's rank correlation along the last axis; equal values share their mean rank.

    >>> float(spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])).round(3))
    0.5
    """
    ranks = [rankdata(values, axis=-1) for values in (a, b)]
    one, other = (r - r.mean(axis=-1, keepdims=True) for r in ranks)
    with np.errstate(invalid="ignore"):
        correlation: Floats = (one * other).sum(-1) / np.sqrt((one**2).sum(-1) * (other**2).sum(-1))
    return correlation


def correlation(
    cosines: Floats, ratings: Floats, seed: int, *, minus: Floats | None = None, resamples: int = 1000
) -> tuple[float, Interval, int]:
    """Correlate cosines with ratings, over the pairs that have a cosine.

    Parameters
    ----------
    cosines, ratings : float array, shape (n,)
    seed : int
    minus : float array, shape (n,), optional
        Cosines of another embedding. The result is then the difference of the two correlations, over the
        pairs that both know.
    resamples : int
        Draws of pairs, with replacement, for the 95 % percentile interval.

    Returns
    -------
    rho : float
        Spearman's ρ; NaN with fewer than three pairs.
    interval : Interval
    pairs : int
        How many it is over.

    Examples
    --------
    >>> a, b = np.array([0.1, 0.2, 0.3, np.nan]), np.array([1.0, 3.0, 2.0, 9.0])
    >>> rho, interval, pairs = correlation(a, b, seed=0)
    >>> round(rho, 3), pairs
    (0.5, 3)
    """
    known = np.isfinite(cosines) if minus is None else np.isfinite(cosines) & np.isfinite(minus)
    n = int(known.sum())
    if n < 3:
        return np.nan, Interval(np.nan, np.nan), n
    draws = np.random.default_rng(seed).integers(n, size=(resamples, n))
    everything = np.vstack([np.arange(n), draws])

    def rho(values: Floats) -> Floats:
        return spearman(values[known][everything], ratings[known][everything])

    values = rho(cosines) if minus is None else rho(cosines) - rho(minus)
    low, high = np.nanquantile(values[1:], [0.025, 0.975])
    return float(values[0]), Interval(float(low), float(high)), n
