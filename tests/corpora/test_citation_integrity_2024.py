"""The published corpus: articles of our own in its schema, and the real claims and paragraphs."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from citectx import profiles
from citectx.corpora import citation_integrity_2024 as published
from citectx.corpora import sources
from citectx.corpora.citation_integrity_2024 import ARTICLES, FOLDER, PARTS, read, read_contexts
from citectx.errors import DataError, MissingDataError

SAMPLE = Path(__file__).parents[1] / "samples" / "citation-integrity-2024"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return Path(copytree(SAMPLE, tmp_path / "release"))


def test_topics_are_articles_with_their_claims() -> None:
    corpus = read(SAMPLE, SAMPLE)
    assert [topic.topic_id for topic in corpus] == ["007", "012"]
    assert [len(topic.citances) for topic in corpus] == [3, 2]
    assert not corpus.findings


def test_an_article_is_its_paragraphs_and_given_sentences() -> None:
    reference = read(SAMPLE, SAMPLE)["007"].reference
    kinds = [(b.kind, reference.text[b.start : b.end].split()[0]) for b in reference.blocks]
    assert kinds == [
        *(("title", "On"), ("heading", "Abstract"), ("abstract", "Cells")),
        *(("heading", "Results"), ("body", "Résting")),
    ]
    assert reference.sentence_spans["4:1"].of(reference.text) == "Food ends the rest."
    assert reference.text.count("\n\n") == 4


def test_evidence_is_where_its_sentences_are() -> None:
    topic = read(SAMPLE, SAMPLE)["007"]
    first, second, third = topic.citances
    text = topic.reference.text
    assert [span.of(text) for span in first.gold["adjudicated"]] == [
        "Cells rest for long.",
        *("Food ends the rest.", "Light does not."),
    ]
    assert first.annotations[0].facet == ("ACCURATE", "OVERSIMPLIFY")
    # what is irrelevant is no evidence, but its label is kept
    assert [span.of(text) for span in second.gold["adjudicated"]] == ["Food ends the rest."]
    assert second.annotations[0].facet == ("ACCURATE", "IRRELEVANT")
    assert not third.gold


def test_placeholders_are_no_words() -> None:
    _, second, third = read(SAMPLE, SAMPLE)["007"].citances
    assert second.text == "After [*], rest was said to end with food (*)."
    assert second.marker_span is not None
    assert second.marker_span.start == second.text.index("(*)") + 1
    assert (third.marker, third.marker_span) == ("", None)


def altered(release: Path, name: str, line: int, **change: Any) -> Path:
    file = release / FOLDER / name
    lines = file.read_text("utf-8").splitlines()
    lines[line - 1] = json.dumps(json.loads(lines[line - 1]) | change)
    file.write_text("\n".join(lines), "utf-8")
    return release


@pytest.mark.parametrize(
    ("name", "line", "change", "expected"),
    [
        ("corpus.jsonl", 3, {"doc_id": "x"}, r"corpus.jsonl:3: skipped: lacks doc_id"),
        ("corpus.jsonl", 3, {"abstract": [1]}, "corpus.jsonl:3: skipped: abstract: expected"),
        ("corpus.jsonl", 3, {"doc_id": 7001}, "corpus.jsonl:3: skipped: doc_id 7001 occurs twice"),
        ("claims-train.jsonl", 2, {"id": 0}, "train.jsonl:2: skipped: claim 0 occurs twice"),
        ("claims-train.jsonl", 2, {"cited_doc_ids": [1, 7000]}, "train.jsonl:2: .*one article"),
        ("claims-train.jsonl", 2, {"evidence": {"9": []}}, "train.jsonl:2: skipped: evidence in"),
        (
            *("claims-train.jsonl", 2),
            {"evidence": {"7004": [{"sentences": [3], "label": "ACCURATE"}]}},
            r"train.jsonl:2: skipped: there is no sentence 3 in paragraph 4",
        ),
        (
            *("claims-train.jsonl", 2),
            {"evidence": {"7004": [{"sentences": [1], "label": "GOOD"}]}},
            "train.jsonl:2: skipped: evidence .*no known form",
        ),
    ],
)
def test_what_is_odd_is_named(
    release: Path, name: str, line: int, change: dict[str, Any], expected: str
) -> None:
    altered(release, name, line, **change)
    found = read(release, release, allow_missing=True).findings
    assert any(re.search(expected, str(finding)) for finding in found), found


def test_an_article_that_lacks_a_paragraph_is_an_error(release: Path) -> None:
    file = release / ARTICLES
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    with pytest.raises(DataError, match="article 007: 1 paragraphs, first 7000"):
        read(release, release)
    assert [t.topic_id for t in read(release, release, allow_missing=True)] == ["012"]


def test_contexts_and_what_they_cite() -> None:
    found = read_contexts(SAMPLE)
    assert found.skipped == 1
    shown = [(p.name, p.article, p.context, p.marker.of(p.text)) for p in found.paragraphs]
    assert shown == [
        ("train:1", "007", (1,), "1"),
        ("train:2", "007", (0, 1, 2), "Roe, 1999"),  # between two of this article
        ("train:3", "007", (0, 1), "3"),
        ("dev:1", "012", (0,), "5"),
        ("test:1", "012", (0,), "5"),
    ]
    first = found.paragraphs[0]
    assert [span.of(first.text) for span in first.sentences] == [
        "Growth is slow.",
        "Cells are known to rest for very long periods [1,2].",
        "They do so everywhere.",
    ]


def test_the_missing_articles_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.delenv("CITECTX_MIRROR", raising=False)
    with pytest.raises(MissingDataError, match="citectx fetch citation-integrity-2024"):
        profiles.load("citation-integrity-2024")
    shutil.copytree(SAMPLE, tmp_path / "citation-integrity-2024")
    with pytest.raises(MissingDataError, match="citectx fetch citation-integrity-2024-articles"):
        profiles.profile("open100").load()


# The real claims and paragraphs


@pytest.fixture(scope="module")
def real() -> Path:
    try:
        return sources.folder(published.NAME)
    except MissingDataError:
        pytest.skip("needs citation-integrity-2024; run: citectx fetch citation-integrity-2024")


def lines(folder: Path, start: str) -> Iterator[str]:
    for part in PARTS:
        yield from (folder / f"{start}{part}.jsonl").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def placeholders(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles with a made-up sentence for each that the real claims may name."""
    numbers: dict[int, int] = {}
    for line in lines(real, "Data/multivers-format/claims-"):
        claim = json.loads(line)
        for paragraph in claim["cited_doc_ids"]:
            numbers.setdefault(paragraph, 0)
        for paragraph, groups in claim["evidence"].items():
            named = [n for group in groups for n in group["sentences"]]
            numbers[int(paragraph)] = max(numbers[int(paragraph)], *named)
    root = tmp_path_factory.mktemp("articles")
    (root / FOLDER).mkdir(parents=True)
    rows = []
    for paragraph, most in sorted(numbers.items()):
        sentences = [f"This is sentence {i} of {paragraph}, as we say." for i in range(most + 1)]
        rows.append({"doc_id": paragraph, "title": "", "abstract": sentences})
    (root / ARTICLES).write_text("\n".join(map(json.dumps, rows)))
    return root


@pytest.mark.open_data
def test_real_claims_are_read_in_full(real: Path, placeholders: Path) -> None:
    corpus = read(real, placeholders)
    assert not corpus.findings
    text = "\n".join(lines(real, "Data/multivers-format/claims-"))
    citances = [citance for topic in corpus for citance in topic.citances]
    assert len(corpus) == 100
    assert len(citances) == text.count('"claim": "') == 3063
    assert sum(c.annotations[0].facet == () for c in citances) == text.count('"evidence": {}')
    assert text.count('"evidence": {}') == 622
    assert sum(bool(c.gold) for c in citances) == 3063 - 622 - 2  # two are IRRELEVANT only
    assert sum(not c.marker for c in citances) == 18
    places = re.findall(r'"(\d+)": (\[\{"sentences.*?\}\])', text)
    assert len({paragraph for paragraph, _ in places}) <= 8515
    # Each made-up sentence says which it is.
    for topic in corpus:
        for citance in topic.citances[:3]:
            for span in citance.gold.get("adjudicated", ()):
                assert f" of {int(topic.topic_id)}" in span.of(topic.reference.text)


@pytest.mark.open_data
def test_real_paragraphs_lie_in_a_block_for_each_article(real: Path) -> None:
    found = read_contexts(real)
    assert not found.findings
    assert (len(found.paragraphs), found.skipped) == (3051, 15)
    articles = [paragraph.article for paragraph in found.paragraphs]
    starts = [b for a, b in zip(["", *articles], articles, strict=False) if a != b]
    assert len(starts) == len(set(starts)) == 100
    claims = Counter(
        f"{json.loads(line)['cited_doc_ids'][0] // 1000:03}"
        for line in lines(real, "Data/multivers-format/claims-")
    )
    # As many as there are claims, but for a few that one file has and the other has not.
    assert all(abs(claims[name] - count) <= 4 for name, count in Counter(articles).items())
