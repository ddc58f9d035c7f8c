"""The teaching corpus: what is committed, against its sources and against figures worked out here
anew."""

import csv
import importlib.util
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from citectx.corpora import citation_network, tac
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError
from citectx.evaluation import human_precision, union_scores, weighted_scores
from citectx.experiments.contextualization import Prepared, Protocol, prepare
from citectx.experiments.tuning import applicable, variants
from citectx.language.spans import best_first
from citectx.language.text import Analyzer
from citectx.papers.sigir2017.table4 import SHORT
from citectx.paths import DATA
from citectx.retrieval.reformulation import NEEDS_CONCEPTS, REFORMULATIONS
from citectx.summarization.impact import authority

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


def marked(citance: Citance) -> dict[str, set[int]]:
    return {
        name: {i for span in spans for i in range(*span)} for name, spans in citance.gold.items()
    }


def human(topics: Corpus | list[Topic]) -> list[float]:
    """Precision of each annotator: against the union of the others, and against each of them."""
    golds = [c.gold for topic in topics for c in topic.citances]
    rows = [
        [p for gold in golds for p in human_precision(gold, measure).values()]
        for measure in (union_scores, weighted_scores)
    ]
    return [100 * mean(each) for each in rows]


def generated(folder: Path) -> dict[str, bytes]:
    files = (
        path for path in [*(folder / "data").rglob("*"), folder / "coresc.csv"] if path.is_file()
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_committed_files_equal_a_rebuild_from_source(builder: ModuleType, built: Corpus) -> None:
    rebuilt, there = builder.made(FOLDER / "source"), generated(FOLDER)
    assert there == rebuilt
    assert len(there) == 1 + sum(
        4 + 1 + len(t.citing) + 4 for t in built
    )  # annotators, documents, summaries


def test_check_reports_a_changed_source_until_the_corpus_is_rebuilt(
    builder: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(builder, "HERE", tmp_path)
    source = tmp_path / "source" / "D9002_TEACH.yaml"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("All participants gave", "Participants gave"), encoding="utf-8")
    before = generated(tmp_path)

    assert builder.main(["--check"]) == 1
    assert {"data/D9002_TEACH/Documents_Text/Quennell, 2011.txt", "coresc.csv"} <= set(
        map(str.strip, capsys.readouterr().err.split("\n"))
    )
    assert generated(tmp_path) == before
    assert builder.main([]) == 0
    assert builder.main(["--check"]) == 0
    assert generated(tmp_path) != before


def test_reading_back_gives_what_was_built(built: Corpus, committed: Corpus) -> None:
    assert committed.findings == ()
    assert [t.topic_id for t in committed] == list(TOPICS)
    for ours, theirs in zip(built, committed, strict=True):
        assert theirs.reference.doc_id == ours.reference.doc_id
        assert theirs.reference.text == ours.reference.text
        assert {k: d.text for k, d in theirs.citing.items()} == {
            k: d.text for k, d in ours.citing.items()
        }
        assert theirs.citances == ours.citances
        assert {k: s.strip() for k, s in theirs.summaries.items()} == ours.summaries


def test_sections_captions_and_references_are_recognised_in_the_plain_text(
    committed: Corpus, sources: Sources
) -> None:
    for topic in committed:
        text, source = topic.reference.text, sources[topic.topic_id]["reference"]
        found = {
            kind: [text[b.start : b.end] for b in topic.reference.blocks if b.kind == kind]
            for kind in ("title", "heading", "caption", "references")
        }
        assert found["title"] == [source["title"]]
        assert found["heading"] == [s["heading"] for s in source["sections"]] + ["References"]
        assert len(found["caption"]) == 1
        assert found["caption"][0].startswith("Figure 1. ")
        listed = "\n".join(f"{i}. {r}" for i, r in enumerate(source["references"], 1))
        assert "\n".join(found["references"]) == listed


def test_figures(built: Corpus, sources: Sources) -> None:
    assert len(built) == 5
    for topic in built:
        assert len(topic.citances) == 8
        assert 6 <= len(topic.citing) <= 8
        assert 40 <= len(sentences(sources[topic.topic_id])) <= 60
        assert {a for c in topic.citances for a in c.gold} == set("ABCD") == set(topic.summaries)
        assert all(80 <= len(summary.split()) <= 130 for summary in topic.summaries.values())
        assert (
            sum(len(c.text.split()) for c in topic.citances) > SHORT
        )  # enough for the summaries of notebook 04
    for name in TOPICS[3:]:  # two sentences stand either side of each citing sentence
        texts = {document["id"]: list(document["text"]) for document in sources[name]["citing"]}
        for citance in sources[name]["citances"]:
            keys = texts[citance["citing"]]
            assert 2 <= keys.index(citance["sentences"]) < len(keys) - 2


def test_annotators_disagree_as_those_of_citation_integrity_do(built: Corpus) -> None:
    union, weighted = human(built)
    assert 48 <= union <= 55  # 51.3 there
    assert 28 <= weighted <= 35  # 28.4 there
    means = [mean(human_precision(c.gold).values()) for t in built for c in t.citances]
    assert 1 <= sum(m == 1 for m in means) <= 4
    assert 2 <= sum(m == 0 for m in means) <= 4
    assert sum(len(c.gold) == 3 for t in built for c in t.citances) == 1


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


def content(topic: Topic, citance: Citance) -> set[str]:
    assert citance.marker in citance.text
    authors = set(re.findall(r"\w+", topic.reference.doc_id.lower()))
    return set(Analyzer(stem=True)(citance.text.replace(citance.marker, " "))) - authors


def of_kind(
    corpus: Corpus, sources: Sources, kind: str, topics: tuple[str, ...] = TOPICS
) -> list[tuple[Topic, Citance]]:
    found = [
        (topic, citance)
        for topic in corpus
        for citance, entry in zip(topic.citances, sources[topic.topic_id]["citances"], strict=True)
        if entry["kind"] == kind
    ]
    assert {topic.topic_id for topic, _ in found} == set(topics), (
        f"these topics should have {kind!r}"
    )
    return found


def test_citances_without_shared_words_share_no_stem_with_any_evidence(
    built: Corpus, sources: Sources
) -> None:
    for topic, citance in of_kind(built, sources, "no shared words"):
        evidence = " ".join(
            topic.reference.text[slice(*s)] for spans in citance.gold.values() for s in spans
        )
        assert not content(topic, citance) & set(Analyzer(stem=True)(evidence)), citance.text


def test_misleading_citances_share_most_stems_with_a_sentence_that_nobody_marked(
    built: Corpus, sources: Sources
) -> None:
    for topic, citance in of_kind(built, sources, "misleading"):
        evidence = set().union(*marked(citance).values())
        shared: dict[bool, int] = {True: 0, False: 0}
        for sentence in sentences(sources[topic.topic_id]).values():
            right = bool(evidence & place(topic, sentence))
            shared[right] = max(
                shared[right], len(content(topic, citance) & set(Analyzer(stem=True)(sentence)))
            )
        assert shared[False] > shared[True], citance.text


def test_drifted_citances_drop_the_hedge_of_the_article(built: Corpus, sources: Sources) -> None:
    hedge = re.compile(r"\b(?:might|may|possibly|suggests|probably)\b")
    for topic, citance in of_kind(built, sources, "drift"):
        evidence = " ".join(
            topic.reference.text[slice(*s)] for spans in citance.gold.values() for s in spans
        )
        assert hedge.search(evidence)
        assert not hedge.search(citance.text)


LEXICAL = ("VSM", "BM25", "DFR", "LMD", "LMD-LDA", "QR")
ONTOLOGY = ("WE_Bio+rtrft", "WE_Bio+dmn")
SOME = 0.2
"""Of a method's variants, some leave out words that the article lacks, or weigh synonyms with 0."""


@pytest.fixture(scope="module")
def prepared(committed: Corpus) -> dict[str, Prepared]:
    return {p.topic.topic_id: p for p in prepare(committed, Protocol(k=3))}


@pytest.fixture(scope="module")
def shares(prepared: dict[str, Prepared]) -> dict[tuple[str, str], dict[str, float]]:
    """For citances of topics 4 and 5: of all variants of a method, those that return evidence among
    three."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for name in TOPICS[3:]:
        for method in applicable("teaching"):
            hits = np.mean(
                [prepared[name].objective(v) > 0 for v in variants(method, "teaching")], axis=0
            )
            for citance, share in zip(prepared[name].citances, hits, strict=True):
                found.setdefault((name, citance.citance_id), {})[method] = float(share)
    return found


def test_what_only_an_embedding_finds(
    built: Corpus, sources: Sources, shares: dict[tuple[str, str], dict[str, float]]
) -> None:
    for topic, citance in of_kind(built, sources, "only embedding", TOPICS[3:]):
        share = shares[topic.topic_id, citance.citance_id]
        assert {method: share[method] for method in LEXICAL} == dict.fromkeys(LEXICAL, 0)
        assert min(share[method] for method in ("WE_Bio", *ONTOLOGY)) > SOME


def test_what_only_an_ontology_finds(
    built: Corpus,
    sources: Sources,
    shares: dict[tuple[str, str], dict[str, float]],
    prepared: dict[str, Prepared],
) -> None:
    ((topic, citance),) = of_kind(built, sources, "only ontology", TOPICS[4:])
    share = shares[topic.topic_id, citance.citance_id]
    without = [method for method in share if method not in (*ONTOLOGY, "QR")]
    assert {method: share[method] for method in without} == dict.fromkeys(without, 0)
    assert min(share[method] for method in ONTOLOGY) > SOME
    found = prepared[topic.topic_id]
    row = found.citances.index(citance)
    ways = {
        v.params()["reformulation"]
        for v in variants("QR", "teaching", reformulation=[*REFORMULATIONS])
        if found.objective(v)[row] > 0
    }
    assert ways == {"expand", "reduce+expand", "NP+expand"} <= NEEDS_CONCEPTS


def test_where_everyone_fails(
    built: Corpus, sources: Sources, shares: dict[tuple[str, str], dict[str, float]]
) -> None:
    for topic, citance in of_kind(built, sources, "everyone fails", TOPICS[3:4]):
        assert set(shares[topic.topic_id, citance.citance_id].values()) == {0}


def test_readme_shows_which_methods_find_the_designed_citances(
    sources: Sources, shares: dict[tuple[str, str], dict[str, float]]
) -> None:
    kinds = ("only embedding", "only ontology", "everyone fails")
    readme = (FOLDER / "README.md").read_text(encoding="utf-8").split("\n")
    shown = [
        line
        for line in readme
        if line.startswith("| D9") and any(f"| {kind} |" in line for kind in kinds)
    ]
    assert shown == [
        f"| {name} {number} | {kind} | {' | '.join(f'{100 * s:.0f}' for s in share.values())} |"
        for (name, number), share in shares.items()
        if (kind := sources[name]["citances"][int(number) - 1]["kind"]) in kinds
    ]
    assert f"| citance | kind | {' | '.join(applicable('teaching'))} |" in readme


def test_methods_differ(prepared: dict[str, Prepared]) -> None:
    """Each ranks differently from each other; families disagree on which citances they can
    place."""
    orders, placed = {}, {}
    for method in applicable("teaching", [m for m in applicable("teaching") if m != "QR"]):
        first = variants(method, "teaching")[0]  # only embedding and ontology are kept of it
        model = type(first)(
            **{name: value for name, value in first.params().items() if name not in first.grid}
        )
        orders[method] = [[*best_first(row)] for p in prepared.values() for row in p.scores(model)]
        placed[method] = np.concatenate([p.objective(model) > 0 for p in prepared.values()])
    assert all(orders[a] != orders[b] for a, b in combinations(orders, 2))
    families = ("VSM", "LMD-LDA", "DESM", "WE_Wiki", "WE_Bio")
    for a, b in combinations(families, 2):
        assert (placed[a] != placed[b]).sum() >= 5, (a, b)


def test_a_caption_is_evidence_for_one_annotator_alone(built: Corpus, sources: Sources) -> None:
    for topic in built:
        entries = sentences(sources[topic.topic_id])
        captions = {
            i for key in entries if key.startswith("cap") for i in place(topic, entries[key])
        }
        readers = [sum(bool(m & captions) for m in marked(c).values()) for c in topic.citances]
        assert readers.count(1) == 1
        assert sum(readers) == 1


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


def test_all_eleven_classes_occur_where_one_looks_for_them(
    builder: ModuleType, sources: Sources
) -> None:
    counts = {name: Counter(sources[name]["coresc"].values()) for name in TOPICS}
    assert set().union(*counts.values()) == {*"Bac Con Exp Goa Hyp Met Mod Mot Obj Obs Res".split()}
    for name, labels in counts.items():
        assert labels.most_common(1)[0][0] == "Obs", name
        assert {"Bac", "Con", "Exp", "Goa", "Hyp", "Met", "Mot", "Obs", "Res"} - set(labels) <= {
            "Goa"
        }, name
        kinds = {
            key: label for key, label in sources[name]["coresc"].items() if key.startswith("m.")
        }
        assert set(kinds.values()) == {"Exp", "Met"}, name


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


def test_citing_documents_differ_clearly_in_pagerank(committed: Corpus) -> None:
    rank = authority(citation_network.read(FOLDER / "citations.txt"))
    for topic in committed:
        lowest, *_, highest = sorted(rank[name] for name in topic.citing)
        assert highest > 4 * lowest, topic.topic_id
        assert len({round(rank[name], 3) for name in topic.citing}) >= 5, topic.topic_id


IDLE = "  - {id: Idle, title: A title, text: {s1: A sentence.}}\n"
MISTAKES = {
    "unknown sentence": ("[r2.6]", "[r2.66]", "'Aldersey' has no sentence 'r2.66'"),
    "sentence key twice": (" d.7:", " m.1:", "sentence key 'm.1' occurs twice"),
    "annotator twice": (" B: {", " A: {", "line .*key 'A' occurs twice"),
    "range across paragraphs": ("[r2.6-r2.7]", "[r2.4-r2.5]", "'r2.4-r2.5' holds 2 sentences"),
    "quote not found": ('text: "the strong', 'text: "The strong', "occurs 0 times in 'r2.2'"),
    "overlap": ("[r3.8]", "[r3.8, r3.7-r3.8]", "citance 2, annotator B.*must not overlap"),
    "unknown facet": (
        "facet: Method,",
        "facet: Methods,",
        r"citances\[6\].*A.facet: 'Methods' is not one of",
    ),
    "marker not found": ('marker: "[7]"', 'marker: "[8]"', r"'\[8\]' occurs 0 times in 's3'"),
    "citing document without citance": ("citing:\n", "citing:\n" + IDLE, "without a citance: Idle"),
    "sentence without a class": ("abs.1: Bac, ", "", r"coresc: not exactly one class .*'abs.1'"),
    "unknown class": (
        "d.7: Hyp",
        "d.7: Hypothesis",
        "coresc.*d.7.*'Hypothesis' is not one of .'Bac'",
    ),
    "field unknown": (
        "note:",
        "remark: none\n    note:",
        r"citances\[0\]: .*'remark' was unexpected",
    ),
    "not YAML": ("reference:\n", "reference: [\n", "not valid YAML"),
    "name of the topic": (
        "topic: D9001",
        "topic: D9009",
        "'D9009_TEACH' must be named like its file",
    ),
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
