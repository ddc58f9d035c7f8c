"""The lock files: hashes that survive, and no address of an index."""

import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from citectx.paths import ROOT

CORE = ROOT / "requirements.lock"


def pins(lock: Path) -> dict[str, str]:
    """Each pin with its hashes."""
    lines = lock.read_text("utf-8").replace(" \\\n", "").splitlines()
    return {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}


def test_an_audit_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    command = ["make", "-s", "audit", "PYTHON=false", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "could not be made" in done.stdout


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-docs.lock"])
def test_every_pin_has_hashes_and_no_index_is_named(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    found = pins(ROOT / name)
    assert all(re.fullmatch(r"[\w.-]+(\[[\w,.-]+\])?==[\w.+!-]+", pin) for pin in found)
    assert all("--hash=sha256:" in hashes for hashes in found.values())
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links", text)


def test_every_requirement_of_a_pin_is_a_pin() -> None:
    """With hashes, pip installs nothing that the file does not name."""
    names = {canonicalize_name(re.split(r"[=\[]", pin)[0]) for pin in pins(CORE)}
    missing = set()
    for name in names:
        try:
            wanted = map(Requirement, distribution(name).requires or ())
        except PackageNotFoundError:
            continue
        applicable = (r for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""}))
        missing |= {f"{name}: {r.name}" for r in applicable if canonicalize_name(r.name) not in names}
    assert missing == set()
