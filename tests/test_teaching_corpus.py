"""The committed teaching corpus against its sources and figures worked out here anew."""

import csv
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import pytest

from citectx.corpora import citation_network, tac
from citectx.corpora.model import Corpus, Topic
from citectx.errors import DataError
from citectx.evaluation import human_precision, union_scores, weighted_scores
from citectx.paths import DATA

FOLDER = DATA / "teaching"
Sources = dict[str, dict[str, Any]]
TOPICS = ("D9001_TEACH", "D9002_TEACH", "D9003_TEACH", "D9004_TEACH", "D9005_TEACH")


@pytest.fixture(scope="module")
def builder() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("teaching_build", FOLDER / "build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def built(builder: ModuleType) -> Corpus:
    corpus: Corpus = builder.build(FOLDER / "source")
    return corpus


@pytest.fixture(scope="module")
def committed() -> Corpus:
    return tac.read(FOLDER)


@pytest.fixture(scope="module")
def sources(builder: ModuleType) -> Sources:
    return {name: builder.read_source(FOLDER / "source" / f"{name}.yaml") for name in TOPICS}


def sentences(source: dict[str, Any]) -> dict[str, str]:
    paragraphs = [
        p for section in source["reference"]["sections"] for p in section.get("paragraphs", [])
    ]
    return {key: text for paragraph in paragraphs for key, text in paragraph.items()}


def place(topic: Topic, sentence: str) -> set[int]:
    assert topic.reference.text.count(sentence) == 1
    start = topic.reference.text.index(sentence)
    return set(range(start, start + len(sentence)))


def human(topics: Corpus | list[Topic]) -> list[float]:
    """Precision of each annotator: against the union of the others, and against each of them."""
    golds = [c.gold for topic in topics for c in topic.citances]
    rows = [
        [p for gold in golds for p in human_precision(gold, measure).values()]
        for measure in (union_scores, weighted_scores)
    ]
    return [100 * mean(each) for each in rows]


def test_committed_files_equal_a_rebuild_from_source(
    builder: ModuleType, built: Corpus, committed: Corpus
) -> None:
    assert committed.findings == ()
    assert [t.topic_id for t in committed] == list(TOPICS)
    files = [FOLDER / "coresc.csv", *(FOLDER / "data").rglob("*.*")]
    there = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in files}
    assert there == builder.made(FOLDER / "source")
    annotators = summaries = 4
    assert len(there) == 1 + sum(annotators + 1 + len(t.citing) + summaries for t in built)


def test_readme_shows_these_figures(built: Corpus, sources: Sources) -> None:
    def row(name: str, topics: list[Topic]) -> str:
        cells = (
            sum(len(sentences(sources[t.topic_id])) for t in topics),
            sum(len(t.citing) for t in topics),
            sum(len(t.citances) for t in topics),
            sum(len(c.gold) for t in topics for c in t.citances),
            *(f"{value:.1f}" for value in human(topics)),
        )
        return f"| {name} | {' | '.join(map(str, cells))} |"

    readme = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n")
    for topic in built:
        assert row(topic.topic_id, [topic]) in readme
    assert row("all", list(built)) in readme


def test_no_twelve_words_in_a_row_stand_in_two_passages(committed: Corpus) -> None:
    passages = [d.text for t in committed for d in (t.reference, *t.citing.values())]
    passages += [s for t in committed for s in t.summaries.values()]
    counts: Counter[tuple[str, ...]] = Counter()
    for passage in passages:
        words = re.findall(r"\w+", passage.lower())
        counts.update({tuple(words[i : i + 12]) for i in range(len(words) - 11)})
    assert [" ".join(gram) for gram, n in counts.items() if n > 1] == []


def test_every_sentence_has_one_coresc_class_at_its_place(
    committed: Corpus, sources: Sources
) -> None:
    with (FOLDER / "coresc.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = [(r["topic"], int(r["start"]), int(r["end"]), r["class"]) for r in rows]
    expected = []
    for topic in committed:
        source = sources[topic.topic_id]
        for key, sentence in sentences(source).items():
            characters = place(topic, sentence)
            label = source["coresc"][key]
            expected.append((topic.topic_id, min(characters), max(characters) + 1, label))
    assert found == expected


def test_every_citing_document_cites_its_reference_in_the_citation_graph(committed: Corpus) -> None:
    names = [d.doc_id for t in committed for d in (t.reference, *t.citing.values())]
    assert len(names) == len(set(names))
    assert not [name for name in names if " , " in name]
    expected = {(citing, t.reference.doc_id) for t in committed for citing in t.citing}
    network = citation_network.read(FOLDER / "citations.txt")
    links = {(network.papers[a], network.papers[b]) for a, b in network.edges}
    assert expected == {(a, b) for a, b in links if a in names and b in {b for _, b in expected}}
    while links:  # nobody cites what came later
        last = {citing for citing, _ in links} - {cited for _, cited in links}
        assert last, f"these cite each other in a circle: {sorted(links)}"
        links = {(citing, cited) for citing, cited in links if citing not in last}


MISTAKES = {
    "unknown sentence": ("[r2.6]", "[r2.66]", "'Aldersey' has no sentence 'r2.66'"),
    "annotator twice": (" B: {", " A: {", "line .*key 'A' occurs twice"),
    "overlap": ("[r3.8]", "[r3.8, r3.7-r3.8]", "citance 2, annotator B.*must not overlap"),
    "unknown class": (
        "d.7: Hyp",
        "d.7: Hypothesis",
        "coresc.*d.7.*'Hypothesis' is not one of .'Bac'",
    ),
    "not YAML": ("reference:\n", "reference: [\n", "not valid YAML"),
}


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_source_is_reported_with_file_and_key(
    builder: ModuleType, tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = (FOLDER / "source" / "D9001_TEACH.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "D9001_TEACH.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=f"(?s)D9001_TEACH.yaml.*{message}"):
        builder.build(tmp_path)
        builder.labels(tmp_path)
