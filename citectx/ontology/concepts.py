"""Concepts of a vocabulary, and which of their names must not match.

Some names mean something else in running text: genes are called WAS, OF, T and 2.

Ambiguity: neither paper mentions such names. Without the rules of `usable_names`, the most frequent
"concepts" in the citances of Citation-Integrity are *of*, *in* and *for*, aliases of human genes.

>>> normalize("Interferon-γ (IFN-γ), type 2")
'interferon γ ifn γ type 2'
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citectx.language.text import ABBREVIATIONS, Analyzer, stop_words

ANALYZER = Analyzer(stop_words="none", numbers=True)
"""How names and texts become words: lower case, hyphens split, nothing left out.

Ambiguity: the papers do not say how names are matched. Numbers stay, because they tell interleukin
2 from interleukin 6. Function words stay, because names contain them ("activation of complement").
"""

SYMBOLIC = frozenset({"hgnc", "pro"})
"""Vocabularies whose synonyms are symbols even in lower case (such as the gene *hole*)."""


def normalize(name: str) -> str:
    """Return the words of a name, joined by one space."""
    return " ".join(ANALYZER(name))


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of the vocabulary `source`, its preferred name and other names as spelled there.

    Ids, such as ``MESH:D009203``, are unique over all vocabularies.
    """

    concept_id: str
    name: str
    synonyms: tuple[str, ...]
    source: str

    @classmethod
    def of(cls, concept_id: str, name: str, synonyms: Iterable[str], source: str) -> "Concept":
        """Build a concept with tidy white space, without empty and repeated synonyms.

        >>> Concept.of("X:1", "heart  attack ", ["infarct", "", "infarct", "heart attack"], "x")
        Concept(concept_id='X:1', name='heart attack', synonyms=('infarct',), source='x')
        """
        # files indent and wrap names: white space is one blank
        name, *others = (" ".join(spelling.split()) for spelling in (name, *synonyms))
        names = dict.fromkeys(other for other in others if other not in ("", name))
        return cls(concept_id, name, tuple(names), source)


def usable_names(concept: Concept) -> list[str]:
    """Return the normalised names of a concept, without those that mean something else in texts.

    Left out are names without a letter, names of one-letter words only, and names of function words
    only. Acronyms and symbols of genes or proteins are left out if they are plain English or an
    abbreviation. So are symbols of two letters, which more often mean a unit, a numeral or an
    element (MB, II, Na). Symbols with a digit (F2, C3), preferred names (*insulin*) and names of
    several words stay.

    >>> usable_names(Concept("X:1", "quibblin", ("MICE", "WAS", "T", "II", "QBL-1"), "hgnc"))
    ['quibblin', 'qbl 1']
    >>> usable_names(Concept("X:2", "Muridae", ("Mice", "MET"), "mesh"))
    ['muridae', 'mice']
    """
    symbolic = concept.source in SYMBOLIC
    symbols: dict[str, bool] = {}  # by name, whether it is one if it is a single word
    for spelling in (concept.name, *concept.synonyms):
        name = normalize(spelling)
        # a capital after the first letter: MICE, but not Mice
        is_acronym = any(map(str.isupper, spelling[1:]))
        symbols[name] = symbolic or is_acronym or symbols.get(name, False)
    preferred = normalize(concept.name)
    names = []
    for name, is_symbol in symbols.items():
        words = name.split()
        # "5-8" has no letter, and "a b" has words of one letter only
        if not any(map(str.isalpha, name)) or max(map(len, words)) == 1:
            continue
        if stop_words("english").issuperset(words):
            continue
        stays = not is_symbol or name == preferred or len(words) > 1
        if stays or not _is_ambiguous(name, symbolic):
            names.append(name)
    return names


def _is_ambiguous(symbol: str, symbolic: bool) -> bool:
    """Return whether texts mean something else by a symbol."""
    # II, MB, Na: a numeral, a unit, an element
    if symbolic and len(symbol) == 2 and symbol.isalpha():
        return True
    return symbol in plain_words() or symbol in ABBREVIATIONS


@cache
def plain_words() -> frozenset[str]:
    """Return words of plain English, which some gene symbols spell (SET, REST, IMPACT).

    ``plain_words.txt`` holds the 10,000 most frequent lower-case words of two letters or more in
    the open source ``wikipedia-sample``, without those that are written in capitals at least as
    often (such as ``aids`` and ``hp``).

    >>> [word for word in ("set", "impact", "samhd1", "aids") if word in plain_words()]
    ['set', 'impact']
    """
    text = Path(__file__).with_name("plain_words.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if not line.startswith("#"))
