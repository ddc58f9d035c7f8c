"""Pages and lessons read as they were written: no paragraph is torn, and no link is dead."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from markdown_it import MarkdownIt
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from citectx.paths import NOTEBOOKS, PACKAGE, RESULTS, ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
EXECUTED = sorted((RESULTS / "open").glob("*/*.ipynb"))
RENDERERS: dict[str, Callable[[str], str]] = {
    "JupyterLab and GitHub": MarkdownIt("commonmark").enable("table").render,
    "nbconvert": markdown2html_mistune,
}
BLOCKS = "h1 h2 h3 h4 p li td summary".split()
BEGINS = re.compile(r"[a-z,.;:!?)\]+−-]|\d+\.\d")
"""How the rest of a sentence begins that was cut off from its head."""
NUMBER = re.compile(r"[−-]?\d+\.\d+")
CODE = re.compile(r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|<[^>]+>", re.DOTALL)
SEEN_ELSEWHERE = {
    "02": {"0.95": "a setting", "0.74": "in the figure", "7.5": "in the figure"},
    "05": {"0.67": "a rule of thumb"},
    "07": {"0.262": "a sum of what is shown"},
    "08": {"0.48": "in the figure", "0.516": "in the figure"},
    "09": {"0.63": "from the log-odds shown", "1.3": "in the figure"},
}
"""Numbers in lessons that no table has."""
ENDS = re.compile(r"([.:!?…)|]['”*]*|\$\$)$")


def texts(path: Path) -> Iterator[str]:
    """The Markdown of a page, or of a notebook's cells and what they display."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield text
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield "".join(cell["source"])
        for output in cell.get("outputs", ()):
            yield "".join(output.get("data", {}).get("text/markdown", ()))


def page_of(markdown: list[str], render: Callable[[str], str]) -> Any:
    """Render texts one by one, as a notebook's cells are, below each other on one page."""
    return html.document_fromstring("".join(["<main>", *map(render, markdown), "</main>"]))


def torn(page: Any) -> list[str]:
    """Where a block begins in the middle of a sentence that the block before it does not end."""
    found, before = [], ""
    for block in page.iter(*BLOCKS):
        if block.tag == "li" and block.find("p") is not None:
            continue  # its paragraphs come by themselves
        text = block.text_content().strip()
        starts = (block.text or "").strip()  # not with code or a formula of its own
        cut = block.tag == "p" and BEGINS.match(starts) and before and not ENDS.search(before)
        if cut:
            found.append(f"{before[-30:]} ¶ {text[:30]}")
        before = "" if block.tag in ("h1", "h2", "h3", "h4", "summary") else text
    return found


def raw(page: Any) -> list[str]:
    """What should never have reached a reader: comments, and expressions of a template."""
    for code in page.xpath("//pre | //code"):
        code.text = ""
        code[:] = []
    text = page.text_content()
    comments = [str(comment) for comment in page.xpath("//comment()")]
    return comments + re.findall(r"<!--.*|\{\{.*|\{%.*", text)


@pytest.mark.parametrize("reader", RENDERERS)
@pytest.mark.parametrize(
    "path", PAGES + LESSONS + EXECUTED, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_every_page_reads_as_it_was_written(path: Path, reader: str) -> None:
    page = page_of(list(texts(path)), RENDERERS[reader])
    assert torn(page) == []
    assert raw(page) == []


@pytest.mark.parametrize(
    "path", PAGES + LESSONS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_every_link_to_a_file_leads_there(path: Path) -> None:
    page = page_of(list(texts(path)), RENDERERS["JupyterLab and GitHub"])
    targets = {link.partition("#")[0] for _, _, link, _ in page.iterlinks()}
    files = {target for target in targets if target and ":" not in target}
    assert [target for target in sorted(files) if not (path.parent / target).exists()] == []


def numbers(text: str) -> dict[str, float]:
    """Decimals of a text, as written and as numbers without a sign."""
    found = NUMBER.findall(CODE.sub(" ", text))
    return {each: abs(float(each.replace("−", "-"))) for each in found}


def unseen(typed: str, shown: str) -> list[str]:
    """Decimals of a text that no number of another one rounds to."""
    values = set(numbers(shown).values())
    missing = []
    for number, value in numbers(typed).items():
        digits = len(number.partition(".")[2])
        if not any(round(other, digits) == value for other in values):
            missing.append(number)
    return missing


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_numbers_typed_in_a_lesson_are_in_its_outputs_or_in_the_papers(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    typed = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    before = "\n".join(typed).partition("## Exercises")[0]
    tables = sorted((PACKAGE / "papers").glob("*/published/*.csv"))
    shown = [table.read_text("utf-8") for table in tables]
    compared = [c for c in cells if "nbval-ignore-output" not in c["metadata"].get("tags", ())]
    for output in (output for cell in compared for output in cell.get("outputs", ())):
        for part in (output, output.get("data", {})):
            shown += ["".join(part.get(kind, "")) for kind in ("text", "text/plain", "text/html")]
    known = set(SEEN_ELSEWHERE.get(path.name[:2], ()))
    assert set(unseen(before, "\n".join(shown))) == known


def test_a_number_that_no_output_has_is_found() -> None:
    shown = "<td>31.24</td> and −0.36"
    assert unseen("It gains 31.2 points (0.4), or 0.36; `0.9` is code.", shown) == []
    assert unseen("It gains 31.3 points.", shown) == ["31.3"]


@pytest.mark.parametrize("reader", RENDERERS)
@pytest.mark.parametrize(
    "text",
    [
        "it gains\n\n+2.6 points",
        "Without it\n\n, nothing.",
        "- it gains\n\n  points",
        "They say that\n\n| a |\n|---|\n| b |\n\nis so.",
    ],
)
def test_a_torn_paragraph_is_found(text: str, reader: str) -> None:
    assert len(torn(page_of([text], RENDERERS[reader]))) == 1


@pytest.mark.parametrize("reader", RENDERERS)
@pytest.mark.parametrize(
    "text",
    [
        "It gains\n<!-- finding: a b c d -->+2.6 points.",
        "It gains <!-- finding: a b c d -->+2.6 points.",
        "<!-- begin -->\n\n| a |\n|---|\n| b |",
        "It gains {{ value }} points.",
        "{% set a = 1 %}It gains.",
    ],
)
def test_what_no_reader_should_see_is_found(text: str, reader: str) -> None:
    assert len(raw(page_of([text], RENDERERS[reader]))) == 1


@pytest.mark.parametrize("reader", RENDERERS)
@pytest.mark.parametrize(
    "text",
    [
        "It says:\n\n`x` gains.\n\n$f$: how often it occurs.",
        "## The vectors\n\nword2vec, as in the paper.",
        "`<!-- x -->` and `{{ x }}` are code.\n\n```\n{% x %}\n```",
        "<details><summary>Solution</summary>\n\nNone.\n\n</details>",
        "| a | b |\n|---|---|\n| c | d |\n\nThe next sentence.",
    ],
)
def test_what_is_whole_is_left_alone(text: str, reader: str) -> None:
    page = page_of([text], RENDERERS[reader])
    assert torn(page) == raw(page) == []


def test_contributing_begins_with_concepts_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Before")[0]
    rows = re.findall(r"^\| ([^*|]+) \| [^|]+ \| `([^`]+)` \|$", text, re.MULTILINE)
    assert 30 <= len(rows) <= 40
    assert [place for _, place in rows if not (PACKAGE / place).exists()] == []
