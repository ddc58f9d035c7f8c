"""Check a built site: each link inside it leads somewhere, and no page loads anything from elsewhere.

>>> page = '<a href="b.html#x">b</a> <script src="https://cdn.example/x.js"></script>'
>>> list(problems({"a.html": page, "b.html": '<p id="y"></p>'}))
['a.html: loads https://cdn.example/x.js', 'a.html: no #x in b.html']
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

_MEDIA = ("audio", "video", "embed", "object", "track", "input", "iframe", "script")
LOADING = {"img": ("src", "srcset"), "source": ("src", "srcset")} | dict.fromkeys(_MEDIA, ("src", "data"))
"""Attributes that make a browser fetch something; those of ``link`` depend on its ``rel``."""
# rel of <link> that only point somewhere
_POINTING = {*"canonical alternate index search next prev author license help top up".split()}
_CSS_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
_JS_LOAD = re.compile(r"(?:\bimport\b\s*\(?|\bfetch\(|\bfrom|\.src\s*=)\s*[`'\"]((?:https?:)?//[^`'\"]+)")


@dataclass
class _Page(HTMLParser):
    """Collects the anchors, links and loads of a page."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    style: bool = False
    script: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.style, self.script = tag == "style", tag == "script"
        self.anchors |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and not _POINTING & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        for key in LOADING.get(tag, ()):
            if key in given:
                self.loads += [part.split()[0] for part in given[key].split(", ") if part.strip()]
        self.loads += _in_css(given.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self.style = self.script = False

    def handle_data(self, data: str) -> None:
        if self.style:
            self.loads += _in_css(data)
        if self.script:
            self.loads += _JS_LOAD.findall(data)


def _in_css(text: str) -> list[str]:
    return [one or other for one, other in _CSS_URL.findall(text)]


def problems(pages: Mapping[str, str], files: Iterable[str] = ()) -> Iterator[str]:
    """Find broken links and foreign loads.

    Parameters
    ----------
    pages : mapping of str to str
        HTML by path, style sheets and scripts too.
    files : iterable of str
        Paths of everything else that is there.

    Yields
    ------
    str
        Page and problem: a link to a file or an anchor that is not there, and anything that a browser would
        load over a network: scripts, styles, images, fonts.
    """
    parsed = {path: _parsed(path, text) for path, text in sorted(pages.items())}
    there = {*pages, *files}
    for path, page in parsed.items():
        found = [f"loads {url}" if _foreign(url) else _complaint(path, url, there, {}) for url in page.loads]
        found += [_complaint(path, url, there, parsed) for url in page.links]
        yield from (f"{path}: {complaint}" for complaint in found if complaint)


def _parsed(path: str, text: str) -> _Page:
    page = _Page()
    if path.endswith(".css"):
        page.loads += _in_css(text)
    elif path.endswith(".js"):
        page.loads += _JS_LOAD.findall(text)
    else:
        page.feed(text)
    return page


def _foreign(url: str) -> bool:
    return url.startswith("//") or urlsplit(url).scheme not in ("", "data")


def _complaint(path: str, url: str, there: set[str], parsed: Mapping[str, _Page]) -> str:
    if urlsplit(url).scheme or url.startswith("//"):
        return ""  # points out of the site, or holds its data itself
    parts = urlsplit(url)
    target = normpath(join(dirname(path), unquote(parts.path))) if parts.path else path
    if target not in there and f"{target}/index.html" not in there:
        return f"no {target}"
    fragment = unquote(parts.fragment)
    if fragment and fragment != "top" and target in parsed and fragment not in parsed[target].anchors:
        return f"no #{fragment} in {target}"
    return ""


def check(site: Path) -> list[str]:
    """Check all pages, style sheets and scripts below a folder.

    Parameters
    ----------
    site : Path
        The built site, such as ``build/site``.
    """
    files = {p.relative_to(site).as_posix(): p for p in sorted(site.rglob("*")) if p.is_file()}
    pages = {n: p.read_text("utf-8") for n, p in files.items() if p.suffix in (".html", ".css", ".js")}
    return list(problems(pages, files))
