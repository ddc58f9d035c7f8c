"""How often is a verdict wrong? Each may be in at most 3 % of the draws.

Topics are drawn with the covariance that the committed open tables have between the cells of a
claim. Where all methods are equally good, or lie on the bound that a claim of "no difference"
names, "holds" and "contradicted" are errors. Where the paper's effect is true, "absent" and
"smaller" are. Where a row and its control are equal, a plain "holds" is. With real topics, which
are skewed, the errors are larger: `tests.ledger.resampled` measures them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest

from citectx.evaluation.intervals import Estimate
from citectx.evaluation.significance import kendall_tau_over
from citectx.ledger.claim import Best, Check, Correlates
from citectx.ledger.evidence import Evidence, TopicScores
from citectx.ledger.rule import Comparisons, Judged, judge
from citectx.paths import ROOT
from citectx.types import Floats
from tests.ledger import resampled
from tests.ledger.resampled import cases, level_with_control, with_effect, without_effect

DRAWS = 4_000
PER_TOPIC = 3
"""Citances of a topic, where a correlation is over citances."""

COLUMNS = 3
"""Of a claim over many measures."""

ERROR = 2.5 * (0.03 * 0.97 / DRAWS) ** 0.5
"""How far the share of so many draws may lie above 3 % by chance."""


CASES = [*cases()]


def kinds() -> Iterator[tuple[str, Evidence, Check]]:
    """Find one claim of each kind, on the corpus of its table that has the fewest topics."""
    seen = dict[str, tuple[int, Evidence, Check]]()
    for case in CASES:
        check = shortened(case.claim.check)
        topics, kind = case.topics(), name(check)
        if topics < seen.get(kind, (inf,))[0]:
            seen[kind] = topics, case.evidence, check
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


def normal(scores: TopicScores, expected: Floats, seed: int) -> TopicScores:
    return scores.draw(expected, DRAWS, seed)


def null(evidence: Evidence, check: Check, seed: int) -> Comparisons:
    """Draw what is seen where all methods are equally good."""
    if not (isinstance(check, Correlates) and check.of):
        return without_effect(check, evidence, seed, normal)
    scores = evidence.scores(check.cells())
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
    judged = with_effect(null(*KINDS[kind], 1), errors)
    for verdict in ("absent", "smaller", "contradicted"):
        assert share(judged, verdict) <= 0.03 + ERROR, verdict


CONTROLLED = {f"{case.claim.claim_id} {i}": case for i, case in enumerate(CASES) if case.controls()}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTROLLED)
def test_where_row_and_control_are_equal_it_does_not_plainly_hold(name: str) -> None:
    """The row is far ahead of its rivals, and so is the control; in words nobody is ahead."""
    claim = CONTROLLED[name].claim
    check = shortened(claim.check)
    case = replace(CONTROLLED[name], claim=replace(claim, check=check))
    level = level_with_control(case, 2, normal)
    if level is None:
        pytest.skip("a control compares what the claim does")
    alone, beyond = level
    assert getattr(check, "word", "") == "like" or share(alone, "holds") > 0.9
    assert share(beyond, "holds") <= 0.03 + ERROR


@pytest.mark.slow
def test_errors_with_resampled_topics_are_those_that_the_page_prints() -> None:
    kept = pd.read_csv(resampled.FILE)
    measured = resampled.measure()
    names = ["topics", "error", "claims", "draws"]
    pd.testing.assert_frame_equal(measured[names], kept[names])
    assert (measured["draws"] >= 8_000).all()
    # another machine may round a few draws to the other side
    assert np.allclose(measured[["mean", "worst"]], kept[["mean", "worst"]], atol=0.2)


def test_the_page_prints_the_errors_with_resampled_topics() -> None:
    page = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
    errors = pd.read_csv(resampled.FILE)
    for topics, rows in errors.groupby("topics"):
        numbers = zip(rows["mean"], rows["worst"], strict=True)
        cells = [f"{mean:.1f} ({worst:.1f})" for mean, worst in numbers]
        assert f"| {topics} | {' | '.join(cells)} |" in page
