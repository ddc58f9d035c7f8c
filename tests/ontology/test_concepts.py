from pathlib import Path

import pytest

from citectx.errors import DataError, MissingDataError
from citectx.ontology.readers import read_table


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_table_gives_concepts_and_reports_rows_with_too_few_fields(tmp_path: Path) -> None:
    header = "# mine\nconcept\tpreferred\tsynonyms\n"
    text = header + "heart\theart\tcor|ticker\nshort\trow\n\t nameless\tx\nlung\tlung\t\n"
    vocabulary = read_table(write(tmp_path / "v.tsv", text), "own")
    assert [(c.concept_id, c.name, c.synonyms) for c in vocabulary] == [
        ("own:heart", "heart", ("cor", "ticker")),
        ("own:lung", "lung", ()),
    ]
    assert [(f.line, f.action) for f in vocabulary.findings] == [(4, "skipped"), (5, "skipped")]


def test_table_that_is_not_utf8_is_read_and_reported(tmp_path: Path) -> None:
    text = "concept\tpreferred\tsynonyms\ns\tSjögren's syndrome\tsicca\n".encode("latin-1")
    vocabulary = read_table(write(tmp_path / "v.tsv", text), "own")
    assert vocabulary.concepts[0].name == "Sjögren's syndrome"
    assert "not UTF-8" in vocabulary.findings[0].message


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "heart\theart\tcor\n"])
def test_table_without_its_header_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="lacks the columns"):
        read_table(write(tmp_path / "v.tsv", text), "own")


def test_missing_table_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="nowhere"):
        read_table(tmp_path / "nowhere.tsv", "own")
