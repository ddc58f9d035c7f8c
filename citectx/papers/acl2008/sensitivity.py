"""acl2008 §5.3: how much the parameters of the impact model matter, and other readings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from citectx.experiments.results import Result
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.acl2008.methods import reported, rows_of_models
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_sensitivity"
LENGTHS = (10, 15)
DEFAULT = "as published"
GRIDS: dict[str, tuple[float, ...]] = {
    "mu_s": (1, 10, 50, 100, 500, 1000, 2000, 5000, 10_000, 50_000),
    "mu_c": (0, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
    "delta": tuple(round(0.1 * i, 1) for i in range(11)),
    "alpha": (1, 1.5, 2, 3, 4, 6, 10),
}
"""Values of each parameter, the others as published. μ_c belongs to Eq. 2, δ to Eq. 3."""

READINGS: dict[str, dict[str, Any]] = {
    "stemmed": {"stem": True},
    "all words": {"stop_words": "none"},
    "function words dropped": {"stop_words": "function"},
    "markers kept": {"strip_markers": False},
    "window 0": {"window": 0},
    "window 1": {"window": 1},
    "window 4": {"window": 4},
}
"""Other readings of what the paper does not say, and other windows."""


def models() -> dict[str, ImpactModel]:
    """All settings by name.

    >>> [name for name in models() if name.startswith("delta=0.4")]
    ['delta=0.4']
    """
    found = {DEFAULT: ImpactModel()}
    for name, values in GRIDS.items():
        base = ImpactModel(interpolation="dirichlet") if name == "mu_c" else ImpactModel()
        for value in values:
            found[f"{name}={value:g}"] = ImpactModel(**base.params() | {name: float(value)})
    return found


def run(
    sets: Sequence[ImpactSet],
    lengths: Sequence[int] = LENGTHS,
    *,
    readings: bool = True,
    seed: int = 0,
) -> Result:
    """Vary one parameter at a time.

    Source: acl2008 §5.3, last paragraph, which has ranges but no numbers. ``p_value`` is a paired
    t-test over papers against the published setting.

    Parameters
    ----------
    sets : sequence of ImpactSet
    lengths : sequence of int
        Ambiguity: the paper does not say how long the summaries were.
    readings : bool
        Whether to add `READINGS`, for which the words of the test set are counted anew.
    seed : int

    Returns
    -------
    Result
        With ``tests``, and ``curves``: parameter, value and the mean of each score.
    """
    parts = []
    for each in sets:
        frames = [rows_of_models(each, models(), lengths)]
        params = {name: model.params() for name, model in models().items()}
        for name, changed in READINGS.items() if readings else ():
            counted = each.recounted(**changed)  # what is chosen is scored as before
            frames.append(rows_of_models(each, {name: ImpactModel()}, lengths, counted))
            params[name] = ImpactModel().params() | changed
        scores = pd.concat(frames, ignore_index=True)
        others = scores.columns.str.contains(r" [PF] @")  # precision and F
        parts.append(reported(NAME, each, scores.loc[:, ~others], params, (DEFAULT,), seed))
    result = Result.of(NAME, parts)
    return replace(result, extra={**result.extra, "curves": _curves(result.table)})


def _curves(table: pd.DataFrame) -> pd.DataFrame:
    """Split the names of the rows of `GRIDS` into parameter and value."""
    split = table["method"].str.partition("=")
    own = table.assign(parameter=split[0], at=pd.to_numeric(split[2], errors="coerce"))
    kept = own[own["parameter"].isin(list(GRIDS)) & own["at"].notna()].reset_index(drop=True)
    return kept[["corpus", "parameter", "at", "metric", "value", "ci_low", "ci_high"]]
