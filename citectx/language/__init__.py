"""Language: sentences, words, candidate spans, idf, noun phrases and the sentences that cite an article."""

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """A package of NLTK's whose ``__init__`` runs when a name is asked for that is none of its modules.

    NLTK imports all of itself, scipy.stats, scikit-learn and matplotlib at once, two seconds for each process;
    what is used here are four modules.
    """

    def __getattr__(self, name: str) -> Any:
        if find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


for _name in ("nltk", "nltk.stem", "nltk.tag", "nltk.tokenize"):
    _parent, _, _last = _name.rpartition(".")
    if _name not in sys.modules and (_spec := find_spec(_name)):
        _package = module_from_spec(_spec)
        _package.__class__ = _Later
        sys.modules[_name] = _package
        if _parent:
            setattr(sys.modules[_parent], _last, _package)
