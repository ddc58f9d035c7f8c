"""citectx: four papers on citation contexts, reproduced with real data and checked claims.

>>> import citectx
>>> corpus = citectx.load("teaching")
>>> len(corpus["D9001_TEACH"].citances)
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citectx.apps.contexts.anybody import contexts, impact
    from citectx.apps.contexts.ltr import LTR
    from citectx.experiments.contextualization import Protocol
    from citectx.experiments.task import Run, Task, contextualization
    from citectx.ledger import claims
    from citectx.profiles import load
    from citectx.retrieval import BM25, DESM, DFR, LMD, QR, VSM
    from citectx.show.tables import table

__version__ = "1.0.0"
__all__ = [
    "Protocol",
    "Run",
    "Task",
    "claims",
    "contexts",
    "contextualization",
    "impact",
    "load",
    "table",
]
__all__ += ["BM25", "DESM", "DFR", "LMD", "LTR", "QR", "VSM"]

_DOOR = {
    "citectx.experiments.contextualization": ["Protocol"],
    "citectx.experiments.task": ["Run", "Task", "contextualization"],
    "citectx.apps.contexts.anybody": ["contexts", "impact"],
    "citectx.apps.contexts.ltr": ["LTR"],
    "citectx.ledger": ["claims"],
    "citectx.profiles": ["load"],
    "citectx.retrieval": ["BM25", "DESM", "DFR", "LMD", "QR", "VSM"],
    "citectx.show.tables": ["table"],
}
"""Where what the package offers at its door lives; nothing is imported before it is used."""


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    for module, names in _DOOR.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(
        f"module 'citectx' has no attribute {name!r}; it offers {', '.join(__all__)}"
    )


def __dir__() -> list[str]:
    """Return what the door offers, for completion."""
    return sorted(__all__)
