"""Read MeSH descriptors: a TSV of labels and entry terms, NLM's XML, NLM's ASCII.

Entry terms come inverted, too ("Infarction, Myocardial"), as the order of a card index wants it. No text
writes them so, and as synonyms they add no word, so an inverted name is left out where the concept has the
same words in natural order; if it is the heading, the natural name takes its place.

Ambiguity: sigir2017 speaks of an is-synonym relation in MeSH. MeSH's entry terms are not all synonyms, some
are narrower or related; the TSV does not tell them apart, so from all formats all of them are taken.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from citectx.corpora.files import Release, Reporter, shown
from citectx.errors import DataError, MissingDataError, unknown
from citectx.ontology.concepts import ANALYZER, Concept, Vocabulary

Record = tuple[str, str, list[str]]
"""Id, heading, entry terms."""


def read(path: Path) -> Vocabulary:
    """Read descriptors; the format is told by the file's ending.

    Parameters
    ----------
    path : Path
        ``.tsv``: id, heading and entry terms (separated by ``|``), one descriptor a line. ``.xml``: the
        official ``descYYYY.xml``, which is streamed. ``.bin``: the official ``dYYYY.bin``.

    Returns
    -------
    Vocabulary
        Records without id or heading, and rows with too few fields, are skipped; each is reported.

    Raises
    ------
    ParameterError
        If the ending is another.
    DataError
        If the file holds no descriptor, or its XML is malformed or defines entities.
    MissingDataError
        If the file is not there.
    """
    path = Path(path)
    readers = {".tsv": _from_tsv, ".xml": _from_xml, ".bin": _from_ascii}
    if path.suffix not in readers:
        raise unknown("ending of a MeSH file", path.suffix, readers)
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; expected MeSH descriptors")
    release = Release("mesh", path.parent)
    report = release(path)
    concepts: dict[str, Concept] = {}
    inverted = 0
    for ui, heading, terms in readers[path.suffix](path, release):
        if f"MESH:{ui}" in concepts:
            report("skipped", f"descriptor {ui} occurs twice; the first counts")
            continue
        names = natural_order([heading, *terms])
        inverted += len({heading, *terms}) - len(names)
        concepts[f"MESH:{ui}"] = Concept.of(f"MESH:{ui}", names[0], names[1:], "mesh")
    if not concepts:
        raise DataError("holds no descriptor; expected MeSH descriptors", file=path)
    if inverted:
        report("noted", f"{inverted:,} inverted names left out, which are there in natural order, too")
    return Vocabulary("mesh", tuple(concepts.values()), release.findings())


def natural_order(names: Iterable[str]) -> list[str]:
    """Leave out names with a comma that have the words of another name without one.

    Returns
    -------
    list of str
        Never empty. In the order given, but the natural name of an inverted first one moves to the front.

    Examples
    --------
    >>> natural_order(["Abdomen, Acute", "Abdomens, Acute", "Acute Abdomen", "Belly, Sore"])
    ['Acute Abdomen', 'Abdomens, Acute', 'Belly, Sore']
    """
    names = list(dict.fromkeys(names))
    if not any(", " in name for name in names):
        return names
    natural = {_words(name): name for name in reversed(names) if ", " not in name}
    kept = [name for name in names if ", " not in name or _words(name) not in natural]
    return list(dict.fromkeys([natural.get(_words(names[0]), names[0]), *kept]))


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(ANALYZER(name)))


def _from_tsv(path: Path, release: Release) -> Iterator[Record]:
    for number, line in enumerate(release.text(path, "iso-8859-1").splitlines(), 1):
        ui, heading, terms = [*line.split("\t"), "", "", ""][:3]
        if line.count("\t") != 2 or not (ui.strip() and heading.strip()):
            release(path).at(number)("skipped", f"expected id, heading and entry terms, found {shown(line)}")
            continue
        yield ui, heading, [term for term in terms.split("|") if term]


def _from_xml(path: Path, release: Release) -> Iterator[Record]:
    """Forget each record once it is read, so that 300 MB of XML need no more memory than its names."""
    try:
        events = iterparse(str(path), events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == "DescriptorRecord":
                yield from _record(element, release(path))
                root.clear()
    except (ParseError, DefusedXmlException, LookupError, ValueError) as error:  # unknown encodings
        line = error.position[0] if isinstance(error, ParseError) else None
        message = f"not the XML that MeSH promises ({str(error).strip()}); download it again"
        raise DataError(message, file=path, line=line) from error


def _record(element: Element, report: Reporter) -> Iterator[Record]:
    ui = element.findtext("DescriptorUI", "").strip()
    heading = element.findtext("DescriptorName/String", "").strip()
    if not ui or not heading:
        report("skipped", f"descriptor {ui or heading or '(unnamed)'} lacks its DescriptorUI or its name")
        return
    terms = element.iterfind("ConceptList/Concept/TermList/Term")
    yield ui, heading, [t.findtext("String", "") for t in terms if t.get("IsPermutedTermYN") != "Y"]


def _from_ascii(path: Path, release: Release) -> Iterator[Record]:
    """Records begin with ``*NEWRECORD``; of ``ENTRY = term|...`` only the term matters."""
    before, *records = release.text(path, "iso-8859-1").split("*NEWRECORD")
    report = release(path)
    if before.strip():
        report("skipped", f"expected *NEWRECORD, found {shown(before.strip())}")
    for record in records:
        lines = re.findall(r"^(MH|UI|PRINT ENTRY|ENTRY) = (.*)$", record, re.MULTILINE)
        fields = [(key, value.rstrip()) for key, value in lines]
        keys = [key for key, _ in fields]
        if keys.count("UI") > 1 or keys.count("MH") > 1:
            report("noted", "a record has several UIs or MHs; the first counts")
        ui, heading = (next((v for k, v in fields if k == key), "") for key in ("UI", "MH"))
        if not ui or not heading:
            report("skipped", f"record {ui or heading or '(unnamed)'} lacks its UI or its MH")
            continue
        yield ui, heading, [value.partition("|")[0] for key, value in fields if key.endswith("ENTRY")]
