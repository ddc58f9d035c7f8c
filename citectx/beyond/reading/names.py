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
from functools import lru_cache

from citectx.beyond.reading.references import Entry, letters

_LETTERS = r"[a-z]\b(?:\s*(?:,|&|and)\s*[a-z]\b)*"
_YEAR = r"\b(?:1[5-9]|20)\d\d"
DATE = rf"{_YEAR}(?:{_LETTERS})?"
"""A year with its letters: "2001", "2001a", "2001a, b"."""
PARTICLES = set(
    "af al bin d da dal de dei del della den der des di do dos du el ibn la le ten ter van vom von"
    " zu zum zur".split()
)
"""Words before a family name, which are left out now and then, or taken for a given name."""

# "Doe et al.", "Doe and her colleagues", "Doe et al.’s ("
_SEVERAL = re.compile(
    r"[\s,]*\b(?:et\.?\s+al\b|and\s+(?:his\s+|her\s+|their\s+)?"
    r"(?:others|colleagues|co-?workers|co-?authors|collaborators|associates)\b)[.’'s]*[\s,(\[]*$"
)
_AND = re.compile(r"&|\b(?:and|et|und|y)\b")
_POSSESSIVE = re.compile(r"[’']s\b")
# a name with apostrophes and hyphens, or what stands between names
_TOKEN = re.compile(r"\w[\w'’‘ʼ`´\u00ad‐-―−-]*|[,&+]")
# "J", "JK"; full stops are no tokens
_INITIALS = re.compile(r"(?:[^\W\d_a-z]-?){1,3}")
# before a name: another one, with "and" or of somebody in the list
_JOINED = re.compile(r"\^\w+(?: ,)* & $")
_BEFORE = re.compile(r"\^(\w+)(?: [,&])+ $")
BETWEEN = "(?: [,&])+ "
MOST = 8
"""The most authors that a text names before it says "et al."."""


class Names:
    """The reference list of an article, by years and the names of authors."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        authors = [author for entry in entries for author in entry.work.authors]
        self.known = {name.split()[-1].lstrip("^") for name in map(plain, authors) if name}
        self.by_year: dict[str, list[int]] = defaultdict(list)
        for i, entry in enumerate(entries):
            for year in entry.work.years if entry.work.authors else ():
                self.by_year[year].append(i)

    def cited(self, printed: str) -> set[int]:
        """Return the entries that "Doe and Roe, 2001a, b" names, all if it fits several."""
        year = re.search(_YEAR, printed)
        if year is None:
            return set()
        names = plain(printed[: year.start()])
        cited: set[int] = set()
        for date in dates(printed[year.start() :]):
            candidates = {i: self.match(i, names) for i in self.by_year.get(date[:4], ())}
            fit = {i: match for i, match in candidates.items() if match}
            is_group = not all(match["alone"] for match in fit.values())
            cited |= self.told_apart([*fit], date, is_group)
        return cited

    def match(self, i: int, names: str) -> re.Match[str] | None:
        """Match the authors of an entry, unless another name stands before: not in "However"."""
        match = pattern(self.entries[i].work.authors).search(names)
        if match is None:
            return None
        rest = names[: match.start()]
        before = _BEFORE.search(rest)
        if _JOINED.search(rest) or (before and before[1] in self.known):
            return None
        return match

    def told_apart(self, fit: list[int], date: str, is_group: bool) -> set[int]:
        """Choose among entries that fit by their number of authors, and by the year's letter."""
        counts = {i: len(self.entries[i].work.authors) for i in fit}
        usual = [i for i in fit if (counts[i] > 1) == is_group] or fit
        if len(usual) > 1 and len(date) > len("2001"):
            return self.lettered(usual, date)
        several = {i for i in usual if counts[i] > 2}
        return several if is_group and several else {*usual}

    def lettered(self, fit: list[int], date: str) -> set[int]:
        """Return the entry with a date such as "2001b": as it says, or else by its place."""
        texts = {i: self.entries[i].text for i in fit}
        if any(re.search(rf"{date[:4]}[a-z]\b", text) for text in texts.values()):
            return {i for i, text in texts.items() if date in text}
        place = ord(date[-1]) - ord("a")
        return {*fit[place : place + 1]}


def plain(printed: str) -> str:
    """Write names without initials, case and accents, with "^" for capitals and "+" for "et al.".

    >>> plain("However, Doe, J., and le Röe et al. (")
    '^however , ^doe , , & le ^roe +'
    """
    text = _AND.sub(" & ", _SEVERAL.sub(" + ", _POSSESSIVE.sub("", printed)))
    words = []
    for word in _TOKEN.findall(text):
        mark = "" if word[0].islower() else "^"
        if not letters(word):  # a comma, "&" or "+"
            words.append(word)
        elif not _INITIALS.fullmatch(word):
            words.append(mark + letters(word))
    return " ".join(words).rstrip(" ,&")


@lru_cache(1 << 15)
def pattern(authors: Sequence[str]) -> re.Pattern[str]:
    """Return what matches the end of a `plain` text that names authors: the first, some, or all."""
    names = [*filter(None, map(pattern_of, authors))][:MOST]
    some = ""
    for name in reversed(names[1:]):
        some = f"(?:{BETWEEN}{name}{some})?"
    first = names[0] if names else "(?!)"
    return re.compile(rf"(?<!\S)(?:(?P<alone>{first})|{first}{some} \+|{BETWEEN.join(names)})$")


def pattern_of(author: str) -> str:
    """Return what matches the name of an author; particles before it may be missing."""
    words = [word.lstrip("^") for word in plain(author).split() if word not in ",&+"]
    start = next((i for i, word in enumerate(words) if word not in PARTICLES), 0)
    particles = [rf"(?:\^?{word} ?)?" for word in words[:start]]
    return "".join(particles) + r"(?: [,&])* ?".join(rf"\^?{word}" for word in words[start:])


def dates(printed: str) -> Iterator[str]:
    """Yield years with the letter that each has.

    >>> [*dates("Doe, 2001a, b; 2003")]
    ['2001a', '2001b', '2003']
    """
    for year, marks in re.findall(rf"({_YEAR})({_LETTERS})?", printed):
        for letter in re.findall(r"\b[a-z]\b|(?<!.)[a-z]\b", marks) or [""]:
            yield year + letter
