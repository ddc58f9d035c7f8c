r"""What ROUGE counts: the words of a text, the n-grams and the longest common subsequences of two texts.

Everything here is defined by what the Perl script ROUGE 1.5.5 does, and its counts are checked against that
script's. Words are those of `rouge_score.tokenize`: runs of a-z and 0-9 once A-Z are lowered, so "TGF-β1" is
the two words "tgf" and "1".

>>> read("Cells divide.\nThe TGF-β1 cells rest.").lines
(('cells', 'divide'), ('the', 'tgf', '1', 'cells', 'rest'))
"""

import re
from collections import Counter
from collections.abc import Hashable
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from rouge_score.tokenize import tokenize

from citectx.evaluation.offsets import Scores

_BETWEEN_SPACES = re.compile(r"\S+", re.ASCII)


class Counts(NamedTuple):
    """Matches between a candidate and a reference, and how many there could have been on either side.

    >>> Counts(hits=1, candidate=4, reference=2).scores()
    Scores(precision=0.25, recall=0.5, f1=0.3333333333333333)
    """

    hits: int
    candidate: int
    reference: int

    def scores(self) -> Scores:
        """Return precision, recall and F1, each 0 where nothing could match."""
        precision, recall = self.hits / max(self.candidate, 1), self.hits / max(self.reference, 1)
        f1 = 2 * precision * recall / (precision + recall) if self.hits else 0.0
        return Scores(precision, recall, f1)


class Words:
    """A text as ROUGE sees it; what is counted of it is counted once.

    Parameters
    ----------
    lines : tuple of tuple of str
        The words of each line, stemmed or not.
    """

    def __init__(self, lines: tuple[tuple[str, ...], ...]):
        self.lines = lines
        self.words = tuple(chain.from_iterable(lines))
        self._ngrams: dict[int, Counter[Hashable]] = {}

    def ngrams(self, n: int) -> Counter[Hashable]:
        """Count the runs of n words, across the ends of lines."""
        if n not in self._ngrams:
            runs = self.words if n == 1 else zip(*(self.words[i:] for i in range(n)), strict=False)
            self._ngrams[n] = Counter(runs)
        return self._ngrams[n]

    @cached_property
    def places(self) -> list[tuple[int, dict[str, int]]]:
        """Return each line's length, and for each of its words its places, as bits."""
        return [(len(line), _bits(line)) for line in self.lines if line]


def _bits(line: tuple[str, ...]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, word in enumerate(line):
        bits[word] = bits.get(word, 0) | 1 << place
    return bits


@lru_cache(maxsize=1024)
def read(text: str, stem: bool = False) -> Words:
    """Cut a text into the words of its lines; remembers texts, since every system meets the same references.

    Parameters
    ----------
    text : str
    stem : bool
        Reduce words of more than three letters by Porter's stemmer, with its author's later changes; of
        NLTK's three it is the nearest to Perl's.
    """
    return Words(tuple(_words(line, stem) for line in text.split("\n")))


@lru_cache(maxsize=100_000)
def _words(line: str, stem: bool) -> tuple[str, ...]:
    """Cut a line, which summaries of the same sentences share."""
    plain = line.encode("ascii", "replace").decode()  # as Perl does, no word begins with what "İ" lowers to
    return tuple(tokenize(plain, _Stemmer if stem else None))


def cut(text: str, words: int) -> str:
    r"""Keep the first words of a text, counted as Perl does for ``-l``.

    Words are between white space, before punctuation is dropped: "TGF-β1," is one of them. (White space
    before a line counts as a word in Perl, not here.)

    >>> cut("end-to-end, a\nb c", 3)
    'end-to-end, a\nb'
    """
    lines = []
    for line in text.split("\n"):
        kept = _BETWEEN_SPACES.findall(line)[:words]
        words -= len(kept)
        lines.append(" ".join(kept))
    return "\n".join(lines)


class _Stemmer:
    """What `rouge_score.tokenize` asks to stem a word."""

    @staticmethod
    @lru_cache(maxsize=100_000)
    def stem(word: str) -> str:
        return str(_porter().stem(word))


@lru_cache(maxsize=1)
def _porter() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)


def ngram_counts(candidate: Words, reference: Words, n: int) -> Counts:
    """Count the n-grams that two texts share, each as often as the text with fewer of it has it.

    >>> ngram_counts(read("the the cell divides now"), read("the cell rests"), 2)
    Counts(hits=1, candidate=4, reference=2)
    """
    found, expected = candidate.ngrams(n), reference.ngrams(n)
    hits = sum([min(found[gram], expected[gram]) for gram in found.keys() & expected.keys()])
    sizes = (max(len(text.words) - n + 1, 0) for text in (candidate, reference))
    return Counts(hits, *sizes)


def lcs_counts(candidate: Words, reference: Words) -> Counts:
    r"""Count the words of a reference that lie on longest common subsequences with lines of the candidate.

    For each line of the reference the subsequences with all lines of the candidate are united; a word counts
    at most as often as the candidate has it.

    >>> lcs_counts(read("red cells use oxygen\nred blood flows"), read("red blood cells carry oxygen"))
    Counts(hits=4, candidate=7, reference=5)
    """
    left = dict(candidate.ngrams(1))
    hits = 0
    for line in reference.lines:
        union = set().union(*(common(line, length, places) for length, places in candidate.places))
        for i in sorted(union):
            if left[line[i]] > 0:
                left[line[i]] -= 1
                hits += 1
    return Counts(hits, len(candidate.words), len(reference.words))


def common(line: tuple[str, ...], length: int, places: dict[str, int]) -> list[int]:
    """Return the indices of a line's words on one longest common subsequence with another line.

    Row i of the usual table of lengths is kept as one integer, whose bit j is 0 where the length grows from
    column j to j + 1 (Hyyrö 2004). Of several longest subsequences it takes the one that Perl takes: going
    back from the end, past the last word of the reference unless only the other way keeps the length.
    """
    indices = [i for i, word in enumerate(line) if word in places]
    rows = [(1 << length) - 1]
    for i in indices:
        row = rows[-1]
        matches = row & places[line[i]]
        rows.append(((row + matches) | (row - matches)) & rows[0])
    common, i, j = [], len(indices), length
    while i and j:
        if places[line[indices[i - 1]]] >> (j - 1) & 1:
            common.append(indices[i - 1])
            i, j = i - 1, j - 1
        # Ones are what a length lacks to its column: length(i, j - 1) > length(i - 1, j), said in ones.
        elif _ones(rows[i - 1], j) > _ones(rows[i], j - 1) + 1:
            j -= 1
        else:
            i -= 1
    return common


def _ones(row: int, columns: int) -> int:
    return (row & ((1 << columns) - 1)).bit_count()
