"""citectx: four papers on citation contexts, reproduced with real data and checked claims.

>>> import citectx
>>> corpus = citectx.load("teaching")
>>> len(corpus["D9001_TEACH"].citances)
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from citectx import blas

if TYPE_CHECKING:  # for type checkers and editors; the same as _DOOR, which a test compares
    from citectx.beyond.ltr import LTR as LTR
    from citectx.beyond.your_paper import contexts as contexts
    from citectx.beyond.your_paper import impact as impact
    from citectx.catalogue import load as load
    from citectx.experiments.rankings import evaluate as evaluate
    from citectx.experiments.rankings import read_run as read_run
    from citectx.experiments.rankings import retrieve as retrieve
    from citectx.experiments.rankings import to_qrels as to_qrels
    from citectx.experiments.rankings import to_trec as to_trec
    from citectx.ledger import claims as claims
    from citectx.retrieval import BM25 as BM25
    from citectx.retrieval import DESM as DESM
    from citectx.retrieval import DFR as DFR
    from citectx.retrieval import LMD as LMD
    from citectx.retrieval import QR as QR
    from citectx.retrieval import VSM as VSM
    from citectx.show.tables import table as table

__version__ = "1.0.0"

blas.choose_kernel()

_DOOR = {
    "LTR": "citectx.beyond.ltr",
    "contexts": "citectx.beyond.your_paper",
    "impact": "citectx.beyond.your_paper",
    "evaluate": "citectx.experiments.rankings",
    "read_run": "citectx.experiments.rankings",
    "retrieve": "citectx.experiments.rankings",
    "to_qrels": "citectx.experiments.rankings",
    "to_trec": "citectx.experiments.rankings",
    "claims": "citectx.ledger",
    "load": "citectx.catalogue",
    "BM25": "citectx.retrieval",
    "DESM": "citectx.retrieval",
    "DFR": "citectx.retrieval",
    "LMD": "citectx.retrieval",
    "QR": "citectx.retrieval",
    "VSM": "citectx.retrieval",
    "table": "citectx.show.tables",
}
"""What the package offers, and where it lives; nothing is imported before it is used."""

__all__ = list(_DOOR)


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name not in _DOOR:
        offers = ", ".join(__all__)
        raise AttributeError(f"module 'citectx' has no attribute {name!r}; it offers {offers}")
    return getattr(import_module(_DOOR[name]), name)


def __dir__() -> list[str]:
    """Return what the door offers, for completion."""
    return __all__
