"""Query reformulation: which words of a citance to search for, and which others; the row "QR".

A reformulation is a chain of steps on pieces of text; what is left is analysed, and is the query.

>>> from citectx.language.text import Analyzer
>>> query = Query.of("Programmed cell death was quickly observed in the liver.", Analyzer())
>>> for name in REFORMULATIONS:
...     print(f"{name:13}", *Reformulation(name, concepts=("teaching",))(query).weights)
baseline      programmed cell death quickly observed liver
reduce        programmed cell death
KW            programmed
NP            programmed cell death liver
expand        programmed cell death quickly observed liver apoptosis
reduce+expand programmed cell death apoptosis
NP+expand     programmed cell death liver apoptosis
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar

from citectx.catalogue import CONCEPTS
from citectx.language.idf import ANALYZER as WORDS
from citectx.language.idf import GENERAL, Idf, open_idf
from citectx.language.text import Analysis, Analyzer
from citectx.ontology import ANALYZER as NAMES
from citectx.ontology import SynonymGraph, open_vocabulary
from citectx.retrieval.base import Query
from citectx.retrieval.lexical import VSM
from citectx.types import Floats, Parameters

DEFAULT = Analyzer()

THRESHOLD = 2.5
"""The idf below which `keywords` drops a word (naacl2015 §2.3.4)."""

LONGEST = 3
"""Terms in the longest noun phrase that is kept (naacl2015 §2.3.3)."""

REFORMULATIONS: Mapping[str, tuple[str, ...]] = {
    "baseline": (),
    "reduce": ("reduce",),
    "KW": ("keywords",),
    "NP": ("phrases",),
    "expand": ("expand",),
    "reduce+expand": ("reduce", "expand"),
    "NP+expand": ("phrases", "expand"),
}
"""Steps by a row's name in naacl2015 Table 2 (there "UMLS-reduce", "UMLS-expand")."""

WIKIPEDIA_FILTER = "Wikipedia filter"
STEPS: Mapping[str, tuple[str, ...]] = {**REFORMULATIONS, WIKIPEDIA_FILTER: ("filter",)}
"""All reformulations, and one that the paper tried and left out (§2.4)."""

RATIO = 2.0
"""Least ratio of a word's share in the field's texts to its share in Wikipedia: see `typical`."""

NEEDS_CONCEPTS: Mapping[str, str] = {
    "reduce": "baseline",
    "expand": "baseline",
    "reduce+expand": "baseline",
    "NP+expand": "NP",
}
"""Reformulations that need an ontology of the corpus's field, and what each one is without."""


@dataclass(frozen=True)
class Reformulation(Parameters):
    """Turns an unmodified query into a weighted one, by the chain of `STEPS` with its name.

    `concepts` are vocabularies for `citectx.ontology.open_vocabulary`; `domain` is the field whose
    texts say how rare a word is. The analyzer is that of the index.

    Source: naacl2015 §2.3.
    Ambiguity: the paper does not say how added terms are weighted. A term of the citance keeps its
    frequency; each term that only a synonym brings has weight 1, however many synonyms contain it.
    """

    name: str
    analyzer: Analysis = DEFAULT
    concepts: tuple[str, ...] = CONCEPTS
    domain: str = "biomedical"
    longest: float = LONGEST
    threshold: float = THRESHOLD
    allowed: ClassVar = {"name": STEPS}

    def __call__(self, query: Query) -> Query:
        """Reformulate a query.

        Ambiguity: the paper does not say what becomes of a query that loses all its terms. It is
        returned unchanged, since a search with nothing would find nothing.
        """
        return Query(self.weights(query) or query.weights, query.text)

    def weights(self, query: Query) -> dict[str, float]:
        """Return the terms with their weights; none if nothing in the citance survives."""
        pieces = [query.text]
        added: list[str] = []
        for step in STEPS[self.name]:
            if step == "expand":
                added = [name for piece in pieces for name in self._synonyms(piece)]
            else:
                pieces = [left for piece in pieces for left in self._kept(step, piece)]
        kept = Counter(self._terms(pieces))
        terms = [*kept, *self._terms(added)]
        return dict.fromkeys(terms, 1.0) | kept

    def _terms(self, pieces: Iterable[str]) -> Iterator[str]:
        return chain.from_iterable(map(self.analyzer, pieces))

    def _kept(self, step: str, text: str) -> list[str]:
        if step == "reduce":
            return self._names(text)
        if step == "keywords":
            return keywords(text, open_idf(self.domain), self.threshold)
        if step == "filter":
            return typical(text, open_idf(self.domain), open_idf(GENERAL))
        return phrases(text, self.analyzer, self.longest)

    def _names(self, text: str) -> list[str]:
        return names(text, open_vocabulary(self.concepts)) if self.concepts else []

    def _synonyms(self, text: str) -> list[str]:
        synonyms = open_vocabulary(self.concepts).synonyms
        return [synonym for name in self._names(text) for synonym in synonyms(name)]


def names(text: str, graph: SynonymGraph) -> list[str]:
    """Return the names of concepts in a text, by greedy longest match (`SynonymGraph.match`).

    Source: naacl2015 §2.3.2, which has MetaMap find them.

    >>> names("Programmed cell death follows.", open_vocabulary(["teaching"]))
    ['programmed cell death']
    """
    tokens = list(NAMES(text))
    return [" ".join(tokens[start:end]) for start, end, _ in graph.match(tokens)]


def keywords(text: str, idf: Idf, threshold: float = THRESHOLD) -> list[str]:
    """Keep the words whose idf is not below a threshold; a word that no list knows is rare.

    Source: naacl2015 §2.3.4.

    >>> keywords("Cells of SAMHD1-deficient mice", open_idf("biomedical"))
    ['samhd1']
    """
    return [word for word in WORDS(text) if idf[word] >= threshold]


def typical(text: str, field: Idf, general: Idf) -> list[str]:
    """Keep the words that are more usual in a field's texts than in Wikipedia.

    Source: naacl2015 §2.4, which names "Wikipedia based biomedical term filtering" without
    describing it. Ambiguity: we take the ratio of a word's shares
    (`citectx.language.idf.Idf.share`), at least 2.

    >>> typical("Cells of mice were seen in London", open_idf("biomedical"), open_idf("general"))
    ['cells', 'mice']
    """
    return [word for word in WORDS(text) if field.share(word) >= RATIO * general.share(word)]


def phrases(text: str, analyzer: Analysis, longest: float = LONGEST) -> list[str]:
    """Keep noun phrases of a few terms; longer ones are dropped, not cut.

    Source: naacl2015 §2.3.3. Ambiguity: the paper does not say what counts as a term, nor whether
    stop words are removed before they are counted. We count what the phrase brings to the query:
    words that the analyzer leaves something of (a hyphenated one as one), hence neither articles
    nor numbers.

    >>> phrases("The new method found two very rare mutant fly genes.", Analyzer())
    ['The new method']
    """
    from citectx.language.noun_phrases import noun_phrases  # with NLTK's tagger, a second

    return [
        " ".join(words)
        for words in noun_phrases(text)
        if sum(any(analyzer(word)) for word in words) <= longest
    ]


@dataclass
class QR(VSM):
    """The vector space model, asked a reformulated query.

    Source: naacl2015 §2.2-2.3; the row "QR" of sigir2017 Table 1.
    Ambiguity: sigir2017 does not say which of naacl2015's reformulations its row has, only that it
    is "based on UMLS ontology". NP+expand has "the highest overall performance" (naacl2015 §4): our
    one choice for all rows, which is not tuned. Nor does it say whether the row kept naacl2015's
    index (one to five sentences, merged): here spans are those of the protocol, as in all rows.

    >>> import citectx
    >>> teaching = citectx.load("teaching")
    >>> run = citectx.retrieve(teaching, QR(concepts=("teaching",)))
    >>> citectx.evaluate(teaching, run, ["c-F"])["c-F"].mean().round(1)
    np.float64(27.3)
    """

    reformulation: str = "NP+expand"
    concepts: tuple[str, ...] = CONCEPTS
    domain: str = "biomedical"

    allowed: ClassVar = {**VSM.allowed, "reformulation": STEPS}

    def reformulate(self, analyzer: Analysis) -> Reformulation:
        """Return the reformulation for an index with this analyzer."""
        return Reformulation(self.reformulation, analyzer, self.concepts, self.domain)

    def params(self) -> dict[str, Any]:
        """Return the parameters; where there are no concepts, the reformulation that is left.

        >>> QR(concepts=()).params()["reformulation"]
        'NP'
        """
        params = super().params()
        if not self.concepts:
            params["reformulation"] = NEEDS_CONCEPTS.get(self.reformulation, self.reformulation)
        return params

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each reformulated query with all spans, shape (queries, spans)."""
        reformulate = self.reformulate(self.index.analyzer)
        remember = self.index.remember
        asked = [remember((reformulate, q), partial(reformulate, q)) for q in queries]
        return super().score(asked)
