"""The web site: no link leads nowhere, no picture is mute, and a reader finds every claim."""

import doctest
import importlib
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pandas as pd
import pytest
import yaml
from lxml import html

import citectx
from citectx import ledger
from citectx.experiments.results import find
from citectx.paths import RESULTS, ROOT
from docs import claim_pages, data_page, explorer, findings, headlines, predict_page, readings_page
from tests.test_cli import PAGES, markdown

ADDRESS = "https://example.org/a/b"
VERDICTS = pd.read_csv(find(RESULTS / "open", "verdicts.csv"))


@cache
def read(page: Path) -> html.HtmlElement:
    return html.fromstring(page.read_bytes())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "-c", "docs", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder / "html")]
    subprocess.run(command, cwd=ROOT, check=True)
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 35
    return found


@pytest.mark.slow
def test_no_link_leads_nowhere(pages: list[Path]) -> None:
    broken = []
    for page in pages:
        for link in read(page).xpath("//a/@href"):
            address = urlsplit(link)
            target = (page.parent / unquote(address.path)) if address.path else page
            if address.scheme or address.netloc:
                continue
            anchors = read(target).xpath("//@id | //@name") if target.suffix == ".html" else ()
            if not target.exists() or (
                address.fragment and unquote(address.fragment) not in anchors
            ):
                broken.append(f"{page.name}: {link}")
    assert not broken


@pytest.mark.slow
def test_every_picture_is_there_and_says_what_it_shows(pages: list[Path]) -> None:
    pictures = [(page, picture) for page in pages for picture in read(page).xpath("//img")]
    assert len(pictures) > 30
    for page, picture in pictures:
        assert (page.parent / picture.get("src")).exists()
        assert len(picture.get("alt", "").split()) > 3, (page.name, picture.get("alt"))


@pytest.mark.slow
def test_titles_tell_pages_apart(pages: list[Path]) -> None:
    titles = Counter(read(page).findtext(".//title") for page in pages)
    assert max(titles.values()) == 1
    assert sum(" Report on real data: " in str(title) for title in titles) == 10


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(pages: list[Path]) -> None:
    loaded = "//script/@src | //img/@src | //link[@rel='stylesheet']/@href"
    assert not [a for page in pages for a in read(page).xpath(loaded) if urlsplit(a).netloc]


AXE = "axe-core@4.14.1"
CHECK = """<script>
addEventListener("load", async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const label of document.querySelectorAll("fieldset label")) label.click();
  const { violations } = await axe.run();
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = grave.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target));
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) told.push(`${scrollWidth} points wide, not ${innerWidth}`);
  parent.postMessage(JSON.stringify(told), "*");
});
</script>"""
FRAMES = """<!doctype html><html lang="en"><title>Frames</title><body><script>
addEventListener("message", ({ data }) => {
  document.body.append(Object.assign(document.createElement("pre"), { textContent: data }));
});
</script>
<iframe src="page.axe.html" width="1200" height="844"></iframe>
<iframe src="page.axe.html" width="390" height="844"></iframe></body></html>"""
"""A page on a screen and on a phone, since no window of Chromium is as narrow."""

KINDS = (
    *("README", "CONTRIBUTING", "data/README", "search", "genindex"),
    *("docs/index", "docs/explorer", "docs/predict", "docs/readings", "docs/see-the-data"),
    *("docs/verdicts", "docs/leaderboard", "docs/choices", "docs/teaching", "docs/course"),
    *("docs/lecturers", "docs/api", "docs/glossary", "docs/getting-started", "docs/at-scale"),
    *("docs/your-paper", "docs/own-corpus-and-methods"),
    *("docs/claims/bio-beats-wiki", "docs/claims/mu-s-is-stable"),
    *("notebooks/01_tac_table1_contextualization", "notebooks/08_acl_impact_summaries"),
    "results/open/06_naacl_reformulation/06_naacl_reformulation",
    "docs/views/D9001_TEACH",
)
"""Pages of every kind."""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, from npm."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("chromium"):
        pytest.skip("needs npm and chromium")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), AXE]
    if subprocess.run(command, check=False).returncode:
        pytest.skip(f"npm cannot get {AXE}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mode"),
    [(name, mode) for name in KINDS for mode in ("light", "dark")],
)
def test_axe_finds_nothing_grave(site: Path, axe: str, name: str, mode: str) -> None:
    page = site / f"{name}.html"
    copy, frames = page.with_name("page.axe.html"), page.with_name("frames.axe.html")
    copy.write_text(f"{page.read_text('utf-8')}<script>{axe}</script>{CHECK}", "utf-8")
    frames.write_text(FRAMES, "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    flags += ["--force-prefers-reduced-motion", "--virtual-time-budget=20000"]
    flags += ["--blink-settings=preferredColorScheme=0"] if mode == "dark" else []
    command = ["chromium", *flags, "--dump-dom", frames.as_uri()]
    try:
        shown = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
    finally:
        copy.unlink()
        frames.unlink()
    told = html.fromstring(shown).xpath("//body/pre/text()")
    assert [json.loads(violations) for violations in told] == [[], []]


@pytest.mark.parametrize("name", ["bars", "explorer", "findings", "predict_page", "conf"])
def test_examples_of_the_site(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"docs.{name}"))
    assert tried > 0
    assert not failed


@pytest.fixture(scope="module")
def rows() -> dict[str, html.HtmlElement]:
    """The rows of the explorer by id."""
    page = html.fragment_fromstring(explorer.page("explorer.js"), create_parent=True)
    return {row.get("id"): row for row in page.xpath("//table[@id='claims']/tbody/tr")}


def test_the_explorer_has_every_claim_with_its_verdicts(rows: dict[str, html.HtmlElement]) -> None:
    claims = {claim.claim_id: claim for name in ledger.papers() for claim in ledger.load(name)}
    assert list(rows) == list(claims)
    for record in VERDICTS.dropna(subset="stage").to_dict("records"):
        row = rows[record["id"]]
        assert row.get(f"data-{record['stage'].replace(' ', '-')}") == record["verdict"]
        shown = row.text_content()
        for name in ("rule_low", "rule_high", "published"):
            assert pd.isna(record[name]) or f"{record[name]:.3g}" in shown, (record["id"], name)
        assert claims[record["id"]].says in shown


def test_every_name_that_a_page_uses_is_found(rows: dict[str, html.HtmlElement]) -> None:
    known = {*VERDICTS["id"], *VERDICTS["corpus"]}
    pages = " ".join(markdown(page) for page in PAGES)
    used = known & {*re.findall(r"`([\w-]+)`", pages)}
    assert len(used) > 40
    words = [row.get("data-words") for row in rows.values()]
    for name in used:
        assert any(name.lower() in of_row for of_row in words), name
        assert name in rows or name not in {*VERDICTS["id"]}


def test_the_reference_has_every_name_with_an_example() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert sorted(re.findall(r"auto\w+:: citectx\.(\w+)", page)) == sorted(citectx.__all__)
    for name in citectx.__all__:
        assert ">>> " in getattr(citectx, name).__doc__, name


@pytest.mark.open_data
@pytest.mark.slow
def test_the_findings_are_those_of_the_readers() -> None:
    assert findings.table() == findings.FILE.read_text("utf-8")


def test_an_article_of_the_teaching_corpus_is_on_the_site(tmp_path: Path) -> None:
    data_page.write(tmp_path)
    for link in html.fromstring(data_page.page()).xpath("//a/@href"):
        page = html.parse(tmp_path / "docs" / link)
        assert page.xpath("//mark") and page.xpath("//u")


def test_a_page_per_claim_says_what_the_ledger_has() -> None:
    verdicts = pd.read_csv(find(RESULTS / "open", "verdicts.csv"), keep_default_na=False)
    pages = {name: context["body"] for name, context, _ in claim_pages.pages("")}
    assert len(pages) == verdicts["id"].nunique()
    for claim_id, records in verdicts.groupby("id"):
        body = html.fragment_fromstring(pages[f"docs/claims/{claim_id}"], create_parent=True)
        shown = body.text_content()
        assert f"citectx explain {claim_id}" in shown
        assert not body.xpath("//a[contains(@href, 'issues/new')]")
        for record in records.to_dict("records"):
            assert all(record[name] in shown for name in ("says", "corpus", "verdict"))
            assert not record["stage"] or record["control"] in shown
    assert "the same comparison as reformulations-help" in pages["docs/claims/kw-beats-baseline"]


def test_a_verdict_can_be_challenged_once_there_is_an_address() -> None:
    first, *_ = claim_pages.pages(ADDRESS)
    body = html.fragment_fromstring(first[1]["body"], create_parent=True)
    (link,) = body.xpath("//a[contains(@href, 'issues/new')]/@href")
    address = urlsplit(link)
    assert link.startswith(ADDRESS)
    given = dict(parse_qsl(address.query))
    form = ROOT / ".github" / "ISSUE_TEMPLATE" / given["template"]
    fields = {field["id"] for field in yaml.safe_load(form.read_text("utf-8"))["body"]}
    assert {*given} - {"template", "title"} <= fields


def test_a_reading_looks_up_what_was_committed() -> None:
    data = readings_page.data()
    assert len(data.encode()) < 100_000
    curves = json.loads(data)["curves"]
    assert sum(len(curve["readings"]) == 96 for curve in curves) == 3  # acl2008's whole grid
    (curve,) = (
        curve
        for curve in curves
        if (curve["corpus"], curve["headline"])
        == ("citation-integrity-31", "WE_Bio+dmn over the best baseline in c-F")
    )
    options = curve["options"]
    ours = curve["readings"]["0" * len(options)]
    assert ours[0] == pytest.approx(-0.746, abs=0.0005)  # the primary claim, as declared
    five = "".join(str(options["k"].index("5")) if name == "k" else "0" for name in options)
    effect, *_, rival = curve["readings"][five]
    table = pd.read_csv(find(RESULTS / "open", "sigir2017_confirmed_curve.readings.csv"))
    committed = table[table["headline"] == curve["headline"]].query("k == 5 and role == 'claim'")
    assert committed["against"].tolist() == [curve["rivals"][rival]]
    assert committed["effect"].tolist() == [pytest.approx(effect, abs=0.005)]


def test_a_guess_is_right_where_the_verdict_says_so() -> None:
    page = html.fragment_fromstring(predict_page.page(), create_parent=True)
    answers = page.xpath("//input[@class='right']/parent::label")
    verdicts = headlines.main_claims()["verdict"]
    assert len(answers) == len(verdicts) == 8
    for answer, verdict in zip(answers, verdicts, strict=True):
        is_back = answer.text_content().strip() == "came back"
        assert is_back == verdict.startswith("holds")
