"""Language: sentences, words, candidate spans, idf, noun phrases, and sentences that cite.

NLTK's packages run their ``__init__`` only where a name of theirs is asked for (`Later`): it loads
all of NLTK, scipy.stats, scikit-learn and matplotlib, more than a second for every command and
every kernel, and an import inside a function does not avoid that.
"""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class Later(ModuleType):
    """A package whose ``__init__`` runs on first access to a name that is not a submodule."""

    def __getattr__(self, name: str) -> Any:
        if find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        self.run()
        return getattr(self, name)

    def run(self) -> None:
        """Run the package's ``__init__``."""
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]


OURS = frozenset(
    f"nltk.{name}"
    for name in (
        *("collections", "data", "decorators", "featstruct", "grammar", "internals", "jsontags"),
        *("metrics", "metrics.confusionmatrix", "metrics.scores", "pathsec", "picklesec"),
        *("probability", "redos", "sem", "stem", "stem.api", "stem.porter", "tabdata", "tag"),
        *("tag.api", "tag.perceptron", "tag.util", "termsec", "tokenize", "tokenize.api"),
        *("tokenize.destructive", "tokenize.punkt", "tokenize.util", "util"),
        *("sem.boxer", "sem.drt", "sem.evaluate", "sem.lfg", "sem.logic", "sem.relextract"),
        *("sem.skolemize", "sem.util"),
    )
)
"""What our modules import of NLTK, and what that imports."""


class AllFirst:
    """Runs NLTK's own ``__init__`` before anybody imports a module that is not in `OURS`.

    NLTK's modules import each other in circles, in an order that only ``nltk`` knows.
    """

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Find nothing: the finders after this one do."""
        nltk = sys.modules.get("nltk")
        if name.startswith("nltk.") and name not in OURS and isinstance(nltk, Later):
            nltk.run()


def later(*packages: str) -> None:
    """Import packages as `Later`, unless they are already there or not installed."""
    for name in packages:
        spec = find_spec(name) if name not in sys.modules else None
        if spec is None:
            continue
        sys.modules[name] = package = module_from_spec(spec)
        package.__class__ = Later
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, package)


def _accuracy(*tags: Any) -> Any:
    return import_module("nltk.metrics.scores").accuracy(*tags)


sys.meta_path.insert(0, AllFirst)
later("nltk", "nltk.metrics", "nltk.stem", "nltk.tag", "nltk.tokenize")
if "nltk.tag.api" not in sys.modules:  # it takes both names, though only tests of taggers use them
    metrics: Any = import_module("nltk.metrics")
    metrics.accuracy = _accuracy
    metrics.ConfusionMatrix = metrics.confusionmatrix.ConfusionMatrix
