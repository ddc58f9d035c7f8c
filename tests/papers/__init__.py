"""What the tests of all papers share."""

import pandas as pd

from citectx.experiments.results import Result


def scores_of(result: Result) -> pd.DataFrame:
    """Return the scores of single citances, which not every result has."""
    assert result.citances is not None
    return result.citances
