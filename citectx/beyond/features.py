"""Features of a pair of citance and sentence: one table of functions.

The set was written down before it was scored, and not changed afterwards. It is not blind: on the
same topics, scores of 80 features, of 12, and of two trial sets of 21 and 13 were known. The lists
of the trial sets were not kept, so this is neither of them. The 12 (no ranks, no rarest word) were
2.6 points of nDCG [1.4, 3.8] below the 80 on Citation-Integrity.

>>> from citectx.corpora import Document
>>> from citectx.language.spans import Candidates
>>> from citectx.language.text import SentenceSplitter
>>> article = Document("ref", "Cells divide fast. They also rest. In 12 mice, the cells died.")
>>> index = SpanIndex(Candidates.of(SentenceSplitter().sentences(article), 1), WORDS)
>>> values = matrix(index, [Query.of("Cells divided", WORDS)])[0]
>>> values[:, [*FEATURES].index("stems")].round(2)
array([ 1.34, -1.06, -0.28])
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np
from scipy.stats import rankdata
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from citectx.corpora.model import Block
from citectx.errors import ParameterError
from citectx.language.idf import DOMAINS, open_idf
from citectx.language.text import Analysis, Analyzer, citation_markers
from citectx.retrieval import BM25, Query, SpanIndex
from citectx.retrieval.lexical import standardise
from citectx.types import Floats

WORDS = Analyzer()
STEMS = Analyzer(stem=True)
CHARACTERS = CountVectorizer(analyzer="char_wb", ngram_range=(4, 4)).build_analyzer()


def bigrams(text: str) -> list[str]:
    """Return two stems in a row; the stem of a single word."""
    stems = [*STEMS(text)]
    return [*map(" ".join, pairwise(stems))] or stems


def grams(text: str) -> list[str]:
    """Return four characters in a row of each word, whose ends are marked."""
    return CHARACTERS(" ".join(WORDS(text)))


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
    """The citances and sentences of one article: what features are computed from."""

    def __init__(self, index: SpanIndex, queries: Sequence[Query]) -> None:
        self.indexed: dict[Analysis, SpanIndex] = {
            by: SpanIndex(index.candidates, by) for by in (WORDS, STEMS, bigrams, grams)
        }
        self.sentences = index.candidates.sentences
        self.texts = self.sentences.texts()
        self.citances = [query.text for query in queries]
        # (citances, words)
        self.asked = self.terms(WORDS, self.citances)
        # rarity of a word where it is in a sentence, else 0, (sentences, words)
        rarities = [*map(rarity, self.indexed[WORDS].vocabulary)]
        self.said = self.terms(WORDS, self.texts) * rarities

    def terms(self, by: Analysis, texts: Iterable[str]) -> Floats:
        """1 where a term of the article is in a text, shape (texts, terms)."""
        known = self.indexed[by].vocabulary
        counter = CountVectorizer(analyzer=by, vocabulary=known, binary=True)
        return counter.transform(texts).toarray()

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each sentence's section: "abstract", a key of `SECTIONS`, or ""."""
        kinds: dict[Block, str] = {}
        kind = ""
        for block in self.sentences.document.blocks:
            # a subsection goes on with the kind of its section
            before = kind if kind != "introduction" else ""
            kind = section_kind(block.heading) or before
            kinds[block] = block.kind if block.kind in ("abstract", "caption") else kind
        return [kinds[block] for block in self.sentences.blocks]


SECTIONS = {
    "methods": r"method|procedure|material|approach|algorithm|model|framework|statistic"
    r"|experimental setup",
    "results": r"result|experiment|evaluation|finding|performance|comparison",
    "discussion": r"discussion|conclusion|concluding|future|summary|significance|limitation",
    "introduction": r"introduction|background|motivation|related work|previous work|overview",
}
"""Kinds of sections by words of their headings; the first match counts. A subsection without such a
word is of the kind of the section before it, unless that was the introduction."""


def section_kind(heading: str) -> str:
    """Return the kind of a section by its heading, "" if it has none.

    Headings of more than five words state results ("... in a mouse model").

    >>> section_kind("5 Experimental Results"), section_kind("Loss of a gene in a mouse model")
    ('results', '')
    """
    if len(heading.split()) > 5:
        return ""
    fitting = (kind for kind, words in SECTIONS.items() if re.search(words, heading.lower()))
    return next(fitting, "")


def shares(part: Floats, whole: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    return part / np.where(whole > 0, whole, np.inf)


# What citance and sentence have in common.


def bm25(by: Analysis, k1: float, pairs: Pairs) -> Floats:
    """Score with BM25, in standard deviations from the mean over the article (z)."""
    model = BM25(k1=k1).fit(pairs.indexed[by])
    queries = [Query(Counter(by(text))) for text in pairs.citances]
    return standardise(model.score(queries))


words = partial(bm25, WORDS, 1.2)


def words_rank(pairs: Pairs) -> Floats:
    """Return 1/rank by `words` within the article, the mean rank for equals."""
    return 1 / rankdata(-words(pairs).round(9), axis=1)


def coverage(pairs: Pairs) -> Floats:
    """Return the share of the citance's words that the sentence has, by rarity (z)."""
    totals = [sum(map(rarity, set(WORDS(text)))) for text in pairs.citances]
    return standardise(shares(pairs.asked @ pairs.said.T, np.array(totals)[:, None]))


def focus(pairs: Pairs) -> Floats:
    """Return the share of the sentence's words that the citance has, by rarity (z)."""
    return standardise(shares(pairs.asked @ pairs.said.T, pairs.said.sum(axis=1)))


def rarest(pairs: Pairs) -> Floats:
    """Return the rarity of the rarest word that both have (z)."""
    rows = [(pairs.said * asked).max(axis=1) for asked in pairs.asked]
    return standardise(np.array(rows))


def neighbours(pairs: Pairs) -> Floats:
    """Return half of the `words` of the sentences before and behind it in its section."""
    goes_on = np.diff([block.section for block in pairs.sentences.blocks]) == 0
    half = np.diag(goes_on / 2, k=1)  # (sentences, sentences)
    return words(pairs) @ (half + half.T)


def heading(pairs: Pairs) -> Floats:
    """Return the share of the citance's stems that the heading of the section has (z)."""
    headings = pairs.terms(STEMS, [block.heading for block in pairs.sentences.blocks])
    asked = pairs.terms(STEMS, pairs.citances)
    return standardise(shares(asked @ headings.T, asked.sum(axis=1, keepdims=True)))


# The sentence in its article.


def is_in(kind: str, pairs: Pairs) -> Floats:
    """Return 1 in sections of a kind, else 0."""
    return np.equal(pairs.kinds, kind)


def place(pairs: Pairs) -> Floats:
    """Return the place in the article, from 0 to 1."""
    return np.linspace(0.0, 1.0, len(pairs.texts))


def central(pairs: Pairs) -> Floats:
    """Return the mean cosine of the stems with all sentences of the article, by idf (z)."""
    index = pairs.indexed[STEMS]
    idf = np.log1p(len(pairs.texts) / index.document_frequency)
    unit = normalize(index.sentence_counts.toarray() * idf)
    return standardise(unit.mean(axis=0, keepdims=True) @ unit.T)


def length(pairs: Pairs) -> Floats:
    """Return the logarithm of one plus the number of words."""
    return np.log1p(pairs.indexed[WORDS].sentence_counts.sum(axis=1))


def citations(pairs: Pairs) -> Floats:
    """Return the logarithm of one plus the number of citations."""
    return np.log1p([len(citation_markers(text)) for text in pairs.texts])


Feature = tuple[Callable[[Pairs], Floats], str]
"""A column of the model: a formula whose numbers broadcast to (citances, sentences), and a sentence
that says what it is."""

OF_WORDS: dict[str, Feature] = {
    "words": (words, "BM25 of words (z)."),
    "words_rank": (words_rank, "Reciprocal of the sentence's rank by words."),
    "stems": (partial(bm25, STEMS, 0.8), "BM25 of stems (z)."),
    "bigrams": (partial(bm25, bigrams, 0.8), "BM25 of two stems in a row (z)."),
    "grams": (partial(bm25, grams, 0.8), "BM25 of four characters in a row (z)."),
    "coverage": (coverage, "Share of the citance's words in the sentence, by rarity (z)."),
    "focus": (focus, "Share of the sentence's words in the citance, by rarity (z)."),
    "rarest": (rarest, "Rarity of the rarest word that both have (z)."),
    "neighbours": (neighbours, "BM25 of the sentences before and behind it."),
    "heading": (heading, "Share of the citance's stems in the section's heading (z)."),
}
"""Features of what citance and sentence have in common, wherever the sentence is."""
OF_SECTIONS: dict[str, Feature] = {
    f"in_{kind}": (partial(is_in, kind), f"It is in {where}.")
    for kind, where in {
        "abstract": "the abstract",
        "methods": "a section on methods",
        "results": "a section on results",
        "discussion": "a discussion",
        "introduction": "an introduction",
    }.items()
}
"""Features of the section, by its heading."""
OF_SENTENCES = OF_SECTIONS | {
    "place": (place, "Place in the article, from 0 to 1."),
    "central": (central, "Mean cosine with the article's sentences (z)."),
    "length": (length, "Logarithm of the number of words."),
    "citations": (citations, "Logarithm of one plus the number of citations."),
}
"""Features that never look at the citance."""
FEATURES = OF_WORDS | OF_SENTENCES
"""All features, in the order of the model's columns."""


def matrix(index: SpanIndex, queries: Sequence[Query]) -> Floats:
    """Compute all features, shape (citances, sentences, features)."""
    if not np.array_equal(index.candidates.first, index.candidates.last):
        raise ParameterError("features are those of sentences: prepare topics with max_sentences=1")
    pairs = Pairs(index, queries)
    columns = np.broadcast_arrays(*(formula(pairs) for formula, _ in FEATURES.values()))
    return np.stack(columns, axis=-1).round(9)  # so that the last bit of a sum does not decide
