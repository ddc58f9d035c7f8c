"""The web site: no link leads nowhere, no picture is mute, no two pages have one title."""

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from citectx.paths import ROOT

pytestmark = pytest.mark.slow


@cache
def read(page: Path) -> html.HtmlElement:
    return html.fromstring(page.read_bytes())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "-c", "docs", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder / "html")]
    subprocess.run(command, cwd=ROOT, check=True)
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 35
    return found


def test_no_link_leads_nowhere(pages: list[Path]) -> None:
    broken = []
    for page in pages:
        for link in read(page).xpath("//a/@href"):
            address = urlsplit(link)
            target = (page.parent / unquote(address.path)) if address.path else page
            if address.scheme or address.netloc:
                continue
            anchors = read(target).xpath("//@id | //@name") if target.suffix == ".html" else ()
            if not target.exists() or (
                address.fragment and unquote(address.fragment) not in anchors
            ):
                broken.append(f"{page.name}: {link}")
    assert not broken


def test_every_picture_is_there_and_says_what_it_shows(pages: list[Path]) -> None:
    pictures = [(page, picture) for page in pages for picture in read(page).xpath("//img")]
    assert len(pictures) > 30
    for page, picture in pictures:
        assert (page.parent / picture.get("src")).exists()
        assert len(picture.get("alt", "").split()) > 3, (page.name, picture.get("alt"))


def test_titles_tell_pages_apart(pages: list[Path]) -> None:
    titles = Counter(read(page).findtext(".//title") for page in pages)
    assert max(titles.values()) == 1
    assert sum(" Report on real data: " in str(title) for title in titles) == 10


def test_pages_load_nothing_from_elsewhere(pages: list[Path]) -> None:
    loaded = "//script/@src | //img/@src | //link[@rel='stylesheet']/@href"
    assert not [a for page in pages for a in read(page).xpath(loaded) if urlsplit(a).netloc]


def test_effects_of_the_ledger_have_three_digits() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctest", "-v", "docs/conf.py"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert b"1 passed" in done.stdout
