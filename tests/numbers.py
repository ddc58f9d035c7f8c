"""Numbers in prose: tests look for them, and ``python -m tests.numbers --write`` writes them.

`says` is the one place where a test asks whether a page has a sentence or a row. While writing, it
looks for the same words with other numbers, and puts the numbers of the tables there. Words stay:
where a rival, a verdict or a sign has changed, a person has to write the sentence anew.
"""

import argparse
import json
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from citectx.paths import NOTEBOOKS, ROOT

WRITE = "CITECTX_WRITE_NUMBERS"
"""The variable that tells tests to write."""

NUMBER = re.compile(r"(?<![\w.,])(?:< )?[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
"""Such as +1.2, 1,048 or < 0.001; the digits of BM25 and F-1 belong to a word."""

PROSE = (
    *("tests/test_readme.py", "tests/test_docs.py"),
    *("tests/ledger/test_page.py", "tests/test_benchmarks.py"),
)
"""The tests that ask what pages say."""

LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def file_of(place: str) -> Path:
    """Return the file of README, of a page such as "choices.md", or of a lesson such as "01".

    A page outside of docs is named with its folder, such as "benchmarks/README.md".
    """
    if place == "README":
        return ROOT / "README.md"
    if place.endswith(".md"):
        return ROOT / place if "/" in place else ROOT / "docs" / place
    (lesson,) = NOTEBOOKS.glob(f"{place}_*.ipynb")
    return lesson


def is_on_open_data(cell: dict[str, dict[str, list[str]]]) -> bool:
    """Tell whether a cell of a lesson speaks of open data."""
    return "open-data" in cell["metadata"].get("tags", ())


@cache
def paragraphs_of(place: str) -> list[str]:
    """README, a page, or what a lesson says of open data: a line per paragraph, without links."""
    text = file_of(place).read_text("utf-8")
    if not place.endswith(".md") and place != "README":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if is_on_open_data(cell))
    text = LINK.sub(r"\1", text)
    return [" ".join(part.split()) for part in re.split(r"\n\n(?!\|)|\n(?=- )", text)]


def text_of(place: str) -> str:
    """What a place says, on one line."""
    return " ".join(paragraphs_of(place))


def says(place: str, wanted: str) -> None:
    """Check that a place says something; while writing, correct the numbers of its sentence."""
    if os.environ.get(WRITE) and wanted not in text_of(place):
        write(place, wanted)
        paragraphs_of.cache_clear()
    page = file_of(place).relative_to(ROOT).as_posix()
    assert wanted in text_of(place), f"{page} must say: … {wanted} …"


def write(place: str, wanted: str) -> None:
    """Correct the numbers of a sentence in its file, if it is there with others."""
    path = file_of(place)
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        path.write_text(corrected(text, wanted), "utf-8")
        return
    lesson = json.loads(text)
    for cell in filter(is_on_open_data, lesson["cells"]):
        source = corrected("".join(cell["source"]), wanted)
        cell["source"] = source.splitlines(keepends=True)
    path.write_text(json.dumps(lesson, indent=1, ensure_ascii=False) + "\n", "utf-8")


def corrected(raw: str, wanted: str) -> str:
    """Return a text with the numbers of a sentence put right; links and line breaks stay.

    Of several sentences with these words (rows of a table, say) it is the one that has most of the
    numbers already; if there are two such ones, none is changed.

    >>> corrected("We [gain](x.md) +1.2\\n[0.1, 2.3] points.", "gain +1.3 [0.2, 2.4] points")
    'We [gain](x.md) +1.3\\n[0.2, 2.4] points.'
    """
    links = [
        (link.start(), link.start() + 1, link.end(1), link.end()) for link in LINK.finditer(raw)
    ]
    hidden = {i for a, b, c, d in links for i in (*range(a, b), *range(c, d))}
    shown = [i for i in range(len(raw)) if i not in hidden]  # where each character shown stands
    words = NUMBER.split(wanted)
    blanks = [re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(word)) for word in words]
    pattern = re.compile(f"({NUMBER.pattern})".join(blanks))
    numbers = NUMBER.findall(wanted)

    def right(found: re.Match[str]) -> int:
        return sum(a == b for a, b in zip(found.groups(), numbers, strict=True))

    text = "".join(raw[i] for i in shown)
    matches = sorted(pattern.finditer(text), key=right, reverse=True)
    if not matches or (len(matches) > 1 and right(matches[0]) == right(matches[1])):
        return raw
    for group in range(len(numbers), 0, -1):  # from the end, so that earlier places stay
        start, end = matches[0].span(group)
        raw = raw[: shown[start]] + numbers[group - 1] + raw[shown[end - 1] + 1 :]
    return raw


def main() -> int:
    """Run the tests of README, pages and lessons, and let them write if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.numbers", description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="write the numbers of the tables")
    if parser.parse_args().write:
        os.environ[WRITE] = "1"
    return pytest.main(["-q", *PROSE])


if __name__ == "__main__":
    sys.exit(main())
