"""Labels of a collection: kept, found again, never those of other texts or another classifier."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citectx.corpora.coresc import CLASSES, CoreSCCorpus, LabelledPaper
from citectx.corpora.model import Block, Document
from citectx.errors import CitectxWarning, DataError, ParameterError
from citectx.recommendation import labelling
from citectx.recommendation.collection import LabelledSentences
from citectx.recommendation.coresc import CoreSCClassifier
from citectx.recommendation.labelling import label_documents, labelled, trained
from citectx.types import Span
from tests.recommendation.test_coresc import planted


@pytest.fixture(scope="module")
def model() -> CoreSCClassifier:
    """Words decide: the documents here are shorter than the papers that it learns from."""
    return CoreSCClassifier(place_weight=0.0, blend=20.0).fit(*planted(40, seed=1))


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path))
    monkeypatch.setattr(labelling, "PART", 2)
    return tmp_path


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The documents of each part that is labelled; a third part is interrupted."""
    parts: list[list[str]] = []
    real = labelling.label_documents

    def noting(batch: list[Document], *args: CoreSCClassifier) -> Iterator[LabelledSentences]:
        if len(parts) == 2:
            raise KeyboardInterrupt
        parts.append([d.doc_id for d in batch])
        return real(batch, *args)

    monkeypatch.setattr(labelling, "label_documents", noting)
    return parts


def made_corpus(seed: int) -> CoreSCCorpus:
    papers = [LabelledPaper(paper, own) for paper, own in zip(*planted(9, seed), strict=True)]
    return CoreSCCorpus("ART", tuple(papers))


def documents(number: int) -> list[Document]:
    body = "We have stained the cells. Cells were moved in flies."
    text = f"On rest\n\nResults\n\n{body}\n\nWe thank Doe."
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


def test_labels_are_found_again(model: CoreSCClassifier, kept: Path) -> None:
    expected = {one.doc_id: one for one in label_documents(documents(4), model)}
    found = labelled("mine", documents(4), classifier=model, progress=False)
    assert list(found) == ["d0", "d1", "d2", "d3", "none"]
    assert found == expected
    assert set(found["d0"].classes) <= set(CLASSES)
    files = {p: p.stat().st_mtime_ns for p in kept.rglob("*.npz")}
    assert len(files) == 3
    assert labelled("mine", documents(4), classifier=model, progress=False) == expected
    assert {p: p.stat().st_mtime_ns for p in kept.rglob("*.npz")} == files


def test_workers_find_the_same_labels(
    model: CoreSCClassifier, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for jobs in (1, 2):
        monkeypatch.setenv("CITECTX_CACHE", str(kept / str(jobs)))
        found.append(labelled("mine", documents(4), classifier=model, jobs=jobs, progress=False))
    assert found[0] == found[1]


def test_an_interrupted_run_resumes(model: CoreSCClassifier, seen: list[list[str]]) -> None:
    with pytest.raises(KeyboardInterrupt):
        labelled("mine", documents(4), classifier=model, progress=False)
    seen[:] = [["already"]]
    found = labelled("mine", documents(4), classifier=model, progress=False)
    assert seen == [["already"], ["none"]]
    assert list(found) == ["d0", "d1", "d2", "d3", "none"]


def test_changed_texts_are_labelled_again_and_nothing_else(
    model: CoreSCClassifier, seen: list[list[str]]
) -> None:
    labelled("mine", documents(2), classifier=model, progress=False)
    seen.clear()
    changed = documents(2)
    changed[0] = Document("d0", "Cells rest.")
    found = labelled("mine", changed, classifier=model, progress=False)
    assert seen == [["d0", "d1"]]
    assert found["d0"].spans == [Span(0, 11)]
    seen.clear()
    labelled("mine", changed, classifier=CoreSCClassifier().fit(*planted(9, 2)), progress=False)
    assert seen == [["d0", "d1"], ["none"]], "another classifier"


def test_a_damaged_entry_is_computed_again(model: CoreSCClassifier, kept: Path) -> None:
    expected = labelled("mine", documents(1), classifier=model, progress=False)
    (file,) = kept.rglob("*.npz")
    file.write_bytes(b"broken")
    with pytest.warns(CitectxWarning, match="computed again"):
        assert labelled("mine", documents(1), classifier=model, progress=False) == expected


def test_the_classifier_is_trained_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpora = [made_corpus(seed) for seed in (1, 2)]
    monkeypatch.setattr(labelling, "read_art", corpora.pop)
    first = trained(members=1, epochs=1)
    assert trained(members=1, epochs=1).fingerprint == first.fingerprint
    assert len(corpora) == 1
    papers, _ = planted(3, seed=5)
    assert trained(members=1, epochs=1).predict(papers) == first.predict(papers)
    assert trained(members=2, epochs=1).fingerprint != first.fingerprint
    assert not corpora, "other parameters, another classifier"


def test_training_on_other_papers_keeps_nothing(kept: Path) -> None:
    trained(corpus=made_corpus(1), members=1, epochs=1)
    assert not list(kept.rglob("*.npz"))


def test_what_is_refused(model: CoreSCClassifier) -> None:
    known = "unknown collection 'bugs'; known: 'citing', 'references'"
    with pytest.raises(ParameterError, match=known):
        labelled("bugs", classifier=model)
    with pytest.raises(DataError, match="'none' occurs twice"):
        labelled("mine", [*documents(1), *documents(0)], classifier=model)


@pytest.mark.open_data
def test_real_articles_are_labelled_to_the_end(
    open_corpus: Callable[[str], Path], model: CoreSCClassifier
) -> None:
    open_corpus("citation-integrity-fulltext")
    articles = labelling._collection("citing")[:3]
    for article, found in zip(articles, label_documents(articles, model), strict=True):
        assert len(found) > 50
        assert found.spans == sorted(found.spans)
        assert found.spans[-1].end <= len(article.text)
