"""Finding vectors by name: trained ones first, small ones where a name allows them."""

from pathlib import Path

import numpy as np
import pytest

from citectx.embeddings import ARCHITECTURES, DEFAULT, Vectors, open_vectors
from citectx.embeddings import vectors as store
from citectx.errors import MissingDataError, ParameterError

OTHER = next(each for each in ARCHITECTURES if each != DEFAULT)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(store, "SMALL_VECTORS", tmp_path / "vectors")


def vectors(architecture: str, n: int = 4, **more: int) -> Vectors:
    card = more | {
        "name": "general",
        "architecture": architecture,
        "about": "some text",
        "date": "2020-01-01",
    }
    return Vectors(tuple("abcdef"[:n]), np.eye(n, 3, dtype=np.float32) + 1, None, card)


def save_trained(architecture: str, n: int = 4) -> None:
    vectors(architecture, n).save(store.trained_folder("general", architecture))  # type: ignore[arg-type]


def save_small(architecture: str = DEFAULT) -> None:
    vectors(architecture, 2, taken_from=4).save(store.SMALL_VECTORS / "general")


def test_a_bare_name_means_the_default_architecture() -> None:
    save_trained(OTHER)
    save_trained(DEFAULT)
    save_small()
    assert open_vectors("general").name == f"general-{DEFAULT}"
    assert open_vectors(f"general-{OTHER}").name == f"general-{OTHER}"
    assert open_vectors("general-small").name == "general-small"


def test_small_vectors_stand_in_for_a_bare_name_only() -> None:
    save_small()
    assert len(open_vectors("general")) == 2
    with pytest.raises(MissingDataError, match=f"citectx train general --architecture {OTHER}"):
        open_vectors(f"general-{OTHER}")
    with pytest.raises(MissingDataError, match=f"--architecture {DEFAULT}"):
        open_vectors("biomedical")


def test_an_unknown_name_is_an_error_that_lists_the_known() -> None:
    save_small()
    with pytest.raises(
        ParameterError, match=r"unknown training corpus 'medical'; known: 'biomedical'"
    ):
        open_vectors("medical")
    with pytest.raises(
        ParameterError, match=r"unknown small vectors 'biomedical'; known: 'general'"
    ):
        open_vectors("biomedical-small")


def test_vectors_are_read_once_and_again_when_trained_anew() -> None:
    save_trained(DEFAULT)
    first = open_vectors("general")
    assert open_vectors("general") is first
    save_trained(DEFAULT, n=5)
    assert len(open_vectors("general")) == 5
