"""Link the words of the lessons to the glossary, each where it first stands in a lesson.

    python tools/glossary_links.py

Whoever writes a lesson need not think of links: run this afterwards. Links to entries of the
glossary that are there already are taken out first, so that a second run changes nothing. Headings,
code, formulas and the text of other links are left alone.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citectx.paths import NOTEBOOKS, ROOT
from citectx.storage import write_atomically

GLOSSARY = "../docs/glossary.md"
ORDINARY = {
    *("baseline", "expand", "feedback", "gain", "longest", "most-cited", "random", "reduce"),
    *("control", "context", "interval", "lead", "parameter", "reading", "teaching", "topic"),
    *("np", "kw", "mu", "lambda", "delta", "phi", "tau", "art", "cra", "lda", "no-query"),
}
"""Entries whose words mean something else as often as not, or are explained where they stand."""

WORDS = {
    "citance": r"citances?",
    "reference-span": r"reference spans?",
    "reference-article": r"reference articles?",
    "citing-article": r"citing articles?",
    "citation-context": r"citation contexts?",
    "gold-standard": r"gold standards?",
    "candidate": r"candidates?",
    "human-precision": r"human precision",
    "cross-validation": r"cross-validation|cross-validated",
    "specification-curve": r"specification curves?",
    "hill-climbing": r"hill climbing",
    "bootstrap": r"bootstrap",
    "paired-t-test": r"paired t-tests?",
    "krippendorffs-alpha": r"Krippendorff.s α",
    "kendalls-tau": r"Kendall.s τ",
    "lmd": r"LMD|query likelihood",
    "verdicts": r"verdicts?",
    "core-scientific-concepts": r"CoreSC|Core Scientific Concepts?",
    "rouge-1": r"ROUGE(?:-1)?",
    "stop-words": r"stop words?",
    "stemming": r"stemming|stemmed",
    "bag-of-words": r"bags? of words",
    "embedding": r"(?:word )?embeddings?",
    "ontology": r"ontology|ontologies",
    "retrofitting": r"retrofitting|retrofitted",
    "kullback-leibler-divergence": r"Kullback-Leibler divergence|KL divergence",
}
"""Patterns of words that are written in more than one way; other entries are looked for as they
are."""

LINK = re.compile(rf"\[([^\]\[]+)\]\({re.escape(GLOSSARY)}#[\w-]+\)")
CLOSED = re.compile(
    r"^#[^\n]*|^\$\$.*?\$\$|```.*?```|`[^`]*`|\$[^$\n]+\$|!?\[[^\]]*\]\([^)]*\)|<[^>]+>",
    re.MULTILINE | re.DOTALL,
)
"""What of a text no link may go into."""


def entries() -> dict[str, str]:
    """Return the pattern of each entry that lessons link to."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    named = {
        i: re.escape(name) for i, name in re.findall(r'<a id="([\w-]+)"></a>\*\*(.+?)\*\*', text)
    }
    skipped = [i for i in named if i in ORDINARY or i.startswith("class-")]
    for identity in skipped:
        del named[identity]
    return named | WORDS


def linked(texts: list[str]) -> list[str]:
    """Link each entry where it first stands in the texts of a lesson."""
    found = [LINK.sub(r"\1", text) for text in texts]
    for identity, pattern in sorted(entries().items()):
        word = re.compile(rf"(?<![\w/+-])(?:{pattern})(?![\w+]|-\w)")
        for i, text in enumerate(found):
            place = next((m for m in word.finditer(text) if _is_open(text, m)), None)
            if place:
                link = f"[{place[0]}]({GLOSSARY}#{identity})"
                found[i] = text[: place.start()] + link + text[place.end() :]
                break
    return found


def _is_open(text: str, place: "re.Match[str]") -> bool:
    return not any(c.start() <= place.start() < c.end() for c in CLOSED.finditer(text))


def lessons() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the lessons and what they hold."""
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")):
        yield path, json.loads(path.read_text("utf-8"))


def relinked(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a lesson with its links to the glossary."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    texts = linked(["".join(cell["source"]) for cell in cells])
    for cell, text in zip(cells, texts, strict=True):
        cell["source"] = text.splitlines(keepends=True)
    return notebook


if __name__ == "__main__":
    for path, notebook in lessons():
        text = json.dumps(relinked(notebook), ensure_ascii=False, indent=1, sort_keys=True)
        write_atomically(path, f"{text}\n".encode())
