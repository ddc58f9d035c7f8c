"""The page in Chromium, with real clicks and keys."""

import base64
import math
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from citectx import profiles
from citectx.apps.viewer import choose, content, framed, render
from citectx.apps.viewer.content import Method
from citectx.corpora import Citance, Corpus, Topic
from citectx.experiments.contextualization import Prepared
from tests.apps.viewer.conftest import media, open_page, resize
from tests.apps.viewer.made import TITLE, bare, corpus, evil

METHODS = ["VSM", "BM25", "LMD"]
MARKED = """
const texts = [];
for (const paragraph of document.querySelectorAll("#article .block")) {
  const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const piece = walker.currentNode.parentElement.closest(".piece");
    const lines = [];
    for (let node = walker.currentNode.parentElement; node !== paragraph; node = node.parentElement)
      lines.push(...[...node.classList].filter((name) => /^a\\d$/.test(name)));
    const marks = [lines.sort().join(" "), piece?.dataset.methods ?? "",
      piece?.className.match(/heat\\d/)?.[0] ?? "", piece?.classList.contains("missed") ?? false];
    texts.push([walker.currentNode.data, ...marks]);
  }
}
return texts;
"""
"""Every text node of the article as the page has it: its annotators' lines, methods, heat, whether
missed."""
CHOSEN = """
return [...document.querySelectorAll('#methods input:checked + .swatch')]
  .map((swatch) => swatch.nextSibling.data)
"""
CURRENT = """
return [...document.querySelectorAll('#citances [aria-current=true] .number')]
  .map((number) => number.textContent)
"""

Made = tuple[Topic, Prepared, list[Method], str]


def make(corpus: Corpus, topic: Topic, methods: list[str]) -> Made:
    prepared, shown, left_out = choose(corpus, topic, methods, tuned=False)
    first = topic.citances[0].citance_id if topic.citances else None
    data = content(prepared, shown, left_out, corpus=corpus.name, start=first)
    return topic, prepared, shown, render(data)


@pytest.fixture(scope="module")
def made(teaching: Corpus) -> Made:
    return make(teaching, teaching.topics[0], METHODS)


@pytest.fixture
def page(browser: Chrome, made: Made, tmp_path: Path) -> Chrome:
    open_page(browser, tmp_path, made[3])
    return browser


def press(chrome: Chrome, *keys: str) -> None:
    ActionChains(chrome).send_keys(*keys).perform()


def one(chrome: Chrome, selector: str) -> WebElement:
    return chrome.find_element(By.CSS_SELECTOR, selector)


def every(chrome: Chrome, selector: str) -> list[WebElement]:
    return chrome.find_elements(By.CSS_SELECTOR, selector)


def held(node: Chrome | WebElement, selector: str) -> list[str]:
    """Texts as the page holds them; `text` would be "" where a panel has scrolled."""
    return [
        found.get_attribute("textContent") or ""
        for found in node.find_elements(By.CSS_SELECTOR, selector)
    ]


def click(chrome: Chrome, action: str) -> None:
    one(chrome, f'[data-do="{action}"]').click()


def current(chrome: Chrome) -> str:
    (found,) = chrome.execute_script(CURRENT)
    return str(found)


def methods_on(chrome: Chrome) -> list[str]:
    return list(chrome.execute_script(CHOSEN))


def marked(chrome: Chrome) -> list[list[Any]]:
    """Every character of the article with its marks."""
    return [[char, *marks] for text, *marks in chrome.execute_script(MARKED) for char in text]


def inside(topic: Topic, spans: Any) -> set[int]:
    """Characters of spans, counted along the text of the blocks, which is what the page shows."""
    shown = [i for b in topic.reference.blocks for i in range(b.start, b.end)]
    return {at for at, i in enumerate(shown) for start, end in spans if start <= i < end}


def check_marks(chrome: Chrome, made: Made, citance: Citance) -> None:
    """Compare what the page marks, character by character, with the corpus's spans in Python."""
    topic, prepared, shown, _ = made
    chars = marked(chrome)
    text = "".join(topic.reference.text[b.start : b.end] for b in topic.reference.blocks)
    assert "".join(c for c, *_ in chars) == text
    names = sorted({a.annotator for c in topic.citances for a in c.annotations})
    for i, name in enumerate(names):
        expected = inside(topic, citance.gold.get(name, ()))
        assert {at for at, char in enumerate(chars) if f"a{i}" in char[1].split()} == expected, name
    row = [c.citance_id for c in prepared.citances].index(citance.citance_id)
    for i, method in enumerate(shown):
        spans = prepared.retrieve(prepared.scores(method.model)[row], prepared.protocol.k)
        assert {at for at, char in enumerate(chars) if str(i) in char[2].split()} == inside(
            topic, spans
        )


def test_every_citance_is_marked_as_in_the_corpus(page: Chrome, made: Made) -> None:
    press(page, "2")  # all three methods
    assert methods_on(page) == METHODS
    for citance in made[0].citances:
        assert current(page) == citance.citance_id
        check_marks(page, made, citance)
        press(page, "j")


def test_markup_in_an_article_stays_text(browser: Chrome, tmp_path: Path) -> None:
    """Script, quotes, entities, astral characters, line separators: shown and not run."""
    topic = evil()
    made = make(corpus(topic), topic, ["VSM", "LMD"])
    open_page(browser, tmp_path, made[3])
    for citance in topic.citances[:2]:
        check_marks(browser, made, citance)
        press(browser, "j")
    assert one(browser, "#article h1").text == TITLE
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.scripts.length") == 2
    assert not every(browser, "img, #article b, #article i, nav b:not(.marker), nav u, nav s")
    press(browser, "k", "k")
    first = held(browser, "#citances li button")[0]
    assert topic.citances[0].text in first
    assert "<s>facet</s> (<A>)" in first
    assert held(browser, ".current .marker") == ["Doe, 2001"]


@pytest.mark.open_data
def test_a_real_article_with_astral_signs(
    browser: Chrome, tmp_path: Path, open_corpus: Callable[[str], Path]
) -> None:
    open_corpus("scisumm-corpus")
    topic = next(
        t for t in profiles.load("scisumm-train") if any(ord(c) > 0xFFFF for c in t.reference.text)
    )
    made = make(Corpus("scisumm-train", (topic,)), topic, ["VSM", "BM25"])
    open_page(browser, tmp_path, made[3])
    for citance in topic.citances[:2]:
        check_marks(browser, made, citance)
        press(browser, "j")


def test_citances_by_click_key_and_button(page: Chrome, made: Made) -> None:
    count = len(made[0].citances)
    every(page, "#citances button")[2].click()
    assert current(page) == "3"
    press(page, Keys.ARROW_DOWN)  # the list has the focus
    assert current(page) == "4"
    assert page.switch_to.active_element.find_element(By.CSS_SELECTOR, ".number").text == "4"
    press(page, Keys.ARROW_UP, "j", Keys.ARROW_RIGHT, "k")
    assert current(page) == "4"
    click(page, "next-citance")
    click(page, "previous-citance")
    assert current(page) == "4"
    assert one(page, "#at-citance").text == f"citance 4 of {count}"
    press(page, *"k" * 4)
    assert current(page) == str(count)  # round the corner
    assert f"Citance {count} of {count}" in held(page, "#status")[0]


def test_stepping_through_the_marked_places(page: Chrome) -> None:
    starts = [int(s.get_attribute("data-at") or -1) for s in every(page, "button.stop")]
    assert starts == sorted(set(starts))
    for i, start in enumerate([*starts, starts[0]]):
        press(page, "n")
        focused = page.switch_to.active_element
        assert focused.get_attribute("data-at") == str(start)
        assert focused.is_displayed()
        assert (focused.get_attribute("aria-label") or "").startswith("starts here: ")
        assert one(page, "#at-place").text == f"place {i % len(starts) + 1} of {len(starts)}"
        top = focused.rect["y"] - page.execute_script("return scrollY")
        assert 0 < top < 900
    press(page, "p")
    assert page.switch_to.active_element.get_attribute("data-at") == str(starts[-1])
    click(page, "previous-place")
    assert page.switch_to.active_element.get_attribute("data-at") == str(starts[-2])
    press(page, "n", "n")
    every(page, "button.stop")[0].click()
    click(page, "next-place")
    assert page.switch_to.active_element.get_attribute("data-at") == str(starts[1])


def test_methods_by_digit_click_and_all_at_once(page: Chrome) -> None:
    ActionChains(page).key_down(Keys.CONTROL).send_keys("1").key_up(
        Keys.CONTROL
    ).perform()  # the browser's own
    assert methods_on(page) == ["VSM", "LMD"]  # the first and the last
    press(page, "1", "3")
    assert methods_on(page) == []
    assert not every(page, "mark")
    every(page, "#methods label")[1].click()
    assert methods_on(page) == ["BM25"]
    labels = [c.get_attribute("data-label") for c in every(page, "#article .chip.rank")]
    assert sorted(labels) == ["BM25 1", "BM25 2", "BM25 3"]  # type: ignore[type-var]
    press(page, "9")  # there is no ninth
    press(page, "a")
    assert methods_on(page) == METHODS
    press(page, "a")
    assert methods_on(page) == []


def test_scores_follow_the_citance(page: Chrome, made: Made) -> None:
    _, prepared, shown, _ = made
    for place in (0, 4):
        every(page, "#citances button")[place].click()
        for row, method in zip(every(page, "#methods tr"), shown, strict=True):
            measured = prepared.measure(method.model, ("c-P", "c-R", "c-F", "nDCG"))
            values = [*measured.iloc[place, 1:], measured["c-F"].mean()]
            cells = held(row, "td")
            assert cells == [f"{float(v):.1f}" for v in values]


def test_agreement_counts_annotators(page: Chrome, made: Made) -> None:
    topic = made[0]
    press(page, "h")
    chars = marked(page)
    by_annotator = [inside(topic, spans) for spans in topic.citances[0].gold.values()]
    for at, (_, lines, _, heat, _) in enumerate(chars):
        count = sum(at in marked for marked in by_annotator)
        assert heat == (f"heat{count}" if count else "")
        assert lines == ""
    assert one(page, '[data-do="heat"]').get_attribute("aria-pressed") == "true"
    assert held(page, ".sample") == ["1", "2", "3", "4"]
    click(page, "heat")
    assert not every(page, "[class*=heat]")


def test_what_all_methods_missed(page: Chrome, made: Made) -> None:
    topic, prepared, shown, _ = made
    every(page, "#citances button")[2].click()
    chars = marked(page)
    gold = inside(topic, [s for spans in topic.citances[2].gold.values() for s in spans])
    rows = [prepared.scores(m.model)[2] for m in shown]  # hidden methods count, too
    lost = gold - inside(topic, [span for row in rows for span in prepared.retrieve(row, 3)])
    blank = {at for at, c in enumerate(chars) if c[0].isspace()}
    assert {at for at, c in enumerate(chars) if c[4]} - blank == lost - blank != set()
    note = held(page, "#all-missed")[0]
    share = int(re.search(r"(\d+) %", note)[1])  # type: ignore[index]
    assert share == pytest.approx(100 * len(lost) / len(gold), abs=1)
    press(page, "m")
    assert not every(page, "#article .missed, #article .chip.lost")


def test_marked_paragraphs_only(page: Chrome) -> None:
    everything = [b for b in every(page, "#article .block") if b.is_displayed()]
    press(page, "f")
    shown = [b for b in every(page, "#article .block") if b.is_displayed()]
    assert 0 < len(shown) < len(everything)
    marked = every(page, "#article .has-marks")
    assert all(b.is_displayed() for b in marked)
    assert {b.tag_name for b in shown if b not in marked} == {"h1", "h2"}


def test_deep_links(browser: Chrome, made: Made, tmp_path: Path) -> None:
    open_page(browser, tmp_path, made[3], "#citance=3&methods=BM25,LMD&show=heat")
    assert current(browser) == "3"
    assert methods_on(browser) == ["BM25", "LMD"]
    assert every(browser, "[class*=heat]")
    assert not every(browser, ".missed")
    press(browser, "j", "3")
    assert browser.current_url.endswith("#citance=4&methods=BM25&show=heat")
    browser.execute_script("location.hash = 'citance=5'")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert current(browser) == "5"
    assert methods_on(browser) == ["BM25"]  # what the link does not name stays
    open_page(browser, tmp_path, made[3], "#citance=99&methods=nobody")
    assert current(browser) == "1"
    assert methods_on(browser) == []
    assert one(browser, "#status").get_attribute("textContent") == "There is no citance 99 here."


def test_help(page: Chrome) -> None:
    ways: list[tuple[Callable[[], None], str]] = [
        (lambda: press(page, "?"), Keys.ESCAPE),
        (lambda: click(page, "help"), "?"),
    ]
    for opening, closing in ways:
        opening()
        assert one(page, "#help").is_displayed()
        press(page, "j")
        assert current(page) == "1"  # keys wait while it is open
        press(page, closing)
        assert not one(page, "#help").is_displayed()


def test_nothing_is_requested(page: Chrome) -> None:
    press(page, "n", "j", "h", "t")
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_page_works_inside_a_notebooks_frame(browser: Chrome, made: Made, tmp_path: Path) -> None:
    host = tmp_path / "notebook.html"
    host.write_text(
        f"<!doctype html><meta charset=utf-8><title>n</title>{framed(made[3])}", "utf-8"
    )
    browser.get(host.as_uri())
    browser.switch_to.frame(0)
    every(browser, "#citances button")[1].click()
    press(browser, "j", "a", "n")
    assert current(browser) == "3"
    assert methods_on(browser) == METHODS
    check_marks(browser, made, made[0].citances[2])
    browser.switch_to.default_content()


@pytest.mark.parametrize(
    ("topic", "note"),
    [
        (
            bare(Citance("1", "x", "Cells rest.")),
            "has no annotators: there is nothing to score against",
        ),
        (evil(), ""),
        (bare(), ""),
    ],
)
def test_topics_that_lack_things(browser: Chrome, tmp_path: Path, topic: Topic, note: str) -> None:
    open_page(browser, tmp_path, make(corpus(topic), topic, ["VSM", "LMD"])[3])
    press(browser, "j", "n", "p", "k", "k", "h", "m", "f", "a", "1")
    assert note in held(browser, "#all-missed")[0]
    if not topic.citances:
        assert "Nobody cites this article" in held(browser, ".citances")[0]
    elif topic.citances[0].annotations:
        every(browser, "#citances button")[2].click()
        assert "No annotator marked evidence" in held(browser, "#all-missed")[0]
        assert "no evidence" in held(browser, ".current .cue")[0]


def test_no_methods(browser: Chrome, tmp_path: Path, teaching: Corpus) -> None:
    open_page(browser, tmp_path, make(teaching, teaching.topics[0], [])[3])
    press(browser, "j", "1", "a", "n", "h")
    assert "No method is shown." in held(browser, "#methods")[0]
    assert every(browser, ".gold")


def test_narrow_window_has_no_sideways_scrolling(page: Chrome, made: Made) -> None:
    for width in (1440, 1000, 600, 360):
        resize(page, width, 740)
        page.refresh()
        press(page, "a")
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    assert len([c for c in every(page, ".citance") if c.is_displayed()]) == 1
    one(page, "#all-citances").click()
    assert len([c for c in every(page, ".citance") if c.is_displayed()]) == len(made[0].citances)
    every(page, ".citance")[5].click()
    assert current(page) == "6"


def test_print_shows_citance_scores_and_article_alone(page: Chrome) -> None:
    page.execute_script("document.getElementById('panel').open = false")
    media(page, "print", "dark")
    assert not one(page, ".tools").is_displayed()
    assert one(page, ".current .passage").is_displayed()
    seen = (
        "return [...document.querySelectorAll('#methods tr')].map((row) => row.checkVisibility())"
    )
    assert page.execute_script(seen) == [True, False, True]  # although its panel was closed
    assert (
        luminance(colour(page, "body", "backgroundColor")) > 0.9
    )  # on paper also from a dark window
    pdf = page.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(pdf["data"]).startswith(b"%PDF")


def colour(chrome: Chrome, selector: str, name: str) -> list[float]:
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    return [
        float(v) for v in re.findall(r"[\d.]+", chrome.execute_script(style, selector, name))[:3]
    ]


def luminance(rgb: list[float]) -> float:
    """Source: WCAG 2.2, relative luminance."""
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (c / 255 for c in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: list[float], b: list[float]) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


COLOURS = """
const box = document.createElement("i");
document.body.append(box);
const found = {};
for (const name of arguments[0]) {
  box.style.color = `var(--${name})`;
  found[name] = getComputedStyle(box).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
}
box.remove();
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read_and_told_apart(page: Chrome, scheme: str) -> None:
    """WCAG AA: 4.5 to 1 for text on every tint, 3 to 1 for lines.

    Distances are in CIELAB, where 2.3 can just be seen.
    """
    media(page, scheme=scheme)
    tints = [
        *(f"m{i}" for i in range(12)),
        *(f"h{i}" for i in range(1, 4)),
        "paper",
        "panel",
        "current",
    ]
    lines = [f"a{i}" for i in range(6)]
    found = page.execute_script(COLOURS, ["ink", "soft", "accent", *tints, *lines])
    assert (luminance(found["paper"]) > 0.5) == (scheme == "light")
    for tint in tints:
        assert contrast(found["ink"], found[tint]) >= 4.5, tint
    for line in lines:
        assert contrast(found[line], found["paper"]) >= 3, line
    for surface in ("paper", "panel", "current"):
        assert contrast(found["soft"], found[surface]) >= 4.5
        assert contrast(found["accent"], found[surface]) >= 4.5
    places = [lab(found[f"m{i}"]) for i in range(12)]
    assert min(math.dist(a, b) for a, b in combinations(places, 2)) > 20


def lab(rgb: list[float]) -> tuple[float, float, float]:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)
    ]
    rows = (
        (0.4124, 0.3576, 0.1805, 0.9505),
        (0.2126, 0.7152, 0.0722, 1.0),
        (0.0193, 0.1192, 0.9505, 1.089),
    )
    x, y, z = (sum(a * b for a, b in zip(row, linear, strict=False)) / row[3] for row in rows)
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_labels_in_the_text_are_explained_by_those_of_this_page(page: Chrome) -> None:
    note = one(page, "#chips")
    labels = [
        chip.get_attribute("data-label") for chip in note.find_elements(By.CSS_SELECTOR, ".chip")
    ]
    assert labels[1:] == ["VSM 1", "missed"]
    one(page, "details details:has(#chips) > summary").click()
    assert note.is_displayed() and "annotator" in note.text
    in_text = [chip.get_attribute("data-label") for chip in every(page, "#article .chip")]
    assert {"VSM 1", labels[0]} <= set(in_text)


def test_light_and_dark_by_button(page: Chrome) -> None:
    before = luminance(colour(page, "body", "backgroundColor"))
    click(page, "theme")
    dark = luminance(colour(page, "body", "backgroundColor"))
    press(page, "t")
    assert dark < 0.1 < before == luminance(colour(page, "body", "backgroundColor"))


def test_everything_to_click_has_a_name(page: Chrome) -> None:
    """As a screen reader sees it: Chromium's accessibility tree."""
    press(page, "a")
    nodes = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    by_role: dict[str, list[str]] = {}
    for node in nodes:
        name = node.get("name", {}).get("value", "")
        by_role.setdefault(node.get("role", {}).get("value", ""), []).append(name)
    for role in ("button", "checkbox", "navigation", "main", "toolbar", "table", "columnheader"):
        assert by_role[role], role
        assert all(by_role[role]), role
    ids = page.execute_script(
        "return [...document.querySelectorAll('[id]')].map((node) => node.id)"
    )
    assert len(set(ids)) == len(ids)
    for named in every(page, "[aria-labelledby]"):
        assert named.get_attribute("aria-labelledby") in ids


def test_every_control_can_be_reached_by_tab(page: Chrome) -> None:
    page.execute_script(
        "window.reached = [];"
        "addEventListener('focusin', ({target}) =>"
        " reached.push(target.dataset.do || target.id || target.className || target.type))"
    )
    ActionChains(page).send_keys(Keys.TAB * 60).perform()
    reached = set(page.execute_script("return reached"))
    assert {
        "heat",
        "next-citance",
        "next-place",
        "help",
        "citance",
        "stop",
        "skip",
        "checkbox",
    } <= reached
