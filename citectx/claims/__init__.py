"""The ledger of claims: what each paper says, as data, and what our results say to that.

>>> ledger = load("sigir2017")
>>> print(ledger["bio-beats-wiki"].says)
Embeddings from biomedical text find better contexts than embeddings from general text.
"""

import sys
from types import ModuleType

import pandas as pd

from citectx.claims.findings import Findings as Findings
from citectx.claims.ledger import Ledger as Ledger
from citectx.claims.ledger import load as load
from citectx.claims.ledger import papers as papers
from citectx.claims.ledger import read as read
from citectx.claims.report import cmd_claims as cmd_claims
from citectx.claims.report import show as show
from citectx.claims.results import Results as Results
from citectx.claims.verdicts import VERDICTS as VERDICTS
from citectx.claims.verdicts import all_replication as all_replication
from citectx.claims.verdicts import all_verdicts as all_verdicts
from citectx.claims.verdicts import check as check
from citectx.claims.verdicts import replication as replication
from citectx.profiles import profile as _profile


class _Callable(ModuleType):
    """Lets the package be called: ``citectx.claims("sigir2017")``."""

    def __call__(self, paper: str, profile: str = "open") -> pd.DataFrame:
        """Judge every claim of a paper by a profile's results: a row for each claim and corpus.

        Raises
        ------
        ParameterError
            For a paper or profile that there is none of.
        """
        return all_verdicts(_profile(profile).results, paper)


sys.modules[__name__].__class__ = _Callable
