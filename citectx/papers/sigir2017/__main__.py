"""Make Table 1 with a sentence encoder: ``python -m citectx.papers.sigir2017 dense [ENCODER]``."""

import sys

from citectx.errors import CitectxError
from citectx.experiments.results import keep
from citectx.papers.sigir2017 import dense
from citectx.profiles import profile

if __name__ == "__main__":
    opened = profile("open")
    try:
        print(keep(dense.run(opened.load(), *sys.argv[2:]), opened.results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
