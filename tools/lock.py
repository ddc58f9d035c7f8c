"""Add hashes to the pins of the lock files, so that pip installs nothing but the files that they name.

    python tools/lock.py [--all]

A new dependency is a new line ``name==version``; pins that have hashes keep them, unless ``--all`` asks for
all anew. The hashes are those of all files of a version, for every platform, as the package index lists them;
pip-tools asks for them (``pip install pip-tools``, best in an environment of its own). Nothing is
resolved or upgraded here: pip does that, and ``pip freeze`` shows the pins.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("requirements.lock", "requirements-docs.lock")


def read(lock: str) -> tuple[list[str], dict[str, list[str]]]:
    r"""Return the comments at the top, and each pin with the hashes it has.

    >>> read("# why\na==1 \\\n    --hash=sha256:12\nb==2\n")
    (['# why'], {'a==1': ['sha256:12'], 'b==2': []})
    """
    comments = [line for line in lock.splitlines() if line.startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", lock)
    lines = [line.split() for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    for pin, *_ in lines:
        if not re.fullmatch(r"[\w.-]+(\[[\w,.-]+\])?==[\w.+!-]+", pin):
            sys.exit(f"expected name==version, found {pin!r}")
    return comments, {line[0]: [part.removeprefix("--hash=") for part in line[1:]] for line in lines}


def written(comments: list[str], pins: dict[str, list[str]]) -> str:
    """Return the text of a lock file: pins in alphabetical order, each with its hashes."""
    lines = sorted(pins.items(), key=lambda item: item[0].lower())
    parts = [" \\\n    --hash=".join([pin, *sorted(hashes)]) for pin, hashes in lines]
    return "\n".join([*comments, *parts, ""])


def asking(folder: str) -> Callable[[str], list[str]]:
    """Return what asks the index for the hashes of a pin, with pip's own settings."""
    try:
        from pip._internal.req.constructors import install_req_from_line
        from piptools.repositories import PyPIRepository
    except ImportError:
        sys.exit("pip-tools is needed: pip install pip-tools, best in an environment of its own")
    index = PyPIRepository([], cache_dir=folder)

    def ask(pin: str) -> list[str]:
        with index.allow_all_wheels():  # not those of this machine alone
            return sorted(index.get_hashes(install_req_from_line(pin)))

    return ask


def main() -> None:
    """Complete both lock files."""
    parser = argparse.ArgumentParser(description="Put hashes to the pins of the lock files.")
    parser.add_argument("--all", action="store_true", help="ask again for pins that have hashes")
    again = parser.parse_args().all
    with tempfile.TemporaryDirectory() as folder:
        ask = None
        for name in FILES:
            comments, pins = read((ROOT / name).read_text("utf-8"))
            for pin in [pin for pin, hashes in pins.items() if again or not hashes]:
                ask = ask or asking(folder)
                pins[pin] = ask(pin) or sys.exit(f"the index has no file of {pin}")
                print(f"{pin}: {len(pins[pin])} files", flush=True)
            (ROOT / name).write_text(written(comments, pins), "utf-8")


if __name__ == "__main__":
    main()
