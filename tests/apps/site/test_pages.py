"""Generated pages: complete, escaped, and filtered as the script says."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx.apps.site.build import _badges, _relinked, loaded, stage
from citectx.apps.site.pages import bars, ledger_page
from citectx.paths import ROOT


@pytest.fixture
def frame() -> pd.DataFrame:
    facts = [
        ("p1", "a-beats-b", "order", "c1", "holds", "A <b>beats</b> B & C"),
        ("p2", "d-rises", "trend", "", "not testable here", "D rises"),
        ("p2", "d-rises", "trend", "c2", "contradicted", "D rises"),
    ]
    table = pd.DataFrame(facts, columns=["paper", "id", "kind", "corpus", "verdict", "says"])
    numbers = {"published": 1.5, "effect": -0.5, "ci_low": -1.0, "ci_high": np.nan}
    return table.assign(
        where="Table 1",
        reason="because",
        others="",
        ours=False,
        seen=0.5,
        p_value=np.nan,
        **numbers,
    )


def test_ledger_has_a_row_for_each_claim_escaped(frame: pd.DataFrame) -> None:
    html = ledger_page(frame, {})
    assert re.findall(r'<tr id="([^"]+)"', html) == [
        "p1-a-beats-b-c1",
        "p2-d-rises",
        "p2-d-rises-c2",
    ]
    assert "A &lt;b&gt;beats&lt;/b&gt; B &amp; C" in html
    assert html.count("<tr id=") == len(frame)


def test_bars_count_verdicts(frame: pd.DataFrame) -> None:
    assert re.findall(r'aria-label="([^"]+)">', bars(frame))[1:] == [
        "1 holds",
        "1 contradicted",
        "1 not testable here",
    ]


def test_the_first_page_counts_as_readme_does(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    shown = re.findall(
        r"<b>(\w+)</b> ([\w-]+)</span>.*?aria-label=\"([^\"]+)\"",
        (tmp_path / "verdicts.html").read_text("utf-8"),
    )
    told = (ROOT / "README.md").read_text("utf-8")
    assert len(shown) == 4
    for paper, corpus, counts in shown:
        (row,) = re.findall(rf"^\| {paper} \| {corpus} \| (\d+) \|(.+)$", told, re.MULTILINE)
        numbers = [int(count.split()[0]) for count in counts.split(", ")]
        assert sum(numbers) == int(row[0])
        cells = [int(cell) for cell in row[1].split("|")[:7]]
        assert numbers == [cell for cell in cells if cell]


def test_badges_lead_to_a_copy_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CITECTX_REPOSITORY", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    assert _badges("05.ipynb") == "[How to run it](../docs/getting-started.md){.launch}"
    monkeypatch.setenv("CITECTX_REPOSITORY", "some/body")
    told = _badges("05.ipynb")
    assert "https://mybinder.org/v2/gh/some/body/HEAD?labpath=notebooks/05.ipynb" in told
    assert "https://colab.research.google.com/github/some/body/blob/HEAD/notebooks/05.ipynb" in told
    assert "!git clone --quiet --depth 1 https://github.com/some/body citectx" in told


def test_links_lead_to_pages_of_the_site() -> None:
    text = (
        "[a](results/open) [b](citectx/ledger) [c](notebooks/00_start_here.ipynb) "
        "[d](https://x.org/y) [e](citectx/retrieval/lexical.py) [f](citectx) ![g](results/open) "
        "[h](results/open/00_start_here) [i](results/open/00_start_here/00_start_here.ipynb)"
    )
    assert _relinked(text, "README.md", ROOT) == (
        "[a](results.md) [b](ledger.md) [c](notebooks/00_start_here.ipynb) "
        "[d](https://x.org/y) [e](api/citectx.retrieval.lexical.rst) f ![g](results/open) "
        "[h](open/index.md) [i](open/00_start_here.ipynb)"
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
    assert {target.rpartition(".")[2] for _, target in found} >= {"md", "png", "ipynb"}
    assert [(str(page), t) for page, t in found if not (tmp_path / page.parent / t).is_file()] == []


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
    assert loaded(target) == []


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ('<a href="https://example.org/x">', ""),
        ('<img src="c%20d.png">', ""),
        ('<img src="https://example.org/x.png">', "https://example.org/x.png"),
        ('<img src="data:image/png;base64,AA">', ""),
        ('<script src="//cdn.example/x.js"></script>', "//cdn.example/x.js"),
        ('<link rel="stylesheet" href="http://example.org/x.css">', "http://example.org/x.css"),
        ('<link rel="canonical" href="https://example.org/">', ""),
        ("<style>@import 'https://example.org/f.css';</style>", "https://example.org/f.css"),
        ('<p style="background: url(https://example.org/b.png)">', "https://example.org/b.png"),
        ("<script>fetch('https://example.org/d')</script>", "https://example.org/d"),
        ("<p>fetch('https://example.org/d')</p>", ""),
    ],
)
def test_what_a_page_loads_from_a_network(tmp_path: Path, html: str, url: str) -> None:
    (tmp_path / "a.html").write_text(html)
    assert loaded(tmp_path) == ([f"a.html: {url}"] if url else [])


def test_what_styles_and_scripts_load_from_a_network(tmp_path: Path) -> None:
    (tmp_path / "_static").mkdir()
    style = "@font-face { src: url('https://fonts.example/f.woff2') }"
    script = 'import x from "https://cdn.example/x.js"; see("https://ok.example")'
    (tmp_path / "_static" / "a.css").write_text(style)
    (tmp_path / "_static" / "b.js").write_text(script)
    assert loaded(tmp_path) == [
        "_static/a.css: https://fonts.example/f.woff2",
        "_static/b.js: https://cdn.example/x.js",
    ]
