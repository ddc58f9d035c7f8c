"""Articles 11 to 41 of Citation-Integrity: small ones of our own, and the real ones."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from citectx import profiles
from citectx.corpora import citation_integrity_31 as reader
from citectx.corpora.citation_integrity_files import FOLDER, PARTS, ROOT, read_claims
from citectx.corpora.model import Corpus, Document
from citectx.language.text import SentenceSplitter

NUMBERED = "# Rest\n\n## Abstract\n\nCells rest. They rest by day. Light ends it.\n\nSome do not.\n"
PASSAGE = "Cells are known to rest [3]."


def train(articles: Iterable[Document]) -> reader.Split:
    return SentenceSplitter.of(articles).split


def claim(number: int, evidence: dict[str, list[int]], label: str = "ACCURATE") -> str:
    groups = {key: [{"sentences": ids, "label": label}] for key, ids in evidence.items()}
    cited = [11_000, 11_001, 11_002]
    text = f"Cells rest <|cit|>, {number}."
    return json.dumps({"id": number, "claim": text, "evidence": groups, "cited_doc_ids": cited})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both releases, with an article of either kind."""
    root = tmp_path / ROOT
    numbered = root / reader.ARTICLES / "011_PMC5/PMC77_1.txt"
    evidence, sentences = root / reader.EVIDENCE, root / reader.SENTENCES / "PMC6.json"
    for path in (numbered, evidence, sentences, tmp_path / FOLDER / "none"):
        path.parent.mkdir(parents=True, exist_ok=True)
    numbered.write_text(f"{PASSAGE}\n\n{'*' * 62}\n\n{NUMBERED}")
    for part in PARTS:
        (tmp_path / FOLDER / f"claims-{part}.jsonl").write_text("")
    claims = [
        claim(1, {"11001": [0, 1], "11002": [0]}),
        claim(2, {"11001": [2, 7]}),
        claim(3, {"11001": [1]}, "IRRELEVANT"),
    ]
    (tmp_path / FOLDER / "claims-dev.jsonl").write_text("\n".join(claims))
    sentences.write_text(json.dumps(["## Abstract\n\nMoss grows.\n", "It likes much shade.\n"]))
    support = ["it likes\nmuch shade", "Moss dies at noon.\n"]
    quoted = {"context": "Moss  likes\nshade [1].", "support": support}
    evidence.write_text(json.dumps({"022_PMC6": {"PMC88_1": quoted}, "001_PMC1": {}}))
    return tmp_path


def gold(corpus: Corpus, topic: str) -> list[list[str]]:
    text = corpus[topic].reference.text
    return [[span.of(text) for span in c.annotations[0].spans] for c in corpus[topic].citances]


def test_numbers_count_paragraphs_and_their_sentences(folder: Path) -> None:
    corpus = reader.read(folder, folder, train)
    assert gold(corpus, "PMC5") == [["They rest by day.", "Some do not."], ["Light ends it."], []]
    published = reader.read(folder, folder, train, strict=False)
    assert gold(published, "PMC5")[0] == ["Cells rest.", "They rest by day.", "Some do not."]
    assert corpus.findings[0] == "011_PMC5, citance 2: no sentence 1:7"
    assert {name: d.text.strip() for name, d in corpus["PMC5"].citing.items()} == {
        "PMC77_1": PASSAGE
    }


def test_evidence_as_text_is_found_by_its_letters(folder: Path) -> None:
    corpus = reader.read(folder, folder, train)
    assert gold(corpus, "PMC6") == [["It likes much shade"]]
    [citance] = corpus["PMC6"].citances
    assert (citance.citing_id, citance.text) == ("PMC88_1", "Moss likes shade [1].")
    assert corpus.findings[1] == r"022_PMC6, PMC88_1: not in the text: 'Moss dies at noon.\n'"


@pytest.mark.open_data
def test_published_figures(open_corpus: Callable[[str], Path]) -> None:
    corpus = profiles.load(reader.NAME)
    assert len(corpus) == 31
    sizes = [len(topic.citances) for topic in corpus]
    scored = [sum(bool(c.gold) for c in topic.citances) for topic in corpus]
    assert (sum(sizes[:11]), sum(scored[:11])) == (605, 486)
    assert (sum(sizes[11:]), sum(scored[11:])) == (559, 558)
    assert sum("not in the text" in finding for finding in corpus.findings) == 2
    # The paragraphs of 11 to 21 are those that the release of 2024 counts.
    claims = read_claims(open_corpus("citation-integrity-2024"))
    for number, topic in zip(range(11, 22), corpus, strict=False):
        paragraphs = reader.paragraphs(topic.reference.text)
        assert {len(c["cited_doc_ids"]) for c in claims[number]} == {len(paragraphs)}
