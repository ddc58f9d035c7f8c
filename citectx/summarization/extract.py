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
    words = list(chain.from_iterable(lines))
    terms, term = np.unique(words, return_inverse=True)
    is_term = np.eye(len(terms))[term]  # (words, terms)
    split = [words_of(sentence) for sentence in sentences]
    in_reference = is_term.sum(axis=0)
    counts = np.array([[sentence.count(term) for term in terms] for sentence in split])
    paths = np.array([mark(lines, sentence) for sentence in split])  # (sentences, words)
    # words, paths and hits of the extract so far
    count = np.zeros(len(terms))
    path = np.zeros(len(words))
    hits = 0.0
    left = np.ones(len(costs), bool)
    while left.any():
        followed = np.maximum(paths, path) @ is_term
        held = count + counts
        matched = np.minimum(held, in_reference)  # (sentences, terms)
        totals = (matched + np.minimum(held, followed)).sum(axis=1)
        gains = np.where(left, (totals - hits) / costs, -np.inf)
        best = int(np.argmax(gains.round(9)))
        yield best
        left[best] = False
        count += counts[best]
        path = np.maximum(path, paths[best])
        hits = totals[best]


def mark(lines: Sequence[Line], other: Line) -> list[float]:
    """Mark with 1 the words of lines that are on their `common` subsequence with another line."""
    marks: list[float] = []
    for line in lines:
        path = common(line, other)
        marks += [float(i in path) for i in range(len(line))]
    return marks
