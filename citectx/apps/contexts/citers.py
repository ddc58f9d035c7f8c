"""Who of many articles may cite whom, in time that grows with their reference lists.

`citectx.corpora.references.find` tells whether one reference list has one work. To ask it of every
pair of a folder's articles would take the square of their number; here tables are looked up
instead, and only pairs that are left are worth reading again.

>>> from citectx.corpora.model import Document
>>> entry = Reference("b1", "1", Work("Why cells rest in the drak", "2001"))
>>> text = Document("Roe", "We rest. Cells do, too [1].")
>>> citing = known_of(Article(text, Work("Sleep, a review"), (entry,)))
>>> cited = known_of(Article(text, Work("Why cells rest in the dark", "2001")))
>>> pairs([citing.work, cited.work], [citing, cited])
[[], [0]]
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from citectx.corpora.references import Article, Reference, Work
from citectx.corpora.text_files import bare

RARE = 3
"""Words of a title by which it is looked up: an entry must have one of them."""

SHARE = 0.5
"""Share of a title's words that an entry must have: misprints are in few."""

_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True)
class Known:
    """What is kept of an article, some ten kilobytes.

    Parameters
    ----------
    work : Work
        The article itself.
    ids : array of int
        DOIs, PubMed ids and titles in its reference list, as hashes: what is equal by chance only
        means that a pair is read in vain.
    titles : tuple of array of int
        Words of each entry's title, or of the entry where there is none, as hashes.
    """

    work: Work
    ids: Sequence[int] = ()
    titles: tuple[Sequence[int], ...] = ()


def known_of(article: Article) -> Known:
    """Keep of an article what tells whom it cites, and who cites it."""
    works = [reference.work for reference in article.references]
    ids = {key for work in works for key in _ids(work)}
    titles = (_words(_title(reference)) for reference in article.references)
    return Known(article.work, array("I", ids), tuple(array("I", words) for words in titles))


def pairs(works: Sequence[Work], citing: Sequence[Known]) -> list[list[int]]:
    """List for each work the articles that may have it in their reference lists.

    Parameters
    ----------
    works : sequence of Work
    citing : sequence of Known

    Returns
    -------
    list of list of int
        Places in `citing`: all that have the work's DOI, its PubMed id or its title to the letter,
        and those with an entry that shares `SHARE` of the title's words, among them one of the
        `RARE` rarest.
    """
    titles = [_words(work.title) for work in works]
    by_id, by_word = _by_id(works), _by_word(titles)
    found: list[list[int]] = [[] for _ in works]
    for place, known in enumerate(citing):
        cited = {i for key in known.ids for i in by_id.get(key, ())}
        for words in known.titles:
            near = {i for word in words for i in by_word.get(word, ())}
            cited |= {i for i in near if _share(titles[i], words) >= SHARE}
        for i in cited:
            found[i].append(place)
    return found


def _share(title: frozenset[int], words: Sequence[int]) -> float:
    return len(title.intersection(words)) / len(title)


def _by_id(works: Sequence[Work]) -> dict[int, list[int]]:
    found = defaultdict[int, list[int]](list)
    for i, work in enumerate(works):
        for key in _ids(work):
            found[key].append(i)
    return found


def _by_word(titles: Sequence[frozenset[int]]) -> dict[int, list[int]]:
    """Look up titles by their rarest words; among equally rare ones the hash decides."""
    count = Counter(word for words in titles for word in words)
    found = defaultdict[int, list[int]](list)
    for i, words in enumerate(titles):
        for word in sorted(words, key=lambda word: (count[word], word))[:RARE]:
            found[word].append(i)
    return found


def _ids(work: Work) -> Iterator[int]:
    for kind, value in (("pmid", work.pmid), ("pmc", work.pmcid), ("title", bare(work.title))):
        if value:
            yield crc32(f"{kind} {value}".encode())
    if work.doi:
        yield crc32(work.doi.encode())


def _title(reference: Reference) -> str:
    return reference.work.title or reference.text


def _words(title: str) -> frozenset[int]:
    return frozenset(crc32(word.encode()) for word in _WORD.findall(title.casefold()))
