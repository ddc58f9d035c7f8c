"""Pages that are made, not written: the ledger, the results, the data sources, the open choices, the API.

Each function gives the Markdown of one page, in the dialect of MyST.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.claims.report import markdown_table
from citectx.corpora.registry import Licensed, Source
from citectx.site.ambiguities import PAPERS, Ambiguity, by_papers, files
from citectx.site.experiments import Experiment

REPO = "https://github.com"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a Markdown table; pipes and line breaks in cells are taken care of.

    >>> print(table(["a", "b"], [["x|y", "1"]]))
    | a | b |
    |---|---|
    | x\|y | 1 |
    """
    cells = [[" ".join(str(cell).split()) for cell in row] for row in rows]
    return markdown_table(pd.DataFrame(cells, columns=header, dtype=str))


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
    parts = ["# Results", _RESULTS_INTRO]
    for each in found:
        if each.files:
            parts += _experiment(each, figures, provenance.get(each.name, {}))
    return "\n\n".join(parts) + "\n"


_RESULTS_INTRO = """\
Every table of the profile `open`, as it was written by the run that its provenance names. The columns of a
main table are always the same; [](docs/reproduce-a-number.md) explains them, and how to make each one again.
{download}`provenance.json <results/open/provenance.json>` has commit, versions, data and time of all runs."""


def _experiment(each: Experiment, figures: Sequence[str], entry: dict[str, Any]) -> list[str]:
    lines = [f"({anchor(each.name)})=\n## `{each.name}`", each.about]
    facts = []
    if each.notebooks:
        links = ", ".join(f"[{n}](notebooks/{n}.ipynb)" for n in each.notebooks)
        facts.append(f"- made by {links}: `{each.command()}`")
    elif command := each.command():
        facts.append(f"- no notebook runs it; made by `{command}`")
    else:
        facts.append(f"- no notebook runs it; call {{py:func}}`{each.module}.run`")
    if entry:
        seconds = entry.get("wall_time_s")
        took = f", in {seconds:,.0f} s" if isinstance(seconds, int | float) else ""
        facts.append(f"- run at commit `{str(entry.get('commit'))[:10]}`{took}, on {entry.get('machine')}")
    files = ", ".join(f"{{download}}`{name} <results/open/{name}>`" for name in each.files)
    lines += ["\n".join([*facts, f"- files: {files}"])]
    own = [f for f in figures if re.fullmatch(rf"{each.name}(_[a-z]+)?", Path(f).stem)]
    lines += [f"```{{image}} results/open/figures/{f}\n:alt: Figure {Path(f).stem}\n```" for f in own]
    return lines


def anchor(name: str) -> str:
    """Turn a name into what a link can point to.

    >>> anchor("sigir2017_table1")
    'sigir2017-table1'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def sources_page(sources: Iterable[Source], licensed: Iterable[Licensed]) -> str:
    """Describe every source of data, from the registry."""
    parts = ["# Data sources", _SOURCES_INTRO, "## Open sources"]
    for source in sources:
        commits = ", ".join(
            f"[{u.owner}/{u.repo}@{u.commit[:7]}]({REPO}/{u.owner}/{u.repo}/tree/{u.commit})"
            for u in source.upstream
        )
        facts = {
            "holds": source.holds,
            "stands in for": source.stands_in_for,
            "licence": source.licence,
            "size": f"{len(source.members):,} files, {source.size / 1e6:,.1f} MB unpacked",
            "from": commits,
            "get it": f"`citectx fetch {source.name}`",
        }
        parts += [f"### {source.title}", f"`{source.name}`", _facts(facts)]
    parts.append("## Data that needs a licence")
    for wanted in licensed:
        facts = {
            "used for": wanted.used_for,
            "licence": wanted.licence,
            "how to get it": wanted.how,
            "expected": wanted.expects,
            "names your folder": f"`{wanted.variable}`",
        }
        parts += [f"### {wanted.title}", f"`{wanted.name}`", _facts(facts)]
    return "\n\n".join(parts) + "\n"


_SOURCES_INTRO = """\
This repository ships none of these texts: it ships the commits that they come from, and a checksum for every
file. `citectx fetch` gets them, `citectx sources` says what is here. [](data/README.md) has the details."""


def _facts(facts: dict[str, str]) -> str:
    return "\n".join(f"- **{name}**: {' '.join(text.split())}" for name, text in facts.items())


def choices(found: Iterable[Ambiguity], documented: frozenset[str] | None = None) -> str:
    """List open choices, grouped by paper and then by module: a part of a page, from headings of level 2 on.

    Parameters
    ----------
    found : iterable of Ambiguity
    documented : frozenset of str, optional
        Modules that have a page in the API reference, to link to; None links to none.
    """
    parts = []
    for papers, group in by_papers(found).items():
        parts.append(f"## {' and '.join(papers) or 'Data, and rules of our own'}")
        modules: dict[str, list[Ambiguity]] = {}
        for choice in group:
            modules.setdefault(choice.module, []).append(choice)
        for module, rows in modules.items():
            linked = documented is not None and module in documented
            parts.append(f"### {f'{{py:mod}}`{module}`' if linked else f'`{module}`'}")
            parts.append("\n".join(f"- {_choice(row)}" for row in rows))
    return "\n\n".join(parts) + "\n"


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
    docs = {
        name: ast.get_docstring(ast.parse(path.read_text("utf-8"))) for name, path in files(package).items()
    }
    return {name: " ".join((doc or "").partition("\n\n")[0].split()) for name, doc in docs.items()}


def api_pages(found: dict[str, str]) -> dict[str, str]:
    """Return the pages of the API reference by their paths: one for each module, and a list by layer.

    The side bar has the list only: with every module in it, each page would have to hold all their names.
    """
    up = ":orphan:\n\n:doc:`← API reference <index>`"
    pages = {
        f"api/{name}.rst": f"{up}\n\n``{name}``\n{'=' * (len(name) + 4)}\n\n.. automodule:: {name}\n"
        for name in found
    }
    layers: dict[str, list[str]] = {}
    for name in found:
        layers.setdefault(".".join(name.split(".")[:2]), []).append(name)
    groups: dict[str, list[str]] = {"The package": [n[0] for n in layers.values() if len(n) == 1]}
    groups |= {f"`{layer}`": names for layer, names in layers.items() if len(names) > 1}
    parts = ["# API reference", _API_INTRO]
    for title, names in groups.items():
        rows = [(f"[`{name}`]({name}.rst)", _markdown(found[name])) for name in names]
        parts += [f"## {title}", table(["module", "what it is for"], rows)]
    return pages | {"api/index.md": "\n\n".join(parts) + "\n"}


_API_INTRO = """\
Imports run in one direction: `corpora → language, evaluation → embeddings, ontology, summarization →
retrieval, recommendation → experiments → claims, viewer → papers → batch`. A lower layer never imports a
higher one."""


def _markdown(docstring: str) -> str:
    return docstring.replace("``", "`").replace("<", r"\<")
