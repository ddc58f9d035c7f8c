"""The ledger of claims: what each paper says, as data, and what our results say to that.

>>> ledger = load("sigir2017")
>>> print(ledger["bio-beats-wiki"].says)
Embeddings from biomedical text find better contexts than embeddings from general text.
"""

from citectx.claims.ledger import Claim, Ledger, load, papers, read
from citectx.claims.report import cmd_claims, markdown_summary, summary
from citectx.claims.results import Results
from citectx.claims.verdicts import check

__all__ = [
    "Claim",
    "Ledger",
    "Results",
    "check",
    "cmd_claims",
    "load",
    "markdown_summary",
    "papers",
    "read",
    "summary",
]
