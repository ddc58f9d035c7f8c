r"""Read a reference list that is nothing but text: cut it into entries, guess what each says.

Reference lists differ in what tells entries apart: numbers (``[1]``, ``1.``), blank lines, a
hanging indent, or nothing but that each is a line or begins with a name. Of an entry, what stands
in quotation marks is the title, else what follows the year (``Doe, J. (2001). On rest.``), else
what follows the names (``Doe J, Roe R. On rest. Nature. 2001``). A guess may be wrong, so that
`citectx.corpora.references.find` looks for a title in the whole entry, too.

>>> text = "[1] Doe J, Roe R. Why cells rest. Nature. 2001;410:5-\n9.\n[2] Roe R. On rest. 1999."
>>> for entry in references_in(text):
...     print(entry.label, entry.work.authors, entry.work.year, entry.work.title)
1 ('Doe', 'Roe') 2001 Why cells rest
2 ('Roe',) 1999 On rest
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citectx.corpora.references import Reference, Work, doi_in, pmid_in

MOST_LINES = 6
"""Lines of an entry, on average, up to which blank lines are believed to part entries."""

_LONGEST = 2_000
"""Characters of an entry that are read."""


class _Line(NamedTuple):
    text: str
    indent: int
    apart: bool  # behind a blank line


_Starts = list[tuple[int, str]]
"""The number of each line that begins an entry, and its label."""


def references_in(text: str) -> tuple[Reference, ...]:
    """Cut a reference list into entries and guess what they say.

    Parameters
    ----------
    text : str
        What stands under the heading.

    Returns
    -------
    tuple of Reference
        With their printed numbers as labels, else their places.
    """
    lines = [*_lines(text)]
    entries = []
    for place, (label, entry) in enumerate(_entries(lines) if lines else (), 1):
        name = label or str(place)
        entries.append(Reference(f"r{place}", name, _work(entry[:_LONGEST]), entry, guessed=True))
    return tuple(entries)


def _lines(text: str) -> Iterator[_Line]:
    apart = False
    for line in text.expandtabs().split("\n"):
        if line.strip():
            yield _Line(line.strip(), len(line) - len(line.lstrip()), apart)
        apart = not line.strip()


def _entries(lines: Sequence[_Line]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each entry."""
    starts = next(filter(None, (cut(lines) for cut in _CUTS)), [])
    ends = [start for start, _ in starts[1:]]
    for (start, label), end in zip(starts, [*ends, len(lines)], strict=True):
        entry = _joined([line.text for line in lines[start:end]])
        yield label, _LABEL.sub("", entry, count=1) if label else entry.lstrip("-*+• ")


def _joined(texts: Sequence[str]) -> str:
    """Join the lines of an entry: words that were broken, and addresses."""
    whole = "\n".join(texts)
    whole = re.sub(r"(?<=[^\W\d_])-\n(?=[a-z])", "", whole)
    whole = re.sub(r"(?<=/)\n|(?<=\w[-–])\n(?=\w)", "", whole)
    whole = re.sub(r"(10\.\d{4,9}/[^\s\"<>]{0,200}[._])\n(?=\w)", r"\1", whole)
    return whole.replace("\n", " ")


_LABEL = re.compile(
    r"\A[-*+•\s]*(?:\[(?P<a>[^\]\s]{1,12})\]|\((?P<b>\d{1,4})\)|(?P<c>\d{1,4})[.)]|(?P<d>\d{1,4}))"
    r"(?:\s+|(?=[A-Z“\"]))"
)


def _label(line: _Line) -> str:
    found = _LABEL.match(line.text)
    return next(filter(None, found.groups()), "") if found else ""


def _numbered(lines: Sequence[_Line]) -> _Starts:
    """Cut at numbers that count on from one, or at names in square brackets, as ``[Doe01]``."""
    labels = [_label(line) for line in lines]
    for starts in (_counted(labels), _named(labels)):
        if starts and starts[0][0] == 0:
            return starts
    return []


def _counted(labels: Sequence[str]) -> _Starts:
    """Cut at numbers that count on from one; two in a row may be missing."""
    starts: _Starts = []
    last = 0
    for i, label in enumerate(labels):
        if label.isdecimal() and last < int(label) <= last + 3:
            starts.append((i, label))
            last = int(label)
    return starts


def _named(labels: Sequence[str]) -> _Starts:
    return [(i, label) for i, label in enumerate(labels) if label and not label.isdecimal()]


def _listed(lines: Sequence[_Line]) -> _Starts:
    """Cut at the marks of a list in Markdown."""
    marked = [i for i, line in enumerate(lines) if re.match(r"[-*+•]\s", line.text)]
    return [(i, "") for i in marked] if marked[:1] == [0] else []


def _parted(lines: Sequence[_Line]) -> _Starts:
    """Cut at blank lines, if there are enough of them."""
    starts = [i for i, line in enumerate(lines) if i == 0 or line.apart]
    enough = len(starts) > 1 and len(lines) <= MOST_LINES * len(starts)
    return [(i, "") for i in starts] if enough else []


def _hanging(lines: Sequence[_Line]) -> _Starts:
    """Cut where lines are not set in, if others are."""
    least = min((line.indent for line in lines), default=0)
    starts = [i for i, line in enumerate(lines) if line.indent == least]
    hanging = starts[:1] == [0] and len(starts) < len(lines)
    return [(i, "") for i in starts] if hanging else []


def _by_look(lines: Sequence[_Line]) -> _Starts:
    """Cut at each line if most hold a year, else where a name stands behind a full stop."""
    dated = [i for i, line in enumerate(lines) if _YEAR.search(line.text)]
    if 5 * len(dated) > 4 * len(lines):
        return [(i, "") for i in range(len(lines))]
    starts: _Starts = [(0, "")] if lines else []
    year = 0 in dated
    for i, (before, line) in enumerate(pairwise(lines), 1):
        begins = before.text.endswith(_ENDS) and _NAMED.match(line.text) is not None
        if year and begins:
            starts.append((i, ""))
            year = False
        year = year or i in dated
    return starts


_CUTS = (_numbered, _listed, _parted, _hanging, _by_look)
_ENDS = (".", "/", *"0123456789")
_NAMED = re.compile(r"[^\W\d_a-z][\w'’-]*(?:,| [A-Z]\.?\b| [^\W\d_a-z][\w'’.-]*(?:,| and | [A-Z]))")
_YEAR = re.compile(r"(?<![\d–/.-])(?:1[6-9]|20)\d\d[a-z]?(?![\d–-])")
_IN_BRACKETS = re.compile(rf"\((?:[^()\d]{{0,12}}|\d+,)?({_YEAR.pattern})[^()]{{0,15}}\)")
_AFTER_NAMES = re.compile(rf"[.,]\s({_YEAR.pattern})(?=[.,:]\s)")
_QUOTED = re.compile(r"(?:“|\"|``|„)(.{10,400}?)[,.]?(?:”|\"|''|“)")
_SENTENCE = re.compile(r"(.+?)(?:[.?!](?=\s|$)|$)")


def _work(entry: str) -> Work:
    """Guess what an entry says."""
    dated = _IN_BRACKETS.search(entry) or _AFTER_NAMES.search(entry)
    quoted = _QUOTED.search(entry)
    title, names = "", entry[: quoted.start()] if quoted else ""
    if quoted:
        title = quoted[1]
    elif dated and _are_names(entry[: dated.start()]):
        title = _sentence(entry[dated.end() :])
        names = entry[: dated.start()]
    else:
        names, title = _behind_names(entry)
    years = [dated[1]] if dated else _YEAR.findall(entry)
    year = years[-1] if years else ""
    return Work(title.strip(), year, _families(names), doi_in(entry), pmid_in(entry))


def _sentence(text: str) -> str:
    found = _SENTENCE.match(text.lstrip(" ).,:;"))
    return found[1] if found else ""


def _behind_names(entry: str) -> tuple[str, str]:
    """Return the names that an entry begins with, and the sentence that follows them."""
    names = ""
    for end in re.finditer(r"[.:]\s+", entry):
        before, sentence = entry[: end.start()], _sentence(entry[end.end() :])
        if not _are_names(before):
            break
        names = names or before
        if re.search(r"[^\W\d_]", sentence) and not _are_names(sentence):
            return before, sentence
    return names, ""


_NAME = re.compile(
    r"[^\W\d_a-zß-ÿ][\w'’.-]*|and|et|al|van|von|de[rnl]?|di|da|du|la|le|dos|ten|ter|eds?|y|e|&|…"
)


def _are_names(text: str) -> bool:
    """Whether a text may be names: hardly a word in lower case.

    >>> _are_names("Doe, J., van der Roe, R. & Poe E."), _are_names("How cells rest")
    (True, False)
    """
    words = re.findall(r"[^\s,;()]+", text)
    names = sum(_NAME.fullmatch(word.strip(".:*†‡")) is not None for word in words)
    return bool(words) and names >= 0.9 * len(words)


_INITIALS = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.?-?){1,3}|[JS]r\.?|et|al\.?|eds?\.?|I{2,3}|…")


def _families(names: str) -> tuple[str, ...]:
    """Return the family names: of each author the last word that is no initial."""
    found = []
    for author in re.split(r"[,;&]|\band\b", names):
        words = [word for word in author.split() if not _INITIALS.fullmatch(word)]
        if words and (family := words[-1].strip(".:()[]*†‡")):
            found.append(family)
    return tuple(found)
