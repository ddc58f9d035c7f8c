"""Is each embedding better at home? Cosines against people's ratings of pairs of words; and τ of each.

Beyond the papers. From the neighbours of one word (Table 2) sigir2017 concludes that vectors trained on
general text miss the biomedical sense of words; here eight sets of rated pairs show how far that is true.

    python -m citectx.papers.sigir2017.intrinsic
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx import profiles
from citectx.embeddings import ARCHITECTURES, Vectors, open_vectors
from citectx.embeddings.intrinsic import FILES, WordSet, correlation, similarities, word_set
from citectx.errors import CitectxError
from citectx.evaluation import Interval
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.types import Floats

NAME = "embeddings_intrinsic"
EMBEDDINGS = tuple(
    f"{corpus}-{architecture}"
    for corpus in ("general", "biomedical", "computational-linguistics")
    for architecture in ARCHITECTURES
)
FREQUENT = 10_000
"""How many of the most frequent words make the second reading of "random words" for τ."""


@timed
def run(
    names: Sequence[str] = EMBEDDINGS,
    sets: Iterable[str] = tuple(FILES),
    *,
    resamples: int = 1000,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Measure embeddings on all sets.

    Parameters
    ----------
    names : sequence of str
        For `citectx.embeddings.open_vectors`.
    sets : iterable of str
        Keys of `citectx.embeddings.intrinsic.FILES`.
    resamples : int
        Draws of the bootstrap over pairs.
    seed : int
    progress : bool

    Returns
    -------
    Result
        ``corpus`` is the word set, ``method`` the embedding. Metrics: ``spearman`` over the pairs that have
        vectors (their number is ``n``), ``coverage`` (share of pairs, in percent), and ``gain``: by how much
        the embedding of the set's own domain is ahead of the other one (general, biomedical) of the same
        architecture, over the pairs that both know. τ and the share of pairs above it (in percent) are
        under the corpora "all words" and "frequent words". The table ``cards`` says how each was trained.
    """
    embeddings = {name: open_vectors(name) for name in names}
    tables = [table for name, vectors in embeddings.items() for table in _thresholds(name, vectors, seed)]
    for each in tqdm([*map(word_set, sets)], desc=NAME, disable=not progress, unit="set"):
        params = {"domain": each.domain, "phrases": "mean of unit vectors", "resamples": resamples}
        cells = measure(each, embeddings, resamples=resamples, seed=seed)
        tables.append(tabulate(NAME, each.name, cells, seed, params))
    data = {name: str(vectors.card.get("sha256", ""))[:16] for name, vectors in embeddings.items()}
    return Result(NAME, pd.concat(tables, ignore_index=True), extra={"cards": cards(embeddings)}, data=data)


def measure(pairs: WordSet, embeddings: Mapping[str, Vectors], *, resamples: int = 1000, seed: int = 0) -> list[Cell]:
    """Measure embeddings on one set."""
    ratings = np.array([pair.rating for pair in pairs.pairs])
    cosines = {name: similarities(vectors, pairs.pairs) for name, vectors in embeddings.items()}

    def correlated(method: str, metric: str, minus: Floats | None = None) -> Cell:
        found = correlation(cosines[method], ratings, seed, minus=minus, resamples=resamples)
        return Cell(method, metric, found.rho, found.pairs, Interval(found.low, found.high))

    cells = []
    for name, values in cosines.items():
        covered = 100 * float(np.isfinite(values).mean())
        cells += [correlated(name, "spearman"), Cell(name, "coverage", covered, len(values))]
    return cells + [correlated(home, "gain", cosines[away]) for home, away in _rivals(pairs, cosines)]


def _rivals(pairs: WordSet, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pair the embedding of the set's domain with the one it must beat, for each architecture."""
    other = {"general": "biomedical", "biomedical": "general"}[pairs.domain]
    for name in names:
        rival = name.replace(pairs.domain, other, 1)
        if name.startswith(pairs.domain) and rival in names:
            yield name, rival


def _thresholds(name: str, vectors: Vectors, seed: int) -> Iterator[pd.DataFrame]:
    for among, corpus in ((None, "all words"), (FREQUENT, "frequent words")):
        found = vectors.threshold(among=among, seed=seed)
        size = len(vectors) if among is None else min(among, len(vectors))
        params = {"deviations": 2.0, "pairs": 100_000, "mean": round(found.mean, 4)}
        values = {"tau": found.tau, "share above tau": 100 * found.share_above}
        cells = [Cell(name, metric, value, size) for metric, value in values.items()]
        yield tabulate(NAME, corpus, cells, seed, params)


def cards(embeddings: Mapping[str, Vectors]) -> pd.DataFrame:
    """List how each embedding was trained.

    Returns
    -------
    DataFrame
        Columns method, words, dimensions, articles, sentences, tokens, left_out (articles that the evaluation
        uses), epochs, min_count, first_loss, last_loss, seconds, date.
    """
    rows = []
    for name, vectors in embeddings.items():
        card, text, settings = (vectors.card, vectors.card["text"], vectors.card["settings"])
        rows.append(
            {
                "method": name,
                "words": len(vectors),
                "dimensions": vectors.dimensions,
                "articles": text["articles"],
                "sentences": text["sentences"],
                "tokens": text["words"],
                "left_out": sum(n for why, n in text["left_out"].items() if why.startswith("evaluation")),
                "epochs": settings["epochs"],
                "min_count": settings["min_count"],
                "first_loss": card["loss"][0],
                "last_loss": card["loss"][-1],
                "seconds": card["seconds"],
                "date": card["date"],
            }
        )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    try:
        print(run().write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
