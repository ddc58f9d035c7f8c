"""What throws results away: code that they can depend on, and no sentence."""

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from citectx import code
from citectx.code import code_digest, without_docstrings
from citectx.profiles import Profile
from citectx.runs import runner
from tests.runs.test_runner import write_notebook

SOURCE = (
    '"""Doc."""\nX = 1\n"""About X."""\n\n\ndef f(x):\n    """Doc."""\n    return x + X  # why\n'
)


def shown(source: str) -> str:
    return ast.dump(without_docstrings(ast.parse(source)))


def test_sentences_do_not_count_and_code_does() -> None:
    for text, other in (('"""Doc."""', '"""Other."""'), ("  # why", ""), ('"""About X."""\n', "")):
        assert text in SOURCE
        assert shown(SOURCE.replace(text, other)) == shown(SOURCE)
    assert shown(SOURCE.replace("x + X", "x - X")) != shown(SOURCE)
    assert shown("x = 'a'") != shown("x = 'b'")


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Work on a copy of the package; returns what adds a line to one of its files."""
    package = Path(code.__file__).parent
    copied = tmp_path / "citectx"
    shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__"))
    code_digest()  # what is known of the package holds for its copy: only what is edited is parsed again
    known = (
        code.KEPT.read_text("utf-8").replace(f'"{package}/', f'"{copied}/')
        if code.KEPT.exists()
        else "{}"
    )
    (tmp_path / "known.json").write_text(known, encoding="utf-8")
    monkeypatch.setattr(code, "__file__", str(copied / "code.py"))
    monkeypatch.setattr(code, "KEPT", tmp_path / "known.json")

    def add(name: str, line: str) -> None:
        with (copied / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")

    return add


def test_only_what_a_result_can_depend_on_counts(edit: Callable[[str, str], None]) -> None:
    def digests() -> tuple[str, str, str]:
        return (
            code_digest(),
            code_digest("citectx.experiments.tuning"),
            code_digest("citectx.ledger"),
        )

    first = digests()
    for name in (
        "cli.py",
        "runs/runner.py",
        "apps/site/build.py",
        "apps/viewer/page.py",
        "show/html.py",
    ):
        edit(name, "NEW = 1")
    edit("retrieval/lexical.py", '"""Another sentence."""  # and a comment')
    assert digests() == first
    edit("papers/lrec2016/figure3.py", "NEW = 1")  # no other paper's tuning imports it
    second = digests()
    assert [a == b for a, b in zip(first, second, strict=True)] == [False, True, True]
    edit("papers/sigir2017/claims.yaml", "# a claim")
    third = digests()
    assert [a == b for a, b in zip(second, third, strict=True)] == [False, True, False]
    edit("retrieval/lexical.py", "NEW = 1")
    assert digests()[1] != third[1]


READ = (
    "apps/contexts/weights.json",
    "papers/acl2008/impact.css",
    "show/citectx.css",
    "show/citectx.mplstyle",
    "apps/viewer/page.html",
    "apps/viewer/page.js",
    "apps/viewer/page.py",
    "show/a_kind_of_its_own.bin",
)
"""Files that one of our notebooks reads, or may read, of each kind."""


@pytest.mark.usefixtures("quick")
def test_whatever_a_notebook_reads_of_the_package_makes_it_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[str, str], None]
) -> None:
    for name in ("RESULTS", "DATA"):
        monkeypatch.setenv(f"CITECTX_{name}", str(tmp_path / name))
    write_notebook(
        tmp_path, "00_a", "from citectx.apps.contexts import anybody\nfrom citectx.show import html"
    )

    def executed() -> bool:
        (run,) = runner.run(Profile("teaching", (), ""), folder=tmp_path)
        return run.seconds > 0

    assert executed()
    for name in READ:
        edit(name, "NEW = 1")
        assert executed(), name
        assert not executed(), name
    edit("apps/site/pages.md", "NEW = 1")  # of a room that it does not use
    assert not executed()


def test_a_style_throws_no_number_away(edit: Callable[[str, str], None]) -> None:
    first = code_digest(), code_digest("citectx.papers.acl2008.show")
    for name in ("papers/acl2008/impact.css", "show/citectx.mplstyle", "apps/viewer/page.html"):
        edit(name, "NEW = 1")
        assert (code_digest(), code_digest("citectx.papers.acl2008.show")) == first
    edit("apps/contexts/weights.json", "NEW = 1")
    assert code_digest() != first[0]
