"""An index in parts gives the bytes of the whole one, wherever and in however many parts."""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
import pytest

from citectx import cli, storage
from citectx.apps import parts
from citectx.apps.parts import TextFiles
from citectx.arrays import Arrays, unpacked
from citectx.corpora.citation_integrity import FullTexts
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.recommendation.collection import Collection, LabelledSentences
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.recommendation.planted import plant

ARTICLES = 40
QUERIES = [("the", "mouse", "sample"), ("of",), ("nowhere",), ("large", "old", "large"), ()]
WEIGHTS = {"Bac": 2.0, "Met": 0.0, "Con": 0.5}


@cache
def planted() -> tuple[FullTexts, dict[str, LabelledSentences]]:
    return plant(articles=ARTICLES, citations=4)


@dataclass(frozen=True)
class Planted:
    """Articles that are made up where they are read; the first worker to read some may be
    killed."""

    note: Path | None = None
    of: range = range(ARTICLES)

    def __len__(self) -> int:
        return len(self.of)

    def only(self, first: int, last: int) -> Self:
        return replace(self, of=self.of[first:last])

    def collection(self, first: int, last: int) -> Collection:
        once(self.note)
        found, labels = planted()
        own = [found.references[number] for number in self.of[first:last]]
        return Collection.build(own, labels)

    def stamp(self, first: int, last: int) -> str:
        return f"{first}-{last}"


class Fatal(str):
    """A term that kills the first worker to look it up."""

    note: Path | None = None

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        once(self.note)
        return super().encode(encoding, errors)


class FatalWeights(dict[str, float]):
    """Weights that kill the first worker to ask for one."""

    def __init__(self, weights: dict[str, float], note: Path) -> None:
        super().__init__(weights)
        self.note = note

    def get(self, *names: object) -> float:
        once(self.note)
        return super().get(*names)  # type: ignore[call-overload, no-any-return]

    def __reduce__(self) -> tuple[type, tuple[dict[str, float], Path]]:
        return type(self), (dict(self), self.note)


def once(note: Path | None) -> None:
    """Kill this process, unless that happened to another before, or it is the one that wrote the
    test."""
    if note is not None and note.is_file() and note.read_text() != str(os.getpid()):
        note.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def armed(note: Path) -> Path:
    note.write_text(str(os.getpid()))
    return note


def whole(
    queries: Sequence[Sequence[str]], k: int, barred: str = ""
) -> list[tuple[int, str, float]]:
    """Return query, article and score, from one index."""
    collection = Planted().collection(0, ARTICLES)
    index = FieldedIndex.of(collection)
    found = []
    for number, query in enumerate(queries):
        scores = index.scores([collection.term_number.get(t, -1) for t in query], WEIGHTS)
        rows = [(number, collection.doc_ids[d], float(scores[d])) for d in best(scores, ARTICLES)]
        found += [row for row in rows if row[1] != barred][:k]
    return found


def rows(hits: pd.DataFrame) -> list[tuple[int, str, float]]:
    return [tuple(row) for row in hits[["query", "article", "score"]].to_numpy().tolist()]


@pytest.mark.parametrize("count", [1, 2, 7, 20])
def test_so_many_parts_give_the_same_bytes(tmp_path: Path, count: int) -> None:
    found, _ = planted()
    queries = [*QUERIES, *(tuple(d.text.lower().rstrip(".").split()) for d in found.citing)]
    parts.index(Planted(), tmp_path, count)
    hits = parts.search(tmp_path, queries, WEIGHTS, 10, barred=["R003"] * len(queries))
    assert rows(hits) == whole(queries, 10, "R003")
    assert hits["rank"].max() == 10


def test_an_interrupted_search_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts.index(Planted(), tmp_path, 4)
    queries = QUERIES * parts.MANY_QUERIES
    searched: list[int] = []
    real = parts._found

    def noting(group: Sequence[parts.Part], asked: parts._Asked) -> Arrays:
        if searched:
            raise KeyboardInterrupt
        searched.extend(part.first for part in group)
        return real(group, asked)

    monkeypatch.setattr(parts, "_found", noting)
    with pytest.raises(KeyboardInterrupt):
        parts.search(tmp_path, queries, WEIGHTS)
    searched.clear()
    hits = parts.search(tmp_path, queries, WEIGHTS)
    assert searched == [20, 30]
    assert rows(hits) == whole(queries, 200)
    searched.clear()
    with pytest.raises(KeyboardInterrupt):
        parts.search(tmp_path, queries, {"Bac": 3.0})
    assert searched == [0, 10], "other weights, other hits"


def test_an_interrupted_index_resumes(tmp_path: Path) -> None:
    texts, out = tmp_path / "texts", tmp_path / "parts"
    texts.mkdir()
    for document in plant(articles=6, citations=4)[0].references:
        (texts / f"{document.doc_id}.txt").write_text(document.text, "utf-8")
    (texts / "R004.txt").write_bytes(b"\xff\xfe not UTF-8")
    with pytest.raises(DataError, match=r"articles 4 to 5 .*R004\.txt"):
        parts.index(TextFiles.of(texts), out, 3)
    begun = {path: path.stat().st_mtime_ns for path in out.glob("*.npz")}
    assert len(begun) == 2
    (texts / "R004.txt").write_text("Mended cells rest.", "utf-8")
    parts.index(TextFiles.of(texts), out, 3)
    assert {path: path.stat().st_mtime_ns for path in begun} == begun
    assert parts.search(out, [("mended",)])["article"].tolist() == ["R004"]


def test_new_code_makes_all_parts_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = parts.index(Planted(), tmp_path, 2)
    assert parts.index(Planted(), tmp_path, 2) == first
    monkeypatch.setattr(parts, "code_digest", lambda *_: "another")
    with pytest.raises(ParameterError, match=r"holds another index: .* with --force"):
        parts.index(Planted(), tmp_path, 2)
    assert not {p.stamp for p in parts.index(Planted(), tmp_path, 2, force=True)} & {
        p.stamp for p in first
    }


def test_articles_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "R1.txt").write_text("Cells rest.", "utf-8")
    with pytest.raises(DataError, match="R1"):
        TextFiles.of(tmp_path)


@pytest.mark.parametrize(("queries", "barred"), [([], None), (QUERIES, ["R001"])])
def test_queries_that_cannot_be_asked(
    tmp_path: Path, queries: list[tuple[str, ...]], barred: list[str] | None
) -> None:
    with pytest.raises(ParameterError):
        parts.search(tmp_path, queries, barred=barred)


@pytest.mark.parametrize("count", [0, ARTICLES + 1])
def test_a_number_of_parts_that_cannot_be(tmp_path: Path, count: int) -> None:
    with pytest.raises(ParameterError, match="parts"):
        parts.index(Planted(), tmp_path, count)


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="index"):
        parts.search(tmp_path, QUERIES)
    third = parts.index(Planted(), tmp_path, 4)[2].file
    kept = third.read_bytes()
    for damage in (kept[:1000], None):
        third.unlink()
        if damage:
            third.write_bytes(damage)
        with pytest.raises(DataError, match=third.name):
            parts.search(tmp_path, QUERIES)
    with pytest.raises(CitectxError, match="Bak"):
        parts.index(Planted(), tmp_path, 4)
        parts.search(tmp_path, QUERIES, {"Bak": 1.0})
    (tmp_path / parts.MANIFEST).write_text('{"parts": [{}]}')
    with pytest.raises(DataError, match=r"index\.json"):
        parts.search(tmp_path, QUERIES)


def test_by_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    for name, text in {
        "a": "Cells rest.",
        "b": "Yeast rests.",
        "c": "Cells and yeast grow.",
    }.items():
        Path("texts", f"{name}.txt").write_text(text, "utf-8")
    Path("queries.csv").write_text("query,text,citing\nq7,Yeast cells [1],a\nq8,rest,\n", "utf-8")
    assert cli.main("recommend index texts --out index --parts 2 --unlabelled".split()) == 0
    assert (
        cli.main("recommend search index queries.csv --out hits.csv --weights text=2".split()) == 0
    )
    hits = pd.read_csv("hits.csv")
    assert hits[["query", "article"]].to_numpy().tolist() == [["q7", "c"], ["q7", "b"], ["q8", "a"]]
    assert np.isfinite(hits["score"]).all()
    for wrong in ("--weights text", "--weights title=1", "-k 0"):
        assert cli.main(f"recommend search index queries.csv --out more.csv {wrong}".split()) == 1
    Path("queries.csv").write_text("a,b\n1,2\n", "utf-8")
    assert cli.main("recommend search index queries.csv --out more.csv".split()) == 1


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with texts, their index, queries, and hits of years ago."""
    monkeypatch.chdir(tmp_path)
    for folder, text in {"texts": "Cells rest.", "others": "Yeast rests."}.items():
        Path(folder).mkdir()
        Path(folder, "a.txt").write_text(text, "utf-8")
    Path("queries.csv").write_text("query,text\nq1,Cells rest\n", "utf-8")
    Path("hits.csv").write_text("years of work")
    assert cli.main("recommend index texts --out index --unlabelled".split()) == 0
    return tmp_path


def test_hits_replace_nothing_that_is_read_and_other_files_only_by_force(
    searched: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(searched)
    Path("link.csv").symlink_to("queries.csv")
    part = next(Path("index").glob("*.npz"))
    command = "recommend search index queries.csv --out"
    for name in ("queries.csv", "link.csv", "index/index.json", str(part)):
        assert cli.main([*command.split(), name, "--force"]) == 1
        assert f"{name} would replace what is read from" in capsys.readouterr().err
    assert cli.main([*command.split(), "hits.csv"]) == 1
    assert "hits.csv is there already" in capsys.readouterr().err
    Path("link.csv").unlink()
    assert contents(searched) == before
    assert cli.main([*command.split(), "hits.csv", "--force"]) == 0
    assert pd.read_csv("hits.csv")["article"].tolist() == ["a"]


def test_an_index_replaces_nothing_of_the_readers_and_another_index_only_by_force(
    searched: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "citectx.recommendation.labelling.trained", None
    )  # it is said before a classifier is trained
    before = contents(searched)
    for folder, named in (("texts", "a.txt"), (".", "hits.csv")):
        assert cli.main(["recommend", "index", "others", "--out", folder, "--force"]) == 1
        assert f"{Path(folder, named)} was not written by citectx" in capsys.readouterr().err
        with pytest.raises(ParameterError, match=named):
            parts.index(Planted(), Path(folder), 1, force=True)
    again = "recommend index others --out index --unlabelled".split()
    assert cli.main(again) == 1
    assert (
        "index holds another index: name another folder, or replace it with --force"
        in capsys.readouterr().err
    )
    assert contents(searched) == before
    assert (
        cli.main("recommend index texts --out index --unlabelled".split()) == 0
    )  # the same: nothing to do
    assert contents(searched) == before
    assert cli.main([*again, "--force"]) == 0
    assert contents(searched)["index/index.json"] != before["index/index.json"]


def test_counts_that_take_more_than_a_byte(tmp_path: Path) -> None:
    texts, out = tmp_path / "texts", tmp_path / "parts"
    texts.mkdir()
    for name, times in {"a": 255, "b": 256, "c": 70_000, "d": 1}.items():
        (texts / f"{name}.txt").write_text("Zürich " * times + "rests.", "utf-8")
    source = TextFiles.of(texts)
    collection = source.collection(0, 4)
    query = [collection.term_number["zürich"], collection.term_number["rests"]]
    scores = FieldedIndex.of(collection).scores(query)
    expected = [(0, "abcd"[d], float(scores[d])) for d in best(scores, 4)]
    for count in (1, 2):
        parts.index(source, out, count, force=True)
        assert rows(parts.search(out, [("zürich", "rests")])) == expected


def test_terms_are_found_wherever_they_stand_in_a_block(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    words = sorted([*(f"w{number}" for number in range(2 * parts.BLOCK)), "a", "é", "日本", "𐐷x"])
    (texts / "a.txt").write_text(" ".join(words) + ".", "utf-8")
    part = parts.index(TextFiles.of(texts), tmp_path / "parts", 1)[0]
    arrays = parts._mapped(part)
    assert unpacked(arrays["vocabulary"]) == tuple(words)
    assert [*parts._rows(arrays, words)] == [*range(len(words))]
    strange = ["", "0", "w", "w0x", "zz", "\U0010ffff", "\ud800", "a\nb", *(f"{w}!" for w in words)]
    assert [*parts._rows(arrays, strange)] == [-1] * len(strange)


def test_a_part_is_read_whole_once_as_long_as_it_is_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "cache"))
    made = parts.index(Planted(), tmp_path / "parts", 2)
    whole_reads: list[Path] = []
    real = parts._check_whole

    def noting(part: parts.Part) -> None:
        whole_reads.append(part.file)
        real(part)

    monkeypatch.setattr(parts, "_check_whole", noting)
    parts.search(tmp_path / "parts", QUERIES)
    assert {*whole_reads} == {part.file for part in made}, "written a moment ago: not believed"
    monkeypatch.setattr(storage, "_TICK", 0)
    for expected in (2, 0, 0):
        whole_reads.clear()
        parts.search(tmp_path / "parts", QUERIES)
        parts._checked.cache_clear()  # as in another process
        assert len(whole_reads) == expected
    content = made[1].file.read_bytes()
    made[1].file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(DataError, match="SHA-256"):
        parts.search(tmp_path / "parts", QUERIES)
    made[1].file.write_bytes(content)
    assert rows(parts.search(tmp_path / "parts", QUERIES, WEIGHTS)) == whole(QUERIES, 200)


def test_a_worker_is_sent_the_names_of_its_own_articles(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("Cells rest.")
    assert [path.stem for path in TextFiles.of(tmp_path).only(1, 3).files] == ["1", "2"]
