"""Judge headline claims under every reading: ``python -m citectx.papers [NAME ...]``."""

import os
import sys

from citectx.errors import CitectxError
from citectx.papers.curves import cmd_readings

if __name__ == "__main__":
    try:
        cmd_readings(curves=sys.argv[1:], profile="open", drawn=None, jobs=os.cpu_count() or 1)
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
