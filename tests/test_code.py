"""What throws results away: code that they can depend on, and no sentence."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citectx import code
from citectx.code import code_digest, imports_of, module_digest
from citectx.paths import PACKAGE
from tests.test_layers import imports_in

SOURCE = (
    '"""Doc."""\nX = 1\n"""About X."""\nS = {"a", "b"}\n\n\n'
    'def f(x):\n    """Doc."""\n    return x + X  # why\n'
)
Edit = Callable[[str, str], None]


@pytest.fixture
def hashed(tmp_path: Path) -> Callable[[str], str]:
    """Hash a source."""

    def of(source: str) -> str:
        file = tmp_path / f"m{len(list(tmp_path.iterdir()))}.py"
        file.write_text(source)
        return module_digest(file)

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Doc."""', '"""Other."""'),
        ("  # why", ""),
        ("About X.", "More."),
        ("\n\n\n", "\n"),
    ],
)
def test_sentences_and_layout_do_not_count(
    hashed: Callable[[str], str], old: str, new: str
) -> None:
    assert old in SOURCE
    assert hashed(SOURCE.replace(old, new)) == hashed(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x + X", "x - X"),
        ("X = 1", "X = 2"),
        ("X = 1", "X = 1.0"),
        ('"b"', '"c"'),
        ("f(x)", "f(x=1)"),
    ],
)
def test_code_counts(hashed: Callable[[str], str], old: str, new: str) -> None:
    assert old in SOURCE
    assert hashed(SOURCE.replace(old, new)) != hashed(SOURCE)


def test_a_hash_is_the_same_in_another_process(
    hashed: Callable[[str], str], tmp_path: Path
) -> None:
    file = tmp_path / "sets.py"
    file.write_text("def f(x):\n    return x in {'a', 'b', 'c', 'd', 'e'}\n")
    show = "import sys; from pathlib import Path; from citectx.code import module_digest"
    command = [sys.executable, "-c", f"{show}; print(module_digest(Path(sys.argv[1])))", str(file)]
    found = {subprocess.check_output(command, env={"PYTHONHASHSEED": seed}) for seed in "12"}
    assert found == {f"{module_digest(file)}\n".encode()}


def test_imports_are_those_that_python_sees() -> None:
    known = code.files().keys()
    for name, path in code.files().items():
        seen = imports_in(path.read_text("utf-8")) & known
        assert imports_of(path) >= seen - {name, "citectx"}, name


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """Work on a copy of the package; returns what adds a line to one of its files."""
    copied = tmp_path / "citectx"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "PACKAGE", copied)
    kept = code.files, code.module_digest, code.imports_of

    def add(name: str, line: str) -> None:
        with (copied / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
        for each in kept:
            each.cache_clear()

    add("cli.py", "# nothing")
    return add


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget what tests found of a copy."""
    yield
    for each in (code.files, code.module_digest, code.imports_of):
        each.cache_clear()


def test_only_what_a_result_can_depend_on_counts(edit: Edit) -> None:
    names = ("citectx.papers.lrec2016.figure3", "citectx.experiments.tuning")

    def digests() -> list[str]:
        return [code_digest(name) for name in names]

    first = digests()
    for name in ("cli.py", "runs/runner.py", "apps/viewer/page.py"):
        edit(name, "NEW = 1")
    edit("retrieval/lexical.py", '"""Another sentence."""  # and a comment')
    assert digests() == first
    edit("papers/lrec2016/figure3.py", "NEW = 1")  # no other paper's tuning imports it
    second = digests()
    assert [a == b for a, b in zip(first, second, strict=True)] == [False, True]
    edit("retrieval/lexical.py", "NEW = 1")
    assert digests()[1] != second[1]


def test_data_beside_the_code_counts_and_looks_do_not(edit: Edit) -> None:
    first = code_digest("citectx.language.text")
    edit("show/citectx.mplstyle", "# nothing")
    assert code_digest("citectx.language.text") == first
    lists = sorted((PACKAGE / "language").glob("*.txt"))
    edit(f"language/{lists[0].name}", "newword")
    assert code_digest("citectx.language.text") != first
