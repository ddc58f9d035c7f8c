"""If all methods are equally good, how often does each kind of claim hold, or is it contradicted?

Topics are drawn with the covariance that the committed open tables have between the cells of a
claim. Every cell has the same expectation, or lies on the bound that a claim of "no difference"
names. Then either verdict is an error, and each may come out in at most 3 % of the draws.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from citectx.ledger import Results, load, papers
from citectx.ledger.checks import Best, Check, Correlates
from citectx.ledger.rule import FEW_TOPICS
from citectx.ledger.verdicts import view_of
from citectx.ledger.view import View
from citectx.paths import RESULTS

DRAWS = 4_000
PER_TOPIC = 3
"""Citances of a topic, where a correlation is over citances."""

COLUMNS = 3
"""Of a claim over many measures."""

ERROR = 2.5 * (0.03 * 0.97 / DRAWS) ** 0.5
"""How far the share of so many draws may lie above 3 % by chance."""


def kinds() -> Iterator[tuple[str, View, Check]]:
    """Find one claim of each kind, on the corpus of its table that has the fewest topics."""
    results, seen = Results(RESULTS / "open"), dict[str, tuple[int, View, Check]]()
    for paper in papers():
        ledger = load(paper)
        for claim in ledger:
            for corpus in results.corpora(claim.tables[0]):
                view = view_of(ledger, results, claim.tables, corpus)
                check = shortened(claim.check)
                cells = check.cells()
                if not all(view.has(*cell) and cell in view.scores for cell in cells):
                    continue
                topics = len({*view.topics.tolist()})
                kind = name(check)
                if topics >= FEW_TOPICS and topics < seen.get(kind, (inf,))[0]:
                    seen[kind] = topics, view, check
    for kind, (_, view, check) in sorted(seen.items()):
        yield kind, view, check


def name(check: Check) -> str:
    """Name a kind: its form, its rule, and whether the strongest rival is selected."""
    if isinstance(check, Correlates):
        return f"correlates over {'citances' if check.of else 'rows'}"
    best = isinstance(check.rivals, Best)
    several = len(check.rows) * len(check.columns) * (1 if best else len(check.rivals)) > 1
    rivals = " best of several" if best else ""
    return f"{check.rule if several else 'one'} {check.word}{rivals}"


def shortened(check: Check) -> Check:
    """Take some columns of a claim over many."""
    if isinstance(check, Correlates):
        return check
    return replace(check, columns=check.columns[:COLUMNS], percent="")


def drawn(view: View, check: Check, rng: np.random.Generator) -> Iterator[View]:
    """Draw views in which all cells of a check have the expectation of the null."""
    cells = check.cells()
    by_topic = [view.by_topic(*cell) for cell in cells]
    # (cells, topics)
    means = np.array([cell.means for cell in by_topic if cell])
    topics = means.shape[1]
    covariance = np.atleast_2d(np.cov(means))
    expected = np.zeros(len(cells))
    if isinstance(check, Correlates):
        covariance = np.diag(np.diag(covariance))  # the two columns have nothing in common
    elif check.high < inf:
        expected = np.array([check.high * (row in check.rows) for row, _ in cells])
    over_citances = isinstance(check, Correlates) and check.of
    number = np.repeat(np.arange(topics), PER_TOPIC if over_citances else 1)
    # (draws, citances, cells)
    size = DRAWS, len(number)
    for draw in rng.multivariate_normal(expected, covariance, size=size, method="svd"):
        scores = dict(zip(cells, draw.T.copy(), strict=True))
        numbers = {cell: (float(own.mean()), float(len(own))) for cell, own in scores.items()}
        yield View(numbers, scores, number)


KINDS = {kind: (view, check) for kind, view, check in kinds()}


@pytest.mark.parametrize("kind", KINDS)
def test_under_equal_methods_no_claim_holds_or_is_contradicted(kind: str) -> None:
    view, check = KINDS[kind]
    verdicts = [check.judge(one).verdict for one in drawn(view, check, np.random.default_rng(0))]
    for verdict in ("holds", "contradicted"):
        assert np.mean([own == verdict for own in verdicts]) <= 0.03 + ERROR, verdict
