"""Find the sentences in which articles cite a given one."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from citectx.corpora.model import BlockKind, Citance
from citectx.corpora.references import Article, Work, find, mentions
from citectx.language.text import Sentences

SENTENCE_KINDS: tuple[BlockKind, ...] = ("abstract", "body", "caption", "back")
"""Blocks whose sentences may cite; a row of a table or a heading is no sentence."""


@dataclass(frozen=True)
class Cited:
    """How one article cites the given one.

    Parameters
    ----------
    citing_id : str
    citances : tuple of Citance
        One for each citing sentence, in the order of the text.
    how : str
        How the entry of the reference list was recognised: "doi", "pmid", "title", or "" if none was.
    places : mapping of str to int
        Citing places by how they were found (`citectx.corpora.references.Place`).
    outside : int
        Places in tables and headings, which no sentence holds.
    keys : tuple of str
        Entries of the reference list that are the given article.
    note : str
        Why there is no citing sentence; "" if there is one.
    """

    citing_id: str
    citances: tuple[Citance, ...] = ()
    how: str = ""
    places: dict[str, int] = field(default_factory=dict)
    outside: int = 0
    keys: tuple[str, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        if self.note:
            return f"{self.citing_id}: {self.note}"
        places = ", ".join(f"{n} by {how}" for how, n in sorted(self.places.items()))
        outside = f"; {self.outside} in tables or headings left out" if self.outside else ""
        return f"{self.citing_id}: {len(self.citances)} citing sentences ({self.how}; places: {places}{outside})"


def citing_sentences(citing: Article, work: Work, sentences: Sentences) -> Cited:
    """Find the sentences in which an article cites a work.

    Parameters
    ----------
    citing : Article
    work : Work
        DOI, PubMed id, or title and year of what is cited.
    sentences : Sentences
        Of the citing article, in blocks of `SENTENCE_KINDS`.

    Returns
    -------
    Cited
        Without citances, and with a note, if the work is not in the reference list or no sentence points to
        its entry.
    """
    name = citing.document.doc_id
    known = known_of(work)
    if not known:
        return Cited(name, note="not searched: the article's file tells neither its title nor its DOI")
    match = find(work, citing.references)
    if not match.keys:
        why = "does not cite the article" if citing.references else "has no reference list"
        return Cited(name, note=f"{why} (searched for {known})")
    places = mentions(citing, match.keys)
    numbers = [sentence_at(sentences, place.span.start) for place in places]
    text, citances = citing.document.text, {}
    for i, place in zip(numbers, places, strict=True):
        if i is not None and i not in citances:  # the first place of a sentence is its marker
            span, marker = sentences.spans[i], text[slice(*place.span)]
            citances[i] = Citance(f"{name}:{i + 1}", name, text[slice(*span)], marker, span, place.span)
    note = f"has the article in its reference list (by {match.how}), but no sentence points there"
    return Cited(
        name,
        tuple(citances[i] for i in sorted(citances)),
        match.how,
        dict(Counter(p.how for p in places)),
        numbers.count(None),
        match.keys,
        "" if citances else note,
    )


def known_of(work: Work) -> str:
    """Return by what a work can be found in a reference list, "" if by nothing.

    >>> known_of(Work("On rest", "2001", doi="10.1234/rest"))
    'DOI 10.1234/rest, “On rest” 2001'
    """
    ids = (("DOI", work.doi), ("PubMed", work.pmid), ("PMC", work.pmcid))
    known = [f"{name} {value}" for name, value in ids if value]
    return ", ".join([*known, *([f"“{work.title}” {work.year}".rstrip()] if work.title else [])])


def sentence_at(sentences: Sentences, offset: int) -> int | None:
    """Return the number of the sentence that holds an offset, or ends before it in the same block."""
    i = bisect_right(sentences.spans, offset, key=lambda span: span.start) - 1
    inside = i >= 0 and (offset < sentences.spans[i].end or offset <= sentences.blocks[i].end)
    return i if inside else None


def summary(found: Sequence[Cited]) -> str:
    """Summarise in one line what was found in all citing articles."""
    total = sum(len(c.citances) for c in found)
    hows = Counter(c.how for c in found if c.citances)
    by = ", ".join(f"{n} by {how}" for how, n in sorted(hows.items()))
    citing = f"{sum(hows.values())} of {len(found)} citing articles"
    return f"{total} citing sentences in {citing}" + (f" (found {by})" if by else "")
