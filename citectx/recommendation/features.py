"""What the CoreSC classifier sees of a sentence: its words, verbs and tense, its place, its neighbours.

Everything is numbers in arrays: a token is looked up once in a table of types, n-grams are hashed in bulk, so
that a collection of 600,000 sentences takes minutes.

Ambiguity: SAPIENTA's features include grammatical relations and verb classes from a parser, which lrec2016
does not describe. Ours are n-grams of a *skeleton* of the sentence that keeps function words, and of the
verbs only their part of speech ("we VBD that", "was VBN by"): it tells tense, voice and person, and it means
the same in chemistry and in medicine. Parts of speech are those of the word by itself, from our own tagger,
which is fast but misses verbs that stand like nouns ("found", "shows"); these count as words only.
"""

import re
import zlib
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from citectx.corpora.coresc import MARK, Paper
from citectx.embeddings import open_vectors, unit_rows

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

BITS = 20
"""N-grams are hashed to so many bits."""

WORDS, SKELETON, PREFIXES = 2, 4, 2
"""Longest n-grams of words, of the skeleton, and of words cut to their first letters."""

LETTERS = 5
"""So many letters of a word are kept where endings shall not count."""

NEAR_BITS, HEADING_BITS = 16, 14
"""Single words of neighbouring sentences, and of headings, are hashed to so many bits."""

VECTORS = ("biomedical-small", "general-small")
"""The vectors that come with the repository; they know words that no labelled sentence has."""

ZONES = (
    "title",
    "abstract",
    "introduction",
    "theory",
    "methods",
    "results",
    "results and discussion",
    "discussion",
    "conclusion",
    "other",
)
"""Parts of a paper that headings are sorted into."""

_KINDS = {
    "abstract": r"^abstract",
    "introduction": r"introduction|background|\baims?\b|objectives?|purpose|rationale|context",
    "results and discussion": r"results?\b.*\b(discussion|analysis)",
    "results": r"results?\b|findings",
    "methods": r"experiment|method|material|procedure|(calculat|computation)\w* details|apparatus|patients"
    r"|subjects|design|statistic|setting",
    "discussion": r"discussion|interpretation",
    "conclusion": r"conclu|summary|outlook|perspective|remarks|implications|significance",
    "theory": r"theor|model|formulation|simulation",
}
_KIND = {name: re.compile(pattern) for name, pattern in _KINDS.items()}
_OPENS = re.compile(
    r"introduction|background|experiment(s|al)?( section| details| procedures?| part| methods?)?"
    r"|((computational|theoretical|numerical|general|calculation|online) )?(methods?|details|methodology)"
    r"|(materials?|patients|subjects|methods) and (methods|materials)"
    r"|((experimental|computational|numerical) )?results?( and (discussions?|analysis)| discussion)?"
    r"|discussions?|(summary|conclusions?|discussion)( and \w+)?|concluding remarks"
    r"|theory|theoretical background|model"
)
"""Headings that open a part; others stand inside the part that was open before."""

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

_FUNCTION = frozenset(
    "a an the this that these those it its we our us they their he i in of on at by for from to with "
    "without into between among as than then thus therefore hence however although though because since "
    "whereas while when where which who whose if whether not no nor and or but also only very more most "
    "less both either each all any some such same other another here there have has had be been being is "
    "are was were am do does did done may might can could should would will must shall about above after "
    "before during through via using used per over under against according due respectively further "
    "furthermore moreover addition finally first second previously recently similarly example fig figs "
    "figure table eq ref scheme see shown".split()
)


_PIECE = re.compile(r"[^\W\d_]+")


class _Types(dict[str, int]):
    """Numbers types of tokens as they come; keeps hashes of word and skeleton (0: not in it), and vectors.

    All lies in flat arrays that numpy reads in place: 3,000 articles have some 200,000 types. Numbers hang on
    what was seen before, so nothing may hang on their order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = array("Q")
        self.prefixes = array("Q")
        self.skeleton = array("Q")
        self.kinds = array("b")
        self.meanings = [array("q") for _ in VECTORS]
        self.ends = [array("q") for _ in VECTORS]
        self["\n"]

    def __missing__(self, token: str) -> int:
        word = _normal(token)
        if word not in self:
            self._add(word)
        self[token] = number = self[word]
        return number

    def _add(self, word: str) -> None:
        place = _place_in_skeleton(word)
        self[word] = len(self.words)
        self.words.append(zlib.crc32(word.encode()) | 1 << 32)
        self.prefixes.append(zlib.crc32(word[:LETTERS].encode()) | 1 << 34)
        self.skeleton.append(zlib.crc32(place.encode()) | 1 << 33 if place else 0)
        pieces = _PIECE.findall(word)
        for meanings, ends, (rows, _) in zip(self.meanings, self.ends, _vectors(), strict=True):
            meanings.extend(rows[p] for p in pieces if p in rows)
            ends.append(len(meanings))
        self.kinds.append(
            1 if word == MARK else 2 if word in ("fig", "figs", "figure", "table", "scheme") else 0
        )


def _normal(token: str) -> str:
    if len(token) > 1 and token[0] in "[(":
        return MARK
    return "#" if token[0].isdigit() else token.lower()


def _place_in_skeleton(word: str) -> str:
    if word == MARK or word in _FUNCTION or not word[0].isalpha():
        return word
    part = part_of_speech(word)
    return part if part[0] == "V" or part in ("MD", "RB") else ""


def part_of_speech(word: str) -> str:
    """Return the part of speech of a lower-case word by itself.

    The tagger sees a word, its first letter and its last three. Of a word that it does not know the letters
    alone count, so it need not be asked again for each of the many names in biology.

    >>> part_of_speech("stained"), part_of_speech("flavoprotein")
    ('VBN', 'NN')
    """
    tagger = _tagger()
    weights = tagger.model.weights
    known = (
        word in tagger.tagdict or f"i word {word}" in weights or f"i-1 tag+i word -START- {word}" in weights
    )
    return (
        _part_of(word)
        if known
        else _part_of_shape(word[0], word[-3:], "-" in word, word if len(word) < 3 else "")
    )


def _part_of(word: str) -> str:
    return str(_tagger().tag([word])[0][1])


@lru_cache(maxsize=1 << 16)
def _part_of_shape(first: str, last: str, hyphen: bool, short: str) -> str:
    """Ask about an unknown word that looks alike: the middle does not matter."""
    return _part_of(short or first + ("-" if hyphen else "") + "\0" + last)


@lru_cache(maxsize=1)
def _tagger() -> Any:
    from citectx.language.noun_phrases import open_model

    return open_model().parts_of_speech


@lru_cache(maxsize=1)
def _types() -> _Types:
    return _Types()


_ODD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xBF58476D1CE4E5B9)


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits (the steps of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(31))) * _ODD
    return (hashes ^ (hashes >> np.uint64(29))) * _OTHER


def _ngrams(hashes: NDArray[np.uint64], rows: Ints, longest: int) -> list[tuple[NDArray[np.uint64], Ints]]:
    """Hash all n-grams that stay inside a sentence; gives hashes and rows for each n."""
    current = _mixed(hashes)
    found = [(current, rows)]
    for n in range(1, min(longest, len(hashes))):
        current = _mixed(current[:-1] * np.uint64(3) + hashes[n:])
        whole = rows[:-n] == rows[n:]
        found.append((current[whole], rows[:-n][whole]))
    return found


def tokens(papers: Sequence[Paper]) -> tuple[Ints, Ints]:
    """Number the tokens of all sentences; a token 0 stands before and behind each sentence's.

    Returns
    -------
    types, rows : int arrays, shape (tokens,)
        Type of each token; the sentence that it belongs to.
    """
    table = _types()
    text = "".join(f"\n{s.text.replace(chr(10), ' ')}" for p in papers for s in p.sentences) + "\n"
    types = np.fromiter(map(table.__getitem__, _TOKEN.findall(text)), dtype=np.int64)
    return types, np.cumsum(types == 0) - 1


class Bags(NamedTuple):
    """What stands in each sentence, hashed: csr matrices of float32, a row a sentence.

    What occurs has the weight ``1 / sqrt(number of different ones)``, so that rows have length 1.

    Parameters
    ----------
    ngrams : csr_matrix, shape (sentences, 2**BITS)
        N-grams of words and of the skeleton.
    prefixes : csr_matrix, shape (sentences, 2**BITS)
        N-grams of words cut to their first letters.
    words : csr_matrix, shape (sentences, 2**NEAR_BITS)
        Single words: what a sentence's neighbours are told of it.
    headings : csr_matrix, shape (sentences, 2**HEADING_BITS)
        Words and pairs of words of the section's heading.
    """

    ngrams: sp.csr_matrix
    prefixes: sp.csr_matrix
    words: sp.csr_matrix
    headings: sp.csr_matrix


def bags(papers: Sequence[Paper], types: Ints, rows: Ints) -> Bags:
    """Hash what stands in all sentences of all papers, given their `tokens`."""
    table = _types()
    types, rows = types[:-1], rows[:-1]  # the last boundary begins no sentence
    n = sum(map(len, papers))
    words, skeleton, prefixes = (
        np.frombuffer(hashes, np.uint64)[types] for hashes in (table.words, table.skeleton, table.prefixes)
    )
    kept = skeleton > 0
    parts = _ngrams(words, rows, WORDS)
    return Bags(
        _bag(parts + _ngrams(skeleton[kept], rows[kept], SKELETON), n, BITS),
        _bag(_ngrams(prefixes, rows, PREFIXES), n, BITS),
        _bag(parts[:1], n, NEAR_BITS),
        _headings(papers),
    )


def _bag(parts: Sequence[tuple[NDArray[np.uint64], Ints]], n: int, bits: int) -> sp.csr_matrix:
    columns = np.concatenate([_mixed(h) >> np.uint64(64 - bits) for h, _ in parts]).astype(np.int32)
    where = np.concatenate([r for _, r in parts]).astype(np.int32)
    matrix = sp.coo_matrix((np.ones(len(columns), np.float32), (where, columns)), (n, 1 << bits)).tocsr()
    matrix.sum_duplicates()
    counts = np.diff(matrix.indptr)
    matrix.data = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts).astype(np.float32)
    return matrix


def meanings(types: Ints, rows: Ints) -> Floats:
    """Return the mean of the vectors of each sentence's words, brought to length 1, of each of `VECTORS`.

    A word weighs the logarithm of its rank among the vectors' words, which are sorted by frequency.

    Returns
    -------
    float32 array, shape (sentences, dimensions of all `VECTORS`)
        Zeros where the vectors know no word.
    """
    used, of_token = np.unique(types[:-1], return_inverse=True)
    ones = np.ones(len(of_token), dtype=np.float32)
    counts = sp.csr_matrix(
        (ones, of_token, _bounds(np.bincount(rows[:-1])))
    )  # adds up in the order of the text
    table = _types()
    blocks = []
    for meanings, ends, (_, matrix) in zip(table.meanings, table.ends, _vectors(), strict=True):
        bounds = np.concatenate([[0], np.frombuffer(ends, np.int64)])
        starts, sizes = bounds[used], np.diff(bounds)[used]
        indptr = _bounds(sizes)
        places = np.repeat(starts - indptr[:-1], sizes) + np.arange(indptr[-1])
        indices = np.array(meanings, dtype=np.int64)[places]
        data = np.log(indices + 3.0).astype(np.float32)
        weights = sp.csr_matrix((data, indices, indptr), shape=(len(used), len(matrix)))
        blocks.append(unit_rows(counts @ (weights @ matrix)))
    return np.hstack(blocks)


def _bounds(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)])


@lru_cache(maxsize=1)
def _vectors() -> list[tuple[Mapping[str, int], Floats]]:
    """For each of `VECTORS` the number of each word, and a row of length 1 for it."""
    return [(vectors.index, unit_rows(vectors.matrix)) for vectors in map(open_vectors, VECTORS)]


def _headings(papers: Sequence[Paper]) -> sp.csr_matrix:
    """Hash each different heading once."""
    names, of_sentence = np.unique([s.heading for p in papers for s in p.sentences], return_inverse=True)
    words = [re.findall(r"[^\W\d_]+", name.lower()) for name in names.tolist()]
    hashes = np.array([zlib.crc32(w.encode()) for own in words for w in own], dtype=np.uint64)
    rows = np.repeat(np.arange(len(names)), [len(own) for own in words])
    return _bag(_ngrams(hashes, rows, 2), len(names), HEADING_BITS)[of_sentence]


def neighbour_rows(papers: Sequence[Paper], distance: int) -> Ints:
    """Return for each sentence the row of the one so far behind it in the same paper, else -1.

    >>> from citectx.corpora.coresc import Sentence
    >>> neighbour_rows([Paper("a", (Sentence("One."), Sentence("Two.")))] * 2, 1)
    array([ 1, -1,  3, -1])
    """
    paper = np.repeat(np.arange(len(papers)), [len(p) for p in papers])
    other = np.arange(len(paper)) + distance
    other[(other < 0) | (other >= len(paper))] = -1
    other[paper[other] != paper] = -1
    return other


def neighbours(words: sp.csr_matrix, papers: Sequence[Paper], weights: Sequence[float]) -> sp.csr_matrix:
    """Set the words of the sentences before and behind beside each other.

    Parameters
    ----------
    words : csr_matrix, shape (sentences, words)
    papers : sequence of Paper
    weights : sequence of float
        Of the sentences at the distance 1, 2, ...

    Returns
    -------
    csr_matrix of float32, shape (sentences, 2 * len(weights) * words)
    """
    n = words.shape[0]
    padded = sp.csr_matrix((words.data, words.indices, [*words.indptr, words.nnz]), (n + 1, words.shape[1]))
    blocks = [
        padded[neighbour_rows(papers, sign * distance)] * np.float32(weight)
        for distance, weight in enumerate(weights, start=1)
        for sign in (-1, 1)
    ]
    return sp.csr_matrix(sp.hstack(blocks))


@lru_cache(maxsize=1 << 16)
def kind_of_heading(heading: str) -> tuple[str, bool]:
    """Tell which part of a paper a heading speaks of, and whether it opens that part.

    >>> kind_of_heading("2. Materials & Methods"), kind_of_heading("Statistical analysis")
    (('methods', True), ('methods', False))
    >>> kind_of_heading("Forces at thermal equilibrium")
    ('other', False)
    """
    name = " ".join(re.findall(r"[^\W\d_]+", heading.replace("&", " and ").lower()))
    kind = next((kind for kind, pattern in _KIND.items() if pattern.search(name)), "other")
    return kind, _OPENS.fullmatch(name) is not None


def zones(paper: Paper) -> list[str]:
    """Tell for each sentence which part of the paper it stands in, one of `ZONES`.

    Only some headings open a part; the others are taken for subsections of the part before, or for a part
    "other" behind the introduction. Body text before any heading is introduction.
    """
    found: list[str] = []
    zone, heading = "introduction", ""
    for sentence in paper.sentences:
        if sentence.zone in ("title", "abstract"):
            found.append(sentence.zone)
            continue
        if sentence.heading != heading and sentence.heading:
            kind, opens = kind_of_heading(sentence.heading)
            if opens:
                zone = kind
            elif zone in ("introduction", "other"):
                zone = kind if kind in ZONES[2:] else "other"
        heading = sentence.heading
        found.append(zone)
    return found


def _within(keys: Ints) -> tuple[Ints, Ints]:
    """Count for each element the equal ones before it, and all equal ones.

    >>> _within(np.array([5, 5, 7, 5]))
    (array([0, 1, 0, 2]), array([3, 3, 1, 3]))
    """
    _, inverse, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    rank = np.empty(len(keys), dtype=np.int64)
    rank[order] = np.arange(len(keys)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rank, sizes[inverse]


def places(papers: Sequence[Paper], types: Ints, rows: Ints) -> tuple[sp.csr_matrix, Floats]:
    """Where the sentences stand, how long they are, what they cite, given their `tokens`.

    Returns
    -------
    indicators : csr_matrix of float32, shape (sentences, indicators)
        The first `COARSE` of them are the part of the paper and the kind of heading.
    measures : float32 array, shape (sentences, 8)
        Position in paper, part, paragraph and section (0 to 1), words, citations, length of the paragraph and
        of the paper.
    """
    kinds = np.frombuffer(_types().kinds, np.int8)[types[:-1]]
    n = sum(map(len, papers))
    words = np.bincount(rows[:-1], minlength=n) - 1
    cited = np.bincount(rows[:-1][kinds == 1], minlength=n)
    figures = np.bincount(rows[:-1][kinds == 2], minlength=n)
    columns, measures, first = [], [], 0
    for paper in papers:
        own = slice(first, first + len(paper))
        each = _placed(paper, words[own], cited[own], figures[own])
        columns.append(each[0])
        measures.append(each[1])
        first = own.stop
    offsets = np.cumsum([0, *_SIZES[:-1]])
    flat = (np.concatenate(columns) + offsets).ravel().astype(np.int32)
    indptr = np.arange(0, len(flat) + 1, len(_SIZES), dtype=np.int32)
    values = np.ones(len(flat), dtype=np.float32)
    return sp.csr_matrix((values, flat, indptr), shape=(n, sum(_SIZES))), np.concatenate(measures)


_Z, _K = len(ZONES), len(ZONES) + 1
COARSE = _Z + _K
_SIZES = (_Z, _K, _Z * _K, 10, _Z * 5, _Z * 5, _Z * 5, 4, 4, _Z * 3, 4, 4, 12, 5, _Z * 5, 9, 2)


def _placed(paper: Paper, words: Ints, cited: Ints, figures: Ints) -> tuple[Ints, Floats]:
    """Return one column for each group of indicators, and the measures."""
    zone = np.array([ZONES.index(z) for z in zones(paper)])
    heads = [s.heading and kind_of_heading(s.heading)[0] for s in paper.sentences]
    kind = np.array([ZONES.index(h) if h else _Z for h in heads])
    n, i = len(paper), np.arange(len(paper))
    in_zone, of_zone = _within(zone)
    in_paragraph, of_paragraph = _within(np.array([s.paragraph for s in paper.sentences]))
    in_section, of_section = _within(np.array([s.section for s in paper.sentences]))
    few = np.minimum(cited, 4)
    columns = (
        *(zone, kind, zone * _K + kind, i * 10 // n),
        zone * 5 + in_zone * 5 // of_zone,
        zone * 5 + np.minimum(in_zone, 4),
        zone * 5 + np.minimum(of_zone - 1 - in_zone, 4),
        *(np.minimum(in_paragraph, 3), np.minimum(of_paragraph - 1 - in_paragraph, 3)),
        zone * 3 + np.minimum(in_paragraph, 2),
        *(np.minimum(in_section, 3), np.minimum(of_section - 1 - in_section, 3)),
        *(np.minimum(words // 6, 11), few, zone * 5 + few),
        *(np.minimum(of_paragraph, 8), np.minimum(figures, 1)),
    )
    measures = (
        *(i / n, in_zone / of_zone, in_paragraph / of_paragraph, in_section / of_section),
        *(np.minimum(words, 80) / 80, few / 4, np.minimum(of_paragraph, 10) / 10, np.full(n, n / 300)),
    )
    return np.stack(columns, axis=1), np.stack(measures, axis=1).astype(np.float32)
