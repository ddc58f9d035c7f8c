"""Whether more text would help: vectors of an eighth, a quarter, a half and all of each text.

Beyond the paper, whose vectors had far more text. `curve` asks people's ratings of pairs of words,
and Eq. 2 in Table 1. Train the shares first, once::

    citectx embeddings train biomedical-eighth --architecture skip-gram

and the same for ``biomedical-quarter``, ``biomedical-half`` and the shares of ``general``.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path

import numpy as np
import pandas as pd

from citectx.corpora import sources
from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.texts import SHARES
from citectx.embeddings.vectors import unit_rows
from citectx.errors import DataError, unknown
from citectx.evaluation import Interval
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.report import Cell, compare, part, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.language.text import Analyzer
from citectx.retrieval import LMD, RetrievalModel, model
from citectx.types import Floats, Matrix

CURVE = "embeddings_curve"
COMPARED = ("c-F", "nDCG", "c-P@1")
TEXTS = {"WE_Wiki": "general", "WE_Bio": "biomedical"}
"""The text of each row of Table 1."""
ENDINGS = {**{f"1/{n}": f"-{name}" for name, n in SHARES.items()}, "all": ""}
VECTORS = {
    f"{row} {share}": f"{text}{ending}-skip-gram"
    for row, text in TEXTS.items()
    for share, ending in ENDINGS.items()
}
"""The vectors of each row of the curve, by the row's name in Table 1 and the share of the text."""
RESAMPLES = 1000
"""Draws of the bootstrap over pairs, with replacement, for 95 % percentile intervals."""

FILES = {
    "UMNSRS similarity": ("biomedical", "UMNSRS/UMNSRS-sim.txt"),
    "UMNSRS relatedness": ("biomedical", "UMNSRS/UMNSRS-rel.txt"),
    "MayoSRS": ("biomedical", "MayoSRS/MayoSRS.txt"),
    "Bio-SimLex": ("biomedical", "bio-simlex/Bio-SimLex.txt"),
    "Bio-SimVerb": ("biomedical", "bio-simverb/Bio-SimVerb.txt"),
    "SimLex-999": ("general", "SimLex-999/SimLex-999.txt"),
    "WordSim-353": ("general", "WordSim-353/WordSim-353.txt"),
    "MEN": ("general", "MEM-TR-3k/EN-MEN-TR-3k.txt"),
}
"""Domain and file of each set of rated pairs in the source ``word-similarities``."""

_ANALYZER = Analyzer(stem=False, stop_words="none", numbers=False)


def word_set(name: str) -> pd.DataFrame:
    """Read a set of `FILES`, as `read_pairs`.

    Raises
    ------
    ParameterError
        If there is no set of that name.
    MissingDataError
        If the source is not on this machine.
    """
    if name not in FILES:
        raise unknown("word set", name, FILES)
    root = sources.folder("word-similarities") / "wvlib" / "word-similarities"
    return read_pairs(root / FILES[name][1])


def read_pairs(path: Path) -> pd.DataFrame:
    """Read two terms and a rating a line, separated by tabs, or by blanks where no term holds one.

    Returns
    -------
    DataFrame
        Columns one, other, rating.

    Raises
    ------
    DataError
        If a line is anything else.
    """
    rows = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError("is not in UTF-8", file=path) from error
    for number, line in enumerate(lines, start=1):
        fields = line.strip().split("\t" if "\t" in line else None)
        try:
            one, other, rating = fields
            rows.append((one, other, _rating(rating)))
        except ValueError as error:
            problem = f"expected two terms and a rating: {line!r}"
            raise DataError(problem, file=path, line=number) from error
    return pd.DataFrame(rows, columns=["one", "other", "rating"])


def _rating(printed: str) -> float:
    if not isfinite(rating := float(printed)):
        raise ValueError(printed)
    return rating


def similarities(vectors: Vectors, pairs: pd.DataFrame) -> Floats:
    """Cosine of each pair's terms, shape (n,); NaN where a term has no vector.

    Ambiguity: an embedding of words does not say what a term of several words is. It is the mean of
    its words' unit vectors here, and has no vector unless all of its words have one.

    Examples
    --------
    >>> vectors = Vectors(("heart", "attack", "rest"), np.eye(3, dtype=np.float32))
    >>> pairs = {"one": ["heart attack", "heart"], "other": ["heart", "failure"]}
    >>> similarities(vectors, pd.DataFrame(pairs)).round(3)
    array([0.707,   nan])
    """
    ones, others = _terms(vectors, pairs["one"]), _terms(vectors, pairs["other"])
    cosine: Floats = np.einsum("ij,ij->i", ones, others).astype(np.float64)
    return cosine


def _terms(vectors: Vectors, terms: pd.Series) -> Matrix:
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
    from scipy.stats import rankdata  # a second to import

    ranks = [rankdata(values, axis=-1) for values in (a, b)]
    one, other = (r - r.mean(axis=-1, keepdims=True) for r in ranks)
    lengths = np.sqrt((one**2).sum(-1) * (other**2).sum(-1))
    with np.errstate(invalid="ignore"):
        correlation: Floats = (one * other).sum(-1) / lengths
    return correlation


def correlation(
    cosines: Floats, ratings: Floats, seed: int, *, minus: Floats | None = None
) -> tuple[float, Interval, int]:
    """Correlate cosines with ratings, over the pairs that have a cosine.

    Parameters
    ----------
    cosines, ratings : float array, shape (n,)
    seed : int
    minus : float array, shape (n,), optional
        Cosines of another embedding. The result is then the difference of the two correlations,
        over the pairs that both know.

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
    known = np.isfinite(cosines) & np.isfinite(cosines if minus is None else minus)
    n = int(known.sum())
    if n < 3:
        return np.nan, Interval(np.nan, np.nan), n
    draws = np.random.default_rng(seed).integers(n, size=(RESAMPLES, n))
    everything = np.vstack([np.arange(n), draws])
    rated = ratings[known][everything]
    values = spearman(cosines[known][everything], rated)
    if minus is not None:
        values = values - spearman(minus[known][everything], rated)
    low, high = np.nanquantile(values[1:], [0.025, 0.975])
    return float(values[0]), Interval(float(low), float(high)), n


@timed
def curve(
    corpora: Sequence[Corpus],
    vectors: Mapping[str, str] = VECTORS,
    sets: Iterable[str] = tuple(FILES),
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure vectors of growing texts on rated pairs of words, and in Eq. 2.

    Parameters
    ----------
    corpora : sequence of Corpus
    vectors : mapping of str to str
        Row, as in `VECTORS`, to the name of its vectors; each row of Table 1 needs its share "all".
    sets : iterable of str
        Keys of `FILES`.
    folds : int
        Folds of the cross-validation over topics.
    seed : int
    progress : bool

    Returns
    -------
    Result
        On word sets: ``spearman`` over the pairs that all shares of a text know, so that shares are
        compared on the same pairs; ``less than all``, its difference to that of the whole text;
        ``coverage``, the share of all pairs that have vectors, in percent. On corpora: `COMPARED`
        beside LMD, tuned as in Table 1. The table ``tests`` has each row against the whole text and
        against LMD; ``texts`` has the number of articles and words (tokens) that vectors were
        trained on, and their vocabulary.

    Raises
    ------
    MissingDataError
        If a share has not been trained; the message says how.
    """
    opened = {row: open_vectors(name) for row, name in vectors.items()}
    about = {"pairs": "known to all shares", "resamples": RESAMPLES}
    tables = []
    for name in sets:
        cells = on_pairs(word_set(name), opened, seed)
        tables.append(tabulate(CURVE, name, cells, seed, about))
    in_eq2 = _in_eq2(corpora, vectors, folds, seed, progress)
    sizes, data = [], dict(in_eq2.data)
    for row, own in opened.items():
        text = own.card["text"]
        sizes.append((row, text["articles"], text["words"], len(own)))
        data[row] = str(own.card["sha256"])[:16]
    texts = pd.DataFrame(sizes, columns=["method", "articles", "words", "vocabulary"])
    table = pd.concat([*tables, in_eq2.table], ignore_index=True)
    return Result(CURVE, table, in_eq2.citances, {**in_eq2.extra, "texts": texts}, data)


def _in_eq2(
    corpora: Sequence[Corpus], vectors: Mapping[str, str], folds: int, seed: int, progress: bool
) -> Result:
    """Find contexts with the vectors of each row, and with LMD."""
    rows: dict[str, Sequence[RetrievalModel]] = {"LMD": list(LMD.variants())}
    for row, name in vectors.items():
        rows[row] = list(model(row.split()[0]).variants(vectors=[name]))
    params = DEFAULT.params() | {"folds": folds, "tuned_for": "c-F"}
    parts = []
    for corpus in corpora:
        tuned, scores = tuned_scores(prepare(corpus), rows, folds, COMPARED, progress=progress)
        tests = []
        for name, shares in _shares(vectors).items():
            own = scores[scores["method"].isin(shares)]
            tests.append(compare(own, seed, [f"{name} all"]))
        tests.append(compare(scores, seed, ["LMD"]))
        extra, said = {"tests": pd.concat(tests, ignore_index=True)}, chosen(tuned)
        parts.append(part(CURVE, corpus, scores, seed, params=params, by_method=said, extra=extra))
    return Result.of(CURVE, parts)


def _shares(rows: Iterable[str]) -> dict[str, list[str]]:
    """Collect the shares of each row of Table 1."""
    shares: dict[str, list[str]] = {}
    for row in rows:
        shares.setdefault(row.split()[0], []).append(row)
    return shares


def on_pairs(pairs: pd.DataFrame, vectors: Mapping[str, Vectors], seed: int) -> list[Cell]:
    """Measure the shares of each row on one set."""
    cells, ratings = [], pairs["rating"].to_numpy()
    for row, shares in _shares(vectors).items():
        cosines = {share: similarities(vectors[share], pairs) for share in shares}
        known = np.isfinite([*cosines.values()]).all(axis=0)
        common = {share: np.where(known, values, np.nan) for share, values in cosines.items()}
        for share, own in common.items():
            rho, interval, n = correlation(own, ratings, seed)
            cells.append(Cell(share, "spearman", rho, n, interval))
            less, interval, n = correlation(own, ratings, seed, minus=common[f"{row} all"])
            cells.append(Cell(share, "less than all", less, n, interval))
            coverage = 100 * float(np.isfinite(cosines[share]).mean())
            cells.append(Cell(share, "coverage", coverage, len(pairs)))
    return cells
