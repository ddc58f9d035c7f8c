"""The lock files: hashes that survive, and no address of an index."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from citectx.paths import ROOT
from tools import lock

CORE = ROOT / "requirements.lock"
TEXT = "# why\na==1 \\\n    --hash=sha256:12 \\\n    --hash=sha256:34\nb[x]==2\n"


def test_pins_come_back_with_their_hashes() -> None:
    comments, pins = lock.read(TEXT)
    assert pins == {"a==1": ["sha256:12", "sha256:34"], "b[x]==2": []}
    assert lock.written(comments, pins) == TEXT
    for wrong in ("a>=1\n", "a\n", "--index-url https://example.org\n"):
        with pytest.raises(SystemExit):
            lock.read(wrong)


def test_an_audit_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, ROOT / "tools" / "audit.py", tmp_path / "file", "requirements.lock"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "could not be made" in done.stdout


@pytest.mark.parametrize("name", lock.FILES)
def test_every_pin_has_hashes_and_no_index_is_named(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert [pin for pin, hashes in lock.read(text)[1].items() if not hashes] == []
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links", text)


def test_every_requirement_of_a_pin_is_a_pin() -> None:
    """With hashes, pip installs nothing that the file does not name."""
    names = {canonicalize_name(re.split(r"[=\[]", pin)[0]) for pin in lock.read(CORE.read_text("utf-8"))[1]}
    missing = set()
    for name in names:
        try:
            wanted = map(Requirement, distribution(name).requires or ())
        except PackageNotFoundError:
            continue
        applicable = (r for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""}))
        missing |= {f"{name}: {r.name}" for r in applicable if canonicalize_name(r.name) not in names}
    assert missing == set()
