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
    """Cosines of a word with its nearest words, falling, shape (at most depth,)."""
    place = vectors.place(word)
    cosine = vectors.unit @ vectors.unit[place]
    cosine[place] = -np.inf
    return np.asarray(np.sort(cosine.astype(np.float64))[::-1][: min(depth, len(vectors) - 1)])


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
        "cbow", "skip-gram" or "small"; by default the last that the corpus has.
    seed : int

    Raises
    ------
    DataError
        If no drawn word has a neighbour above the cut.
    """
    parts = []
    for corpus in corpora:
        means, analyzer = resources_of(corpus.name), DEFAULT.analyzer
        vectors = open_vectors(f"{means.domain}-{kind or means.kinds[-1]}")
        found = {
            w for t in corpus for c in t.citances for w in Query.of_citance(c, analyzer).weights
        }
        known = sorted(w for w in found if w in vectors)
        drawn = sorted(
            known[i] for i in np.random.default_rng(seed).permutation(len(known))[:words]
        )
        dropped = pd.DataFrame([_drops(vectors, own) for own in drawn], drawn, [*CURVES]).dropna()
        if dropped.empty:
            raise DataError("no word of its citances has a near neighbour", file=vectors.name)
        long = (
            dropped.rename_axis("topic")
            .reset_index()
            .melt("topic", var_name="method", value_name="drop")
        )
        scores, extra = long.assign(citance=long["topic"])[[*KEYS, "drop"]], {}
        if word in vectors:
            cosine = similarities(vectors, word, DEPTH)
            values = {name: transfer(cosine) for name, transfer in CURVES.items()}
            extra["curve"] = pd.DataFrame({"rank": np.arange(len(cosine)) + 1, **values})
        params = {"vectors": vectors.name, "far": FAR, "words": words}
        parts.append(part(NAME, corpus, scores, seed, params=params, over="topics", extra=extra))
    return Result.of(NAME, parts)


def _drops(vectors: Vectors, word: str) -> list[float]:
    cosine = similarities(vectors, word, FAR)
    ends = [transfer(cosine)[[0, -1]] for transfer in CURVES.values()]
    return [1 - float(last / first) if first > 0 else np.nan for first, last in ends]
