"""Files from others: whatever is in them ends in a named error, in new work, or in their numbers.

Each kind of file that holds arrays is damaged in each array, once as it came and once *forged*,
with the hashes beside it made to fit. Hashes find the former; forms and relations
(`citectx.arrays`) must find whatever of the latter is not a possible file.
"""

import copy
import json
import os
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from citectx import cache, cli
from citectx.apps import parts
from citectx.apps.contexts.ltr import LTR
from citectx.apps.parts import MANIFEST, TextFiles
from citectx.arrays import packed, unpacked
from citectx.corpora.model import Document
from citectx.embeddings import Vectors
from citectx.embeddings.train import Word2VecSettings, train_on
from citectx.errors import CitectxError, CitectxWarning, DataError
from citectx.recommendation import labelling
from citectx.retrieval.dense import SentenceEncoder
from citectx.retrieval.topics import topic_model
from citectx.storage import sha256, write_json

TEXTS = {
    "a": "Cells rest in yeast" + " so" * 300 + ".",
    "b": "Yeast rests.",
    "c": "Cells and yeast.",
    "d": "Flies.",
}
QUERIES = [("yeast", "cells", "so"), ("rest",), ("nowhere",)]


class Foreign(NamedTuple):
    """Makes a folder, reads it as something that can be compared, and makes its hashes fit."""

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    seal: Callable[[Path, Path], None]
    recomputed: bool = False
    """Whether damage leads to new work and a warning."""


# --- kinds of files


def make_index(folder: Path) -> None:
    (folder / "texts").mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / "texts" / f"{name}.txt").write_text(text, "utf-8")
    parts.index(TextFiles.of(folder / "texts"), folder / "index", 2)


def search(folder: Path) -> list[Any]:
    return parts.search(folder / "index", QUERIES).to_numpy().tolist()


def make_hits(folder: Path) -> None:
    make_index(folder)
    search_much(folder)


def search_much(folder: Path) -> list[Any]:
    """Search for so much that the hits are kept."""
    many = QUERIES * parts.MANY_QUERIES
    return parts.search(folder / "index", many).to_numpy().tolist()


def seal_index(folder: Path, file: Path) -> None:
    manifest = folder / "index" / MANIFEST
    content = json.loads(manifest.read_text())
    for row in content["parts"]:
        row[4] = sha256(file) if row[2] == file.name else row[4]
    write_json(manifest, content)


def make_vectors(folder: Path, int8: bool) -> None:
    draw = np.random.default_rng(0)
    matrix, output = draw.normal(size=(2, 4, 3)).astype(np.float32)
    card = {"name": "some", "architecture": "cbow", "text": {}}
    Vectors(("cell", "rést", "of", "a"), matrix, output, card).save(folder, int8=int8)


def read_vectors(folder: Path) -> object:
    found = Vectors.load(folder)
    assert all(np.isfinite(matrix).all() for matrix in found.matrices.values())
    return found.words, {name: matrix.tolist() for name, matrix in found.matrices.items()}


def seal_vectors(folder: Path, file: Path) -> None:
    card = json.loads((folder / "card.json").read_text())
    write_json(folder / "card.json", card | {"sha256": sha256(file)})


def train(folder: Path) -> object:
    folder.mkdir(exist_ok=True)
    settings = Word2VecSettings(dimensions=3, epochs=1, min_count=1)
    found = train_on([["cells", "rest"], ["yeast", "rest"]], settings, folder / "c.npz", "key")
    return found.words, found.matrix.tolist()


class Classifier:
    """Says the same of each sentence."""

    fingerprint = "stub"

    def predict(self, papers: list[Any]) -> list[tuple[str, ...]]:
        return [("Bac", "Met", "Res")[: len(paper)] for paper in papers]


def label(_: Path) -> object:
    documents = [Document(name, text) for name, text in TEXTS.items()]
    return labelling.labelled("mine", documents, classifier=Classifier(), progress=False)  # type: ignore[arg-type]


def encode(_: Path) -> object:
    encoder = SentenceEncoder("owner/lengths", "owner/lengths")
    encoder._model = Lengths()
    return encoder.encode(["ab", "c", "def"]).tolist()


class Lengths:
    """Stands where sentence-transformers puts its model."""

    def encode(self, texts: list[str], **_: object) -> np.ndarray:
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


def learn_topics(_: Path) -> object:
    counts = sp.csr_array(np.eye(4) + 1)
    return [found.tolist() for found in topic_model(counts, sp.csr_array(counts[:3]), 2, 0)]


def rehash(_: Path, file: Path) -> None:
    """Make the hash inside a kept result fit."""
    with np.load(file) as found, suppress(ValueError):  # objects cannot be made to fit
        arrays = dict(found)
        states = unpacked(arrays.pop(cache._READ))[0]
        arrays[cache._READ] = packed([states, cache._hash(arrays)])
        write_members(file, arrays)


def leave(_: Path, file: Path) -> None:
    """Nothing has a hash here."""


KINDS = {
    "index": Foreign(make_index, search, seal_index),
    "vectors": Foreign(partial(make_vectors, int8=False), read_vectors, seal_vectors),
    "vectors in 8 bits": Foreign(partial(make_vectors, int8=True), read_vectors, seal_vectors),
    "checkpoint": Foreign(train, train, leave),
    "labels": Foreign(label, label, rehash, recomputed=True),
    "encodings": Foreign(encode, encode, rehash, recomputed=True),
    "topics": Foreign(learn_topics, learn_topics, rehash, recomputed=True),
    "hits": Foreign(make_hits, search_much, rehash, recomputed=True),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be made, and an empty cache."""
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "foreign"


def file_of(kind: str, folder: Path) -> Path:
    """Return the file of arrays that is attacked."""
    place = folder.parent / "cache" if KINDS[kind].recomputed else folder
    return min(file for file in place.rglob("*.npz") if file.parent.name != parts.CHECKED.name)


# --- damages

Damage = Callable[[np.ndarray], np.ndarray]


def put(array: np.ndarray, value: Any) -> np.ndarray:
    changed = array.copy()
    changed.reshape(-1)[-1:] = value
    return changed


def largest(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "U":
        return put(array, "elsewhere")
    return put(array, (np.finfo if array.dtype.kind == "f" else np.iinfo)(array.dtype).max)


def pairs(array: np.ndarray) -> np.ndarray:
    return np.zeros(array.shape, dtype=[("a", "i4"), ("b", "i4")])


def invalid(array: np.ndarray) -> np.ndarray:
    """Change what is text or might be taken for it into what is none."""
    return put(array.view(np.uint32), 0x110000).view(array.dtype)


IMPOSSIBLE: dict[str, Damage] = {
    "NaN": lambda a: put(a if a.dtype.kind == "f" else np.ones(a.shape), np.nan),
    "infinite": lambda a: put(a if a.dtype.kind == "f" else np.ones(a.shape), np.inf),
    "another precision": lambda a: (a if a.dtype.kind == "f" else np.ones(a.shape)).astype(
        {"f4": "f8", "f8": "f4"}.get(a.dtype.str[1:], "f4")
    ),
    "an axis more": lambda a: a[None],
    "an axis less": lambda a: a.reshape(-1)[0] if a.ndim < 2 else a.reshape(-1),
    "empty": lambda a: np.zeros((0, *a.shape), a.dtype) if a.ndim == 0 else a[:0],
    "a row less": lambda a: a[None][:0] if a.ndim == 0 else a[:-1],
    "a row more": lambda a: np.stack([a, a]) if a.ndim == 0 else np.concatenate([a, a[-1:]]),
    "objects": lambda a: np.array([{}] * max(a.size, 1), dtype=object),
    "a structure": pairs,
    "truth values": lambda a: np.ones(a.shape, dtype=bool),
    "complex": lambda a: np.ones(a.shape, dtype=np.complex128),
    "bytes": lambda a: np.full(a.shape, b"x"),
}
"""No file can be like that, whatever its hashes say."""

POSSIBLE: dict[str, Damage] = {
    "negative": lambda a: put(a, "x" if a.dtype.kind == "U" else np.array(-1).astype(a.dtype)),
    "largest": largest,
    "reversed": lambda a: a[::-1].copy() if a.ndim else a,
    "the first everywhere": lambda a: np.full_like(a, a.reshape(-1)[0]),
    "a line break": lambda a: put(a, 10) if a.dtype == np.uint8 else a,
    "not UTF-8": lambda a: put(a, 255) if a.dtype == np.uint8 else a,
    "not Unicode": lambda a: invalid(a) if a.dtype.kind == "U" else a,
}
"""Of these a forged file may have some in some arrays, which only its hash would have told."""

STRINGS = {"stamp", "fields", "ids", "vocabulary", "heads", "words", "of", "documents"}
"""Arrays of packed strings."""

HARMLESS: dict[str, Damage] = {
    "other bytes first": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "columns first": lambda a: np.asfortranarray(a) if a.ndim == 2 else a,
}


def write_members(file: Path, arrays: dict[str, Any]) -> None:
    """Write an npz file as anybody might, with pickles if need be."""
    with file.open("wb") as stream:
        np.savez(stream, allow_pickle=True, **arrays)


class Outcome(NamedTuple):
    """What reading gave, or the words in which it was refused or done again."""

    found: object = None
    said: str = ""


def attempt(kind: str, folder: Path) -> Outcome:
    """Read; any error but ours leaves here as it is."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = KINDS[kind].read(folder)
        except CitectxError as error:
            return Outcome(said=str(error))
    said = [str(w.message) for w in seen if issubclass(w.category, CitectxWarning)]
    return Outcome(found, " ".join(said))


class Target:
    """A file that is damaged again and again."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        KINDS[kind].make(folder)
        self.whole = KINDS[kind].read(folder)
        files = [path for path in folder.parent.rglob("*") if path.is_file()]
        self.before = {path: path.read_bytes() for path in files}
        self.file = file_of(kind, folder)
        with np.load(self.file) as found:
            self.arrays = dict(found)
        self.names = [name for name in self.arrays if name != cache._READ]

    def attacked(self, arrays: dict[str, Any], forged: bool) -> Outcome:
        write_members(self.file, arrays)
        if forged:
            KINDS[self.kind].seal(self.folder, self.file)
        outcome = attempt(self.kind, self.folder)
        self.restore()
        return outcome

    def restore(self) -> None:
        for path, content in self.before.items():
            if path.read_bytes() != content:
                path.write_bytes(content)

    def damages(self, damages: dict[str, Damage]) -> Iterator[tuple[str, str, dict[str, Any]]]:
        for name, damage in damages.items():
            for array in self.names:
                changed = damage(self.arrays[array])
                if changed.tobytes() != self.arrays[array].tobytes() or name in HARMLESS:
                    yield name, array, {**self.arrays, array: changed}

    def is_refused(self, outcome: Outcome, array: str = "") -> bool:
        """Whether the message names the file and the array, and no other numbers came out."""
        names = self.file.name in outcome.said and array in outcome.said
        again = outcome.found == self.whole and "computed again" in outcome.said
        return names and (again if KINDS[self.kind].recomputed else outcome.found is None)


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, folder: Path) -> Target:
    return Target(request.param, folder)


def test_what_was_damaged_on_the_way_never_gives_other_numbers(target: Target) -> None:
    if target.kind == "checkpoint":
        pytest.skip("is the reader's own and has no hash; forged ones are below")
    for name, array, arrays in target.damages(IMPOSSIBLE | POSSIBLE):
        outcome = target.attacked(arrays, forged=False)
        assert target.is_refused(outcome), (name, array, outcome)


def test_what_no_file_can_be_is_refused_even_if_its_hash_fits(target: Target) -> None:
    for name, array, arrays in target.damages(IMPOSSIBLE):
        if array in STRINGS and name in ("a row less", "a row more"):
            continue  # a letter less or more makes another name
        outcome = target.attacked(arrays, forged=True)
        named = any(f"{other}: " in outcome.said for other in target.names)
        assert named and target.is_refused(outcome), (name, array, outcome)


def test_what_a_forged_file_might_be_is_refused_or_read_never_a_traceback(target: Target) -> None:
    for _, array, arrays in target.damages(POSSIBLE):
        outcome = target.attacked(arrays, forged=True)
        refused = target.is_refused(outcome) or "is in two parts" in outcome.said
        assert outcome.found is not None or refused, (array, outcome)


def test_the_same_numbers_in_another_layout_are_the_same_numbers(target: Target) -> None:
    for name, array, arrays in target.damages(HARMLESS):
        outcome = target.attacked(arrays, forged=True)
        assert outcome.found == target.whole, (name, array, outcome)


def test_arrays_that_are_missing_or_too_many_are_named(target: Target) -> None:
    for array in target.names:
        rest = {name: kept for name, kept in target.arrays.items() if name != array}
        outcome = target.attacked(rest, forged=True)
        optional = array == "output" and outcome.found is not None and not outcome.said
        assert optional or target.is_refused(outcome, array), (array, outcome)
    outcome = target.attacked({**target.arrays, "../more": np.zeros(2)}, forged=True)
    assert target.is_refused(outcome, "../more"), outcome


@pytest.mark.parametrize("kind", ["index", "labels", "hits"])
def test_forged_values_that_would_lead_elsewhere_are_refused(kind: str, folder: Path) -> None:
    target = Target(kind, folder)
    must = {
        "index": ["start", "block", "cell", "count", "many", "many_count", "norm", "stamp", "ids"],
        "labels": ["documents", "sizes", "spans", "classes"],
        "hits": ["sizes"],
    }[kind]
    some = {name: POSSIBLE[name] for name in ("negative", "largest")}
    for name, array, arrays in target.damages(some):
        outcome = target.attacked(arrays, forged=True)
        assert target.is_refused(outcome, array) or array not in must, (name, array, outcome)


# --- JSON beside the arrays

VALUES: list[Any] = [None, "x", "", "../x", "/etc/passwd", "a\0b", "\ud800", "C:x", "..\\x"]
VALUES += [-1, 0, 10**30, 10**400, 1.5, True, [], {}, [[]], "x" * 300]
VALUES += [float("nan"), float("inf")]


def changed(content: Any) -> Iterator[Any]:
    """Yield JSON with each value replaced or left out, at any depth."""
    places = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in [*places]:
        for other in VALUES:
            new = copy.copy(content)
            new[key] = other
            yield new
        less = copy.copy(content)
        del less[key]
        yield less
        if isinstance(value, dict | list):
            for inner in changed(value):
                new = copy.copy(content)
                new[key] = inner
                yield new


def texts(content: dict[str, Any]) -> Iterator[str]:
    """Yield what is no JSON object, or not only one."""
    good = json.dumps(content)
    key = next(iter(content))
    yield from ("", "[]", "7", "{", good[:-1], good + "}", "[" * 100_000, '{"a":' * 100_000)
    yield f'{{"{key}": 1, {good[1:]}'  # a key twice
    yield good.replace("1", "9" * 5_000, 1)


JSON = {
    "index": ("index/index.json", "index"),
    "vectors": ("card.json", "vectors"),
    "vectors in 8 bits": ("card.json", "vectors"),
}


SOME, ALL = 80, 100_000


@pytest.mark.parametrize("most", [SOME, pytest.param(ALL, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", JSON)
def test_no_value_in_json_gives_other_numbers(kind: str, most: int, folder: Path) -> None:
    target, (name, place) = Target(kind, folder), JSON[kind]
    file = folder / name
    content = json.loads(file.read_text())
    every = [*map(json.dumps, changed(content))]
    drawn = random.Random(0).sample(every, min(most, len(every)))
    for each in (*drawn, *texts(content)):
        file.write_text(each)
        outcome = attempt(kind, folder)
        named = file.name in outcome.said or place in outcome.said
        assert outcome.found == target.whole or (outcome.found is None and named), (each, outcome)
    file.write_bytes(b'{"parts": "\xff"}')
    assert file.name in attempt(kind, folder).said


def test_no_value_in_weights_gives_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    content = {
        "card": {"a": 1},
        "settings": {"C": 0.1, "target": "any"},
        "intercept": 0.5,
        "features": {"place": {"weight": 1.0, "mean": 0.5, "scale": 2.0, "about": "", "group": ""}},
    }
    file.write_text(json.dumps(content))
    whole = LTR.load(file)
    for each in (*map(json.dumps, changed(content)), *texts(content)):
        file.write_text(each)
        try:
            found = LTR.load(file)
        except DataError as error:
            assert file.name in str(error)
        else:
            numbers = [found.intercept, *found.weights["place"]]
            assert found.weights.keys() == whole.weights.keys() and np.isfinite(numbers).all()


# --- the whole chain


@pytest.fixture
def received(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index, queries, and hits that were found in it."""
    make_index(folder)
    monkeypatch.chdir(folder)
    Path("queries.csv").write_text("query,text\nq1,Yeast cells\nq2,rest\n", "utf-8")
    assert cli.main("recommend search index queries.csv --out hits.csv".split()) == 0
    return folder / "index"


def refused(capsys: pytest.CaptureFixture[str], *named: str) -> bool:
    """Search by the command: whether it fails with these words, and writes nothing."""
    capsys.readouterr()
    before = sorted(Path().iterdir())
    code = cli.main("recommend search index queries.csv --out more.csv".split())
    said = capsys.readouterr().err
    return code == 1 and sorted(Path().iterdir()) == before and all(n in said for n in named)


@pytest.mark.parametrize("array", [*parts.FORM])
def test_search_refuses_a_foreign_index(
    received: Path, array: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = min(received.glob("*.npz"))
    with np.load(file) as found:
        arrays = dict(found)
    write_members(file, {**arrays, array: put(arrays[array], arrays[array].reshape(-1)[-1] + 1)})
    assert refused(capsys, file.name, "SHA-256")
    write_members(file, {**arrays, array: put(arrays[array].astype(np.float32), np.nan)})
    seal_index(received.parent, file)
    assert refused(capsys, file.name, f"{array}: ")


def test_the_hits_of_one_index_are_not_those_of_another_of_the_same_stamps(received: Path) -> None:
    file = min(received.glob("*.npz"))
    whole = search(received.parent)
    with np.load(file) as found:
        arrays = dict(found)
    # four less is half of it
    write_members(file, {**arrays, "norm": arrays["norm"] - np.uint8(4)})
    seal_index(received.parent, file)
    assert search(received.parent) != whole


def test_numbers_that_wrap_around_are_not_in_order(
    received: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = min(received.glob("*.npz"))
    with np.load(file) as found:
        start = found["start"].copy()
        start = start.astype(np.uint64)
        start[1:3] = np.iinfo(np.int64).max, np.iinfo(np.uint64).max - 1
        arrays = {**found, "start": start}
    write_members(file, arrays)
    seal_index(received.parent, file)
    assert refused(capsys, file.name, "start: ")


@pytest.mark.parametrize("weight", ["text=nan", "text=inf", "text=-1"])
def test_weights_are_finite(received: Path, weight: str) -> None:
    command = "recommend search index queries.csv --out more.csv --weights".split()
    assert cli.main([*command, weight]) == 1
    assert not (received.parent / "more.csv").exists()


def test_parts_lie_in_the_folder_of_the_index(
    received: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, file = received / MANIFEST, min(received.glob("*.npz"))
    content = json.loads(manifest.read_text())
    shutil.copy(file, received.parent / "outside.npz")
    (received / "link.npz").symlink_to(received.parent / "outside.npz")
    for name in ("../outside.npz", str(received.parent / "outside.npz"), "link.npz"):
        moved = copy.deepcopy(content)
        moved["parts"][0][2] = name
        write_json(manifest, moved)
        assert refused(capsys, MANIFEST, "outside.npz" if "link" not in name else name)


def test_parts_of_two_indexes_do_not_mix(
    received: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = sorted(received.glob("*.npz"))
    manifest = received / MANIFEST
    content = json.loads(manifest.read_text())
    with np.load(second) as found:
        arrays = dict(found)
    write_members(second, {**arrays, "fields": packed(["words"])})
    seal_index(received.parent, second)
    assert refused(capsys, second.name, f"fields: expected ('text',) as in {first.name}")
    write_json(manifest, content)
    with np.load(first) as found:
        twice = {**found, "stamp": arrays["stamp"]}
    write_members(second, twice)
    seal_index(received.parent, second)
    assert refused(capsys, "is in two parts")


def test_an_index_of_other_code_says_so_and_one_of_another_format_is_refused(
    received: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = received / MANIFEST
    content = json.loads(manifest.read_text())
    made_by = ["0123", *(each.replace("numpy 2", "numpy 1") for each in content["made_by"][1:])]
    write_json(manifest, content | {"made_by": made_by})
    with pytest.warns(CitectxWarning, match=r"index\.json: made before numpy 2.*index again"):
        search(received.parent)
    write_json(manifest, content | {"made_by": ["0123", *made_by[1:], *content["made_by"][1:]]})
    with pytest.warns(CitectxWarning, match="made before other code of citectx"):
        search(received.parent)
    write_json(manifest, {"parts": [row[:4] for row in content["parts"]]})
    assert refused(capsys, MANIFEST, "index again, with --force")
    again = "recommend index texts --out index --parts 2 --unlabelled".split()
    assert cli.main(again) == 1
    assert cli.main([*again, "--force"]) == 0
    assert json.loads(manifest.read_text()) == content | {
        "parts": json.loads(manifest.read_text())["parts"]
    }


def test_what_cannot_be_a_name_is_not_indexed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [b"a\nb.txt", b"\xff.txt"]
    for each in names:
        (folder / "texts").mkdir(parents=True)
        (folder / "texts" / os.fsdecode(each)).write_text("Cells rest.")
        command = ["recommend", "index", str(folder / "texts"), "--out", str(folder / "index")]
        assert cli.main([*command, "--unlabelled", "--parts", "1"]) == 1
        assert "cannot be a name" in capsys.readouterr().err
        shutil.rmtree(folder)


# --- at random

MANY = 400


@pytest.mark.slow
@pytest.mark.parametrize("forged", [False, True])
def test_many_damages_at_random(target: Target, forged: bool) -> None:
    everything = IMPOSSIBLE | POSSIBLE
    for seed in range(MANY):
        draw = random.Random(f"{target.kind} {seed}")
        arrays, done = dict(target.arrays), []
        for _ in range(draw.randint(1, 3)):
            name, array = draw.choice(sorted(everything)), draw.choice(target.names)
            try:
                arrays[array] = everything[name](arrays[array])
            except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
                continue  # what was damaged already cannot be damaged so
            done.append((name, array))
        outcome = target.attacked(arrays, forged or target.kind == "checkpoint")
        fine = outcome.found == target.whole or target.is_refused(outcome)
        assert fine or (outcome.found is not None and (forged or target.kind == "checkpoint")), done
