"""A page on a class: who has which exercise, what is often wrong, and which notebooks are alike."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from keyword import iskeyword
from typing import Any

import pandas as pd

MARKS = {"right": "✓", "wrong": "✗", "gave up": "…", "missing": "–", "not graded": "?"}
"""The marks of verdicts; if a student handed in several notebooks, the first of these counts."""

LEGEND = (
    "✓ right, ✗ wrong, … gave up (three dots are left), – missing, ? not graded, s solution shown"
)
ABOUT = (
    "How much of the smaller one's own code stands in the other, whatever variables are called. "
    "Short answers are alike by themselves: look at both."
)
PIECE = 8
"""How many tokens there are in a piece of code that two notebooks may share."""

ENOUGH = 30
"""The fewest pieces that are compared; with fewer, notebooks are alike by chance."""

ALIKE = 0.8
"""Two notebooks are listed if this share of the smaller one's pieces is in the other, too."""

# a comment, a text, a word, or another character
_TOKEN = re.compile(r"#.*|\"[^\"\n]*\"|'[^'\n]*'|\w+|[^\w\s]")

Sources = Mapping[tuple[str, str], Sequence[str]]


def class_page(grades: pd.DataFrame, sources: Sources, lessons: Mapping[str, Sequence[str]]) -> str:
    """Write the page, in Markdown, from a class's grades and the code of its notebooks."""
    is_read = grades["exercise"] != ""
    unread = grades[~is_read].itertuples()
    remarks = [f"- {row.student}, {row.notebook}: {row.remark}" for row in unread]
    alike = [
        f"- lesson {lesson}: {one} and {other}, {share:.0%}"
        for lesson, one, other, share in pairs(sources, lessons)
    ]
    lines = [
        *("# Grades of the class", "", LEGEND, ""),
        *table_lines(grades[is_read]),
        *("", *remarks, ""),
        *("## Notebooks that are alike", ""),
        *(alike or ["None."]),
        *("", ABOUT, ""),
    ]
    return "\n".join(lines)


def table_lines(grades: pd.DataFrame) -> list[str]:
    """Write a row for each exercise and a column for each student, with the best mark of each."""
    students = sorted(grades["student"].unique())
    header = ["exercise", *map(escaped, students), "right", "often wrong"]
    lines = [row_of(header), row_of(["---"] * len(header))]
    ranks = grades["verdict"].map([*MARKS].index)
    ordered = grades.assign(rank=ranks).sort_values("rank", kind="stable")
    for exercise, rows in ordered.groupby("exercise"):
        best = rows.drop_duplicates("student").set_index("student")
        marks = best["verdict"].map(MARKS) + best["solution"].map(lambda cells: cells and " s")
        shown = marks.reindex(students, fill_value=MARKS["missing"])
        right = (best["verdict"] == "right").sum()
        count = f"{right} of {len(students)}"
        lines.append(row_of([str(exercise), *shown, count, often_wrong(rows)]))
    return lines


def often_wrong(rows: pd.DataFrame) -> str:
    """Name the most common wrong answers, with how many gave them."""
    counts = rows.loc[rows["verdict"] == "wrong", "answer"].value_counts().head(3)
    return "; ".join(f"{escaped(str(answer))} ({n})" for answer, n in counts.items())


def as_text(answer: Any) -> str:
    """Write an answer in a line, numbers in four digits.

    >>> as_text({"b": 0.33333, "a": 1}), as_text({"y", "x"}), as_text(...)
    ("{'b': 0.3333, 'a': 1}", "{'x', 'y'}", '')
    """
    if answer is ...:
        return ""
    if isinstance(answer, float):
        return f"{answer:.4g}"
    if isinstance(answer, pd.Series | dict):
        return f"{{{', '.join(f'{n!r}: {as_text(value)}' for n, value in answer.items())}}}"
    if isinstance(answer, set):
        return f"{{{', '.join(sorted(map(as_text, answer)))}}}"
    if isinstance(answer, list):
        return f"[{', '.join(map(as_text, answer))}]"
    return str(answer) if isinstance(answer, Exception) else repr(answer)


def escaped(text: str) -> str:
    """Keep a text in its cell of a table, and short."""
    return " ".join(text[:80].replace("|", "\\|").replace("<", "&lt;").split())


def row_of(cells: Sequence[str]) -> str:
    """Write a row of a table."""
    return f"| {' | '.join(cells)} |"


# --- notebooks that are alike


def pairs(
    sources: Sources, lessons: Mapping[str, Sequence[str]]
) -> list[tuple[str, str, str, float]]:
    """List lesson, two students and the share of code that their notebooks have in common."""
    written = {
        (lesson, student): pieces(cells) - pieces(lessons.get(lesson, ()))
        for (student, lesson), cells in sources.items()
    }
    enough = {name: own for name, own in sorted(written.items()) if len(own) >= ENOUGH}
    found = []
    for ((lesson, one), ours), ((another, other), theirs) in combinations(enough.items(), 2):
        share = len(ours & theirs) / min(len(ours), len(theirs))
        if lesson == another and share >= ALIKE:
            found.append((lesson, one, other, share))
    return sorted(found, key=lambda pair: -pair[-1])


def pieces(cells: Sequence[str]) -> set[tuple[str, ...]]:
    """Cut code into pieces of a few tokens, without comments; every name counts the same.

    >>> pieces(["mean = sum(xs) / len(xs)"]) == pieces(["m = sum( z ) / len( z )  # mine"])
    True
    """
    return {
        tuple(tokens[i : i + PIECE])
        for tokens in map(code_tokens, cells)
        for i in range(max(1, len(tokens) - PIECE + 1))
        if tokens
    }


def code_tokens(source: str) -> list[str]:
    """List the tokens of a cell, whether it is Python or not."""
    tokens = [token for token in _TOKEN.findall(source) if not token.startswith("#")]
    return ["name" if token.isidentifier() and not iskeyword(token) else token for token in tokens]
