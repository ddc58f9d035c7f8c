"""sigir2017 Figure 1: similarity of the nearest words, and what logit makes of it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.errors import DataError
from citectx.experiments.contextualization import Protocol
from citectx.experiments.report import KEYS, part
from citectx.experiments.results import Result, timed
from citectx.profiles import resources_of
from citectx.retrieval import Query
from citectx.retrieval.embedding_lm import TRANSFER
from citectx.types import Floats

NAME = "sigir2017_figure1"
CURVES = {"dot product": TRANSFER["identity"], "logit": TRANSFER["logit"]}
FAR = 1000


def similarities(vectors: Vectors, word: str, depth: int) -> Floats:
    """Cosines of a word with its nearest words, falling, shape (at most depth,)."""
    cosine = vectors.unit @ vectors.unit[vectors.index[word]]
    cosine[vectors.index[word]] = -np.inf
    return np.asarray(np.sort(cosine.astype(np.float64))[::-1][: min(depth, len(vectors) - 1)])


@timed
def run(
    corpora: Sequence[Corpus],
    *,
    word: str = "expression",
    words: int = 300,
    depth: int = 2000,
    kind: str | None = None,
    seed: int = 0,
) -> Result:
    """Measure how far similarity has dropped at the thousandth neighbour, before and after logit.

    Source: sigir2017 §2, Figure 1, which shows one word. The table takes words that citances of the corpus
    hold; "drop" is the share of the first neighbour's value that the thousandth has lost, as a mean over
    words. The extra table ``curve`` is the figure for one word.

    Ambiguity: logit is cut and scaled as in the model (see `citectx.retrieval.embedding_lm`); words whose
    nearest neighbour is below the cut have nothing to lose and are left out.

    Parameters
    ----------
    corpora : sequence of Corpus
    word : str
        For the curve.
    words : int
        How many words of citances to draw for the table.
    depth : int
        Neighbours in the curve.
    kind : str, optional
        "cbow", "skip-gram" or "small"; by default the last that the corpus has.
    seed : int

    Raises
    ------
    DataError
        If no drawn word has a neighbour above the cut.
    """
    return Result.of(NAME, [_one(corpus, word, words, depth, kind, seed) for corpus in corpora])


def _one(corpus: Corpus, word: str, words: int, depth: int, kind: str | None, seed: int) -> Result:
    means = resources_of(corpus.name)
    vectors = open_vectors(f"{means.domain}-{kind or means.kinds[-1]}")
    drawn = _draw(corpus, vectors, words, seed)
    dropped = pd.DataFrame({name: _drops(vectors, drawn, name) for name in CURVES}, index=drawn).dropna()
    if dropped.empty:
        raise DataError("no word of its citances has a near neighbour", file=vectors.name)
    long = dropped.rename_axis("topic").reset_index().melt("topic", var_name="method", value_name="drop")
    scores = long.assign(citance=long["topic"])[[*KEYS, "drop"]]
    curve = {}
    if word in vectors:
        cosine = similarities(vectors, word, depth)
        values = {name: transfer(cosine) for name, transfer in CURVES.items()}
        curve["curve"] = pd.DataFrame({"rank": np.arange(len(cosine)) + 1, **values})
    params = {"vectors": vectors.name, "far": FAR, "words": words}
    return part(NAME, corpus, scores, seed, params=params, over="topics", extra=curve)


def _draw(corpus: Corpus, vectors: Vectors, words: int, seed: int) -> list[str]:
    analyzer = Protocol().analyzer
    found = {w for t in corpus for c in t.citances for w in Query.of_citance(c, analyzer).weights}
    known = sorted(w for w in found if w in vectors)
    order = np.random.default_rng(seed).permutation(len(known))
    return sorted(known[i] for i in order[:words])


def _drops(vectors: Vectors, words: Sequence[str], name: str) -> list[float]:
    drops = []
    for word in words:
        values = CURVES[name](similarities(vectors, word, FAR))
        drops.append(1 - float(values[-1] / values[0]) if values[0] > 0 else np.nan)
    return drops
