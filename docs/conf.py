"""Sphinx: README, pages, lessons and the runs on open data, as they are in the repository."""

import re
from typing import Any

import pandas as pd
from itables import to_html_datatable
from itables.javascript import generate_init_offline_itables_html
from itables.utils import find_package_file

import citectx
from citectx.ledger.report import effect
from citectx.paths import RESULTS

project = html_title = "citectx"
copyright = "The citectx authors; text CC BY 4.0, code MIT"
version = release = citectx.__version__
root_doc = "docs/index"
extensions = ["myst_nb", "sphinx-mathjax-offline"]
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

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

GLOSSARY = re.compile(r'<a id="([\w-]+)"></a>\*\*([^*]+)\*\*')


def every_verdict() -> str:
    """Every claim with its verdict, as a table to sort and search without a network."""
    verdicts = pd.read_csv(RESULTS / "open" / "ledger" / "verdicts.csv")
    verdicts["effect"] = [effect(row) for row in verdicts.to_dict("records")]
    shown = verdicts[["says", "verdict", "effect", "paper", "corpus"]]
    script = generate_init_offline_itables_html(find_package_file("html/dt_bundle.js"))
    return script + to_html_datatable(shown, connected=False, classes="display compact")


def prepare(app: Any, name: str, source: list[str]) -> None:  # noqa: ARG001
    """Turn GitHub's anchors into MyST's; end the page on claims with every verdict."""
    source[0] = GLOSSARY.sub(r"[**\2**]{#\1}", source[0])
    if name == "docs/verdicts":
        source[0] += f"\n````{{raw}} html\n{every_verdict()}\n````\n"


def setup(app: Any) -> None:
    """Let every page be prepared."""
    app.connect("source-read", prepare)
