"""The site in Chromium, with real clicks and keys: ledger, lesson, formulas, search."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from citectx.apps.site.build import _page
from citectx.apps.site.pages import ledger_page
from citectx.paths import NOTEBOOKS, ROOT
from tests.apps.viewer.conftest import browser, chromium, media, resize  # noqa: F401 (fixtures)

LESSON_FILE = "05_naacl_agreement.ipynb"
LESSON = "notebooks/05_naacl_agreement.html"
MODULE = "citectx.retrieval.embedding_lm"
FORMULA = f"api/{MODULE}.html"
PAGES = ("ledger.html", LESSON, FORMULA)


def ledger() -> pd.DataFrame:
    """Return 120 claims: two papers, effects that rise with the number, every tenth without one."""
    n = np.arange(120)
    effect = np.where(n % 10 == 9, np.nan, n - 60.5)
    table = pd.DataFrame({"id": [f"claim-{i}" for i in n], "effect": effect})
    paper, verdict = np.where(n % 2, "p1", "p2"), np.where(n % 3, "holds", "contradicted")
    table = table.assign(
        paper=paper,
        verdict=verdict,
        ours=False,
        kind="order",
        corpus="c1",
        where="Table 1",
        others="",
    )
    return table.assign(
        says=table["id"], reason="", ci_low=effect - 1, ci_high=effect + 1, published=1.0, seen=0.5
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    main = pytest.importorskip("sphinx.cmd.build", reason="needs the extra docs").build_main
    folder = tmp_path_factory.mktemp("site")
    source, target = folder / "source", folder / "target"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CITECTX_REPOSITORY", "GITHUB_REPOSITORY"):
            patch.delenv(name, raising=False)
        lesson = _page(NOTEBOOKS / LESSON_FILE, "A lesson.")
    more = (f"open/{LESSON_FILE}", "api/citectx.retrieval.rst")
    listed = "\n".join(name.rpartition(".")[0] for name in (*PAGES, *more))
    pages = {
        "index.md": f"# T\n\n```{{toctree}}\n{listed}\n```\n",
        "ledger.md": ledger_page(ledger(), {}),
        LESSON.replace(".html", ".ipynb"): lesson,
        f"open/{LESSON_FILE}": lesson,
        "api/citectx.retrieval.rst": "T\n=\n\n.. automodule:: citectx.retrieval\n",
        FORMULA.replace(".html", ".rst"): f"T\n=\n\n.. automodule:: {MODULE}\n",
        "docs/getting-started.md": "# Start\n",
    }
    for name, content in pages.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(content, "utf-8")
    assert main(["-Q", "-b", "html", "-c", str(ROOT / "docs"), str(source), str(target)]) == 0
    (target / "favicon.ico").touch()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(target))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


def one(page: Chrome, selector: str) -> WebElement:
    return page.find_element(By.CSS_SELECTOR, selector)


def ids(page: Chrome) -> list[str]:
    found = page.execute_script(
        "return [...document.querySelectorAll('#ledger tbody tr')].map((row) => row.id)"
    )
    return [row.split("-")[2] for row in found]


@pytest.fixture
def page(browser: Chrome, site: str) -> Chrome:  # noqa: F811
    browser.get("about:blank")
    browser.get(site + "ledger.html")
    return browser


def test_the_ledger_shows_fifty_rows_and_the_next_by_a_click(page: Chrome) -> None:
    first = ids(page)
    assert len(first) == 50
    one(page, "#ledger-pages button[value='1']").click()
    assert len(ids(page)) == 50 and not set(ids(page)) & set(first)
    one(page, "#ledger-pages button[value='1']").click()
    assert len(ids(page)) == 20 and "page=3" in page.current_url
    assert not one(page, "#ledger-pages button[value='1']").is_enabled()


def test_a_column_sorts_by_number_up_and_down_by_mouse_and_keyboard(page: Chrome) -> None:
    head = one(page, "th[data-name=ours] button")
    head.click()
    assert ids(page)[:3] == ["0", "1", "2"]
    assert one(page, "th[data-name=ours]").get_attribute("aria-sort") == "ascending"
    head.send_keys(Keys.ENTER)
    assert ids(page)[:3] == ["118", "117", "116"]
    assert "sort=-ours" in page.current_url
    page.get(page.current_url + "&page=3")
    assert set(ids(page)[-12:]) == {
        str(i) for i in range(9, 120, 10)
    }  # those without a number come last


def test_filters_by_mouse_keyboard_and_script(page: Chrome) -> None:
    Select(one(page, "select[name=verdict]")).select_by_visible_text("contradicted")
    assert one(page, "#ledger-filter output").text == "40 of 120 rows"
    one(page, "#ledger-filter input[name=q]").send_keys("claim-11")
    assert set(ids(page)) == {"111", "114", "117"}
    one(page, "#ledger-filter button[type=reset]").click()
    WebDriverWait(page, 10).until(lambda _: len(ids(page)) == 50)
    one(page, "select[name=paper]").send_keys("p2")
    assert one(page, "#ledger-filter output").text == "60 of 120 rows"
    page.execute_script(
        "document.querySelector('#ledger').show({paper: 'p1', verdict: 'holds', page: 2})"
    )
    assert one(page, "#ledger-filter output").text == "40 of 120 rows"
    page.execute_script(
        "const s = document.querySelector('[name=verdict]'); s.value = 'contradicted';"
        "s.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    assert one(page, "#ledger-filter output").text == "20 of 120 rows"


def test_an_address_that_names_a_claim_shows_its_row(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get("about:blank")
    browser.get(f"{site}ledger.html?paper=p1#p2-claim-118-c1")
    assert one(browser, "#p2-claim-118-c1").is_displayed()


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_cut_off(browser: Chrome, site: str, width: int) -> None:  # noqa: F811
    resize(browser, width, 900)
    for name, scheme in product(PAGES, ("light", "dark")):
        media(browser, scheme=scheme)
        if scheme == "light":  # a page follows what the reader changes
            browser.get(site + name)
        wide = browser.execute_script(
            "return [document.documentElement, ...document.querySelectorAll('pre')]"
            ".filter((e) => e.scrollWidth > e.clientWidth + 1)"
            ".map((e) => e.tagName + e.textContent)"
        )
        assert wide == [], name
        rgb = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (int(re.findall(r"\d+", rgb)[0]) < 100) == (scheme == "dark")


def test_a_lesson_has_its_number_a_badge_and_described_figures(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get(site + LESSON)
    assert one(browser, ".sidebar-tree .current-page").text.startswith("05 Table 1 of naacl2015")
    assert "getting-started.html" in (one(browser, "a.launch").get_attribute("href") or "")
    described = [
        i.get_attribute("alt") or ""
        for i in browser.find_elements(By.CSS_SELECTOR, ".cell_output img")
    ]
    assert described and all(" " in text for text in described)
    theme = one(browser, "body").get_attribute("data-theme")
    next(
        b for b in browser.find_elements(By.CLASS_NAME, "theme-toggle") if b.is_displayed()
    ).click()
    assert one(browser, "body").get_attribute("data-theme") != theme
    assert all(
        "Changed to" in entry["message"] for entry in browser.get_log("browser")
    )  # furo says so


def test_formulas_of_docstrings_are_typeset(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get(site + FORMULA)
    formula = one(browser, "div.math math")
    assert formula.find_elements(By.TAG_NAME, "msub") and formula.size["height"] > 10
    text = one(browser, "article").text
    assert "Σ_{w" not in text
    assert "Where the cosine is cut before logit: that" in text  # a colon makes no type


def test_search_finds_words_and_shows_them_in_their_sentence(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get(site + "index.html")
    one(browser, ".sidebar-search").send_keys("denominator", Keys.ENTER)
    snippet = WebDriverWait(browser, 30).until(lambda b: one(b, "#search-results li p.context"))
    assert "denominator" in snippet.text.lower()


def test_search_lists_a_lesson_once(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get(site + "search.html?q=annotators+agree")
    found = "#search-results li a"
    WebDriverWait(browser, 30).until(lambda b: b.find_elements(By.CSS_SELECTOR, found))
    pages = [a.get_attribute("href") or "" for a in browser.find_elements(By.CSS_SELECTOR, found)]
    assert any(f"/{LESSON}" in page for page in pages)
    assert not any("/open/" in page for page in pages)


def test_constants_of_names_are_tables_with_links(browser: Chrome, site: str) -> None:  # noqa: F811
    browser.get(site + "api/citectx.retrieval.html")
    assert "<class" not in one(browser, "article").text
    (row,) = browser.find_elements(
        By.XPATH, "//article//table//tr[td[1][normalize-space()='BM25']]"
    )
    assert "Sum over query terms" in row.text
