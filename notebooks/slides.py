"""Slides of a lesson, by ``make slides``: nbconvert's configuration, and what goes on which slide."""

from typing import Any

from nbconvert.preprocessors import Preprocessor

NOT_SHOWN = {"parameters", "exercise", "solution"}


class Slides(Preprocessor):
    """Leave out exercises and what sets a lesson up, and begin a slide at each heading."""

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        """Keep the cells that are shown, each with its kind of slide."""
        notebook.cells = [cell for cell in notebook.cells if is_shown(cell)]
        before = None
        for cell in notebook.cells:
            cell.metadata["slideshow"] = {"slide_type": kind(cell, before)}
            cell.metadata["transient"] = {"remove_source": is_picture(cell)}
            before = cell
        return notebook, resources


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


if get_config := globals().get("get_config"):  # nbconvert reads this file
    c = get_config()
    c.SlidesExporter.preprocessors = [Slides]
    c.SlidesExporter.reveal_scroll = True
    c.SlidesExporter.reveal_width, c.SlidesExporter.reveal_height = "1280", "720"
