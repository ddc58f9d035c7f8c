"""The model of a vocabulary: concepts with names, and which names must not match.

Vocabularies hold names by which running text means something else: genes are called WAS, OF, T and
2.

Ambiguity: neither paper mentions such names. Without the rules of `usable_names` the "concepts"
found most often in the citances of Citation-Integrity are *of*, *in* and *for*, which are aliases
of human genes.

>>> normalized("Interferon-γ (IFN-γ), type 2")
'interferon γ ifn γ type 2'
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citectx.language.text import ABBREVIATIONS, Analyzer, stop_words

ANALYZER = Analyzer(stem=False, stop_words="none", numbers=True)
"""How names and texts become words: lower case, hyphens split, nothing left out.

Ambiguity: the papers do not say how names are matched. Numbers stay, because they tell interleukin
2 from interleukin 6, and so do function words, because names contain them ("activation of
complement"). Texts are matched before their stop words are removed.
"""

SYMBOLIC = frozenset({"hgnc", "pro"})
"""Vocabularies whose synonyms are symbols even in lower case (a gene called *hole*)."""


def normalized(name: str) -> str:
    """Return the words of a name, joined by one space."""
    return " ".join(ANALYZER(name))


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that several names mean.

    Parameters
    ----------
    concept_id : str
        Unique over all vocabularies, such as ``MESH:D009203``.
    name : str
        The preferred name.
    synonyms : tuple of str
        Other names, as they are spelled.
    source : str
        The vocabulary it comes from.
    """

    concept_id: str
    name: str
    synonyms: tuple[str, ...]
    source: str

    @classmethod
    def of(cls, concept_id: str, name: str, synonyms: Iterable[str], source: str) -> "Concept":
        """Tidy white space, and leave out empty and repeated synonyms.

        >>> Concept.of("X:1", "heart  attack ", ["infarct", "", "infarct", "heart attack"], "x")
        Concept(concept_id='X:1', name='heart attack', synonyms=('infarct',), source='x')
        """
        name, *others = (" ".join(each.split()) for each in (name, *synonyms))
        kept = [each for each in dict.fromkeys(others) if each not in ("", name)]
        return cls(concept_id, name, tuple(kept), source)


def joined(concepts: Iterable[Concept]) -> list[Concept]:
    """Join concepts of one id, such as those of slices of one ontology; later names are synonyms.

    >>> slices = [Concept("X:1", "heart", ("cor",), "x"), Concept("X:1", "the heart", (), "x")]
    >>> [(concept.name, concept.synonyms) for concept in joined(slices)]
    [('heart', ('cor', 'the heart'))]
    """
    found: dict[str, Concept] = {}
    for new in concepts:
        old = found.get(new.concept_id, new)
        names = (*old.synonyms, new.name, *new.synonyms)
        found[new.concept_id] = Concept.of(new.concept_id, old.name, names, old.source)
    return list(found.values())


def usable_names(concept: Concept) -> list[str]:
    """Return the names of a concept, normalised, each once, that texts use for that concept.

    Left out are names without a letter, of one-letter words or of function words. A single word
    that is an acronym or the symbol of a gene or protein, but not the preferred name (*insulin* is
    what the protein is called), is left out if it is plain English or an abbreviation. So are
    symbols of two letters, which more often mean a unit, a numeral or an element (MB, II, Na); with
    a digit (F2, C3) they stay.

    >>> usable_names(Concept("X:1", "quibblin", ("MICE", "WAS", "T", "II", "QBL-1"), "hgnc"))
    ['quibblin', 'qbl 1']
    >>> usable_names(Concept("X:2", "Muridae", ("Mice", "MET"), "mesh"))
    ['muridae', 'mice']
    """
    spellings: dict[str, list[str]] = defaultdict(list)
    for spelling in (concept.name, *concept.synonyms):
        spellings[normalized(spelling)].append(spelling)
    preferred, symbolic = normalized(concept.name), concept.source in SYMBOLIC
    kept = []
    for name, spelled in spellings.items():
        symbol = symbolic or any(_has_capitals(spelling) for spelling in spelled)
        if name == preferred or " " in name:
            symbol = False
        if not (_says_nothing(name) or (symbol and _is_ambiguous(name, symbolic))):
            kept.append(name)
    return kept


def _has_capitals(spelling: str) -> bool:
    """Return whether a letter after the first is a capital."""
    return any(letter.isupper() for letter in spelling[1:])


def _says_nothing(name: str) -> bool:
    """Return whether a name has no letters, only one-letter words, or only function words."""
    words = name.split()
    letters = any(letter.isalpha() for letter in name)
    return not letters or max(map(len, words)) == 1 or stop_words("english").issuperset(words)


def _is_ambiguous(symbol: str, symbolic: bool) -> bool:
    """Return whether texts mean something else by a symbol."""
    if symbolic and len(symbol) == 2 and symbol.isalpha():
        return True
    return symbol in plain_words() or symbol in ABBREVIATIONS


@cache
def plain_words() -> frozenset[str]:
    """Return the words that are plain English: gene symbols spell such words (SET, REST, IMPACT).

    The list is ``plain_words.txt``, made once from the open source ``wikipedia-sample``: the 10,000
    most frequent of the lower-case words that consist of two letters or more, without those that
    are written all in capitals at least as often (such as ``aids`` and ``hp``).

    >>> [word for word in ("set", "impact", "samhd1", "aids") if word in plain_words()]
    ['set', 'impact']
    """
    text = Path(__file__).with_name("plain_words.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if not line.startswith("#"))
