"""The synonym graph, against brute force and by hand."""

from citectx.ontology import ANALYZER, Concept, SynonymGraph


def graph(*concepts: Concept) -> SynonymGraph:
    return SynonymGraph.build(concepts)


HEART = Concept.of("M:1", "Myocardial Infarction", ["heart attack", "infarct"], "mesh")
GENES = (
    Concept.of("H:1", "quibblin 1", ["QBL1", "p99", "WAS", "T"], "hgnc"),
    Concept.of("H:2", "quibblin 2", ["QBL2", "p99", "IL-6"], "hgnc"),
    Concept.of("P:1", "interleukin 6", ["IL-6", "IL6"], "pro"),
)


def test_from_left_to_right_the_longest_name_is_taken() -> None:
    names = {"X:1": ["ka kb", "kd"], "X:2": ["ka kb kc kc"], "X:3": ["kb kc", "ka kb", "ka kc kc"]}
    built = graph(*(Concept.of(key, first, rest, "x") for key, (first, *rest) in names.items()))
    found = built.match("ka kb kc ka kb kc kc ke kb kc ka kc kc ke".split())
    assert found[:2] == [(0, 2, ("X:1", "X:3")), (3, 7, ("X:2",))]
    assert found[2:] == [(8, 10, ("X:3",)), (10, 13, ("X:3",))]
    assert built.edges(["kd", "ke"]) == []
    assert built.synonyms("ka kb") == ("ka kc kc", "kb kc", "kd")


def test_names_and_texts_are_analysed_alike() -> None:
    built = graph(Concept.of("P:1", "TGF-β1 (latent)", ["Interleukin-6"], "pro"))
    assert built.match(list(ANALYZER("After TGF-β1, (latent) or INTERLEUKIN 6."))) == [
        (1, 4, ("P:1",)),
        (5, 7, ("P:1",)),
    ]
    assert built.match(list(ANALYZER("interleukin 2"))) == []
    assert built.concepts("interleukin 6") == ("P:1",)


def test_names_of_several_concepts_give_all_of_them() -> None:
    same = [Concept(f"X:{i}", "ka", (), "x") for i in range(9)]
    assert graph(*same).concepts("ka") == tuple(c.concept_id for c in same)
    built = graph(*GENES)
    assert built.synonyms("IL-6") == ("il6", "interleukin 6", "p99", "qbl2", "quibblin 2")


def test_excluded_names_do_not_match() -> None:
    assert graph(*GENES).match(["t", "was"]) == []


def test_a_name_excluded_for_one_concept_stays_for_another() -> None:
    built = graph(
        Concept.of("H:1", "quibblin", ["MICE"], "hgnc"),
        Concept.of("M:1", "Mice", ["mouse"], "mesh"),
    )
    assert built.match(["mice"]) == [(0, 1, ("M:1",))]
    assert built.edges(["mice", "mouse"]) == [("mice", "mouse")]


def test_order_of_vocabularies_does_not_matter() -> None:
    built, again = graph(HEART, *GENES), graph(*GENES, HEART)
    assert list(built.bearers.items()) == list(again.bearers.items())
