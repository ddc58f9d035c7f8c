r"""Read ontologies in OBO format: names and synonyms with their scope.

A reader of our own, because real files break the rules that strict parsers enforce. Of the five ontologies
that this project reads, `pronto` reads none: one has a malformed line, three use a synonym type that they do
not declare, one names a parent that it does not hold. Nothing is fetched: ``import:`` lines are not followed.

>>> unescape(r"3\,4-\"DOPA\"\n(ortho)")
'3,4-"DOPA" (ortho)'
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from citectx.corpora.files import Release, Reporter, shown, squeeze
from citectx.errors import DataError
from citectx.ontology.concepts import Concept, Vocabulary, joined

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|NARROW|BROAD|RELATED)?(?=[\s\[{]|$)')
_TRAILER = re.compile(r"(?:\{[^{}]*\}\s*+)?(?:(?<!\\)!.*)?$")
"""Modifiers and a comment behind a value."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
_LONGEST_TAG = 32
"""Characters of a tag of SNOMED's; the Disease Ontology has thousands of tagged names, no text has them."""


def read(path: Path, source: str, *, prefix: str = "") -> Vocabulary:
    """Read the terms of an OBO file.

    Parameters
    ----------
    path : Path
    source : str
        What the vocabulary is called.
    prefix : str
        Take only terms whose id begins so: slices hold terms of other ontologies, too.

    Returns
    -------
    Vocabulary
        Synonyms are those of scope EXACT. Obsolete terms are left out. Reported are: a term without id or
        name (skipped), a malformed synonym (skipped), an id that occurs twice (its names are joined), a
        circle of ``is_a`` (the hierarchy is not used, but something is wrong with such a file), tags of
        SNOMED's (cut off).

    Raises
    ------
    DataError
        If the file has no term, or none is left.
    MissingDataError
        If the file is not there.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* (is-synonym relation in the Protein Ontology). Ambiguity: the
    paper does not say which scopes count. NARROW, BROAD and RELATED (which one without a scope is) mean
    something else than the term; EXACT alone can always replace it.
    """
    path = Path(path)
    release = Release(source, path.parents[min(2, len(path.parts) - 1)])  # slices share their file name
    report = release(path)
    terms = _terms(release.text(path, "iso-8859-1"), report)
    if not terms:
        raise DataError("holds no [Term] with an id; expected an ontology in OBO format", file=path)
    _report_circle(terms, report)
    wanted = [t for t in terms if t.term_id.startswith(prefix)]
    current = [t for t in wanted if not t.obsolete]
    if len(current) < len(wanted):
        report("noted", f"{len(wanted) - len(current):,} obsolete terms left out")
    for term in current:
        if not term.name:
            report.at(term.line)("skipped", f"{term.term_id} has no name")
    concepts = [Concept.of(t.term_id, t.name, map(untagged, t.synonyms), source) for t in current if t.name]
    if not concepts:
        raise DataError(f"no term with an id in {prefix!r} has a name and is current", file=path)
    tagged = sum(untagged(name) != squeeze(name) for term in current for name in term.synonyms)
    if tagged:
        report("repaired", f"{tagged:,} synonyms end in a tag of SNOMED's, as (disorder), which is cut off")
    return joined(source, [Vocabulary(source, tuple(concepts), release.findings())])


def unescape(text: str) -> str:
    """Undo OBO's escapes; line ends and tabs become spaces."""
    return re.sub(r"\\(.)", lambda m: " " if m[1] in "nWt" else m[1], text)


def untagged(name: str) -> str:
    """Cut SNOMED's tags off the end of a name.

    >>> untagged("acute  hiccups, NOS (finding)"), untagged("NOS")
    ('acute hiccups', 'NOS')
    """
    name = squeeze(name)
    while tag := _TAG.search(name, max(0, len(name) - _LONGEST_TAG)):
        name = name[: tag.start()]
    return name


@dataclass
class _Term:
    line: int
    term_id: str = ""
    name: str = ""
    obsolete: bool = False
    parents: list[str] = field(default_factory=list)
    synonyms: list[str] = field(default_factory=list)


def _terms(text: str, report: Reporter) -> list[_Term]:
    stanzas: list[_Term] = []
    term: _Term | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("["):
            term = _Term(number) if line == "[Term]" else None
            stanzas += [term] if term else []
            if line not in ("[Term]", "[Typedef]", "[Instance]"):
                report.at(number)("skipped", f"unknown kind of stanza {shown(line)}")
        elif term and line and not line.startswith("!"):
            tag, colon, value = line.partition(":")
            if not colon:
                report.at(number)("skipped", f"expected TAG: VALUE, found {shown(line)}")
            _add(term, tag, value, report.at(number))
    seen: set[str] = set()
    for term in stanzas:
        if not term.term_id:
            report.at(term.line)("skipped", "a term without an id")
        elif term.term_id in seen:
            report.at(term.line)("repaired", f"{term.term_id} occurs twice; its names are joined")
        seen.add(term.term_id)
    return [term for term in stanzas if term.term_id]


def _add(term: _Term, tag: str, value: str, report: Reporter) -> None:
    if tag == "synonym":
        match = _SYNONYM.match(value.strip())
        if match is None:
            report("skipped", f"expected a quoted synonym with a scope, found {shown(value.strip())}")
        elif match[2] == "EXACT":
            term.synonyms.append(unescape(match[1]))
    elif tag in ("id", "name", "is_a", "is_obsolete"):
        value = _TRAILER.sub("", value.strip(), count=1).rstrip()
        if tag == "id":
            term.term_id = value
        elif tag == "name":
            term.name = unescape(value)
        elif tag == "is_a":
            term.parents.append(value)
        else:
            term.obsolete = value == "true"


def _report_circle(terms: Sequence[_Term], report: Reporter) -> None:
    parents: dict[str, list[str]] = {}
    for term in terms:
        parents.setdefault(term.term_id, []).extend(term.parents)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        report("noted", f"is_a goes round in a circle: {' → '.join(error.args[1])}")
