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

from citectx.paths import NOTEBOOKS, RESULTS, ROOT

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
