"""Build the site: lay its sources out, let Sphinx make and check the pages.

The sources are laid out as the checkout is, README at the top, ``docs/``, ``notebooks/`` and
``data/`` below it, so that links between them hold in both places. Sphinx lists the modules
(autosummary) and fails on links within the site that lead nowhere; its builder ``linkcheck`` tries
those that leave it.
"""

import json
import os
import re
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from os.path import normpath
from pathlib import Path
from typing import NamedTuple

from citectx import ledger
from citectx.apps.site import pages
from citectx.apps.site.choices import ambiguities
from citectx.apps.site.outputs import outputs, title_of
from citectx.corpora.sources import registry
from citectx.errors import CitectxError, MissingDataError
from citectx.paths import ROOT
from citectx.reading import listing, read_bytes, read_text, there
from citectx.runs import kernel
from citectx.storage import clear, own_folder, write_atomically

INSTEAD = {
    "results/open": "results.md",
    "results/open/00_start_here": "open/index.md",
    "citectx/ledger": "ledger.md",
    "notebooks": "notebooks/index.md",
}
"""Folders that documents link to, with the page that shows what is in them."""
STAGED = (".csv", ".gz", ".json", ".png")
"""Results that pages show or offer."""

COLAB = """\
!git clone --quiet --depth 1 https://github.com/OWNER/NAME citectx
!pip install --quiet -r citectx/.colab/requirements.txt
!pip install --quiet --no-deps ./citectx"""
"""What a notebook needs there before its first cell; it leaves Colab's own kernel alone."""

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_TIME, _LEVEL = r"\*\*Time\*\* (\d+) minutes", r"\*\*Level\*\* ([●○]{3})"
_POINTING = {*"canonical alternate index search next prev author license help top up".split()}
"""``rel`` of a <link> that only points somewhere."""
_LOADED = (
    r"(?:\burl\(|(?:@import|\bimport\b|\bfetch\(|\bfrom|\.src\s*=)\W*[`'\"])"
    r"\s*['\"]?((?:https?:)?//[^`'\")\s]+)"
)
"""What styles and scripts load over a network."""


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
    CitectxError
        If Sphinx warns of anything, or a page loads something from a network.
    MissingDataError
        If the extra ``docs`` is not installed, or `root` is no checkout.
    ParameterError
        If a folder that would be replaced holds files that no earlier build has written.
    """
    if not (root / "docs" / "conf.py").is_file():
        raise MissingDataError(f"{root} has no docs/conf.py; run citectx site in a checkout")
    try:
        from sphinx.cmd.build import build_main
    except ImportError as error:
        raise MissingDataError("Sphinx is not installed; run: make site") from error
    target = target or root / "build" / "site"
    sources, doctrees = (
        target.with_name(f"{target.name}-{name}") for name in ("sources", "doctrees")
    )
    for folder in (target, sources, doctrees):
        own_folder(folder)  # before anything is deleted
    for folder in (target, sources, doctrees):
        clear(folder)
        own_folder(folder)
    stage(root, sources)
    strict = ["-W", "--keep-going", "-n", "-q", "-j", "auto"]
    arguments = [*strict, "-b", "html", "-c", root / "docs", "-d", doctrees, sources, target]
    if build_main([str(a) for a in arguments]):
        raise CitectxError("Sphinx has something to say about the pages, see above")
    if found := loaded(target):
        raise CitectxError("\n".join(["pages load something from a network:", *found]))
    return target / "index.html"


def loaded(site: Path) -> list[str]:
    """List what pages, style sheets and scripts of a site would load over a network."""
    from lxml import html

    found = []
    for path in listing(site, "**/*.*"):
        texts = [path.read_text("utf-8")] if path.suffix in (".css", ".js") else []
        urls = []
        if path.suffix == ".html":
            page = html.document_fromstring(path.read_bytes())
            texts = page.xpath("//script/text() | //style/text()")
            for element, _, url, _ in page.iterlinks():
                points = element.tag in ("a", "style") or _POINTING & {
                    *element.get("rel", "").split()
                }
                if not points and re.match(r"(https?:)?//", url):
                    urls.append(url)
        urls += [url for text in texts for url in re.findall(_LOADED, text)]
        found += [f"{path.relative_to(site)}: {url}" for url in urls]
    return found


def cmd_site() -> int:
    """Build the site of this checkout."""
    print(f"the site is in {build()}")
    return 0


def stage(root: Path, sources: Path) -> None:
    """Lay out the sources of the site."""
    for name, content in _sources(root):
        path = sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)


def _sources(root: Path) -> Iterator[tuple[str, bytes | str]]:
    """Yield every source of the site: its place and its content."""
    results = root / "results" / "open"
    made = outputs(results, root / "notebooks")
    ledgers = {paper: ledger.load(paper) for paper in ledger.papers()}
    frame = ledger.all_verdicts(results)
    for name, written in _documents(root):
        yield name, _relinked(written, name, root)
    own = frame["corpus"] == frame["paper"].map({name: each.main for name, each in ledgers.items()})
    yield "verdicts.html", pages.bars(frame[own])
    yield "docs/open-choices.txt", pages.choices(ambiguities())
    yield "ledger.md", pages.ledger_page(frame, ledgers, ledger.all_replication(results))
    yield "results.md", pages.results_page(made)
    yield "sources.md", pages.sources_page(registry().values())
    yield from _notebooks(root)
    images = listing(root / "docs" / "images", "*.png")
    named = ("LICENSE", "LICENSE-TEXT", "CITATION.cff", "REUSE.toml")
    legal = [*(root / name for name in named), *listing(root / "LICENSES", "*.txt")]
    tables = [path for path in listing(results, "*/*") if path.suffix in STAGED]
    for path in [*images, *legal, *tables]:
        yield path.relative_to(root).as_posix(), read_bytes(path)


def _documents(root: Path) -> Iterator[tuple[str, str]]:
    """Yield README and its like, the pages of ``docs`` and the READMEs of the data."""
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
    docs = [*listing(root / "docs", "*.md"), root / "docs" / "api" / "index.rst"]
    data = [root / "data" / "README.md", *listing(root / "data", "*/README.md")]
    for path in [*top, *docs, *data]:
        name = path.relative_to(root).as_posix()
        moved = name.removeprefix("docs/") if path.stem == "index" else name
        yield moved, read_text(path)


def _notebooks(root: Path) -> Iterator[tuple[str, bytes | str]]:
    """Yield each notebook with its teaching outputs, and the same as executed on open data."""
    lessons = listing(root / "notebooks", "[0-9][0-9]_*.ipynb")
    opened = {}
    for lesson in lessons:
        executed = root / "results" / "open" / lesson.stem / lesson.name
        if there(executed):
            opened[lesson.name] = executed
    for lesson in lessons:
        line = "Executed on the teaching corpus"
        if lesson.name in opened:
            line += f"; the same on [open data](../open/{lesson.name})"
        yield f"notebooks/{lesson.name}", _page(lesson, line)
    missing = [lesson.name for lesson in lessons if lesson.name not in opened]
    for name, path in opened.items():
        line = f"Executed on open data; text to read is in [the lesson](../notebooks/{name})"
        page = _page(path, line)
        for other in missing:
            page = page.replace(f"]({other}", f"](../notebooks/{other}")
        yield f"open/{name}", page
    cards = [_Card.of(lesson) for lesson in lessons]
    for card in cards:
        if card.figure:
            yield f"lessons/{card.name}.png", card.figure
    yield "cards.txt", pages.rendered("pages.md", "cards", cards, "")
    yield "notebooks/index.md", pages.rendered("pages.md", "notebooks_page", "notebooks", cards)
    run = [card._replace(folder="open") for card in cards if f"{card.name}.ipynb" in opened]
    yield "open/index.md", pages.rendered("pages.md", "notebooks_page", "open", run)


class _Card(NamedTuple):
    """What the list of lessons tells of one: its first cell says how long it takes."""

    name: str
    title: str
    minutes: str
    level: str
    figure: bytes
    folder: str = "notebooks"

    @classmethod
    def of(cls, path: Path) -> "_Card":
        notebook = kernel.read(path)
        first = notebook.cells[0].source
        minutes, level = re.findall(_TIME, first), re.findall(_LEVEL, first)
        outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
        drawn = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
        figure = b64decode("".join(drawn[0])) if drawn else b""
        return cls(path.stem, title_of(path), minutes[0], level[0], figure)


def _page(path: Path, line: str) -> str:
    """Return a notebook whose title has its number, with badges and a line below it.

    A figure that does not say itself what it shows is described by the heading above it.
    """
    notebook = kernel.read(path)
    title = title_of(path)
    heading = title
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE) or [heading])[-1]
        drawn = [o for o in cell.get("outputs", ()) if "image/png" in o.get("data", {})]
        if drawn:
            words = drawn[0].get("metadata", {}).get("image/png", {}).get("alt")
            cell.metadata["mystnb"] = {"image": {"alt": words or f"Figure: {heading}"}}
    first = notebook.cells[0]
    rest = first.source.partition("\n")[2]
    first.source = f"# {path.name[:2]} {title}\n\n{_badges(path.name)}\n\n{line}.\n{rest}"
    return json.dumps(notebook)


def _badges(notebook: str) -> str:
    """Return links that open a notebook where it runs, and what Colab has to install.

    Binder and Colab need a public copy of this repository; ``CITECTX_REPOSITORY`` or GitHub's own
    variable names it as ``owner/name``. Without one there is no address to lead to, and the link
    says that it explains how.
    """
    copy = os.environ.get("CITECTX_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY")
    if not copy:
        return "[How to run it](../docs/getting-started.md){.launch}"
    binder = f"https://mybinder.org/v2/gh/{copy}/HEAD?labpath=notebooks/{notebook}"
    colab = f"https://colab.research.google.com/github/{copy}/blob/HEAD/notebooks/{notebook}"
    links = f"[Launch on Binder]({binder}){{.launch}} [Open in Colab]({colab}){{.launch}}"
    first = COLAB.replace("OWNER/NAME", copy)
    told = (
        f"<details><summary>On Colab, run this first</summary>\n\n```\n{first}\n```\n\n</details>"
    )
    return f"{links}\n\n{told}"


def _relinked(text: str, page: str, root: Path) -> str:
    """Point links to folders, code and executed notebooks at the pages that show them."""
    base = root / "docs" if page == "index.md" else (root / page).parent
    return _LINK.sub(partial(_link, base=base, up="../" * page.count("/"), root=root), text)


def _link(match: "re.Match[str]", base: Path, up: str, root: Path) -> str:
    label, url, fragment = match[1], match[2], match[3] or ""
    path = Path(normpath(base / url))
    if re.match(r"[a-z]+:", url) or not path.is_relative_to(root):
        return match[0]
    name = path.relative_to(root).as_posix()
    if module := re.fullmatch(r"(citectx/.+?)(/__init__)?\.py", name):
        name = f"api/{module[1].replace('/', '.')}.rst"
    elif name in INSTEAD:
        name = INSTEAD[name]
    elif executed := re.fullmatch(r"results/open/(\d\d_\w+)(/\1\.ipynb)?", name):
        name = f"open/{executed[1]}.ipynb"
    elif path.is_dir():
        return label
    return f"[{label}]({up}{name}{fragment})"
