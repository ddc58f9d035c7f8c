r"""Title, DOI and year of an article that is nothing but text: what its first lines tell.

>>> text = "---\ntitle: On rest\ndoi: 10.99999/Rest.1\n---\nCells rest.\n"
>>> front = front_matter(text)
>>> text[front.start :], front.work.title, front.work.doi
('Cells rest.\n', 'On rest', '10.99999/rest.1')
>>> front_matter("Journal of Rest 12\nOn rest\n\nPublished: May 2016. doi:10.99999/rest.2").work
Work(title='', year='2016', authors=(), doi='10.99999/rest.2', pmid='', pmcid='')
"""

import re
from typing import NamedTuple

from citectx.corpora.references import Work, doi_in

HEAD = 60
"""Lines in which DOI and year are looked for."""

LONGEST = 10_000
"""Characters of them."""


class Told(NamedTuple):
    """What a file tells of its article, apart from its text.

    Parameters
    ----------
    title : str
    source : str
        What told the title.
    head : str
        Where to look for DOI and year.
    """

    title: str = ""
    source: str = ""
    head: str = ""


class Front(NamedTuple):
    """What the first lines tell.

    Parameters
    ----------
    start : int
        Where the title is: behind a block in YAML and what journals print above titles.
    work : Work
        With the title only where the block in YAML has one.
    """

    start: int
    work: Work


_YAML = re.compile(r"\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_STAMP = re.compile(
    r"(?i)arxiv:|doi\b|https?:|www\.|proceedings of|journal of|vol(ume|\.) ?\d|issn|©|\(c\)"
    r"|copyright|received|published|preprint|author manuscript|downloaded|open access|\W*\d*\W*$"
)
_OWN_DOI = re.compile(
    r"(?i)\bdoi(?:\.org/|[:\s]{1,3})(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)"
)
_OWN_YEAR = re.compile(
    r"(?i)(?:©|\(c\)|copyright|published|proceedings|conference|\bvol\.|volume|^date:|^year:)"
    r"[^\n]{0,60}?\b((?:19|20)\d\d)\b",
    re.MULTILINE,
)


def is_stamp(line: str) -> bool:
    """Whether a line is what journals and archives print above a title.

    >>> is_stamp("Proceedings of NAACL-HLT 2018, pages 84–91"), is_stamp("Proceeds of rest")
    (True, False)
    """
    return _STAMP.match(line.strip()[:300]) is not None


def front_matter(text: str, head: str = "") -> Front:
    """Read the first lines of a text, of up to `HEAD` and before a reference list.

    A DOI counts if it is named as one (``doi:``, ``doi.org/``), a year if it stands behind what
    says that it is of the publication; of several, the last year counts.

    Parameters
    ----------
    text : str
    head : str
        What to look in instead.
    """
    found = _YAML.match(text)
    fields = _fields(found[1]) if found else {}
    start = _behind_stamps(text, found.end() if found else 0)
    head = head[:LONGEST] or _head(text)
    doi = _OWN_DOI.search(head)
    years = re.findall(r"\b\d{4}\b", fields.get("year", "") or fields.get("date", ""))
    return Front(
        start,
        Work(
            title=fields.get("title", ""),
            year=max(years or _OWN_YEAR.findall(head), default=""),
            doi=doi_in(fields.get("doi", "")) or doi_in(doi[1] if doi else ""),
        ),
    )


def _fields(block: str) -> dict[str, str]:
    """Return the fields of a block in YAML that have one line."""
    rows = re.findall(r"^(\w+):(.*)$", block, re.MULTILINE)
    return {name.lower(): value.strip().strip("\"'") for name, value in rows if value.strip()}


def _behind_stamps(text: str, start: int) -> int:
    """Return where the first line begins that is no stamp."""
    for line in list(re.finditer(r"\S[^\n]*", text[start : start + LONGEST]))[:HEAD]:
        if not is_stamp(line.group()):
            return start + line.start()
    return start


def _head(text: str) -> str:
    lines = text[:LONGEST].split("\n")
    lines = [line for line in lines if line.strip()][:HEAD]
    ends = (i for i, line in enumerate(lines) if re.match(r"(?i)[#\d.\s]*references\W*$", line))
    return "\n".join(lines[: next(ends, HEAD)])
