"""Pages and lessons read as they were written: no comment ends the paragraph that it stands in."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from nbconvert.filters.markdown_mistune import MarkdownWithMath

from citectx.paths import NOTEBOOKS, RESULTS, ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LESSONS = [
    *sorted(NOTEBOOKS.glob("*.ipynb")),
    *sorted((RESULTS / "open" / "notebooks").glob("*.ipynb")),
]
ALONE = re.compile(r"<!-- ([\w-]+:(begin|end)|generated: [\w-]+|/?finder) -->\s*")
"""A mark of a generated block, which has a line of its own."""


def texts(path: Path) -> list[str]:
    """The Markdown of a page, or of each cell of a notebook."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return [text]
    return [
        "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if cell["cell_type"] == "markdown"
    ]


def blocks_of_commonmark(text: str) -> Iterator[str]:
    """The blocks of HTML that markdown-it finds, as JupyterLab, MyST and GitHub do."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return (token.content for token in tokens if token.type == "html_block")


def blocks_of_nbconvert(text: str) -> Iterator[str]:
    """The blocks of HTML that nbconvert's parser finds."""
    return _raw_blocks(MarkdownWithMath(renderer=None)(text))  # no renderer: tokens


def _raw_blocks(tokens: Iterable[dict[str, Any]]) -> Iterator[str]:
    for token in tokens:
        if token["type"] == "block_html":
            yield token["raw"]
        yield from _raw_blocks(token.get("children", ()))


def broken(text: str) -> set[str]:
    """What stands as a block of HTML with a comment in it, although it belongs to a paragraph."""
    blocks = {*blocks_of_commonmark(text), *blocks_of_nbconvert(text)}
    return {block for block in blocks if "<!--" in block and not ALONE.fullmatch(block)}


@pytest.mark.parametrize(
    "path", PAGES + LESSONS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_comment_breaks_a_paragraph(path: Path) -> None:
    found = [block.splitlines()[0] for text in texts(path) for block in broken(text)]
    assert not found, "take the word before the comment down into its line"


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("it gains\n<!-- finding: a b c d -->+2.6 points", True),
        ("- it gains\n  <!-- finding: a b c d -->+2.6 points", True),
        ("<!-- claim: a/b c holds --> It gains 2.6 points", True),
        ("it\ngains <!-- finding: a b c d -->+2.6 points", False),
        ("<!-- table1:begin -->\n| a |\n|---|\n| b |\n<!-- table1:end -->", False),
        ("```\n<!-- finding: a b c d -->+2.6\n```", False),
        ("<details><summary>Solution</summary>\n\nnone\n\n</details>", False),
    ],
)
def test_what_breaks_a_paragraph(text: str, breaks: bool) -> None:
    for found in (blocks_of_commonmark(text), blocks_of_nbconvert(text)):
        assert any("<!--" in block and not ALONE.fullmatch(block) for block in found) == breaks
