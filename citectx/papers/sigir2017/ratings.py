"""What vectors know of words, and whether more text would help. Beyond the paper, whose vectors had far more text.

From the neighbours of one word (Table 2) sigir2017 concludes that vectors trained on general text miss the biomedical
sense of words; `intrinsic` asks eight sets of rated pairs of words how far that is true. `curve` has vectors of an
eighth, a quarter, a half and all of each text. Train the shares first, once:

    citectx embeddings train biomedical-eighth --architecture skip-gram    (… -quarter, -half; general-…)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.embeddings import ARCHITECTURES, Vectors, open_vectors
from citectx.embeddings.intrinsic import FILES, WordSet, correlation, similarities, word_set
from citectx.embeddings.texts import SHARES
from citectx.experiments.contextualization import OBJECTIVES, Protocol, prepare, settings
from citectx.experiments.report import Cell, compare, part, tabulate
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import chosen, tuned_scores
from citectx.retrieval import LMD, RetrievalModel, model
from citectx.types import Floats

INTRINSIC, CURVE = "embeddings_intrinsic", "embeddings_curve"
DOMAINS = ("general", "biomedical", "computational-linguistics")
EMBEDDINGS = tuple(f"{domain}-{architecture}" for domain in DOMAINS for architecture in ARCHITECTURES)
VECTORS = {
    f"{row} {share}": f"{domain}{ending}-skip-gram"
    for row, domain in {"WE_Wiki": "general", "WE_Bio": "biomedical"}.items()
    for share, ending in {**{f"1/{n}": f"-{name}" for name, n in SHARES.items()}, "all": ""}.items()
}
"""The vectors of each row of the curve; a row's name is that of Table 1 and the share of the text."""
RESAMPLES = 1000
"""Draws of the bootstrap over pairs."""


def _correlated(row: str, metric: str, pairs: WordSet, cosines: Floats, seed: int, minus: Floats | None = None) -> Cell:
    ratings = np.array([pair.rating for pair in pairs.pairs])
    rho, interval, n = correlation(cosines, ratings, seed, minus=minus, resamples=RESAMPLES)
    return Cell(row, metric, rho, n, interval)


def _coverage(row: str, cosines: Floats) -> Cell:
    return Cell(row, "coverage", 100 * float(np.isfinite(cosines).mean()), len(cosines))


@timed
def intrinsic(
    names: Sequence[str] = EMBEDDINGS, sets: Iterable[str] = tuple(FILES), *, seed: int = 0, progress: bool = True
) -> Result:
    """Ask whether each embedding is better at home: cosines against people's ratings of pairs of words.

    Parameters
    ----------
    names : sequence of str
        For `citectx.embeddings.open_vectors`.
    sets : iterable of str
        Keys of `citectx.embeddings.intrinsic.FILES`.
    seed : int
    progress : bool

    Returns
    -------
    Result
        ``corpus`` is the word set, ``method`` the embedding. Metrics: ``spearman`` over the pairs that have
        vectors (their number is ``n``), ``coverage`` (share of pairs, in percent), and ``gain``: by how much
        the embedding of the set's own domain is ahead of the other one (general, biomedical) of the same
        architecture, over the pairs that both know.
    """
    embeddings = {name: open_vectors(name) for name in names}
    tables = []
    for pairs in tqdm([*map(word_set, sets)], desc=INTRINSIC, disable=not progress, unit="set"):
        params = {"domain": pairs.domain, "phrases": "mean of unit vectors", "resamples": RESAMPLES}
        tables.append(tabulate(INTRINSIC, pairs.name, measure(pairs, embeddings, seed), seed, params))
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
    """Measure vectors of growing texts on rated pairs of words, and in Eq. 2 where Table 1 has them.

    Parameters
    ----------
    corpora : sequence of Corpus
    vectors : mapping of str to str
        Row, as in `VECTORS`, to the name of its vectors; each row of Table 1 needs its share "all".
    sets : iterable of str
        Keys of `citectx.embeddings.intrinsic.FILES`.
    folds : int
        Folds of the cross-validation over topics.
    seed : int
    progress : bool

    Returns
    -------
    Result
        On word sets: ``spearman`` over the pairs that all shares of a text know, so that shares are compared
        on the same pairs; ``less than all``, its difference to that of the whole text; ``coverage``, the
        share of all pairs that have vectors, in percent. On corpora: `OBJECTIVES` beside LMD, tuned as in
        Table 1. The table ``tests`` has each row against the whole text and against LMD; ``texts`` has the
        number of articles and words (tokens) that vectors were trained on, and their vocabulary.

    Raises
    ------
    MissingDataError
        If a share has not been trained; the message says how.
    """
    opened = {row: open_vectors(name) for row, name in vectors.items()}
    params = {"pairs": "known to all shares", "resamples": RESAMPLES}
    tables = [tabulate(CURVE, each, on_pairs(word_set(each), opened, seed), seed, params) for each in sets]
    rows: dict[str, Sequence[RetrievalModel]] = {"LMD": list(LMD.variants())}
    rows |= {row: list(model(row.split()[0]).variants(vectors=[name])) for row, name in vectors.items()}
    parts = []
    for corpus in corpora:
        topics, label = prepare(corpus, Protocol()), f"{CURVE}: {corpus.name}"
        tuned, scores = tuned_scores(topics, rows, folds, OBJECTIVES, label=label, progress=progress)
        tests = [compare(scores[scores["method"].isin(own)], seed, [f"{row} all"]) for row, own in _shares(vectors)]
        extra = {"tests": pd.concat([*tests, compare(scores, seed, ["LMD"])], ignore_index=True)}
        shared, said = settings(Protocol(), folds=folds, tuned_for="c-F"), chosen(tuned)
        parts.append(part(CURVE, corpus, scores, seed, params=shared, by_method=said, extra=extra))
    joined = Result.of(CURVE, parts)
    texts = [(row, v.card["text"]["articles"], v.card["text"]["words"], len(v)) for row, v in opened.items()]
    extra = {"texts": pd.DataFrame(texts, columns=["method", "articles", "words", "vocabulary"])}
    table = pd.concat([*tables, joined.table], ignore_index=True)
    data = {row: str(v.card["sha256"])[:16] for row, v in opened.items()}
    return Result(CURVE, table, joined.citances, {**joined.extra, **extra}, {**joined.data, **data})


def _shares(rows: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Collect the shares of each row of Table 1."""
    return [
        (name, [row for row in rows if row.split()[0] == name]) for name in dict.fromkeys(r.split()[0] for r in rows)
    ]


def on_pairs(pairs: WordSet, vectors: Mapping[str, Vectors], seed: int) -> Iterator[Cell]:
    """Measure the shares of each row on one set."""
    for row, shares in _shares(vectors):
        cosines = {share: similarities(vectors[share], pairs.pairs) for share in shares}
        known = np.isfinite([*cosines.values()]).all(axis=0)
        common = {share: np.where(known, values, np.nan) for share, values in cosines.items()}
        for share in shares:
            yield _correlated(share, "spearman", pairs, common[share], seed)
            yield _correlated(share, "less than all", pairs, common[share], seed, common[f"{row} all"])
            yield _coverage(share, cosines[share])
