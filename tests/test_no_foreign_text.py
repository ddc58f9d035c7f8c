"""No other people's text in the repository: no eight words in a row of the open corpora in any file."""

import gzip
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citectx import profiles
from citectx.corpora import sources
from citectx.paths import ROOT

RUN, CONTENT, LETTERS = 8, 5, 4
"""A run is eight words, five different ones of which have four letters or more: "at the top of the page of
the" and rows of symbols are nobody's."""

FORMULAS = {
    "high blood pressure is a major risk factor",
    "we carried out a genome wide association study",
}
"""Common phrases that our teaching corpus shares with some of 11,000 articles by chance."""

LOWER = bytes(c + 32 if 65 <= c <= 90 else c if 97 <= c <= 122 else 32 for c in range(256))
OURS = {"LICENSE", "LICENSE-TEXT"}
"""Texts that everybody is meant to copy."""


def tracked() -> Iterator[tuple[str, str]]:
    """All tracked files that hold text, compressed ones included."""
    try:
        run = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    for name in filter(None, run.stdout.split("\0")):
        file = ROOT / name
        if name in OURS or not file.is_file() or file.suffix in {".png", ".npz"}:
            continue
        data = file.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", errors="replace")
        yield name, text


def words(text: str) -> list[bytes]:
    """Lower-case ASCII letters; all else parts words."""
    return text.encode("ascii", errors="replace").translate(LOWER).split()


def runs(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash of every run of known words; words that no tracked file has are -1, and no run holds one.

    The run that begins at the word i has the place i; 0 stands where none begins.
    """
    if len(numbers) < RUN:
        return np.empty(0, dtype=np.uint64)
    powers = np.uint64(0x9E3779B97F4A7C15) ** np.arange(1, RUN + 1, dtype=np.uint64)
    known = np.flatnonzero(np.convolve(numbers < 0, np.ones(RUN, dtype=np.int64), "valid") == 0)
    hashes = np.zeros(len(numbers) - RUN + 1, dtype=np.uint64)
    for i, power in enumerate(powers):
        hashes[known] += numbers[known + i].astype(np.uint64) * power
    return hashes


def is_passage(run: Sequence[bytes]) -> bool:
    return len({w for w in run if len(w) >= LETTERS}) >= CONTENT and b" ".join(run).decode() not in FORMULAS


class Tracked:
    """Every run of eight words in the tracked files, and where it stands."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self.texts = {name: words(text) for name, text in files}
        self.number = {w: i for i, w in enumerate(sorted({w for ws in self.texts.values() for w in ws}))}
        self.runs = {name: self._passages(ws) for name, ws in self.texts.items()}
        self.all = np.unique(np.concatenate([*self.runs.values(), np.zeros(1, dtype=np.uint64)]))[1:]

    def _passages(self, own: list[bytes]) -> NDArray[np.uint64]:
        hashes = runs(self.numbers(own))
        for i in range(len(hashes)):
            if not is_passage(own[i : i + RUN]):
                hashes[i] = 0
        return hashes

    def numbers(self, found: list[bytes]) -> NDArray[np.int64]:
        return np.fromiter((self.number.get(w, -1) for w in found), dtype=np.int64, count=len(found))

    def shared(self, text: str) -> dict[str, str]:
        """By tracked file, the first run of eight words that it shares with a text."""
        theirs = np.unique(runs(self.numbers(words(text))))
        places = np.minimum(np.searchsorted(self.all, theirs), len(self.all) - 1)
        common = theirs[self.all[places] == theirs]
        found = {}
        for name, own in self.runs.items() if len(common) else ():
            hits = np.flatnonzero(np.isin(own, common))
            if len(hits):
                found[name] = b" ".join(self.texts[name][int(hits[0]) : int(hits[0]) + RUN]).decode()
        return found


def corpora() -> Iterator[str]:
    for name in ("citation-integrity", "scisumm-train", "scisumm-gold", "scisummnet"):
        for topic in profiles.load(name):
            yield topic.reference.text
            yield from (document.text for document in topic.citing.values())
            yield from (citance.text for citance in topic.citances)
            yield from topic.summaries.values()
    for source, pattern in (
        ("citation-integrity-fulltext", "**/Reference/*/*.txt"),
        ("citation-integrity-fulltext", "**/FullText/*/*.txt"),
        ("coresc-corpora", "**/*.xml"),
    ):
        seen = set[str]()
        for path in sorted(sources.folder(source).glob(pattern)):
            if path.name not in seen:
                seen.add(path.name)
                yield re.sub(r"<[^>]*>", " ", path.read_text("utf-8", errors="replace"))


def test_a_planted_run_is_found_and_seven_words_are_not() -> None:
    files = Tracked(
        [("a.md", "We saw that ten red cells, resting, divide again and again today."), ("b", "x")]
    )
    assert files.shared("Red cells resting divide again and again today, they say") == {
        "a.md": "red cells resting divide again and again today"
    }
    assert files.shared("Cells resting divide again and again today, they say") == {}


@pytest.mark.open_data
def test_no_run_of_eight_words_of_the_open_corpora_in_a_tracked_file() -> None:
    files = Tracked(tracked())
    assert len(files.all) > 10_000
    shared = {name: run for text in corpora() for name, run in files.shared(text).items()}
    assert shared == {}


def test_the_check_reads_compressed_files(tmp_path: Path) -> None:
    names = [name for name, _ in tracked()]
    assert any(name.endswith(".csv.gz") for name in names)
