"""Document frequencies: counted, written, read, and how they fail."""

import math
from pathlib import Path

import pytest

from citectx.language.idf import DOMAINS, Idf, open_idf


def test_counts_documents_not_occurrences() -> None:
    rarity = Idf.of(["Cells of p53-null mice. Cells!", "Mice, 12 of them", "cells"])
    assert rarity.documents == 3
    assert rarity.frequencies == {"cells": 2, "mice": 2, "null": 1, "of": 2, "p53": 1, "them": 1}
    assert rarity["cells"] == math.log(3 / 2)


def test_a_word_that_is_not_listed_counts_as_the_rarest_listed() -> None:
    rarity = Idf.of(["cells rest"] * 5 + ["cells die"], least=5)
    assert "die" not in rarity.frequencies
    assert rarity["die"] == rarity["unheard"] == rarity["rest"] == math.log(6 / 5)


def test_written_and_read_again(tmp_path: Path) -> None:
    rarity = Idf(40, {"zeta": 7, "β": 5}, least=5)
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(rarity.to_bytes())
    assert Idf.read(path) == rarity
    assert rarity.to_bytes() == Idf(40, {"β": 5, "zeta": 7}, least=5).to_bytes()


@pytest.mark.parametrize("domain", DOMAINS)
def test_committed_lists_are_plausible(domain: str) -> None:
    rarity = open_idf(domain)
    assert all(rarity.least <= n <= rarity.documents for n in rarity.frequencies.values())
    assert rarity["the"] < 0.01
    assert rarity["results"] < 1
    assert rarity["quokka"] > 2.5
