"""Features of a pair of citance and sentence: a table of expressions.

A feature of words is a score of every sentence for every citance. It enters the model in three
views: ``z``, standardised over the sentences for one citance; ``rank``, the reciprocal of its rank;
``near``, the mean of ``z`` over the sentences before and after. All others are one number for each
sentence, or for each pair.

>>> from citectx.corpora import Document
>>> from citectx.language.text import SentenceSplitter
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
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from citectx.corpora.model import BlockKind
from citectx.errors import ParameterError, unknown
from citectx.language.idf import DOMAINS, open_idf
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, Sentences, citation_markers, stem
from citectx.retrieval import BM25, DFR, LMD, VSM, Query, RetrievalModel, SpanIndex
from citectx.retrieval.lexical import standardised
from citectx.types import Floats, Ints

WORDS = Analyzer()


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(WORDS(text))


def _stems(text: str) -> Iterator[str]:
    return map(stem, _words(text))


def _prefixes(text: str) -> Iterator[str]:
    return (word[:5] for word in _words(text))


def _grams(text: str) -> Iterator[str]:
    for word in _words(text):
        marked = f"_{word}_"
        for start in range(max(len(word) - 1, 1)):
            yield marked[start : start + 4]


def _bigrams(text: str) -> Iterable[str]:
    stems = list(_stems(text))
    return map(" ".join, pairwise(stems)) if len(stems) > 1 else stems


ANALYSES: dict[str, Callable[[str], Iterable[str]]] = {
    "words": WORDS,
    "stems": _stems,
    "prefixes": _prefixes,
    "grams": _grams,
    "bigrams": _bigrams,
}
"""What counts as a term: words, Porter stems, first five letters of words, four consecutive
characters of a word (its ends marked), two neighbouring stems."""

SECTIONS = {
    "methods": r"method|procedure|material|approach|algorithm|model|framework|statistic"
    r"|experimental setup",
    "results": r"result|experiment|evaluation|finding|performance|comparison",
    "discussion": r"discussion|conclusion|concluding|future|summary|significance|limitation",
    "introduction": r"introduction|background|motivation|related work|previous work|overview",
}
"""Kinds of sections by words of their headings; the first match counts. Headings of more than
`LONG` words are ignored: they state results ("... in a mouse model"). A subsection without such a
word is of the kind of the section before it, unless that was the introduction.

`citectx.recommendation.zones` sorts headings for articles of chemistry, into other kinds ("Related
work" is none of them). These features are kept as they are because the weights that come with the
package were learned with them.
"""
LONG = 5


@lru_cache(maxsize=1 << 17)
def rarity(word: str) -> float:
    """Return how rare a word is in the fields that we have counts of, from 0 to 1.

    The inverse document frequency over that of the rarest words, in the field where the word is
    less rare: a reader's article may be of either field, or of neither.

    >>> rarity("results") < rarity("mitochondria") < rarity("lomk")
    True
    """
    lists = map(open_idf, DOMAINS)
    return max(0.0, min(known[word] / known[""] for known in lists))


class Pairs:
    """The citances and sentences of one article: what features are computed from.

    Parameters
    ----------
    index : SpanIndex
        Its candidates must be single sentences.
    queries : sequence of Query
        Only their texts are used, not their weights.

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
        self.index = index
        self.sentences = index.candidates.sentences
        self.texts = self.sentences.texts()
        self.citances = [query.text for query in queries]
        self.shape = len(self.citances), len(self.texts)
        self.kinds = np.array(kinds_of(self.sentences))
        self.block = _numbered([id(block) for block in self.sentences.blocks])
        self.section = _numbered([block.section for block in self.sentences.blocks])

    def analysed(self, by: str = "words") -> SpanIndex:
        """Index the sentences by a key of `ANALYSES`."""
        analyzer = ANALYSES[by]
        if analyzer == self.index.analyzer:
            return self.index
        build = partial(SpanIndex, self.index.candidates, analyzer)
        return self.index.remember(("pairs", by), build)

    def counts(self, by: str = "words") -> sp.csr_array:
        """Count the terms of the sentences, shape (sentences, terms)."""
        return self.analysed(by).sentence_counts

    def queries(self, by: str = "words") -> list[Query]:
        """Count the terms of the citances."""
        return [query_of(text, by) for text in self.citances]

    def wanted(self, by: str = "words") -> sp.csr_array:
        """Count the citances' terms that the article has, shape (citances, terms)."""
        return self.analysed(by).query_matrix(self.queries(by))

    def match(self, first: Ints, last: Ints) -> Floats:
        """Score stretches of sentences with BM25 of stems, shape (citances, stretches)."""
        stretches = Candidates(self.sentences, first, last)
        index = SpanIndex(stretches, ANALYSES["stems"], self.analysed("stems"))
        return BM25().fit(index).score(self.queries("stems"))

    @cached_property
    def lower(self) -> list[str]:
        """The sentences in lower case."""
        return [text.lower() for text in self.texts]

    @cached_property
    def rarities(self) -> Floats:
        """`rarity` of each word of the article, shape (words,)."""
        return np.array([rarity(word) for word in self.analysed().vocabulary])

    @cached_property
    def rare(self) -> Floats:
        """BM25 of the citance's words, each once, by rarity, shape (citances, sentences)."""
        weights = BM25(k1=0.4, b=0.5).fit(self.analysed()).weights
        scores = (once(self.wanted()) * self.rarities) @ weights
        return np.asarray(scores.toarray(), dtype=np.float64)

    @cached_property
    def neighbours(self) -> sp.csr_array:
        """Half of the sentence before and after in the section, shape (sentences, sentences)."""
        joined = 0.5 * (self.section[1:] == self.section[:-1])
        both = sp.csr_array(sp.diags_array([joined, joined], offsets=[1, -1]))
        both.eliminate_zeros()
        return both


def kinds_of(sentences: Sentences) -> list[str]:
    """Return the kind of each sentence's section.

    Returns
    -------
    list of str
        "abstract", "caption", a key of `SECTIONS`, or "" if it is unknown.
    """
    document = sentences.document
    kinds: dict[object, str] = {}
    kind = ""
    for block in document.blocks:
        opens = block.kind == "heading"
        heading = document.text[block.start : block.end] if opens else block.heading
        if known := section_kind(heading):
            kind = known
        elif opens and kind == "introduction":
            kind = ""
        kinds[block] = block.kind if block.kind in ("abstract", "caption") else kind
    return [kinds[block] for block in sentences.blocks]


def once(counts: sp.csr_array) -> sp.csr_array:
    """Replace each count by 1."""
    ones = np.ones_like(counts.data)
    return sp.csr_array((ones, counts.indices, counts.indptr), shape=counts.shape)


@lru_cache(maxsize=1 << 12)
def query_of(text: str, by: str = "words") -> Query:
    """Count the terms of a text by a key of `ANALYSES`."""
    return Query(dict(Counter(ANALYSES[by](text))), text)


def section_kind(heading: str) -> str:
    """Return the kind of a section by its heading, "" if it has none.

    >>> section_kind("5 Experimental Results"), section_kind("Loss of a gene in a mouse model")
    ('results', '')
    """
    if len(heading.split()) > LONG:
        return ""
    matching = (kind for kind, words in SECTIONS.items() if re.search(words, heading.lower()))
    return next(matching, "")


def _numbered(keys: Sequence[object]) -> Ints:
    """Number runs of equal keys from 0."""
    changes = [a != b for a, b in pairwise(keys)]
    return np.cumsum([0, *changes], dtype=np.int64)


def _starts(unit: Ints) -> Ints:
    return np.flatnonzero(np.diff(unit, prepend=-1))


def _ends(unit: Ints) -> Ints:
    return np.flatnonzero(np.diff(unit, append=-1))


def reciprocal_ranks(scores: Floats) -> Floats:
    """Return 1/rank within each row, the mean rank for equals.

    >>> reciprocal_ranks(np.array([[0.5, 2.0, 0.5]]))
    array([[0.4, 1. , 0.4]])
    """
    ranks = pd.DataFrame(-scores.round(9)).rank(axis=1)  # scipy.stats takes a second to import
    return 1.0 / ranks.to_numpy()


Compute = Callable[[Pairs], Floats]
"""From `Pairs` to numbers that broadcast to (citances, sentences)."""


# Words: how well a sentence matches the citance.


def _scores(model: RetrievalModel, by: str = "words") -> Compute:
    return lambda pairs: model.fit(pairs.analysed(by)).score(pairs.queries(by))


def _shared(pairs: Pairs) -> Floats:
    """Add up the rarities of the words that a citance and a sentence share."""
    weighted = once(pairs.counts()) * pairs.rarities
    return np.asarray((once(pairs.wanted()) @ weighted.T).toarray(), dtype=np.float64)


def _coverage(pairs: Pairs) -> Floats:
    words = [set(WORDS(text)) for text in pairs.citances]
    totals = np.array([sum(map(rarity, own)) for own in words])
    return np.asarray(_shared(pairs) / np.maximum(totals, 1e-9)[:, None], dtype=np.float64)


def _focus(pairs: Pairs) -> Floats:
    totals = once(pairs.counts()) @ pairs.rarities
    return np.asarray(_shared(pairs) / np.maximum(totals, 1e-9), dtype=np.float64)


def _rarest(pairs: Pairs) -> Floats:
    rarities = once(pairs.counts()).toarray() * pairs.rarities
    wanted = pairs.wanted()
    found = np.zeros(pairs.shape)
    for row, (begin, end) in zip(found, pairwise(wanted.indptr), strict=True):
        row[:] = rarities[:, wanted.indices[begin:end]].max(axis=1, initial=0.0)
    return found


def _found_again(pattern: str, pairs: Pairs) -> Floats:
    """Return the share of what matches in the citance that is in the sentence, too."""
    in_sentences = [set(re.findall(pattern, text)) for text in pairs.texts]
    found = np.zeros(pairs.shape)
    for row, text in zip(found, pairs.citances, strict=True):
        if asked := set(re.findall(pattern, text)):
            row[:] = [len(asked & own) / len(asked) for own in in_sentences]
    return found


# A capital and behind it another or a digit, or a digit and behind it a letter; the first of each
# decides, so that no word is read twice.
_ACRONYM = r"\b(?:[^\WA-Z]*+[A-Z][^\WA-Z\d]*+[A-Z\d]\w*|[^\W\d]*+\d[^\WA-Za-z]*+[A-Za-z]\w*)"
_NUMBER = r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])"

_OF_WORDS: dict[str, Compute] = {
    "bm25_usual": _scores(BM25()),
    "bm25_flat": _scores(BM25(k1=0.2, b=0.5)),
    "bm25_long": _scores(BM25(k1=2.0, b=0.25)),
    **{f"bm25_{by}": _scores(BM25(k1=0.8), by) for by in ("stems", "prefixes", "grams", "bigrams")},
    "bm25_rare": lambda pairs: pairs.rare,
    "vsm": _scores(VSM(tf="raw")),
    "lmd": _scores(LMD(mu=50.0)),
    "dfr": _scores(DFR(basic="IF", after="L", c=5.0)),
    "coverage": _coverage,
    "focus": _focus,
    "rarest": _rarest,
    "acronyms": partial(_found_again, _ACRONYM),
    "numbers": partial(_found_again, _NUMBER),
}


# Surroundings: how well what is around a sentence matches the citance.


def _paragraph(pairs: Pairs) -> Floats:
    return pairs.match(_starts(pairs.block), _ends(pairs.block))[:, pairs.block]


def _whole_section(pairs: Pairs) -> Floats:
    return pairs.match(_starts(pairs.section), _ends(pairs.section))[:, pairs.section]


def _window(pairs: Pairs) -> Floats:
    """Match a sentence together with those before and after it in its section."""
    here = np.arange(pairs.shape[1])
    goes_on = np.diff(pairs.section) == 0
    return pairs.match(here - np.append(False, goes_on), here + np.append(goes_on, False))


def _heading(pairs: Pairs) -> Floats:
    wanted = pairs.wanted("stems")
    queries = [query_of(block.heading, "stems") for block in pairs.sentences.blocks]
    headings = pairs.analysed("stems").query_matrix(queries)
    shared = (once(wanted) @ once(headings).T).toarray()
    asked = np.diff(wanted.indptr)
    return np.asarray(shared / np.maximum(asked, 1)[:, None], dtype=np.float64)


_OF_SURROUNDINGS: dict[str, Compute] = {
    "paragraph": _paragraph,
    "whole_section": _whole_section,
    "window": _window,
    "heading": _heading,
}


# Section and place: where a sentence is.


def _is_in(kind: str, pairs: Pairs) -> Floats:
    return np.where(pairs.kinds == kind, 1.0, 0.0)


def _match_in(kind: str, pairs: Pairs) -> Floats:
    return standardised(pairs.rare) * _is_in(kind, pairs)


def _place(pairs: Pairs) -> Floats:
    return np.linspace(0.0, 1.0, pairs.shape[1])


def _opening(unit: Ints) -> Floats:
    """Return 1 for the first sentence of each unit, 1/2 for the second, and so on."""
    distance = np.arange(len(unit)) - _starts(unit)[unit]
    return np.asarray(1.0 / (1.0 + distance), dtype=np.float64)


def _last(unit: Ints) -> Floats:
    found = np.zeros(len(unit))
    found[_ends(unit)] = 1.0
    return found


_OF_SECTION: dict[str, Compute] = {
    **{f"in_{kind}": partial(_is_in, kind) for kind in ("abstract", *SECTIONS, "caption")},
    **{f"match_in_{kind}": partial(_match_in, kind) for kind in ("abstract", *SECTIONS)},
}
_OF_PLACE: dict[str, Compute] = {
    "place": _place,
    "place_squared": lambda pairs: (2 * _place(pairs) - 1) ** 2,
    "opening": lambda pairs: 1.0 / np.arange(1.0, pairs.shape[1] + 1),
    "opening_of_paragraph": lambda pairs: _opening(pairs.block),
    "opening_of_section": lambda pairs: _opening(pairs.section),
    "last_in_paragraph": lambda pairs: _last(pairs.block),
    "last_in_section": lambda pairs: _last(pairs.section),
}


# Gist and style: how much a sentence says of what the article is about, and how it is written.


def _cosine(pairs: Pairs, target: sp.csr_array) -> Floats:
    """Return the mean cosine of each sentence's stems with some rows, weighted by idf."""
    df = pairs.analysed("stems").document_frequency
    idf = np.log1p(pairs.shape[1] / np.maximum(df, 1))
    own = (pairs.counts("stems") * idf).toarray()
    others = (target * idf).toarray()
    lengths = np.linalg.norm(own, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    cosines = own @ others.T / np.maximum(lengths, 1e-9)
    return np.asarray(cosines.mean(axis=1), dtype=np.float64)


def _like(kind: BlockKind, pairs: Pairs) -> Floats:
    document = pairs.sentences.document
    texts = [document.text[b.start : b.end] for b in document.blocks if b.kind == kind]
    query = query_of(" ".join(texts), "stems")
    return _cosine(pairs, pairs.analysed("stems").query_matrix([query]))


def _central(pairs: Pairs) -> Floats:
    return _cosine(pairs, pairs.counts("stems"))


def _length(pairs: Pairs) -> Floats:
    words = np.asarray(pairs.counts().sum(axis=1)).ravel()
    return np.log1p(words)


def _length_squared(pairs: Pairs) -> Floats:
    length = _length(pairs)
    return np.asarray((length - length.mean()) ** 2, dtype=np.float64)


def _citations(pairs: Pairs) -> Floats:
    return np.log1p([len(citation_markers(text)) for text in pairs.texts])


CUES = {
    "we": r"\bwe\b|\bour\b",
    "finding": r"\b(show|demonstrat|found|find|identif|reveal|report|establish|observ|confirm)\w*",
    "offer": r"\b(propos|present|introduc|describ|develop|design|extend)\w*",
    "conclusion": r"\b(suggest|indicat|conclud|imply|implies|support|therefore|thus|hence"
    r"|conclusion)\w*",
    "here": r"\b(here|herein|in this (paper|study|work|article|report)|novel|new|first time)\b",
    "contrast": r"\b(however|although|but|in contrast|unlike|whereas|despite|instead)\b",
    "measure": r"\b(significant|increas|decreas|reduc|improv|outperform|higher|lower|accuracy"
    r"|percent)\w*|%",
    "pointer": r"\b(fig(ure|s)?|table|equation|eq|section|appendix)\b",
    "example": r"\b(for example|for instance|e\.g|such as|consider)\b",
}
"""Words that tell what a sentence does, as patterns over lower-case text."""


def _cue(pattern: str, pairs: Pairs) -> Floats:
    search = re.compile(pattern).search
    return np.array([search(text) is not None for text in pairs.lower], dtype=np.float64)


_OF_STYLE: dict[str, Compute] = {
    "like_title": partial(_like, "title"),
    "like_abstract": partial(_like, "abstract"),
    "central": _central,
    "length": _length,
    "length_squared": _length_squared,
    "citations": _citations,
    **{f"cue_{name}": partial(_cue, pattern) for name, pattern in CUES.items()},
}

COMPUTE = _OF_WORDS | _OF_SURROUNDINGS | _OF_SECTION | _OF_PLACE | _OF_STYLE
"""What each feature is computed by."""

VIEWS: dict[str, Callable[[Pairs, Floats], Floats]] = {
    "": lambda _, scores: scores,
    "z": lambda _, scores: standardised(np.atleast_2d(scores)),
    "rank": lambda _, scores: reciprocal_ranks(scores),
    "near": lambda pairs, scores: standardised(scores) @ pairs.neighbours.T,
}


class Feature(NamedTuple):
    """One column of the model: a view of what an entry of `COMPUTE` returns.

    Parameters
    ----------
    group : str
        Features of a group are added and removed together.
    about : str
        One sentence.
    source : str
        A key of `COMPUTE`.
    view : str
        A key of `VIEWS`.
    """

    group: str
    about: str
    source: str
    view: str


def _listed(path: Path) -> dict[str, Feature]:
    rows = pd.read_csv(path, keep_default_na=False).to_dict("records")
    found = {}
    for row in rows:
        source = row["feature"]
        for view in row["views"].split(" "):
            name = f"{source}.{view}" if view else source
            found[name] = Feature(row["group"], row["about"], source, view)
    return found


FEATURES = _listed(Path(__file__).with_suffix(".csv"))
"""All features by name, in the order of ``features.csv``, which gives the group and views of each
and says what it is."""

GROUPS = tuple(dict.fromkeys(f.group for f in FEATURES.values()))
"""Groups of features."""
STATIC = ("section", "place", "gist", "style")
"""Groups that know nothing of the citance."""
LEXICAL = ("words", "surroundings")
"""Groups that know nothing of where a sentence is or how it is written."""


def names_of(*groups: str) -> list[str]:
    """Return the names of the features of some groups, in the order of `FEATURES`."""
    return [name for name, feature in FEATURES.items() if feature.group in groups]


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
        feature = FEATURES[name]
        if feature.source not in computed:
            # Rounded, so that the last bit of a sum does not decide between ranks.
            computed[feature.source] = np.round(COMPUTE[feature.source](pairs), 9)
        values[:, :, i] = VIEWS[feature.view](pairs, computed[feature.source])
    return values
