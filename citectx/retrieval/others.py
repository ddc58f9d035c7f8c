"""Methods of other packages, which name them as entry points of the group ``citectx.methods``.

A package is imported only when one of its methods is asked for.
"""

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from pathlib import Path
from types import ModuleType

from citectx.errors import ParameterError
from citectx.reading import listing, note
from citectx.retrieval.base import RetrievalModel

GROUP = "citectx.methods"


@cache
def offered() -> dict[str, tuple[EntryPoint, ...]]:
    """Return what the installed packages offer, by the method's name."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in sorted(entry_points(group=GROUP), key=_package):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def check(name: str) -> None:
    """Refuse the name of a method of ours that another package offers, too.

    Raises
    ------
    ParameterError
        Naming the package.
    """
    for entry in offered().get(name, ()):
        raise ParameterError(
            f"{name} is a method of citectx, and package {_package(entry)} offers one of this "
            "name, too: uninstall it, or have it take another name"
        )


@cache
def load(name: str) -> type[RetrievalModel]:
    """Import a method that a package offers.

    Its source counts as read, so that a run depends on it.

    Raises
    ------
    ParameterError
        If several packages offer it, its package cannot be imported, or it is no class of a
        `RetrievalModel` that defines ``_fit`` and ``score``; the message names the package.
    """
    entry, *more = offered()[name]
    if more:
        packages = ", ".join(map(_package, (entry, *more)))
        raise ParameterError(f"several packages offer {name}: {packages}; uninstall all but one")
    try:
        found = entry.load()
    except Exception as error:  # whatever the package's own code raises
        raise _wrong(entry, f"cannot be imported ({type(error).__name__}: {error})") from error
    if not (isinstance(found, type) and issubclass(found, RetrievalModel)):
        raise _wrong(entry, "is no subclass of citectx.retrieval.RetrievalModel")
    if isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise _wrong(entry, f"does not define {missing}")
    _note(sys.modules[entry.module.partition(".")[0]])
    return found


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _wrong(entry: EntryPoint, what: str) -> ParameterError:
    return ParameterError(f"method {entry.name} of package {_package(entry)}: {entry.value} {what}")


def _note(module: ModuleType) -> None:
    """Note the source of a module, or of a package with all that is in it."""
    for folder in getattr(module, "__path__", ()):
        for file in listing(Path(folder), "**/*.py"):
            note(file)
    if module.__file__:
        note(Path(module.__file__))
