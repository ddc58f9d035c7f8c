"""The ledger of claims: what each paper says, as data, and what our results say to that.

>>> ledger = load("sigir2017")
>>> print(ledger["bio-beats-wiki"].says)
Embeddings from biomedical text find better contexts than embeddings from general text.
"""

import sys
from types import ModuleType

import pandas as pd

from citectx.claims.findings import Findings
from citectx.claims.ledger import Claim, Ledger, load, papers, read
from citectx.claims.replication import all_replication, replication
from citectx.claims.report import cmd_claims, markdown_summary, show, summary
from citectx.claims.results import Results
from citectx.claims.verdicts import VERDICTS, all_verdicts, check
from citectx.profiles import profile as _profile

__all__ = [
    "VERDICTS",
    "Claim",
    "Findings",
    "Ledger",
    "Results",
    "all_replication",
    "all_verdicts",
    "check",
    "cmd_claims",
    "load",
    "markdown_summary",
    "papers",
    "read",
    "replication",
    "show",
    "summary",
]


def verdicts_of(paper: str, profile: str = "open") -> pd.DataFrame:
    """Judge every claim of a paper by a profile's results: a row for each claim and corpus.

    Raises
    ------
    ParameterError
        For a paper or profile that there is none of.
    """
    return all_verdicts(_profile(profile).results, paper)


class _Callable(ModuleType):
    """Lets the package be called: ``citectx.claims("sigir2017")`` is `verdicts_of`."""

    def __call__(self, paper: str, profile: str = "open") -> pd.DataFrame:
        return verdicts_of(paper, profile)


sys.modules[__name__].__class__ = _Callable
