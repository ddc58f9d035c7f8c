"""The lock files: hashes that survive, and no address of an index."""

import subprocess
import sys
from pathlib import Path

import pytest

from citectx.paths import ROOT
from tools import lock

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
