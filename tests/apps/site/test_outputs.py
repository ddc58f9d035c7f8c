"""What each run has left behind is listed, all of it, with the command that makes it again."""

import json
from pathlib import Path
from typing import Any

import pytest

from citectx.apps.site.build import _page
from citectx.apps.site.outputs import Output, outputs, title_of
from citectx.apps.site.pages import results_page
from citectx.errors import DataError
from citectx.experiments.results import RUN, find
from citectx.paths import NOTEBOOKS, RESULTS

OPEN = RESULTS / "open"


def test_every_committed_table_belongs_to_a_run() -> None:
    listed = {
        f"{output.name}/{name}"
        for output in outputs()
        for table in output.tables
        for name in output.files_of(table)
    }
    there = {path.relative_to(OPEN).as_posix() for path in OPEN.glob("*/*.csv*")}
    assert there - listed == {"ledger/verdicts.csv"}
    assert listed <= there


def test_notebooks_come_first_and_have_their_titles() -> None:
    titles = [output.title for output in outputs()]
    named = [output for output in outputs() if output.title]
    assert titles[: len(named)] == [output.title for output in named]
    assert named[0].title.startswith("Table 1 of sigir2017")
    assert all((NOTEBOOKS / f"{output.name}.ipynb").is_file() for output in named)


def test_every_output_says_how_to_make_it_again() -> None:
    commands = {output.name: output.command for output in outputs()}
    notebook = find(OPEN, "sigir2017_table1.csv").parent.name
    assert commands[notebook] == f"citectx run --profile open --only {notebook[:2]}"
    assert commands["ledger"] == "citectx claims --profile open"
    assert commands["beyond_finder"] == "python -m citectx.apps.contexts.finder"


def test_pages_show_tables_files_and_figures() -> None:
    page = results_page(outputs())
    assert "(sigir2017-table1)=\n### `sigir2017_table1`" in page
    figure = find(OPEN, "sigir2017_table1.png").relative_to(RESULTS.parent).as_posix()
    assert f"```{{image}} {figure}\n" in page
    assert "`citectx run --profile open --only 01`" in page


def test_what_a_run_json_says_is_shown_as_text() -> None:
    evil = "`</code>\n```{raw} html\n<script>alert(1)</script>\n"
    tables = {evil: {"commit": evil, "machine": evil, "wall_time_s": evil}}
    page = results_page([Output(evil, "", evil, tables, [f"{evil}.csv", f"{evil}.png"])])
    assert "alert(1)" in page and "<script" not in page and "{raw} html\n" not in page
    assert not [line for line in page.splitlines() if line.startswith("```{raw")]


@pytest.mark.parametrize("about", [{"tables": []}, {"tables": {"a": 1}}, {"command": ["rm"]}])
def test_a_run_json_of_another_form_is_named(tmp_path: Path, about: Any) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.csv").touch()
    (tmp_path / "a" / RUN).write_text(json.dumps(about))
    with pytest.raises(DataError, match=r"a/run\.json: (tables|command)"):
        outputs(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        "[" * 9999,
    ],
)
def test_a_notebook_of_another_form_is_named(tmp_path: Path, text: str) -> None:
    (path := tmp_path / "00_a.ipynb").write_text(text)
    for read in (title_of, lambda path: _page(path, "")):
        with pytest.raises(DataError, match=r"00_a\.ipynb: is not a notebook"):
            read(path)
