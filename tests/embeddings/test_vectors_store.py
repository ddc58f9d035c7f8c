"""Finding vectors by name."""

from pathlib import Path

import numpy as np
import pytest

from citectx.embeddings import Vectors, open_vectors
from citectx.embeddings.vectors import folder_of
from citectx.errors import MissingDataError, ParameterError


def test_vectors_are_read_once_and_again_when_trained_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match="citectx train general --architecture skip-gram"):
        open_vectors("general-skip-gram")
    for n in (4, 5):
        words, matrix = tuple("abcdef"[:n]), np.eye(n, 3, dtype=np.float32) + 1
        Vectors(words, matrix, matrix).save(tmp_path / "embeddings" / "general-skip-gram")
        assert len(open_vectors("general-skip-gram")) == n
        assert open_vectors("general-skip-gram") is open_vectors("general-skip-gram")


@pytest.mark.parametrize("name", ["medical-cbow", "general", "computational-linguistics-small"])
def test_an_unknown_name_is_an_error_that_lists_the_known(name: str) -> None:
    with pytest.raises(ParameterError, match=r"known: .*'biomedical-cbow'"):
        folder_of(name)
