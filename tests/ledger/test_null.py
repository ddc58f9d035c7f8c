"""How often is a verdict wrong? Each may be in at most 3 % of the draws.

Topics are drawn with the covariance that the committed open tables have between the cells of a
claim. Where all methods are equally good, or lie on the bound that a claim of "no difference"
names, "holds" and "contradicted" are errors. Where the paper's effect is true, "absent" and
"smaller" are. Where a row and its control are equal, a plain "holds" is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest

from citectx.evaluation.intervals import Estimate
from citectx.evaluation.significance import kendall_tau_over
from citectx.ledger import load, open_results, papers
from citectx.ledger.claim import Best, Check, Claim, Correlates, Order
from citectx.ledger.evidence import Evidence, TopicScores
from citectx.ledger.rule import FEW_TOPICS, Comparisons, Judged, judge
from citectx.ledger.verdicts import evidence_of
from citectx.paths import RESULTS

DRAWS = 4_000
PER_TOPIC = 3
"""Citances of a topic, where a correlation is over citances."""

COLUMNS = 3
"""Of a claim over many measures."""

ERROR = 2.5 * (0.03 * 0.97 / DRAWS) ** 0.5
"""How far the share of so many draws may lie above 3 % by chance."""

FAR = 1e6


def judgeable() -> Iterator[tuple[Claim, Evidence]]:
    """List claims with what their corpora have, where six topics are scored or more."""
    results = open_results(RESULTS / "open")
    for paper in papers():
        ledger = load(paper)
        for claim in ledger:
            for corpus in results(claim.tables[0]):
                evidence = evidence_of(ledger, results, claim.tables, corpus)
                cells = claim.check.cells()
                if {*cells} <= {*evidence.by_topic} and topics_of(
                    evidence, claim.check
                ) >= FEW_TOPICS:
                    yield claim, evidence


def topics_of(evidence: Evidence, check: Check) -> int:
    return int((evidence.scores(check.cells()).shares[0] > 0).sum(axis=1).min())


def kinds() -> Iterator[tuple[str, Evidence, Check]]:
    """Find one claim of each kind, on the corpus of its table that has the fewest topics."""
    seen = dict[str, tuple[int, Evidence, Check]]()
    for claim, evidence in judgeable():
        check = shortened(claim.check)
        topics, kind = topics_of(evidence, check), name(check)
        if topics < seen.get(kind, (inf,))[0]:
            seen[kind] = topics, evidence, check
    for kind, (_, evidence, check) in sorted(seen.items()):
        yield kind, evidence, check


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


def null(evidence: Evidence, check: Check, seed: int) -> Comparisons:
    """Draw what is seen where all methods are equally good."""
    scores = evidence.scores(check.cells())
    if isinstance(check, Order):
        at = check.high if check.high < inf else 0.0
        expected = np.array([at * (row in check.rows) for row, _ in check.cells()])
        return check.compare(evidence, scores.draw(expected, DRAWS, seed))
    if not check.of:  # the two columns have nothing in common
        nothing = np.zeros(len(scores.values))
        one, other = (scores.draw(nothing, DRAWS, seed + i).means for i in range(2))
        half = len(nothing) // 2
        both = scores._replace(means=np.concatenate([one[:, :half], other[:, half:]], axis=1))
        return check.compare(evidence, both)
    topics = np.repeat(np.arange(scores.shares.shape[-1]), PER_TOPIC)
    x, y = np.random.default_rng(seed).standard_normal((2, DRAWS, len(topics)))
    every = np.ones(topics.max() + 1)
    taus = [kendall_tau_over(*pair, topics, every) for pair in zip(x, y, strict=True)]
    ours = Estimate(*np.array(taus, dtype=float).T[..., None])
    return Comparisons(["tau"], ours, np.array([np.nan]))


KINDS = {kind: (evidence, check) for kind, evidence, check in kinds()}
BETTER = {kind: both for kind, both in KINDS.items() if " over" in kind or " below" in kind}


def share(judged: Judged, verdict: str) -> float:
    return float((judged.verdict == verdict).mean())


ALWAYS = ("each over", "one like")
"""The kinds that are drawn on every change; the others every night."""


def nightly(kinds: Iterable[str]) -> list[Any]:
    """Mark all but two kinds as slow."""
    return [pytest.param(kind, marks=() if kind in ALWAYS else pytest.mark.slow) for kind in kinds]


@pytest.mark.parametrize("kind", nightly(KINDS))
def test_under_equal_methods_no_claim_holds_or_is_contradicted(kind: str) -> None:
    judged = judge(null(*KINDS[kind], 0))
    for verdict in ("holds", "contradicted"):
        assert share(judged, verdict) <= 0.03 + ERROR, verdict


@pytest.mark.parametrize("errors", [2.0, 3.0, 4.5])
@pytest.mark.parametrize("kind", nightly(kind for kind in BETTER if "correlates" not in kind))
def test_where_the_papers_effect_is_true_it_is_neither_absent_nor_smaller(
    kind: str, errors: float
) -> None:
    drawn = null(*KINDS[kind], 1)
    paper = errors * np.median(drawn.ours.error, axis=0)
    ours = drawn.ours._replace(effect=drawn.ours.effect + paper)
    judged = judge(drawn._replace(ours=ours, paper=paper), seen=1.0)
    for verdict in ("absent", "smaller", "contradicted"):
        assert share(judged, verdict) <= 0.03 + ERROR, verdict


CONTROLLED = {
    f"{claim.claim_id} {i}": (claim, evidence)
    for i, (claim, evidence) in enumerate(judgeable())
    if any({*control.cells()} <= {*evidence.by_topic} for control in claim.controls)
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTROLLED)
def test_where_row_and_control_are_equal_it_does_not_plainly_hold(name: str) -> None:
    """The row is far ahead of its rivals, and so is the control; in words nobody is ahead."""
    claim, evidence = CONTROLLED[name]
    check = shortened(claim.check)
    assert isinstance(check, Order)
    controls = [c for c in claim.controls if {*c.cells()} <= {*evidence.by_topic}]
    cells = list(dict.fromkeys(cell for one in (check, *controls) for cell in one.cells()))
    ahead = {*check.rows, *(row for c in controls for row in (*c.rivals, *c.minus[:1]))}
    ahead -= {*check.rivals, *(row for control in controls for row in control.minus[1:])}
    bound = check.high if check.high < inf else 0.0
    far = {"like": 0.0, "no better than": -FAR}.get(check.word, check.sign * FAR)
    expected = [
        (far if column in check.columns else bound) * (row in ahead) for row, column in cells
    ]
    drawn = evidence.scores(cells).draw(np.array(expected), DRAWS, seed=2)

    def judged(one: Order) -> Judged:
        places = [cells.index(cell) for cell in one.cells()]
        own = TopicScores(drawn.means[:, places], drawn.shares[:, places], drawn.values[places])
        return judge(one.compare(evidence, own)._replace(paper=np.full(len(one.pairs()), np.nan)))

    whole = judged(check)
    assert check.word == "like" or share(whole, "holds") > 0.9
    assert share(whole.and_beyond(list(map(judged, controls))), "holds") <= 0.03 + ERROR
