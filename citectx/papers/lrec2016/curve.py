"""lrec2016 Figure 3 under one reading of what the paper leaves open: see `citectx.ledger.readings`.

Controls are those of the figure: labels dealt out at random, no classes at all, slices of equal
length, and the weights of the other classes. Shuffled labels are a mean over three deals.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.figure3 import pooled_scores
from citectx.papers.lrec2016.training import Setup

SHUFFLES = 3
SETUPS: Mapping[str, Mapping[str, Any]] = {
    "as in the paper": {},
    "by class": {"how": "shared"},
    "one vector": {"how": "shared", "pool": "all"},
    "other classes": {"how": "shared", "pool": "others"},
    "fields of equal length": {"fields": "equal length"},
    **{f"shuffled labels {i + 1}": {"shuffle": i} for i in range(SHUFFLES)},
}
"""What is trained, as changes to the reading's own setup; "shared" folds are by article already."""


def data(collection: str) -> str:
    """Hash what scores are computed from."""
    return training.load(collection).fingerprint()


def scores(collection: str, choices: Mapping[str, Any]) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls.

    Parameters
    ----------
    collection : str
    choices : mapping of str to object
        One of each reading in ``readings.toml``.

    Returns
    -------
    DataFrame
        Columns topic (the citing article), citance, method, NDCG.
    """
    task = training.load(collection)
    own = Setup(
        how=choices["folds"],
        depth=choices["depth"],
        restarts=choices["restarts"],
        alone=choices["citations"] == "alone",
        earlier=choices["citations"] == "earlier" and collection != "planted",
    )
    setups = {name: replace(own, **changes) for name, changes in SETUPS.items()}
    found = training.train(replace(task, trained={}), [*setups.values()])
    whole = pooled_scores(task, dict(zip(setups, found, strict=True)))
    return whole[["topic", "citance", "method", "NDCG"]]
