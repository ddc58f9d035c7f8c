"""MeSH descriptors, on a small file of our own making."""

from pathlib import Path

import pytest

from citectx.errors import DataError, MissingDataError
from citectx.ontology.concepts import Vocabulary
from citectx.ontology.vocabularies import natural_order, read_table

TSV = (
    "D900001\tAbdomen, Sore\tSore Abdomen|Sore Abdomens|Abdomens, Sore|Bellyache\n"
    "D900002\tZinc Finger\tFinger, Zinc\n"
)


def read(path: Path) -> Vocabulary:
    return read_table(path, "mesh", "MESH")


def write(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


def test_concepts_come_in_natural_word_order(tmp_path: Path) -> None:
    concepts = read(write(tmp_path / "mesh.tsv", TSV)).concepts
    assert [(c.concept_id, c.name, sorted(c.synonyms), c.source) for c in concepts] == [
        ("MESH:D900001", "Sore Abdomen", ["Bellyache", "Sore Abdomens"], "mesh"),
        ("MESH:D900002", "Zinc Finger", [], "mesh"),
    ]


def test_inverted_name_stays_where_its_words_stand_in_no_other_order() -> None:
    names = ["Leukemia, Hairy Cell", "Hairy Leukemia", "Cell, Leukemia"]
    assert natural_order(names) == names


def test_first_natural_spelling_takes_the_place_of_the_heading() -> None:
    names = ["Abdomen, Sore", "Sore Abdomen", "sore abdomen"]
    assert natural_order(names) == ["Sore Abdomen", "sore abdomen"]


def test_rows_with_too_few_fields_and_doubles_are_reported(tmp_path: Path) -> None:
    text = "D1\tHeart\nD2\tLung\tLungs\nD2\tAnother\t\n\tNameless\t\n"
    vocabulary = read(write(tmp_path / "m.tsv", text))
    assert [c.name for c in vocabulary] == ["Lung"]
    assert [(f.line, f.action) for f in vocabulary.findings] == [
        (1, "skipped"),
        (3, "skipped"),
        (4, "skipped"),
    ]


def test_empty_and_missing_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no concept"):
        read(write(tmp_path / "m.tsv", ""))
    with pytest.raises(MissingDataError, match="desc"):
        read(tmp_path / "desc.tsv")


def test_comments_are_skipped_and_another_encoding_is_reported(tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_bytes("# mine\ns\tSjögren's syndrome\tsicca\n".encode("latin-1"))
    vocabulary = read_table(tmp_path / "v.tsv", "own", "own")
    assert [(c.concept_id, c.name) for c in vocabulary] == [("own:s", "Sjögren's syndrome")]
    assert "not UTF-8" in vocabulary.findings[0].message
