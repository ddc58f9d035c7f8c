"""What the package offers at its door, quickly."""

import subprocess
import sys

import pytest

import citectx
from citectx.errors import ParameterError


def test_import_is_lazy() -> None:
    heavy = "('numpy', 'pandas', 'gensim')"
    code = f"import citectx, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_at_the_door_leads_somewhere() -> None:
    for name in citectx.__all__:
        assert getattr(citectx, name) is not None
    assert dir(citectx) == sorted(citectx.__all__)
    with pytest.raises(AttributeError, match="offers"):
        citectx.BM52  # noqa: B018


def test_table_has_ours_beside_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITECTX_RESULTS", raising=False)
    table = citectx.table("sigir2017", 1)
    assert table.loc["BM25", ("c-F", "paper")] == 17.8
    cells = table["c-F"].dropna()
    assert (cells["ours"] - cells["paper"] - cells["difference"]).abs().max() < 0.11
    with pytest.raises(ParameterError):
        citectx.table("sigir2017", 9)


def test_claims_has_a_verdict_for_each_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITECTX_RESULTS", raising=False)
    verdicts = citectx.claims("naacl2015")
    assert {"id", "corpus", "verdict"} <= set(verdicts.columns)
