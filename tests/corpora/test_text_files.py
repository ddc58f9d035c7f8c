"""What the readers share: decoding, line ends, tables, and folders that are missing."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from citectx.corpora import (
    citation_integrity,
    citation_integrity_31,
    full_texts,
    scisumm,
    scisummnet,
)
from citectx.corpora.structure import lines_of
from citectx.corpora.text_files import csv_rows, listing, numbered_lines, read_text
from citectx.errors import DataError, MissingDataError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_break_at_line_ends_only_and_keep_their_numbers(
    tmp_path: Path, encoding: str, end: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(f"Müller\x0crests.{end} {end}They\xa0do.{end}".encode(encoding))
    expected = [(1, "Müller\x0crests."), (3, "They\xa0do.")]
    assert list(numbered_lines(path, "iso-8859-1")) == expected


def test_what_is_no_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Müller".encode("latin-1"))
    with pytest.raises(DataError, match=r"a\.txt: byte 1 is not UTF-8; save the file as UTF-8"):
        read_text(path)
    with pytest.raises(MissingDataError, match="there is no file"):
        read_text(tmp_path / "none.txt")


def test_hidden_files_are_not_listed(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "._a.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in listing(tmp_path)] == ["a.txt", "b.txt"]
    assert listing(tmp_path / "none") == []


def test_rows_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'\n a ,b\r\n"1,\r\n1", x \r\n\r\n2,y')
    rows = list(csv_rows(path, ["a"]))
    assert [(row.fields, row.line) for row in rows] == [
        ({"a": "1,\n1", "b": "x"}, 4),
        ({"a": "2", "b": "y"}, 6),
    ]
    with pytest.raises(DataError, match=r"columns unknown or there twice: 'b'; known: a, c"):
        next(csv_rows(path, ["a"], ["c"]))
    path.write_text("a,a\n1,2\n")
    with pytest.raises(DataError, match=r"a\.csv, line 1: columns unknown or there twice: 'a'"):
        next(csv_rows(path, ["a"]))


def test_columns_without_a_name_at_the_end_are_cut_if_they_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,,\n1,2,,\n,,,\n3,,, \n")
    rows = list(csv_rows(path, ["a"], ["b"]))
    assert [row.fields for row in rows] == [{"a": "1", "b": "2"}, {"a": "3", "b": ""}]
    for damage in ("1,2,3,", "1,2", "1,2,,,"):
        path.write_text(f"a,b,,\n{damage}\n")
        with pytest.raises(DataError, match=r"a\.csv, line 2: has \d fields, expected 2"):
            next(csv_rows(path, ["a"]))
    path.write_text("a,,b\n1,,2\n")
    with pytest.raises(DataError, match="columns unknown or there twice: ''"):
        next(csv_rows(path, ["a"], ["b"]))


READ_31 = partial(citation_integrity_31.read, published=Path(), train=lambda _: lines_of)


@pytest.mark.parametrize(
    ("source", "reader"),
    [
        ("citation-integrity-annotations", citation_integrity.read),
        ("citation-integrity-annotations", READ_31),
        ("citation-integrity-fulltext", full_texts.read_full_texts),
        ("scisumm-corpus", scisumm.read_training),
        ("scisumm-corpus", scisumm.read_test),
        ("scisumm-corpus", scisumm.read_gold),
        ("scisumm-corpus", scisummnet.read),
    ],
)
def test_a_missing_folder_says_what_to_do(
    tmp_path: Path, source: str, reader: Callable[[Path], object]
) -> None:
    with pytest.raises(MissingDataError, match=f"citectx fetch {source}"):
        reader(tmp_path / "nowhere")
