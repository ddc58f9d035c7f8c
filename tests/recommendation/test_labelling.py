"""Labels of a collection: kept whole, found again, never those of other texts or another
classifier."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora.coresc import CLASSES
from citectx.corpora.model import Block, Document
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.recommendation import labelling
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.labelling import (
    label_collection,
    label_documents,
    labelled,
    load_labels,
)
from citectx.types import Span
from tests.recommendation.test_coresc import planted


@pytest.fixture(scope="module")
def model() -> CoreSCClassifier:
    """Words decide: the documents here are shorter than the papers that it learns from."""
    return CoreSCClassifier(place_weight=0.0, blend=20.0).fit(*planted(40, seed=1))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.setattr(labelling, "PART", 2)
    return tmp_path


def documents(number: int) -> list[Document]:
    text = "On rest\n\nResults\n\nWe have stained the cells. Cells were moved in flies.\n\nWe thank Doe."
    blocks = (
        *(Block(0, 7, "title"), Block(9, 16, "heading", 1, "Results")),
        *(Block(18, 71, "body", 1, "Results"), Block(73, 86, "back", 2)),
    )
    made = [Document(f"d{i}", text, blocks) for i in range(number)]
    return [*made, Document("none", "Thanks.", (Block(0, 7, "back"),))]


def test_sentences_of_title_and_body_have_spans_and_classes(model: CoreSCClassifier) -> None:
    one, none = label_documents(documents(1), model)
    assert one.spans == [Span(0, 7), Span(18, 44), Span(45, 71)]
    assert one.classes[1:] == ["Met", "Res"]
    assert (none.doc_id, none.spans, none.classes) == ("none", [], [])


def test_labels_are_found_again(model: CoreSCClassifier, data: Path) -> None:
    folder = label_collection("mine", documents(4), classifier=model, progress=False)
    assert sorted(p.name for p in folder.iterdir()) == ["0000000.npz", "0000002.npz", "0000004.npz"]
    found = load_labels("mine", classifier=model)
    assert list(found) == ["d0", "d1", "d2", "d3", "none"]
    assert list(found.values()) == list(label_documents(documents(4), model))
    assert set(found["d0"].classes) <= set(CLASSES)


def test_another_process_writes_the_same_bytes(model: CoreSCClassifier, data: Path) -> None:
    one = label_collection("one", documents(1), classifier=model, progress=False)
    two = label_collection(
        "two", documents(1), classifier=model, jobs=2, progress=False
    )  # one part, one worker
    assert {p.name: p.read_bytes() for p in one.iterdir()} == {
        p.name: p.read_bytes() for p in two.iterdir()
    }


def test_an_interrupted_run_goes_on_later(
    model: CoreSCClassifier, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[list[str]] = []
    real = labelling.label_documents

    def stops(batch: list[Document], *args: object, **kwargs: object) -> object:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append([d.doc_id for d in batch])
        return real(batch, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(labelling, "label_documents", stops)
    with pytest.raises(KeyboardInterrupt):
        label_collection("mine", documents(4), classifier=model, progress=False)
    assert len(load_labels("mine", classifier=model)) == 4
    done[:] = [["already"]]
    label_collection("mine", documents(4), classifier=model, progress=False)
    assert done == [["already"], ["none"]]


def test_changed_texts_damaged_files_and_shorter_collections_are_noticed(
    model: CoreSCClassifier, data: Path
) -> None:
    folder = label_collection("mine", documents(5), classifier=model, progress=False)
    (folder / "0000002.npz").write_bytes(b"broken")
    with pytest.raises(DataError, match=r"0000002\.npz"):
        load_labels("mine", classifier=model)
    changed = documents(3)
    changed[0] = Document("d0", "Cells rest.")
    label_collection("mine", changed, classifier=model, progress=False)
    found = load_labels("mine", classifier=model)
    assert list(found) == ["d0", "d1", "d2", "none"]
    assert found["d0"].spans == [Span(0, 11)]


def test_what_has_no_labels_yet_is_labelled(model: CoreSCClassifier, data: Path) -> None:
    expected = {one.doc_id: one for one in label_documents(documents(3), model)}
    assert labelled("mine", documents(3), classifier=model, progress=False) == expected
    files = {p: p.stat().st_mtime_ns for p in data.rglob("*.npz")}
    assert labelled("mine", documents(3), classifier=model, progress=False) == load_labels(
        "mine", classifier=model
    )
    assert {p: p.stat().st_mtime_ns for p in data.rglob("*.npz")} == files


def test_what_is_refused(model: CoreSCClassifier, data: Path) -> None:
    with pytest.raises(
        ParameterError, match="unknown collection 'bugs'; known: 'citing', 'references'"
    ):
        label_collection("bugs", classifier=model)
    with pytest.raises(DataError, match="'none' occurs twice"):
        label_collection("mine", [*documents(1), *documents(0)], classifier=model)
    with pytest.raises(MissingDataError, match="citectx coresc label references"):
        load_labels("references", classifier=model)
    with pytest.raises(MissingDataError, match="there is no classifier yet"):
        load_labels("references")


@pytest.mark.open_data
def test_real_articles_are_labelled_to_the_end(
    open_corpus: Callable[[str], Path], model: CoreSCClassifier
) -> None:
    open_corpus("citation-integrity-fulltext")
    articles = labelling.COLLECTIONS["citing"]()[:3]
    for article, found in zip(articles, label_documents(articles, model), strict=True):
        assert len(found) > 50
        assert found.spans == sorted(found.spans)
        assert found.spans[-1].end <= len(article.text)
