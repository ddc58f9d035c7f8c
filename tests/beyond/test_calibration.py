"""The shares that passages are shown with: the table, the page and the scale say the same."""

import re

import numpy as np
import pandas as pd
import pytest

from citectx.beyond import calibration
from citectx.beyond.calibration import Scale, fit, reliability
from citectx.paths import ROOT
from docs.reliability import PICTURE, picture

TABLE = pd.read_csv(calibration.TABLE)
PAGE = (ROOT / "docs" / "your-paper.md").read_text("utf-8")


def test_a_scale_finds_the_chances_that_it_was_made_from() -> None:
    rng = np.random.default_rng(0)
    log_odds = rng.normal(-1, 2, 40_000)
    chances = Scale(0.5, -1.0).chances(log_odds)
    # four annotators, of whom each marks with that chance
    right = rng.binomial(4, chances) / 4
    topic = np.arange(len(right)) % 20
    passages = pd.DataFrame({"topic": topic, "log_odds": log_odds, "right": right})
    weights = pd.Series(1.0, passages.index)
    scale = fit(passages, weights)
    assert scale.slope == pytest.approx(0.5, abs=0.02)
    assert scale.intercept == pytest.approx(-1.0, abs=0.03)
    table = reliability(scale, passages)
    assert (table["right"] - table["said"]).abs().max() < 0.02
    assert table["passages"].sum() == len(passages)
    assert fit(passages, 3 * weights).slope == pytest.approx(scale.slope, abs=0.001)


def test_the_shares_of_the_package_are_the_mean_of_both_directions() -> None:
    crossed = TABLE[TABLE["learned_on"] != "both"].groupby("band")["right"]
    scale = Scale.load()
    assert scale.shares == pytest.approx(crossed.mean().tolist(), abs=0.001)
    # declared: if the directions of a band were further apart, ranks alone would be shown
    apart = [int(np.ptp(np.digitize(right, calibration.EDGES))) for _, right in crossed]
    assert max(apart) == 1
    words = [scale.words(chance) for chance in (0.05, 0.1, 0.24, 0.25, 0.9)]
    assert words == [f"about one in {n}" for n in ("twelve", "seven", "seven", "four", "four")]
    assert all(f"one in {n}" in PAGE for n in ("twelve", "seven", "four"))


def test_the_page_shows_the_table() -> None:
    rows = re.findall(r"^\| (?:learned|citation|scisumm).*\|$", PAGE, re.MULTILINE)
    shown = [float(number) for row in rows for number in re.findall(r"\.\d\d", row)]
    numbers = TABLE[["right", "ci_low", "ci_high"]].to_numpy().ravel()
    assert shown == pytest.approx(numbers, abs=0.0051)
    assert len(rows) == 4


def test_the_figure_follows_from_the_table() -> None:
    assert picture() == PICTURE.read_text("utf-8")
