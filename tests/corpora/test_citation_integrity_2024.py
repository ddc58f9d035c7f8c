"""The published corpus: articles of our own in its schema, and the real claims."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from citectx import profiles
from citectx.corpora import citation_integrity_2024 as published
from citectx.corpora import sources
from citectx.corpora.citation_integrity_2024 import FOLDER, PARTS, read
from citectx.errors import DataError, MissingDataError

SAMPLE = Path(__file__).parents[1] / "samples" / "citation-integrity-2024"


def test_topics_are_articles_with_their_claims() -> None:
    corpus = read(SAMPLE, SAMPLE)
    assert [topic.topic_id for topic in corpus] == ["007", "012"]
    assert [len(topic.citances) for topic in corpus] == [3, 2]


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


def test_a_sentence_that_is_not_there_is_named(tmp_path: Path) -> None:
    release = Path(copytree(SAMPLE, tmp_path / "release"))
    articles = release / FOLDER / "corpus.jsonl"
    articles.write_text("".join(articles.read_text("utf-8").splitlines(keepends=True)[:4]), "utf-8")
    with pytest.raises(DataError, match="article 007: '4:1' is missing; expected each sentence"):
        read(SAMPLE, release)


def test_the_missing_articles_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.delenv("CITECTX_MIRROR", raising=False)
    with pytest.raises(MissingDataError, match="citectx fetch citation-integrity-2024"):
        profiles.load("citation-integrity-2024")
    monkeypatch.setattr(sources, "fetch", lambda _: SAMPLE)
    monkeypatch.setattr(
        sources, "state", lambda each: ("present" * (each.is_sized) or "missing", "")
    )
    with pytest.raises(MissingDataError, match=r"corpus\.jsonl.*a62f42f63bf1dcd6de8d"):
        profiles.profile("open100").load()


# The real claims


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
    (root / FOLDER / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return root


@pytest.mark.open_data
def test_real_claims_are_read_in_full(real: Path, placeholders: Path) -> None:
    corpus = read(real, placeholders)
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
