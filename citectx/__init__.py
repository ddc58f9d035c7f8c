"""citectx: four papers on citation contexts, reproduced with real data and checked claims.

>>> import citectx
>>> corpus = citectx.load("teaching")
>>> len(corpus["D9001_TEACH"].citances)
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citectx import claims as claims
    from citectx.experiments.contextualization import Protocol as Protocol
    from citectx.experiments.task import Run as Run
    from citectx.experiments.task import Task as Task
    from citectx.experiments.task import contextualization as contextualization
    from citectx.papers.beyond.anybody import contexts as contexts
    from citectx.papers.beyond.anybody import impact as impact
    from citectx.papers.beyond.ltr import LTR as LTR
    from citectx.profiles import load as load
    from citectx.retrieval import BM25 as BM25
    from citectx.retrieval import DESM as DESM
    from citectx.retrieval import DFR as DFR
    from citectx.retrieval import LMD as LMD
    from citectx.retrieval import QR as QR
    from citectx.retrieval import VSM as VSM
    from citectx.show.tables import table as table

__version__ = "0.1.0"

_DOOR = {
    name: module
    for module, names in {
        "citectx.experiments.contextualization": ["Protocol"],
        "citectx.experiments.task": ["Run", "Task", "contextualization"],
        "citectx.papers.beyond.anybody": ["contexts", "impact"],
        "citectx.papers.beyond.ltr": ["LTR"],
        "citectx.profiles": ["load"],
        "citectx.retrieval": ["BM25", "DESM", "DFR", "LMD", "QR", "VSM"],
        "citectx.show.tables": ["table"],
    }.items()
    for name in names
}
"""What the package offers at its door, and where it lives; nothing is imported before it is used."""

__all__ = [*_DOOR, "claims"]  # noqa: PLE0604  # mypy and ruff read the names above


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name == "claims":  # a package that can be called: citectx.claims("sigir2017")
        return import_module("citectx.claims")
    if name not in _DOOR:
        raise AttributeError(f"module 'citectx' has no attribute {name!r}; it offers {', '.join(__all__)}")
    return getattr(import_module(_DOOR[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
