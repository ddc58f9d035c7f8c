"""A browser to look at pages."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from shutil import which

import pytest
from selenium.webdriver import Chrome


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Return Debian's Chromium with its own chromedriver; skip where they are missing."""
    from selenium.webdriver import ChromeOptions
    from selenium.webdriver.chrome.service import Service

    browser, driver = which("chromium"), which("chromedriver")
    if not browser or not driver:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = browser
    for switch in SWITCHES:
        options.add_argument(switch)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


PAGES = count()
SWITCHES = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage "
    "--no-first-run --disable-background-networking --disable-component-update --disable-sync"
).split()


@pytest.fixture
def browser(chromium: Chrome) -> Iterator[Chrome]:
    """Return the browser with a wide, light window; what a page logs as an error fails its test."""
    resize(chromium, 1440, 900)
    media(chromium)
    chromium.get_log("browser")
    yield chromium
    assert [entry["message"] for entry in chromium.get_log("browser")] == []


def resize(chrome: Chrome, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def media(chrome: Chrome, kind: str = "", scheme: str = "light") -> None:
    """Emulate print or screen, light or dark; nothing moves, so no test waits for scrolling."""
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": features})


def open_page(chrome: Chrome, folder: Path, page: str, hash_: str = "") -> None:
    file = folder / "page.html"
    file.write_bytes(page.encode())
    chrome.get(
        f"{file.as_uri()}?{next(PAGES)}{hash_}"
    )  # a change of the hash alone would not load the page anew
    assert chrome.execute_script("return document.documentElement.dataset.ready") == "true"
