"""Language: sentences, words, candidate spans, idf, noun phrases and the sentences that cite an
article.
"""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class Later(ModuleType):
    """A package whose ``__init__`` runs when a name is asked for that is none of its modules."""

    def __getattr__(self, name: str) -> Any:
        if find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


def later(*packages: str) -> None:
    """Import packages as `Later`, unless they are already there or not installed.

    NLTK imports all of itself, scipy.stats, scikit-learn and matplotlib: two seconds, for the few
    modules that are used here. Whoever asks it for more gets all of it.
    """
    for name in packages:
        parent, _, last = name.rpartition(".")
        if name not in sys.modules and (spec := find_spec(name)):
            sys.modules[name] = package = module_from_spec(spec)
            package.__class__ = Later
            if parent:
                setattr(sys.modules[parent], last, package)


def _accuracy(*tags: Any) -> Any:
    return import_module("nltk.metrics.scores").accuracy(*tags)


later("nltk", "nltk.metrics", "nltk.stem", "nltk.tag", "nltk.tokenize")
if (
    "nltk.tag.api" not in sys.modules
):  # which takes both from its package, though only tests of taggers call them
    metrics: Any = import_module("nltk.metrics")
    metrics.accuracy, metrics.ConfusionMatrix = _accuracy, metrics.confusionmatrix.ConfusionMatrix
