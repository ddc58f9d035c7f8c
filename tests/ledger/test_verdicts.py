"""Each verdict from planted differences, and the committed ones from the committed tables."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.ledger import check, load, open_results, papers
from citectx.ledger.claim import (
    Check,
    Claim,
    Ledger,
    Limit,
    alike,
    best_of,
    better,
    correlates,
    lower,
    no_better,
)
from citectx.ledger.published import COLUMNS as PRINTED
from citectx.ledger.rule import BELOW, NO_CONTROL, NOT_BEYOND
from citectx.ledger.verdicts import FILE
from citectx.paths import RESULTS
from tests.ledger.conftest import TOPICS

Write = Callable[..., None]
Rows = Callable[..., None]
Values = dict[str, dict[str, float]]
BETTER = better("B", "A", "c-F")


def ledger(*claims: Claim, printed: Values | None = None, limits: tuple[Limit, ...] = ()) -> Ledger:
    cells = [
        ("demo_table", row, column, value)
        for row, values in (printed or {}).items()
        for column, value in values.items()
    ]
    numbers = pd.DataFrame(cells, columns=PRINTED[:4]).reindex(columns=PRINTED)
    return Ledger("demo", {each.claim_id: each for each in claims}, limits, numbers, {})


def verdict(
    folder: Path,
    form: Check,
    printed: Values | None = None,
    limits: tuple[Limit, ...] = (),
    table: str | tuple[str, ...] = "demo_table",
    **about: Any,
) -> pd.Series:
    """Return the row of a claim of that form."""
    claim = Claim("it", "here", "x", table, form, **about)
    return check(ledger(claim, printed=printed, limits=limits), open_results(folder)).iloc[0]


def by_topic(values: list[float], per_topic: int = 8) -> np.ndarray:
    """Spread ten topics' shifts over their citances, as conftest spreads citances."""
    return np.tile(values, per_topic)


@pytest.fixture
def shifted(write_results: Write, base: np.ndarray) -> Rows:
    """Return a function that writes rows of `base` with a shift in c-F, and its opposite in c-P."""

    def write(topics: int = TOPICS, **shifts: np.ndarray | float) -> None:
        rows = {row: {"c-F": base + s, "c-P": base - s} for row, s in shifts.items()}
        write_results("demo_table", "home", rows, topics=topics)

    return write


def means(shift: np.ndarray | float) -> np.ndarray:
    """Return the mean shift of each of ten topics."""
    return np.reshape(np.broadcast_to(shift, 80), (8, 10)).mean(axis=0)


NOISY = by_topic([-3, -2, -1, -0.5, 0, 0, 0.5, 1, 2, 3])


def printed(value: float) -> Values:
    return {"A": {"c-F": 20.0}, "B": {"c-F": value}}


@pytest.mark.parametrize(
    ("shift", "paper", "expected"),
    [
        (2 + NOISY / 4, 22.0, NO_CONTROL),
        (-2 + NOISY / 4, 22.0, "contradicted"),
        (NOISY / 4, 22.0, "absent"),
        (NOISY / 4, 20.1, "inconclusive"),  # zero and the paper's effect are both within reach
        (-0.17 + NOISY / 4, 20.1, "inconclusive"),  # an effect that our data would rarely show
        (NOISY, 22.0, "smaller"),
        (NOISY, 21.0, "inconclusive"),
        (2 + NOISY / 4, 19.0, "inconsistent in the paper"),
        (0.0, 22.0, "not testable here"),  # the same scores
    ],
)
def test_an_order_is_judged_by_the_interval_over_topics_and_the_papers_effect(
    tmp_path: Path, shifted: Rows, shift: np.ndarray, paper: float, expected: str
) -> None:
    shifted(A=0, B=shift)
    row = verdict(tmp_path, BETTER, printed(paper))
    assert row["verdict"] == expected
    assert np.isnan(row["p_value"]) == (expected == "not testable here")
    if expected != "not testable here":
        expected_test = stats.ttest_1samp(means(shift), 0)
        interval = expected_test.confidence_interval(0.95)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(interval, abs=1e-3)
        assert row["p_value"] == pytest.approx(expected_test.pvalue, abs=1e-3)
        assert row["published"] == pytest.approx(paper - 20)


def test_what_is_missing_decides_nothing(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=NOISY / 4)
    assert verdict(tmp_path, BETTER)["verdict"] == "inconclusive"  # the paper prints no effect
    for file in tmp_path.iterdir():
        file.unlink()
    shifted(topics=5, A=0, B=5 + NOISY / 9)
    row = verdict(tmp_path, BETTER)
    assert (row["verdict"], row["topics"]) == ("inconclusive", 5)
    (tmp_path / "demo_table.citances.csv.gz").unlink()
    row = verdict(tmp_path, BETTER)
    assert row["verdict"] == "not testable here" and row["effect"] == pytest.approx(5)
    assert "no topics give it an interval" in row["reason"] and np.isnan(row["ci_low"])


def test_lower_turns_the_direction_round_and_relative_effects_follow_our_level(
    tmp_path: Path, shifted: Rows, base: np.ndarray
) -> None:
    shifted(A=0, B=-2 + NOISY / 4)
    row = verdict(tmp_path, lower("B", "A", "c-F"), printed(18.0), relative=True)
    assert row["verdict"] == NO_CONTROL and row["effect"] == pytest.approx(2, abs=0.01)
    assert row["published"] == pytest.approx(0.1 * base.mean(), abs=1e-3)


@pytest.mark.parametrize(
    ("rule", "expected", "decides", "inside", "outside"),
    [
        ("each", "contradicted", "C", 1, 3),  # one of three, whichever it is
        ("most", NO_CONTROL, "D", 2, 2),
        ("any", NO_CONTROL, "B", 3, 1),
    ],
)
def test_a_rule_says_how_many_comparisons_must_be_true_and_counts_those_chosen_from(
    tmp_path: Path, shifted: Rows, rule: str, expected: str, decides: str, inside: int, outside: int
) -> None:
    shifts = {"B": 3 + NOISY / 4, "C": -2 + NOISY / 4, "D": 2 + NOISY / 4}
    shifted(A=0, **shifts)
    row = verdict(tmp_path, better(("B", "C", "D"), "A", "c-F", rule=rule))
    assert (row["verdict"], row["pair"]) == (expected, f"{decides} over A in c-F")
    found = means(shifts[decides])
    times = outside if expected == "contradicted" else inside
    assert row["p_value"] == pytest.approx(times * stats.ttest_1samp(found, 0).pvalue, rel=0.01)
    ends = np.array([0.025 / inside, 1 - 0.025 / outside])
    reached = found.mean() + stats.sem(found) * stats.t.ppf(ends, 9)
    assert row[["rule_low", "rule_high"]].tolist() == pytest.approx(reached.tolist(), abs=1e-3)
    one = verdict(tmp_path, BETTER)
    assert (one["rule_low"], one["rule_high"]) == (one["ci_low"], one["ci_high"])


@pytest.mark.parametrize(("shift", "times"), [(0.0, 1), (9.0, 3)])
def test_rows_like_each_other_are_shown_the_interval_that_wins_or_loses(
    tmp_path: Path, shifted: Rows, shift: float, times: int
) -> None:
    shifted(A=0, B=NOISY / 4, C=shift + NOISY / 9)
    row = verdict(tmp_path, alike(("A", "B", "C"), ("A", "B", "C"), "c-F", within=1.0))
    reach = (row["ci_high"] - row["effect"]) * stats.t.ppf(1 - 0.025 / times, 9)
    assert row["rule_high"] - row["effect"] == pytest.approx(reach / stats.t.ppf(0.975, 9))
    assert row["effect"] - row["rule_low"] == pytest.approx(reach / stats.t.ppf(0.975, 9))


def test_a_rule_that_the_papers_own_numbers_break(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=3 + NOISY / 4, C=2 + NOISY / 4)
    paper = {"A": {"c-F": 20.0}, "B": {"c-F": 19.0}, "C": {"c-F": 21.0}}
    each, one = (better(("B", "C"), "A", "c-F", rule=r) for r in ("each", "any"))
    row = verdict(tmp_path, each, paper)
    assert row["verdict"] == "inconsistent in the paper" and "bear out 1 of 2" in row["reason"]
    assert verdict(tmp_path, one, paper)["verdict"] == NO_CONTROL


def test_better_than_the_best_is_better_than_each(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=1 + NOISY / 4, B=0.5 + NOISY / 4, C=0, D=3 + NOISY / 9)
    behind = verdict(tmp_path, better("C", best_of(("A", "B")), "c-F"))
    assert (behind["verdict"], behind["pair"]) == ("contradicted", "C over A in c-F")
    assert "only 10 topics; if they are skewed" in behind["reason"]
    one = stats.ttest_1samp(means(1 + NOISY / 4), 0).pvalue
    assert behind["p_value"] == pytest.approx(2 * one, rel=0.01)  # whichever of two is ahead
    ahead = verdict(tmp_path, better("D", best_of(("A", "B")), "c-F"))
    assert ahead["verdict"] == NO_CONTROL
    assert ahead["p_value"] == verdict(tmp_path, better("D", "A", "c-F"))["p_value"]


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        (3 + NOISY / 5, NOT_BEYOND),
        (4 + NOISY / 5, BELOW),
        (3 - NOISY, NOT_BEYOND),  # not significant itself, but no further from the row than 0
        (1 + NOISY / 5, "holds"),  # significant itself, and still behind
    ],
)
def test_a_row_must_be_ahead_of_its_control_too(
    tmp_path: Path, shifted: Rows, control: np.ndarray, expected: str
) -> None:
    shifted(A=0, B=3 + NOISY / 4, C=control)
    row = verdict(tmp_path, BETTER, controls=(better("B", "C", "c-F"),))
    assert row["verdict"] == expected
    assert row["control"].startswith("B over C in c-F: ")
    lacking = verdict(tmp_path, BETTER, controls=(better("B", "E", "c-F"),))
    assert (lacking["verdict"], lacking["control"]) == (NO_CONTROL, "")
    assert "not run on this corpus" in lacking["no_control"]
    without = verdict(tmp_path, BETTER, no_control="There is none.")
    assert (without["verdict"], without["no_control"]) == (NO_CONTROL, "There is none.")


def test_one_control_that_is_ahead_outweighs_those_that_are_behind(
    tmp_path: Path, shifted: Rows
) -> None:
    shifted(A=0, B=3 + NOISY / 4, C=1 + NOISY / 5, D=3 + NOISY / 5, E=4 + NOISY / 5)
    behind, equal, ahead = (better("B", row, "c-F") for row in "CDE")
    row = verdict(tmp_path, BETTER, controls=(behind,), post_hoc=(equal,))
    assert (row["verdict"], row["post_hoc"]) == (NOT_BEYOND, True)
    row = verdict(tmp_path, BETTER, controls=(ahead, behind, equal))
    assert (row["verdict"], row["post_hoc"], row["no_control"]) == (BELOW, False, "")


def test_a_control_is_not_post_hoc_on_what_was_declared_after_it(
    tmp_path: Path, shifted: Rows
) -> None:
    shifted(A=0, B=3 + NOISY / 4, C=1 + NOISY / 5)
    claim = Claim("it", "here", "x", "demo_table", BETTER, post_hoc=(better("B", "C", "c-F"),))
    for second, stage, mark in (({"": "home"}, "second domain", False), ({}, "", True)):
        row = check(replace(ledger(claim), second=second), open_results(tmp_path)).iloc[0]
        assert (row["stage"], row["verdict"], row["post_hoc"]) == (stage, "holds", mark)


def test_a_control_may_look_at_the_citances_of_one_row(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    few = np.where(np.arange(80) < 40, base, np.nan)  # four of eight citances of each topic
    rows = {"few": few + 1 + NOISY / 9, "all": base + np.where(np.isnan(few), 50, NOISY / 7)}
    write_results("demo_table", "home", {row: {"c-F": values} for row, values in rows.items()})
    among = verdict(tmp_path, better("few", "all", "c-F", among="few"))
    gains = means(1 + NOISY / 9 - NOISY / 7)
    assert among["effect"] == pytest.approx(gains.mean(), abs=1e-3)
    interval = stats.ttest_1samp(gains, 0).confidence_interval(0.95)
    assert (among["ci_low"], among["ci_high"]) == pytest.approx(interval, abs=1e-3)
    assert "few citances alone" in among["pair"]
    assert verdict(tmp_path, better("few", "all", "c-F"))["effect"] < -20


@pytest.mark.parametrize(("least", "expected"), [(1.0, "absent"), (0.2, "inconclusive")])
@pytest.mark.parametrize("relative", [False, True])
def test_without_a_printed_effect_a_declared_one_can_be_absent(
    tmp_path: Path, shifted: Rows, base: np.ndarray, least: float, expected: str, relative: bool
) -> None:
    shifted(A=0, B=NOISY / 4)
    unit = 100 / base.mean() if relative else 1
    row = verdict(tmp_path, better("B", "A", "c-F", least=unit * least), relative=relative)
    assert row["verdict"] == expected and np.isnan(row["published"])


def test_one_comparison_is_named_once(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=2 + NOISY / 4)
    forms = {
        "first": BETTER,
        "turned": lower("A", "B", "c-F"),
        "against": better("A", "B", "c-F"),
        "best": better("B", best_of(("A",)), "c-F"),
    }
    claims = [Claim(name, "here", "x", "demo_table", form) for name, form in forms.items()]
    own = Claim("own", "here", "x", "demo_table", BETTER, ours=True)
    frame = check(ledger(own, *claims), open_results(tmp_path)).set_index("id")
    assert frame["same_as"].to_dict() == {
        "own": "",
        "first": "",
        "turned": "first",
        "against": "first",
        "best": "first",
    }


def test_a_control_may_take_another_difference_off(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=3 + NOISY / 4, C=9, D=10.5 + NOISY / 9)
    row = verdict(tmp_path, BETTER, controls=(better("B", "A", "c-F", minus=("D", "C")),))
    assert row["verdict"] == "holds"
    assert row["control"].startswith("B over A, more than D over C, in c-F: +1.5 [")


@pytest.mark.parametrize(
    ("form", "shift", "expected"),
    [
        (alike, NOISY / 4, NO_CONTROL),
        (alike, NOISY, "inconclusive"),
        (alike, 3 + NOISY / 4, "contradicted"),
        (no_better, -5 + NOISY, NO_CONTROL),
        (no_better, NOISY, "inconclusive"),
        (no_better, 3 + NOISY / 4, "contradicted"),
    ],
)
def test_no_difference_has_to_be_shown_not_just_not_found(
    tmp_path: Path, shifted: Rows, form: Callable[..., Check], shift: np.ndarray, expected: str
) -> None:
    shifted(A=0, B=shift)
    assert verdict(tmp_path, form("B", "A", "c-F", within=1.0))["verdict"] == expected


def test_rows_that_are_alike_are_compared_pair_by_pair(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=NOISY / 4, B=0, C=NOISY / 9)
    rows = ("A", "B", "C")
    assert verdict(tmp_path, alike(rows, rows, "c-F", within=1.0))["verdict"] == NO_CONTROL
    row = verdict(tmp_path, alike(rows, rows, "c-F", within=0.1))
    assert row["verdict"] == "inconclusive" and row["reason"].startswith("B like A")


def test_groups_of_different_citances_are_compared(tmp_path: Path, write_results: Write) -> None:
    noise = np.random.default_rng(3).normal(0, 1, (4, 80))
    groups = [np.arange(80) % 4 == i for i in range(4)]
    columns = {
        row: {"c-F": np.where(group, 20 + 3 * i + noise[i], np.nan)}
        for i, (row, group) in enumerate(zip("ABCD", groups, strict=True))
    }
    write_results("demo_table", "home", columns)
    row = verdict(tmp_path, better("D", "A", "c-F"))
    assert row["verdict"] == NO_CONTROL and row["effect"] == pytest.approx(9, abs=1)
    assert verdict(tmp_path, lower("D", "A", "c-F"))["verdict"] == "contradicted"


def test_a_correlation_over_citances_has_a_jackknife_over_topics(
    tmp_path: Path, write_results: Write
) -> None:
    rng = np.random.default_rng(4)
    ability = rng.uniform(20, 60, 80)
    columns = {"c-F": ability, "c-P": ability + rng.normal(0, 5, 80)}
    write_results("demo_table", "home", {"A": columns})
    row = verdict(tmp_path, correlates("c-F", "c-P", of="A"))
    assert row["verdict"] == NO_CONTROL and 0.5 < row["ci_low"] < row["effect"] < row["ci_high"] < 1


def test_two_claims_alone_are_not_borne_out_by_the_papers_own_numbers() -> None:
    frame = pd.read_csv(RESULTS / "open" / FILE)
    broken = frame.loc[frame["verdict"] == "inconsistent in the paper", "id"]
    assert {*broken} == {"goa-improves", "synonyms-add-to-np"}


def test_the_committed_verdicts_follow_from_the_committed_tables() -> None:
    results = open_results(RESULTS / "open")
    frames = [check(load(paper), results) for paper in papers()]  # what is kept is not asked
    found = pd.concat(frames).to_csv(index=False, float_format="%.6g")
    told = "citectx claims --profile open writes the verdicts anew; then python -m tests.numbers"
    assert found.encode() == (RESULTS / "open" / FILE).read_bytes(), told


@pytest.mark.parametrize(
    ("form", "paper", "bound"), [(better, 1.2, 0.0), (partial(no_better, within=1.0), -0.5, 1.0)]
)
def test_seen_is_the_power_of_a_single_comparison(
    tmp_path: Path, shifted: Rows, form: Callable[..., Check], paper: float, bound: float
) -> None:
    shifted(A=0, B=NOISY)
    seen = verdict(tmp_path, form("B", "A", "c-F"), printed(20 + paper))["seen"]
    error = stats.sem(np.array(NOISY[:10]))
    expected = 1 - stats.nct.cdf(stats.t.ppf(0.975, 9), 9, abs(paper - bound) / error)
    assert seen == pytest.approx(expected, abs=0.05)


def test_seen_is_the_power_of_the_whole_claim(tmp_path: Path, shifted: Rows) -> None:
    noise = np.random.default_rng(0).permuted(np.tile(NOISY[:10], (3, 1)), axis=1)
    shifted(A=0, **{row: by_topic([*own]) for row, own in zip("BCD", noise, strict=True)})
    paper = {row: {"c-F": 20.0 + 1.4 * (row != "A")} for row in "ABCD"}
    rows = ("B", "C", "D")
    seen = [
        verdict(tmp_path, better(rows, "A", "c-F", rule=rule), paper)["seen"]
        for rule in ("each", "most", "any")
    ]
    assert seen[0] < verdict(tmp_path, BETTER, paper)["seen"] < 1
    assert seen[0] < seen[1]
    assert np.isnan(verdict(tmp_path, BETTER)["seen"])  # the paper prints no effect


def test_a_verdict_says_how_robust_it_is(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=by_topic([6.0] + [0.3, 0.5, 0.7] * 3))
    row = verdict(tmp_path, BETTER, printed(20.1))
    assert row["verdict"] == "inconclusive" and row["kept"] == "9 of 10"  # all but the first
    for file in tmp_path.iterdir():
        file.unlink()
    shifted(topics=6, A=0, B=1 + NOISY / 20)
    row = verdict(tmp_path, BETTER, printed(20.1))
    assert (row["verdict"], row["kept"]) == (NO_CONTROL, "0 of 6")  # without one there are five


def test_holm_is_two_sided_and_without_checks_of_ours(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=-1 + NOISY / 4, C=1 + NOISY / 2)
    claims = ledger(
        Claim("up", "here", "x", "demo_table", better("C", "A", "c-F")),
        Claim("down", "here", "x", "demo_table", BETTER),
        Claim("own", "here", "x", "demo_table", better("B", "C", "c-F"), ours=True),
    )
    frame = check(claims, open_results(tmp_path)).set_index("id")
    small, large = sorted([frame["p_value"]["up"], frame["p_value"]["down"]])
    assert frame["p_holm"][["up", "down"]].min() == pytest.approx(2 * small)
    assert frame["p_holm"][["up", "down"]].max() == pytest.approx(max(2 * small, large))
    assert frame["verdict"]["down"] == "contradicted" and large < 0.01
    assert np.isnan(frame["p_holm"]["own"]) and frame["p_value"]["own"] < 0.01


def test_a_mean_of_topics_is_judged_as_one(tmp_path: Path, shifted: Rows) -> None:
    """One big topic carries a difference over citances; over topics it is one of ten."""
    shifted(A=0, B=by_topic([20.0] + [0.0] * 9))
    frame = pd.read_csv(tmp_path / "demo_table.csv").assign(n=10)
    frame.to_csv(tmp_path / "demo_table.csv", index=False)
    row = verdict(tmp_path, BETTER)
    assert row["effect"] == pytest.approx(2, abs=1e-3) and row["ci_low"] < 0


def test_citances_are_paired_by_name_in_any_order(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=2 + NOISY / 4)
    before, file = verdict(tmp_path, BETTER), tmp_path / "demo_table.citances.csv.gz"
    scores = pd.read_csv(file).sample(frac=1, random_state=0)
    scores.to_csv(file, index=False)
    pd.testing.assert_series_equal(verdict(tmp_path, BETTER), before)


def test_limits_say_why_a_claim_is_not_testable(tmp_path: Path, shifted: Rows) -> None:
    shifted(A=0, B=2 + NOISY / 4)
    limits = (Limit("it is too hard", corpora=("home",), claims=("it",)),)
    assert verdict(tmp_path, BETTER, limits=limits)["reason"] == "it is too hard"
    assert verdict(tmp_path, better("B", "D", "c-F"))["reason"] == "demo_table lacks D"
    assert verdict(tmp_path, BETTER, table=("demo_table", "demo_more"))["verdict"] == NO_CONTROL
    row = verdict(tmp_path, BETTER, table="demo_more")
    assert (row["verdict"], row["reason"]) == ("not testable here", "not run yet: demo_more")
