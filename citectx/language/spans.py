"""Candidate spans: windows of consecutive sentences, and how those that overlap are merged.

>>> from citectx.corpora import Document
>>> from citectx.language.text import SentenceSplitter
>>> article = Document("ref", "Cells divide. They rest. They die.")
>>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
>>> [spans.text(i) for i in range(len(spans))]
['Cells divide.', 'Cells divide. They rest.', 'They rest.', 'They rest. They die.', 'They die.']
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from citectx.language.text import Sentences
from citectx.types import Floats, Ints, Span


@dataclass(frozen=True)
class Candidates:
    """Windows of one up to `max_sentences` consecutive sentences of one section.

    `first` and `last` are the numbers of their sentences, both inclusive, shape (n,).

    Source: naacl2015 §2.1 (one to five sentences). Ambiguity: the papers do not say whether a
    window may run from one section into the next. Ours does not.

    >>> from citectx.corpora import Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("ref", "Cells divide. They rest.")
    >>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
    >>> spans.chars.tolist(), spans.text(1)
    ([[0, 13], [0, 24], [14, 24]], 'Cells divide. They rest.')
    >>> spans.spans([2])
    [Span(start=14, end=24)]
    >>> spans.membership().toarray()
    array([[1., 0.],
           [1., 1.],
           [0., 1.]])
    >>> spans.add_up(np.array([3, 4]))  # of the two sentences
    array([3., 7., 4.])
    """

    sentences: Sentences
    first: Ints
    last: Ints

    @classmethod
    def of(cls, sentences: Sentences, max_sentences: int = 5) -> "Candidates":
        """Enumerate the windows in order of `first`, then `last`."""
        numbers = np.arange(len(sentences))
        runs = _runs(sentences)
        after = np.searchsorted(runs, runs, side="right")  # the first sentence after one's run
        # How many windows begin with each sentence: one for each sentence that may be the last.
        sizes = np.minimum(after - numbers, max_sentences)
        return cls(sentences, np.repeat(numbers, sizes), count_up(numbers, sizes))

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def chars(self) -> Ints:
        """Character offsets, shape (n, 2)."""
        starts, ends = np.array(self.sentences.spans, int).reshape(-1, 2).T
        return np.column_stack([starts[self.first], ends[self.last]])

    def spans(self, which: Sequence[int] | Ints) -> list[Span]:
        """Return the character spans of some candidates, in the order of `which`."""
        return [Span(start, end) for start, end in self.chars[which].tolist()]

    def text(self, which: int) -> str:
        """Return the text of one candidate."""
        start, end = self.chars[which]
        return self.sentences.document.text[start:end]

    def add_up(self, counts: Floats | Ints) -> Floats:
        """Add up numbers of sentences, shape (sentences,), over those of each span, shape (n,)."""
        before = np.concatenate([[0.0], np.cumsum(counts)])  # all sentences before each place
        return before[self.last + 1] - before[self.first]

    def membership(self) -> sp.csr_array:
        """Return which sentences make up which span: a 0/1 matrix, shape (n, sentences)."""
        sizes = self.last - self.first + 1
        columns = count_up(self.first, sizes)
        ends = np.cumsum([0, *sizes])  # where each span's columns end, as CSR has it
        shape = len(self), len(self.sentences)
        return sp.csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def count_up(starts: Ints, sizes: Ints) -> Ints:
    """Join runs of consecutive numbers, given by where they start and how long they are.

    >>> count_up(np.array([3, 7]), np.array([2, 3]))
    array([3, 4, 7, 8, 9])
    """
    before = np.cumsum(sizes) - sizes  # numbers of all earlier runs
    return np.arange(sizes.sum()) + np.repeat(starts - before, sizes)


def _runs(sentences: Sentences) -> Ints:
    """Number the runs of sentences that a window may not leave, shape (sentences,).

    A run ends with a section, at either end of a caption, and before a block that is not a
    candidate (such as a table), whose text would otherwise be inside the window.
    """
    place = {block: i for i, block in enumerate(sentences.document.blocks)}
    stretches = [(block.section, block.kind == "caption") for block in sentences.blocks]
    changes = [here != before for before, here in pairwise(stretches)]
    gaps = np.diff([place[block] for block in sentences.blocks]) > 1
    return np.cumsum([0, *np.logical_or(changes, gaps)])


def round_scores(scores: Floats) -> Floats:
    """Round scores to nine digits of the largest in their row, same shape.

    Scores that differ only in the last bits of a sum are ties, which the order of the article
    breaks, not the order in which a processor adds up.

    >>> round_scores(np.array([0.1 + 0.2, 0.3, -3.0, -np.inf])).tolist()
    [0.1, 0.1, -1.0, -inf]
    """
    sizes = np.abs(np.where(np.isfinite(scores), scores, 0.0))
    largest = sizes.max(axis=-1, keepdims=True, initial=0.0)
    return (scores / np.where(largest > 0, largest, 1.0)).round(9)


def best_first(scores: Floats, depth: int | None = None) -> Ints:
    """Return the candidates of each row by falling score, the earlier first if equal.

    Scores are equal if they are once `round_scores`. With `depth`, only so many are returned.

    >>> best_first(np.array([1.0, 3.0, 3.0, 2.0]))
    array([1, 2, 3, 0])
    >>> best_first(np.array([1.0, 3.0, 3.0, 2.0]), depth=2)
    array([1, 2])
    """
    # Score and place packed into one integer: a plain sort is five times faster than a stable
    # argsort.
    shares = np.clip(round_scores(scores), -2.0, 2.0)
    digits = np.rint(shares * -1e9)
    keys = digits.astype(int) << 32
    keys |= np.arange(scores.shape[-1])
    if depth is not None and depth < scores.shape[-1]:
        # No two keys are equal, so those of the first places are the same however they are found.
        keys = np.partition(keys, depth - 1, axis=-1)[..., :depth]
    keys.sort(axis=-1)
    return keys & 0xFFFFFFFF


def select(candidates: Candidates, scores: Floats, k: int, depth: int = 20) -> Ints:
    """Choose the k spans to return, best first; scores have the shape (n,).

    At least the `depth` best spans count as retrieved. The score of a span gains the scores of the
    retrieved spans that it contains, which are then dropped.

    Source: naacl2015 §2.4. Ambiguity: the paper does not say how many spans are retrieved before
    merging. The more there are, the longer the merged spans get. Sums of log likelihoods would
    punish long spans, so negative scores are first shifted: the lowest retrieved one becomes zero.

    >>> from citectx.corpora import Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("ref", "Cells divide. They rest. They die.")
    >>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
    >>> scores = np.array([0.5, 0.4, 0.0, 0.0, 0.6])
    >>> [spans.text(i) for i in select(spans, scores, k=2, depth=3)]
    ['Cells divide. They rest.', 'They die.']
    """
    (chosen,) = select_by_row(candidates, scores[None], k, depth)
    return chosen[chosen >= 0]


def select_by_row(candidates: Candidates, scores: Floats, k: int, depth: int = 20) -> Ints:
    """Choose as `select` does for each row of scores, shape (rows, n), all at once.

    The shape is (rows, k), or less if there are fewer candidates; −1 stands where a row has none
    left.

    >>> from citectx.corpora import Document
    >>> from citectx.language.text import SentenceSplitter
    >>> article = Document("ref", "Cells divide. They rest. They die.")
    >>> spans = Candidates.of(SentenceSplitter().sentences(article), max_sentences=2)
    >>> scores = np.array([[0.5, 0.4, 0.0, 0.0, 0.6], [0.0, 0.0, 0.0, 0.9, 0.1]])
    >>> select_by_row(spans, scores, k=2, depth=3)
    array([[1, 4],
           [3, 0]])
    """
    retrieved = best_first(scores, max(depth, k))  # (rows, retrieved)
    first = candidates.first[retrieved]
    last = candidates.last[retrieved]
    begins_before = first[:, :, None] <= first[:, None]
    ends_after = last[:, None] <= last[:, :, None]
    contains = begins_before & ends_after  # (rows, container, contained)
    itself = np.arange(retrieved.shape[1])
    contains[:, itself, itself] = False

    best = np.take_along_axis(scores, retrieved, axis=1)
    shifted = best - best.min(axis=1, keepdims=True, initial=0.0)  # the minimum is at most 0
    gained = shifted + (contains @ shifted[:, :, None])[:, :, 0]
    kept = ~contains.any(axis=1)
    order = best_first(np.where(kept, gained, -np.inf), k)
    chosen = np.take_along_axis(retrieved, order, axis=1)
    return np.where(np.take_along_axis(kept, order, axis=1), chosen, -1)
