"""The page "Use it on your paper" is followed to the letter."""

import os
import re
import shlex
from pathlib import Path

import pytest

from citectx.cli import main
from citectx.paths import ROOT

PAGE = ROOT / "docs" / "your-paper.md"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(PAGE.with_suffix(""))
    monkeypatch.setenv("COLUMNS", "100")
    return PAGE.with_suffix("")


def test_commands_print_what_the_page_shows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With CITECTX_UPDATE_DOCS=1 the page is written anew, as after a training of the model."""

    def run(block: re.Match[str]) -> str:
        command = block[1].splitlines()[0]
        assert main(shlex.split(command)[2:]) == 0  # without "$ citectx"
        shown = capsys.readouterr()
        return f"```console\n{command}\n{shown.err}{shown.out.rstrip()}\n```"

    before = PAGE.read_text("utf-8")
    after, commands = re.subn(
        r"^```console\n(\$ .*?)\n```", run, before, flags=re.MULTILINE | re.DOTALL
    )
    assert commands == 4
    if os.environ.get("CITECTX_UPDATE_DOCS"):
        PAGE.write_text(after, "utf-8")
    assert after == before


def test_python_works_as_shown(folder: Path) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "your-paper", "exec"), names)
    assert list(names["table"].columns) == re.findall(r"frame\(\)  # (.*)", code)[0].split(", ")  # type: ignore[attr-defined]
