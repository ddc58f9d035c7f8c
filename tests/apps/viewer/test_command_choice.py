"""Which methods a page shows, with which parameters, and what it says about them."""

from pathlib import Path

import pytest

from citectx.apps.viewer import command
from citectx.apps.viewer.command import QUICK, choose
from citectx.corpora import Annotation, Citance, Corpus
from citectx.errors import MissingDataError
from citectx.experiments.contextualization import Protocol, prepare
from citectx.experiments.tuning import applicable, tune, variants
from tests.apps.viewer.made import bare, corpus


def test_a_small_corpus_shows_every_method_that_applies(teaching: Corpus) -> None:
    _, shown, left_out = choose(teaching, teaching.topics[0], tuned=False)
    assert [one.name for one in shown] == applicable("teaching")
    assert not left_out
    assert [one.how for one in shown[:2]] == [
        "the only variant",
        "the first of 30 variants, not tuned",
    ]
    assert [one.name for one in shown[:2]] == ["VSM", "BM25"]
    assert shown[1].model == variants("BM25", "teaching")[0]


def test_parameters_are_those_of_the_tables(teaching: Corpus) -> None:
    """Chosen on the other topics: the same as when their sums are compared here by hand."""
    topics = prepare(teaching, Protocol())
    _, shown, _ = choose(teaching, teaching.topics[1], ["BM25", "LMD"])
    for one in shown:
        others = [t for i, t in enumerate(topics) if i != 1]
        candidates = variants(one.name, "teaching")
        sums = [round(sum(float(t.objective(v).sum()) for t in others), 7) for v in candidates]
        assert one.model.params() == candidates[sums.index(max(sums))].params()
        assert one.model.params() == tune(topics, candidates, 10).chosen[1].params()
        assert one.how == f"cross-validated on other topics, best of {len(candidates)} variants"


def test_a_large_corpus_shows_the_quick_and_names_the_rest(
    teaching: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "SMALL", 10)
    _, shown, left_out = choose(teaching, teaching.topics[0], tuned=False)
    assert [one.name for one in shown] == list(QUICK)
    assert set(left_out) == set(applicable("teaching")) - set(QUICK)
    assert "name it with --methods" in left_out["QR"]


def test_a_method_without_its_data_is_left_out_unless_it_was_asked_for(
    teaching: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A small corpus under a name that needs vectors, with an empty data folder."""
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.delenv("CITECTX_MIRROR", raising=False)
    own = Corpus("my own", teaching.topics)
    _, shown, left_out = choose(own, own.topics[0], tuned=False)
    assert {"VSM", "BM25", "DFR", "LMD"} <= {one.name for one in shown}
    assert "citectx train" in left_out["WE_Bio"]
    with pytest.raises(MissingDataError, match="citectx train"):
        choose(own, own.topics[0], ["LMD", "WE_Bio"], tuned=False)


def test_without_two_annotated_topics_nothing_is_tuned() -> None:
    blind = corpus(bare(Citance("1", "x", "Cells rest.")))
    _, shown, _ = choose(blind, blind.topics[0], ["LMD"])
    assert [one.how for one in shown] == ["the first of 9 variants, not tuned"]


def test_a_blind_topic_gets_what_is_best_on_all_the_others(teaching: Corpus) -> None:
    blind = bare(Citance("1", "x", "Cells rest.", annotations=(Annotation("A", ()),)))
    mixed = Corpus("teaching", (*teaching.topics, blind))
    _, (shown,), _ = choose(mixed, blind, ["BM25"])
    assert shown.how.startswith("cross-validated on other topics")
    candidates = variants("BM25", "teaching")
    topics = [p for p in prepare(mixed, Protocol()) if p.citances]
    means = [sum(float(t.objective(v).sum()) for t in topics) for v in candidates]
    assert shown.model.params() == candidates[means.index(max(means))].params()
