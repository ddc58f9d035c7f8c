"""The lock files: hashes that survive, and no address of an index."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

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


def installs(target: str, uv: str, folder: Path) -> list[list[str]]:
    """What each installing command of a target that is not made yet is about."""
    made = ["make", "--dry-run", target, f"VENV={folder / 'venv'}", f"UV={uv}"]
    done = subprocess.run(made, cwd=ROOT, capture_output=True, text=True, check=True)
    commands = [line for line in done.stdout.splitlines() if " pip install " in line]
    tools = ["uv pip"] if uv else []
    tools.append(f"{folder / 'venv'}/bin/python -m pip")
    how = ("--quiet", "--compile-bytecode", "--python", "--disable-pip-version-check")
    found = []
    for command in commands:
        ways = command.split(" || ")
        assert [way.partition(" install ")[0] for way in ways] == tools
        assert all(f"{folder / 'venv'}/bin/python" in way for way in ways)
        words = [way.partition(" pip install ")[2].split() for way in ways]
        about = [[w for w in each if w not in how and "venv" not in w] for each in words]
        assert all(each == about[0] for each in about)
        found.append(about[0])
    return found


@pytest.mark.parametrize(("target", "further"), [("env", []), ("lab", ["lab"]), ("site", ["docs"])])
def test_uv_and_pip_install_the_same_files_by_their_hashes(
    target: str, further: list[str], tmp_path: Path
) -> None:
    named = ["requirements.lock", *(f"requirements-{each}.lock" for each in further)]
    core, *rest = [["--require-hashes", "-r", name] for name in named]
    ours = ["--no-deps", "--no-build-isolation", "-e", "."]
    for uv in ("uv", ""):
        assert installs(target, uv, tmp_path) == [core, ours, *rest]


def test_where_uv_finds_no_index_pip_is_asked(tmp_path: Path) -> None:
    for name in ("uv", "python"):
        program = tmp_path / "venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "{name} $*"\ntest {name} = python\n')
        program.chmod(0o755)
    given = [f"VENV={tmp_path / 'venv'}", "PYTHON=true", f"UV={tmp_path / 'venv/bin/uv'}"]
    how: dict[str, Any] = {"cwd": ROOT, "capture_output": True, "text": True}
    done = subprocess.run(["make", "-s", "env", *given], check=False, **how)
    assert done.returncode == 0, done.stderr
    tools = [line.split()[0] for line in done.stdout.splitlines()]
    assert tools == ["uv", "python", "uv", "python"]


def test_without_uv_the_environment_is_made_with_pip(tmp_path: Path) -> None:
    command = ["make", "--dry-run", "env", f"VENV={tmp_path / 'venv'}"]
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("make", "sh", "touch"):
        (programs / name).symlink_to(str(shutil.which(name)))
    (programs / "uv").write_text("#!/bin/sh\nexit 127\n")  # as of a version that is not installed
    (programs / "uv").chmod(0o755)
    surroundings = {"PATH": str(programs)}
    how: dict[str, Any] = {"cwd": ROOT, "env": surroundings, "capture_output": True}
    done = subprocess.run(command, check=True, text=True, **how)
    assert "bin/python -m pip install" in done.stdout
    assert "uv pip" not in done.stdout


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
