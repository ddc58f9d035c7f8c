"""The teaching corpus, read once."""

import pytest

from citectx import profiles
from citectx.corpora import Corpus


@pytest.fixture(scope="session")
def teaching() -> Corpus:
    return profiles.load("teaching")
