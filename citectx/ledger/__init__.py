"""The ledger of claims: what each paper says, as data, and what our results say to that.

>>> ledger = load("sigir2017")
>>> print(ledger["bio-beats-wiki"].says)
Embeddings from biomedical text find better contexts than embeddings from general text.
"""

from citectx.ledger.claim import Ledger as Ledger
from citectx.ledger.claim import load as load
from citectx.ledger.claim import papers as papers
from citectx.ledger.evidence import open_results as open_results
from citectx.ledger.report import claims as claims
from citectx.ledger.report import cmd_claims as cmd_claims
from citectx.ledger.verdicts import all_verdicts as all_verdicts
from citectx.ledger.verdicts import check as check
