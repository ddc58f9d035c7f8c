r"""One reader for each format of a vocabulary: MeSH, HGNC, OBO, UMLS, and tables of one's own.

Rows that do not fit a format are skipped and reported in `Vocabulary.findings`. Nothing is fetched: OBO's
``import:`` lines are not followed. OBO has a reader of our own, because real files break the rules that
strict parsers enforce. Of the five ontologies that this project reads, `pronto` reads none: one has a
malformed line, three use a synonym type that they do not declare, one names a parent that it does not hold.

>>> natural_order(["Abdomen, Acute", "Abdomens, Acute", "Acute Abdomen", "Belly, Sore"])
['Acute Abdomen', 'Abdomens, Acute', 'Belly, Sore']
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from citectx.corpora.files import Release, csv_rows, shown, squeeze
from citectx.errors import DataError, MissingDataError
from citectx.ontology.concepts import ANALYZER, Concept, Vocabulary, joined

TSV: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}


def read_table(path: Path, source: str) -> Vocabulary:
    """Read a small vocabulary of one's own: ``concept<TAB>preferred<TAB>synonym|synonym|...``.

    Parameters
    ----------
    path : Path
        A TSV file with the header ``concept  preferred  synonyms``; lines that begin with ``#`` are comments.
    source : str
        What the vocabulary is called; ids become ``SOURCE:concept``.

    Returns
    -------
    Vocabulary
        Rows with another number of fields, without an id or without a name are skipped, and reported.

    Raises
    ------
    DataError
        If the header is missing.
    MissingDataError
        If the file is not there.
    """
    release = Release(source, path.parent)
    text = re.sub(r"^#.*$", "", release.text(path, "iso-8859-1"), flags=re.MULTILINE)
    concepts = []
    header = ("concept", "preferred", "synonyms")
    for row, here in csv_rows(text, release(path), header, header, skip=True, **TSV):
        if row["concept"] and row["preferred"]:
            concept_id, synonyms = f"{source}:{row['concept']}", row["synonyms"].split("|")
            concepts.append(Concept.of(concept_id, row["preferred"], synonyms, source))
        else:
            here("skipped", "a concept without an id or a name")
    return Vocabulary(source, tuple(concepts), release.findings())


def read_mesh(path: Path) -> Vocabulary:
    """Read MeSH descriptors: id, heading and entry terms (separated by ``|``), one descriptor a line.

    Entry terms come inverted, too ("Infarction, Myocardial"), as the order of a card index wants it. No text
    writes them so, and as synonyms they add no word, so an inverted name is left out where the concept has
    the same words in natural order; if it is the heading, the natural name takes its place.

    Ambiguity: sigir2017 speaks of an is-synonym relation in MeSH. MeSH's entry terms are not all synonyms,
    some are narrower or related; the file does not tell them apart, so all of them are taken.

    Raises
    ------
    DataError
        If the file holds no descriptor.
    MissingDataError
        If the file is not there.
    """
    release = Release("mesh", path.parent)
    concepts: dict[str, Concept] = {}
    inverted = 0
    for line, here in release.lines(path, "iso-8859-1"):
        ui, heading, terms = [*line.split("\t"), "", "", ""][:3]
        if line.count("\t") != 2 or not (ui.strip() and heading.strip()):
            here("skipped", f"expected id, heading and entry terms, found {shown(line)}")
        elif f"MESH:{ui}" in concepts:
            here("skipped", f"descriptor {ui} occurs twice; the first counts")
        else:
            given = dict.fromkeys([heading, *filter(None, terms.split("|"))])
            names = natural_order(given)
            inverted += len(given) - len(names)
            concepts[f"MESH:{ui}"] = Concept.of(f"MESH:{ui}", names[0], names[1:], "mesh")
    if not concepts:
        raise DataError("holds no descriptor; expected MeSH descriptors", file=path)
    if inverted:
        message = f"{inverted:,} inverted names left out, which are there in natural order, too"
        release(path)("noted", message)
    return Vocabulary("mesh", tuple(concepts.values()), release.findings())


def natural_order(names: Iterable[str]) -> list[str]:
    """Leave out names with a comma that have the words of another name without one.

    Returns
    -------
    list of str
        Never empty. In the order given, but the natural name of an inverted first one moves to the front.
    """
    names = list(dict.fromkeys(names))
    if not any(", " in name for name in names):
        return names

    def words(name: str) -> tuple[str, ...]:
        return tuple(sorted(ANALYZER(name)))

    natural = {words(name): name for name in reversed(names) if ", " not in name}
    kept = [name for name in names if ", " not in name or words(name) not in natural]
    return list(dict.fromkeys([natural.get(words(names[0]), names[0]), *kept]))


_HGNC = ("HGNC ID", "Approved Symbol", "Approved Name", "Status", "Synonyms")
_WITHDRAWN = re.compile(r"symbol withdrawn, see (\S+)", re.IGNORECASE)


def read_hgnc(path: Path) -> Vocabulary:
    """Read HGNC's gene names, from its custom download (TSV).

    The approved name is the preferred one; the approved symbol and its synonyms are the others. A withdrawn
    symbol that points to an approved one ("symbol withdrawn, see UBA1") is a synonym of that gene.

    Returns
    -------
    Vocabulary
        Short rows, genes without a symbol and withdrawn symbols that lead nowhere or to several genes are
        left out, and reported.

    Raises
    ------
    DataError
        If a column is missing, or no gene is approved.
    MissingDataError
        If the file is not there.
    """
    release = Release("hgnc", path.parent)
    approved: dict[str, tuple[str, str, list[str]]] = {}
    withdrawn: list[tuple[str, str]] = []
    for row, here in csv_rows(release.text(path, "iso-8859-1"), release(path), _HGNC, skip=True, **TSV):
        gene, symbol, name, status, synonyms = (row[column] for column in _HGNC)
        if status == "Symbol Withdrawn":
            target = _WITHDRAWN.fullmatch(name)
            withdrawn.append((symbol.removesuffix("~withdrawn"), target[1] if target else ""))
        elif status == "Approved" and gene and symbol and symbol not in approved:
            approved[symbol] = (gene, name or symbol, [symbol, *re.split(r", |\|", synonyms)])
        elif status != "Entry Withdrawn":
            here("skipped", f"{shown(symbol)} is no new symbol of a gene with an id, its status {status!r}")
    if not approved:
        raise DataError("holds no approved gene", file=path)
    found = [(symbol, gene) for symbol, gene in withdrawn if gene in approved]
    for symbol, gene in found:
        approved[gene][2].append(symbol)
    if withdrawn:
        message = f"{len(found):,} of {len(withdrawn):,} withdrawn symbols lead to an approved gene"
        release(path)("noted", message)
    concepts = (Concept.of(*gene, "hgnc") for gene in approved.values())
    return Vocabulary("hgnc", tuple(concepts), release.findings())


_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|NARROW|BROAD|RELATED)?(?=[\s\[{]|$)')
_TRAILER = re.compile(r"(?:\{[^{}]*\}\s*+)?(?:(?<!\\)!.*)?$")
"""Modifiers and a comment behind a value."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
_LONGEST_TAG = 32
"""Characters of a tag of SNOMED's; the Disease Ontology has thousands of tagged names, no text has them."""


def read_obo(path: Path, source: str, *, prefix: str = "") -> Vocabulary:
    """Read the terms of an ontology in OBO format.

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
        name (skipped), a malformed line (skipped), tags of SNOMED's (cut off). The names of an id that
        occurs twice are joined.

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
    release = Release(source, path.parents[min(2, len(path.parts) - 1)])  # slices share their file name
    report = release(path)
    terms = _terms(release, path)
    if not terms:
        raise DataError("holds no [Term] with an id; expected an ontology in OBO format", file=path)
    wanted = [term for term in terms if term["id"].startswith(prefix)]
    current = [term for term in wanted if term.get("is_obsolete") != "true"]
    if len(current) < len(wanted):
        report("noted", f"{len(wanted) - len(current):,} obsolete terms left out")
    concepts = []
    tagged = 0
    for term in current:
        names = [_unescaped(name) for name in term["synonyms"]]
        tagged += sum(untagged(name) != squeeze(name) for name in names)
        if "name" in term:
            name = _unescaped(term["name"])
            concepts.append(Concept.of(term["id"], name, map(untagged, names), source))
        else:
            report.at(term["line"])("skipped", f"{term['id']} has no name")
    if not concepts:
        raise DataError(f"no term with an id in {prefix!r} has a name and is current", file=path)
    if tagged:
        report("repaired", f"{tagged:,} synonyms end in a tag of SNOMED's, as (disorder), which is cut off")
    return joined(source, [Vocabulary(source, tuple(concepts), release.findings())])


def _unescaped(text: str) -> str:
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


def _terms(release: Release, path: Path) -> list[dict[str, Any]]:
    """Return the tags of each term that has an id, its line and its exact synonyms."""
    terms: list[dict[str, Any]] = []
    term: dict[str, Any] | None = None
    for raw, here in release.lines(path, "iso-8859-1"):
        line = raw.strip()
        tag, colon, value = line.partition(":")
        if line.startswith("["):
            term = {"line": here.line, "synonyms": []} if line == "[Term]" else None
            terms += [term] if term else []
            if line not in ("[Term]", "[Typedef]", "[Instance]"):
                here("skipped", f"unknown kind of stanza {shown(line)}")
        elif term is None or line.startswith("!"):
            continue
        elif not colon:
            here("skipped", f"expected TAG: VALUE, found {shown(line)}")
        elif tag != "synonym":
            term[tag] = _TRAILER.sub("", value.strip(), count=1).rstrip()
        elif not (match := _SYNONYM.match(value.strip())):
            here("skipped", f"expected a quoted synonym with a scope, found {shown(value.strip())}")
        elif match[2] == "EXACT":
            term["synonyms"].append(match[1])
    for term in terms:
        if not term.get("id"):
            release(path).at(term["line"])("skipped", "a term without an id")
    return [term for term in terms if term.get("id")]


UMLS_FIELDS = 18
WRONG = 1000
"""Malformed rows of UMLS at most: with more it is another file."""

_SNOMED = "SNOMEDCT_US"
_TERM_TYPES = ("PT", "SY")
"""Preferred terms and synonyms; fully specified names (FN) carry a tag in brackets that no author writes."""


def read_umls(path: Path) -> Vocabulary:
    """Read the English names of SNOMED CT from the UMLS Metathesaurus, for readers who hold its licence.

    A row is one name of one concept in one source vocabulary, 18 fields with a pipe behind each. The file has
    several gigabytes: it is read line by line, and only the rows wanted are kept.

    Parameters
    ----------
    path : Path
        ``MRCONSO.RRF``, or the folder that holds it or ``META/MRCONSO.RRF``.

    Returns
    -------
    Vocabulary
        Concepts by their CUI, sorted; the preferred term is the name, the others are synonyms. Rows with
        another number of fields, without an id or without a name are skipped, and reported; names that the
        Metathesaurus marks as suppressible or obsolete are left out.

    Raises
    ------
    DataError
        If more than `WRONG` rows are malformed, or the file has no name of SNOMED CT.
    MissingDataError
        If the file is not there.

    Notes
    -----
    Source: naacl2015 §2.3.2 and §2.3.5 (SNOMED CT and preferred concepts). Ambiguity: "preferred concepts"
    may mean the Metathesaurus's own preferred name or the source's preferred term. We take names by source
    and term type, and the source's preferred term for the name.
    """
    if path.is_dir():  # the Metathesaurus comes with a folder META or without
        path = (path / "META" if (path / "META").is_dir() else path) / "MRCONSO.RRF"
    if not path.is_file():
        raise MissingDataError(f"{path} is not there; citectx fetch umls tells how to get it")
    release = Release("umls", path.parent)
    report = release(path)
    names: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("|")
            if len(fields) != UMLS_FIELDS + 1 or not fields[0] or not fields[14].strip():
                expected = f"expected {UMLS_FIELDS} fields with an id and a name, found {len(fields) - 1} fields"
                report.at(number)("skipped", expected)
                if len(release.found) > WRONG:
                    raise DataError(f"more than {WRONG} rows are wrong; {expected}", file=path, line=number)
                continue
            cui, language, vocabulary, kind, name, suppress = (fields[i] for i in (0, 1, 11, 12, 14, 16))
            if (vocabulary, language, suppress) == (_SNOMED, "ENG", "N") and kind in _TERM_TYPES:
                names[cui].append((kind != "PT", name))
    if not names:
        raise DataError(f"holds no English name of {_SNOMED}; install the Metathesaurus with it", file=path)
    concepts = []
    for cui, rows in sorted(names.items()):
        (_, name), *others = sorted(rows)
        concepts.append(Concept.of(f"UMLS:{cui}", name, [other for _, other in others], "umls"))
    return Vocabulary("umls", tuple(concepts), release.findings())
