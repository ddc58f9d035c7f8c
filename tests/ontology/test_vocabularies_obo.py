"""OBO, on invented ontologies. (`fastobo` gives the same names on the four slices it reads.)"""

from pathlib import Path

import pytest

from citectx.errors import DataError
from citectx.ontology.concepts import Vocabulary
from citectx.ontology.vocabularies import read_obo

HEADER = "format-version: 1.2\nimport: http://example.org/never-fetched.obo\n\n"

PROTEINS = Path(__file__).with_name("proteins.obo").read_text("utf-8")


def read(tmp_path: Path, text: str | bytes, **options: object) -> Vocabulary:
    path = tmp_path / "x.obo"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_obo(path, "px", **options)  # type: ignore[arg-type]


def test_exact_synonyms_of_current_terms(tmp_path: Path) -> None:
    vocabulary = read(tmp_path, PROTEINS, prefix="PX:")
    assert [(c.concept_id, c.name, c.synonyms) for c in vocabulary] == [
        ("PX:1", "quibblin", ("QBL", 'quibbl"in", 2,3'))
    ]
    assert vocabulary.findings == ()


def test_term_without_a_name_is_skipped_with_its_line(tmp_path: Path) -> None:
    text = HEADER + '[Term]\nid: X:1\nsynonym: "orphan" EXACT []\n\n[Term]\nid: X:2\nname: b\n'
    vocabulary = read(tmp_path, text)
    assert [c.concept_id for c in vocabulary] == ["X:2"]
    assert [(f.line, f.action) for f in vocabulary.findings] == [(4, "skipped")]


def test_term_without_an_id_is_skipped_with_its_line(tmp_path: Path) -> None:
    vocabulary = read(tmp_path, HEADER + "[Term]\nname: a\n\n[Term]\nid: X:2\nname: b\n")
    assert [(f.line, f.message) for f in vocabulary.findings] == [(4, "a term without an id")]


def test_a_damaged_head_of_the_first_term_is_reported(tmp_path: Path) -> None:
    vocabulary = read(
        tmp_path, "format-version: 1.2\nJTerm]\nid: X:1\nname: a\n\n[Term]\nid: X:2\nname: b\n"
    )
    assert [(f.line, f.action) for f in vocabulary.findings] == [(2, "skipped")]


def test_id_that_stands_twice_joins_its_names(tmp_path: Path) -> None:
    text = HEADER + '[Term]\nid: X:1\nname: a\n\n[Term]\nid: X:1\nname: b\nsynonym: "c" EXACT []\n'
    vocabulary = read(tmp_path, text)
    assert [(c.name, c.synonyms) for c in vocabulary] == [("a", ("b", "c"))]


def test_escaped_mark_of_comment_belongs_to_the_name(tmp_path: Path) -> None:
    text = HEADER + "[Term]\nid: X:1\nname: yippee\\! factor ! not this\n"
    assert read(tmp_path, text).concepts[0].name == "yippee! factor"


def test_malformed_synonym_is_skipped_with_its_line(tmp_path: Path) -> None:
    text = HEADER + '[Term]\nid: X:1\nname: a\nsynonym: "open EXACT []\nsynonym: "b" EXACT []\n'
    vocabulary = read(tmp_path, text)
    assert vocabulary.concepts[0].synonyms == ("b",)
    assert [(f.line, f.action) for f in vocabulary.findings] == [(7, "skipped")]


def test_tags_of_snomed_are_cut_off(tmp_path: Path) -> None:
    tagged = [
        "hiccups (disorder)",
        "hiccups NOS",
        "acute hiccups, NOS (finding)",
        "hiccup [Ambiguous]",
        "NOS",
    ]
    lines = "".join(f'synonym: "{name}" EXACT []\n' for name in tagged)
    vocabulary = read(tmp_path, HEADER + "[Term]\nid: X:1\nname: hiccups\n" + lines)
    assert vocabulary.concepts[0].synonyms == ("acute hiccups", "hiccup", "NOS")


def test_nothing_left_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="and an id in 'QX:'"):
        read(tmp_path, PROTEINS, prefix="QX:")


@pytest.mark.parametrize(
    "text", ["", "id\tname\nX:1\ta\n", HEADER + "[Typedef]\nid: part_of\nname: a\n"]
)
def test_file_without_terms_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"no current \[Term\]"):
        read(tmp_path, text)
