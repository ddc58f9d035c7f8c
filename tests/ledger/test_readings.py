"""Headline claims under every reading: what is declared, and counts from planted effects."""

import re
from dataclasses import replace
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.ledger import load, papers
from citectx.ledger.checks import RULES, Order
from citectx.ledger.readings import Curve, chance, counted, curves, judge

NAACL = curves()["naacl2015"]
DRAWN = [
    ["True", "function", "False", "log", "20", "topics", "with evidence", "three terms", "ln"],
    ["True", "function", "False", "raw", "3", "citances", "all", "any length", "log10"],
]
"""The last of naacl2015's specifications where two are drawn, from before."""

each_curve = pytest.mark.parametrize("curve", curves().values(), ids=lambda curve: curve.name)


def planted(gain: float, topics: int = 10, seed: int = 0) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for topic, citance in product(range(topics), range(8)):
        base = 0.2 + 0.02 * rng.normal()
        for method, value in (("baseline", base), ("NP", base + gain + 0.01 * rng.normal())):
            rows.append((f"T{topic}", str(citance), method, value))
    return pd.DataFrame(rows, columns=["topic", "citance", "method", "F-1"])


def default(curve: Curve) -> dict[str, object]:
    return curve.specifications()[0]


@pytest.mark.parametrize("paper", papers())
def test_every_headline_claim_is_among_what_is_declared(paper: str) -> None:
    found = [curve for curve in curves().values() if curve.paper == paper]
    headlines = {headline.claim for each in found for headline in each.headlines}
    assert headlines >= {claim.claim_id for claim in load(paper) if claim.headline}


@each_curve
def test_each_reading_is_argued_and_each_headline_claim_has_a_control(curve: Curve) -> None:
    for name, each in curve.readings.items():
        assert len({*map(repr, each.choices)}) == len(each.choices) > 1
        module, _, path = each.argued.partition(":")
        text = Path(str(import_module(module).__file__)).read_text("utf-8")
        assert re.search(rf"\b{path.split('.')[0]}\b", text), f"{name}: {each.argued}"
    claims = load(curve.paper)
    assert all(each.controls for each in curve.headlines if claims[each.claim].headline)


@each_curve
def test_the_first_headline_is_among_what_the_ledger_decides_by(curve: Curve) -> None:
    ledger = load(curve.paper)
    for each in {each.claim: each for each in reversed(curve.headlines)}.values():
        check = ledger[each.claim].check
        assert isinstance(check, Order)
        rows = check.rows if check.sign > 0 else check.rivals
        assert each.better in rows and each.column in check.columns
        assert check.decides.get("columns", each.column) in (each.column, *RULES)


@each_curve
def test_specifications_are_all_or_one_at_a_time_and_drawn(curve: Curve) -> None:
    found = curve.specifications()
    first = {name: each.choices[0] for name, each in curve.readings.items()}
    assert found[0] == first and found == curve.specifications()
    assert len({*map(repr, found)}) == len(found)
    single = [one for one in found if sum(one[name] != first[name] for name in one) == 1]
    assert len(single) == sum(len(each.choices) - 1 for each in curve.readings.values())
    every = np.prod([len(each.choices) for each in curve.readings.values()])
    assert len(found) == min(every, 1 + len(single) + curve.drawn)


def test_what_is_drawn_stays_as_it_was() -> None:
    few = replace(NAACL, drawn=2).specifications()[-2:]
    assert [[*map(str, one.values())] for one in few] == DRAWN


def test_an_effect_is_judged_as_the_ledger_judges_it() -> None:
    found = judge(NAACL, _with_controls(planted(0.05)), default(NAACL)).iloc[0]
    frame = planted(0.05).pivot_table("F-1", ["topic", "citance"], "method")
    gains = (frame["NP"] - frame["baseline"]).groupby("topic").mean()
    ends = stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))
    assert found["effect"] == pytest.approx(gains.mean())
    assert [found["ci_low"], found["ci_high"]] == pytest.approx([*ends])
    assert found["verdict"] == "holds"
    assert found["topics"].sum() == pytest.approx(found["effect"])
    worse = judge(NAACL, _with_controls(planted(-0.05)), default(NAACL)).iloc[0]
    assert worse["verdict"] == "contradicted"


def _with_controls(frame: pd.DataFrame) -> pd.DataFrame:
    control = frame[frame["method"] == "baseline"].assign(method="random words")
    return pd.concat([frame, control])


def test_means_are_over_what_the_reading_says() -> None:
    frame = _with_controls(planted(0.05))
    more = frame[(frame["topic"] == "T0") & (frame["method"] == "NP")]
    frame.loc[more.index, "F-1"] += 1.0
    frame = frame[(frame["topic"] != "T1") | (frame["citance"] == "0")]
    wide = frame.pivot_table("F-1", ["topic", "citance"], "method")
    gains = wide["NP"] - wide["baseline"]
    for over, expected in (("topics", gains.groupby("topic").mean()), ("citances", gains)):
        found = judge(NAACL, frame, default(NAACL) | {"over": over}).iloc[0]
        assert found["effect"] == pytest.approx(expected.mean())


def test_chance_is_the_sign_test_of_one_reading() -> None:
    gains = np.random.default_rng(1).normal(0.5, 1, size=9)
    signs = np.array([*product((1, -1), repeat=9)])
    expected = (np.abs(signs @ gains) >= abs(gains.sum()) - 1e-12).mean()
    assert chance(gains[None]) == pytest.approx(expected)
    assert chance(np.stack([gains] * 7)) == pytest.approx(expected)


def test_chance_is_uniform_where_there_is_nothing() -> None:
    rng = np.random.default_rng(0)
    found = [chance(rng.normal(size=(3, 14)) + rng.normal(size=14)) for _ in range(200)]
    assert stats.kstest(found, "uniform").pvalue > 0.01


def test_counts_are_those_of_the_table() -> None:
    frames = [
        judge(NAACL, _with_controls(planted(gain, seed=i)), default(NAACL))
        for i, gain in enumerate((0.05, 0.04, -0.05))
    ]
    own = counted(pd.concat(frames, ignore_index=True)).iloc[0]
    assert own[["readings", "holds", "contradicted", "ahead"]].tolist() == [3, 2, 1, 2]
    assert own["smallest"] < own["median"] < own["largest"] == own["declared"]
