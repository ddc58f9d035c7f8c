"""The command ``citectx view``."""

import re
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import ParameterError, unknown
from citectx.storage import write_atomically
from citectx.viewer.choice import choose
from citectx.viewer.content import citance_number, content
from citectx.viewer.page import render

MARK = b'<meta name="generator" content="citectx view">'
"""In the head of every page: only such a file is replaced."""


def cmd_view(
    topic: str,
    profile: str = "teaching",
    corpus: str | None = None,
    methods: Sequence[str] | None = None,
    out: Path | None = None,
    *,
    citance: str | None = None,
    tuned: bool = True,
    opened: bool = True,
) -> int:
    """Write the page of a topic, and open it in the browser.

    Raises
    ------
    ParameterError
        For an unknown topic, corpus, profile, citance or method, and if `out` cannot be written to.
    MissingDataError
        If a corpus, or what a named method needs, is not on this machine.
    """
    chosen = profiles.profile(profile)
    path = out or chosen.results / "views" / f"{file_name(topic)}.html"
    _check_out(out)
    found = find(topic, [corpus] if corpus else chosen.corpora)
    citance_number(found[topic], citance)
    choice = choose(found, found[topic], methods, tuned=tuned, progress=sys.stderr.isatty())
    data = content(choice.prepared, choice.shown, choice.left_out, corpus=found.name, start=citance)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(data).encode())
    print(f"{path}: {len(data['citances'])} citances, {len(data['methods'])} methods")
    if opened and not webbrowser.open(path.resolve().as_uri()):
        print("no browser was found here: open the file in one")
    return 0


def find(topic: str, corpora: Sequence[str]) -> Corpus:
    """Return the first corpus that has a topic.

    Raises
    ------
    ParameterError
        If none has; the message lists all their topics.
    """
    known: list[str] = []
    for name in corpora:
        corpus = profiles.load(name)
        topics = [t.topic_id for t in corpus]
        if topic in topics:
            return corpus
        known += topics
    raise unknown(f"topic of {' and '.join(corpora)}", topic, known)


def file_name(topic: str) -> str:
    """Make a file name of a topic's id.

    >>> file_name("D9001_TEACH"), file_name("../a b")
    ('D9001_TEACH', '_.._a_b')
    """
    name = re.sub(r"[^\w.-]", "_", topic)
    return f"_{name}" if name.startswith(".") else name


def _check_out(out: Path | None) -> None:
    if out is None:
        return
    if out.is_dir():
        raise ParameterError(f"{out} is a folder: name the file, such as {out / 'view.html'}")
    if out.exists() and MARK not in out.read_bytes()[:4096]:
        raise ParameterError(f"{out} was not written by citectx view: name another file, or move it away")
    if not out.parent.is_dir():
        raise ParameterError(f"there is no folder {out.parent}: make it first, or name another")
