"""Sphinx: README, pages, lessons and the runs on open data, as they are in the repository."""

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd
from itables import to_html_datatable
from itables.javascript import generate_init_offline_itables_html
from itables.utils import find_package_file

import citectx
from citectx.paths import ADDRESS, RESULTS
from citectx.paths import REPOSITORY as UPSTREAM

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
myst_html_meta = {"description": "Four papers on what a citation says, reproduced and judged"}

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

# A workflow of GitHub builds a fork's site with the fork's own links.
REPOSITORY = os.environ.get("GITHUB_REPOSITORY") or (UPSTREAM if ADDRESS else "")
if REPOSITORY:
    address = f"https://github.com/{REPOSITORY}"
    html_theme_options = {"source_repository": address, "source_branch": "main"}

BINDER = "[Run it on Binder](https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/tree/{}.ipynb)"
BADGES = re.compile(r"^(\[!\[.*|\*\*\[Web site.*)\n", re.MULTILINE)
GLOSSARY = re.compile(r'<a id="([\w-]+)"></a>\*\*([^*]+)\*\*')


def in_three_digits(row: Mapping[str, float]) -> str:
    """Write an effect with the interval that decides; the largest number has three digits.

    >>> in_three_digits({"effect": 0.0071, "rule_low": -0.0288, "rule_high": 0.0432})
    '+0.0071 [-0.0288, 0.0432]'
    """
    numbers = {name: row[name] for name in ("effect", "rule_low", "rule_high")}
    largest = max((abs(number) for number in numbers.values() if pd.notna(number)), default=1)
    decimals = max(0, 2 - math.floor(math.log10(largest or 1)))
    text = "{effect:+.{d}f} [{rule_low:.{d}f}, {rule_high:.{d}f}]".format(d=decimals, **numbers)
    return text.removesuffix(" [nan, nan]").removesuffix("+nan")


def every_verdict() -> str:
    """Every claim with its verdict, as a table to sort and search without a network."""
    verdicts = pd.read_csv(RESULTS / "open" / "ledger" / "verdicts.csv")
    verdicts = verdicts.sort_values("stage", kind="stable")  # confirmed, explored, others
    verdicts["effect"] = verdicts.apply(in_three_digits, axis=1)
    shown = verdicts[["says", "verdict", "effect", "paper", "corpus", "stage"]]
    script = generate_init_offline_itables_html(find_package_file("html/dt_bundle.js"))
    columns = shown.rename(columns={"says": "claim"}).fillna("")
    return script + to_html_datatable(
        columns, connected=False, classes="display compact", showIndex=False
    )


def notebook(text: str, name: str) -> str:
    """Number the title, tell lessons from reports, and let figures be heard."""
    content = json.loads(text)
    first, *cells = content["cells"]
    number, is_lesson = name.rpartition("/")[2][:2], name.startswith("notebooks")
    title = "".join(first["source"])
    first["source"] = title.replace("# ", f"# {number} ", 1)
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
    """Turn GitHub's anchors into MyST's; end the page on claims with every verdict."""
    source[0] = GLOSSARY.sub(r"[**\2**]{#\1}", source[0])
    if name == "README":
        source[0] = BADGES.sub("", source[0])
    elif name == "docs/verdicts":
        source[0] += f"\n````{{raw}} html\n{every_verdict()}\n````\n"
    elif app.env.doc2path(name).suffix == ".ipynb":
        source[0] = notebook(source[0], name)


def setup(app: Any) -> None:
    """Let every page be prepared."""
    app.connect("source-read", prepare)
