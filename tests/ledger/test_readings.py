"""Headline claims under every reading: declarations that are checked, and counts from planted
effects."""

import re
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.errors import DataError
from citectx.ledger import load, papers
from citectx.ledger.checks import RULES, Order
from citectx.ledger.readings import (
    Scored,
    chance,
    counted,
    declarations,
    declared,
    judged,
    read,
)

NAACL = """
corpora = ["teaching"]
over = "topics"

[readings.stem]
choices = [false, true]
open = "whether words are stemmed"

[[headlines]]
claim = "reformulations-help"
better = "NP"
than = "baseline"
in = "F-1"
"""


def planted(gain: float, topics: int = 10, seed: int = 0) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for topic, citance in product(range(topics), range(8)):
        base = 0.2 + 0.02 * rng.normal()
        for method, value in (("baseline", base), ("NP", base + gain + 0.01 * rng.normal())):
            rows.append((f"T{topic}", str(citance), method, value))
    return pd.DataFrame(rows, columns=["topic", "citance", "method", "F-1"])


@pytest.mark.parametrize("paper", papers())
def test_every_headline_claim_is_among_what_is_declared(paper: str) -> None:
    found = [each for each in map(declared, declarations()) if each.paper == paper]
    headlines = {headline.claim for each in found for headline in each.headlines}
    assert headlines >= {claim.claim_id for claim in load(paper) if claim.headline}


@pytest.mark.parametrize("paper", declarations())
def test_the_declared_reading_comes_first_and_each_headline_has_a_control(paper: str) -> None:
    found = declared(paper)
    assert found.name == paper
    assert found.specifications()[0] == found.default
    for each in found.headlines:
        assert each.controls, f"{each.label} has no control"


@pytest.mark.parametrize("paper", declarations())
def test_each_default_is_argued_where_it_says(paper: str) -> None:
    for name, each in declared(paper).readings.items():
        module, _, path = each.argued.partition(":")
        text = Path(str(import_module(module).__file__)).read_text("utf-8")
        assert re.search(rf"\b{path.split('.')[0]}\b", text), f"{name}: {each.argued}"


@pytest.mark.parametrize("paper", declarations())
def test_the_first_headline_is_among_what_the_ledger_decides_by(paper: str) -> None:
    ledger, seen = load(declared(paper).paper), set[str]()
    for each in declared(paper).headlines:
        if each.claim not in seen:
            check = ledger[each.claim].check
            assert isinstance(check, Order)
            assert each.better in check.rows and each.column in check.columns
            decides = check.decides.get("columns", each.column)
            assert decides in (each.column, *RULES)
        seen.add(each.claim)


def test_specifications_are_all_or_one_at_a_time_and_drawn() -> None:
    few = declared("acl2008")
    assert len(few.specifications()) == few.combinations
    many = declared("naacl2015").specifications(drawn=5)
    single = [s for s in many if sum(s[k] != many[0][k] for k in s) == 1]
    assert len(many) == len({*map(repr, many)})
    assert len(many) == 1 + len(single) + 5
    assert many == declared("naacl2015").specifications(drawn=5)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("[false, true]", "[false]", "two or more"),
        ("[false, true]", "[true, true]", "two or more"),
        ('"reformulations-help"', '"helps"', "helps"),
        ("[readings.stem]", "[readings.stem", "Expected"),
        ("open =", "opened =", "opened"),
    ],
)
def test_a_wrong_declaration_names_its_place(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    file = tmp_path / "readings.toml"
    assert old in NAACL
    file.write_text(NAACL.replace(old, new))
    with pytest.raises(DataError, match=expected):
        read(file, load("naacl2015"))


def test_an_effect_is_judged_as_the_ledger_judges_it() -> None:
    choices = declared("naacl2015").default
    found = judged("naacl2015", _with_controls(planted(0.05)), choices).iloc[0]
    frame = planted(0.05).pivot_table("F-1", ["topic", "citance"], "method")
    gains = (frame["NP"] - frame["baseline"]).groupby("topic").mean()
    ends = stats.t.interval(0.95, len(gains) - 1, gains.mean(), stats.sem(gains))
    assert found["effect"] == pytest.approx(gains.mean())
    assert [found["ci_low"], found["ci_high"]] == pytest.approx([*ends])
    assert found["verdict"] == "holds"
    assert found["topics"].sum() == pytest.approx(found["effect"])
    worse = judged("naacl2015", _with_controls(planted(-0.05)), choices).iloc[0]
    assert worse["verdict"] == "contradicted"


def _with_controls(frame: pd.DataFrame) -> pd.DataFrame:
    control = frame[frame["method"] == "baseline"].assign(method="random words")
    return pd.concat([frame, control])


def test_means_are_over_what_the_reading_says() -> None:
    rows = [("a", "1", "x", 0.0), ("a", "2", "x", 0.0), ("b", "1", "x", 3.0)]
    frame = pd.DataFrame(rows, columns=["topic", "citance", "method", "m"])
    assert Scored(frame, "topics").table("")["", "x", "m"].value == pytest.approx(1.5)
    assert Scored(frame, "citances").table("")["", "x", "m"].value == pytest.approx(1.0)


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
    choices = declared("naacl2015").default
    frames = [
        judged("naacl2015", _with_controls(planted(gain, seed=i)), choices)
        for i, gain in enumerate((0.05, 0.04, -0.05))
    ]
    table = pd.concat(frames, ignore_index=True)
    own = counted(table).iloc[0]
    assert (own["headline"], own["against"]) == ("NP over baseline in F-1", "")
    assert own[["readings", "holds", "contradicted", "ahead"]].tolist() == [3, 2, 1, 2]
    assert own["smallest"] < own["median"] < own["largest"] == own["declared"]
