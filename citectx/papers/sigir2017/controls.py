"""Controls of sigir2017's models: the same formulas, with words related at random.

Declared before the first look at a score. Each has 20 draws (`DRAWS`), is tuned anew in each draw
with the grid of the model that it imitates, and is scored by the mean over the draws per citance:

========================  ==================  ====================================================
row                       imitates            at random
========================  ==================  ====================================================
random vectors            WE_Bio, WE_Dom      which word has which vector of the embedding
random synonyms (+rtrft)  WE_Bio+rtrft        which words the ontology joins; each keeps as many
random synonyms (+dmn)    WE_Bio+dmn          what names mean, of those that the corpus holds; each
                                              keeps as many synonyms there
========================  ==================  ====================================================

All have the declared vectors and readings. If a control passes the check of a claim in its model's
place, the claim holds for another reason than related words or domain knowledge: the formula, or
its freedom. Names are those that the corpus holds, since of all names of an ontology hardly any
would match, and the control would be too weak.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd

from citectx.catalogue import resources_of
from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import fingerprint_of, retrofit
from citectx.experiments.contextualization import Prepared, measure_rows
from citectx.experiments.report import average
from citectx.experiments.results import cached_frame
from citectx.experiments.tuning import tune
from citectx.ontology import ANALYZER, SynonymGraph, open_vocabulary
from citectx.retrieval import EmbeddingLM, RetrievalModel
from citectx.retrieval.embedding_lm import WEBioInterpolated, synonyms_in

DRAWS = 20
ROWS = ("random vectors", "random synonyms (+rtrft)", "random synonyms (+dmn)")
"""The rows of the controls. The last two need an ontology."""


@dataclass(kw_only=True)
class _OfVectors(EmbeddingLM):
    """Eq. 2 with vectors that have been changed."""

    changed: Vectors

    def _open(self) -> Vectors:
        return self.changed

    def fingerprint(self) -> None:
        """Leave it to `scores` to keep what was computed."""


@dataclass(kw_only=True)
class _OfGraph(WEBioInterpolated):
    """Eq. 2 interpolated with an ontology that has been changed."""

    graph: SynonymGraph

    def _ontology(self) -> SynonymGraph:
        return self.graph

    def fingerprint(self) -> None:
        """Leave it to `scores` to keep what was computed."""


def scores(
    corpus: str, topics: Sequence[Prepared], folds: int, metrics: Sequence[str]
) -> pd.DataFrame:
    """Score the controls that apply to a corpus: `KEYS` and the metrics, means over the draws."""
    resources = resources_of(corpus)
    vectors = f"{resources.domain}-{resources.kinds[0]}"
    known = [topic.fingerprint for topic in topics], resources, fingerprint_of(vectors)

    def of_draw(row: str, seed: int) -> pd.DataFrame:
        def compute() -> pd.DataFrame:
            models = draw(row, vectors, resources.vocabulary, topics, seed)
            ranked = {row: tune(topics, models, folds).scores(topics)}
            return measure_rows(topics, ranked, metrics)

        key = *known, row, seed, folds, metrics
        return cached_frame("controls", __name__, key, compute)

    rows = ROWS if resources.vocabulary else ROWS[:1]
    frames = [of_draw(row, seed) for row, seed in product(rows, range(DRAWS))]
    return average(pd.concat(frames))


def draw(
    row: str, vectors: str, vocabulary: Sequence[str], topics: Sequence[Prepared], seed: int
) -> list[RetrievalModel]:
    """Build the variants of one draw of a control."""
    embedding = open_vectors(vectors)
    if row == "random vectors":
        return list(_OfVectors.variants(changed=[deal(embedding, seed)]))
    graph = open_vocabulary(vocabulary)
    if row == "random synonyms (+rtrft)":
        return list(_OfVectors.variants(changed=[mismatch(embedding, graph, seed)]))
    texts = [text for topic in topics for text in topic.candidates.sentences.texts()]
    texts += [query.text for topic in topics for query in topic.queries]
    changed = exchange_meanings(keep_names(graph, tuple(texts)), seed)
    return list(_OfGraph.variants(graph=[changed], vectors=[vectors]))


def deal(vectors: Vectors, seed: int) -> Vectors:
    """Deal vectors to other words.

    >>> vectors = Vectors(("a", "b", "c"), np.eye(3, dtype=np.float32))
    >>> sorted(deal(vectors, seed=0).words)
    ['a', 'b', 'c']
    """
    words = np.random.default_rng(seed).permutation(vectors.words).tolist()
    return replace(vectors, words=tuple(words), name=f"dealt {seed}")


def mismatch(vectors: Vectors, graph: SynonymGraph, seed: int) -> Vectors:
    """Retrofit to pairs of synonyms whose second words have changed places."""
    edges = synonyms_in(vectors, graph).copy()
    rng = np.random.default_rng(seed)
    edges[:, 1] = rng.permutation(edges[:, 1])
    # a word is no synonym of itself
    edges = edges[edges[:, 0] != edges[:, 1]]
    matrix = retrofit(vectors.matrix, edges)
    return replace(vectors, matrix=matrix, name=f"mismatched {seed}")


@lru_cache(maxsize=1)  # every draw of a corpus asks for the same
def keep_names(graph: SynonymGraph, texts: tuple[str, ...]) -> SynonymGraph:
    """Keep the names that texts hold.

    >>> heart = SynonymGraph({"heart": ("x:1",), "cor": ("x:1",), "lung": ("x:2",)})
    >>> [*keep_names(heart, ("Lung and heart.",)).bearers]
    ['heart', 'lung']
    """
    names = set[str]()
    for text in texts:
        tokens = list(ANALYZER(text))
        names |= {" ".join(tokens[start:end]) for start, end, _ in graph.match(tokens)}
    return SynonymGraph({name: graph.bearers[name] for name in sorted(names)})


def exchange_meanings(graph: SynonymGraph, seed: int) -> SynonymGraph:
    """Let names with equally many synonyms exchange what they mean.

    >>> pairs = {"heart": ("x:1",), "cor": ("x:1",), "lung": ("x:2",), "pulmo": ("x:2",)}
    >>> exchange_meanings(SynonymGraph(pairs), seed=0).synonyms("heart")
    ('pulmo',)
    """
    rng = np.random.default_rng(seed)
    # names by how many synonyms they have
    alike: defaultdict[int, list[str]] = defaultdict(list)
    for name in graph.bearers:
        alike[len(graph.synonyms(name))].append(name)
    meanings: dict[str, tuple[str, ...]] = {}
    for names in alike.values():
        others = rng.permutation(names).tolist()
        meanings |= {name: graph.bearers[other] for name, other in zip(names, others, strict=True)}
    return SynonymGraph(dict(sorted(meanings.items())))
