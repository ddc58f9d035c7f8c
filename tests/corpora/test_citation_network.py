"""The citation network: rows of two names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.corpora import citation_network


def test_each_pair_once_and_no_paper_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "acl.txt"
    path.write_text("Roe , Doe\n\nPoe, Jr. , Doe\nRoe , Doe\nDoe , Doe\n")
    network = citation_network.read(path)
    assert network.papers == ("Doe", "Poe, Jr.", "Roe")
    assert network.edges.tolist() == [[2, 0], [1, 0]]
    assert network.matrix().toarray().tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]


@pytest.mark.open_data
def test_the_acl_network(open_corpus: Callable[[str], Path]) -> None:
    open_corpus("acl-citation-network")
    network = citation_network.acl()
    assert (len(network.papers), len(network.edges)) == (16_589, 94_973 - 42)
