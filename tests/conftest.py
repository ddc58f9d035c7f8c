"""Fixtures that several test modules share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citectx.errors import MissingDataError


@pytest.fixture(scope="session")
def open_corpus() -> Callable[[str], Path]:
    """Give the unpacked upstream folder of an open source, or skip the test where it cannot be had."""
    from citectx.corpora import sources

    def folder(name: str) -> Path:
        try:
            return sources.folder(name)
        except MissingDataError as error:
            pytest.skip(f"needs the open corpus {name}: {error}")

    return folder
