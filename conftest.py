"""Notebooks are compared as they are committed: without widgets."""

import os

os.environ.setdefault("CITECTX_STATIC", "1")
