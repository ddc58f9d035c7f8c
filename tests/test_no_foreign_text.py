"""No other people's text in the repository: no eight words in a row of the open corpora in any
file."""

import gzip
import html
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

import numpy as np
import pytest
from numpy.typing import NDArray

from citectx import profiles
from citectx.corpora import sources
from citectx.paths import ROOT

RUN, CONTENT, LETTERS = 8, 5, 4
"""A run is eight words, five different ones of which have four letters or more: "at the top of the
page of the" and rows of symbols are nobody's."""

FORMULAS = {
    "high blood pressure is a major risk factor",
    "we carried out a genome wide association study",
}
"""Common phrases that our teaching corpus shares with some of 11,000 articles by chance."""

LOWER = bytes(c + 32 if 65 <= c <= 90 else c if 97 <= c <= 122 else 32 for c in range(256))
TO_COPY = "LICENSE"
"""How the names of texts begin that everybody is meant to copy."""

BASE, ORDER = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
"""Odd multipliers, of letters in a word and of words in a run; all arithmetic is modulo 2**64."""
Hashes = NDArray[np.uint64]


def tracked() -> Iterator[tuple[str, str]]:
    """All tracked files that hold text, compressed ones included."""
    try:
        run = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    for name in filter(None, run.stdout.split("\0")):
        file = ROOT / name
        if name.startswith(TO_COPY) or not file.is_file() or file.suffix in {".png", ".npz"}:
            continue
        data = file.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(
            "utf-8", errors="replace"
        )
        yield name, text


def letters(text: str) -> bytes:
    """Lower-case ASCII letters; all else is a space and parts words."""
    return text.encode("ascii", errors="replace").translate(LOWER)


@cache
def powers(base: int, bits: int) -> Hashes:
    """Powers of a base from 0 on, 2**bits of them."""
    factors = np.array([1] + [base] * (2**bits - 1), dtype=np.uint64)
    return np.cumprod(factors, dtype=np.uint64)


def words(text: str) -> tuple[Hashes, NDArray[np.int64]]:
    """Hash and length of every word."""
    codes = np.frombuffer(letters(text), dtype=np.uint8)
    edges = np.flatnonzero(np.diff(codes != ord(" "), prepend=False, append=False))
    starts, ends, bits = edges[::2], edges[1::2], len(codes).bit_length()
    total = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * powers(BASE, bits)[: len(codes)], out=total[1:])
    own = (total[ends] - total[starts]) * powers(pow(BASE, -1, 2**64), bits)[starts]
    return own ^ (own >> np.uint64(29)), ends - starts


def runs(own: Hashes) -> Hashes:
    """Hash of every run of words, at the place of its first."""
    n = max(0, len(own) - RUN + 1)
    return sum(
        (own[i : i + n] * power for i, power in enumerate(powers(ORDER, 3))), np.zeros(n, np.uint64)
    )


def passages(text: str) -> Hashes:
    """Hashes of the runs with enough different words; 0 in the place of the others."""
    own, lengths = words(text)
    hashes = runs(own)
    n, different = len(hashes), np.zeros(len(hashes), dtype=np.int64)
    for i in range(RUN):
        new = lengths[i : i + n] >= LETTERS
        for j in range(i):
            new &= own[i : i + n] != own[j : j + n]
        different += new
    nobodys = np.concatenate([runs(words(each)[0]) for each in sorted(FORMULAS)])
    return np.where((different >= CONTENT) & ~np.isin(hashes, nobodys), hashes, 0)


class Tracked:
    """Every run of eight words in the tracked files, and where it is."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self.texts = dict(files)
        self.runs = {name: passages(text) for name, text in self.texts.items()}
        self.all = np.setdiff1d(np.concatenate([*self.runs.values()]), [0])
        self.may = np.zeros(2**24, dtype=bool)
        """Whether any of the runs begins with these 24 bits."""
        self.may[self.all >> np.uint64(40)] = True

    def shared(self, text: str) -> dict[str, str]:
        """By tracked file, the first run of eight words that it shares with a text."""
        theirs = runs(words(text)[0])
        theirs = theirs[self.may[theirs >> np.uint64(40)]]
        places = np.minimum(np.searchsorted(self.all, theirs), len(self.all) - 1)
        common = theirs[self.all[places] == theirs]
        found = {}
        for name, own in self.runs.items() if len(common) else ():
            hits = np.flatnonzero(np.isin(own, common))
            if len(hits):
                run = letters(self.texts[name]).split()[hits[0] : hits[0] + RUN]
                found[name] = b" ".join(run).decode()
        return found


def corpora() -> Iterator[str]:
    for topic in (*profiles.load("citation-integrity"), *profiles.load("citation-integrity-31")):
        yield from (topic.reference.text, *(document.text for document in topic.citing.values()))
        yield from (citance.text for citance in topic.citances)
    for path in sorted(sources.folder("scisumm-corpus").glob("data/**/*.json")):
        for sentence in json.loads(path.read_bytes()):
            yield from (sentence["raw_text"], sentence["clean_text"])
    for source, pattern in (
        ("scisumm-corpus", "data/**/*.xml"),
        ("scisumm-corpus", "data/**/summary/*.txt"),
        ("scisumm-corpus", "data/**/Task2/*.*"),
        ("citation-integrity-fulltext", "**/Reference/*/*.txt"),
        ("citation-integrity-fulltext", "**/FullText/*/*.txt"),
        ("coresc-corpora", "**/*.xml"),
    ):
        found = sorted(sources.folder(source).glob(pattern))
        if source != "scisumm-corpus":  # the others have the same articles in several folders
            found = sorted({path.name: path for path in found}.values())
        for path in found:
            yield html.unescape(re.sub(r"<[^>]*>", " ", path.read_text("utf-8", errors="replace")))


@pytest.mark.open_data
def test_no_run_of_eight_words_of_the_open_corpora_in_a_tracked_file() -> None:
    texts = corpora()
    first = next(texts)  # without the corpora there is nothing to prepare for
    files = Tracked(tracked())
    assert len(files.all) > 10_000
    shared = {
        name: run for text in chain([first], texts) for name, run in files.shared(text).items()
    }
    assert shared == {}
