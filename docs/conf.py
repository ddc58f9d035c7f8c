"""Sphinx: what the site looks like and how strict it is.

`citectx.apps.site.build` lays its sources out.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from sphinx.ext.napoleon.docstring import NumpyDocstring

import citectx

sys.path.insert(0, str(Path(__file__).parent))
from formulas import is_formula, latex

project = "citectx"
copyright = "The citectx authors; text CC BY 4.0, code MIT"
version = release = citectx.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["**.ipynb_checkpoints"]
# Words of a shape, as in "shape (terms, spans)", may be attributes of several classes: they lead
# nowhere.
suppress_warnings = ["mystnb.unknown_mime_type", "ref.python"]
nitpicky = True

# Notebooks come executed. Widgets would load their scripts from a network: output is static here.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3

# In docstrings a single backtick holds the name of something: a link if we document it, else plain.
default_role = "autolink"
templates_path = ["_templates"]
viewcode_follow_imported_members = False
autodoc_default_options = {
    "members": True,
    "show-inheritance": True,
    "ignore-module-all": True,
}
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
# There is no network, hence no inventory of other libraries: only our own names must lead
# somewhere.
nitpick_ignore_regex = [(r"py:.*", r"(?!citectx\.).*")]

html_theme = "furo"
html_title = "citectx"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0a5c91", "color-brand-content": "#0a5c91"},
    "dark_css_variables": {"color-brand-primary": "#7cc4f0", "color-brand-content": "#7cc4f0"},
}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"


def _inline(self: Any, node: Any) -> None:
    self.body.append(convert(node.astext()))
    raise _skip()


def _display(self: Any, node: Any) -> None:
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise _skip()


def _anchors(app: Any, docname: str, source: list[str]) -> None:  # noqa: ARG001
    """Turn anchors that GitHub and JupyterLab read into such as Sphinx checks links against."""
    source[0] = re.sub(r'<a id="([\w-]+)"></a>\*\*([^*]+)\*\*', r"[**\2**]{#\1}", source[0])


def _skip() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def _docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Typeset formulas; keep tables in Markdown, and bars: |d| is a length, not a link."""
    paragraphs = [list(group) for _, group in groupby(lines, key=lambda line: bool(line.strip()))]
    lines[:] = [line for paragraph in paragraphs for line in _paragraph(paragraph)]
    if what == "data" and isinstance(obj, Mapping):
        lines += ["", *_entries(obj)]


LONGEST = 80
"""Of a value that is shown, in characters."""


def _entries(names: Mapping[Any, Any]) -> list[str]:
    """Lay out a constant that maps names to things: a row a name, with a link to what it is."""
    cells = [(str(name) or "(none)", _told(value)) for name, value in names.items()]
    if not any(told for _, told in cells):
        return [" · ".join(f"``{name}``" for name, _ in cells)]
    rows = [line for name, told in cells for line in (f"   * - ``{name}``", f"     - {told}")]
    return [".. list-table::", "   :widths: auto", "", *rows, ""]


def _told(value: Any) -> str:
    """Link to a class or function and say what it does; show any other value if it is short."""
    name = getattr(value, "__qualname__", None)
    if name is None:
        return f"``{value!r}``" if len(repr(value)) <= LONGEST else ""
    if "<" in name or not value.__module__.startswith("citectx"):
        return ""
    summary = (inspect.getdoc(value) or "").partition("\n\n")[0]
    link = f":py:obj:`{name.rpartition('.')[2]} <{value.__module__}.{name}>`"
    told = _without_bars(" ".join(summary.split()))
    return f"{link}: {told}" if told else link


def _without_long_values(app: Any, doctree: Any) -> None:  # noqa: ARG001
    """Take values out of the headings of constants that would fill a screen."""
    from sphinx import addnodes

    for signature in doctree.findall(addnodes.desc_signature):
        for value in [*signature.findall(addnodes.desc_annotation)]:
            text = value.astext()
            if text.lstrip().startswith("=") and len(text) > LONGEST:
                value.parent.remove(value)


def _search_each_lesson_once() -> None:
    """Leave the runs on open data out of the search: their words are those of the lessons."""
    from sphinx.search import IndexBuilder

    feed = IndexBuilder.feed

    def fed(self: Any, docname: str, *told: Any) -> None:
        if not docname.startswith("open/"):
            feed(self, docname, *told)

    IndexBuilder.feed = fed  # type: ignore[method-assign]


def _paragraph(lines: list[str]) -> list[str]:
    if not lines[0].strip() or lines[0].lstrip().startswith(">>>"):
        return lines
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if is_formula("\n".join(lines)):
        return [part for line in lines for part in (f"{indent}.. math:: {latex(line)}", "")]
    if all(re.fullmatch(r"\|.*\|", line) for line in lines):
        return ["::", "", *(f"    {line}" for line in lines)]
    return [_without_bars(line) for line in lines]


def _without_bars(line: str) -> str:
    """Take their meaning from bars outside of code."""
    return re.sub(r"(``.*?``)|\|", lambda m: m[1] or r"\|", line)


def _signature(
    app: Any,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    obj: Any,  # noqa: ARG001
    options: Any,  # noqa: ARG001
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Shorten defaults that are computed: Sphinx does not parse signatures with such."""
    computed = r"<[\w .<>]+>|\w+\([^()]* for [^()]*\)"
    return signature and re.sub(rf"(= ?)(?:{computed})", r"\1...", signature), returns


def _find(target: str) -> Any:
    """Import what a dotted name stands for."""
    parts = target.split(".")
    for i in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        for name in parts[i:]:
            found = getattr(found, name)
        return found
    raise AttributeError(target)


def _canonical(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Find what is documented where it is defined, under the name by which it is imported."""
    if not node.get("reftarget", "").startswith("citectx."):
        return None
    try:
        found = _find(node["reftarget"])
    except AttributeError:
        return None
    target = f"{getattr(found, '__module__', '')}.{getattr(found, '__qualname__', '')}"
    domain = env.get_domain("py")
    link = domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, contnode)
    return link or contnode  # what is there without a docstring has no place to link to


def _whole(self: Any) -> tuple[str, list[str]]:
    """Return no type and the text: what is before a colon is not the type of a constant."""
    return "", self._dedent(self._consume_to_end())


def setup(app: Any) -> None:
    """Register what is ours."""
    NumpyDocstring._consume_inline_attribute = _whole  # type: ignore[method-assign]
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.connect("source-read", _anchors)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-process-signature", _signature)
    app.connect("missing-reference", _canonical)
    app.connect("doctree-read", _without_long_values)
    _search_each_lesson_once()
