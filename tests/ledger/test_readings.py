"""Headline claims under every reading: what is declared, and counts from planted effects."""

import re
from dataclasses import replace
from importlib import import_module
from itertools import chain, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.ledger import load, papers
from citectx.ledger.claim import Claim, Order, best_of, better
from citectx.ledger.readings import (
    BY_TOPIC,
    COUNTED,
    EVIDENCE,
    Choices,
    Curve,
    Headline,
    chance,
    confirm,
    count_verdicts,
    judge,
)
from citectx.ledger.rule import BELOW, NOT_BEYOND
from citectx.paths import RESULTS

DECLARED = {paper: import_module(f"citectx.papers.{paper}.readings").CURVES for paper in papers()}
*_, NAACL = DECLARED["naacl2015"]
DRAWN = [
    ["True", "function", "False", "log", "20", "topics", "with evidence", "three terms", "ln"],
    ["True", "function", "False", "raw", "3", "citances", "all", "any length", "log10"],
]
"""The last of naacl2015's specifications where two are drawn, from before."""

each_curve = pytest.mark.parametrize(
    "curve", [*chain(*DECLARED.values())], ids=lambda curve: curve.name
)


def planted(gain: float, topics: int = 10, seed: int = 0) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for topic, citance in product(range(topics), range(8)):
        base = 0.2 + 0.02 * rng.normal()
        values = {"baseline": base, "NP": base + gain + 0.01 * rng.normal(), "random words": base}
        rows += [(f"T{topic}", str(citance), method, value) for method, value in values.items()]
    return pd.DataFrame(rows, columns=["topic", "citance", "method", "F-1"])


def under(frame: pd.DataFrame, **choices: str) -> pd.DataFrame:
    """Judge planted scores of the first headline under one reading."""
    curve = replace(NAACL, headlines=NAACL.headlines[:1], scores=lambda *_: frame)
    return judge(curve, "planted", NAACL.specifications()[0] | choices)


@pytest.mark.parametrize("paper", papers())
def test_every_headline_claim_is_among_what_is_declared(paper: str) -> None:
    headlines = {headline.claim for each in DECLARED[paper] for headline in each.headlines}
    assert headlines >= {claim.claim_id for claim in load(paper) if claim.headline}


@each_curve
def test_each_reading_is_argued_and_each_headline_claim_has_a_control(curve: Curve) -> None:
    for name, each in curve.readings.items():
        assert len({*map(repr, each.choices)}) == len(each.choices) > 1
        module, _, path = each.argued.partition(":")
        text = Path(str(import_module(module).__file__)).read_text("utf-8")
        assert re.search(rf"\b{path.split('.')[0]}\b", text), f"{name}: {each.argued}"
    claims, (corpus, *_) = load(curve.paper), curve.corpora
    headlines = [each for each in curve.headlines if claims[each.claim].headline]
    assert all(each.controls(claims[each.claim].on(corpus)) for each in headlines)


@each_curve
def test_the_first_headline_is_among_what_the_ledger_decides_by(curve: Curve) -> None:
    ledger = load(curve.paper)
    for each in {each.claim: each for each in reversed(curve.headlines)}.values():
        check = ledger[each.claim].on(curve.corpora[0]).check
        assert isinstance(check, Order)
        rows = check.rows if check.sign > 0 else check.rivals
        assert each.better in rows and each.column in check.columns


@each_curve
def test_specifications_are_all_or_one_at_a_time_and_drawn(curve: Curve) -> None:
    found = curve.specifications()
    first = {name: each.choices[0] for name, each in curve.readings.items()}
    assert found[0] == first and found == curve.specifications()
    assert len({*map(repr, found)}) == len(found)
    single = [one for one in found if sum(one[name] != first[name] for name in one) == 1]
    assert len(single) == sum(len(each.choices) - 1 for each in curve.readings.values())
    every = np.prod([len(each.choices) for each in curve.readings.values()])
    assert len(found) == (every if curve.drawn is None else 1 + len(single) + curve.drawn)


def test_what_is_drawn_stays_as_it_was() -> None:
    few = replace(NAACL, drawn=2).specifications()[-2:]
    assert [[*map(str, one.values())] for one in few] == DRAWN


def test_a_control_is_about_the_row_rival_and_column_of_its_headline() -> None:
    rivals, minus = best_of(("X", "Y")), ("C", "X")
    controls = (
        better(("A", "B"), rivals, ("c-F", "nDCG"), minus=minus),
        better(("A", "B"), "random", "c-P"),
        better("B", "other", "c-F"),
    )
    check = better(("A", "B"), rivals, ("c-F", "nDCG"))
    claim = Claim("it", "here", "x", "demo_table", check, controls)
    found = Headline("it", "A", ("X",), "c-F").controls(claim)
    assert found == {
        "C": better("A", "X", "c-F", minus=minus),
        "random in c-P": better("A", "random", "c-P"),
    }


def test_a_confirmation_has_what_its_corpus_leaves_open_and_draws_nothing() -> None:
    confirmed = confirm(NAACL, "new", evidence=EVIDENCE)
    assert confirmed.corpora == ("new",)
    assert [*confirmed.readings] == [*NAACL.readings, "evidence"]
    changed = [one for one in confirmed.specifications() if one["evidence"] == "as published"]
    assert changed == [confirmed.specifications()[0] | {"evidence": "as published"}]
    others = sum(len(each.choices) - 1 for each in NAACL.readings.values())
    assert len(confirmed.specifications()) == 1 + others + 1


def test_evidence_as_published_is_that_of_the_twin() -> None:
    asked: list[str] = []

    def scores(corpus: str, _: Choices) -> pd.DataFrame:
        asked.append(corpus)
        return planted(0.05)

    curve = replace(confirm(NAACL, "new", evidence=EVIDENCE), scores=scores)
    for choice in EVIDENCE.choices:
        judge(curve, "new", curve.specifications()[0] | {"evidence": choice})
    assert asked == ["new", "new-published"]


def test_an_effect_is_judged_as_the_ledger_judges_it() -> None:
    found = under(planted(0.05)).iloc[0]
    frame = planted(0.05).pivot_table("F-1", ["topic", "citance"], "method")
    gains = (frame["NP"] - frame["baseline"]).groupby("topic").mean()
    ends = stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))
    assert found["effect"] == pytest.approx(gains.mean())
    assert [found["ci_low"], found["ci_high"]] == pytest.approx([*ends])
    assert found["verdict"] == "holds"
    assert found[BY_TOPIC].to_numpy().sum() == pytest.approx(found["effect"])
    worse = under(planted(-0.05)).iloc[0]
    assert worse["verdict"] == "contradicted"


def test_means_are_over_what_the_reading_says() -> None:
    frame = planted(0.05)
    more = frame[(frame["topic"] == "T0") & (frame["method"] == "NP")]
    frame.loc[more.index, "F-1"] += 1.0
    frame = frame[(frame["topic"] != "T1") | (frame["citance"] == "0")]
    wide = frame.pivot_table("F-1", ["topic", "citance"], "method")
    gains = wide["NP"] - wide["baseline"]
    for over, expected in (("topics", gains.groupby("topic").mean()), ("citances", gains)):
        found = under(frame, over=over).iloc[0]
        assert found["effect"] == pytest.approx(expected.mean())


def test_chance_is_the_sign_test_of_one_reading() -> None:
    gains = np.random.default_rng(1).normal(0.5, 1, size=9)
    signs = np.array([*product((1, -1), repeat=9)])
    expected = (np.abs(signs @ gains) >= abs(gains.sum()) - 1e-12).mean()
    assert chance(gains[None, None]) == pytest.approx(expected)
    assert chance(np.stack([gains[None]] * 7)) == pytest.approx(expected)


def test_chance_compares_with_our_effect_also_where_exchanges_are_drawn() -> None:
    """Of 2^14 exchanges two are as large as gains that are alike, of 2^20 likewise."""
    for topics in (14, 20):
        assert 1 / 4096 <= chance(np.ones((1, 1, topics))) <= 4 / 4096
    gains = np.random.default_rng(2).normal(0.5, 1, size=14)
    signs = np.array([*product((1, -1), repeat=14)])
    expected = (np.abs(signs @ gains) >= abs(gains.sum())).mean()
    assert chance(gains[None, None]) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("rivals", [1, 4])
def test_chance_is_uniform_where_there_is_nothing(rivals: int) -> None:
    """Also over the strongest of several rivals, which is chosen again in each exchange."""
    rng, shape = np.random.default_rng(0), (3, rivals, 12)
    noise = [rng.normal(size=shape) + 2 * rng.normal(size=shape[1:]) for _ in range(300)]
    assert stats.kstest([chance(one) for one in noise], "uniform").pvalue > 0.01


def test_counts_are_those_of_the_table() -> None:
    frames = [under(planted(gain, seed=i)) for i, gain in enumerate((0.05, 0.04, -0.05, -0.05))]
    cells = count_verdicts(pd.concat([*frames, frames[0]], ignore_index=True))
    label = NAACL.headlines[0].label
    assert {cell.method for cell in cells} == {label, f"{label}, control: random words"}
    own = {cell.metric: cell.value for cell in cells if cell.method == label}
    assert [own[name] for name in ("run", "readings", "ahead")] == [5, 4, 2]
    assert [own[name] for name in ("holds", "not beyond", "contradicted")] == [2, 0, 2]
    assert own["smallest"] < own["median"] < own["largest"] == own["declared"]


def test_what_is_not_beyond_its_control_does_not_plainly_hold() -> None:
    frame = planted(0.05)
    chosen = frame["method"] == "random words"
    frame.loc[chosen, "F-1"] = frame.loc[frame["method"] == "NP", "F-1"].to_numpy() + 0.01
    rows = under(frame)
    assert rows["role"].tolist() == ["claim", "control"]
    assert rows["against"].tolist() == ["baseline", "random words"]
    assert rows["verdict"].tolist() == [BELOW, "contradicted"]
    frame.loc[chosen, "F-1"] -= 0.01 + 0.01 * np.random.default_rng(0).normal(size=chosen.sum())
    assert under(frame)["verdict"].iloc[0] == NOT_BEYOND


@each_curve
def test_committed_readings_are_judged_by_the_rule_of_today(curve: Curve) -> None:
    """Whether each control is clearly ahead or behind is read from its interval."""
    file = RESULTS / "open" / curve.name / f"{curve.name}.readings.csv"
    rows = pd.read_csv(file, keep_default_na=False)
    numbers = rows[["ci_low", "ci_high"]].apply(pd.to_numeric)
    claims = rows["role"] == "claim"
    for _, group in rows.assign(**numbers).groupby(claims.cumsum()):
        claim, controls = group.iloc[0], group.iloc[1:]
        if claim["verdict"].startswith("holds"):
            kind = {
                "holds": (controls["ci_low"] > 0).all() and len(controls) > 0,
                "holds, no control": not len(controls),
                BELOW: (controls["ci_high"] < 0).any(),
                NOT_BEYOND: not (controls["ci_low"] > 0).all(),
            }
            assert kind[claim["verdict"]]
    table = pd.read_csv(file.with_name(f"{curve.name}.csv"))
    wide = table.pivot_table("value", ["corpus", "method"], "metric")
    for at, counts in wide.iterrows():
        corpus, label = at if isinstance(at, tuple) else ("", "")
        if ", control" not in label:
            own = rows[claims & (rows["corpus"] == corpus) & (rows["headline"] == label)]
            distinct = own[~own[["effect", "ci_low", "ci_high"]].duplicated()]
            verdicts = distinct["verdict"].tolist()
            assert counts["readings"] == len(distinct)
            assert [counts[name] for name in COUNTED] == [*map(verdicts.count, COUNTED.values())]
