"""sigir2017 Figure 1: similarity of the nearest words, and what logit makes of it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.catalogue import resources_of
from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.experiments.contextualization import DEFAULT
from citectx.experiments.report import part
from citectx.experiments.results import Result
from citectx.retrieval import Query
from citectx.retrieval.embedding_lm import TRANSFER
from citectx.types import Floats

NAME = "sigir2017_figure1"
CURVES = {"dot product": TRANSFER["identity"], "logit": TRANSFER["logit"]}
FAR, DEPTH = 1000, 2000
WORDS = 300
"""How many words of citances are drawn for the table."""


def run(
    corpora: Sequence[Corpus],
    *,
    word: str = "expression",
    kind: str | None = None,
    seed: int = 0,
) -> Result:
    """Measure how far similarity has dropped at the thousandth neighbour, before and after logit.

    Source: sigir2017 §2, Figure 1, which shows one word. The table takes words that citances of the
    corpus hold; "drop" is the share of the first neighbour's value that the thousandth has lost, as
    a mean over words. The extra table ``curve`` is the figure for one word.

    Ambiguity: logit is cut and scaled as in the model (see `citectx.retrieval.embedding_lm`); words
    whose nearest neighbour is below the cut have nothing to lose and are left out.
    """
    parts = []
    for corpus in corpora:
        resources = resources_of(corpus.name)
        vectors = open_vectors(f"{resources.domain}-{kind or resources.kinds[0]}")
        rows = []
        for name in draw_words(corpus, vectors, seed):
            values = curve(vectors, name, FAR)[[*CURVES]].to_numpy()  # (neighbours, curves)
            if (values[0] > 0).all():
                drops = 1 - values[-1] / values[0]
                rows.append((name, name, *drops))
        wide = pd.DataFrame(rows, columns=["topic", "citance", *CURVES])
        scores = wide.melt(["topic", "citance"], var_name="method", value_name="drop")
        params = {"vectors": vectors.name, "far": FAR, "words": WORDS}
        extra = {"curve": curve(vectors, word, DEPTH)} if word in vectors else {}
        parts.append(part(NAME, corpus, scores, seed, params=params, extra=extra))
    return Result.of(NAME, parts)


def draw_words(corpus: Corpus, vectors: Vectors, seed: int) -> list[str]:
    """Draw words of the corpus's citances that have vectors."""
    citances = [citance for topic in corpus for citance in topic.citances]
    queries = [Query.of_citance(citance, DEFAULT.analyzer) for citance in citances]
    words = {word for query in queries for word in query.weights if word in vectors}
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(sorted(words))[:WORDS]
    return sorted(drawn.tolist())


def curve(vectors: Vectors, word: str, depth: int) -> pd.DataFrame:
    """Return the similarity of a word's nearest words by rank, before and after logit."""
    cosine = similarities(vectors, word, depth)
    values = {name: transfer(cosine) for name, transfer in CURVES.items()}
    return pd.DataFrame({"rank": np.arange(len(cosine)) + 1, **values})


def similarities(vectors: Vectors, word: str, depth: int) -> Floats:
    """Cosines of a word with its nearest words, falling, shape (at most depth,).

    The nearest are found in single precision. Their cosines are computed again in double precision,
    so that rounded ones do not depend on the processor.
    """
    nearest = vectors.neighbours(word, depth)["word"]
    unit = vectors.rows(nearest)[0].astype(np.float64)
    cosine: Floats = unit @ vectors.unit[vectors.place(word)]
    return np.sort(cosine)[::-1]
