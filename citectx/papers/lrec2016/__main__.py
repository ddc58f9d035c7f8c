"""Make the table that takes its own time: ``python -m citectx.papers.lrec2016 seeds [JOBS]``."""

import sys

from citectx import profiles
from citectx.errors import CitectxError, unknown
from citectx.experiments.results import keep
from citectx.papers.lrec2016 import figure3

if __name__ == "__main__":
    name, jobs = [*sys.argv[1:], "", "1"][:2]
    try:
        if name != "seeds":
            raise unknown("table", name, ["seeds"])
        result = figure3.by_seed(jobs=int(jobs or 1))
        print(keep(result, profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
