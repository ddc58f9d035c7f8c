"""Language: sentences, words, candidate spans, idf, noun phrases and the sentences that cite an article."""

import os
import sys

UNUSED = ("sklearn", "scipy.stats", "matplotlib")
"""What NLTK would load for parts of it that are not used here: a second."""


def load_nltk() -> None:
    """Import NLTK without `UNUSED`, whose parts of NLTK fail afterwards.

    Only processes that nobody else uses do so: commands, and kernels that run a notebook unattended.
    """
    unused = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(unused))  # type: ignore[arg-type]  # None stops an import
    try:
        import nltk  # noqa: F401
    finally:
        for name in unused:
            del sys.modules[name]


if os.environ.get("CITECTX_STATIC"):
    load_nltk()
