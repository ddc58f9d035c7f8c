"""Citations by author and year: what "Doe and Roe (2001a, b)" says, and which entries it fits.

The first name is that of the first author, "A & B" are exactly two, and "et al." are several. A
letter behind the year is looked for in the entries. Where none of them has it, as in what GROBID
makes, the order of the list gives it.

>>> from citectx.beyond.reading.references import Work
>>> works = [Work((), ("2001",), ("Doe", "Roe")), Work((), ("2001",), ("Roe", "Doe"))]
>>> names = Names([Entry((f"b{i}",), str(i), work) for i, work in enumerate(works)])
>>> names.cited("as Roe & Doe (2001"), names.cited("Doe and Poe, 2001")
({1}, set())
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citectx.beyond.reading.references import Entry, letters

_LETTERS = r"[a-z]\b(?:\s*(?:,|&|and)\s*[a-z]\b)*"
_YEAR = r"\b(?:1[5-9]|20)\d\d"
DATE = rf"{_YEAR}(?:{_LETTERS})?"
"""A year with its letters: "2001", "2001a", "2001a, b"."""
PARTICLES = set(
    "af al bin d da dal de dei del della den der des di do dos du el ibn la le ten ter van vom von"
    " zu zum zur".split()
)
"""Before a family name, and now and then left out, or taken for a given name."""

# "Doe et al.", "Doe and her colleagues", "Doe et al.’s ("
_SEVERAL = re.compile(
    r"[\s,]*\b(?:et\.?\s+al\b|and\s+(?:his\s+|her\s+|their\s+)?"
    r"(?:others|colleagues|co-?workers|co-?authors|collaborators|associates)\b)[.’'s]*[\s,(\[]*$"
)
_BETWEEN = re.compile(r"\s*(,|&|\b(?:and|et|und|y)\b)\s*")
# "J.", "J.K.", "JK"
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?-?){1,3}")

Words = tuple[str, ...]
"""A name as words without case, accents and apostrophes."""


class Name(NamedTuple):
    """A piece of text before a year that may be a name."""

    words: Words
    is_capital: bool
    """Its last word begins with a capital letter."""
    is_joined: bool
    """An "and" stands before it."""


class Names:
    """The reference list of an article, by years and the names of authors."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.authors = [[*map(fold, entry.work.authors)] for entry in entries]
        self.known = {author[-1] for authors in self.authors for author in authors if author}
        self.by_year: dict[str, list[int]] = defaultdict(list)
        for i, entry in enumerate(entries):
            for year in entry.work.years if entry.work.authors else ():
                self.by_year[year].append(i)

    def cited(self, printed: str) -> set[int]:
        """Return the entries that "Doe and Roe, 2001a, b" names, all if it fits several."""
        year = re.search(_YEAR, printed)
        if year is None:
            return set()
        names, several = names_in(printed[: year.start()])
        cited: set[int] = set()
        for date in dates(printed[year.start() :]):
            counts = {i: self.count(i, names, several) for i in self.by_year.get(date[:4], ())}
            fit = [i for i, count in counts.items() if count]
            is_group = several or any(count > 1 for count in counts.values())
            cited |= self.told_apart(fit, date, is_group)
        return cited

    def count(self, i: int, names: Sequence[Name], several: bool) -> int:
        """Count the last printed names that are the authors of an entry, in their order."""
        authors = self.authors[i]
        for count in range(1, min(len(names), len(authors)) + 1):
            pairs = zip(names[-count:], authors, strict=False)
            if all(is_name(name.words, author) for name, author in pairs):
                is_whole = several or count in (1, len(authors))
                return count if is_whole and not self.goes_on(names, count) else 0
        # "Institute of Ponds and Lakes" is one author
        words = tuple(word for name in names for word in name.words)
        return int(len(authors) == 1 and len(authors[0]) > 2 and is_name(words, authors[0]))

    def goes_on(self, names: Sequence[Name], count: int) -> bool:
        """Tell whether there is another name before the last ones: not in "However, Roe"."""
        if count == len(names):
            return False
        before = names[-count - 1]
        is_and = names[-count].is_joined and before.is_capital
        return is_and or (before.is_capital and before.words[-1] in self.known)

    def told_apart(self, fit: list[int], date: str, is_group: bool) -> set[int]:
        """Choose among entries that fit by their number of authors, and by the year's letter."""
        usual = [i for i in fit if (len(self.authors[i]) > 1) == is_group] or fit
        if len(usual) > 1 and len(date) > len("2001"):
            return self.lettered(usual, date)
        many = [i for i in usual if is_group and len(self.authors[i]) > 2]
        return {*(many or usual)}

    def lettered(self, fit: list[int], date: str) -> set[int]:
        """Return the entry with a date such as "2001b": as it says, or else by its place."""
        texts = {i: self.entries[i].text for i in fit}
        if any(re.search(rf"{date[:4]}[a-z]\b", text) for text in texts.values()):
            return {i for i, text in texts.items() if date in text}
        place = ord(date[-1]) - ord("a")
        return {*fit[place : place + 1]}


def names_in(printed: str) -> tuple[list[Name], bool]:
    """Return what may be names at the end of a text, and whether "et al." follows.

    >>> names, several = names_in("However, Doe, J., and le Roe et al. (")
    >>> [" ".join(name.words) for name in names], several
    (['however', 'doe', 'le roe'], True)
    """
    shortened = _SEVERAL.search(printed)
    before = printed[: shortened.start()] if shortened else printed
    pieces = _BETWEEN.split(before)
    names: list[Name] = []
    for separator, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        words = [word for word in piece.split() if not _INITIALS.fullmatch(word.strip("(["))]
        folded = fold(" ".join(words))
        if folded:
            is_capital = not words[-1][:1].islower()
            names.append(Name(folded, is_capital, separator not in ("", ",")))
    return names, shortened is not None


def is_name(printed: Words, author: Words) -> bool:
    """Tell whether a printed piece ends with the name of an author.

    >>> is_name(("as", "scao"), ("le", "scao")), is_name(("le", "scao"), ("scao",))
    (True, True)
    """
    start = next((i for i, word in enumerate(author) if word not in PARTICLES), 0)
    wanted = {"".join(author), "".join(author[start:])} - {""}
    return any("".join(printed[i:]) in wanted for i in range(len(printed)))


def dates(printed: str) -> Iterator[str]:
    """Yield years with the letter that each has.

    >>> [*dates("Doe, 2001a, b; 2003")]
    ['2001a', '2001b', '2003']
    """
    for year, marks in re.findall(rf"({_YEAR})({_LETTERS})?", printed):
        for letter in re.findall(r"\b[a-z]\b|(?<!.)[a-z]\b", marks) or [""]:
            yield year + letter


def fold(text: str) -> Words:
    """Reduce a text to words without case, accents, apostrophes, hyphens and "and".

    >>> fold("(O’Mädden’s, 2016)")
    ('omadden', '2016')
    """
    words = re.findall(r"[\w'’‘ʼ`´\u00ad‐-―−-]+", re.sub(r"[’']s\b", "", text))
    folded = (letters(word) for word in words)
    return tuple(word for word in folded if word not in ("", "and"))
