"""Labels of a collection: kept, found again, never those of other texts."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sklearn.pipeline import Pipeline

from citectx.corpora.model import Block, Document
from citectx.errors import DataError
from citectx.recommendation import labelling
from citectx.recommendation.collection import Labels
from citectx.recommendation.labelling import label_collection, label_documents
from citectx.types import Span
from tests.recommendation.test_classifier import trained


@pytest.fixture(scope="module")
def model() -> Pipeline:
    return trained()


@pytest.fixture
def kept(tmp_path: Path, model: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; parts of two documents."""
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    monkeypatch.setattr(labelling, "PART", 2)
    monkeypatch.setattr(labelling, "classifier", lambda: model)
    return tmp_path


@pytest.fixture
def seen(kept: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The documents of each part that is labelled; a third part is interrupted."""
    parts: list[list[str]] = []

    def noting(batch: Sequence[Document], model: Pipeline) -> list[Labels]:
        if len(parts) == 2:
            raise KeyboardInterrupt
        parts.append([d.doc_id for d in batch])
        return label_documents(batch, model)

    monkeypatch.setattr(labelling, "label_documents", noting)
    return parts


def documents(number: int) -> list[Document]:
    body = "We have stained the cells. Cells were moved in flies."
    text = f"On rest\n\nResults\n\n{body}\n\nWe thank Doe."
    title, heading = Block(0, 7, "title"), Block(9, 16, "heading", 1, "Results")
    rest = Block(18, 71, "body", 1, "Results"), Block(73, 86, "back", 2)
    made = [Document(f"d{i}", text, (title, heading, *rest)) for i in range(number)]
    return [*made, Document("none", "Thanks.", (Block(0, 7, "back"),))]


def test_sentences_of_title_and_body_have_spans_and_classes(model: Pipeline) -> None:
    one, none = label_documents(documents(1), model)
    spans, classes = zip(*one, strict=True)
    assert spans == (Span(0, 7), Span(18, 44), Span(45, 71))
    assert classes[1] == "Met"
    assert none == []


def test_labels_by_part_are_those_of_the_whole(kept: Path, model: Pipeline) -> None:
    expected = label_documents(documents(4), model)
    for _ in range(2):
        found = label_collection("mine", documents(4))
        assert list(found) == ["d0", "d1", "d2", "d3", "none"]
        assert list(found.values()) == expected
        assert len([*kept.rglob("*.npz")]) == 3


def test_an_interrupted_run_resumes(seen: list[list[str]]) -> None:
    with pytest.raises(KeyboardInterrupt):
        label_collection("mine", documents(4))
    seen.clear()
    label_collection("mine", documents(4))
    assert seen == [["none"]]


def test_changed_texts_are_labelled_again_and_nothing_else(seen: list[list[str]]) -> None:
    label_collection("mine", documents(2))
    seen.clear()
    found = label_collection("mine", [Document("d0", "Cells rest."), *documents(2)[1:]])
    assert seen == [["d0", "d1"]]
    assert [span for span, _ in found["d0"]] == [Span(0, 11)]


def test_two_documents_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match="'none' occurs twice"):
        label_collection("mine", [*documents(1), *documents(0)])
