"""The synonym graph, against brute force and by hand."""

from hypothesis import given
from hypothesis import strategies as st

from citectx.ontology import ANALYZER, Concept, SynonymGraph
from citectx.ontology.graph import Match


def graph(*concepts: Concept) -> SynonymGraph:
    return SynonymGraph.build(concepts)


HEART = Concept.of("M:1", "Myocardial Infarction", ["heart attack", "infarct"], "mesh")
GENES = (
    Concept.of("H:1", "quibblin 1", ["QBL1", "p99", "WAS", "T"], "hgnc"),
    Concept.of("H:2", "quibblin 2", ["QBL2", "p99", "IL-6"], "hgnc"),
    Concept.of("P:1", "interleukin 6", ["IL-6", "IL6"], "pro"),
)

words = st.lists(st.sampled_from(["ka", "kb", "kc"]), max_size=12)
namings = st.lists(
    st.lists(
        st.lists(st.sampled_from(["ka", "kb", "kc"]), min_size=1, max_size=4).map(" ".join),
        min_size=1,
    ),
    min_size=1,
    max_size=5,
)


def concepts_of(naming: list[list[str]]) -> list[Concept]:
    return [Concept.of(f"X:{i}", names[0], names[1:], "x") for i, names in enumerate(naming)]


def brute_force(concepts: list[Concept], tokens: list[str]) -> list[Match]:
    """Try at each place every length, the longest first, against every name of every concept."""
    found, start = [], 0
    while start < len(tokens):
        for end in range(len(tokens), start, -1):
            bearers = [c for c in concepts if " ".join(tokens[start:end]) in (c.name, *c.synonyms)]
            if bearers:
                found.append((start, end, tuple(sorted(c.concept_id for c in bearers))))
                start = end
                break
        else:
            start += 1
    return found


@given(namings, words)
def test_match_is_what_brute_force_finds(naming: list[list[str]], tokens: list[str]) -> None:
    concepts = concepts_of(naming)
    assert graph(*concepts).match(tokens) == brute_force(concepts, tokens)


def test_names_and_texts_are_analysed_alike() -> None:
    built = graph(Concept.of("P:1", "TGF-β1 (latent)", ["Interleukin-6"], "pro"))
    assert built.match(list(ANALYZER("After TGF-β1, (latent) or INTERLEUKIN 6."))) == [
        (1, 4, ("P:1",)),
        (5, 7, ("P:1",)),
    ]
    assert built.match(list(ANALYZER("interleukin 2"))) == []
    assert built.concepts("interleukin 6") == ("P:1",)


def test_names_of_several_concepts_give_all_of_them() -> None:
    built = graph(*GENES)
    assert built.concepts("p99") == ("H:1", "H:2")
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
