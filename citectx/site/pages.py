"""Pages that are made, not written: the ledger, the results, the data sources, the open choices, the API.

Each function gives the Markdown of one page, in the dialect of MyST.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from citectx.claims.report import markdown_table
from citectx.corpora.registry import Licensed, Source
from citectx.site.ambiguities import PAPERS, Ambiguity, by_papers, files
from citectx.site.experiments import Experiment

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, ""), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True
)


def rendered(file: str, part: str, *shown: object) -> str:
    """Return a part of a template beside this module, filled with what is shown; HTML is escaped."""
    return str(getattr(_ENVIRONMENT.get_template(file).module, part)(*shown))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a Markdown table; pipes and line breaks in cells are taken care of.

    >>> print(table(["a", "b"], [["x|y", "1"]]))
    | a | b |
    |---|---|
    | x\|y | 1 |
    """
    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    return markdown_table(pd.DataFrame(cells, columns=list(header), dtype=str))


def results_page(found: Sequence[Experiment], figures: Sequence[str], provenance: dict[str, Any]) -> str:
    """List the experiments with their tables, the commands that make them, and the figures.

    Parameters
    ----------
    found : sequence of Experiment
    figures : sequence of str
        File names in ``results/open/figures``.
    provenance : dict
        Content of ``results/open/provenance.json``.
    """
    shown = [
        (each, provenance.get(each.name), [f for f in figures if re.fullmatch(rf"{each.name}(_[a-z]+)?", Path(f).stem)])
        for each in found
        if each.files
    ]
    return rendered("pages.md", "results", shown, anchor)


def anchor(name: str) -> str:
    """Turn a name into what a link can point to.

    >>> anchor("sigir2017_table1")
    'sigir2017-table1'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def sources_page(sources: Iterable[Source], licensed: Iterable[Licensed]) -> str:
    """Describe every source of data, from the registry."""
    return rendered("pages.md", "sources", sources, licensed)


def choices(found: Iterable[Ambiguity], documented: frozenset[str] | None = None) -> str:
    """List open choices, grouped by paper and then by module: a part of a page, from headings of level 2 on.

    Parameters
    ----------
    found : iterable of Ambiguity
    documented : frozenset of str, optional
        Modules that have a page in the API reference, to link to; None links to none.
    """
    return rendered("pages.md", "choices", by_papers(found), documented or frozenset(), _choice).strip() + "\n"


def _choice(choice: Ambiguity) -> str:
    text = choice.text if choice.text.startswith(PAPERS) else choice.text[:1].upper() + choice.text[1:]
    text = text.replace("``", "`").replace("|", r"\|").replace("<", r"\<").replace("$", r"\$")
    return f"**`{choice.name}`** {text}" if choice.name else text


def experiments_table(found: Iterable[Experiment]) -> str:
    """List experiment, notebook and command as a Markdown table, as seen from ``docs/``."""
    rows = []
    for each in found:
        links = ", ".join(f"[{n[:2]}](../notebooks/{n}.ipynb)" for n in each.notebooks) or "—"
        command = f"`{each.command() or f'{each.module}.run'}`"
        rows.append((f"`{each.name}`", each.about, links, command))
    return table(["table", "what it is", "notebook", "made by"], rows)


def modules(package: Path) -> dict[str, str]:
    """List the modules of a package with the first lines of their docstrings, without importing them."""
    docs = {name: ast.get_docstring(ast.parse(path.read_text("utf-8"))) for name, path in files(package).items()}
    return {name: " ".join((doc or "").partition("\n\n")[0].split()) for name, doc in docs.items()}


def api_pages(found: dict[str, str]) -> dict[str, str]:
    """Return the pages of the API reference by their paths: one for each module, and a list by layer.

    The side bar has the list only: with every module in it, each page would have to hold all their names.
    """
    up = ":orphan:\n\n:doc:`← API reference <index>`"
    pages = {
        f"api/{name}.rst": f"{up}\n\n``{name}``\n{'=' * (len(name) + 4)}\n\n.. automodule:: {name}\n" for name in found
    }
    layers: dict[str, list[str]] = {}
    for name in found:
        layers.setdefault(".".join(name.split(".")[:2]), []).append(name)
    groups: dict[str, list[str]] = {"The package": [n[0] for n in layers.values() if len(n) == 1]}
    groups |= {f"`{layer}`": names for layer, names in layers.items() if len(names) > 1}
    shown = [
        (title, [(f"[`{name}`]({name}.rst)", _markdown(found[name])) for name in names])
        for title, names in groups.items()
    ]
    return pages | {"api/index.md": rendered("pages.md", "reference", shown, table)}


def _markdown(docstring: str) -> str:
    return docstring.replace("``", "`").replace("<", r"\<")
