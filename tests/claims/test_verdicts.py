"""Each verdict from planted differences: ledgers of one claim, synthetic results."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.claims import Results, check, read
from citectx.claims.ledger import Ledger
from citectx.claims.view import rank_correlation
from citectx.errors import DataError
from citectx.evaluation.significance import holm
from citectx.experiments.results import COLUMNS, to_csv
from citectx.storage import write_atomically

Write = Callable[..., None]
HEAD = """
paper: demo
title: A demonstration
corpus: home
experiments:
  demo_table:
    where: Table 1
    rows: [A, B, C, D]
    columns: [c-F, c-P, c-R]
    marks: {"*": {than: {best_of: [A, B]}, level: 0.05}}
  demo_more: {where: Table 2, rows: [A, B, C, D], columns: [RG-1]}
claims:
"""


def ledger(tmp_path: Path, *claims: str) -> Ledger:
    file = tmp_path / "demo" / "claims.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEAD + "".join(f"  - {claim}\n" for claim in claims), encoding="utf-8")
    return read(file)


def worded(check: str, kind: str = "order", experiment: str = "demo_table") -> str:
    return f"{{id: it, kind: {kind}, where: here, says: x, experiment: {experiment}, check: {check}}}"


def verdict(tmp_path: Path, *claims: str) -> pd.Series:
    """Return the last row."""
    return check(ledger(tmp_path, *claims), Results(tmp_path)).iloc[-1]


BETTER = worded("{better: B, than: A, in: c-F}")


def noise(seed: int, scale: float, n: int = 80) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, scale, n)


def centred(seed: int, scale: float = 1, n: int = 80) -> np.ndarray:
    values = noise(seed, scale, n)
    return values - values.mean()


def two_rows(write: Write, base: np.ndarray, shift: np.ndarray | float) -> None:
    write("demo_table", "home", {"A": {"c-F": base}, "B": {"c-F": base + shift}})


def test_order_planted_difference_is_reproduced_with_the_right_effect(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    shift = 2 + noise(2, 1)
    two_rows(write_results, base, shift)
    row = verdict(tmp_path, BETTER)
    assert row["verdict"] == "reproduced"
    assert row["effect"] == pytest.approx(shift.mean())
    assert 0 < row["ci_low"] < row["effect"] < row["ci_high"] < 4
    assert row["p_value"] == pytest.approx(stats.ttest_rel(base + shift, base).pvalue)


def test_order_reversed_difference_is_not_reproduced(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    two_rows(write_results, base, -2 + noise(2, 1))
    row = verdict(tmp_path, BETTER)
    assert row["verdict"] == "not reproduced"
    assert row["effect"] < 0 and row["ci_high"] < 0


def test_order_small_noisy_difference_is_partly(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    shift = noise(2, 20)
    two_rows(write_results, base, shift - shift.mean() + 0.3)
    row = verdict(tmp_path, BETTER)
    assert row["verdict"] == "partly"
    assert row["ci_low"] < 0 < row["effect"]


def test_order_is_judged_by_topics_not_by_citances(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    """One topic of ten carries the whole difference: significant over citances, not over topics."""
    shift = np.where(np.arange(80) % 10 == 0, 20.0, 0.0)
    two_rows(write_results, base, shift)
    row = verdict(tmp_path, BETTER)
    assert row["p_value"] < 0.05 and row["ci_low"] <= 0
    assert row["verdict"] == "partly"


def test_order_without_scores_goes_by_the_table_and_is_at_most_partly(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    columns = {"A": {"c-F": base}, "B": {"c-F": base + 9}}
    write_results("demo_table", "home", columns, scores=False)
    row = verdict(tmp_path, BETTER)
    assert row["verdict"] == "partly"
    assert row["effect"] == pytest.approx(9)
    assert np.isnan(row["ci_low"])


def test_lower_turns_the_direction_round(tmp_path: Path, write_results: Write, base: np.ndarray) -> None:
    two_rows(write_results, base, 2 + noise(2, 1))
    assert verdict(tmp_path, worded("{lower: A, than: B, in: c-F}"))["verdict"] == "reproduced"
    row = verdict(tmp_path, worded("{lower: B, than: A, in: c-F}"))
    assert row["verdict"] == "not reproduced" and row["effect"] < 0


def test_best_of_is_the_best_row_of_our_own_table_in_each_column(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    write_results(
        "demo_table",
        "home",
        {
            "A": {"c-F": base, "c-P": base + 5},
            "B": {"c-F": base + 5, "c-P": base},
            "C": {"c-F": base + 8, "c-P": base + 7},
        },
    )
    row = verdict(tmp_path, worded("{better: C, than: {best_of: [A, B]}, in: [c-F, c-P]}"))
    assert row["effect"] == pytest.approx(2) and "C over A in c-P" in row["reason"]
    row = verdict(tmp_path, worded("{lower: B, than: {best_of: [A, C]}, in: c-P}"))
    assert row["effect"] == pytest.approx(5) and "B below A in c-P" in row["reason"]


@pytest.mark.parametrize(
    ("scope", "shifts", "expected"),
    [
        ("in", (2, 2, 2), "reproduced"),
        ("in", (2, 2, -2), "partly"),
        ("in", (2, -2, -2), "not reproduced"),
        ("in_most", (2, 2, -2), "reproduced"),
        ("in_most", (2, -2, -2), "not reproduced"),
        ("in", (0.02, 0.02, 0.02), "partly"),
        ("in", (0.02, 0.02, -2), "not reproduced"),
    ],
)
def test_verdict_over_several_columns_depends_on_how_many_hold(
    tmp_path: Path,
    write_results: Write,
    base: np.ndarray,
    *,
    scope: str,
    shifts: tuple[float, ...],
    expected: str,
) -> None:
    names = ("c-F", "c-P", "c-R")
    moved = {
        name: base + shift + centred(i) for i, (name, shift) in enumerate(zip(names, shifts, strict=True))
    }
    write_results("demo_table", "home", {"A": dict.fromkeys(names, base), "B": moved})
    row = verdict(tmp_path, worded(f"{{better: B, than: A, {scope}: [c-F, c-P, c-R]}}"))
    assert row["verdict"] == expected


def test_significance_goes_by_the_paired_t_test(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    claim = worded("{better: B, than: A, in: c-F}", kind="significance")
    strict = worded("{better: B, than: A, in: c-F, level: 0.001}", kind="significance")
    shift = 1 + noise(2, 3)
    assert 0.001 < stats.ttest_1samp(shift, 0).pvalue < 0.05
    two_rows(write_results, base, shift)
    assert verdict(tmp_path, claim)["verdict"] == "reproduced"
    assert verdict(tmp_path, strict)["verdict"] == "partly"


def test_significant_difference_the_other_way_is_not_reproduced(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    two_rows(write_results, base, -2 + noise(2, 1))
    row = verdict(tmp_path, worded("{better: B, than: A, in: c-F}", kind="significance"))
    assert row["verdict"] == "not reproduced" and row["p_value"] < 0.001


def test_significance_waits_for_scores(tmp_path: Path, write_results: Write, base: np.ndarray) -> None:
    write_results("demo_table", "home", {"A": {"c-F": base}, "B": {"c-F": base + 9}}, scores=False)
    row = verdict(tmp_path, worded("{better: B, than: A, in: c-F}", kind="significance"))
    assert row["verdict"] == "pending" and "per-citance scores of A, B" in row["reason"]


def test_holm_adjusts_over_the_significance_claims_of_each_corpus(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    for corpus, size in (("home", 1.0), ("away", 2.0)):
        moved = {"c-F": base + size * noise(2, 1), "c-P": base + 0.5 + size * noise(3, 1)}
        write_results("demo_table", corpus, {"A": {"c-F": base, "c-P": base}, "B": moved})
    marked = [
        worded(f"{{better: B, than: A, in: {name}}}", kind="significance").replace("it,", f"s{i},")
        for i, name in enumerate(("c-F", "c-P"))
    ]
    frame = check(ledger(tmp_path, *marked, BETTER), Results(tmp_path))
    assert frame.loc[frame["kind"] == "order", "p_holm"].isna().all()
    for _, rows in frame[frame["kind"] == "significance"].groupby("corpus"):
        assert len(rows) == 2
        assert rows["p_holm"].tolist() == pytest.approx(holm(rows["p_value"]).tolist())


@pytest.mark.parametrize(
    ("form", "shift", "spread", "expected"),
    [
        ("alike: B, to", 0.1, 0.5, "reproduced"),
        ("alike: B, to", 0.0, 20.0, "partly"),
        ("alike: B, to", 3.0, 1.0, "not reproduced"),
        ("alike: B, to", -3.0, 1.0, "not reproduced"),
        ("no_better: B, than", 0.1, 0.5, "reproduced"),
        ("no_better: B, than", 0.0, 20.0, "partly"),
        ("no_better: B, than", 3.0, 1.0, "not reproduced"),
        ("no_better: B, than", -3.0, 1.0, "reproduced"),
    ],
)
def test_no_difference_has_to_be_shown_not_just_not_found(
    tmp_path: Path,
    write_results: Write,
    base: np.ndarray,
    *,
    form: str,
    shift: float,
    spread: float,
    expected: str,
) -> None:
    jitter = noise(2, spread)
    two_rows(write_results, base, jitter - jitter.mean() + shift)
    assert verdict(tmp_path, worded(f"{{{form}: A, in: c-F, within: 1}}"))["verdict"] == expected


@pytest.mark.parametrize(
    ("form", "means", "spread", "expected"),
    [
        ("rises", (10, 20, 30, 40), 1, "reproduced"),
        ("rises", (10, 30, 20, 40), 1, "partly"),
        ("rises", (10, 10.01, 10.02, 10.03), 20, "partly"),
        ("rises", (40, 30, 20, 10), 1, "not reproduced"),
        ("falls", (40, 30, 20, 10), 1, "reproduced"),
    ],
)
def test_trend_needs_every_step_and_a_correlation_beyond_chance(
    tmp_path: Path, write_results: Write, *, form: str, means: tuple[float, ...], spread: float, expected: str
) -> None:
    """Groups of different sizes, as quartiles with ties are; so scores cannot be paired."""
    columns = {}
    for i, (name, mean) in enumerate(zip("ABCD", means, strict=True)):
        jitter = noise(i, spread, n=20 + i)
        columns[name] = {"c-F": mean + jitter - jitter.mean()}
    write_results("demo_table", "home", columns)
    row = verdict(tmp_path, worded(f"{{{form}: [A, B, C, D], in: c-F}}", kind="trend"))
    assert row["verdict"] == expected


def test_trend_is_kendalls_tau_between_position_and_score(tmp_path: Path, write_results: Write) -> None:
    groups = {name: noise(i, 3, n=20) + i for i, name in enumerate("ABCD")}
    write_results("demo_table", "home", {name: {"c-F": values} for name, values in groups.items()})
    row = verdict(tmp_path, worded("{rises: [A, B, C, D], in: c-F}", kind="trend"))
    expected = stats.kendalltau(np.repeat(range(4), 20), np.concatenate(list(groups.values())))
    assert (row["effect"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))


def test_correlation_over_rows_joins_the_tables_of_two_experiments(
    tmp_path: Path, write_results: Write
) -> None:
    claim = worded(
        "{correlates: c-F, with: RG-1, across: [A, B, C, D]}",
        kind="trend",
        experiment="[demo_table, demo_more]",
    )
    write_results("demo_table", "home", {n: {"c-F": [i, i]} for i, n in enumerate("ABCD")})
    assert verdict(tmp_path, claim)["reason"] == "not run yet: demo_more"
    write_results(
        "demo_more", "home", {n: {"RG-1": [v, v]} for n, v in zip("ABCD", (1, 2, 4, 3), strict=True)}
    )
    row = verdict(tmp_path, claim)
    assert row["effect"] == pytest.approx(2 / 3)  # five of six pairs agree
    assert row["verdict"] == "partly"  # four rows cannot show more


def test_correlation_over_citances_uses_those_that_have_both_scores(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    claim = worded("{correlates: c-P, with: c-F, of: A}", kind="trend")
    other = base.copy()
    other[:10] = np.nan
    write_results("demo_table", "home", {"A": {"c-F": base + noise(4, 5), "c-P": other}})
    row = verdict(tmp_path, claim)
    expected = stats.kendalltau(other[10:], (base + noise(4, 5))[10:])
    assert row["verdict"] == "reproduced"
    assert row["effect"] == pytest.approx(expected.statistic)
    assert row["ci_low"] < row["effect"] < row["ci_high"]


def test_correlation_over_citances_waits_for_scores(tmp_path: Path, write_results: Write) -> None:
    write_results("demo_table", "home", {"A": {"c-F": [1, 2], "c-P": [1, 2]}}, scores=False)
    row = verdict(tmp_path, worded("{correlates: c-P, with: c-F, of: A}", kind="trend"))
    assert row["verdict"] == "pending"


def value(published: float) -> str:
    return f"{{id: it, kind: value, where: Table 1, row: A, column: c-F, published: {published}}}"


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        (30.9, "reproduced"),
        (29.1, "reproduced"),
        (32.9, "partly"),
        (27.5, "partly"),
        (25.0, "not reproduced"),
        (35.0, "not reproduced"),
    ],
)
def test_published_value_is_judged_by_our_interval_on_the_papers_own_corpus(
    tmp_path: Path, write_results: Write, published: float, expected: str
) -> None:
    write_results("demo_table", "home", {"A": {"c-F": [29, 31]}})  # 30, interval 29 to 31
    row = verdict(tmp_path, value(published))
    assert row["verdict"] == expected
    assert (row["value"], row["effect"]) == pytest.approx((30, 30 - published))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((29, 31))


def test_published_value_without_an_interval_must_be_equal_as_printed(tmp_path: Path) -> None:
    table = "experiment,corpus,method,metric,value,ci_low,ci_high,p_value,n,params,seed\n"
    (tmp_path / "demo_table.csv").write_text(
        table + "demo_table,home,A,c-F,3.44,,,,7,{},0\n", encoding="utf-8"
    )
    verdicts = {number: verdict(tmp_path, value(number))["verdict"] for number in (3, 3.4, 3.5, 4)}
    assert verdicts == {3: "reproduced", 3.4: "reproduced", 3.5: "partly", 4: "not reproduced"}


def test_published_value_is_not_testable_on_another_corpus_but_set_beside_ours(
    tmp_path: Path, write_results: Write
) -> None:
    write_results("demo_table", "away", {"A": {"c-F": [29, 31]}})
    row = verdict(tmp_path, value(30.0))
    assert row["verdict"] == "not testable here"
    assert row["reason"] == "the paper's number is of home, this is away"
    assert (row["published"], row["value"], row["effect"]) == (30, 30, 0)


def test_gain_is_relative_to_the_rival_and_set_beside_the_papers_own_table(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    level = base - base.mean() + 20
    jitter = noise(2, 1)
    write_results(
        "demo_table",
        "home",
        {"A": {"c-F": level}, "B": {"c-F": level - 1}, "C": {"c-F": level + 3 + jitter - jitter.mean()}},
    )
    printed = [
        f"{{id: p{row.lower()}, kind: value, where: Table 1, row: {row}, column: c-F, published: {number}}}"
        for row, number in (("A", 20.0), ("B", 10.0), ("C", 22.0))
    ]
    gain = (
        "{id: it, kind: value, where: here, says: x, experiment: demo_table, published: 15, "
        "check: {gain: C, over: {best_of: [A, B]}, in: c-F}}"
    )
    row = verdict(tmp_path, *printed, gain)
    assert row["value"] == pytest.approx(15)
    assert row["verdict"] == "reproduced"
    assert 13 < row["ci_low"] < 15 < row["ci_high"] < 17
    assert row["reason"].endswith("the paper's own table gives 10.0 %")


def test_papers_own_numbers_are_set_beside_the_effect_and_named_where_they_disagree(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    printed = [
        f"{{id: p{row.lower()}, kind: value, where: Table 1, row: {row}, column: c-F, published: {number}}}"
        for row, number in (("A", 20.0), ("B", 19.5))
    ]
    two_rows(write_results, base, 2 + noise(2, 1))
    row = verdict(tmp_path, *printed, BETTER)
    assert row["published"] == pytest.approx(-0.5)
    assert row["reason"] == "B over A in c-F: holds; in the paper's own numbers 0 of 1 point that way"


def test_claim_without_its_experiment_is_pending_and_says_which(tmp_path: Path) -> None:
    frame = check(ledger(tmp_path, BETTER, value(3).replace("it,", "v,")), Results(tmp_path))
    assert frame["verdict"].tolist() == ["pending", "pending"]
    assert frame["corpus"].tolist() == ["", ""]
    assert set(frame["reason"]) == {"not run yet: demo_table"}
    assert frame["published"].tolist()[1] == 3


def test_claim_without_some_rows_is_pending_and_says_which(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    write_results("demo_table", "home", {"A": {"c-F": base}, "B": {"c-F": base, "c-P": base}})
    row = verdict(tmp_path, worded("{better: C, than: {best_of: [A, B]}, in: [c-F, c-P]}"))
    assert row["verdict"] == "pending"
    assert row["reason"] == "demo_table lacks C, A (c-P)"


def test_every_corpus_gets_its_own_row(tmp_path: Path, write_results: Write, base: np.ndarray) -> None:
    two_rows(write_results, base, 2 + noise(2, 1))
    write_results("demo_table", "away", {"A": {"c-F": base}, "B": {"c-F": base - 2 + noise(2, 1)}})
    frame = check(ledger(tmp_path, BETTER), Results(tmp_path))
    assert dict(zip(frame["corpus"], frame["verdict"], strict=True)) == {
        "away": "not reproduced",
        "home": "reproduced",
    }


def test_rows_scored_on_different_citances_are_an_error(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    write_results("demo_table", "home", {"A": {"c-F": base}, "B": {"c-F": base[:-1]}})
    with pytest.raises(
        DataError, match="B and A were not scored on the same citances; 1 have only one of the two"
    ):
        verdict(tmp_path, BETTER)


def test_scores_are_paired_by_citance_whatever_their_order_in_the_file(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    two_rows(write_results, base, 2 + noise(2, 1))
    sorted_row = verdict(tmp_path, BETTER)
    file = tmp_path / "demo_table.citances.csv.gz"
    pd.read_csv(file).sample(frac=1, random_state=0).to_csv(file, index=False)
    row = verdict(tmp_path, BETTER)
    assert (row["effect"], row["ci_low"], row["p_value"]) == pytest.approx(
        (sorted_row["effect"], sorted_row["ci_low"], sorted_row["p_value"])
    )


def test_interval_of_tau_against_its_spread_over_simulated_samples() -> None:
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(600):
        x = rng.normal(size=30)
        samples.append(rank_correlation(x, x + rng.normal(size=30)))
    z = np.arctanh([s.effect for s in samples])
    widths = np.arctanh([s.ci_high for s in samples]) - np.arctanh([s.ci_low for s in samples])
    assert np.std(z) == pytest.approx(widths.mean() / (2 * 1.96), rel=0.1)
    covered = [s.ci_low <= 0.5 <= s.ci_high for s in samples]  # tau of r = 1/sqrt(2) is 2/pi asin(r) = 0.5
    assert 0.93 < np.mean(covered) < 0.97


def test_few_topics_are_named_and_one_topic_gives_no_interval(
    tmp_path: Path, write_results: Write, base: np.ndarray
) -> None:
    columns = {"A": {"c-F": base}, "B": {"c-F": base + 2 + noise(2, 1)}}
    write_results("demo_table", "home", columns, topics=3)
    write_results("demo_table", "single", columns, topics=1)
    frame = check(ledger(tmp_path, BETTER), Results(tmp_path)).set_index("corpus")
    assert frame.loc["home", "verdict"] == "reproduced"
    assert "only 3 topics" in str(frame.loc["home", "reason"])
    assert frame.loc["single", "verdict"] == "partly"
    assert np.isnan(frame.loc["single", "ci_low"])


def test_same_seed_same_intervals(tmp_path: Path, write_results: Write, base: np.ndarray) -> None:
    two_rows(write_results, base, 2 + noise(2, 1))
    demo = ledger(tmp_path, BETTER)
    first, again, other = (check(demo, Results(tmp_path), seed=seed) for seed in (3, 3, 4))
    assert first.equals(again)
    assert not first.equals(other)


def test_a_row_that_a_corpus_cannot_have_is_not_testable_rather_than_pending(tmp_path: Path) -> None:
    ledger = tmp_path / "some" / "claims.yaml"
    ledger.parent.mkdir(exist_ok=True)
    ledger.write_text(
        "paper: some\ntitle: T\ncorpus: home\n"
        "experiments: {e: {where: Table 1, rows: [A, B], columns: [m]}}\n"
        "limits: [{corpora: [away], rows: [B], why: B needs an ontology}]\n"
        "claims:\n"
        "  - {id: b-beats-a, kind: order, where: Text, says: B is better., experiment: e,\n"
        "     check: {better: B, than: A, in: m}}\n",
        encoding="utf-8",
    )
    rows = [("e", corpus, "A", "m", 1.0, 0.5, 1.5, "", 3, "{}", 0) for corpus in ("away", "other")]
    write_atomically(tmp_path / "e.csv", to_csv(pd.DataFrame(rows, columns=COLUMNS)))
    verdicts = check(read(ledger), Results(tmp_path)).set_index("corpus")
    assert verdicts.loc["away", ["verdict", "reason"]].tolist() == [
        "not testable here",
        "B needs an ontology",
    ]
    assert verdicts.loc["other", "verdict"] == "pending"


def test_limits_name_rows_that_exist(tmp_path: Path) -> None:
    ledger = tmp_path / "some" / "claims.yaml"
    ledger.parent.mkdir(exist_ok=True)
    ledger.write_text(
        "paper: some\ntitle: T\ncorpus: home\nclaims: []\n"
        "experiments: {e: {where: Table 1, rows: [A], columns: [m]}}\n"
        "limits: [{corpora: [away], rows: [Z], why: never}]\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError, match="unknown row 'Z'"):
        read(ledger)
