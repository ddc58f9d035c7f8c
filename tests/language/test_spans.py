"""Candidate windows and what happens to overlapping ones."""

from itertools import combinations_with_replacement

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citectx.corpora import Block, Document
from citectx.language.spans import Candidates, best_first, round_scores, select, select_by_row
from citectx.language.text import Sentences, SentenceSplitter
from citectx.types import Span


def sentences(sections: list[int], kinds: list[str] | None = None) -> Sentences:
    """One sentence of ten characters a block, with these sections."""
    kinds = kinds or ["body"] * len(sections)
    text = " ".join("Abcdefgh." for _ in sections)
    blocks = tuple(
        Block(10 * i, 10 * i + 9, kind, section)  # type: ignore[arg-type]
        for i, (kind, section) in enumerate(zip(kinds, sections, strict=True))
    )
    return SentenceSplitter().sentences(Document("ref", text, blocks))


def windows(candidates: Candidates) -> set[tuple[int, int]]:
    return set(zip(candidates.first.tolist(), candidates.last.tolist(), strict=True))


@given(st.lists(st.integers(0, 1), max_size=12), st.integers(1, 6))
def test_windows_against_brute_force(steps: list[int], longest: int) -> None:
    sections = np.cumsum(steps).tolist()
    n = len(sections)
    pairs = combinations_with_replacement(range(n), 2)
    expected = {(a, b) for a, b in pairs if b < a + longest and sections[a] == sections[b]}
    candidates = Candidates.of(sentences(sections), longest)
    assert windows(candidates) == expected
    members = candidates.membership().toarray()
    for row, a, b in zip(members, candidates.first, candidates.last, strict=True):
        assert np.flatnonzero(row).tolist() == list(range(a, b + 1))
    counts = np.arange(n) ** 2
    assert candidates.add_up(counts).tolist() == (members @ counts).tolist()


def test_windows_do_not_swallow_a_table_or_mix_with_a_caption() -> None:
    kinds = ["body", "table", "body", "caption", "body", "body"]
    candidates = Candidates.of(sentences([0] * 6, kinds), 5)
    assert windows(candidates) == {(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (3, 4)}
    assert candidates.spans([5]) == [Span(50, 59)]


def test_best_first_by_rows_with_ties_and_infinities() -> None:
    scores = np.random.default_rng(0).integers(-3, 4, (5, 200)) / 3.0
    scores[1:, ::7] *= 1 + 1e-12  # still ties
    scores[2:, ::9], scores[4] = -np.inf, 0.0
    expected = np.argsort(-round_scores(scores), axis=1, kind="stable")
    np.testing.assert_array_equal(best_first(scores), expected)


def test_merging_negative_scores_counts_from_the_lowest_retrieved() -> None:
    """Shifted by 9: [0] 7, [1] 6, [0,1] 5 and [2] 0; else [0,1] would lose by what it contains."""
    candidates = Candidates.of(sentences([0, 0, 0]), 2)
    scores = np.array([-2.0, -4.0, -3.0, -9.5, -9.0])
    assert select(candidates, scores, 3, depth=4).tolist() == [1, 4]


def brute_merge(candidates: Candidates, scores: np.ndarray, depth: int) -> list[int]:
    retrieved = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:depth]
    place = {i: set(range(candidates.first[i], candidates.last[i] + 1)) for i in retrieved}

    def total(i: int) -> float:
        return scores[i] + sum(scores[j] for j in retrieved if place[j] < place[i])

    kept = [i for i in retrieved if not any(place[i] < place[j] for j in retrieved)]
    return sorted(kept, key=total, reverse=True)


@given(st.data())
def test_merging_against_brute_force(data: st.DataObject) -> None:
    candidates = Candidates.of(sentences([0] * data.draw(st.integers(1, 7))), 4)
    values = data.draw(st.permutations([2.0**i for i in range(len(candidates))]))
    scores, depth = np.array(values), data.draw(st.integers(1, len(values)))
    expected = brute_merge(candidates, scores, depth)
    assert select(candidates, scores, depth, depth).tolist() == expected


@given(st.data())
def test_rows_are_merged_each_by_itself(data: st.DataObject) -> None:
    candidates = Candidates.of(sentences([0] * 5), 3)
    values = st.lists(st.integers(-3, 3), min_size=len(candidates), max_size=len(candidates))
    scores = np.array(data.draw(st.lists(values, min_size=1, max_size=4)), float)
    k, depth = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 15))
    for row, chosen in zip(scores, select_by_row(candidates, scores, k, depth), strict=True):
        alone = select(candidates, row, k, depth).tolist()
        assert chosen.tolist() == alone + [-1] * (k - len(alone))


def test_more_spans_can_be_asked_for_than_count_as_retrieved() -> None:
    candidates = Candidates.of(sentences([0] * 6), 1)
    assert len(select(candidates, np.arange(6.0), 5, depth=2)) == 5
