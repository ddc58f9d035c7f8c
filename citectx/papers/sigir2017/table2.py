"""sigir2017 Table 2: which words are near "expression" in general and in biomedical text."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from citectx.catalogue import resources_of
from citectx.corpora.model import Corpus
from citectx.embeddings import Vectors, open_vectors
from citectx.experiments.report import Cell, means, part
from citectx.experiments.results import Result

NAME = "sigir2017_table2"
GENERAL = (
    *("interpretation", "sense", "emotion", "function"),
    *("intension", "manifestation", "expressive"),
)
BIOMEDICAL = ("upregulation", "mrna", "induction", "protein", "abundance", "gene", "downregulation")
"""The words of the paper's two columns, nearest first."""
TEXTS = {"WE_Wiki": "general", "WE_Bio": "biomedical"}

FREQUENT = 10_000
"""How many of the most frequent words count as possible neighbours."""
MEAN = "log10 rank of biomedical words"


def ranks(
    vectors: Vectors, word: str, others: Sequence[str], among: int | None = None
) -> dict[str, int]:
    """Return the place of each word among the neighbours of another, 1 for the nearest.

    Words that have no vector are left out. With `among`, only so many of the most frequent words
    can rank before them.

    >>> vectors = Vectors(("a", "b", "c"), np.array([[1, 0], [1, 1], [1, 9]], dtype=np.float32))
    >>> ranks(vectors, "a", ["c", "b", "z"])
    {'c': 2, 'b': 1}
    """
    place = vectors.place(word)
    cosine = vectors.unit @ vectors.unit[place]
    cosine[place] = -np.inf
    rivals = cosine[:among]  # the most frequent words come first
    places = {}
    for other in others:
        if other in vectors:
            nearer = rivals > cosine[vectors.index[other]]
            places[other] = 1 + int(nearer.sum())
    return places


def run(
    corpora: Sequence[Corpus], *, word: str = "expression", kind: str | None = None, seed: int = 0
) -> Result:
    """Rank the words of the paper's lists, in general (WE_Wiki) and biomedical vectors (WE_Bio).

    Source: sigir2017 §3.1, Table 2. A metric named after a word is its rank; the mean of their
    logarithms is over those that both vectors know, so that like is compared with like. Corpora of
    another field than biomedicine are skipped; the others only decide whose vectors are compared.

    Ambiguity: the paper does not say whether rare words were skipped. Without that, the nearest
    words in skip-gram vectors are rare ones ("expression9", a reference number glued to the word),
    which nobody would print as an illustration.
    """
    parts = []
    for corpus in corpora:
        resources = resources_of(corpus.name)
        if resources.domain == "biomedical":
            ending = kind or resources.kinds[0]
            opened = {row: open_vectors(f"{text}-{ending}") for row, text in TEXTS.items()}
            parts.append(report(corpus, opened, word, seed))
    return Result.of(NAME, parts)


def report(corpus: Corpus, opened: Mapping[str, Vectors], word: str, seed: int) -> Result:
    """Report the ranks, and the mean of their logarithms, in each row's vectors."""
    shared = [w for w in BIOMEDICAL if all(w in vectors for vectors in opened.values())]
    frame = pd.DataFrame({"topic": shared, "citance": shared})
    cells: list[Cell] = []
    scores = []
    by_method = {}
    for row, vectors in opened.items():
        ranked = ranks(vectors, word, [*GENERAL, *BIOMEDICAL], FREQUENT)
        logarithms = np.log10([ranked[w] for w in shared])
        scores.append(frame.assign(method=row, **{MEAN: logarithms}))
        cells += [Cell(row, w, rank, 1) for w, rank in ranked.items()]
        cells += means(scores[-1])
        by_method[row] = {"vectors": vectors.name, "words": len(vectors)}
    params = {"word": word, "among": FREQUENT}
    whole = pd.concat(scores)
    return part(NAME, corpus, whole, seed, cells=cells, params=params, by_method=by_method)
