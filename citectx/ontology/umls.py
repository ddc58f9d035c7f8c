"""UMLS Metathesaurus, for readers who hold its licence: ``MRCONSO.RRF``.

A row is one name of one concept in one source vocabulary, 18 fields with a pipe behind each. The file has
several gigabytes: it is read line by line, and only rows that are asked for are kept.
"""

from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from citectx.corpora.files import Release
from citectx.errors import DataError, MissingDataError, unknown
from citectx.ontology.concepts import Concept, Vocabulary

FIELDS = 18
WRONG = 1000
"""Malformed rows at most: with more it is another file."""

CUI, LANGUAGE, SOURCE, TERM_TYPE, NAME, SUPPRESS = 0, 1, 11, 12, 14, 16
"""Places of the fields that are used."""

SNOMED = ("SNOMEDCT_US",)
TERM_TYPES = ("PT", "SY")
"""Preferred terms and synonyms; fully specified names (FN) carry a tag in brackets that no author writes."""


def read(
    path: Path,
    *,
    sources: Collection[str] = SNOMED,
    term_types: Collection[str] = TERM_TYPES,
    language: str = "ENG",
    suppressed: bool = False,
) -> Vocabulary:
    """Read the names that some source vocabularies give to concepts.

    Parameters
    ----------
    path : Path
        ``MRCONSO.RRF``, or the folder that holds it or ``META/MRCONSO.RRF``.
    sources : collection of str
        Abbreviations of source vocabularies (the field SAB).
    term_types : collection of str
        Which kinds of names to take (the field TTY): ``("PT",)`` for preferred terms only.
    language : str
    suppressed : bool
        Take also names that the Metathesaurus marks as suppressible or obsolete.

    Returns
    -------
    Vocabulary
        Concepts by their CUI, sorted; the preferred term is the name, the others are synonyms. Rows with
        another number of fields, without an id or without a name are skipped, and reported.

    Raises
    ------
    DataError
        If more than `WRONG` rows are malformed.
    ParameterError
        If the file has no row of a source; the message lists the sources it has.
    MissingDataError
        If the file is not there.

    Notes
    -----
    Source: naacl2015 §2.3.2 and §2.3.5 (SNOMED CT and preferred concepts). Ambiguity: "preferred concepts"
    may mean the Metathesaurus's own preferred name or the source's preferred term. We take names by source
    and term type, and the source's preferred term for the name.
    """
    path = Path(path)
    if path.is_dir():  # the Metathesaurus comes with a folder META or without
        path = (path / "META" if (path / "META").is_dir() else path) / "MRCONSO.RRF"
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; citectx fetch umls tells how to get it")
    release = Release("umls", path.parent)
    report, found = release(path), set[str]()
    names: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("|")
            if len(fields) != FIELDS + 1 or not fields[CUI] or not fields[NAME].strip():
                expected = f"expected {FIELDS} fields with an id and a name, found {len(fields) - 1} fields"
                report.at(number)("skipped", expected)
                if len(release.found) > WRONG:
                    raise DataError(f"more than {WRONG} rows are wrong; {expected}", file=path, line=number)
                continue
            found.add(fields[SOURCE])
            asked_for = fields[SOURCE] in sources and fields[TERM_TYPE] in term_types
            if asked_for and fields[LANGUAGE] == language and (suppressed or fields[SUPPRESS] == "N"):
                names[fields[CUI]].append((fields[TERM_TYPE] != "PT", fields[NAME]))
    for source in sources:
        if source not in found:
            raise unknown("source vocabulary", source, found)
    concepts = []
    for cui, rows in sorted(names.items()):
        (_, name), *others = sorted(rows)
        concepts.append(Concept.of(f"UMLS:{cui}", name, [other for _, other in others], "umls"))
    return Vocabulary("umls", tuple(concepts), release.findings())
