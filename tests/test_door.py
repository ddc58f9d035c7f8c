"""What the package offers at its door, quickly."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

import citectx
from citectx.errors import ParameterError
from citectx.paths import ROOT


def test_every_name_at_the_door_leads_somewhere() -> None:
    for name in citectx.__all__:
        assert getattr(citectx, name) is not None
    assert dir(citectx) == sorted(citectx.__all__)
    with pytest.raises(AttributeError, match="offers"):
        citectx.BM52  # noqa: B018


def test_type_checkers_see_what_the_door_offers() -> None:
    """What is imported for them comes from where it is imported at run time."""
    tree = ast.parse(Path(citectx.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname: node.module for node in imports for alias in node.names}
    assert seen == citectx._DOOR
    assert all(alias.asname == alias.name for node in imports for alias in node.names)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda article: citectx.contexts(article, ["A."], k=cast(int, "3")), "k='3'"),
        (lambda _: citectx.load("teachign"), "'teaching'.*path of a folder"),
        (lambda _: citectx.BM25(k1=cast(float, "high")), "k1='high'"),
    ],
)
def test_errors_say_what_to_pass(call: Callable[[Path], object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        call(ROOT / "docs" / "your-paper" / "article.xml")


def test_table_has_ours_beside_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITECTX_RESULTS", raising=False)
    table = citectx.table("sigir2017_table1")
    assert table.loc["BM25", ("c-F", "paper")] == 17.8
    cells = table["c-F"].dropna()
    assert str(table.columns.names[0]).endswith(" citation-integrity-31")
    assert cells["ours"].between(cells["low"], cells["high"], inclusive="neither").all()
    explored = citectx.table("sigir2017_table1", "citation-integrity")["c-F"]
    assert explored["ours"]["BM25"] != cells["ours"]["BM25"]
    with pytest.raises(ParameterError, match="scisumm-gold"):
        citectx.table("sigir2017_table1", "elsewhere")
    with pytest.raises(ParameterError, match="did you mean 'sigir2017_table"):
        citectx.table("sigir2017_table9")


def test_claims_has_a_verdict_for_each_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITECTX_RESULTS", raising=False)
    verdicts = citectx.claims("naacl2015")
    assert {"id", "corpus", "verdict"} <= set(verdicts.columns)
