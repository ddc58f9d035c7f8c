"""sigir2017 Table 2: which words are near "expression" in general and in biomedical text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.experiments.report import KEYS, Cell, mean, part
from citectx.experiments.results import Result, timed
from citectx.profiles import resources_of

NAME = "sigir2017_table2"
WORD = "expression"
GENERAL = (
    *("interpretation", "sense", "emotion", "function"),
    *("intension", "manifestation", "expressive"),
)
BIOMEDICAL = ("upregulation", "mrna", "induction", "protein", "abundance", "gene", "downregulation")
"""The words of the paper's two columns, nearest first."""

FREQUENT = 10_000
"""How many of the most frequent words count as possible neighbours."""
MEAN = "log10 rank of biomedical words"


def ranks(
    vectors: Vectors, word: str, others: Sequence[str], among: int | None = None
) -> dict[str, int]:
    """Return the place of each word among the neighbours of another, 1 for the nearest.

    Words that have no vector are left out. With `among`, only so many of the most frequent words
    can rank before them.

    Raises
    ------
    ParameterError
        If the word itself has no vector.

    Examples
    --------
    >>> vectors = Vectors(("a", "b", "c"), np.array([[1, 0], [1, 1], [1, 9]], dtype=np.float32))
    >>> ranks(vectors, "a", ["c", "b", "z"])
    {'c': 2, 'b': 1}
    """
    place = vectors.place(word)
    cosine = vectors.unit @ vectors.unit[place]
    cosine[place] = -np.inf
    rivals = cosine[:among]  # the most frequent words come first
    known = {other: cosine[vectors.index[other]] for other in others if other in vectors}
    return {other: 1 + int((rivals > own).sum()) for other, own in known.items()}


@timed
def run(
    corpora: Sequence[Corpus], *, word: str = WORD, kind: str | None = None, seed: int = 0
) -> Result:
    """Rank the words of the paper's lists, in general (WE_Wiki) and biomedical vectors (WE_Bio).

    Source: sigir2017 §3.1, Table 2. A metric named after a word is its rank; the mean of their
    logarithms is over those that both vectors know, so that like is compared with like. Corpora of
    another field than biomedicine are skipped.

    Parameters
    ----------
    corpora : sequence of Corpus
        They only decide whose vectors are compared.
    word : str
    kind : str, optional
        "cbow", "skip-gram" or "small"; by default the declared one.
    seed : int
        Of the interval, a bootstrap over words.

    Notes
    -----
    Ambiguity: the paper does not say whether rare words were skipped. Without that, the nearest
    words in skip-gram vectors are rare ones ("expression9", a reference number glued to the word),
    which nobody would print as an illustration.
    """
    biomedical = [c for c in corpora if resources_of(c.name).domain == "biomedical"]
    return Result.of(NAME, [_one(corpus, word, kind, seed) for corpus in biomedical])


def _one(corpus: Corpus, word: str, kind: str | None, seed: int) -> Result:
    ending = kind or resources_of(corpus.name).kinds[0]
    texts = {"WE_Wiki": "general", "WE_Bio": "biomedical"}
    opened = {row: open_vectors(f"{text}-{ending}") for row, text in texts.items()}
    shared = [w for w in BIOMEDICAL if all(w in vectors for vectors in opened.values())]
    cells, scores, by_method = list[Cell](), list[tuple[str, str, str, float]](), {}
    for method, vectors in opened.items():
        found = ranks(vectors, word, [*GENERAL, *BIOMEDICAL], FREQUENT)
        logarithms = [float(np.log10(found[w])) for w in shared]
        cells += [Cell(method, w, rank, 1) for w, rank in found.items()]
        cells.append(mean(method, MEAN, logarithms, seed))
        scores += [(w, w, method, own) for w, own in zip(shared, logarithms, strict=True)]
        by_method[method] = {"vectors": vectors.name, "words": len(vectors)}
    frame = pd.DataFrame(scores, columns=[*KEYS, MEAN])
    params = {"word": word, "among": FREQUENT}
    return part(NAME, corpus, frame, seed, cells=cells, params=params, by_method=by_method)
