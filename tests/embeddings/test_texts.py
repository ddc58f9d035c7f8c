"""Training texts: words as queries have them, each article once, nothing of the evaluation."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pandas as pd
import pytest

from citectx import profiles
from citectx.corpora import full_texts, sources
from citectx.embeddings import texts
from citectx.embeddings.texts import Article, prepare, sentences, write
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.paths import RESULTS
from citectx.storage import read_json, write_atomically


def article(name: str, *numbers: int) -> Article:
    """Write an article of long sentences, each with a number."""
    template = "Here is sentence{} whose ten or more words stand in this order only."
    return name, " ".join(map(template.format, numbers))


def test_words_are_those_that_queries_have() -> None:
    text = "The p53-mediated (α2β1) arrest, O’Neill's 12 μM cells. Naïve T-cells rest."
    lines = sentences(text, SentenceSplitter())
    query = list(Analyzer(stem=False, stop_words="none", numbers=False)(text))
    assert " ".join(lines).split() == query
    assert len(lines) == 2


def test_held_out_articles_stay_out_by_id_and_by_text(tmp_path: Path) -> None:
    _, known = article("known", 1, 2, 3, 4)
    given = [
        article("known", 50, 51),
        article("known under another name", 1, 2, 3, 60, 61, 62, 63),
        article("shares two sentences", 3, 4, 70, 71),
        article("its own", 80, 81),
    ]
    facts = write(given, ({"known"}, [known]), tmp_path / "t.txt", {})
    assert facts["left_out"] == {"evaluation, by id": 1, "evaluation, by text": 1}
    words = set((tmp_path / "t.txt").read_text().split())
    assert {"sentence3", "sentence70", "sentence80"} <= words
    assert not {"sentence1", "sentence50", "sentence60"} & words


def test_each_article_is_there_once(tmp_path: Path) -> None:
    same = article("a", 1, 2, 3)
    given = [same, same, article("b", 1, 2, 9), article("c", 1, 5, 6)]
    facts = write(given, (set(), []), tmp_path / "t.txt", {})
    assert facts["left_out"] == {"duplicates, by id": 1, "duplicates, by text": 1}
    assert (facts["articles"], facts["sentences"]) == (2, 6)


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Read a corpus of one source, whose digest the test may change."""
    read = Mock(return_value=[article("a", 1)])
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    monkeypatch.setitem(texts.CORPORA, "one", ("", ("source",), read, lambda: (set(), [])))
    monkeypatch.setattr(sources, "source", lambda name: SimpleNamespace(sha256="first"))
    return read


def test_texts_are_prepared_once_for_a_version_of_sources(
    read: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepare("one")
    assert prepare("one") == first
    assert read.call_count == 1
    monkeypatch.setattr(sources, "source", lambda name: SimpleNamespace(sha256="second"))
    facts = prepare("one").with_suffix(".json")
    assert json.loads(facts.read_text())["sources"] == {"source": "second"}
    assert read.call_count == 2
    first.unlink()
    assert prepare("one") == first
    assert read.call_count == 3


def test_wikipedia_files_are_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = '<doc id="{0}" url="u" title="T">\nTitle {0}\n\nIt rests.\n\n</doc>\n'
    for place, ids in (("AA", "78"), ("AB", "9")):
        file = tmp_path / "text" / place / "wiki_00"
        write_atomically(file, "".join(map(document.format, ids)).encode())
    monkeypatch.setattr(sources, "folder", lambda name: tmp_path)
    found = dict(texts._wikipedia())
    assert list(found) == ["7", "8", "9"]
    assert found["7"].split("\n") == ["Title 7", "", "It rests.", ""]


@pytest.mark.open_data
def test_citation_integrity_is_held_out_whole(open_corpus: Callable[[str], Path]) -> None:
    topics = [*profiles.load("citation-integrity"), *profiles.load("citation-integrity-31")]
    ids, held_texts = texts._citation_integrity()
    references = {topic.topic_id for topic in topics}
    assert len(references) == 41
    assert references <= ids
    assert {topic.reference.text for topic in topics} <= set(held_texts)
    # Names of files, and of the pieces of evidence in one file, tell which articles cite which.
    annotations = open_corpus("citation-integrity-annotations") / "ShruthanCode"
    named = {path.stem for path in annotations.glob("BratFiles/*/*/**/PMC*_*.ann")}
    quoted = json.loads((annotations / "IR/IR/recon_cs_no_title.json").read_text("utf-8"))
    named |= {name for citances in quoted.values() for name in citances}
    assert {name.split("_")[0] for name in named} <= ids
    # A text is stored under one article only; marks stand under each that it cites.
    marks = full_texts.read_full_texts(open_corpus("citation-integrity-fulltext"), 10_000)
    citing = {mark.citing_id for mark in marks.marks if mark.target_id in references}
    assert len(citing) > 200
    assert citing <= ids


@pytest.mark.open_data
def test_scisumm_topics_are_held_out_with_all_that_cites_them(
    open_corpus: Callable[[str], Path],
) -> None:
    root = open_corpus("scisumm-corpus")
    file = open_corpus("acl-citation-network") / "acl.txt"
    network = pd.read_csv(file, names=["citing", "cited"], sep=" *, *", engine="python")
    ids, _ = texts._scisumm()
    for part, topics in (("Training-Set-2018", 40), ("Test-Set-2018", 20)):
        names = {path.name for path in (root / "data" / part).iterdir()}
        citing = {path.stem for path in (root / "data" / part).glob("*/Citance_XML/*.xml")}
        assert len(names) == topics
        elsewhere = set(network.loc[network["cited"].isin(names), "citing"])
        assert len(elsewhere) > 100
        assert names | citing | elsewhere <= ids


@pytest.mark.open_data
@pytest.mark.parametrize("name", ["general", "biomedical", "computational-linguistics"])
def test_prepared_texts_are_those_of_results(name: str) -> None:
    facts = read_json(texts.embeddings_dir() / "texts" / f"{name}.json")
    if not facts:
        pytest.skip(f"needs the prepared texts: citectx train {name}")
    card = read_json(RESULTS / "open" / "vectors.json")[f"{name}-cbow"]
    assert facts.pop("sources") == card["sources"]
    assert facts == card["text"]


@pytest.mark.open_data
def test_vectors_of_one_half_have_not_read_the_other(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("scisumm-corpus")
    open_corpus("acl-citation-network")
    _, _, read, held_out = texts.CORPORA["computational-linguistics-half"]
    held_ids, held_texts = held_out()
    trained = {name for name, _ in read()}
    assert len(trained) == 475
    for topic in profiles.load("scisummnet-half"):
        assert topic.topic_id not in trained
        assert {topic.topic_id, *(citance.citing_id for citance in topic.citances)} <= held_ids
        assert topic.reference.text in held_texts
