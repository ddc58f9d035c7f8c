"""Make Table 1 with a sentence encoder: ``python -m citectx.papers.sigir2017 dense [ENCODER]``."""

import sys

from citectx.errors import CitectxError, unknown
from citectx.experiments.results import keep
from citectx.papers.sigir2017 import dense
from citectx.profiles import profile

if __name__ == "__main__":
    name, *encoder = sys.argv[1:] or [""]
    try:
        if name != "dense":
            raise unknown("table", name, ["dense"])
        opened = profile("open")
        print(keep(dense.run(opened.load(), *encoder), opened.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
