"""Three topics of the teaching corpus show what five do, in half the time; notebooks run on all."""

from dataclasses import replace

import pytest

from citectx.corpora import Corpus


@pytest.fixture(scope="session")
def teaching(teaching: Corpus) -> Corpus:
    return replace(teaching, topics=teaching.topics[:3])
