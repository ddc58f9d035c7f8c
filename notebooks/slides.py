"""Slides of a lesson, by ``make slides``: nbconvert's configuration, and what goes on which slide.

They need no network: ``python notebooks/slides.py build/slides`` puts scripts and fonts beside them.
"""

import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor

NOT_SHOWN = {"parameters", "exercise", "solution"}

THEME = "white"
"""The theme of the slides; many others of reveal.js take fonts from a network."""

LINK_TO_A_FILE = re.compile(r"(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)")
"""A link to a page of the checkout, which does not lie beside the slides."""

REVEAL = ("LICENSE", "dist/reveal.css", "dist/reveal.js", f"dist/theme/{THEME}.css", "plugin/notes/notes.js")


class Slides(Preprocessor):
    """Leave out exercises and what sets a lesson up, and begin a slide at each heading."""

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        """Keep the cells that are shown, each with its kind of slide."""
        notebook.cells = [cell for cell in notebook.cells if is_shown(cell)]
        before, heading = None, ""
        for cell in notebook.cells:
            heading = heading_in(cell, heading)
            give_words(cell, heading)
            if cell.cell_type == "markdown":
                cell.source = LINK_TO_A_FILE.sub(r"\1", cell.source)
            cell.metadata["slideshow"] = {"slide_type": kind(cell, before)}
            cell.metadata["transient"] = {"remove_source": is_picture(cell)}
            before = cell
        return notebook, resources


def heading_in(cell: Any, before: str) -> str:
    """Return the last heading of a cell, or else the one before it."""
    found = re.findall(r"^#+ (.*)", cell.source, re.MULTILINE)
    return found[-1] if found and cell.cell_type == "markdown" else before


def give_words(cell: Any, heading: str) -> None:
    """Let each picture of a cell have words, its own or those of the heading."""
    for output in cell.get("outputs", ()):
        if "image/png" in output.get("data", ()):
            about = output.metadata.setdefault("image/png", {})
            about.setdefault("alt", f"Figure: {heading}")


def is_shown(cell: Any) -> bool:
    """Tell whether a cell is more than an exercise or a preparation."""
    says = cell.cell_type == "markdown" or cell.outputs or "def " in cell.source
    return bool(says) and NOT_SHOWN.isdisjoint(cell.metadata.get("tags", ()))


def is_picture(cell: Any) -> bool:
    """Tell whether to show what a cell prints without its code."""
    pictures = any("image/png" in output.get("data", ()) for output in cell.get("outputs", ()))
    return pictures or "hide-input" in cell.metadata.get("tags", ())


def kind(cell: Any, before: Any) -> str:
    """Return a slide for a heading, one below it, or "-" for what belongs to the cell before.

    >>> code, text = ({"cell_type": name, "source": "What one sees"} for name in ("code", "markdown"))
    >>> kind(code, text), kind(text, code), kind(text | {"source": "## Why?"}, code)
    ('subslide', 'fragment', 'slide')
    """
    if cell["source"].startswith("#"):
        return "slide"
    if before and before["source"].startswith("#") and "\n" not in before["source"]:
        return "-"  # below a bare heading
    is_seen = before and before["cell_type"] == "code" and cell["cell_type"] == "markdown"
    return "fragment" if is_seen else "subslide"


def copy_scripts(folder: Path) -> None:
    """Put reveal.js and MathJax beside the slides; packages of requirements-dev.lock bring them."""
    reveal = package("sphinx_revealjs") / "_static" / "revealjs"
    for name in REVEAL:
        (folder / "reveal.js" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(reveal / name, folder / "reveal.js" / name)
    fonts = "dist/theme/fonts/source-sans-pro"
    shutil.copytree(reveal / fonts, folder / "reveal.js" / fonts, dirs_exist_ok=True)
    # One file: it draws letters, so it needs no fonts.
    mathjax = package("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg-full.js"
    shutil.copy(mathjax, folder / "mathjax.js")


def package(name: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is missing; say: make slides, which installs it")
    return Path(spec.origin).parent


if get_config := globals().get("get_config"):  # nbconvert reads this file
    c = get_config()
    c.SlidesExporter.preprocessors = [Slides]
    c.SlidesExporter.extra_template_paths = [str(Path(__file__).parent)]
    c.SlidesExporter.template_file = "slides.html.j2"
    c.SlidesExporter.mathjax_url = "mathjax.js"
    c.SlidesExporter.reveal_url_prefix, c.SlidesExporter.reveal_theme = "reveal.js", THEME
    c.SlidesExporter.reveal_width, c.SlidesExporter.reveal_height = "1280", "720"
elif __name__ == "__main__":
    copy_scripts(Path(sys.argv[1]))
