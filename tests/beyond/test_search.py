"""Search of collections: fields by class, weights, and files for OpenSearch."""

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citectx import cli
from citectx.beyond import search
from citectx.corpora.model import Document
from citectx.errors import DataError
from citectx.paths import ROOT
from citectx.recommendation.collection import Labels
from citectx.types import Span

ARTICLES = ROOT / "docs" / "your-paper"
COLLECTION = [
    ("rest", {"Bac": "cells rest in the dark", "Met": "we stained cells twice"}),
    ("stain", {"Bac": "flies rest", "Met": "cells cells stained"}),
    ("other", {"Res": "nothing of the kind"}),
]
FIELDS = ("Bac", "Met", "Res")


def bm25(field: str, term: str, weight: float, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """Score a term in a field of each article by hand, as tantivy's documentation has it."""
    texts = [fields.get(field, "").split() for _, fields in COLLECTION]
    holding = sum(term in words for words in texts)
    idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for words in texts:
        count = words.count(term)
        norm = k1 * (1 - b + b * len(words) / mean)
        scores.append(weight * idf * (1 + k1) * count / (count + norm))
    return scores


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.5, 3.0, 1.0), (4.0, 0.0, 1.0)])
def test_of_each_term_the_best_field_counts(weights: Sequence[float]) -> None:
    terms, boosts = ["cells", "rest", "zebra"], dict(zip(FIELDS, weights, strict=True))
    found = dict(search.search(search.index(COLLECTION, FIELDS), terms, boosts, k=3))
    by_field = [[bm25(field, term, boosts[field]) for field in FIELDS] for term in terms]
    for number, (name, _) in enumerate(COLLECTION):
        expected = sum(max(scores[number] for scores in fields) for fields in by_field)
        assert found.get(name, 0.0) == pytest.approx(expected, rel=1e-5)


def test_words_go_to_the_field_of_their_sentence() -> None:
    document = Document("d1", "Cells rest. We stained cells. They do rest.")
    labels = [(Span(0, 11), "Bac"), (Span(12, 29), "Met"), (Span(30, 43), "Bac")]
    found = search.fields_of(document, labels)
    assert found == {"Bac": "cells rest they do rest", "Met": "we stained cells"}


def test_articles_are_labelled_by_the_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    def labelled(_: str, documents: Sequence[Document]) -> dict[str, Labels]:
        return {d.doc_id: [(Span(0, len(d.text)), "Obs")] for d in documents}

    monkeypatch.setattr(search, "label_collection", labelled)
    found = dict(search.articles(str(ARTICLES)))
    assert found.keys() == {path.stem.removesuffix(".tei") for path in ARTICLES.glob("*.xml")}
    assert all(fields.keys() == {"Obs"} for fields in found.values())
    plain = dict(search.articles(str(ARTICLES), unlabelled=True))
    assert {name: fields["text"] for name, fields in plain.items()} == {
        name: fields["Obs"] for name, fields in found.items()
    }


def by_documentation(body: dict[str, Any], articles: dict[str, dict[str, str]]) -> dict[str, float]:
    """Score articles as OpenSearch documents it: ``bool`` adds, ``dis_max`` takes the best.

    A key that the documentation of these three queries lacks is an error. The score of a term is
    tantivy's, so both engines must agree.
    """
    assert body.keys() == {"size", "_source", "query"}
    scores = np.zeros(len(articles))
    for clause in body["query"]["bool"].pop("should"):
        matches = []
        for match in clause["dis_max"].pop("queries"):
            (field, asked), *others = match["term"].items()
            assert not others and asked.keys() == {"value", "boost"} and asked["boost"] >= 0
            matches.append(bm25(field, asked["value"], asked["boost"]))
        assert clause == {"dis_max": {}}
        scores += np.max(matches, axis=0)
    assert body["query"] == {"bool": {}}
    return dict(zip(articles, scores.tolist(), strict=True))


def test_opensearch_gets_the_same_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BATCH", 2)
    search.to_opensearch(COLLECTION, FIELDS, tmp_path)
    assert json.loads((tmp_path / "mapping.json").read_text())["mappings"]["properties"] == {
        field: {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
        for field in FIELDS
    }
    parts = [path.read_text() for path in sorted(tmp_path.glob("bulk-*.jsonl"))]
    assert [part.count("\n") for part in parts] == [4, 2]  # each line ends, two per article
    actions, texts = [
        [json.loads(line) for line in "".join(parts).splitlines()[i::2]] for i in (0, 1)
    ]
    assert actions == [{"create": {"_id": name}} for name, _ in COLLECTION]
    articles = {action["create"]["_id"]: text for action, text in zip(actions, texts, strict=True)}
    assert articles == dict(COLLECTION)

    terms, weights = ["cells", "rest", "zebra"], {"Bac": 0.5, "Met": 3.0, "Res": 0.0}
    body = json.loads(json.dumps(search.query(terms, weights)))
    engine = search.index(COLLECTION, FIELDS)
    hits = dict(search.search(engine, terms, weights, k=3))
    for name, score in by_documentation(body, articles).items():
        assert hits.get(name, 0.0) == pytest.approx(score, rel=1e-5)


def test_files_for_opensearch(tmp_path: Path) -> None:
    folder = tmp_path / "engine"
    command = ["search", str(ARTICLES), "Frogs call [3].", "Ponds.", "--unlabelled"]
    assert cli.main([*command, "--opensearch", str(folder)]) == 0
    body = json.loads((folder / "query-1.json").read_text())
    assert body == search.query(["frogs", "call"], {"text": 1.0})
    names = {path.name for path in folder.iterdir()}
    assert names == {"mapping.json", "bulk-00001.jsonl", "query-1.json", "query-2.json"}


@pytest.mark.parametrize(
    ("file", "says"), [("a.txt", "holds no .xml or .nxml"), ("a.xml", "is a web page")]
)
def test_no_folder_is_made_where_articles_cannot_be_read(
    file: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / file).write_text("<html/>")
    folder = tmp_path / "engine"
    given = ["search", str(tmp_path), "Frogs.", "--unlabelled", "--opensearch", str(folder)]
    assert cli.main(given) == 1
    assert says in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--weights", "Bac=high"], "expected CLASS=WEIGHT"),
        (["--weights", "Bac"], "expected CLASS=WEIGHT"),
        (["--weights", "Bax=2"], "with a class of ('Bac', 'Con'"),
        (["--weights", "Bac=-1"], "expected CLASS=WEIGHT"),
        (["--index", "."], "holds no finished index"),
        (["--opensearch", "."], "exists: name another folder"),
        (["--index", ".", "--opensearch", "."], "name one"),
    ],
)
def test_errors_say_what_to_pass(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["search", str(ARTICLES), "Frogs.", *arguments]) == 1
    assert says in capsys.readouterr().err


def test_files_are_found_by_every_ending_and_hidden_ones_are_not(tmp_path: Path) -> None:
    content = (ARTICLES / "article.xml").read_bytes()
    # the last as getpapers lays it out
    for name in ("a.xml", "b.nxml", "sub/c.XML", "d.tei.xml", "PMC1/fulltext.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "._a.xml").write_bytes(b"\0resource fork")
    names = [name for name, _ in search.articles(str(tmp_path), unlabelled=True)]
    assert names == ["PMC1", "a", "b", "d", "c"]


@pytest.mark.parametrize("other", ["sub/a.xml", "a.nxml", "a.tei.xml"])
def test_two_files_of_one_name_are_both_named(tmp_path: Path, other: str) -> None:
    for name in ("a.xml", other):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=r"has the name 'a', as .* has") as error:
        next(search.articles(str(tmp_path), unlabelled=True))
    assert str(tmp_path / "a.xml") in str(error.value)
    assert str(tmp_path / other) in str(error.value)


def test_an_index_is_made_once_and_says_what_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, kept = tmp_path / "articles", tmp_path / "kept"
    shutil.copytree(ARTICLES, source)
    passage = "Frogs can be counted by ear [3]."
    command = ["search", str(source), passage, "--unlabelled"]
    assert cli.main(command) == 0
    expected = capsys.readouterr().out
    said, *rows = expected.splitlines()
    assert said == passage
    assert float(rows[0].split()[0]) > float(rows[1].split()[0])
    assert cli.main([*command, "--index", str(kept)]) == 0
    shown = capsys.readouterr()
    assert shown.out == expected
    assert shown.err == f"indexed 4 articles in {kept}\n"
    with monkeypatch.context() as patched:
        patched.setattr(search, "articles", None)  # nothing is read again
        assert cli.main([*command, "--index", str(kept)]) == 0
    assert capsys.readouterr() == (expected, "")
    shutil.copyfile(source / "article.xml", source / "new.xml")
    assert cli.main([*command, "--index", str(kept)]) == 0
    assert f"1 articles are not as in {kept} ({source / 'new.xml'})" in capsys.readouterr().err
    assert cli.main([*command[:-1], "--index", str(kept)]) == 1
    assert "has the fields text: name another folder" in capsys.readouterr().err
