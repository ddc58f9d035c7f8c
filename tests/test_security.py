"""SECURITY.md promises what tests show: each test that it names is there, and not skipped."""

import ast
import re
from functools import cache

from citectx.paths import ROOT

NAMED = re.compile(r"`((?:\w+/)*test_\w+\.py)(?:::(test_\w+))?`")
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")


@cache
def marks_of(file: str) -> dict[str, set[str]]:
    """The tests of a file, with the marks of each."""
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    whole = {ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)}
    shared = {"slow"} & {each.rpartition(".")[2] for each in whole if each.startswith("pytestmark")}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
            found[node.name] = shared | {mark.rpartition(".")[2] for mark in marks}
    return found


def named(text: str) -> set[tuple[str, str]]:
    return {(file, test) for file, test in NAMED.findall(text) if test}


def test_each_test_that_is_named_is_there() -> None:
    assert len(named(TEXT)) > 40
    missing = {f"{file}::{test}" for file, test in named(TEXT) if test not in marks_of(file)}
    assert not missing
    assert all(marks_of(file) for file, _ in NAMED.findall(TEXT))


def test_none_of_them_is_skipped() -> None:
    assert not {test for file, test in named(TEXT) if {"skip", "xfail"} & marks_of(file)[test]}


def test_what_only_runs_slowly_is_called_slow() -> None:
    slow = {test for part in re.findall(r"\*slow\*:([^|\n)]*)", TEXT) for _, test in named(part)}
    assert slow == {test for file, test in named(TEXT) if "slow" in marks_of(file)[test]}


def test_each_promise_names_a_test() -> None:
    promised = TEXT.partition("## What is promised")[2].partition("## What is not promised")[0]
    promises = re.split(r"\n\n(?=\*\*)", promised.strip())
    assert len(promises) == 6
    for promise in promises:
        assert NAMED.search(promise), promise[:80]
    rows = [
        line for line in promised.splitlines() if line.startswith("| ") and "shown by" not in line
    ]
    assert [row for row in rows if not NAMED.search(row)] == []
