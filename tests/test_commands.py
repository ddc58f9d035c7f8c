"""Commands that README and docs show exist, and do what the page says."""

import argparse
import importlib.util
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import citectx
from citectx.cli import build_parser, main
from citectx.experiments.results import read
from citectx.paths import NOTEBOOKS, ROOT

PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [*sorted((ROOT / "data").rglob("README.md")), *ROOT.glob("benchmarks/*.md")]
PAGES += sorted(NOTEBOOKS.glob("*.ipynb"))
STARTS = ("citectx ", "make ", "python ", "pip ")
PLACEHOLDERS = {"…": "", "NAME=VALUE": "k=1", "PROFILE": "open"}


def markdown(page: Path) -> str:
    """The text of a page, or of all cells of a lesson."""
    text = page.read_text("utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def commands(page: Path) -> list[str]:
    """Every command on a page, in blocks and in the text, without comments and prompts."""
    text = markdown(page)
    fenced = re.findall(r"^```(.*?)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    blocks = [block for language, block in fenced if language in ("text", "console", "")]
    lines = "".join(blocks).splitlines() + re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    found = []
    for line in lines:
        command = re.sub(r"\s+#.*|^[$!] ?|\.venv/bin/", "", line.strip()).split(" && ")
        found += [part for part in command if part.startswith(STARTS)]
    return sorted(set(found))


SHOWN = [(page, command) for page in PAGES for command in commands(page)]


def test_the_pages_show_commands() -> None:
    assert len(SHOWN) > 60
    assert {page.name for page, _ in SHOWN} >= {"README.md", "your-paper.md"}


@pytest.mark.parametrize(("page", "command"), SHOWN, ids=[f"{p.name}: {c}" for p, c in SHOWN])
def test_a_command_is_one_that_the_project_has(page: Path, command: str) -> None:
    for placeholder, value in PLACEHOLDERS.items():
        command = command.replace(placeholder, value)
    program, *words = shlex.split(command)
    if program == "citectx":
        if names_a_command(build_parser(), words):
            return  # the command's name, in a sentence
        build_parser().parse_args(words)  # an unknown option or a missing argument exits
    elif program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert words[0] in targets
    elif program == "pip":
        assert words[0] == "install"
        extras = re.findall(r"\[(\w+)\]", command)
        assert all(
            f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text("utf-8") for extra in extras
        )
    elif words[0] == "-m":
        assert importlib.util.find_spec(words[1])
    else:
        assert (ROOT / words[0]).exists()
    for name in re.findall(r"notebooks/(\S+\.ipynb)", command):
        assert (NOTEBOOKS / name).exists()


def names_a_command(parser: argparse.ArgumentParser, words: list[str]) -> bool:
    """Tell whether words are the name of a command and nothing else."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    known = groups[0].choices if groups else {}
    return (
        bool(words)
        and words[0] in known
        and (not words[1:] or names_a_command(known[words[0]], words[1:]))
    )


def shown(start: str) -> str:
    """Return the shortest command of all pages that begins so."""
    return min((command for _, command in SHOWN if command.startswith(start)), key=len)


Run = Callable[[str], str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command as it is shown, but on the teaching corpus, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITECTX_STATIC", "1")
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))

    def done(command: str) -> str:
        assert main(shlex.split(command.replace("--profile open", ""))[1:]) == 0, (
            capsys.readouterr().err
        )
        return capsys.readouterr().out

    return done


@pytest.mark.usefixtures("quick")  # kernels and two jobs: see tests/runs
def test_one_notebook_with_other_parameters(tmp_path: Path, run: Run) -> None:
    run(shown("citectx run --only 01 --profile open"))
    table = read(tmp_path / "build" / "k5" / "teaching", "sigir2017_table1")
    assert {"BM25", "LMD"} <= set(table["method"])
    assert table["params"].str.contains('"k": 5').all()


@pytest.mark.usefixtures("quick")
def test_the_first_command_of_the_first_lesson(run: Run) -> None:
    first = min(NOTEBOOKS.glob("*.ipynb"))
    command = re.findall(r"`(citectx [^`]+)`", markdown(first))[0]
    assert "citance=3" in command
    assert "This run has citance = 3 (default: None)" in run(command)


@pytest.mark.usefixtures("quick")
def test_a_grid_of_parameters(tmp_path: Path, run: Run) -> None:
    command = shown("citectx sweep 01")
    run(command.replace("--jobs 2", "--jobs 1"))
    (collected,) = (tmp_path / "results" / "sweeps").glob("*/collected.csv")
    assert set(pd.read_csv(collected)["param_k"]) == {1, 3}


def test_a_run_of_somebody_else(tmp_path: Path, run: Run) -> None:
    command = shown("citectx evaluate")
    ours = citectx.retrieve(citectx.load("teaching"), citectx.BM25())
    citectx.to_trec(ours, tmp_path / "bm25.trec")
    ours.to_csv(tmp_path / "mine.csv", index=False)
    assert run(command).count("mine.csv") == 2


def test_the_sources_are_listed(run: Run) -> None:
    assert "citation-integrity" in run("citectx fetch")


def test_a_page_for_an_article(tmp_path: Path, run: Run) -> None:
    run(shown("citectx view D9001_TEACH --citance") + " --no-tuning --no-open")
    assert (tmp_path / "results" / "teaching" / "views" / "D9001_TEACH.html").exists()
