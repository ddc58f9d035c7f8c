"""README as PyPI shows it: its links are absolute, since they lead nowhere there otherwise."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[((?:!\[[^]]*\]\([^)]*\)|[^]])*)\]\((?!https?:|#)([^)\s]+)\)")
"""A link or picture whose target is in the repository; a badge may be inside a link."""

REPOSITORY = re.compile(r'(?m)^REPOSITORY = "(.*)"$')


def for_pypi(text: str, address: str) -> str:
    """Let the links of README lead to the repository; without an address only their words stay.

    >>> for_pypi("![A plot](docs/a.svg) of [us](docs/a.md), [CI](../../actions).", "https://git/us")
    '![A plot](https://git/us/raw/HEAD/docs/a.svg) of [us](https://git/us/blob/HEAD/docs/a.md), \
[CI](https://git/us/actions).'
    >>> for_pypi("![A plot](docs/a.svg) of [us](docs/a.md).", "")
    ' of us.'
    """

    def absolute(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        words = LINK.sub(absolute, words)
        if not address:
            return "" if picture else words
        page = target.removeprefix("../../")
        kind = "" if page != target else "raw/HEAD/" if picture else "blob/HEAD/"
        return f"{picture}[{words}]({address}/{kind}{page})"

    return LINK.sub(absolute, text)


class ReadmeHook(MetadataHookInterface):
    """Gives a wheel the README for PyPI."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field ``readme``, which pyproject.toml leaves to this."""
        root = Path(self.root)
        [name] = REPOSITORY.findall((root / "citectx" / "paths.py").read_text("utf-8"))
        address = "" if name == "OWNER/NAME" else f"https://github.com/{name}"
        text = for_pypi((root / "README.md").read_text("utf-8"), address)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
