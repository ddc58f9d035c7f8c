"""toy Table 1: are long sentences longer?"""

from collections.abc import Sequence

import pandas as pd

from citectx.corpora.model import Corpus
from citectx.experiments.results import COLUMNS, Result

NAME = "toy_table1"
METHODS = {"whole": 1.0, "half": 0.5}


def run(corpora: Sequence[Corpus]) -> Result:
    """Count the characters of citances, and half of them."""
    rows = [
        (c.name, t.topic_id, s.citance_id, method, share * len(s.text))
        for c in corpora
        for t in c
        for s in t.citances
        for method, share in METHODS.items()
    ]
    scores = pd.DataFrame(rows, columns=["corpus", "topic", "citance", "method", "length"])
    means = (
        scores.groupby(["corpus", "method"], sort=False)["length"]
        .agg(["mean", "size"])
        .reset_index()
    )
    table = means.rename(columns={"mean": "value", "size": "n"}).assign(
        experiment=NAME,
        metric="length",
        ci_low=0.0,
        ci_high=1000.0,
        p_value=None,
        params="{}",
        seed=0,
    )
    return Result(NAME, table[COLUMNS], scores)
