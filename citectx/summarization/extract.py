"""The best extract of a text, near enough: what no summary made of its sentences can be above."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from citectx.evaluation.rouge import Line, common, words_of
from citectx.types import Floats


def greedy_extract(
    reference: Sequence[str], sentences: Sequence[str], costs: Floats
) -> Iterator[int]:
    """Yield sentences by their gain in ROUGE-1 and ROUGE-L recall per cost, the highest first.

    This is the usual approximation of the best extract, which is NP-hard to find.

    >>> list(greedy_extract(["the cells rest"], ["they die", "the cells", "rest now"], np.ones(3)))
    [1, 2, 0]
    """
    lines = [words_of(line) for line in reference]
    split = [words_of(sentence) for sentence in sentences]
    terms, term_of_word = np.unique([*chain.from_iterable(lines)], return_inverse=True)
    is_term = np.eye(len(terms))[term_of_word]  # (words of the reference, terms)
    in_reference = is_term.sum(axis=0)  # (terms,): how often each is there
    in_sentence = np.array([[words.count(term) for term in terms] for words in split])
    on_path = np.array([mark(lines, words) for words in split])  # (sentences, words)

    # What the extract has so far: its counts of terms, and the words of the reference that it
    # follows.
    counts = np.zeros(len(terms))
    path = np.zeros(len(term_of_word))
    hits = 0.0
    left = np.ones(len(costs), bool)
    while left.any():
        # Each row is the extract with another sentence. A word of the reference counts for ROUGE-1
        # as often as the extract has it, for ROUGE-L only if it is on the path, too.
        held = counts + in_sentence  # (sentences, terms)
        followed = np.maximum(path, on_path) @ is_term  # (sentences, terms)
        unigrams = np.minimum(held, in_reference).sum(axis=1)
        in_order = np.minimum(held, followed).sum(axis=1)
        totals = unigrams + in_order  # (sentences,)
        gains = np.where(left, (totals - hits) / costs, -np.inf)
        best = int(np.argmax(gains.round(9)))  # of sums that differ by rounding the first
        yield best
        left[best] = False
        counts += in_sentence[best]
        path = np.maximum(path, on_path[best])
        hits = totals[best]


def mark(lines: Sequence[Line], other: Line) -> list[float]:
    """Mark with 1 the words of lines that are on their `common` subsequence with another line."""
    marks: list[float] = []
    for line in lines:
        path = common(line, other)
        marks += [float(i in path) for i in range(len(line))]
    return marks
