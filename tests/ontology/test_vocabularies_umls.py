"""UMLS's MRCONSO.RRF, with invented concepts."""

from pathlib import Path

import pytest

from citectx.errors import DataError
from citectx.ontology import SynonymGraph
from citectx.ontology.concepts import Vocabulary
from citectx.ontology.vocabularies import read_umls


def row(
    cui: str, source: str, kind: str, name: str, language: str = "ENG", suppress: str = "N"
) -> str:
    fields = [
        cui,
        language,
        "P",
        "L1",
        "PF",
        "S1",
        "Y",
        "A1",
        "",
        "",
        "",
        source,
        kind,
        "1",
        name,
        "9",
        suppress,
        "",
    ]
    return "|".join(fields) + "|\n"


ROWS = [
    row("C2", "SNOMEDCT_US", "SY", "Quibble of the knee"),
    row("C2", "SNOMEDCT_US", "PT", "Knee quibble"),
    row("C2", "SNOMEDCT_US", "FN", "Knee quibble (disorder)"),
    row("C2", "MSH", "MH", "Quibbles"),
    row("C1", "SNOMEDCT_US", "PT", "Wibble"),
    row("C1", "SNOMEDCT_US", "SY", "Vieux wibble", suppress="O"),
    row("C1", "SNOMEDCT_US", "SY", "Gewibbel", language="GER"),
    row("C3", "MSH", "MH", "Wobble"),
]


def read(folder: Path, rows: list[str]) -> Vocabulary:
    (folder / "MRCONSO.RRF").write_text("".join(rows), encoding="utf-8")
    return read_umls(folder)


def test_snomed_names_with_the_preferred_term_first(tmp_path: Path) -> None:
    vocabulary = read(tmp_path, ROWS)
    assert [(c.concept_id, c.name, c.synonyms) for c in vocabulary] == [
        ("UMLS:C1", "Wibble", ()),
        ("UMLS:C2", "Knee quibble", ("Quibble of the knee",)),
    ]
    assert vocabulary.findings == ()


def test_names_become_a_synonym_graph(tmp_path: Path) -> None:
    graph = SynonymGraph.build([read(tmp_path, ROWS)])
    assert graph.synonyms("knee quibble") == ("quibble of the knee",)


def test_short_rows_are_skipped_and_reported(tmp_path: Path) -> None:
    vocabulary = read(
        tmp_path, [ROWS[1], "C9|ENG|P|\n", row("C9", "SNOMEDCT_US", "PT", " "), ROWS[4]]
    )
    assert len(vocabulary) == 2
    assert [(f.file, f.line, f.action) for f in vocabulary.findings] == [
        ("MRCONSO.RRF", 2, "skipped"),
        ("MRCONSO.RRF", 3, "skipped"),
    ]
    assert "expected 18 fields with an id and a name, found 3" in vocabulary.findings[0].message


def test_file_without_snomed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="SNOMEDCT_US"):
        read(tmp_path, [ROWS[3]])
