"""sigir2017 Table 1: how much freedom tuning had in each row, and how much that flatters.

The more variants a row may choose from, the further its best score on all topics lies above what
the same choice is worth on topics that had no part in it. The paper tuned "for the best
performance" and says nothing of topics held out, so both are listed.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from citectx.experiments.report import BASELINES
from citectx.experiments.tuning import Tuned, best_variant, cross_validated, repeated
from citectx.ledger.intervals import interval
from citectx.types import Floats

COLUMNS = ["method", "variants", "choices", "in_sample", "held_out", "repeated"]
EFFECT = ["against", "difference", "ci_low", "ci_high"]


def freedom(
    tuned: Mapping[str, Tuned], baselines: Sequence[str] = BASELINES, seed: int = 0
) -> pd.DataFrame:
    """List for each row how many variants it had, and its character F by three ways to choose.

    Parameters
    ----------
    tuned : mapping of str to Tuned
        Rows of one table, on the same topics.
    baselines : sequence of str
    seed : int
        Of the partitions (`citectx.experiments.tuning.repeated`).

    Returns
    -------
    DataFrame
        Columns method, variants, choices (different variants chosen in the folds), in_sample (the
        best variant on all topics), held_out (as in the table: each topic by the variant that was
        best on the other folds), repeated (five folds, many times); all means over citances, in
        percent. And repeated minus that of the best baseline: against, difference, ci_low, ci_high
        (Student's t over topics, as in the ledger); empty for that baseline, or if there is none.
    """
    by_topic = {name: repeated(own.sums, own.sizes, seed=seed) for name, own in tuned.items()}
    known = [name for name in baselines if name in tuned]
    best = max(known, key=lambda name: by_topic[name].sum(), default="")
    rows = []
    for name, own in tuned.items():
        effect: list[object] = ["", np.nan, np.nan, np.nan]
        if best and name != best:
            effect = [best, *_difference(by_topic[name] - by_topic[best], own.sizes)]
        rows.append([name, *_scores(own), _mean(by_topic[name], own.sizes), *effect])
    return pd.DataFrame(rows, columns=[*COLUMNS, *EFFECT])


def _scores(tuned: Tuned) -> tuple[int, int, float, float]:
    """Count variants and choices; score the best variant, and those chosen by the folds."""
    best = best_variant(tuned.sums, tuned.sizes)
    in_sample = _mean(tuned.sums[best], tuned.sizes)
    chosen = cross_validated(tuned.sums, tuned.sizes, tuned.folds)
    held_out = _mean(tuned.sums[chosen, range(len(chosen))], tuned.sizes)
    return len(tuned.variants), len({*chosen}), in_sample, held_out


def _mean(sums: Floats, sizes: Floats) -> float:
    """Return the mean over citances, in percent."""
    return float(100 * sums.sum() / sizes.sum())


def _difference(sums: Floats, sizes: Floats) -> tuple[float, float, float]:
    """Return the mean of what citances gain, in percent, and its interval over topics."""
    shares, effect = sizes / sizes.sum(), _mean(sums, sizes)
    moves = shares * (100 * sums / sizes - effect)
    found = interval(effect, moves, shares)
    return found.effect, found.ci_low, found.ci_high
