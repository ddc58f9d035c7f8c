"""HGNC's custom download, with invented genes."""

from pathlib import Path

import pytest

from citectx.errors import DataError
from citectx.ontology.concepts import Vocabulary
from citectx.ontology.vocabularies import read_hgnc

CUSTOM = Path(__file__).with_name("hgnc.tsv").read_text("utf-8")


def read(tmp_path: Path, text: str) -> Vocabulary:
    path = tmp_path / "hgnc.tsv"
    path.write_text(text, "utf-8")
    return read_hgnc(path)


def test_custom_download_gives_name_symbol_aliases_and_withdrawn_symbols(tmp_path: Path) -> None:
    vocabulary = read(tmp_path, CUSTOM)
    assert [(c.concept_id, c.name, c.synonyms, c.source) for c in vocabulary] == [
        ("HGNC:1", "quibblin 1", ("QBL1", "QB(1)", "QUIB", "p99", "OLDQ"), "hgnc"),
        ("HGNC:6", "quibblin 2", ("QBL2",), "hgnc"),
    ]
    assert vocabulary.findings == ()


def test_rows_with_too_few_fields_or_without_a_symbol_are_reported(tmp_path: Path) -> None:
    text = CUSTOM + "HGNC:7\tQBL3\n" + "HGNC:8\t\tnameless\tApproved\t\t\n"
    vocabulary = read(tmp_path, text)
    assert [c.concept_id for c in vocabulary] == ["HGNC:1", "HGNC:6"]
    assert [(f.line, f.action) for f in vocabulary.findings] == [(8, "skipped"), (9, "skipped")]


@pytest.mark.parametrize("text", ["", "\n", CUSTOM.replace("Approved Symbol", "Label")])
def test_missing_column_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="Approved Symbol"):
        read(tmp_path, text)


def test_file_without_an_approved_gene_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no approved gene"):
        read(tmp_path, CUSTOM.replace("\tApproved\t", "\tEntry Withdrawn\t"))
