"""Mutated files for every reader; `python -m tests.fuzz` tries more of them."""

import ast
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from citectx.paths import PACKAGE
from tests.fuzz import READERS, failures, write

NO_READERS = {
    "citectx.corpora.citation_integrity.read_references": "the first part of `read_full_texts`",
}
"""Functions with the name of a reader that the mutations need not reach, and why."""


@pytest.mark.parametrize("reader", READERS)
def test_60_mutations(reader: str) -> None:
    assert next(failures(reader, 60), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_10_000_mutations(reader: str) -> None:
    assert next(failures(reader, 10_000, seed=1), None) is None


def public_readers() -> Iterator[str]:
    """Iterate over the package's public functions that are named as readers and take a path."""
    for file in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("citectx", *file.relative_to(PACKAGE).with_suffix("").parts))
        tree = ast.parse(file.read_text("utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for place, body in (
            (module, tree.body),
            *((f"{module}.{c.name}", c.body) for c in classes),
        ):
            for node in body:
                if isinstance(node, ast.FunctionDef) and _is_reader(node):
                    yield f"{place}.{node.name}"


def _is_reader(node: ast.FunctionDef) -> bool:
    kinds = " ".join(ast.unparse(each.annotation) for each in node.args.args if each.annotation)
    named = re.fullmatch(r"(read|load|from|parse)(_\w+)?|[a-z]\w*_file", node.name)
    return bool(named) and "Path" in kinds


def called() -> set[str]:
    """Read the whole samples of all readers; return the names of the functions that ran."""
    seen = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")

    for reader in READERS.values():
        with tempfile.TemporaryDirectory() as temporary:
            write(reader.files, Path(temporary))
            sys.setprofile(watch)
            try:
                reader.read(Path(temporary))
            finally:
                sys.setprofile(None)
    return seen


def test_every_reader_is_fed_with_mutations() -> None:
    ran = called()
    assert {*public_readers()} - ran == {*NO_READERS}
