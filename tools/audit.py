"""Ask whether a locked dependency has a known vulnerability, where the network allows.

    python tools/audit.py VENV LOCK...

pip-audit goes into an environment of its own, so that it is no dependency of ours. The exit code is 1 for a
known vulnerability; if the question could not be asked, that is said, and the code is 0.
"""

import subprocess
import sys
import venv
from pathlib import Path

UNASKED = "the known-vulnerability check could not be made"
SECONDS = 300


def main(folder: Path, locks: list[str]) -> int:
    """Install pip-audit if need be, and ask it about each lock file."""
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip-audit"]
        subprocess.run(install, check=True, capture_output=True, timeout=SECONDS)
        command = [python, "-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        for lock in locks:
            command += ["--requirement", lock]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        print(f"{UNASKED}: {error}")
        return 0
    found = "Found " in done.stderr and "vulnerabilit" in done.stderr
    if done.returncode and not found:
        print(f"{UNASKED}: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
        return 0
    print(done.stdout + done.stderr, end="")
    return int(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
