"""The model of a vocabulary: concepts with a preferred name and synonyms.

>>> normalized("Interferon-γ (IFN-γ), type 2")
'interferon γ ifn γ type 2'
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citectx.corpora.files import squeeze
from citectx.corpora.model import Finding
from citectx.language.text import Analyzer

ANALYZER = Analyzer(stem=False, stop_words="none", numbers=True)
"""How names and texts become words: lower case, hyphens split, nothing left out.

Ambiguity: the papers do not say how names are matched. Numbers stay, because they tell interleukin 2 from
interleukin 6, and so do function words, because names hold them ("activation of complement"). What has stop
words removed afterwards is matched before.
"""


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
        name = squeeze(name)
        kept = dict.fromkeys(map(squeeze, synonyms))
        return cls(concept_id, name, tuple(s for s in kept if s and s != name), source)


@dataclass(frozen=True)
class Vocabulary:
    """What a reader returns: the concepts, and what it repaired or left out."""

    name: str
    concepts: tuple[Concept, ...]
    findings: tuple[Finding, ...] = ()

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.concepts)

    def __len__(self) -> int:
        return len(self.concepts)


def joined(name: str, parts: Iterable[Vocabulary]) -> Vocabulary:
    """Make one vocabulary of several, such as slices of one ontology; later names of an id become synonyms.

    >>> a = Vocabulary("a", (Concept("X:1", "heart", ("cor",), "x"),))
    >>> b = Vocabulary("b", (Concept("X:1", "the heart", (), "x"), Concept("X:2", "lung", (), "x")))
    >>> [(c.name, c.synonyms) for c in joined("x", [a, b])]
    [('heart', ('cor', 'the heart')), ('lung', ())]
    """
    concepts: dict[str, Concept] = {}
    findings: list[Finding] = []
    for part in parts:
        findings.extend(part.findings)
        for new in part:
            old = concepts.get(new.concept_id, new)
            names = (*old.synonyms, new.name, *new.synonyms)
            concepts[new.concept_id] = Concept.of(new.concept_id, old.name, names, old.source)
    return Vocabulary(name, tuple(concepts.values()), tuple(findings))
