"""Generated pages: complete, escaped, and filtered as the script says."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.apps.site import links, pages
from citectx.apps.site.build import _relinked, stage
from citectx.apps.site.modules import experiments, modules
from citectx.apps.site.pages import bars, ledger_page
from citectx.paths import NOTEBOOKS, RESULTS, ROOT


@pytest.fixture
def frame() -> pd.DataFrame:
    facts = [
        ("p1", "a-beats-b", "order", "c1", "holds", "A <b>beats</b> B & C"),
        ("p1", "t1-a", "value", "c1", "not testable here", "c-F of A"),
        ("p2", "d-rises", "trend", "", "not testable here", "D rises"),
        ("p2", "d-rises", "trend", "c2", "contradicted", "D rises"),
    ]
    table = pd.DataFrame(facts, columns=["paper", "id", "kind", "corpus", "verdict", "says"])
    numbers = {"published": 1.5, "value": 2.25, "effect": -0.5, "ci_low": -1.0, "ci_high": np.nan}
    return table.assign(
        where="Table 1", reason="because", others="", seen=0.5, p_value=np.nan, **numbers
    )


def test_ledger_has_a_row_for_each_claim_escaped_and_words_first(frame: pd.DataFrame) -> None:
    html = ledger_page(frame, {})
    assert re.findall(r'<tr id="([^"]+)"', html) == [
        *["p1-a-beats-b-c1", "p2-d-rises", "p2-d-rises-c2"],
        "p1-t1-a-c1",
    ]
    assert "A &lt;b&gt;beats&lt;/b&gt; B &amp; C" in html
    assert html.count("<tr id=") == len(frame)


def test_bars_count_what_is_not_a_number(frame: pd.DataFrame) -> None:
    assert re.findall(r'aria-label="([^"]+)">', bars(frame))[1:] == [
        "1 holds",
        "1 contradicted",
        "1 not testable here",
    ]


def test_every_committed_table_belongs_to_an_experiment() -> None:
    found = {e.name: e for e in experiments()}
    for path in (p for p in (RESULTS / "open").glob("*.csv*") if p.name != "verdicts.csv"):
        assert path.name in found[path.name.split(".")[0]].files
    table1 = found["sigir2017_table1"]
    assert table1.command == "citectx run --profile open --only 01"
    assert all((NOTEBOOKS / f"{n}.ipynb").exists() for e in found.values() for n in e.notebooks)


def test_links_lead_to_pages_of_the_site() -> None:
    text = (
        "[a](results/open) [b](citectx/ledger) [c](notebooks/00_start_here.ipynb) [d](https://x.org/y)"
        " [e](citectx/retrieval/lexical.py) [f](citectx) ![g](results/open)"
    )
    assert _relinked(text, "README.md", ROOT) == (
        "[a](results.md) [b](ledger.md) [c](notebooks/00_start_here.ipynb) [d](https://x.org/y)"
        " [e](api/citectx.retrieval.lexical.rst) f ![g](results/open)"
    )
    assert (
        _relinked("[a](../results/open#x) [b](c.md)", "docs/p.md", ROOT)
        == "[a](../results.md#x) [b](../docs/c.md)"
    )
    assert (
        _relinked("[a](../citectx/ledger) [b](c.md)", "index.md", ROOT)
        == "[a](ledger.md) [b](docs/c.md)"
    )


def test_pictures_and_links_of_documents_lead_to_what_is_laid_out(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    found = [
        (page.relative_to(tmp_path), target)
        for page in sorted(tmp_path.rglob("*.md"))
        for target in re.findall(r"\]\(([^)\s:#]+)(?:#[^)\s]*)?\)", page.read_text("utf-8"))
    ]
    assert {target.rpartition(".")[2] for _, target in found} >= {"md", "png", "rst", "ipynb"}
    assert [(str(page), t) for page, t in found if not (tmp_path / page.parent / t).is_file()] == []


def test_api_has_a_page_for_each_module() -> None:
    listed = modules(ROOT / "citectx")
    made = pages.api_pages(listed)
    assert "api/citectx.retrieval.lexical.rst" in made
    assert len(made) == len(listed) + 1
    for path in (ROOT / "citectx").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        assert name in listed or path.name == "__main__.py"
    assert all(name in made["api/index.md"] for name in listed)


def test_maths_is_mathml_and_no_page_loads_anything(tmp_path: Path) -> None:
    main = pytest.importorskip("sphinx.cmd.build", reason="needs the extra docs").build_main
    pytest.importorskip("furo")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "index.md").write_text(
        "# T\n\nLet $x^2$.\n\n$$\\frac{a}{b}$$\n\n{math}`y`\n"
    )
    target = tmp_path / "site"
    arguments = ["-W", "-n", "-q", "-b", "html", "-c", ROOT / "docs", tmp_path / "source", target]
    assert main([str(a) for a in arguments]) == 0
    html = (target / "index.html").read_text("utf-8")
    assert html.count("<math ") == 3
    assert "<mfrac>" in html
    assert links.check(target) == []
