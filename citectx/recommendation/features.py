"""What the CoreSC classifier sees of a sentence: its words, verbs and tense, its place, its
neighbours.

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
from array import array
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.corpora.coresc import MARK, Paper
from citectx.embeddings import open_vectors
from citectx.language.text import stop_words
from citectx.recommendation.networks import INPUT, Floats, Ints, on_grid
from citectx.recommendation.zones import ZONES, kind_of_heading, zones

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


class _Types(dict[str, int]):
    """Number the types of tokens as they come, with what is known of each in flat arrays.

    Numbers depend on what was seen before, so nothing may depend on their order.

    Parameters
    ----------
    words, prefixes, skeleton : array of uint64
        Hashes of the word, its first letters and its place in the skeleton (0: it has none).
    kinds : array of int8
        1 for a citation marker, 2 for a word such as "figure".
    rows : array of int64
        Row of the word among the vectors; 0 where they do not know it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words, self.prefixes, self.skeleton = array("Q"), array("Q"), array("Q")
        self.kinds, self.rows = array("b"), array("q")
        self["\n"]

    def __missing__(self, token: str) -> int:
        word = _normal(token)
        if word not in self:
            place = _place_in_skeleton(word)
            self[word] = len(self.words)
            self.words.append(zlib.crc32(word.encode()) | 1 << 32)
            self.prefixes.append(zlib.crc32(word[:LETTERS].encode()) | 1 << 34)
            self.skeleton.append(zlib.crc32(place.encode()) | 1 << 33 if place else 0)
            self.rows.append(_vectors()[0].get(word, 0))
            self.kinds.append(1 if word == MARK else 2 * (word in _FIGURES))
        self[token] = number = self[word]
        return number


def _normal(token: str) -> str:
    marks = len(token) > 1 and token[0] in "[("
    return MARK if marks else "#" if token[0].isdigit() else token.lower()


def _place_in_skeleton(word: str) -> str:
    if word == MARK or word in _FUNCTION or not word[0].isalpha():
        return word
    part = part_of_speech(word)
    return part if part[0] == "V" or part in ("MD", "RB") else ""


def part_of_speech(word: str) -> str:
    """Return the part of speech of a lower-case word without its context.

    >>> part_of_speech("stained"), part_of_speech("flavoprotein")
    ('VBN', 'NN')
    """
    from citectx.language.noun_phrases import taggers

    return str(taggers()[0].tag([word])[0][1])


@lru_cache(maxsize=1)
def _types() -> _Types:
    return _Types()


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


def tokens(papers: Sequence[Paper]) -> tuple[Ints, Ints]:
    """Number the tokens of all sentences; with a token 0 before and after each sentence.

    Returns
    -------
    types, rows : int arrays, shape (tokens,)
        Type of each token; the sentence that it belongs to.
    """
    table = _types()
    text = "".join(f"\n{s.text.replace(chr(10), ' ')}" for p in papers for s in p.sentences) + "\n"
    types = np.fromiter(map(table.__getitem__, _TOKEN.findall(text)), dtype=np.int64)
    return types, np.cumsum(types == 0) - 1


def bags(
    papers: Sequence[Paper],
    types: Ints,
    rows: Ints,
    prefix_weight: float = 1.0,
    heading_weight: float = 1.0,
    near_weights: Sequence[float] = (1.0,),
) -> sp.csr_matrix:
    """Hash what is in and around all sentences of all papers, given their `tokens`.

    Parameters
    ----------
    papers : sequence of Paper
    types, rows : int arrays, shape (tokens,)
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
    table, sizes = _types(), [len(p) for p in papers]
    n = sum(sizes)
    types, rows = types[:-1], rows[:-1]  # the last boundary begins no sentence
    words, skeleton, prefixes = (
        np.frombuffer(hashes, np.uint64)[types]
        for hashes in (table.words, table.skeleton, table.prefixes)
    )
    kept = skeleton > 0
    own = _ngrams(words, rows, WORDS) + _ngrams(skeleton[kept], rows[kept], SKELETON)
    blocks = [
        _bag(own, n, BITS),
        _bag(_ngrams(prefixes, rows, PREFIXES), n, BITS, prefix_weight),
        _headings(papers, heading_weight),
    ]
    for distance, weight in enumerate(near_weights, start=1):
        for sign in (-1, 1):
            reader = neighbour_rows(sizes, -sign * distance)[rows]
            seen = reader >= 0
            blocks.append(_bag([(_mixed(words[seen]), reader[seen])], n, NEAR_BITS, weight))
    return sp.csr_matrix(sp.hstack(blocks))


def _bag(
    parts: Sequence[tuple[Hashes, Ints]], n: int, bits: int, weight: float = 1.0
) -> sp.csr_matrix:
    columns = np.concatenate([_mixed(h) >> np.uint64(64 - bits) for h, _ in parts]).astype(np.int32)
    where = np.concatenate([r for _, r in parts]).astype(np.int32)
    matrix = sp.coo_matrix(
        (np.ones(len(columns), np.float32), (where, columns)), (n, 1 << bits)
    ).tocsr()
    counts = np.diff(matrix.indptr)
    matrix.data = np.repeat(weight / np.sqrt(np.maximum(counts, 1)), counts).astype(np.float32)
    return matrix


def meanings(types: Ints, rows: Ints) -> Floats:
    """Return the mean of the vectors of each sentence's words, brought to length 1, of each of
    `VECTORS`.

    A word weighs the logarithm of its rank among the vectors' words, which are sorted by frequency.

    Returns
    -------
    float array, shape (sentences, dimensions of all `VECTORS`)
        Multiples of 2**-INPUT; zeros where the vectors know no word.
    """
    _, widths, matrix = _vectors()
    words = np.frombuffer(_types().rows, np.int64)[types[:-1]]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(rows[:-1]))])
    sums = (
        sp.csr_matrix((np.ones(len(words)), words, bounds), (len(bounds) - 1, len(matrix))) @ matrix
    )
    blocks = np.split(sums, np.cumsum(widths)[:-1], axis=1)
    return on_grid(np.hstack([_unit(block) for block in blocks]), INPUT)


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


@lru_cache(maxsize=1)
def _vectors() -> tuple[dict[str, int], list[int], Floats]:
    """Return each word's row, the dimensions of each of `VECTORS`, and rows weighted; row 0 is
    zeros.
    """
    opened = [open_vectors(name) for name in VECTORS]
    number = {
        word: i for i, word in enumerate(dict.fromkeys(w for v in opened for w in v.index), start=1)
    }
    blocks = []
    for vectors in opened:
        block = np.zeros((len(number) + 1, vectors.dimensions))
        weights = on_grid(np.log(np.arange(len(vectors.index)) + 3.0), 8)
        unit = on_grid(_unit(vectors.matrix.astype(np.float64)), 10)
        block[[number[word] for word in vectors.index]] = weights[:, None] * unit
        blocks.append(block)
    return number, [v.dimensions for v in opened], np.hstack(blocks)


def _headings(papers: Sequence[Paper], weight: float) -> sp.csr_matrix:
    """Hash each different heading once."""
    names, of_sentence = np.unique(
        [s.heading for p in papers for s in p.sentences], return_inverse=True
    )
    words = [re.findall(r"[^\W\d_]+", name.lower()) for name in names.tolist()]
    hashes = np.array([zlib.crc32(w.encode()) for own in words for w in own], dtype=np.uint64)
    rows = np.repeat(np.arange(len(names)), [len(own) for own in words])
    return _bag(_ngrams(hashes, rows, 2), len(names), HEADING_BITS, weight)[of_sentence]


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


_Z, _K = len(ZONES), len(ZONES) + 1
_SIZES = (_Z, _K, _Z * _K, 10, _Z * 5, _Z * 5, _Z * 5, 4, 4, _Z * 3, 4, 4, 12, 5, _Z * 5, 9, 2)


def _within(*keys: Ints) -> tuple[Ints, Ints]:
    """Count for each element the equal ones before it, and all equal ones.

    >>> _within(np.array([5, 5, 7, 5]))
    (array([0, 1, 0, 2]), array([3, 3, 1, 3]))
    """
    groups = pd.Series(0, np.arange(len(keys[0]))).groupby(list(keys))
    return np.asarray(groups.cumcount()), np.asarray(groups.transform("size"))


def places(
    papers: Sequence[Paper], types: Ints, rows: Ints
) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    """Return where the sentences are, how long they are, what they cite, given their `tokens`.

    Returns
    -------
    indicators : csr_matrix of float32, shape (sentences, indicators)
        One of each group of indicators is 1.
    measures : float32 array, shape (sentences, 8)
        Position in paper, part, paragraph and section (0 to 1), words, citations, length of the
        paragraph and of the paper; multiples of 2**-INPUT.
    """
    sentences = [s for p in papers for s in p.sentences]
    n, own = len(sentences), rows[:-1]
    kinds = np.frombuffer(_types().kinds, np.int8)[types[:-1]]
    words, cited, figures = (
        np.bincount(own[kept], minlength=n) for kept in (types[:-1] > 0, kinds == 1, kinds == 2)
    )
    paper = np.repeat(np.arange(len(papers)), [len(p) for p in papers])
    zone = np.array([ZONES.index(z) for p in papers for z in zones(p)])
    kind = np.array(
        [ZONES.index(kind_of_heading(s.heading)[0]) if s.heading else _Z for s in sentences]
    )
    (in_paper, of_paper), (in_zone, of_zone) = _within(paper), _within(paper, zone)
    in_paragraph, of_paragraph = _within(paper, np.array([s.paragraph for s in sentences]))
    in_section, of_section = _within(paper, np.array([s.section for s in sentences]))
    few = np.minimum(cited, 4)
    columns = (
        *(zone, kind, zone * _K + kind, in_paper * 10 // of_paper),
        zone * 5 + in_zone * 5 // of_zone,
        *(zone * 5 + np.minimum(in_zone, 4), zone * 5 + np.minimum(of_zone - 1 - in_zone, 4)),
        *(np.minimum(in_paragraph, 3), np.minimum(of_paragraph - 1 - in_paragraph, 3)),
        zone * 3 + np.minimum(in_paragraph, 2),
        *(np.minimum(in_section, 3), np.minimum(of_section - 1 - in_section, 3)),
        *(np.minimum(words // 6, 11), few, zone * 5 + few),
        *(np.minimum(of_paragraph, 8), np.minimum(figures, 1)),
    )
    measures = (
        *(
            in_paper / of_paper,
            in_zone / of_zone,
            in_paragraph / of_paragraph,
            in_section / of_section,
        ),
        *(np.minimum(words, 80) / 80, few / 4, np.minimum(of_paragraph, 10) / 10, of_paper / 300),
    )
    flat = (np.stack(columns, axis=1) + np.cumsum([0, *_SIZES[:-1]])).ravel()
    indptr = np.arange(0, len(flat) + 1, len(_SIZES))
    indicators = sp.csr_matrix(
        (np.ones(len(flat), np.float32), flat, indptr), shape=(n, sum(_SIZES))
    )
    return indicators, on_grid(np.stack(measures, axis=1), INPUT).astype(np.float32)
