"""The project's vocabularies: the teaching one always, the real ones where they are at hand."""

from pathlib import Path

import pytest

from citectx.errors import MissingDataError, ParameterError
from citectx.ontology import VOCABULARIES, Concept, SynonymGraph, open_vocabulary
from citectx.ontology.vocabularies import (
    natural_order,
    read_hgnc,
    read_obo,
    read_table,
    without_tag,
)


def test_an_unknown_vocabulary_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(
        ParameterError, match="unknown vocabulary 'snomed'; known: 'doid', 'hgnc', 'mesh'"
    ):
        open_vocabulary(["teaching", "snomed"])


def test_mesh_comes_in_natural_word_order(tmp_path: Path) -> None:
    path = tmp_path / "mesh.tsv"
    path.write_text(
        "# comment\nD1\tAbdomen, Sore\tSore Abdomen|Abdomens, Sore|Sore Abdomens|Bellyache\n"
        "D2\tZinc Finger\tFinger, Zinc\n"
    )
    assert read_table(path, "mesh", "MESH") == [
        Concept("MESH:D1", "Sore Abdomen", ("Sore Abdomens", "Bellyache"), "mesh"),
        Concept("MESH:D2", "Zinc Finger", (), "mesh"),
    ]
    names = ["Leukemia, Hairy Cell", "Hairy Leukemia", "Cell, Leukemia"]
    assert natural_order(names) == names  # its words stand in no other order


def test_withdrawn_symbols_of_hgnc_are_synonyms() -> None:
    assert read_hgnc(Path(__file__).with_name("hgnc.tsv")) == [
        Concept("HGNC:1", "quibblin 1", ("QBL1", "QB(1)", "QUIB", "p99", "OLDQ"), "hgnc"),
        Concept("HGNC:6", "quibblin 2", ("QBL2",), "hgnc"),
    ]


def test_exact_synonyms_of_current_obo_terms() -> None:
    path = Path(__file__).with_name("proteins.obo")
    synonyms = ("QBL", 'quibbl"in", 2,3')
    assert read_obo(path, "px", prefix="PX:") == [Concept("PX:1", "quibblin", synonyms, "px")]


HEADER = "format-version: 1.2\n"
TERMS = (
    '[Term]\nid: X:1\nname: tumor\nsynonym: "neoplasm" EXACT []\n',
    "[Term]\nid: X:2\nname: cell\n",
)


@pytest.mark.parametrize(
    "content",
    [
        *("\n".join((HEADER, *TERMS)), "".join((HEADER, *TERMS)), " \n".join((HEADER, *TERMS))),
        *("\ufeff" + "\n".join(TERMS), "\r\n".join((HEADER, *TERMS)).replace("\n", "\r\n")),
        "\n".join((HEADER, *TERMS)).replace(": ", ":").replace("X:1", "X:1 ! tumour"),
        "\n".join((*TERMS, "[Term]\nid: X:3\n")),
    ],
    ids=["blank lines", "none", "not empty", "BOM", "CRLF", "no blank after colon", "no name"],
)
def test_terms_of_obo_begin_at_a_bracket(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.obo"
    path.write_bytes(content.encode())
    expected = [Concept("X:1", "tumor", ("neoplasm",), "x"), Concept("X:2", "cell", (), "x")]
    assert read_obo(path, "x", prefix="X:") == expected


def test_tags_of_snomed_are_cut_off() -> None:
    assert without_tag("hiccups (disorder)") == "hiccups"
    assert without_tag("hiccup [Ambiguous]") == "hiccup"


def test_missing_data_is_an_error_that_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.delenv("CITECTX_MIRROR", raising=False)
    with pytest.raises(MissingDataError, match="citectx fetch vocabularies"):
        open_vocabulary(["doid"])


@pytest.fixture(scope="module")
def real() -> SynonymGraph:
    try:
        return open_vocabulary()
    except MissingDataError as error:
        pytest.skip(f"needs the open source vocabularies: {error}")


@pytest.mark.open_data
def test_real_vocabularies_have_the_size_counted_by_hand(real: SynonymGraph) -> None:
    """Concepts: lines of the TSVs (approved genes), ``[Term]`` stanzas less obsolete ones, by shell
    tools."""
    expected = {"doid": 6_874, "hgnc": 40_988, "mesh": 29_351, "pro": 1_799}
    ids = {name: {c.concept_id for c in VOCABULARIES[name]()} for name in expected}
    assert {name: len(ids[name]) for name in ids} == expected
    assert len(real.bearers) > 200_000


@pytest.mark.open_data
def test_real_synonyms_are_found_across_vocabularies(real: SynonymGraph) -> None:
    assert "myocardial infarction" in real.synonyms("heart attack")
    assert real.concepts("heart attack") == ("DOID:5844", "MESH:D009203")
    assert {"tp53", "p53"} <= set(real.synonyms("tumor protein p53"))
    assert real.match("tumor necrosis factor alpha in the mice".split())[0][1] == 4


@pytest.mark.open_data
def test_no_real_name_breaks_a_rule(real: SynonymGraph) -> None:
    for word in ("was", "not", "an", "of", "in", "for", "2", "t", "impact"):
        assert real.concepts(word) == (), word
    assert real.concepts("mice") == ("MESH:D051379",)
    assert real.concepts("insulin")
