"""No other people's text here: no eight words in a row of the open corpora in any file."""

import gzip
import html
import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from citectx import profiles
from citectx.corpora import sources

RUN, CONTENT, LETTERS = 8, 5, 4
"""A run is eight words, five different ones of which have four letters or more: "at the top of the
page of the" and rows of symbols are nobody's."""

FORMULAS = (
    b"high blood pressure is a major risk factor",
    b"we carried out a genome wide association study",
)
"""Common phrases that our teaching corpus shares with some of 11,000 articles by chance."""

TO_COPY = "LICENSE"
"""How the names of texts begin that everybody is meant to copy."""

Run = tuple[bytes, ...]


def text_of(file: Path) -> str:
    data = file.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace")


def runs(text: str) -> Iterator[Run]:
    """Every eight words in a row; a word is of lower-case ASCII letters, which all else parts."""
    words = re.findall(rb"[a-z]+", text.encode("ascii", errors="replace").lower())
    return zip(*(words[i:] for i in range(RUN)), strict=False)


def is_somebodys(run: Run) -> bool:
    return len({word for word in run if len(word) >= LETTERS}) >= CONTENT


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


@pytest.mark.slow
@pytest.mark.open_data
def test_no_run_of_eight_words_of_the_open_corpora_in_a_tracked_file(tracked: list[Path]) -> None:
    texts = corpora()
    first = next(texts)  # without the corpora there is nothing to prepare for
    places = {
        run: file.name
        for file in tracked
        if not file.name.startswith(TO_COPY) and file.suffix not in {".png", ".npz"}
        for run in runs(text_of(file))
        if is_somebodys(run)
    }
    assert len(places) > 10_000
    ours = places.keys() - {tuple(phrase.split()) for phrase in FORMULAS}
    shared = [ours.intersection(runs(text)) for text in chain([first], texts)]
    assert {places[run]: b" ".join(run) for run in set[Run]().union(*shared)} == {}
