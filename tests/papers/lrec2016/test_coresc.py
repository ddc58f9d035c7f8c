"""The experiment on planted papers: scikit-learn's figures, folds that keep annotators apart."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from citectx.corpora.coresc import CLASSES, CoreSCCorpus, LabelledPaper
from citectx.errors import ParameterError
from citectx.experiments.results import COLUMNS, Result
from citectx.papers.lrec2016 import coresc as lrec2016_coresc
from citectx.papers.lrec2016.coresc import confusions, f1, fold_of
from tests.recommendation.test_coresc import planted

FAST = {"min_count": 1, "members": 2}


def corpus(name: str, seed: int, papers: int = 12) -> CoreSCCorpus:
    made, labels = planted(papers, seed)
    others = ((("Bac",) if name == "second" else (), *((),) * 5) for _ in made)
    rows = enumerate(zip(made, labels, others, strict=True))
    return CoreSCCorpus(name, tuple(LabelledPaper(*row, f"ann{i % 3 + 2}") for i, row in rows))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Result]:
    art, cra = corpus("first", 1), corpus("second", 2)
    with pytest.MonkeyPatch.context() as patch:
        cache = tmp_path_factory.mktemp("folds")
        patch.setenv("CITECTX_CACHE", str(cache))
        first = lrec2016_coresc.run(art, cra, params=FAST, folds=3, progress=False)
        assert len(list(cache.rglob("*.npz"))) == 3
        again = lrec2016_coresc.run(art, cra, params=FAST, folds=3, progress=False)
    assert again.table.equals(first.table)
    yield first


def test_accuracy_is_that_of_the_confusion_matrix(result: Result) -> None:
    assert list(result.table.columns) == COLUMNS
    for name in ("first", "second"):
        rows = result.table[(result.table["corpus"] == name) & (result.table["method"] == "ours")]
        accuracy = rows.set_index("metric").loc["accuracy"]
        confusion = result.extra["confusion"].query("corpus == @name")
        hits = confusion[confusion["true"] == confusion["predicted"]]["n"].sum()
        assert accuracy["value"] == pytest.approx(100 * hits / confusion["n"].sum())
        assert accuracy["ci_low"] <= accuracy["value"] <= accuracy["ci_high"]
    assert "accuracy, any class" in set(rows["metric"])


def test_planted_classes_are_found_and_the_majority_is_not_enough(result: Result) -> None:
    accuracy = result.table[result.table["metric"] == "accuracy"].set_index(["corpus", "method"])[
        "value"
    ]
    assert accuracy["first", "ours"] > 80 > accuracy["first", "majority"]
    seen = result.table[(result.table["method"] == "ours, unseen annotators")]
    assert seen["n"].max() == 6 * 4  # ann4 has four of the twelve papers


def test_f1_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    true, said = rng.choice(CLASSES, 500), rng.choice(CLASSES[:9], 500)
    counts = confusions(
        [true[:200].tolist(), true[200:].tolist()], [said[:200].tolist(), said[200:].tolist()]
    )
    ours = f1(counts.sum(axis=0))
    theirs = f1_score(true, said, labels=CLASSES, average=None, zero_division=0)
    np.testing.assert_allclose(ours, 100 * theirs)
    assert np.trace(counts.sum(axis=0)) == round(500 * accuracy_score(true, said))


def test_folds_are_annotators_or_papers_in_turn() -> None:
    papers = corpus("x", 3).papers
    assert fold_of(papers, 3).tolist() == [0, 1, 2] * 4
    assert fold_of(papers, 5).tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    moved = [replace(p, group="ann1") for p in papers]
    assert fold_of(moved, 2).tolist() == [0, 1] * 6
    with pytest.raises(ParameterError, match=r"expected 2 to 12 folds.*found 13"):
        fold_of(papers, 13)


def test_kept_folds_belong_to_their_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    for seed in (4, 5):
        labelled = corpus("x", seed)
        fold = fold_of(labelled.papers, 3)
        lrec2016_coresc.cross_validate(labelled, fold, FAST, progress=False)
    assert len(list(tmp_path.rglob("*.npz"))) == 6
