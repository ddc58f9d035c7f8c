"""Features of a pair of citance and sentence, one small function or one line of a table each.

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
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from citectx.corpora.model import BlockKind
from citectx.errors import unknown
from citectx.language.text import citation_markers
from citectx.papers.beyond.pairs import ANALYSES, SECTIONS, Pairs, bm25, once, query_of, rarity, reciprocal_ranks
from citectx.retrieval import DFR, LMD, VSM, Dense, Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import standardised
from citectx.types import Floats, Ints

Compute = Callable[[Pairs], Floats]
"""From `Pairs` to numbers that broadcast to (citances, sentences)."""

VIEWS: dict[str, Callable[[Pairs, Floats], Floats]] = {
    "": lambda _, scores: scores,
    "z": lambda _, scores: standardised(np.atleast_2d(scores)),
    "rank": lambda _, scores: reciprocal_ranks(scores),
    "near": lambda pairs, scores: standardised(scores) @ pairs.neighbours.T,
}
ALL = ("z", "rank", "near")


class Feature(NamedTuple):
    """One column of the model; rows of the table are sets of groups, `about` is one sentence."""

    group: str
    about: str
    source: Compute
    view: str


FEATURES: dict[str, Feature] = {}
"""All features by name, in the order in which they are defined."""


def feature(group: str, *views: str, name: str = "", about: str = "") -> Callable[[Compute], Compute]:
    """Register a function as one feature, or one a view; by default its own name and docstring are used."""

    def register(compute: Compute) -> Compute:
        own, said = (name, about) if name else (compute.__name__, str(compute.__doc__).partition("\n")[0])
        for view in views or ("",):
            FEATURES[f"{own}.{view}" if view else own] = Feature(group, said, compute, view)
        return compute

    return register


# Words: how well a sentence matches the citance.


def _bm25(terms: str, k1: float, b: float, pairs: Pairs) -> Floats:
    return bm25(pairs.counts(terms), pairs.wanted(terms), k1, b)


BM25 = (
    ("bm25_usual", "words", 1.2, 0.75, "BM25 of words with the usual k1 = 1.2, b = 0.75."),
    ("bm25_flat", "words", 0.2, 0.5, "BM25 of words that hardly counts repetitions: k1 = 0.2, b = 0.5."),
    ("bm25_long", "words", 2.0, 0.25, "BM25 of words that does not mind long sentences: k1 = 2, b = 0.25."),
    ("bm25_stems", "stems", 0.8, 0.75, "BM25 of stems."),
    ("bm25_prefixes", "prefixes", 0.8, 0.75, "BM25 of the first five letters of words."),
    ("bm25_grams", "grams", 0.8, 0.75, "BM25 of four characters in a row."),
    ("bm25_bigrams", "bigrams", 0.8, 0.75, "BM25 of two stems in a row."),
)
"""Name, terms (a key of `ANALYSES`), k1, b, and what the feature is."""
for _name, _terms, _k1, _b, _about in BM25:
    feature("words", *ALL, name=_name, about=_about)(partial(_bm25, _terms, _k1, _b))


@feature("words", *ALL)
def bm25_rare(pairs: Pairs) -> Floats:
    """BM25 of words, each of the citance once, weighted by how rare they are in the field."""
    return pairs.rare


def _model(model: RetrievalModel, pairs: Pairs) -> Floats:
    return model.fit(pairs.analysed()).score([query_of(q.text) for q in pairs.queries])


MODELS: tuple[tuple[str, RetrievalModel, str], ...] = (
    ("vsm", VSM(tf="raw"), "Cosine of tf·idf vectors."),
    ("lmd", LMD(mu=50.0), "Query likelihood with a Dirichlet prior, mu = 50."),
    ("dfr", DFR(basic="IF", after="L", c=5.0), "Divergence from randomness, I(F)L2 with c = 5."),
)
for _name, _retrieval, _about in MODELS:
    feature("words", *ALL, name=_name, about=_about)(partial(_model, _retrieval))


@feature("words", *ALL)
def coverage(pairs: Pairs) -> Floats:
    """Share of the citance's words that the sentence has, by rarity."""
    wants = [sum(map(rarity, set(ANALYSES["words"](q.text)))) for q in pairs.queries]
    return _shared(pairs) / np.maximum(wants, 1e-9)[:, None]


@feature("words", *ALL)
def focus(pairs: Pairs) -> Floats:
    """Share of the sentence's words that the citance has, by rarity."""
    has: Floats = np.maximum(once(pairs.counts()) @ pairs.rarities, 1e-9)
    return _shared(pairs) / has


def _shared(pairs: Pairs) -> Floats:
    weighted = once(pairs.counts()) * pairs.rarities
    return np.asarray((once(pairs.wanted()) @ weighted.T).toarray(), dtype=np.float64)


@feature("words", "z")
def rarest(pairs: Pairs) -> Floats:
    """Rarity of the rarest word that both have."""
    has, wants = once(pairs.counts()).toarray() * pairs.rarities, pairs.wanted()
    terms = [wants.indices[a:b] for a, b in zip(wants.indptr, wants.indptr[1:], strict=False)]
    return np.array([has[:, own].max(axis=1, initial=0.0) for own in terms]).reshape(pairs.shape)


_ACRONYM = re.compile(r"\b(?:\w*[A-Z]\w*[A-Z\d]\w*|\w*\d\w*[A-Za-z]\w*)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


def _found_again(pattern: re.Pattern[str], pairs: Pairs) -> Floats:
    has = [set(pattern.findall(text)) for text in pairs.texts]
    wants = [set(pattern.findall(q.text)) for q in pairs.queries]
    return np.array([[len(a & t) / len(a) if a else 0.0 for t in has] for a in wants]).reshape(pairs.shape)


@feature("words")
def acronyms(pairs: Pairs) -> Floats:
    """Share of the citance's acronyms and symbols (PINK1, mTOR) that the sentence has."""
    return _found_again(_ACRONYM, pairs)


@feature("words")
def numbers(pairs: Pairs) -> Floats:
    """Share of the citance's numbers that the sentence has."""
    return _found_again(_NUMBER, pairs)


# Surroundings: how well what is around the sentence matches the citance.


def _surrounding(unit: Ints, pairs: Pairs) -> Floats:
    """Score the stretches with the same number, for each sentence of theirs."""
    members = sp.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    return bm25(members @ pairs.counts("stems"), pairs.wanted("stems"))[:, unit]


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
    reach = once(pairs.neighbours) + sp.eye_array(pairs.shape[1])
    return bm25(sp.csr_array(reach @ pairs.counts("stems")), pairs.wanted("stems"))


@feature("surroundings", "z")
def heading(pairs: Pairs) -> Floats:
    """Share of the citance's stems that the heading of the section has."""
    known = pairs.wanted("stems")
    headings = [query_of(b.heading, "stems") for b in pairs.sentences.blocks]
    shared = (once(known) @ once(pairs.analysed("stems").query_matrix(headings)).T).toarray()
    return np.asarray(shared / np.maximum(np.diff(known.indptr), 1)[:, None], dtype=np.float64)


# Meaning: needs the extra ``dense``.


@feature("meaning", *ALL)
def encoder(pairs: Pairs) -> Floats:
    """Cosine of the default sentence encoder's vectors."""
    return _model(Dense(), pairs)


# Section and place: where the sentence is. All that follow but `match_in_…` know nothing of the citance.


def _is_in(kind: str, pairs: Pairs) -> Floats:
    return np.array([float(k == kind) for k in pairs.kinds])


for _kind in ("abstract", *SECTIONS, "caption"):
    feature("section", name=f"in_{_kind}")(partial(_is_in, _kind))


def _match_in(kind: str, pairs: Pairs) -> Floats:
    return standardised(pairs.rare) * _is_in(kind, pairs)


for _kind in ("abstract", *SECTIONS):
    feature("words in section", name=f"match_in_{_kind}")(partial(_match_in, _kind))


@feature("place")
def place(pairs: Pairs) -> Floats:
    """Place in the article, from 0 to 1."""
    return np.linspace(0.0, 1.0, pairs.shape[1])


@feature("place")
def place_squared(pairs: Pairs) -> Floats:
    """The same, squared about the middle: what is high at both ends."""
    return np.asarray((2 * place(pairs) - 1) ** 2, dtype=np.float64)


@feature("place")
def opening(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the article."""
    return np.asarray(1.0 / np.arange(1.0, pairs.shape[1] + 1), dtype=np.float64)


def _from_start(unit: Ints) -> Ints:
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return np.asarray(np.arange(len(unit)) - starts[unit], dtype=np.int64)


@feature("place")
def opening_of_paragraph(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the paragraph."""
    return np.asarray(1.0 / (1.0 + _from_start(pairs.block)), dtype=np.float64)


@feature("place")
def opening_of_section(pairs: Pairs) -> Floats:
    """Reciprocal of the sentence's number in the section."""
    return np.asarray(1.0 / (1.0 + _from_start(pairs.section)), dtype=np.float64)


@feature("place")
def last_in_paragraph(pairs: Pairs) -> Floats:
    """1 for the last sentence of a paragraph."""
    return np.asarray(np.diff(pairs.block, append=-1) != 0, dtype=np.float64)


@feature("place")
def last_in_section(pairs: Pairs) -> Floats:
    """1 for the last sentence of a section."""
    return np.asarray(np.diff(pairs.section, append=-1) != 0, dtype=np.float64)


# Gist: how much the sentence says of what the article is about.


def _cosine(pairs: Pairs, target: sp.csr_array) -> Floats:
    has, df = pairs.counts("stems"), pairs.analysed("stems").document_frequency
    idf = np.log1p(pairs.shape[1] / np.maximum(df, 1))
    a, b = (has * idf).toarray(), (target * idf).toarray()
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return np.asarray((a @ b.T / np.maximum(lengths, 1e-9)).mean(axis=1), dtype=np.float64)


def _like(kind: BlockKind, pairs: Pairs) -> Floats:
    text = pairs.text_of(kind)
    return _cosine(pairs, pairs.analysed("stems").query_matrix([query_of(text, "stems")]))


feature("gist", name="like_title", about="Cosine with the title; 0 without one.")(partial(_like, "title"))
feature("gist", name="like_abstract", about="Cosine with the abstract; 0 without one.")(partial(_like, "abstract"))


@feature("gist", "z")
def central(pairs: Pairs) -> Floats:
    """Mean cosine with all sentences of the article."""
    return _cosine(pairs, pairs.counts("stems"))


# Style: how the sentence is written.


@feature("style")
def length(pairs: Pairs) -> Floats:
    """Logarithm of the number of words."""
    return np.log1p(np.asarray(pairs.counts().sum(axis=1)).ravel())


@feature("style")
def length_squared(pairs: Pairs) -> Floats:
    """Squared deviation of `length` from its mean over the article."""
    own = length(pairs)
    return np.asarray((own - own.mean()) ** 2, dtype=np.float64)


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


def _cue(pattern: str, pairs: Pairs) -> Floats:
    return np.array([float(bool(re.search(pattern, text.lower()))) for text in pairs.texts])


for _name, _pattern in CUES.items():
    feature("style", name=f"cue_{_name}")(partial(_cue, _pattern))


def names_of(*groups: str) -> list[str]:
    """Names of the features of some groups, in the registry's order.

    Raises
    ------
    ParameterError
        For an unknown group.
    """
    known = {f.group for f in FEATURES.values()}
    for group in sorted({*groups} - known):
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
        values[:, :, i] = VIEWS[wanted.view](pairs, raw)
    return values


OPTIONAL = ("meaning",)
"""Groups that are used only where they are asked for."""
GROUPS = tuple(dict.fromkeys(f.group for f in FEATURES.values() if f.group not in OPTIONAL))
"""Groups of features, in the registry's order."""
STATIC = ("section", "place", "gist", "style")
"""Groups that know nothing of the citance."""
LEXICAL = ("words", "surroundings")
"""Groups that know nothing of where a sentence is or how it is written."""
