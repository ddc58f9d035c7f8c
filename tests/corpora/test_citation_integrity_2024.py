"""The published corpus: articles of our own in its schema, and the real claims."""

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from citectx.corpora import Span, Topic
from citectx.corpora.citation_integrity_2024 import read
from citectx.corpora.citation_integrity_files import ANNOTATOR, CLAIMS, FOLDER, PARTS

SAMPLE = Path(__file__).parents[1] / "samples" / "citation-integrity-2024"


@pytest.fixture(scope="module")
def topic() -> Topic:
    return read(SAMPLE, SAMPLE)["007"]


def test_an_article_is_its_paragraphs_and_given_sentences(topic: Topic) -> None:
    reference = topic.reference
    kinds = [(b.kind, reference.text[b.start : b.end].split()[0]) for b in reference.blocks]
    assert kinds == [
        *(("title", "On"), ("heading", "Abstract"), ("abstract", "Cells")),
        *(("heading", "Results"), ("body", "Résting")),
    ]
    assert reference.sentence_spans["4:1"].of(reference.text) == "Food ends the rest."
    assert reference.text.count("\n\n") == 4


def test_evidence_is_where_its_sentences_are(topic: Topic) -> None:
    marked = [
        span.of(topic.reference.text) for c in topic.citances for span in c.annotations[0].spans
    ]
    # What is irrelevant to the second citance is no evidence; the third has none.
    food = "Food ends the rest."
    assert marked == ["Cells rest for long.", food, "Light does not.", food]
    assert [len(c.gold) for c in topic.citances] == [1, 1, 0]


def test_placeholders_are_no_words(topic: Topic) -> None:
    _, second, third = topic.citances
    assert second.text == "After [*], rest was said to end with food (*)."
    assert second.marker_span == Span(43, 44)
    assert (third.marker, third.marker_span) == ("", None)


# The real claims


@pytest.fixture(scope="module")
def claims(open_corpus: Callable[[str], Path]) -> list[dict[str, Any]]:
    folder = open_corpus(CLAIMS) / FOLDER
    lines = [(folder / f"claims-{part}.jsonl").read_text("utf-8").splitlines() for part in PARTS]
    return [json.loads(line) for line in chain(*lines)]


@pytest.fixture(scope="module")
def articles(claims: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles with a made-up sentence for each that the real claims may name."""
    most: dict[int, int] = {}
    for claim in claims:
        most = dict.fromkeys(claim["cited_doc_ids"], 0) | most
        for paragraph, groups in claim["evidence"].items():
            named = [number for group in groups for number in group["sentences"]]
            most[int(paragraph)] = max(most[int(paragraph)], *named)
    rows = []
    for paragraph, last in sorted(most.items()):
        sentences = [f"This is sentence {i} of {paragraph}, as we say." for i in range(last + 1)]
        rows.append(json.dumps({"doc_id": paragraph, "title": "", "abstract": sentences}))
    root = tmp_path_factory.mktemp("articles")
    (root / FOLDER).mkdir(parents=True)
    (root / FOLDER / "corpus.jsonl").write_text("\n".join(rows))
    return root


@pytest.mark.open_data
def test_real_claims_are_read_in_full(
    open_corpus: Callable[[str], Path], claims: list[dict[str, Any]], articles: Path
) -> None:
    corpus = read(open_corpus(CLAIMS), articles)
    citances = [citance for topic in corpus for citance in topic.citances]
    assert (len(corpus), len(citances), len(claims)) == (100, 3063, 3063)
    assert sum(not claim["evidence"] for claim in claims) == 622
    assert sum(bool(c.gold) for c in citances) == 3063 - 622 - 2  # two are IRRELEVANT only
    assert sum(not c.marker for c in citances) == 18
    # Each made-up sentence says which it is.
    for topic in corpus:
        evidence = [span for c in topic.citances for span in c.gold.get(ANNOTATOR, ())]
        texts = [span.of(topic.reference.text) for span in evidence]
        assert all(f" of {int(topic.topic_id)}" in text for text in texts)
