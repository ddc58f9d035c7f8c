"""Noun phrases: the committed model, training on invented sentences, and the shared task's test part."""

import gzip
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.errors import DataError, MissingDataError
from citectx.language.noun_phrases import Model, Token, bounds, noun_phrases, open_model, read_conll

LINES = """\
the DT B-NP
small JJ I-NP
cells NNS I-NP
rest VBP B-VP
. . O

we PRP B-NP
saw VBD B-VP
cells NNS B-NP
"""


@pytest.fixture(scope="module")
def sentences() -> list[list[Token]]:
    return read_conll(LINES)


@pytest.fixture(scope="module")
def trained(sentences: list[list[Token]]) -> Model:
    return Model.train(sentences * 15)


def test_phrases_of_science_as_a_reader_would_mark_them() -> None:
    text = "Mutant mice were kept in the cold room. We found that loss of a single gene changed most cells."
    found = [" ".join(words) for words in noun_phrases(text)]
    assert found == ["Mutant mice", "the cold room", "We", "loss", "a single gene", "most cells"]


def test_no_text_no_phrases() -> None:
    assert noun_phrases("") == noun_phrases(" . ") == []


def test_reading_keeps_noun_phrases_only(sentences: list[list[Token]]) -> None:
    assert [[t.chunk for t in s] for s in sentences] == [["B-NP", "I-NP", "I-NP", "O", "O"], ["B-NP", "O", "B-NP"]]
    assert [t.pos for t in sentences[1]] == ["PRP", "VBD", "NNS"]


@pytest.mark.parametrize(
    ("chunks", "expected"), [("B B I O B", [(0, 1), (1, 3), (4, 5)]), ("I I O I", [(0, 2), (3, 4)]), ("O O", [])]
)
def test_bounds_of_iob_tags_worked_out_by_hand(chunks: str, expected: list[tuple[int, int]]) -> None:
    tokens = [Token("x", "NN", "O" if c == "O" else f"{c}-NP") for c in chunks.split()]
    assert bounds(tokens) == expected


def test_a_trained_model_knows_its_training_text(trained: Model, sentences: list[list[Token]]) -> None:
    assert trained.evaluate(sentences) == (1, 1, 1, 1)


def test_evaluation_worked_out_by_hand(trained: Model) -> None:
    """Of four words one has another tag; of our two phrases one is right, of the three known ones one."""
    words = ["the", "cells", "rest", "cells"]
    assert bounds(trained.tag(words)) == [(0, 2), (3, 4)]
    pos = [t.pos for t in trained.tag(words)]
    known = zip(words, [pos[0], "XX", *pos[2:]], ["B-NP", "B-NP", "O", "B-NP"], strict=True)
    accuracy = trained.evaluate([[Token(*fields) for fields in known]])
    assert accuracy == pytest.approx((3 / 4, 1 / 2, 1 / 3, 2 / 5))


def test_training_is_repeatable_and_leaves_the_shared_random_numbers_alone(
    trained: Model, sentences: list[list[Token]]
) -> None:
    random.seed(5)
    expected = random.random()
    random.seed(5)
    again = Model.train(sentences * 15)
    assert random.random() == expected
    assert again.to_bytes() == trained.to_bytes()


def test_saved_and_read_again_it_tags_the_same(trained: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json.gz"
    path.write_bytes(trained.to_bytes(decimals=3))
    words = "we saw the small cells rest .".split()
    assert Model.read(path).tag(words) == trained.tag(words)
    assert len(trained.to_bytes(smallest=1.5)) < len(trained.to_bytes())


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.json.gz"
    with pytest.raises(MissingDataError, match=r"model\.json\.gz is not there"):
        Model.read(path)
    contents = (b"{", b"[]", b'{"parts_of_speech": {}}')
    for content in (b"{}", *map(gzip.compress, contents)):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"model\.json\.gz: expected the weights of two taggers"):
            Model.read(path)


@pytest.mark.open_data
def test_accuracy_on_the_test_part_of_conll_2000(open_corpus: Callable[[str], Path]) -> None:
    """NLTK's ChunkScore, asked once, has the same F1 for these answers."""
    archive = next(open_corpus("nltk-data").rglob("conll2000.zip"))
    with zipfile.ZipFile(archive) as files, files.open("conll2000/test.txt") as file:
        test = read_conll(file.read().decode())
    assert (len(test), sum(map(len, test))) == (2012, 47377)
    accuracy = open_model().evaluate(test)
    assert 100 * accuracy.tagging == pytest.approx(97.19, abs=0.02)
    assert 100 * accuracy.f1 == pytest.approx(91.75, abs=0.05)
