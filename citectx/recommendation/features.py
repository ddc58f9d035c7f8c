"""What the CoreSC classifier sees of a sentence: words, verbs and tense, place, neighbours.

Everything is numbers in arrays: a token is looked up once in a table of types, n-grams are hashed
in bulk, so that a collection of 600,000 sentences takes minutes. Numbers are counts, or multiples
of a power of two whose sums are exact, so that they do not depend on the processor.

Ambiguity: SAPIENTA's features include grammatical relations and verb classes from a parser, which
lrec2016 does not describe. Ours are n-grams of a *skeleton* of the sentence that keeps function
words, and of the verbs only their part of speech ("we VBD that", "was VBN by"): it shows tense,
voice and person, and it means the same in chemistry and in medicine. Parts of speech are those of
the word alone, from our own tagger, which is fast but misses verbs in the place of nouns ("found",
"shows"); these count as words only.
"""

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.corpora.coresc import MARK, Paper
from citectx.embeddings import open_vectors
from citectx.language.text import stop_words
from citectx.recommendation.networks import INPUT, on_grid
from citectx.recommendation.zones import ZONES, kind_of_heading, zones
from citectx.types import Floats, Ints

Hashes = NDArray[np.uint64]

BITS = 20
"""Bits that n-grams are hashed to."""

WORDS, SKELETON, PREFIXES = 2, 4, 2
"""Longest n-grams of words, of the skeleton, and of words cut to their first letters."""

LETTERS = 5
"""Letters of a word that are kept where endings should not count."""

NEAR_BITS, HEADING_BITS = 16, 14
"""Bits that single words of neighbouring sentences, and those of headings, are hashed to."""

VECTORS = ("biomedical-small", "general-small")
"""The vectors that come with the repository; they know words that no labelled sentence has."""

_TOKEN = re.compile(
    r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\n|\d[\d.,]*\w*"  # most are words, so they come first
    r"|\[CIT\]|\[\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*\]"  # [3,7-9]
    r"|\([^()\n]{0,200}?\b(?:1[89]|20)\d\d[a-z]?\b[^()\n]{0,200}\)"  # (Doe, 2001; Roe, 2002)
    r"|[^\w\s]"
)
"""Words, numbers, signs; a citation marker is one token.

Ambiguity: how markers are recognised where no markup tells. Superscripts that are glued to a word
(``cells12``) look like any number and are not counted.
"""

_FUNCTION = stop_words("english") | set(
    "shall using used per according due fig figure table see".split()
)
_FIGURES = frozenset("fig figs figure table scheme".split())


class Tokens(NamedTuple):
    """The tokens of all sentences of some papers, with a boundary before each sentence.

    Parameters
    ----------
    sentence : int array, shape (tokens,)
        The sentence that each token belongs to.
    is_boundary : bool array
    words, prefixes, skeleton : uint64 arrays
        Hashes of the word, its first letters and its place in the skeleton (0: it has none).
    kinds : array
        1 for a citation marker, 2 for a word such as "figure", else 0.
    rows : array
        Row of the word among the vectors; 0 where they do not know it.
    """

    sentence: Ints
    is_boundary: NDArray[np.bool_]
    words: Hashes
    prefixes: Hashes
    skeleton: Hashes
    kinds: Hashes
    rows: Hashes

    @classmethod
    def of(cls, papers: Sequence[Paper]) -> "Tokens":
        """Look up the tokens of papers; each type of token once."""
        sentences = [s.text.replace("\n", " ") for paper in papers for s in paper.sentences]
        text = "".join(f"\n{sentence}" for sentence in sentences)
        found = np.array(_TOKEN.findall(text), dtype=object)
        number, types = pd.factorize(found)
        known = np.array([_looked_up(token) for token in types], dtype=np.uint64).reshape(-1, 5)
        is_boundary = number == 0  # the first token
        return cls(np.cumsum(is_boundary) - 1, is_boundary, *known.T[:, number])


@lru_cache(maxsize=1 << 20)
def _looked_up(token: str) -> tuple[int, int, int, int, int]:
    """Return word, prefix, skeleton, kind and row of a token, as `Tokens` has them."""
    word = _normal(token)
    place = _place_in_skeleton(word)
    kind = 1 if word == MARK else 2 * (word in _FIGURES)
    return (
        zlib.crc32(word.encode()) | 1 << 32,
        zlib.crc32(word[:LETTERS].encode()) | 1 << 34,
        zlib.crc32(place.encode()) | 1 << 33 if place else 0,
        kind,
        _vectors()[0].get(word, 0),
    )


def _normal(token: str) -> str:
    if len(token) > 1 and token[0] in "[(":
        return MARK
    return "#" if token[0].isdigit() else token.lower()


def _place_in_skeleton(word: str) -> str:
    if word == MARK or word in _FUNCTION or not word[0].isalpha():
        return word
    part = part_of_speech(word)
    is_kept = part[0] == "V" or part in ("MD", "RB")
    return part if is_kept else ""


def part_of_speech(word: str) -> str:
    """Return the part of speech of a lower-case word without its context.

    >>> part_of_speech("stained"), part_of_speech("flavoprotein")
    ('VBN', 'NN')
    """
    from citectx.language.noun_phrases import taggers

    return str(taggers()[0].tag([word])[0][1])


_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xBF58476D1CE4E5B9)


def _mixed(hashes: Hashes) -> Hashes:
    """Spread the bits (the steps of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(31))) * _ODD
    return (hashes ^ (hashes >> np.uint64(29))) * _OTHER


def _ngrams(hashes: Hashes, rows: Ints, longest: int) -> list[tuple[Hashes, Ints]]:
    """Hash all n-grams that stay inside a sentence; return hashes and rows for each n."""
    current = _mixed(hashes)
    found = [(current, rows)]
    for n in range(1, min(longest, len(hashes))):
        current = _mixed(current[:-1] * np.uint64(3) + hashes[n:])
        whole = rows[:-n] == rows[n:]
        found.append((current[whole], rows[:-n][whole]))
    return found


def bags(
    papers: Sequence[Paper],
    tokens: Tokens,
    prefix_weight: float = 1.0,
    heading_weight: float = 1.0,
    near_weights: Sequence[float] = (1.0,),
) -> sp.csr_matrix:
    """Hash what is in and around all sentences of all papers.

    Parameters
    ----------
    papers : sequence of Paper
    tokens : Tokens
        Of these papers.
    prefix_weight, heading_weight : float
        Length of what words cut to their first letters, and what headings, make of a row.
    near_weights : sequence of float
        Length of what the words of the sentences at distance 1, 2, ... make, on either side.

    Returns
    -------
    csr_matrix of float32, a row a sentence
        Side by side: n-grams of words and of the skeleton (2**BITS columns, length 1); n-grams of
        words cut to their first letters (2**BITS); words and pairs of words of the heading
        (2**HEADING_BITS); for each distance, before and behind, the words of that sentence
        (2**NEAR_BITS). What occurs in a block weighs the same, however often it occurs.
    """
    sizes = [len(paper) for paper in papers]
    n = sum(sizes)
    rows, words, skeleton = tokens.sentence, tokens.words, tokens.skeleton
    kept = skeleton > 0
    own = _ngrams(words, rows, WORDS) + _ngrams(skeleton[kept], rows[kept], SKELETON)
    blocks = [
        _bag(own, n, BITS),
        _bag(_ngrams(tokens.prefixes, rows, PREFIXES), n, BITS, prefix_weight),
        _headings(papers, heading_weight),
    ]
    mixed = _mixed(words)
    for distance, weight in enumerate(near_weights, start=1):
        for offset in (distance, -distance):
            reader = neighbour_rows(sizes, offset)[rows]
            seen = reader >= 0
            blocks.append(_bag([(mixed[seen], reader[seen])], n, NEAR_BITS, weight))
    return sp.csr_matrix(sp.hstack(blocks))


def _bag(
    parts: Sequence[tuple[Hashes, Ints]], n: int, bits: int, weight: float = 1.0
) -> sp.csr_matrix:
    hashes = np.concatenate([_mixed(hashes) for hashes, _ in parts])
    columns = (hashes >> np.uint64(64 - bits)).astype(np.int32)
    where = np.concatenate([rows for _, rows in parts]).astype(np.int32)
    ones = np.ones(len(columns), np.float32)
    matrix = sp.coo_matrix((ones, (where, columns)), (n, 1 << bits)).tocsr()
    counts = np.diff(matrix.indptr)
    of_row = weight / np.sqrt(np.maximum(counts, 1))
    matrix.data = np.repeat(of_row, counts).astype(np.float32)
    return matrix


def meanings(tokens: Tokens) -> Floats:
    """Return the mean vector of each sentence's words, brought to length 1, for each of `VECTORS`.

    A word weighs the logarithm of its rank among the vectors' words, which are sorted by frequency.

    Returns
    -------
    float array, shape (sentences, dimensions of all `VECTORS`)
        Multiples of 2**-INPUT; zeros where the vectors know no word.
    """
    _, widths, matrix = _vectors()
    words = tokens.rows.astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(np.bincount(tokens.sentence))])
    shape = (len(ends) - 1, len(matrix))
    sums = sp.csr_matrix((np.ones(len(words)), words, ends), shape) @ matrix
    blocks = np.split(sums, np.cumsum(widths)[:-1], axis=1)
    return on_grid(np.hstack([_unit(block) for block in blocks]), INPUT)


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


@lru_cache(maxsize=1)
def _vectors() -> tuple[dict[str, int], list[int], Floats]:
    """Return each word's row, the dimensions of each of `VECTORS`, and the weighted rows.

    Row 0 is zeros.
    """
    opened = [open_vectors(name) for name in VECTORS]
    words = dict.fromkeys(word for vectors in opened for word in vectors.index)
    number = {word: i for i, word in enumerate(words, start=1)}
    blocks = []
    for vectors in opened:
        rows = [number[word] for word in vectors.index]
        weights = on_grid(np.log(np.arange(len(rows)) + 3.0), 8)
        unit = on_grid(_unit(vectors.matrix.astype(np.float64)), 10)
        block = np.zeros((len(number) + 1, vectors.dimensions))
        block[rows] = weights[:, None] * unit
        blocks.append(block)
    return number, [vectors.dimensions for vectors in opened], np.hstack(blocks)


def _headings(papers: Sequence[Paper], weight: float) -> sp.csr_matrix:
    """Hash each different heading once."""
    headings = [s.heading for paper in papers for s in paper.sentences]
    names, of_sentence = np.unique(headings, return_inverse=True)
    words = [re.findall(r"[^\W\d_]+", name.lower()) for name in names.tolist()]
    flat = [zlib.crc32(word.encode()) for own in words for word in own]
    rows = np.repeat(np.arange(len(names)), [len(own) for own in words])
    ngrams = _ngrams(np.array(flat, dtype=np.uint64), rows, 2)
    return _bag(ngrams, len(names), HEADING_BITS, weight)[of_sentence]


def neighbour_rows(sizes: Sequence[int] | Ints, distance: int) -> Ints:
    """Return for each sentence the row of the one so far behind it in the same paper, else -1.

    >>> neighbour_rows([2, 2], 1)
    array([ 1, -1,  3, -1])
    """
    paper = np.repeat(np.arange(len(sizes)), sizes)
    other = np.arange(len(paper)) + distance
    other[(other < 0) | (other >= len(paper))] = -1
    other[paper[other] != paper] = -1
    return other


_PARTS = len(ZONES)
_KINDS = len(ZONES) + 1
"""Parts of a paper that a heading may be about, or none."""


def _within(*keys: Ints) -> tuple[Ints, Ints]:
    """Count for each element the equal ones before it, and all equal ones.

    >>> _within(np.array([5, 5, 7, 5]))
    (array([0, 1, 0, 2]), array([3, 3, 1, 3]))
    """
    groups = pd.Series(0, np.arange(len(keys[0]))).groupby(list(keys))
    return np.asarray(groups.cumcount()), np.asarray(groups.transform("size"))


def places(papers: Sequence[Paper], tokens: Tokens) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    """Return where the sentences are, how long they are and what they cite.

    Returns
    -------
    indicators : csr_matrix of float32, shape (sentences, indicators)
        One of each group of indicators is 1.
    measures : float32 array, shape (sentences, 8)
        Position in paper, part, paragraph and section (0 to 1), words, citations, length of the
        paragraph and of the paper; multiples of 2**-INPUT.
    """
    sentences = [s for paper in papers for s in paper.sentences]
    words, cited, figures = (
        np.bincount(tokens.sentence[kept], minlength=len(sentences))
        for kept in (~tokens.is_boundary, tokens.kinds == 1, tokens.kinds == 2)
    )
    few = np.minimum(cited, 4)
    paper = np.repeat(np.arange(len(papers)), [len(p) for p in papers])
    zone = np.array([ZONES.index(name) for p in papers for name in zones(p)])
    kind = np.array([_kind(s.heading) for s in sentences])
    in_paper, of_paper = _within(paper)
    in_zone, of_zone = _within(paper, zone)
    in_paragraph, of_paragraph = _within(paper, np.array([s.paragraph for s in sentences]))
    in_section, of_section = _within(paper, np.array([s.section for s in sentences]))
    left_in_zone = of_zone - 1 - in_zone
    groups = [  # of indicators: which is 1, and how many there are
        (zone, _PARTS),
        (kind, _KINDS),
        (zone * _KINDS + kind, _PARTS * _KINDS),
        (in_paper * 10 // of_paper, 10),
        (zone * 5 + in_zone * 5 // of_zone, _PARTS * 5),
        (zone * 5 + np.minimum(in_zone, 4), _PARTS * 5),
        (zone * 5 + np.minimum(left_in_zone, 4), _PARTS * 5),
        (np.minimum(in_paragraph, 3), 4),
        (np.minimum(of_paragraph - 1 - in_paragraph, 3), 4),
        (zone * 3 + np.minimum(in_paragraph, 2), _PARTS * 3),
        (np.minimum(in_section, 3), 4),
        (np.minimum(of_section - 1 - in_section, 3), 4),
        (np.minimum(words // 6, 11), 12),
        (few, 5),
        (zone * 5 + few, _PARTS * 5),
        (np.minimum(of_paragraph, 8), 9),
        (np.minimum(figures, 1), 2),
    ]
    measures = [
        in_paper / of_paper,
        in_zone / of_zone,
        in_paragraph / of_paragraph,
        in_section / of_section,
        np.minimum(words, 80) / 80,
        few / 4,
        np.minimum(of_paragraph, 10) / 10,
        of_paper / 300,
    ]
    on = on_grid(np.stack(measures, axis=1), INPUT)
    return _indicators(groups), on.astype(np.float32)


def _kind(heading: str) -> int:
    return ZONES.index(kind_of_heading(heading)[0]) if heading else _PARTS


def _indicators(groups: Sequence[tuple[Ints, int]]) -> sp.csr_matrix:
    """Put groups of indicators side by side."""
    columns = np.stack([which for which, _ in groups], axis=1)
    sizes = np.array([size for _, size in groups])
    flat = (columns + np.cumsum(sizes) - sizes).ravel()
    ends = np.arange(0, len(flat) + 1, len(groups))
    ones = np.ones(len(flat), np.float32)
    return sp.csr_matrix((ones, flat, ends), shape=(len(columns), sizes.sum()))
