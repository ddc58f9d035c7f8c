"""Features of a pair of citance and sentence: a table of expressions.

A feature of words is a score of every sentence for every citance. It enters the model in three
views: ``z``, standardised over the sentences for one citance; ``rank``, the reciprocal of its rank;
``near``, the mean of ``z`` over the sentences before and behind. All others are one number a
sentence, or a pair.

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from citectx.corpora.model import BlockKind
from citectx.errors import ParameterError, unknown
from citectx.language.idf import DOMAINS, open_idf
from citectx.language.text import Analyzer, Sentences, citation_markers, stem
from citectx.retrieval import DFR, LMD, VSM, Dense, Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import standardised
from citectx.types import Floats, Ints

WORDS = Analyzer()


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(WORDS(text))


def _stems(text: str) -> Iterator[str]:
    return map(stem, _words(text))


def _bigrams(text: str) -> Iterable[str]:
    stems = [*_stems(text)]
    return map(" ".join, pairwise(stems)) if len(stems) > 1 else stems


ANALYSES: dict[str, Callable[[str], Iterable[str]]] = {
    "words": WORDS,
    "stems": _stems,
    "prefixes": lambda text: (word[:5] for word in _words(text)),
    "grams": lambda text: (
        f"_{w}_"[i : i + 4] for w in _words(text) for i in range(max(len(w) - 1, 1))
    ),
    "bigrams": _bigrams,
}
"""What counts as a term: words, Porter stems, first five letters of words, four characters in a row
within a word (its ends marked), two neighbouring stems."""

SECTIONS = {
    "methods": r"method|procedure|material|approach|algorithm|model|framework|statistic|experimental setup",
    "results": r"result|experiment|evaluation|finding|performance|comparison",
    "discussion": r"discussion|conclusion|concluding|future|summary|significance|limitation",
    "introduction": r"introduction|background|motivation|related work|previous work|overview",
}
"""Kinds of sections by words of their headings, the first that matches. Headings of more than
`LONG` words are not looked at: they state results ("... in a mouse model"). A subsection without
such a word is of the kind of the section before it, unless that was the introduction."""
LONG = 5


@cache
def rarity(word: str) -> float:
    """Return how rare a word is in the fields that we have counts of, from 0 to 1.

    The inverse document frequency over that of the rarest words, in the field where the word is
    less rare: a reader's article may be of either field, or of neither.

    >>> rarity("results") < rarity("mitochondria") < rarity("lomk")
    True
    """
    lists = [open_idf(domain) for domain in DOMAINS]
    return max(0.0, min(known[word] / known[""] for known in lists))


class Pairs:
    """The citances and sentences of one article: what features are computed from.

    Parameters
    ----------
    index : SpanIndex
        Its candidates must be single sentences.
    queries : sequence of Query
        Their texts count, not their weights.

    Raises
    ------
    ParameterError
        If a candidate is longer than a sentence.
    """

    def __init__(self, index: SpanIndex, queries: Sequence[Query]) -> None:
        if not np.array_equal(index.candidates.first, index.candidates.last):
            raise ParameterError(
                "features are those of sentences: prepare topics with max_sentences=1"
            )
        self.index, self.sentences, self.wants = (
            index,
            index.candidates.sentences,
            [q.text for q in queries],
        )
        self.texts, self.kinds = self.sentences.texts(), kinds_of(self.sentences)
        self.shape = len(queries), len(self.texts)
        self.block = _numbered([id(b) for b in self.sentences.blocks])
        self.section = _numbered([b.section for b in self.sentences.blocks])
        self._wanted: dict[str, sp.csr_array] = {}

    def analysed(self, by: str = "words") -> SpanIndex:
        """Index the sentences by a key of `ANALYSES`."""
        if (analyzer := ANALYSES[by]) == self.index.analyzer:
            return self.index
        return self.index.remember(
            ("pairs", by), lambda: SpanIndex(self.index.candidates, analyzer)
        )

    def counts(self, by: str = "words") -> sp.csr_array:
        """Count the terms of the sentences, shape (sentences, terms)."""
        return self.analysed(by).sentence_counts

    def wanted(self, by: str = "words") -> sp.csr_array:
        """Count the citances' terms that the article has, shape (citances, terms)."""
        if by not in self._wanted:
            self._wanted[by] = self.analysed(by).query_matrix(
                [query_of(text, by) for text in self.wants]
            )
        return self._wanted[by]

    @cached_property
    def rarities(self) -> Floats:
        """`rarity` of each word of the article, shape (words,)."""
        return np.array([rarity(word) for word in self.analysed().vocabulary])

    @cached_property
    def rare(self) -> Floats:
        """BM25 of words, each of the citance once, weighted by rarity, shape (citances,
        sentences).
        """
        return bm25(self.counts(), once(self.wanted()), k1=0.4, b=0.5, weights=self.rarities)

    @cached_property
    def neighbours(self) -> sp.csr_array:
        """Half of the sentence before and half of the one behind, in one section; (sentences,
        sentences).
        """
        joined = 0.5 * (self.section[1:] == self.section[:-1])
        both = sp.csr_array(sp.diags_array([joined, joined], offsets=[1, -1]))
        both.eliminate_zeros()
        return both


def kinds_of(sentences: Sentences) -> list[str]:
    """Return the kind of each sentence's section: abstract, caption, a key of `SECTIONS`, or "" if
    unknown.
    """
    by_block, kind = {}, ""
    for block in sentences.document.blocks:
        name = (
            sentences.document.text[block.start : block.end]
            if block.kind == "heading"
            else block.heading
        )
        kind = section_kind(name) or (
            "" if block.kind == "heading" and kind == "introduction" else kind
        )
        by_block[block] = block.kind if block.kind in ("abstract", "caption") else kind
    return [by_block[block] for block in sentences.blocks]


def once(counts: sp.csr_array) -> sp.csr_array:
    """Replace each count by 1."""
    return sp.csr_array(
        (np.ones_like(counts.data), counts.indices, counts.indptr), shape=counts.shape
    )


def query_of(text: str, by: str = "words") -> Query:
    """Count the terms of a text by a key of `ANALYSES`."""
    return Query(dict(Counter(ANALYSES[by](text))), text)


def section_kind(heading: str) -> str:
    """Return the kind of a section by its heading, "" if it has none.

    >>> section_kind("5 Experimental Results"), section_kind("Loss of PINK1 in a mouse model of disease")
    ('results', '')
    """
    short = len(heading.split()) <= LONG
    return next(
        (k for k, words in SECTIONS.items() if short and re.search(words, heading.lower())), ""
    )


def _numbered(keys: Sequence[object]) -> Ints:
    return np.cumsum([0, *(a != b for a, b in pairwise(keys))], dtype=np.int64)


def bm25(
    units: sp.csr_array,
    wanted: sp.csr_array,
    k1: float = 1.2,
    b: float = 0.75,
    weights: Floats | float = 1.0,
) -> Floats:
    """Score units of any size with BM25 (see `citectx.retrieval.lexical.BM25`).

    Parameters
    ----------
    units, wanted : sparse arrays, shapes (units, terms) and (citances, terms)
        Counts of terms.
    k1, b : float
    weights : float array, shape (terms,), optional
        Of the terms, beside their idf among the units.

    Returns
    -------
    float array, shape (citances, units)
    """
    counts = units.tocoo()
    n, terms = counts.shape
    lengths = np.bincount(counts.row, counts.data, minlength=n)
    df = np.bincount(counts.col, minlength=terms)
    idf = np.log1p((n - df + 0.5) / (df + 0.5)) * weights
    norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9))
    data = idf[counts.col] * counts.data / (counts.data + norm[counts.row])
    weighted = sp.csr_array((data, (counts.col, counts.row)), shape=(terms, n))
    return np.asarray((wanted @ weighted).toarray(), dtype=np.float64)


def reciprocal_ranks(scores: Floats) -> Floats:
    """Return 1/rank within each row, the mean rank for equals.

    >>> reciprocal_ranks(np.array([[0.5, 2.0, 0.5]]))
    array([[0.4, 1. , 0.4]])
    """
    ranks = pd.DataFrame(-scores.round(9)).rank(axis=1)  # scipy.stats takes a second to import
    return 1.0 / ranks.to_numpy()


# Words and surroundings: how well a sentence, or what is around it, matches the citance.


def _bm25(terms: str, k1: float, b: float) -> "Compute":
    return lambda pairs: bm25(pairs.counts(terms), pairs.wanted(terms), k1, b)


def _model(model: RetrievalModel) -> "Compute":
    return lambda pairs: model.fit(pairs.analysed()).score([query_of(text) for text in pairs.wants])


def _shared(pairs: Pairs) -> Floats:
    weighted = once(pairs.counts()) * pairs.rarities
    return np.asarray((once(pairs.wanted()) @ weighted.T).toarray(), dtype=np.float64)


def _rarest(pairs: Pairs) -> Floats:
    has, wants = once(pairs.counts()).toarray() * pairs.rarities, pairs.wanted()
    terms = [wants.indices[a:b] for a, b in pairwise(wants.indptr)]
    return np.array([has[:, own].max(axis=1, initial=0.0) for own in terms]).reshape(pairs.shape)


def _found_again(pattern: str, pairs: Pairs) -> Floats:
    has, wants = (
        [set(re.findall(pattern, text)) for text in texts] for texts in (pairs.texts, pairs.wants)
    )
    return np.array([[len(a & t) / len(a) if a else 0.0 for t in has] for a in wants]).reshape(
        pairs.shape
    )


def _surrounding(pairs: Pairs, unit: Ints) -> Floats:
    members = sp.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))
    return bm25(members @ pairs.counts("stems"), pairs.wanted("stems"))[:, unit]


def _window(pairs: Pairs) -> Floats:
    reach = once(pairs.neighbours) + sp.eye_array(pairs.shape[1])
    return bm25(sp.csr_array(reach @ pairs.counts("stems")), pairs.wanted("stems"))


def _heading(pairs: Pairs) -> Floats:
    known = pairs.wanted("stems")
    headings = [query_of(b.heading, "stems") for b in pairs.sentences.blocks]
    shared = (once(known) @ once(pairs.analysed("stems").query_matrix(headings)).T).toarray()
    return np.asarray(shared / np.maximum(np.diff(known.indptr), 1)[:, None], dtype=np.float64)


# Place, gist and style: where the sentence is, how much it says of what the article is about, how
# it is written.


def _is_in(kind: str, pairs: Pairs) -> Floats:
    return np.array([float(k == kind) for k in pairs.kinds])


def _match_in(kind: str, pairs: Pairs) -> Floats:
    return standardised(pairs.rare) * _is_in(kind, pairs)


def _opening(unit: Ints) -> Floats:
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return np.asarray(1.0 / (1.0 + np.arange(len(unit)) - starts[unit]), dtype=np.float64)


def _length(pairs: Pairs) -> Floats:
    return np.log1p(np.asarray(pairs.counts().sum(axis=1)).ravel())


def _cosine(pairs: Pairs, target: sp.csr_array) -> Floats:
    has, df = pairs.counts("stems"), pairs.analysed("stems").document_frequency
    idf = np.log1p(pairs.shape[1] / np.maximum(df, 1))
    a, b = (has * idf).toarray(), (target * idf).toarray()
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return np.asarray((a @ b.T / np.maximum(lengths, 1e-9)).mean(axis=1), dtype=np.float64)


def _like(kind: BlockKind, pairs: Pairs) -> Floats:
    document = pairs.sentences.document
    text = " ".join(document.text[b.start : b.end] for b in document.blocks if b.kind == kind)
    return _cosine(pairs, pairs.analysed("stems").query_matrix([query_of(text, "stems")]))


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


Compute = Callable[[Pairs], Floats]
"""From `Pairs` to numbers that broadcast to (citances, sentences)."""

VIEWS: dict[str, Callable[[Pairs, Floats], Floats]] = {
    "": lambda _, scores: scores,
    "z": lambda _, scores: standardised(np.atleast_2d(scores)),
    "rank": lambda _, scores: reciprocal_ranks(scores),
    "near": lambda pairs, scores: standardised(scores) @ pairs.neighbours.T,
}

COMPUTE: dict[str, Compute] = {
    "bm25_usual": _bm25("words", 1.2, 0.75),
    "bm25_flat": _bm25("words", 0.2, 0.5),
    "bm25_long": _bm25("words", 2.0, 0.25),
    "bm25_stems": _bm25("stems", 0.8, 0.75),
    "bm25_prefixes": _bm25("prefixes", 0.8, 0.75),
    "bm25_grams": _bm25("grams", 0.8, 0.75),
    "bm25_bigrams": _bm25("bigrams", 0.8, 0.75),
    "bm25_rare": lambda p: p.rare,
    "vsm": _model(VSM(tf="raw")),
    "lmd": _model(LMD(mu=50.0)),
    "dfr": _model(DFR(basic="IF", after="L", c=5.0)),
    "coverage": lambda p: (
        _shared(p) / np.array([[max(sum(map(rarity, {*WORDS(t)})), 1e-9)] for t in p.wants])
    ),
    "focus": lambda p: _shared(p) / np.maximum(once(p.counts()) @ p.rarities, 1e-9),
    "rarest": _rarest,
    "acronyms": partial(_found_again, r"\b(?:\w*[A-Z]\w*[A-Z\d]\w*|\w*\d\w*[A-Za-z]\w*)\b"),
    "numbers": partial(_found_again, r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])"),
    "paragraph": lambda p: _surrounding(p, p.block),
    "whole_section": lambda p: _surrounding(p, p.section),
    "window": _window,
    "heading": _heading,
    "encoder": _model(Dense()),
    **{f"in_{kind}": partial(_is_in, kind) for kind in ("abstract", *SECTIONS, "caption")},
    **{f"match_in_{kind}": partial(_match_in, kind) for kind in ("abstract", *SECTIONS)},
    "place": lambda p: np.linspace(0.0, 1.0, p.shape[1]),
    "place_squared": lambda p: (2 * np.linspace(0.0, 1.0, p.shape[1]) - 1) ** 2,
    "opening": lambda p: 1.0 / np.arange(1.0, p.shape[1] + 1),
    "opening_of_paragraph": lambda p: _opening(p.block),
    "opening_of_section": lambda p: _opening(p.section),
    "last_in_paragraph": lambda p: 1.0 * (np.diff(p.block, append=-1) != 0),
    "last_in_section": lambda p: 1.0 * (np.diff(p.section, append=-1) != 0),
    "like_title": partial(_like, "title"),
    "like_abstract": partial(_like, "abstract"),
    "central": lambda p: _cosine(p, p.counts("stems")),
    "length": _length,
    "length_squared": lambda p: (_length(p) - _length(p).mean()) ** 2,
    "citations": lambda p: np.log1p([len(citation_markers(text)) for text in p.texts]),
    **{f"cue_{name}": partial(_cue, pattern) for name, pattern in CUES.items()},
}
"""What each feature is computed by; ``encoder`` needs the extra ``dense``."""


class Feature(NamedTuple):
    """One column of the model: a view of what an entry of `COMPUTE` returns; `about` is one
    sentence.
    """

    group: str
    about: str
    source: str
    view: str


FEATURES = {
    f"{row['feature']}.{view}" if view else row["feature"]: Feature(
        row["group"], row["about"], row["feature"], view
    )
    for row in pd.read_csv(Path(__file__).with_suffix(".csv"), keep_default_na=False).to_dict(
        "records"
    )
    for view in row["views"].split(" ")
}
"""All features by name, in the order of ``features.csv``, which has their groups and views, and
what each is."""

GROUPS = tuple(dict.fromkeys(f.group for f in FEATURES.values() if f.group != "meaning"))
"""Groups of features; "meaning", a sentence encoder, is used only where it is asked for."""
STATIC = ("section", "place", "gist", "style")
"""Groups that know nothing of the citance."""
LEXICAL = ("words", "surroundings")
"""Groups that know nothing of where a sentence is or how it is written."""


def names_of(*groups: str) -> list[str]:
    """Return the names of the features of some groups, in the order of `FEATURES`."""
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
    computed: dict[str, Floats] = {}
    for i, name in enumerate(names):
        if name not in FEATURES:
            raise unknown("feature", name, FEATURES)
        wanted = FEATURES[name]
        if wanted.source not in computed:
            # Rounded, so that the last bit of a sum does not decide between ranks.
            computed[wanted.source] = np.round(COMPUTE[wanted.source](pairs), 9)
        values[:, :, i] = VIEWS[wanted.view](pairs, computed[wanted.source])
    return values
