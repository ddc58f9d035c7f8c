"""A collection for an engine: what is written, what is found, and with which scores."""

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from citectx import cli, storage
from citectx.apps import engine
from citectx.apps.engine import Engine
from citectx.apps.parts import TextFiles
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.recommendation.collection import words
from citectx.recommendation.lucene import FieldedIndex, best, norm_of_length

from .test_parts import ARTICLES, QUERIES, WEIGHTS, Planted, planted, whole

Query = Sequence[str]


def asked() -> list[Query]:
    return [*QUERIES, *(tuple(words(each.text))[:40] for each in planted()[0].citing)]


def lines(folder: Path) -> list[Any]:
    files = sorted(folder.glob("bulk-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


class Interpreter:
    """A server's part: it indexes bulk lines and answers a search, by Lucene's old similarity."""

    def __init__(self, mapping: Any, bulk: list[Any]) -> None:
        self.fields = mapping["mappings"]["properties"]
        analyzer = mapping["settings"]["analysis"]
        for field in self.fields.values():
            own = analyzer["analyzer"][field["analyzer"]]
            assert analyzer["tokenizer"][own["tokenizer"]]["type"] == "whitespace"
        self.names = [action["index"]["_id"] for action in bulk[::2]]
        self.bags = [{f: Counter(text.split()) for f, text in doc.items()} for doc in bulk[1::2]]
        assert len(self.names) == len(self.bags)
        assert all(bag.keys() <= self.fields.keys() for bag in self.bags)

    def leaf(self, field: str, term: str, boost: float) -> dict[int, float]:
        assert field in self.fields
        held = {i: bag[field] for i, bag in enumerate(self.bags) if term in bag.get(field, ())}
        idf = math.log(len(self.bags) / (len(held) + 1)) + 1
        norms = {i: float(norm_of_length([own.total()])[0]) for i, own in held.items()}
        return {i: held[i][term] ** 0.5 * idf**2 * boost * norms[i] for i in held}

    def score(self, clause: Any) -> dict[int, float]:
        [(kind, body)] = clause.items()
        if kind == "term":
            [(field, how)] = body.items()
            return self.leaf(field, how["value"], how["boost"])
        assert kind == "dis_max"
        assert body["tie_breaker"] == 0
        found: dict[int, float] = {}
        for each in map(self.score, body["queries"]):
            found = {i: max(found.get(i, 0), each.get(i, 0)) for i in found | each}
        return found

    def search(self, body: Any) -> dict[str, float]:
        found: dict[int, list[float]] = defaultdict(list)
        should = body["query"]["bool"]["should"]
        for clause in should:
            for i, score in self.score(clause).items():
                found[i].append(score)
        return {self.names[i]: sum(own) * len(own) / len(should) for i, own in found.items()}


def test_opensearch_is_told_what_we_search(tmp_path: Path) -> None:
    engine.to_opensearch(Planted(), tmp_path / "out", WEIGHTS, limit=20_000)
    files = sorted((tmp_path / "out").glob("bulk-*.jsonl"))
    assert len(files) > 2
    assert all(0 < file.stat().st_size <= 20_000 for file in files)
    assert all(file.read_bytes().endswith(b"\n") for file in files)
    server = Interpreter(
        storage.read_object(tmp_path / "out" / "mapping.json"), lines(tmp_path / "out")
    )
    collection = Planted().collection(0, ARTICLES)
    assert server.names == list(collection.doc_ids)
    index = FieldedIndex.of(collection)
    for query in filter(None, asked()):
        scores = index.scores([collection.term_number.get(t, -1) for t in query], WEIGHTS)
        ours = {collection.doc_ids[i]: scores[i] for i in best(scores, ARTICLES)}
        found = server.search(engine.query(query, collection.classes, WEIGHTS))
        assert found.keys() == ours.keys()
        if any(found.values()):
            factor = sum(ours.values()) / sum(found.values())  # the query norm
            assert np.allclose([found[i] * factor for i in ours], [*ours.values()], rtol=1e-5)
    template = storage.read_object(tmp_path / "out" / "query.json")
    assert template == engine.query(["TERM"], collection.classes, WEIGHTS)


def test_terms_are_those_of_words(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    text = 'The p53-mediated "arrest" of Größe 0.5, and so_on, İI Ⅷ rests in cells.'
    (tmp_path / "texts" / "a.txt").write_text(text, "utf-8")
    export = f"recommend export {tmp_path}/texts --unlabelled --to opensearch --out {tmp_path}/out"
    assert cli.main(export.split()) == 0
    assert lines(tmp_path / "out")[1]["text"].split() == words(text)


def test_an_article_without_terms_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("…", "utf-8")
    engine.to_opensearch(TextFiles.of(tmp_path / "texts"), tmp_path / "out")
    assert lines(tmp_path / "out") == [{"index": {"_id": "a"}}, {}]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    pytest.importorskip("tantivy")
    folder = tmp_path_factory.mktemp("engine") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "READ", 7)
        engine.to_tantivy(Planted(), folder)
    return Engine.open(folder)


@pytest.mark.parametrize("by", ["text", "fields"])
def test_of_all_articles_tantivy_finds_ours_with_the_same_scores(opened: Engine, by: Any) -> None:
    queries = asked()
    for barred in ("", "R003"):
        found = [
            (number, *hit)
            for number, query in enumerate(queries)
            for hit in opened.search(query, WEIGHTS, 10, barred=barred, candidates=ARTICLES, by=by)
        ]
        assert found == whole(queries, 10, barred)


def test_of_few_candidates_the_scores_are_still_those_of_all(opened: Engine) -> None:
    queries = asked()
    scores = {(number, name): score for number, name, score in whole(queries, ARTICLES)}
    for number, query in enumerate(queries):
        found = opened.search(query, WEIGHTS, 10, candidates=5)
        assert len(found) <= 5
        assert all(scores[number, name] == score for name, score in found)
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def test_weights_choose_the_candidates_by_fields_alone(opened: Engine) -> None:
    query = asked()[-1]
    names = {
        (by, boost): [
            opened.searcher.doc(address).get_first("id")
            for address in opened.candidates(query, 10, by=by, weights={"Bac": boost})
        ]
        for by in ("text", "fields")
        for boost in (1.0, 50.0)
    }
    assert names["text", 1.0] == names["text", 50.0]
    assert names["fields", 1.0] != names["fields", 50.0]


def test_what_tantivy_cannot_be_asked(opened: Engine) -> None:
    for wrong in ({"k": 0}, {"candidates": 0}, {"weights": {"Bak": 1.0}}, {"weights": {"Bac": -1}}):
        with pytest.raises(ParameterError):
            opened.search(("mouse",), **wrong)


def test_without_tantivy_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    (tmp_path / "a.txt").write_text("Cells rest.")
    export = f"recommend export {tmp_path} --unlabelled --to tantivy --out {tmp_path}/out"
    assert cli.main(export.split()) == 1
    assert r"pip install 'citectx[engine]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tantivy")
    out = tmp_path / "out"
    with pytest.raises(MissingDataError, match=r"engine\.json is missing; run: citectx recommend"):
        Engine.open(out)
    engine.to_opensearch(Planted(), out)
    with pytest.raises(DataError, match=r"engine\.json: expected an export to tantivy"):
        Engine.open(out)
    engine.to_tantivy(Planted(), out)
    assert not list(out.glob("bulk*"))
    manifest = storage.read_object(out / "engine.json")
    storage.write_json(out / "engine.json", manifest | {"articles": 3})
    with pytest.raises(DataError, match="articles: expected 3, found 40"):
        Engine.open(out)
    storage.write_json(out / "engine.json", manifest | {"fields": ["Bac"]})
    with pytest.raises(DataError, match="is damaged; export again"):
        Engine.open(out).search(("the",))
    storage.write_json(out / "engine.json", manifest)
    (out / "index" / "meta.json").write_text("{}")
    with pytest.raises(DataError, match=r"engine\.json: tantivy: .*; export again"):
        Engine.open(out)


def test_by_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tantivy")
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    found = {"a": "Cells rest.", "b": "Yeast rests.", "c": "Cells and yeast grow."}
    for name, text in found.items():
        Path("texts", f"{name}.txt").write_text(text, "utf-8")
    Path("queries.csv").write_text("query,text,citing\nq7,Yeast cells [1],a\nq8,rest,\n", "utf-8")
    export = "recommend export texts --unlabelled --to tantivy --out engine"
    ask = "recommend ask engine queries.csv --out hits.csv --weights text=2"
    assert cli.main(export.split()) == 0
    assert cli.main(ask.split()) == 0
    hits = pd.read_csv("hits.csv")
    assert hits[["query", "rank", "article"]].to_numpy().tolist() == [
        ["q7", 1, "c"],
        ["q7", 2, "b"],
        ["q8", 1, "a"],
    ]
    assert cli.main("recommend index texts --out index --unlabelled".split()) == 0
    search = "recommend search index queries.csv --out all.csv --weights text=2"
    assert cli.main(search.split()) == 0
    assert Path("all.csv").read_text() == Path("hits.csv").read_text()
    capsys.readouterr()
    for command, said in {
        export: "is not empty: name another folder, or replace it with --force",
        "recommend export texts --unlabelled --to solr --out o": "unknown engine",
        f"{export} --weights text=2": "--weights are for opensearch",
        "recommend export texts --unlabelled --to tantivy --out index --force": "something else",
        f"{ask} --force --candidates 0": "at least 1; not 10 and 0",
        f"{ask} --force --weights title=1": "title",
        "recommend export texts --unlabelled --to opensearch --out o --weights a=1": "unknown",
    }.items():
        assert cli.main(command.split()) == 1
        assert said in capsys.readouterr().err
    assert cli.main([*export.split(), "--force"]) == 0
