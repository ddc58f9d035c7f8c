"""Task 1a of CL-SciSumm: tuning, runs and scores, on an invented corpus and on the real one."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citectx import cli
from citectx.apps.contexts.ltr import LTR, Weight
from citectx.apps.scisumm import task1a as scisumm_task1a
from citectx.apps.scisumm.informed import FieldKnowledge, Informed, tenths
from citectx.apps.scisumm.task1a import (
    COLUMNS,
    cmd_scisumm_run,
    majority_facet,
    numbers_in_section,
    write_run,
)
from citectx.apps.scisumm.tuning import Entry, Rule, SentenceTopic, made_ready, tune
from citectx.corpora.model import Annotation, Citance, Corpus, Document, Topic
from citectx.corpora.scisumm import GOLD, TEST, read_test, read_training
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.evaluation.scisumm import read_evidence
from citectx.experiments.results import COLUMNS as TIDY
from citectx.language.spans import Candidates
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.retrieval import BM25, LMD, Query, SpanIndex
from citectx.types import Span

WORDS = ["parsers", "grammars", "corpora", "tagging", "lexicon", "topics", "alignment", "decoding"]
SENTENCES = [f"Our {word} improve on & beat {word} of old." for word in WORDS]


def article(name: str) -> Document:
    ends = np.cumsum([len(s) + 1 for s in SENTENCES])
    spans = tuple(
        Span(int(e) - len(s) - 1, int(e) - 1) for e, s in zip(ends, SENTENCES, strict=True)
    )
    ids = tuple(str(i) for i in range(1, len(spans) + 1))
    return Document(name, " ".join(SENTENCES), sentences=spans, sentence_ids=ids)


def citance(number: int, document: Document, *sids: str) -> Citance:
    spans = tuple(document.sentence_spans[sid] for sid in sids)
    text = f"They study {' and '.join(WORDS[int(sid) - 1] for sid in sids)}."
    facet = "Method_Citation" if number % 3 else "Aim_Citation"
    return Citance(str(number), f"C{number}", text, annotations=(Annotation("A", spans, (facet,)),))


def corpus(topics: int = 4) -> Corpus:
    """Each citance is about the one sentence that has its word."""
    documents = [article(f"T{i}") for i in range(topics)]
    return Corpus(
        "invented",
        tuple(
            Topic(d.doc_id, d, tuple(citance(i, d, str(i)) for i in range(1, 6))) for d in documents
        ),
    )


def release(folder: Path) -> Path:
    """Write a test topic with two citances by one article, and its gold, as upstream has them."""
    root = folder / "data" / TEST / "T9-1"
    (root / "Reference_XML").mkdir(parents=True)
    (root / "annotation").mkdir()
    tagged = "".join(
        f'<S sid="{i}" ssid="{i}">{s.replace("&", "&amp;")}</S>'
        for i, s in enumerate(SENTENCES, start=1)
    )
    section = f'<SECTION title="Intro" number="1">{tagged}</SECTION>'
    xml = f'<PAPER><S sid="0">On words</S>{section}</PAPER>'
    (root / "Reference_XML" / "T9-1.xml").write_text(xml)
    rows = [["1", "T9-1", "C1", "0", "", "0", f"They use {WORDS[4]}.", "", "", "", ""]]
    rows.append(["2", "T9-1", "C2", "0", "", "0", f"We prefer {WORDS[6]}.", "", "", "", ""])
    write(root / "annotation" / "T9-1.csv", rows)
    gold = folder / "data" / GOLD / "Task1"
    gold.mkdir(parents=True)
    (gold.parent / "Task2").mkdir()
    filled = [
        [*row[:8], f"'{sid}'", f'<S sid="{sid}">x</S>', "Aim"]
        for row, sid in zip(rows, "57", strict=True)
    ]
    write(gold / "T9-1_one.csv", filled)
    write(gold / "T9-1_two.csv", [filled[0], [*filled[1][:8], "'1'", '<S sid="1">x</S>', "Aim"]])
    return folder


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


def chosen(k: int = 1) -> Entry:
    return Entry("BM25", Analyzer(), BM25(), Rule(k), 1.0, 4)


@pytest.mark.parametrize("method", ["LMD", "LTR"])
def test_a_corpus_that_words_decide_is_solved_and_one_sentence_is_enough(method: str) -> None:
    choice = tune(made_ready(corpus()), method, folds=2)
    assert (choice.training, choice.rule.k, choice.topics) == (1.0, 1, 4)
    assert choice.sentences(corpus()["T1"]) == [["1"], ["2"], ["3"], ["4"], ["5"]]


def test_training_score_against_a_count_of_sets() -> None:
    topics = corpus().topics
    double = tuple(citance(9, t.reference, "1", "8") for t in topics)
    mixed = Corpus(
        "mixed",
        tuple(Topic(t.topic_id, t.reference, (c,)) for t, c in zip(topics, double, strict=True)),
    )
    choice = tune(made_ready(mixed), "BM25", folds=2)
    assert (choice.training, choice.rule.k) == (1.0, 2)
    wanted = {(t.topic_id, sid) for t in mixed for sid in ("1", "8")}
    found = {(t.topic_id, sid) for t in mixed for row in choice.sentences(t) for sid in row}
    assert found == wanted


def test_counts_of_a_rule_against_a_count_by_hand() -> None:
    first = corpus()["T1"]
    topic = SentenceTopic(replace(first, citances=first.citances[:2]), Analyzer())
    scores = np.array([[3.0, 2.0, -1.0, 0, 0, 0, 0, -9], [0.0, -1, -2, -3, -4, -5, -6, -7]])
    # Citance 1 is about the first sentence, citance 2 about the second; log-odds of 0 are one half.
    rules = [Rule(1), Rule(2), Rule(5, 0.5), Rule(5, 0.9)]
    assert topic.counts(scores, rules).tolist() == [[1, 2], [2, 4], [1, 6], [1, 2]]


def test_a_likely_sentence_is_added_to_the_run() -> None:
    topic = corpus()["T1"]
    ltr = LTR({"lmd.z": Weight(1.0, 0.0, 1.0)}, intercept=5.0)
    one, all_likely = (
        Entry("LTR", Analyzer(), replace(ltr, intercept=i), Rule(5, 0.5), 1.0, 4)
        for i in (-9.0, 9.0)
    )
    assert one.sentences(topic) == [["1"], ["2"], ["3"], ["4"], ["5"]]
    assert all(
        len(found) == 5 and str(i) in found
        for i, found in enumerate(all_likely.sentences(topic), 1)
    )
    assert one.params() == {"k": 5, "probability": 0.5, "C": 0.03, "target": "any", "features": 1}


def test_tuning_needs_two_annotated_topics() -> None:
    with pytest.raises(DataError, match="two topics with evidence"):
        made_ready(corpus(topics=1))


def index() -> SpanIndex:
    return SpanIndex(Candidates.of(SentenceSplitter().sentences(article("T")), 1), Analyzer())


def test_field_knowledge_against_a_count_by_hand() -> None:
    marks = np.zeros((2, 8), dtype=bool)
    marks[:, 0] = True
    marks[0, 7] = True
    learnt = FieldKnowledge.learn([index()], [marks])
    # Eight sentences start in these tenths; two marks fall in the first, one in the last.
    assert tenths(8).tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert learnt.lift[0] == pytest.approx(np.log((3 / 13) / (2 / 16)))
    assert learnt.lift[8] == pytest.approx(np.log((2 / 13) / (2 / 16)))
    assert learnt.lift[1] == pytest.approx(np.log((1 / 13) / (2 / 16)))
    assert learnt.rarity("parsers") == learnt.rarity("unheard") == pytest.approx(np.log(2))


def test_each_article_counts_by_its_citances() -> None:
    """Ten citances of an article whose sentences all stand in front, one of another."""
    front = Document("F", SENTENCES[0])
    short = SpanIndex(Candidates.of(SentenceSplitter().sentences(front), 1), Analyzer())
    many, one = np.ones((10, 1), dtype=bool), np.zeros((1, 8), dtype=bool)
    learnt = FieldKnowledge.learn([short, index()], [many, one])
    # Of 18 places, 11 are in front; so are all ten marks.
    assert learnt.lift[0] == pytest.approx(np.log((11 / 20) / (11 / 18)))
    assert learnt.documents == 2 and learnt.rarity("parsers") == pytest.approx(np.log(2))
    assert learnt.rarity("topics") == pytest.approx(np.log(3))


def test_places_are_learnt_from_other_topics_than_those_scored() -> None:
    """Words tell nothing, places differ between the two topics: only a leak could find both."""
    topics = []
    for name, sid in (("T0", "1"), ("T1", "8")):
        document = article(name)
        silent = [replace(citance(i, document, sid), text="They improve.") for i in range(1, 6)]
        topics.append(Topic(name, document, tuple(silent)))
    ready = made_ready(Corpus("places", tuple(topics)), analyzers=[Analyzer()])
    choice = tune(ready, "LMD+field", folds=2)
    # Alone, T1 puts its last sentence first and the first sentence second; T0 never finds the last
    # one.
    assert choice.rule.k == 2
    assert choice.training == pytest.approx(2 * 5 / (20 + 10))


def test_place_decides_between_equals_and_only_as_much_as_it_weighs() -> None:
    lift = np.zeros(10)
    lift[8] = 1.0
    knowledge = FieldKnowledge(1, {}, lift)
    query = Query({"improve": 5.0, "beat": 1.0})  # in every sentence
    placed = Informed(LMD(), knowledge, position=0.5).fit(index()).score([query])
    assert placed.argmax() == 7
    assert placed[0, 7] - placed[0, 0] == pytest.approx(0.5)
    assert np.ptp(
        Informed(LMD(), knowledge, position=0.0).fit(index()).score([query])
    ) == pytest.approx(0)
    with pytest.raises(ParameterError, match="position"):
        Informed(LMD(), knowledge, position=-1)


def test_rare_words_count_more() -> None:
    knowledge = FieldKnowledge(100, {"parsers": 100, "topics": 1}, np.zeros(10))
    scores = (
        Informed(BM25(), knowledge, position=1.0)
        .fit(index())
        .score([Query({"parsers": 9.0, "topics": 1.0})])
    )
    assert WORDS[scores.argmax()] == "topics"
    assert scores.mean() == pytest.approx(0) and scores.std() == pytest.approx(1)


def test_a_run_is_what_the_scorer_reads_and_is_never_overwritten_unasked(tmp_path: Path) -> None:
    folder, out = release(tmp_path / "in"), tmp_path / "out"
    [path] = write_run(folder, read_test(folder), chosen(k=2), "Method_Citation", out)
    found = read_evidence(path)
    assert "5" in found["T9-1", "C1"] and "7" in found["T9-1", "C2"]
    assert all(len(sids) == 2 for sids in found.values())
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [r["Discourse Facet"] for r in rows] == ["Method_Citation"] * 2
    assert (
        f'<S sid="5" ssid="5">{SENTENCES[4].replace("&", "&amp;")}</S>' in rows[0]["Reference Text"]
    )
    about = json.loads((out / "run.json").read_text())
    assert (about["method"], about["params"]["k"], about["training_f"]) == ("BM25", 2, 1.0)
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="is there already"):
        write_run(folder, read_test(folder), chosen(), "Aim_Citation", out)
    assert path.read_bytes() == before
    write_run(folder, read_test(folder), chosen(), "Aim_Citation", out, force=True)
    assert path.read_bytes() != before
    assert sorted(p.name for p in out.iterdir()) == ["T9-1.csv", "run.json"]


def test_a_blind_file_that_is_not_the_topics_is_refused(tmp_path: Path) -> None:
    folder = release(tmp_path)
    topics = read_test(folder).topics
    path = folder / "data" / TEST / "T9-1" / "annotation" / "T9-1.csv"
    path.write_text(path.read_text().replace("C2", "X7"))
    with pytest.raises(DataError, match="Citing Article: found X7 where the topic has C2"):
        write_run(folder, topics, chosen(), "Aim_Citation", tmp_path / "out")
    path.unlink()
    with pytest.raises(MissingDataError, match="citectx fetch"):
        write_run(folder, topics, chosen(), "Aim_Citation", tmp_path / "out2")


def test_the_most_frequent_facet() -> None:
    assert majority_facet(corpus()) == "Method_Citation"
    with pytest.raises(DataError, match="no annotation has a facet"):
        majority_facet(Corpus("none", ()))


def test_the_table_against_a_count_by_hand(tmp_path: Path) -> None:
    result = scisumm_task1a.run(release(tmp_path), methods=["LMD"], training=corpus())
    assert list(result.table.columns) == TIDY
    value = result.table.set_index("metric")["value"]
    # One sentence for each of two citances: both right for one annotator, the first for the other.
    assert value["exact-F"] == 1.0
    assert (
        value["micro-P"]
        == value["micro-R"]
        == value["micro-F"]
        == value["micro-F (repaired)"]
        == 0.75
    )
    low, high = result.table.set_index("metric").loc["micro-F", ["ci_low", "ci_high"]]
    assert (low, high) == (0.5, 1.0)


def test_the_command_refuses_before_it_tunes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citectx.apps.scisumm.task1a.bases_of", None)
    (tmp_path / "run.json").write_text("{}")
    assert cli.main(["scisumm-run", "--method", "LMD", "--out", str(tmp_path)]) == 1
    assert (
        "run.json is there already: name another file, or replace it with --force"
        in capsys.readouterr().err
    )


def test_blind_files_are_never_replaced(tmp_path: Path) -> None:
    folder = release(tmp_path)
    path = folder / "data" / TEST / "T9-1" / "annotation" / "T9-1.csv"
    (tmp_path / "link").symlink_to(path.parent)
    before = path.read_bytes()
    for out in (path.parent, tmp_path / "link"):
        with pytest.raises(ParameterError, match=f"would replace what is read from {folder}"):
            write_run(folder, read_test(folder), chosen(), "Aim_Citation", out, force=True)
    assert path.read_bytes() == before
    assert not (path.parent / "run.json").exists()


def test_a_file_is_no_folder_for_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citectx.apps.scisumm.task1a.bases_of", None)
    (tmp_path / "run").write_text("years of work")
    assert cli.main(["scisumm-run", "--out", str(tmp_path / "run"), "--force"]) == 1
    assert "run is a file: name a folder" in capsys.readouterr().err


@pytest.mark.open_data
def test_a_run_for_the_twenty_blind_topics(
    open_corpus: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = open_corpus("scisumm-corpus")
    training = read_training(folder)
    few = replace(training, topics=training.topics[:8])
    monkeypatch.setattr("citectx.apps.scisumm.task1a.read_training", lambda _: few)
    assert cmd_scisumm_run("VSM", tmp_path, force=False) == 0
    topics = read_test(folder)
    assert len(topics) == 20
    for topic in topics:
        found = read_evidence(tmp_path / f"{topic.topic_id}.csv")
        assert {bare for _, bare in found} and {r for r, _ in found} == {topic.topic_id}
        known = set(topic.reference.sentence_ids or ())
        assert all(set(sids) <= known for sids in found.values())


@pytest.mark.open_data
def test_numbers_in_section_against_those_that_annotators_copied(
    open_corpus: Callable[[str], Path],
) -> None:
    folder = open_corpus("scisumm-corpus")
    topics, checked = read_test(folder), 0
    for path in sorted((folder / "data" / GOLD / "Task1").glob("*.csv")):
        numbers = numbers_in_section(topics[path.stem.partition("_")[0]].reference)
        for sid, ssid in re.findall(r'sid=""(\d+)"" ssid=""(\d+)""', path.read_text()):
            assert numbers[sid] == int(ssid), path.name
            checked += 1
    assert checked > 200


@pytest.mark.open_data
def test_no_training_topic_is_a_test_topic(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("scisumm-corpus")
    training = {topic.topic_id.partition("_")[0] for topic in read_training(folder)}
    assert len(training) == 40 and not training & {topic.topic_id for topic in read_test(folder)}


@pytest.mark.open_data
def test_the_score_on_gold_against_a_second_computation(open_corpus: Callable[[str], Path]) -> None:
    folder = open_corpus("scisumm-corpus")
    training = read_training(folder)
    training = replace(training, topics=training.topics[:8])
    result = scisumm_task1a.run(folder, methods=["LMD"], training=training)
    choice, topics = tune(made_ready(training), "LMD"), read_test(folder)
    right = returned = wanted = 0
    for path in sorted((folder / "data" / GOLD / "Task1").glob("*.csv")):
        topic = topics[path.stem.partition("_")[0]]
        found = dict(
            zip((c.citing_id for c in topic.citances), choice.sentences(topic), strict=True)
        )
        with path.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if "<S" in row["Reference Text"]]
        gold = {row["Citing Article"]: re.findall(r"\d+", row["Reference Offset"]) for row in rows}
        named = bool(rows[0]["Reference Article"])
        right += sum(
            named and sid in found.get(citing, ()) for citing in gold for sid in gold[citing]
        )
        returned, wanted = (
            returned + sum(map(len, found.values())),
            wanted + sum(map(len, gold.values())),
        )
    value = result.table.set_index("metric")["value"]
    assert value["micro-P"] == pytest.approx(right / returned)
    assert value["micro-R"] == pytest.approx(right / wanted)
    assert value["exact-F"] == choice.training
