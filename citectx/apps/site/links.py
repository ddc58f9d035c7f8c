"""Check a built site: each link inside it leads somewhere, and no page loads anything from
elsewhere.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from lxml import html

# rel of <link> that only point somewhere
_POINTING = {*"canonical alternate index search next prev author license help top up".split()}
_LOADED = r"(?:\burl\(|(?:@import|\bimport\b|\bfetch\(|\bfrom|\.src\s*=)\W*[`'\"])\s*['\"]?((?:https?:)?//[^`'\")\s]+)"


def check(site: Path) -> list[str]:
    """Check all pages, style sheets and scripts below a folder.

    Parameters
    ----------
    site : Path
        The built site, such as ``build/site``.

    Returns
    -------
    list of str
        Page and problem: a link to a file or an anchor that is not there, and anything that a
        browser would load over a network: scripts, styles, images, fonts.
    """
    files = {p.relative_to(site).as_posix(): p for p in sorted(site.rglob("*")) if p.is_file()}
    pages = {
        name: html.document_fromstring(p.read_bytes())
        for name, p in files.items()
        if p.suffix == ".html"
    }
    anchors = {name: {"", "top", *page.xpath("//@id | //@name")} for name, page in pages.items()}
    found = []
    for name, path in files.items():
        if path.suffix in (".css", ".js"):
            found += [
                f"{name}: loads {url}" for url in re.findall(_LOADED, path.read_text("utf-8"))
            ]
    for name, page in pages.items():
        texts = page.xpath("//script/text() | //style/text()")
        found += [f"{name}: loads {url}" for text in texts for url in re.findall(_LOADED, text)]
        for element, _, url, _ in page.iterlinks():
            points = element.tag in ("a", "style") or _POINTING & {*element.get("rel", "").split()}
            if url.startswith("//") or urlsplit(url).scheme not in ("", "data"):
                found += [] if points else [f"{name}: loads {url}"]
            elif missing := _missing(name, url, files, anchors):
                found.append(f"{name}: no {missing}")
    return found


def _missing(page: str, url: str, there: Collection[str], anchors: Mapping[str, set[str]]) -> str:
    """Name what a link within the site leads to, if it is not there."""
    parts = urlsplit(url)
    target = normpath(join(dirname(page), unquote(parts.path))) if parts.path else page
    if parts.scheme or (target not in there and f"{target}/index.html" in there):
        return ""
    fragment = unquote(parts.fragment)
    if target in there:
        return "" if fragment in anchors.get(target, {fragment}) else f"#{fragment} in {target}"
    return target
