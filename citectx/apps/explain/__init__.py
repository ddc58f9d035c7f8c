"""From a number in a table to what it rests on, on one screen: the command ``citectx explain``."""

import sys

from citectx import profiles
from citectx.apps.explain.asked import Asked as Asked
from citectx.apps.explain.asked import Shelf as Shelf
from citectx.apps.explain.asked import asked as asked
from citectx.apps.explain.asked import named as named
from citectx.apps.explain.sections import WIDTH as WIDTH
from citectx.apps.explain.sections import explained as explained


def cmd_explain(
    *, table: str, row: str, metric: str, corpus: str | None = None, profile: str = "open"
) -> int:
    """Run ``citectx explain``.

    Raises
    ------
    ParameterError
        As `asked` does.
    MissingDataError
        If the profile has no results.
    """
    shelf = Shelf(profiles.profile(profile))
    sys.stdout.write(explained(asked(shelf, table, row, metric, corpus)))
    return 0
