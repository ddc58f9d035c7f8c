"""What is missing for a run, and what to do next: the command ``citectx doctor``."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from citectx import __version__
from citectx.corpora.sources import registry
from citectx.paths import IN_CHECKOUT, ROOT, data_dir, results_dir

LOCK = ROOT / "requirements.lock"
PIN = re.compile(r"(?m)^([\w.-]+)(?:\[\S+\])?==(\S+) \\$")
"""A library that every Python and system has, with its version: those with a marker are not."""


def libraries() -> Iterator[str]:
    """Yield the libraries that are not those of the lock; a wheel has no lock."""
    for name, wanted in PIN.findall(LOCK.read_text("utf-8")) if LOCK.is_file() else ():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "missing"
        if found != wanted:
            yield f"{name} {found} (the lock has {wanted})"


def locked_folders() -> Iterator[str]:
    """Yield the folders of results and data that may not be written, or whose parents may not."""
    for folder in (results_dir().absolute(), data_dir()):
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(nearest, os.W_OK):
            yield str(folder)


def missing_sources() -> list[str]:
    """Return the open sources that are neither here nor in the mirror."""
    known = [source for source in registry().values() if source.sha256]
    return [s.name for s in known if not (s.folder.is_dir() or s.archive.is_file())]


def has_kernel() -> bool:
    """Tell whether this Python can start a kernel for notebooks."""
    command = [sys.executable, "-m", "ipykernel_launcher", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def next_command(missing: list[str]) -> str:
    """Name the command that a reader wants next."""
    if not [*Path(results_dir(), "teaching").glob("0*")]:
        return "citectx run"
    if missing:
        return "citectx fetch --all"
    if not [*Path(data_dir(), "embeddings").glob("*-cbow")]:
        return "make vectors" if IN_CHECKOUT else "citectx train biomedical"
    return "citectx run --profile open"


def cmd_doctor() -> None:
    """Run ``citectx doctor``."""
    place = "checkout" if IN_CHECKOUT else "wheel"
    print(f"citectx {__version__} ({place}), Python {platform.python_version()}")
    missing = missing_sources()
    checks = [
        ("libraries are those of the lock", [*libraries()]),
        ("folders of results and data may be written", [*locked_folders()]),
        ("open sources that lessons read are here", missing),
        ("kernels start", [] if has_kernel() else ["ipykernel does not; install citectx again"]),
    ]
    for what, wrong in checks:
        print(f"{'not' if wrong else 'ok':5} {what}", *wrong, sep="\n        ")
    print(f"next: {next_command(missing)}")
