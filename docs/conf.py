"""Sphinx: README, pages, lessons and the runs on open data, as they are in the repository."""

import json
import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import citectx
from citectx import ledger
from citectx.paths import ADDRESS, ROOT
from citectx.paths import REPOSITORY as UPSTREAM

sys.path.append(str(ROOT))  # for the modules beside this file
from docs import claim_pages, data_page, explorer, predict_page, readings_page

project = html_title = "citectx"
copyright = "The citectx authors; text CC BY 4.0, code MIT"
version = release = citectx.__version__
root_doc = "docs/index"
extensions = ["myst_nb", "sphinx-mathjax-offline", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
include_patterns = ["*.md", "docs/*.md", "data/README.md", "data/*/README.md"]
include_patterns += ["notebooks/*.ipynb", "results/open/*/*.ipynb"]
# Links to folders and to lines of code lead nowhere here; a test follows all links in the checkout.
suppress_warnings = ["mystnb.unknown_mime_type", "myst.xref_missing"]

# Notebooks come executed. Tables in their outputs are GitHub's Markdown.
nb_execution_mode = "off"
nb_render_markdown_format = "gfm"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # would be loaded from a network
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
myst_html_meta = {"description": "Four papers on what a citation says, reproduced and judged"}

# Docstrings have single backticks for code, and formulas with bars.
default_role = "literal"
autodoc_typehints = "none"
autodoc_preserve_defaults = True

html_theme = "furo"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False

# A workflow of GitHub builds a fork's site with the fork's own links.
REPOSITORY = os.environ.get("GITHUB_REPOSITORY") or (UPSTREAM if ADDRESS else "")
if REPOSITORY:
    address = f"https://github.com/{REPOSITORY}"
    html_theme_options = {"source_repository": address, "source_branch": "main"}

DOWNLOAD = "{{download}}`Download this notebook <{}.ipynb>`"
BINDER = "[Run it on Binder](https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/tree/{}.ipynb)"
BADGES = re.compile(r"^(\[!\[.*|\*\*\[Web site.*)\n", re.MULTILINE)
BLOCK = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([\w-]+)`")
ON_GITHUB = re.compile(r"^> \*\*On GitHub\*\*.*?\n\n", re.MULTILINE | re.DOTALL)
GLOSSARY = re.compile(r'<a id="([\w-]+)"></a>\*\*([^*]+)\*\*')

MADE: dict[str, Callable[[], str]] = {
    "docs/explorer": lambda: explorer.page("../_static/explorer.js"),
    "docs/predict": predict_page.page,
    "docs/see-the-data": data_page.page,
    "docs/readings": lambda: readings_page.page("../_static/readings.js"),
}
"""Pages that end in a part which is made while the site is built; on GitHub a paragraph says so."""


def with_links(text: str, folder: str) -> str:
    """Link the id of each claim in prose to its page in a folder.

    >>> with_links("`a-b` and `bio-beats-wiki`", "claims/")
    '`a-b` and <a href="claims/bio-beats-wiki.html"><code>bio-beats-wiki</code></a>'
    """
    ids = {claim.claim_id for paper in ledger.papers() for claim in ledger.load(paper)}

    def link(code: re.Match[str]) -> str:
        name = code[1]
        page = f'<a href="{folder}{name}.html"><code>{name}</code></a>'
        return page if name in ids else code[0]

    parts = BLOCK.split(text)  # prose and blocks of code in turn
    parts[::2] = [CODE.sub(link, prose) for prose in parts[::2]]
    return "".join(parts)


def notebook(text: str, name: str) -> str:
    """Number the title, tell lessons from reports, and let figures be heard."""
    content = json.loads(text)
    first, *cells = content["cells"]
    number, is_lesson = name.rpartition("/")[2][:2], name.startswith("notebooks")
    title = "".join(first["source"])
    first["source"] = title.replace("# ", f"# {number} ", 1)
    if is_lesson:
        first["source"] += f"\n\n{DOWNLOAD.format(name.rpartition('/')[2])}"
    if REPOSITORY and is_lesson:
        first["source"] += f"\n\n{BINDER.format(REPOSITORY, name)}"
    heading = title
    for cell in cells:
        if cell["cell_type"] == "markdown":
            heading = (re.findall("^#+ .*", "".join(cell["source"]), re.MULTILINE) or [heading])[-1]
        else:
            cell["metadata"]["mystnb"] = {"image": {"alt": words_for(cell, heading.strip("# "))}}
    return json.dumps(content)


def words_for(cell: Any, heading: str) -> str:
    """Say what the figures of a cell show, in their own words or those of the section."""
    kinds = ("image/png", "image/svg+xml")
    told = [output.get("metadata", {}) for output in cell["outputs"]]
    about = [metadata.get(kind, {}) for metadata in told for kind in kinds]
    return " ".join(image["alt"] for image in about if "alt" in image) or f"Figure: {heading}"


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Turn GitHub's anchors into MyST's, link ids of claims, and put in what is made here."""
    source[0] = GLOSSARY.sub(r"[**\2**]{#\1}", source[0])
    if app.env.doc2path(name).suffix == ".md":
        folder = posixpath.relpath(claim_pages.FOLDER, posixpath.dirname(name))
        source[0] = with_links(ON_GITHUB.sub("", source[0]), f"{folder}/")
    if name == "README":
        source[0] = BADGES.sub("", source[0])
    elif name in MADE:
        source[0] += f"\n````{{raw}} html\n{MADE[name]()}\n````\n"
    elif app.env.doc2path(name).suffix == ".ipynb":
        source[0] = notebook(source[0], name)


def plain(_app: Any, _what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    """Prepare a docstring: bars are bars, and what begins with a label is a paragraph."""
    code = (">>>", "...")
    prose = [line if line.startswith(code) else line.replace("|", r"\|") for line in lines]
    labelled = [re.sub(r"^(Source|Ambiguity):", r"\n*\1*:", line) for line in prose]
    lines[:] = "\n".join(labelled).split("\n")


def hear(_app: Any, _name: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Mend what a screen reader stumbles over in the HTML of others."""
    names = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = names.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    hides_words = ' aria-label="Toggle hidden content"'
    context["body"] = context.get("body", "").replace(hides_words, "")


def collect(_app: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add a page per claim."""
    return claim_pages.pages(f"https://github.com/{REPOSITORY}" if REPOSITORY else "")


def finish(app: Any, error: Exception | None) -> None:
    """Write the viewers' pages beside the others."""
    if error is None:
        data_page.write(Path(app.outdir))


def setup(app: Any) -> None:
    """Let every page be prepared, and pages be added."""
    app.connect("source-read", prepare)
    app.connect("html-collect-pages", collect)
    app.connect("html-page-context", hear, priority=900)  # after the theme
    app.connect("build-finished", finish)
    app.connect("autodoc-process-docstring", plain)
