"""What is read is noted: nothing below the project's folders is opened behind the run's back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from citectx import parallel, reading
from citectx.paths import DATA


def test_names_are_noted_by_this_process_and_by_workers(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.txt" for i in range(4)]
    for file in files:
        file.write_text("text")
    with reading.recording() as seen:
        assert parallel.run(reading.read_text, files, jobs=2) == ["text"] * 4
    assert {str(file) for file in files} <= set(seen)
    assert "citectx.reading" in reading.modules()


def test_a_missing_file_and_a_listing_are_noted(tmp_path: Path) -> None:
    (tmp_path / ".hidden.txt").touch()
    (tmp_path / "b.txt").touch()
    (tmp_path / "a.txt").touch()
    with reading.recording() as seen:
        assert not reading.there(tmp_path / "missing.txt")
        assert [p.name for p in reading.listing(tmp_path, "*.txt")] == ["a.txt", "b.txt"]
        assert reading.listing(tmp_path / "nowhere") == []
    names = [Path(name).relative_to(tmp_path).as_posix() for name in seen]
    assert names == ["missing.txt", "*.txt", "nowhere/*"]


def test_a_temporary_folder_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with reading.recording() as seen:
        reading.read_text(tmp_path / "a.txt")
        assert str(tmp_path / "a.txt") in reading.noted()
        reading.forget(tmp_path)
    assert not seen
    assert str(tmp_path / "a.txt") not in reading.noted()


READS = {
    "noted": "from citectx import reading; reading.read_bytes(FILE)",
    "not noted": "FILE.read_bytes()",
    "by another library": "import numpy as np; np.genfromtxt(str(FILE), dtype=str)",
    "elsewhere": "Path(__import__('os').__file__).read_bytes()",
}


@pytest.mark.parametrize("kind", READS)
def test_kernels_of_lessons_refuse_to_open_what_is_not_noted(kind: str) -> None:
    """Every notebook runs under this watch in `make test`."""
    code = "import citectx.reading\nfrom pathlib import Path\n"
    code += f"FILE = Path({str(DATA / 'README.md')!r})\n{READS[kind]}"
    watch = Path(__file__).with_name("audited.py").read_text("utf-8")
    watch = watch.replace("Path(__file__)", f"Path({__file__!r})")
    done = subprocess.run(
        [sys.executable, "-c", f"{watch}\n{code}"],
        env=os.environ | {"CITECTX_AUDITED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    refused = "opened without citectx.reading" in done.stderr
    assert refused == (kind in ("not noted", "by another library")), done.stderr
