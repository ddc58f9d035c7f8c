"""The page "Use it on your paper", and what README shows of it, are followed to the letter."""

import os
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from citectx.cli import main
from citectx.paths import ROOT

PAGE = ROOT / "docs" / "your-paper.md"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(PAGE.with_suffix(""))
    monkeypatch.setenv("COLUMNS", "100")
    return PAGE.with_suffix("")


def test_readme_shows_the_beginning_of_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    readme = (ROOT / "README.md").read_text("utf-8")
    # "…" says that more is printed
    [(command, shown)] = re.findall(
        r"^```console\n\$ citectx (.*)\n([^`]*)…\n```", readme, re.MULTILINE
    )
    assert main(shlex.split(command)) == 0
    assert len(shown) > 200
    assert capsys.readouterr().out.startswith(shown)


@pytest.mark.usefixtures("folder")
def test_commands_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """With CITECTX_UPDATE_DOCS=1 the page is written anew, as after a training of the model."""

    def run(block: re.Match[str]) -> str:
        command = block[1].splitlines()[0]
        assert main(shlex.split(command)[2:]) == 0  # without "$ citectx"
        return f"```console\n{command}\n{capsys.readouterr().out.strip()}\n```"

    before = PAGE.read_text("utf-8")
    pattern = re.compile(r"^```console\n(\$ .*?)\n```", re.MULTILINE | re.DOTALL)
    after, commands = pattern.subn(run, before)
    assert commands == 2
    if os.environ.get("CITECTX_UPDATE_DOCS"):
        PAGE.write_text(after, "utf-8")
    assert after == before


@pytest.mark.usefixtures("folder")
def test_python_works_as_shown() -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, pd.DataFrame] = {}
    exec(compile(code, "your-paper", "exec"), names)
    columns = re.findall(r"columns  # (.*)", code)[0].split(", ")
    assert list(names["table"].columns) == columns
    assert len(names["summary"]) == 3
