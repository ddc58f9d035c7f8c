"""NLTK's Punkt with Python's own patterns, and in time that grows with the text.

NLTK gives up a search after some seconds (since 3.10), so that the load of the machine would decide
what becomes of a long text. Its patterns need no such limit (``tests/test_patterns.py`` reads
them); compiled by `re`, they find the same in a third of the time.

Import this module late: with it comes NLTK.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from types import FunctionType
from typing import Any

from nltk.probability import FreqDist
from nltk.tokenize import punkt

_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE


def own(pattern: Any) -> re.Pattern[str]:
    """Compile a pattern of NLTK's with `re`, which has no limit of time."""
    return re.compile(pattern.pattern, pattern.flags & _FLAGS)


_WORDS = own(punkt.PunktLanguageVars()._word_tokenizer_re())
_CONTEXTS = own(punkt.PunktLanguageVars().period_context_re())
_LETTER = own(punkt._re_non_punct)


class Language(punkt.PunktLanguageVars):  # type: ignore[misc]
    """What words and ends of sentences look like."""

    re_boundary_realignment = own(punkt.PunktLanguageVars.re_boundary_realignment)

    def word_tokenize(self, s: str) -> list[str]:
        """Split off punctuation other than periods."""
        return _WORDS.findall(s)

    def period_context_re(self) -> re.Pattern[str]:
        """Return the pattern of what may end a sentence."""
        return _CONTEXTS


class Token(punkt.PunktToken):  # type: ignore[misc]
    """A word and what is known of it: as NLTK's, but a word that comes again is not analysed again.

    Parameters
    ----------
    tok : str
    parastart, linestart : bool, optional
        Whether a paragraph or a line begins with it.
    """

    def __init__(
        self, tok: str, parastart: bool | None = None, linestart: bool | None = None
    ) -> None:
        self.tok, self.parastart, self.linestart = tok, parastart, linestart
        self.type, self.period_final = _type_and_stop(tok)
        self.sentbreak = self.abbr = self.ellipsis = None

    _RE_ELLIPSIS = own(punkt.PunktToken._RE_ELLIPSIS)
    _RE_NUMERIC = own(punkt.PunktToken._RE_NUMERIC)
    _RE_INITIAL = own(punkt.PunktToken._RE_INITIAL)
    _RE_ALPHA = own(punkt.PunktToken._RE_ALPHA)

    @property
    def is_non_punct(self) -> re.Match[str] | None:
        """Whether it has a letter, or is a number."""
        return _LETTER.search(self.type)


@lru_cache(maxsize=1 << 16)
def _type_and_stop(tok: str) -> tuple[str, bool]:
    """Return a word in lower case, numbers all the same, and whether it ends in a full stop."""
    return Token._RE_NUMERIC.sub("##number##", tok.lower()), tok.endswith(".")


class Counts(FreqDist):  # type: ignore[misc]
    """Frequencies with their running sum: NLTK adds all up again for each paragraph."""

    def __init__(self) -> None:
        super().__init__()
        self.sum = 0

    def __setitem__(self, key: str, value: int) -> None:
        self.sum += value - self.get(key, 0)
        dict.__setitem__(self, key, value)

    def N(self) -> int:  # noqa: N802 - NLTK's name
        """Return the sum."""
        return self.sum


class Trainer(punkt.PunktTrainer):  # type: ignore[misc]
    """Learns Punkt's parameters, paragraph by paragraph."""

    def __init__(self) -> None:
        super().__init__(lang_vars=Language(), token_cls=Token)
        self._type_fdist = Counts()

    # NLTK's own function, which looks for letters by a pattern of its module.
    _reclassify_abbrev_types = FunctionType(
        punkt.PunktTrainer._reclassify_abbrev_types.__code__,
        vars(punkt) | {"_re_non_punct": _LETTER},
    )


def trained(texts: Iterable[str]) -> punkt.PunktParameters:
    """Return what Punkt learns from texts."""
    trainer = Trainer()
    for text in texts:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    return trainer.get_params()


def tokenizer(parameters: punkt.PunktParameters) -> punkt.PunktSentenceTokenizer:
    """Return the splitter with some parameters."""
    return punkt.PunktSentenceTokenizer(parameters, lang_vars=Language(), token_cls=Token)
