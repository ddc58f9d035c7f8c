"""The project's vocabularies: the teaching one always, the real ones where they are at hand."""

from pathlib import Path

import pytest

from citectx.corpora import Topic, tac
from citectx.errors import MissingDataError, ParameterError
from citectx.ontology import (
    ANALYZER,
    VOCABULARIES,
    Concept,
    SynonymGraph,
    open_vocabulary,
)
from citectx.ontology.concepts import normalized
from citectx.ontology.vocabularies import natural_order, read_hgnc, read_obo, read_table, untagged
from citectx.paths import DATA


@pytest.fixture(scope="module")
def teaching() -> SynonymGraph:
    return open_vocabulary(["teaching"])


@pytest.fixture(scope="module")
def topics() -> dict[str, Topic]:
    return {topic.topic_id: topic for topic in tac.read(DATA / "teaching")}


def test_every_teaching_concept_is_named_in_the_corpus(
    teaching: SynonymGraph, topics: dict[str, Topic]
) -> None:
    documents = [d for t in topics.values() for d in (t.reference, *t.citing.values())]
    used = {
        c for d in documents for m in teaching.match(list(ANALYZER(d.text))) for c in m.concepts
    }
    assert {c for concepts in teaching.bearers.values() for c in concepts} == used


def test_teaching_vocabulary_is_clean(teaching: SynonymGraph) -> None:
    vocabulary = VOCABULARIES["teaching"]()
    assert len(teaching) >= len(
        {normalized(name) for c in vocabulary for name in (c.name, *c.synonyms)}
    )
    assert all(concept.synonyms for concept in vocabulary)


@pytest.mark.parametrize(
    ("place", "said", "meant"),
    [
        ("D9001_TEACH 2", "programmed cell death", "apoptosis"),
        ("D9001_TEACH 6", "messenger RNA", "mRNA"),
        ("D9002_TEACH 2", "heart attacks", "myocardial infarction"),
        ("D9003_TEACH 2", "neoplasms", "tumours"),
        ("D9003_TEACH 2", "large bowel", "colon"),
        ("D9003_TEACH 8", "suppressive lymphocytes", "regulatory T cells"),
        ("D9005_TEACH 2", "fits", "seizures"),
        ("D9005_TEACH 7", "translation of proteins", "protein synthesis"),
    ],
)
def test_synonyms_bridge_what_a_citance_says_and_what_its_evidence_says(
    teaching: SynonymGraph, topics: dict[str, Topic], place: str, said: str, meant: str
) -> None:
    topic_id, number = place.split()
    topic = topics[topic_id]
    citance = next(c for c in topic.citances if c.citance_id == number)
    evidence = " ".join(
        topic.reference.text[a:b] for spans in citance.gold.values() for a, b in spans
    )
    assert normalized(said) in normalized(citance.text)
    assert normalized(meant) in normalized(evidence)
    assert normalized(meant) in teaching.synonyms(said)


def test_unknown_or_no_vocabulary_is_an_error_that_lists_them() -> None:
    with pytest.raises(
        ParameterError, match="unknown vocabulary 'snomed'; known: 'doid', 'hgnc', 'mesh'"
    ):
        open_vocabulary(["teaching", "snomed"])
    with pytest.raises(ParameterError, match="at least one vocabulary"):
        open_vocabulary([])


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


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hiccups (disorder)", "hiccups"),
        ("acute hiccups, NOS (finding)", "acute hiccups"),
        ("hiccup [Ambiguous]", "hiccup"),
        ("NOS", "NOS"),
    ],
)
def test_tags_of_snomed_are_cut_off(name: str, expected: str) -> None:
    assert untagged(name) == expected


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
    assert {name: len(VOCABULARIES[name]()) for name in expected} == expected
    assert len(real) > 200_000


@pytest.mark.open_data
def test_real_synonyms_are_found_across_vocabularies(real: SynonymGraph) -> None:
    assert "myocardial infarction" in real.synonyms("heart attack")
    assert real.concepts("heart attack") == ("DOID:5844", "MESH:D009203")
    assert {"tp53", "p53"} <= set(real.synonyms("tumor protein p53"))
    assert real.match("tumor necrosis factor alpha in the mice".split())[0].end == 4


@pytest.mark.open_data
def test_no_real_name_breaks_a_rule(real: SynonymGraph) -> None:
    for word in ("was", "not", "an", "of", "in", "for", "2", "t", "impact"):
        assert real.concepts(word) == (), word
    assert real.concepts("mice") == ("MESH:D051379",)
    assert real.concepts("insulin")
