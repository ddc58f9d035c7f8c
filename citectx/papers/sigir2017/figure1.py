"""sigir2017 Figure 1: similarity of the nearest words, and what logit makes of it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.errors import DataError
from citectx.experiments.contextualization import DEFAULT
from citectx.experiments.report import KEYS, part
from citectx.experiments.results import Result, timed
from citectx.profiles import resources_of
from citectx.retrieval import Query
from citectx.retrieval.embedding_lm import TRANSFER
from citectx.types import Floats

NAME = "sigir2017_figure1"
CURVES = {"dot product": TRANSFER["identity"], "logit": TRANSFER["logit"]}
FAR, DEPTH = 1000, 2000


def similarities(vectors: Vectors, word: str, depth: int) -> Floats:
    """Cosines of a word with its nearest words, falling, shape (at most depth,).

    The nearest are found in single precision. Their cosines are computed again in double precision,
    so that rounded ones do not depend on the processor.
    """
    place = vectors.place(word)
    rough = vectors.unit @ vectors.unit[place]
    rough[place] = -np.inf
    depth = min(depth, len(vectors) - 1)
    nearest = np.argsort(-rough, kind="stable")[:depth]
    cosine: Floats = vectors.unit[nearest].astype(np.float64) @ vectors.unit[place]
    return np.sort(cosine)[::-1]


@timed
def run(
    corpora: Sequence[Corpus],
    *,
    word: str = "expression",
    words: int = 300,
    kind: str | None = None,
    seed: int = 0,
) -> Result:
    """Measure how far similarity has dropped at the thousandth neighbour, before and after logit.

    Source: sigir2017 §2, Figure 1, which shows one word. The table takes words that citances of the
    corpus hold; "drop" is the share of the first neighbour's value that the thousandth has lost, as
    a mean over words. The extra table ``curve`` is the figure for one word.

    Ambiguity: logit is cut and scaled as in the model (see `citectx.retrieval.embedding_lm`); words
    whose nearest neighbour is below the cut have nothing to lose and are left out.

    Parameters
    ----------
    corpora : sequence of Corpus
    word : str
        For the curve.
    words : int
        How many words of citances to draw for the table.
    kind : str, optional
        "cbow", "skip-gram" or "small"; by default the declared one.
    seed : int

    Raises
    ------
    DataError
        If no drawn word has a neighbour above the cut.
    """
    parts = []
    for corpus in corpora:
        resources = resources_of(corpus.name)
        vectors = open_vectors(f"{resources.domain}-{kind or resources.kinds[0]}")
        dropped = _dropped(vectors, _words(corpus, vectors, words, seed))
        params = {"vectors": vectors.name, "far": FAR, "words": words}
        extra = {"curve": _curve(vectors, word)} if word in vectors else {}
        parts.append(part(NAME, corpus, dropped, seed, params=params, over="topics", extra=extra))
    return Result.of(NAME, parts)


def _words(corpus: Corpus, vectors: Vectors, most: int, seed: int) -> list[str]:
    """Draw words of the corpus's citances that have vectors."""
    queries = [Query.of_citance(c, DEFAULT.analyzer) for topic in corpus for c in topic.citances]
    found = {word for query in queries for word in query.weights}
    known = sorted(word for word in found if word in vectors)
    drawn = np.random.default_rng(seed).permutation(len(known))[:most]
    return sorted(known[i] for i in drawn)


def _dropped(vectors: Vectors, words: Sequence[str]) -> pd.DataFrame:
    """Measure what each word's thousandth neighbour has lost: `KEYS`, a topic a word, and drop."""
    rows = []
    for word in words:
        cosine = similarities(vectors, word, FAR)
        ends = [transfer(cosine)[[0, -1]] for transfer in CURVES.values()]
        if all(first > 0 for first, _ in ends):
            rows.append([1 - float(last / first) for first, last in ends])
        else:
            rows.append([np.nan] * len(ends))
    dropped = pd.DataFrame(rows, pd.Index(words, name="topic"), [*CURVES]).dropna().reset_index()
    if dropped.empty:
        raise DataError("no word of its citances has a near neighbour", file=vectors.name)
    long = dropped.melt("topic", var_name="method", value_name="drop")
    return long.assign(citance=long["topic"])[[*KEYS, "drop"]]


def _curve(vectors: Vectors, word: str) -> pd.DataFrame:
    cosine = similarities(vectors, word, DEPTH)
    values = {name: transfer(cosine) for name, transfer in CURVES.items()}
    return pd.DataFrame({"rank": np.arange(len(cosine)) + 1, **values})
