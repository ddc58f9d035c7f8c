"""Features of a pair of citance and sentence, one small function each, in one registry.

A feature of words is a score of every sentence for every citance. It enters the model in three views: ``z``,
standardised over the sentences for one citance; ``rank``, the reciprocal of its rank; ``near``, the mean of
``z`` over the sentences before and behind. All others are one number a sentence, or a pair.

>>> from citectx.corpora import Document
>>> from citectx.language.spans import Candidates
>>> from citectx.language.text import Analyzer, SentenceSplitter
>>> article = Document("ref", "Cells divide fast. They also rest. In 12 mice, the cells died.")
>>> index = SpanIndex(Candidates.of(SentenceSplitter().sentences(article), 1), Analyzer())
>>> query = Query.of("Cells divided quickly", Analyzer())
>>> matrix(index, [query], ["bm25_stems.rank", "last_in_paragraph"])[0]
array([[1.        , 0.        ],
       [0.33333333, 0.        ],
       [0.5       , 1.        ]])
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from citectx.errors import unknown
from citectx.language.text import citation_markers
from citectx.papers.beyond.pairs import (
    ANALYSES,
    SECTIONS,
    Pairs,
    bm25,
    query,
    rarity,
    reciprocal_ranks,
    standardised,
)
from citectx.retrieval import DFR, LMD, VSM, Query, RetrievalModel, SpanIndex
from citectx.retrieval.encoders import open_encoder
from citectx.types import Floats, Ints

Compute = Callable[[Pairs], Floats]
VIEWS: dict[str, Callable[[Pairs, Floats], Floats]] = {
    "z": lambda _, scores: standardised(scores),
    "rank": lambda _, scores: reciprocal_ranks(scores),
    "near": lambda pairs, scores: standardised(scores) @ pairs.neighbours.T,
}


@dataclass(frozen=True)
class Feature:
    """One column of the model.

    Parameters
    ----------
    name : str
    group : str
        What it is of: a row of the table is a set of groups.
    about : str
        One sentence.
    source : callable
        From `Pairs` to numbers that broadcast to (citances, sentences).
    view : str
        Key of `VIEWS`, "" for the numbers as they are.
    """

    name: str
    group: str
    about: str
    source: Compute
    view: str = ""


FEATURES: dict[str, Feature] = {}
"""All features by name, in the order in which they are defined."""


def feature(group: str, *views: str, name: str = "") -> Callable[[Compute], Compute]:
    """Register a function as one feature, or one a view."""

    def register(compute: Compute) -> Compute:
        own, about = name or compute.__name__, (compute.__doc__ or "").partition("\n")[0]
        for view in views or ("",):
            full = f"{own}.{view}" if view else own
            FEATURES[full] = Feature(full, group, about, compute, view)
        return compute

    return register


def names_of(*groups: str) -> list[str]:
    """Names of the features of some groups, in the registry's order.

    Raises
    ------
    ParameterError
        For an unknown group.
    """
    known = {f.group for f in FEATURES.values()}
    for group in groups:
        if group not in known:
            raise unknown("group of features", group, known)
    return [name for name, f in FEATURES.items() if f.group in groups]


def matrix(index: SpanIndex, queries: Sequence[Query], names: Sequence[str]) -> Floats:
    """Compute features, shape (citances, sentences, features).

    Raises
    ------
    ParameterError
        For an unknown feature, or candidates that are longer than a sentence.
    """
    pairs = Pairs(index, queries)
    values = np.empty((*pairs.shape, len(names)))
    computed: dict[Compute, Floats] = {}
    for i, name in enumerate(names):
        if name not in FEATURES:
            raise unknown("feature", name, FEATURES)
        wanted = FEATURES[name]
        if wanted.source not in computed:
            # Rounded, so that the last bit of a sum does not decide between ranks.
            computed[wanted.source] = np.round(wanted.source(pairs), 9)
        raw = computed[wanted.source]
        values[:, :, i] = VIEWS[wanted.view](pairs, raw) if wanted.view else raw
    return values


# Words: how well a sentence matches the citance.

ALL = tuple(VIEWS)


def _model(model: RetrievalModel, pairs: Pairs) -> Floats:
    return model.fit(pairs.analysed()).score([query(q.text) for q in pairs.queries])


@feature("words", *ALL)
def bm25_usual(pairs: Pairs) -> Floats:
    """BM25 of words with the usual k1 = 1.2, b = 0.75."""
    return bm25(pairs.told(), pairs.asked())


@feature("words", *ALL)
def bm25_flat(pairs: Pairs) -> Floats:
    """BM25 of words that hardly counts repetitions: k1 = 0.2, b = 0.5."""
    return bm25(pairs.told(), pairs.asked(), k1=0.2, b=0.5)


@feature("words", *ALL)
def bm25_long(pairs: Pairs) -> Floats:
    """BM25 of words that does not mind long sentences: k1 = 2, b = 0.25."""
    return bm25(pairs.told(), pairs.asked(), k1=2.0, b=0.25)


@feature("words", *ALL)
def bm25_stems(pairs: Pairs) -> Floats:
    """BM25 of stems."""
    return bm25(pairs.told("stems"), pairs.asked("stems"), k1=0.8)


@feature("words", *ALL)
def bm25_prefixes(pairs: Pairs) -> Floats:
    """BM25 of the first five letters of words."""
    return bm25(pairs.told("prefixes"), pairs.asked("prefixes"), k1=0.8)


@feature("words", *ALL)
def bm25_grams(pairs: Pairs) -> Floats:
    """BM25 of four characters in a row."""
    return bm25(pairs.told("grams"), pairs.asked("grams"), k1=0.8)


@feature("words", *ALL)
def bm25_bigrams(pairs: Pairs) -> Floats:
    """BM25 of two stems in a row."""
    return bm25(pairs.told("bigrams"), pairs.asked("bigrams"), k1=0.8)


def _once(asked: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((np.ones_like(asked.data), asked.indices, asked.indptr), shape=asked.shape)


@feature("words", *ALL)
def bm25_rare(pairs: Pairs) -> Floats:
    """BM25 of words, each of the citance once, weighted by how rare they are in the field."""
    return bm25(pairs.told(), _once(pairs.asked()), k1=0.4, b=0.5, weights=pairs.rarities)


@feature("words", *ALL)
def vsm(pairs: Pairs) -> Floats:
    """Cosine of tf·idf vectors."""
    return _model(VSM(tf="raw"), pairs)


@feature("words", *ALL)
def lmd(pairs: Pairs) -> Floats:
    """Query likelihood with a Dirichlet prior, mu = 50."""
    return _model(LMD(mu=50.0), pairs)


@feature("words", *ALL)
def dfr(pairs: Pairs) -> Floats:
    """Divergence from randomness, I(F)L2 with c = 5."""
    return _model(DFR(basic="IF", after="L", c=5.0), pairs)


@feature("words", *ALL)
def coverage(pairs: Pairs) -> Floats:
    """Share of the citance's words that the sentence has, by rarity."""
    asked = [sum(map(rarity, set(ANALYSES["words"](q.text)))) for q in pairs.queries]
    return _shared(pairs) / np.maximum(asked, 1e-9)[:, None]


@feature("words", *ALL)
def focus(pairs: Pairs) -> Floats:
    """Share of the sentence's words that the citance has, by rarity."""
    told: Floats = np.maximum(_once(pairs.told()) @ pairs.rarities, 1e-9)
    return _shared(pairs) / told


def _shared(pairs: Pairs) -> Floats:
    weighted = _once(pairs.told()) * pairs.rarities
    return np.asarray((_once(pairs.asked()) @ weighted.T).toarray(), dtype=np.float64)


@feature("words", "z")
def rarest(pairs: Pairs) -> Floats:
    """Rarity of the rarest word that both have."""
    told, asked = _once(pairs.told()).toarray() * pairs.rarities, pairs.asked()
    terms = [asked.indices[a:b] for a, b in zip(asked.indptr, asked.indptr[1:], strict=False)]
    return np.array([told[:, own].max(axis=1, initial=0.0) for own in terms]).reshape(pairs.shape)


_ACRONYM = re.compile(r"\b(?:\w*[A-Z]\w*[A-Z\d]\w*|\w*\d\w*[A-Za-z]\w*)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def _found_again(pattern: re.Pattern[str], pairs: Pairs) -> Floats:
    told = [set(pattern.findall(text)) for text in pairs.texts]
    asked = [set(pattern.findall(q.text)) for q in pairs.queries]
    return np.array([[len(a & t) / len(a) if a else 0.0 for t in told] for a in asked]).reshape(pairs.shape)


@feature("words")
def acronyms(pairs: Pairs) -> Floats:
    """Share of the citance's acronyms and symbols (PINK1, mTOR) that the sentence has."""
    return _found_again(_ACRONYM, pairs)


@feature("words")
def numbers(pairs: Pairs) -> Floats:
    """Share of the citance's numbers that the sentence has."""
    return _found_again(_NUMBER, pairs)


# Surroundings: how well what the sentence stands in matches the citance.


def _surrounding(unit: Ints, pairs: Pairs) -> Floats:
    """Score the stretches with the same number, for each sentence of theirs."""
    members = sp.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    return bm25(members @ pairs.told("stems"), pairs.asked("stems"))[:, unit]


@feature("surroundings", "z")
def paragraph(pairs: Pairs) -> Floats:
    """BM25 of stems of the whole paragraph."""
    return _surrounding(pairs.block, pairs)


@feature("surroundings", "z")
def whole_section(pairs: Pairs) -> Floats:
    """BM25 of stems of the whole section."""
    return _surrounding(pairs.section, pairs)


@feature("surroundings", "z", "rank")
def window(pairs: Pairs) -> Floats:
    """BM25 of stems of the sentence with the one before and the one behind."""
    reach = _once(pairs.neighbours) + sp.eye_array(pairs.shape[1])
    return bm25(sp.csr_array(reach @ pairs.told("stems")), pairs.asked("stems"))


@feature("surroundings", "z")
def heading(pairs: Pairs) -> Floats:
    """Share of the citance's stems that the heading of the section has."""
    vocabulary = pairs.analysed("stems").vocabulary
    known = pairs.asked("stems")
    headings = [query(b.heading, "stems") for b in pairs.sentences.blocks]
    rows = [[vocabulary[t] for t in h.weights if t in vocabulary] for h in headings]
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([t for row in rows for t in row], dtype=np.int64)
    has = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(rows), len(vocabulary)))
    shared = (_once(known) @ has.T).toarray()
    return np.asarray(shared / np.maximum(np.diff(known.indptr), 1)[:, None], dtype=np.float64)


# Section and place: where the sentence stands.


def _is(kind: str) -> Compute:
    return lambda pairs: np.array([float(k == kind) for k in pairs.kinds])


for _kind in ("abstract", *SECTIONS, "caption"):
    feature("section", name=f"in_{_kind}")(_is(_kind))


def _match_in(kind: str) -> Compute:
    return lambda pairs: standardised(bm25_rare(pairs)) * _is(kind)(pairs)


for _kind in ("abstract", *SECTIONS):
    feature("words in section", name=f"match_in_{_kind}")(_match_in(_kind))


@feature("place")
def place(pairs: Pairs) -> Floats:
    """Place in the article, from 0 to 1."""
    return np.linspace(0.0, 1.0, pairs.shape[1])


@feature("place")
def place_squared(pairs: Pairs) -> Floats:
    """The same, squared about the middle: what is high at both ends."""
    return (2 * place(pairs) - 1) ** 2


@feature("place")
def opening(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the article."""
    return 1.0 / np.arange(1.0, pairs.shape[1] + 1)


def _from_start(unit: Ints) -> Ints:
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return np.asarray(np.arange(len(unit)) - starts[unit], dtype=np.int64)


@feature("place")
def opening_of_paragraph(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the paragraph."""
    return 1.0 / (1.0 + _from_start(pairs.block))


@feature("place")
def opening_of_section(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the section."""
    return 1.0 / (1.0 + _from_start(pairs.section))


@feature("place")
def last_in_paragraph(pairs: Pairs) -> Floats:
    """1 for the last sentence of a paragraph."""
    return (np.diff(pairs.block, append=-1) != 0).astype(np.float64)


@feature("place")
def last_in_section(pairs: Pairs) -> Floats:
    """1 for the last sentence of a section."""
    return (np.diff(pairs.section, append=-1) != 0).astype(np.float64)


# Gist: how much the sentence says of what the article is about.


def _cosine(pairs: Pairs, target: sp.csr_array) -> Floats:
    told, df = pairs.told("stems"), pairs.analysed("stems").document_frequency
    idf = np.log1p(pairs.shape[1] / np.maximum(df, 1))
    a, b = (told * idf).toarray(), (target * idf).toarray()
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return np.asarray((a @ b.T / np.maximum(lengths, 1e-9)).mean(axis=1), dtype=np.float64)


def _cosine_with_text(pairs: Pairs, text: str) -> Floats:
    return _cosine(pairs, pairs.analysed("stems").query_matrix([query(text, "stems")]))


@feature("gist")
def like_title(pairs: Pairs) -> Floats:
    """Cosine with the title; 0 without one."""
    return _cosine_with_text(pairs, pairs.of_blocks("title"))


@feature("gist")
def like_abstract(pairs: Pairs) -> Floats:
    """Cosine with the abstract; 0 without one."""
    return _cosine_with_text(pairs, pairs.of_blocks("abstract"))


@feature("gist", "z")
def central(pairs: Pairs) -> Floats:
    """Mean cosine with all sentences of the article."""
    return _cosine(pairs, pairs.told("stems"))


# Style: how the sentence is written.


@feature("style")
def length(pairs: Pairs) -> Floats:
    """Logarithm of the number of words."""
    return np.log1p(np.asarray(pairs.told().sum(axis=1)).ravel())


@feature("style")
def length_squared(pairs: Pairs) -> Floats:
    """Squared deviation of `length` from its mean over the article."""
    own = length(pairs)
    return (own - own.mean()) ** 2


@feature("style")
def citations(pairs: Pairs) -> Floats:
    """Logarithm of one plus the number of citations in the sentence."""
    return np.log1p([len(citation_markers(text)) for text in pairs.texts])


CUES = {
    "we": r"\bwe\b|\bour\b",
    "finding": r"\b(show|demonstrat|found|find|identif|reveal|report|establish|observ|confirm)\w*",
    "offer": r"\b(propos|present|introduc|describ|develop|design|extend)\w*",
    "conclusion": r"\b(suggest|indicat|conclud|imply|implies|support|therefore|thus|hence|conclusion)\w*",
    "here": r"\b(here|herein|in this (paper|study|work|article|report)|novel|new|first time)\b",
    "contrast": r"\b(however|although|but|in contrast|unlike|whereas|despite|instead)\b",
    "measure": r"\b(significant|increas|decreas|reduc|improv|outperform|higher|lower|accuracy|percent)\w*|%",
    "pointer": r"\b(fig(ure|s)?|table|equation|eq|section|appendix)\b",
    "example": r"\b(for example|for instance|e\.g|such as|consider)\b",
}
"""Words that tell what a sentence does, as patterns over lower-case text."""


def _cue(pattern: str) -> Compute:
    found = re.compile(pattern)
    return lambda pairs: np.array([float(bool(found.search(text.lower()))) for text in pairs.texts])


for _name, _pattern in CUES.items():
    feature("style", name=f"cue_{_name}")(_cue(_pattern))


# Meaning: needs the extra ``dense``.


@feature("meaning", *ALL)
def encoder(pairs: Pairs) -> Floats:
    """Cosine of the default sentence encoder's vectors."""
    model = open_encoder()
    told, asked = (
        np.asarray(model.encode(texts), dtype=np.float64)
        for texts in (pairs.texts, [q.text for q in pairs.queries])
    )
    unit_told, unit_asked = (
        v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-9) for v in (told, asked)
    )
    return np.asarray(unit_asked @ unit_told.T, dtype=np.float64)


OPTIONAL = ("meaning",)
"""Groups that are used only where they are asked for."""
GROUPS = tuple(dict.fromkeys(f.group for f in FEATURES.values() if f.group not in OPTIONAL))
"""Groups of features, in the registry's order."""
STATIC = ("section", "place", "gist", "style")
"""Groups that know nothing of the citance."""
LEXICAL = ("words", "surroundings")
"""Groups that know nothing of where a sentence stands or how it is written."""

__all__ = ["FEATURES", "GROUPS", "LEXICAL", "OPTIONAL", "STATIC", "Feature", "matrix", "names_of"]
