"""From data to one HTML file that needs no network and never executes an article's text.

The data is in a script element of type ``application/json``, which browsers do not execute; the
page's own script reads it and sets text by ``textContent`` alone. Should anything slip through
nevertheless, the content security policy allows no script and no style but the two of this file (by
their hashes), and no request at all.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from citectx.reading import read_text


def render(data: Mapping[str, Any]) -> str:
    """Return the page for the data of `citectx.apps.viewer.content`."""
    style, script = _asset("page.css"), _asset("marks.js") + _asset("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "POLICY": escape(policy, quote=False),
        "TITLE": escape(f"{data['topic']} · {data['title'] or 'citation contexts'}"),
        "STYLE": style,
        "DATA": embedded(data),
        "SCRIPT": script,
    }
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda match: parts[match[1]], _asset("page.html"))


def embedded(data: Mapping[str, Any]) -> str:
    r"""Return JSON that is safe in a script element: ASCII without any character of markup.

    >>> embedded({"text": "</script>&"})
    '{"text":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return re.sub(r"[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)


def framed(page: str, height: int = 720) -> str:
    """Return an iframe that holds a whole page, for notebooks; it may run scripts and nothing else.

    The page's style and the notebook's cannot meddle with each other.
    """
    style = "border: 1px solid #8888; border-radius: 6px"
    return (
        '<div><iframe title="Citation contexts" sandbox="allow-scripts" width="100%" '
        f'height="{int(height)}" style="{style}" srcdoc="{escape(page)}"></iframe></div>'
    )


def _asset(name: str) -> str:
    return read_text(Path(__file__).with_name(name))


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
