"""The lock files: hashes that survive, and no address of an index."""

import re
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from citectx.paths import ROOT

LOCKS = [ROOT / f"requirements{what}.lock" for what in ("", "-lab", "-docs")]
PYTHONS = ("3.11", "3.11.5", "3.12", "3.13")
SYSTEMS = {"linux": "Linux", "darwin": "Darwin"}


def pins(lock: Path) -> dict[str, str]:
    """Each pin, with its marker if it has one, and its hashes."""
    lines = lock.read_text("utf-8").replace(" \\\n", "").splitlines()
    parts = [line.partition(" --hash=") for line in lines]
    return {pin.rstrip(): f"{sep}{hashes}" for pin, sep, hashes in parts}


def surroundings(python: str, system: str) -> dict[str, str]:
    """What the markers of requirements ask for."""
    minor = ".".join(python.split(".")[:2])
    names = {
        "sys_platform": system,
        "platform_system": SYSTEMS[system],
        "os_name": "posix",
        "extra": "",
    }
    return {"python_version": minor, "python_full_version": python, **names}


def installed(wanted: Iterable[Requirement], where: dict[str, str]) -> dict[str, Requirement]:
    """Those that pip installs there, by name."""
    here = [each for each in wanted if each.marker is None or each.marker.evaluate(where)]
    assert len({canonicalize_name(each.name) for each in here}) == len(here), "two versions of one"
    return {canonicalize_name(each.name): each for each in here}


def test_an_audit_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    command = ["make", "-s", "audit", "PYTHON=false", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "could not be made" in done.stdout


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_pin_has_hashes_and_no_index_is_named(lock: Path) -> None:
    found = pins(lock)
    assert all(
        re.fullmatch(r"[\w.-]+(\[[\w,.-]+\])?==[\w.+!-]+( ; [\w.<>=*' ]+)?", pin) for pin in found
    )
    assert all("--hash=sha256:" in hashes for hashes in found.values())
    assert not re.search(
        r"https?:|file:|--(extra-)?index-url|--find-links", lock.read_text("utf-8")
    )


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_of_a_pin_is_a_pin(python: str, system: str) -> None:
    """With hashes, pip installs nothing that the file does not name, on any Python and system that
    we support."""
    where = surroundings(python, system)
    core = installed(map(Requirement, pins(LOCKS[0])), where)
    missing = set()
    for name in core:
        try:
            wanted = map(Requirement, distribution(name).requires or ())
        except PackageNotFoundError:
            continue
        applicable = [each for each in wanted if each.marker is None or each.marker.evaluate(where)]
        missing |= {
            f"{name}: {each.name}"
            for each in applicable
            if canonicalize_name(each.name) not in core
        }
    assert missing == set()
