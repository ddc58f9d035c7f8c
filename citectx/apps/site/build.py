"""Build the site: lay its sources out, let Sphinx make pages of them, check every link.

The sources are laid out as the checkout is, README at the top, ``docs/``, ``notebooks/`` and
``data/`` below it, so that links between them hold in both places.
"""

import json
import os
import re
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path

from citectx import ledger
from citectx.apps.site import pages
from citectx.apps.site.modules import ambiguities, experiments, modules
from citectx.corpora.registry import licensed, registry
from citectx.errors import CitectxError, MissingDataError
from citectx.paths import ROOT
from citectx.storage import OURS, clear, own_folder, read_object, write_atomically

INSTEAD = {
    "results/open": "results.md",
    "results/open/00_start_here": "open/index.md",
    "citectx/ledger": "ledger.md",
    "notebooks": "notebooks/index.md",
}
"""Folders that documents link to, with the page that shows what is in them."""
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


class SiteError(CitectxError):
    """The site could not be built, or has broken links."""


def build(root: Path = ROOT, target: Path | None = None) -> Path:
    """Build and check the site.

    Parameters
    ----------
    root : Path
        The checkout.
    target : Path, optional
        Default: ``build/site`` of the checkout.

    Returns
    -------
    Path
        The first page.

    Raises
    ------
    SiteError
        If Sphinx warns of anything, or a page has a broken link or loads something from a network.
    MissingDataError
        If the extra ``docs`` is not installed.
    ParameterError
        If a folder that would be replaced holds files that no earlier build has written.
    """
    try:
        from sphinx.cmd.build import build_main

        from citectx.apps.site import links
    except ImportError as error:
        raise MissingDataError("Sphinx is not installed; run: make site") from error
    target = target or root / "build" / "site"
    sources, doctrees = (
        target.with_name(f"{target.name}-{name}") for name in ("sources", "doctrees")
    )
    for folder in (target, sources, doctrees):
        own_folder(folder)  # nothing of the reader's is replaced
    clear(target)
    stage(root, sources)
    own_folder(target)
    strict = ["-W", "--keep-going", "-n", "-q", "-j", "auto"]
    arguments = [*strict, "-b", "html", "-c", root / "docs", "-d", doctrees, sources, target]
    if build_main([str(a) for a in arguments]):
        clear(doctrees)  # Sphinx would not warn again of pages that it knows
        raise SiteError("Sphinx has something to say about the pages, see above")
    found = links.check(target)
    if found:
        raise SiteError("\n".join(["the site has problems:", *found]))
    return target / "index.html"


def cmd_site() -> int:
    """Build the site of this checkout."""
    print(f"the site is in {build()}")
    return 0


def stage(root: Path, sources: Path) -> None:
    """Lay out the sources of the site; files that stay the same keep their time, and Sphinx skips
    them.
    """
    wanted = {Path(name): content for name, content in _sources(root)}
    for path in sorted(sources.rglob("*"), reverse=True) if sources.exists() else ():
        if path.is_file() and path.name != OURS and path.relative_to(sources) not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = sources / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)


def _sources(root: Path) -> Iterator[tuple[str, bytes]]:
    """Return every source of the site: its place and its content."""
    results = root / "results" / "open"
    found = experiments(results, root / "notebooks")
    listed = modules()
    ledgers = {paper: ledger.load(paper) for paper in ledger.papers()}
    frame = ledger.all_verdicts(results)
    figures = sorted(p.name for p in (results / "figures").glob("*.png"))
    for name, written in _documents(root):
        yield name, _relinked(written, name, root).encode()
    yield "verdicts.html", pages.bars(frame).encode()
    yield "docs/open-choices.txt", pages.choices(ambiguities(), frozenset(listed)).encode()
    yield "ledger.md", pages.ledger_page(frame, ledgers, ledger.all_replication(results)).encode()
    yield (
        "results.md",
        pages.results_page(found, figures, read_object(results / "provenance.json")).encode(),
    )
    yield "sources.md", pages.sources_page(registry().values(), licensed().values()).encode()
    yield from ((name, text.encode()) for name, text in pages.api_pages(listed).items())
    yield from _notebooks(root)
    files = [p for p in sorted(results.rglob("*")) if p.suffix in (".csv", ".gz", ".json", ".png")]
    for path in [p for p in files if ".stamps" not in p.parts]:
        yield path.relative_to(root).as_posix(), path.read_bytes()
    images = sorted((root / "docs" / "images").glob("*.png"))
    for path in [*images, root / "LICENSE", root / "LICENSE-TEXT", root / "CITATION.cff"]:
        yield path.relative_to(root).as_posix(), path.read_bytes()


def _documents(root: Path) -> Iterator[tuple[str, str]]:
    """Return README and its like, the pages of ``docs`` and the READMEs of the data."""
    for path in [
        root / "README.md",
        *(root / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
        *sorted((root / "docs").glob("*.md")),
        root / "data" / "README.md",
        *sorted((root / "data").glob("*/README.md")),
    ]:
        name = path.relative_to(root).as_posix()
        yield ("index.md" if name == "docs/index.md" else name), path.read_text(encoding="utf-8")


def _notebooks(root: Path) -> Iterator[tuple[str, bytes]]:
    """Return each notebook with its teaching outputs, and beside it as executed on open data."""
    lessons = sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    opened = [
        path for p in lessons if (path := root / "results" / "open" / "notebooks" / p.name).exists()
    ]
    on_open_data = {path.name for path in opened}
    for path in lessons:
        beside = (
            f"the same on [open data](../open/{path.name})" if path.name in on_open_data else ""
        )
        yield (
            f"notebooks/{path.name}",
            _page(path, f"Executed on the teaching corpus; {beside}".strip("; ")),
        )
    for path in opened:
        page = _page(
            path,
            f"Executed on open data; text to read is in [the lesson](../notebooks/{path.name})",
        )
        for lesson in lessons:
            if lesson.name not in on_open_data:
                page = page.replace(
                    f"]({lesson.name}".encode(), f"](../notebooks/{lesson.name}".encode()
                )
        yield f"open/{path.name}", page
    for folder in ("notebooks", "open"):
        yield f"{folder}/index.md", pages.rendered("pages.md", "notebooks_page", folder).encode()


def _page(path: Path, line: str) -> bytes:
    """Return a notebook whose title has its number, with a badge and a line below it.

    The badge leads to Binder where ``CITECTX_REPOSITORY`` (or GitHub's own variable) names a public
    copy of this repository as ``owner/name``; else to what the documentation says of Binder. A
    figure is described by the longest text in the code that draws it: its title.
    """
    notebook = json.loads(path.read_text("utf-8"))
    copy = os.environ.get("CITECTX_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY")
    start = f"https://mybinder.org/v2/gh/{copy}/HEAD?labpath=notebooks/{path.name}"
    first = notebook["cells"][0]
    heading, _, rest = "".join(first["source"]).partition("\n")
    badge = f"[Launch on Binder]({start if copy else '../docs/getting-started.md#on-binder'}){{.binder}}"
    first["source"] = f"# {path.name[:2]} {heading.removeprefix('# ')}\n\n{badge} {line}.\n{rest}"
    for cell in notebook["cells"]:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", ())):
            texts = re.findall(r'"([^"\n]* [^"\n]*)"', "".join(cell["source"]))
            title = re.sub(r"\{.*?\}", "…", max(texts, key=len, default="Figure"))
            cell["metadata"]["mystnb"] = {"image": {"alt": title}}
    return json.dumps(notebook).encode()


def _relinked(text: str, page: str, root: Path) -> str:
    """Point links to folders and to code at the pages that show them."""
    base = root / "docs" if page == "index.md" else (root / page).parent
    up = "../" * page.count("/")

    def replaced(match: "re.Match[str]") -> str:
        label, url, fragment = match[1], match[2], match[3] or ""
        path = Path(normpath(base / url))
        if re.match(r"[a-z]+:", url) or not path.is_relative_to(root):
            return match[0]
        name = path.relative_to(root).as_posix()
        module = re.fullmatch(r"(citectx/.+?)(/__init__)?\.py", name)
        if module:
            name = f"api/{module[1].replace('/', '.')}.rst"
        elif path.is_dir() and name not in INSTEAD:
            return label
        return f"[{label}]({up}{INSTEAD.get(name, name)}{fragment})"

    return _LINK.sub(replaced, text)
