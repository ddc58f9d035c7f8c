"""Smallest effects: against simulated samples, and the committed table counted again."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx.apps import power
from citectx.errors import ParameterError
from citectx.evaluation import smallest_effect
from citectx.experiments.results import find, read
from citectx.paths import RESULTS

OPEN = RESULTS / "open"


@pytest.mark.parametrize("n", [3, 10, 100])
def test_simulated_samples_with_that_effect_are_found_as_often(n: int) -> None:
    samples = np.random.default_rng(n).normal(smallest_effect(2.0, n), 2.0, (20_000, n))
    test = stats.ttest_1samp(samples, 0, axis=1)
    found = (test.pvalue < 0.05) & (test.statistic > 0)
    assert np.mean(found) == pytest.approx(0.8, abs=0.012)


@pytest.mark.parametrize(("spread", "n", "likely"), [(-1, 9, 0.8), (1, 2, 0.8), (1, 9, 1.0)])
def test_what_cannot_be_computed_is_refused(spread: float, n: int, likely: float) -> None:
    with pytest.raises(ParameterError, match="3 pairs or more"):
        smallest_effect(spread, n, likely)


def test_table_is_what_the_scores_say() -> None:
    table = read(OPEN, power.NAME)
    pd.testing.assert_frame_equal(
        table[["method", "metric", "value"]],
        power.run(OPEN).table[["method", "metric", "value"]].round(4),
        atol=1e-4,
    )
    scores = pd.read_csv(find(OPEN, "sigir2017_table1.citances.csv.gz"))
    own = scores[scores["corpus"] == power.CORPUS]
    topics = own.groupby(["method", "topic"])["nDCG"].mean()
    spread = float(np.std(topics["WE_Bio+dmn"] - topics["QR"], ddof=1))
    rows = table[table["method"] == "WE_Bio+dmn − QR"].to_dict("records")
    found = {row["metric"]: row for row in rows}
    numbers = [found["nDCG: sd"][name] for name in ("value", "ci_low", "ci_high")]
    ends = spread * np.sqrt(9 / stats.chi2.ppf([0.975, 0.025], 9))
    assert numbers == pytest.approx([spread, *ends], abs=1e-4)
    # Power by another library's t-distribution.
    effect, critical = found["nDCG: 100 topics"]["value"], stats.t.ppf(0.975, 99)
    likely = stats.nct.sf(critical, 99, effect / spread * 10)
    assert likely == pytest.approx(0.8, abs=1e-3)
