"""What vectors know of words, and whether more text would help. Beyond the paper, whose vectors had
far more text.

From the neighbours of one word (Table 2) sigir2017 concludes that vectors trained on general text
miss the biomedical sense of words; `intrinsic` asks eight sets of rated pairs of words how far that
is true. `curve` has vectors of an eighth, a quarter, a half and all of each text. Train the shares
first, once:

    citectx embeddings train biomedical-eighth --architecture skip-gram    (… -quarter, -half;
    general-…)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora import sources
from citectx.corpora.model import Corpus
from citectx.embeddings import ARCHITECTURES, Vectors, open_vectors
from citectx.embeddings.texts import SHARES
from citectx.embeddings.vectors import unit_rows
from citectx.errors import DataError, unknown
from citectx.evaluation import Interval
from citectx.experiments.contextualization import OBJECTIVES, Protocol, prepare, settings
from citectx.experiments.report import Cell, compare, part, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.language.text import Analyzer
from citectx.retrieval import LMD, RetrievalModel, model
from citectx.types import Floats, Matrix

INTRINSIC, CURVE = "embeddings_intrinsic", "embeddings_curve"
DOMAINS = ("general", "biomedical", "computational-linguistics")
EMBEDDINGS = tuple(
    f"{domain}-{architecture}" for domain in DOMAINS for architecture in ARCHITECTURES
)
VECTORS = {
    f"{row} {share}": f"{domain}{ending}-skip-gram"
    for row, domain in {"WE_Wiki": "general", "WE_Bio": "biomedical"}.items()
    for share, ending in {**{f"1/{n}": f"-{name}" for name, n in SHARES.items()}, "all": ""}.items()
}
"""The vectors of each row of the curve; a row's name is that of Table 1 and the share of the
text."""
RESAMPLES = 1000
"""Draws of the bootstrap over pairs, with replacement, for 95 % percentile intervals."""


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
    domain: str
    pairs: tuple[Pair, ...]


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
    """Read lines of two terms and a rating, separated by tabs, or by blanks where no term holds
    one.

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
            raise DataError(
                f"expected two terms and a rating: {line!r}", file=path, line=number
            ) from error
    return tuple(pairs)


def similarities(vectors: Vectors, pairs: Sequence[Pair]) -> Floats:
    """Cosine of each pair's terms, shape (n,); NaN where a term has no vector.

    Ambiguity: an embedding of words does not say what a term of several words is. It is the mean of
    its words' unit vectors here, and has no vector unless all of its words have one.

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
    from scipy.stats import rankdata  # a second to import

    ranks = [rankdata(values, axis=-1) for values in (a, b)]
    one, other = (r - r.mean(axis=-1, keepdims=True) for r in ranks)
    with np.errstate(invalid="ignore"):
        correlation: Floats = (one * other).sum(-1) / np.sqrt((one**2).sum(-1) * (other**2).sum(-1))
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
    known = np.isfinite(cosines) if minus is None else np.isfinite(cosines) & np.isfinite(minus)
    n = int(known.sum())
    if n < 3:
        return np.nan, Interval(np.nan, np.nan), n
    draws = np.random.default_rng(seed).integers(n, size=(RESAMPLES, n))
    everything = np.vstack([np.arange(n), draws])

    def rho(values: Floats) -> Floats:
        return spearman(values[known][everything], ratings[known][everything])

    values = rho(cosines) if minus is None else rho(cosines) - rho(minus)
    low, high = np.nanquantile(values[1:], [0.025, 0.975])
    return float(values[0]), Interval(float(low), float(high)), n


def _correlated(
    row: str, metric: str, pairs: WordSet, cosines: Floats, seed: int, minus: Floats | None = None
) -> Cell:
    ratings = np.array([pair.rating for pair in pairs.pairs])
    rho, interval, n = correlation(cosines, ratings, seed, minus=minus)
    return Cell(row, metric, rho, n, interval)


def _coverage(row: str, cosines: Floats) -> Cell:
    return Cell(row, "coverage", 100 * float(np.isfinite(cosines).mean()), len(cosines))


@timed
def intrinsic(
    names: Sequence[str] = EMBEDDINGS,
    sets: Iterable[str] = tuple(FILES),
    *,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Ask whether each embedding is better at home: cosines against people's ratings of pairs of
    words.

    Parameters
    ----------
    names : sequence of str
        For `citectx.embeddings.open_vectors`.
    sets : iterable of str
        Keys of `FILES`.
    seed : int
    progress : bool

    Returns
    -------
    Result
        ``corpus`` is the word set, ``method`` the embedding. Metrics: ``spearman`` over the pairs
        that have vectors (their number is ``n``), ``coverage`` (share of pairs, in percent), and
        ``gain``: by how much the embedding of the set's own domain is ahead of the other one
        (general, biomedical) of the same architecture, over the pairs that both know.
    """
    embeddings = {name: open_vectors(name) for name in names}
    tables = []
    for pairs in tqdm([*map(word_set, sets)], desc=INTRINSIC, disable=not progress, unit="set"):
        params = {"domain": pairs.domain, "phrases": "mean of unit vectors", "resamples": RESAMPLES}
        tables.append(
            tabulate(INTRINSIC, pairs.name, measure(pairs, embeddings, seed), seed, params)
        )
    data = {name: str(vectors.card.get("sha256", ""))[:16] for name, vectors in embeddings.items()}
    return Result(INTRINSIC, pd.concat(tables, ignore_index=True), data=data)


def measure(pairs: WordSet, embeddings: Mapping[str, Vectors], seed: int = 0) -> list[Cell]:
    """Measure embeddings on one set."""
    cosines = {name: similarities(vectors, pairs.pairs) for name, vectors in embeddings.items()}
    cells = []
    for name, values in cosines.items():
        cells += [_correlated(name, "spearman", pairs, values, seed), _coverage(name, values)]
    other = {"general": "biomedical", "biomedical": "general"}[pairs.domain]
    for name, values in cosines.items():
        rival = cosines.get(name.replace(pairs.domain, other, 1))
        if name.startswith(pairs.domain) and rival is not None:
            cells.append(_correlated(name, "gain", pairs, values, seed, rival))
    return cells


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
    """Measure vectors of growing texts on rated pairs of words, and in Eq. 2 where Table 1 has
    them.

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
        ``coverage``, the share of all pairs that have vectors, in percent. On corpora: `OBJECTIVES`
        beside LMD, tuned as in Table 1. The table ``tests`` has each row against the whole text and
        against LMD; ``texts`` has the number of articles and words (tokens) that vectors were
        trained on, and their vocabulary.

    Raises
    ------
    MissingDataError
        If a share has not been trained; the message says how.
    """
    opened = {row: open_vectors(name) for row, name in vectors.items()}
    params = {"pairs": "known to all shares", "resamples": RESAMPLES}
    tables = [
        tabulate(CURVE, each, on_pairs(word_set(each), opened, seed), seed, params) for each in sets
    ]
    rows: dict[str, Sequence[RetrievalModel]] = {"LMD": list(LMD.variants())}
    rows |= {
        row: list(model(row.split()[0]).variants(vectors=[name])) for row, name in vectors.items()
    }
    parts = []
    for corpus in corpora:
        topics, label = prepare(corpus, Protocol()), f"{CURVE}: {corpus.name}"
        tuned, scores = tuned_scores(
            topics, rows, folds, OBJECTIVES, label=label, progress=progress
        )
        tests = [
            compare(scores[scores["method"].isin(own)], seed, [f"{row} all"])
            for row, own in _shares(vectors)
        ]
        extra = {"tests": pd.concat([*tests, compare(scores, seed, ["LMD"])], ignore_index=True)}
        shared, said = settings(Protocol(), folds=folds, tuned_for="c-F"), chosen(tuned)
        parts.append(part(CURVE, corpus, scores, seed, params=shared, by_method=said, extra=extra))
    joined = Result.of(CURVE, parts)
    texts = [
        (row, v.card["text"]["articles"], v.card["text"]["words"], len(v))
        for row, v in opened.items()
    ]
    extra = {"texts": pd.DataFrame(texts, columns=["method", "articles", "words", "vocabulary"])}
    table = pd.concat([*tables, joined.table], ignore_index=True)
    data = {row: str(v.card["sha256"])[:16] for row, v in opened.items()}
    return Result(CURVE, table, joined.citances, {**joined.extra, **extra}, {**joined.data, **data})


def _shares(rows: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Collect the shares of each row of Table 1."""
    return [
        (name, [row for row in rows if row.split()[0] == name])
        for name in dict.fromkeys(r.split()[0] for r in rows)
    ]


def on_pairs(pairs: WordSet, vectors: Mapping[str, Vectors], seed: int) -> Iterator[Cell]:
    """Measure the shares of each row on one set."""
    for row, shares in _shares(vectors):
        cosines = {share: similarities(vectors[share], pairs.pairs) for share in shares}
        known = np.isfinite([*cosines.values()]).all(axis=0)
        common = {share: np.where(known, values, np.nan) for share, values in cosines.items()}
        for share in shares:
            yield _correlated(share, "spearman", pairs, common[share], seed)
            yield _correlated(
                share, "less than all", pairs, common[share], seed, common[f"{row} all"]
            )
            yield _coverage(share, cosines[share])
