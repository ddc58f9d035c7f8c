"""A page on a class: who has which exercise, what is often wrong, and which notebooks are alike."""

import io
import keyword
import tokenize
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

MARKS = {"right": "✓", "wrong": "✗", "gave up": "…", "missing": "–", "not graded": "?"}
"""In the order in which one counts if a student handed in several."""

LEGEND = (
    "✓ right, ✗ wrong, … gave up (three dots are left), – missing, ? not graded, s solution shown"
)
PIECE = 8
"""Tokens of a piece of code that two notebooks may share."""

ENOUGH = 30
"""Fewest pieces that a student wrote; with less, many are alike by chance."""

ALIKE = 0.8
"""Share of the smaller notebook's pieces that the other has, too, from which both are listed."""

Sources = Mapping[tuple[str, str], Sequence[str]]


def class_page(grades: pd.DataFrame, sources: Sources, lessons: Mapping[str, Sequence[str]]) -> str:
    """Write the page, in Markdown, from a class's grades and the code of its notebooks."""
    asked = grades[grades["exercise"] != ""]
    lines = ["# Grades of the class", "", LEGEND, "", *table_lines(asked), ""]
    unread = grades[grades["exercise"] == ""]
    lines += [f"- {row.student}, {row.notebook}: {row.remark}" for row in unread.itertuples()]
    lines += ["", "## Notebooks that are alike", ""]
    alike = pairs(sources, lessons)
    lines += [f"- lesson {n}: {one} and {other}, {share:.0%}" for n, one, other, share in alike]
    lines += [] if alike else ["None."]
    about = "How much of the smaller one's own code stands in the other, whatever variables are"
    lines += ["", f"{about} called. Short answers are alike by themselves: look at both.", ""]
    return "\n".join(lines)


def table_lines(grades: pd.DataFrame) -> list[str]:
    """Write a row for each exercise and a column for each student."""
    students = sorted(grades["student"].unique())
    header = ["exercise", *map(escaped, students), "right", "often wrong"]
    lines = [row_of(header), row_of(["---"] * len(header))]
    for exercise, rows in grades.groupby("exercise", sort=True):
        best = best_of_each(rows)
        marks = [best.get(student, MARKS["missing"]) for student in students]
        count = sum(mark.startswith(MARKS["right"]) for mark in marks)
        told = [str(exercise), *marks, f"{count} of {len(students)}", often_wrong(rows)]
        lines.append(row_of(told))
    return lines


def best_of_each(rows: pd.DataFrame) -> dict[str, str]:
    """Return each student's best mark for an exercise."""
    rows = rows.assign(rank=rows["verdict"].map([*MARKS].index)).sort_values("rank", kind="stable")
    best = rows.drop_duplicates("student").astype(str)
    marks = best["verdict"].map(MARKS) + best["solution"].map(lambda cells: " s" if cells else "")
    return dict(zip(best["student"], marks, strict=True))


def often_wrong(rows: pd.DataFrame) -> str:
    """Name the most common wrong answers, with how many gave them."""
    counts = Counter(rows.loc[rows["verdict"] == "wrong", "answer"])
    return "; ".join(f"{escaped(answer)} ({n})" for answer, n in counts.most_common(3))


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
        (student, lesson): pieces(cells) - pieces(lessons.get(lesson, ()))
        for (student, lesson), cells in sources.items()
    }
    enough = {name: own for name, own in sorted(written.items()) if len(own) >= ENOUGH}
    found = []
    for (one, lesson), (other, another) in combinations(enough, 2):
        ours, theirs = enough[one, lesson], enough[other, another]
        share = len(ours & theirs) / min(len(ours), len(theirs))
        if lesson == another and one != other and share >= ALIKE:
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
    """List the tokens of a cell, as far as it is Python."""
    left_out = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            if token.type not in left_out:
                found.append("name" if is_name else token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
