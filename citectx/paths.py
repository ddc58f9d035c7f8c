"""Where data, notebooks and results are: in the checkout or, from a wheel, inside the package."""

import os
from pathlib import Path

from platformdirs import user_cache_dir

from citectx.errors import ParameterError

PACKAGE = Path(__file__).resolve().parent
BUNDLED = PACKAGE / "bundled"
"""In a wheel, a copy of the checkout's folders; in a checkout there is no such folder."""

IN_CHECKOUT = not BUNDLED.is_dir()
ROOT = PACKAGE.parent if IN_CHECKOUT else BUNDLED
"""The folder of notebooks/, data/ and results/."""

DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
RESULTS = ROOT / "results"

REPOSITORY = "OWNER/NAME"
"""The repository on GitHub; this stands here until it has a name."""

ADDRESS = "" if REPOSITORY == "OWNER/NAME" else f"https://github.com/{REPOSITORY}"
"""The repository's web page; as long as it has none, what would name it is left out."""


def results_dir() -> Path:
    """Return where commands and notebooks write: CITECTX_RESULTS, else ``results``.

    That of the checkout or, where the package was installed from a wheel, of the current folder:
    nothing is written to site-packages.
    """
    default = RESULTS if IN_CHECKOUT else Path("results")
    return Path(os.environ.get("CITECTX_RESULTS") or default)


def data_dir() -> Path:
    """Return the folder of unpacked sources and caches: CITECTX_DATA, else the user's cache."""
    try:
        folder = os.environ.get("CITECTX_DATA") or user_cache_dir("citectx")
        return Path(folder).expanduser().absolute()
    except RuntimeError as error:  # as in a container, for a user without a name
        raise ParameterError(
            "no home folder is known for the cache; set HOME or CITECTX_DATA to a folder"
        ) from error


READ = ("CITECTX_CORPUS", "CITECTX_DATA", "CITECTX_MIRROR", "CITECTX_TAC2014")
"""Environment variables that may name folders of data."""

WRITTEN = ("CITECTX_CACHE", "CITECTX_RESULTS")
"""Environment variables that may name folders of what can be made again."""


def data_folders() -> list[Path]:
    """Return the folders that data is read from, whether or not they are there."""
    named = [os.environ.get(name) for name in READ]
    return [PACKAGE, DATA, data_dir(), *map(Path, filter(None, named))]


def make_absolute() -> None:
    """Make the folders in environment variables absolute: notebooks run in folders of their own."""
    for name in READ + WRITTEN:
        if value := os.environ.get(name):
            os.environ[name] = str(Path(value).expanduser().absolute())
