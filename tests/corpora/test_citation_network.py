"""Citation networks: rows, loops, and what can be wrong with a file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_network
from citectx.errors import DataError, MissingDataError
from citectx.paths import DATA


def test_loops_and_repeated_rows_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "network.txt"
    path.write_text("Roe , Doe\nRoe , Doe\nDoe , Doe\n\nRoe, 2001 , Poe\n", encoding="utf-8")
    network = citation_network.read(path)
    assert network.papers == ("Doe", "Poe", "Roe", "Roe, 2001")
    assert network.edges.tolist() == [[2, 0], [3, 1]]
    assert network.matrix().toarray().tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
    ]


@pytest.mark.parametrize("row", ["A00-1001", "A00-1001 , ", " , A00-1001", "A , B , C", "A,B"])
def test_a_malformed_row_is_named_with_file_and_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "network.txt"
    path.write_text(f"Roe , Doe\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"network.txt, line 2: expected 'citing , cited', found"):
        citation_network.read(path)


def test_no_rows_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    with pytest.raises(DataError, match="holds no citation"):
        citation_network.read(tmp_path / "empty.txt")
    with pytest.raises(MissingDataError, match="expected a file of a citation network"):
        citation_network.read(tmp_path / "none.txt")


def test_the_teaching_network() -> None:
    network = citation_network.read(DATA / "teaching" / "citations.txt")
    assert len(network.edges) > len(network.papers) / 2


@pytest.mark.open_data
def test_the_acl_network(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("acl-citation-network")
    network = citation_network.acl()
    assert len(network.papers) == 16_589
    assert len(network.edges) == 94_931
