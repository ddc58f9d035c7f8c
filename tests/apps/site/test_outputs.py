"""What each run has left behind is listed, all of it, with the command that makes it again."""

from citectx.apps.site.outputs import outputs
from citectx.apps.site.pages import results_page
from citectx.experiments.results import find
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
