"""Build the site: ``python -m citectx.site``."""

import sys

from citectx.errors import CitectxError
from citectx.site.build import build

try:
    print(f"the site is in {build()}")
except CitectxError as error:
    print(f"citectx: {error}", file=sys.stderr)
    sys.exit(1)
