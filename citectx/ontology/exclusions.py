"""Names that must not match: rules by name, so that every exclusion has a reason that can be looked up.

Vocabularies hold names by which running text means something else: genes are called WAS, OF, T and 2. What
the rules took out is in `SynonymGraph.excluded`.

Ambiguity: neither paper mentions such names. Without the rules the "concepts" found most often in the
citances of Citation-Integrity are *of*, *in* and *for*, which are aliases of human genes.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from citectx.language.text import ABBREVIATIONS, stop_words
from citectx.ontology.plain_words import plain_words

SYMBOLIC = frozenset({"hgnc", "pro"})
"""Vocabularies whose synonyms are symbols even where they are in lower case (a gene called *hole*)."""


class Name(NamedTuple):
    """One name of one concept: its words, how it is spelled, whether it is preferred, whose it is."""

    words: tuple[str, ...]
    spellings: frozenset[str]
    preferred: bool
    source: str


def is_symbol(name: Name) -> bool:
    """Whether a name is a single word that is no word: an acronym, or the symbol of a gene or protein.

    Preferred names are none (*insulin* is what the protein is called).

    >>> gene = Name(("mice",), frozenset({"MICE"}), preferred=False, source="hgnc")
    >>> is_symbol(gene), is_symbol(Name(("mice",), frozenset({"Mice"}), False, "mesh"))
    (True, False)
    """
    if name.preferred or len(name.words) != 1:
        return False
    acronym = any(letter.isupper() for spelling in name.spellings for letter in spelling[1:])
    return acronym or name.source in SYMBOLIC


RULES: Mapping[str, Callable[[Name], bool]] = {
    "no letters": lambda name: not any(c.isalpha() for word in name.words for c in word),
    "one-letter words": lambda name: all(len(word) == 1 for word in name.words),
    "function words": lambda name: all(word in stop_words("english") for word in name.words),
    "plain English": lambda name: is_symbol(name) and name.words[0] in plain_words(),
    "abbreviation": lambda name: is_symbol(name) and name.words[0] in ABBREVIATIONS,
    "two letters": lambda name: (
        name.source in SYMBOLIC and is_symbol(name) and len(name.words[0]) == 2 and name.words[0].isalpha()
    ),
}
"""Reason → rule; the first that holds counts. Two letters of a gene mean a unit, a numeral, an element or
another abbreviation more often than the gene (MB, II, Na, CI); with a digit (F2, C3) they may stay."""


def reason(name: Name) -> str:
    """Return the reason to leave a name out, "" if there is none.

    >>> reason(Name(("was",), frozenset({"WAS"}), False, "hgnc"))
    'function words'
    """
    return next((why for why, holds in RULES.items() if holds(name)), "")
