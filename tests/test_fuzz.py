"""Mutated files for every reader; `python -m tests.fuzz` tries more of them."""

import pytest

from tests.fuzz import READERS, failures


@pytest.mark.parametrize("reader", READERS)
def test_60_mutations(reader: str) -> None:
    assert next(failures(reader, 60), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_10_000_mutations(reader: str) -> None:
    assert next(failures(reader, 10_000, seed=1), None) is None
