"""No command loses a file of the user's, whatever name it is given for its output."""

import argparse
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from citectx import cli
from citectx.ledger.verdicts import FILE, keep
from citectx.paths import DATA, ROOT
from citectx.storage import sha256

FILES = {
    "contexts --html": "contexts article.md --citances citances.csv --citing citing.xml",
    "contexts --jsonl": "contexts texts --citances citances.csv --citing citing.xml",
    "impact --html": "impact article.md --citances citances.csv --citing citing.xml",
    "recommend ask --out": "recommend ask engine queries.csv",
    "recommend search --out": "recommend search index queries.csv",
    "view --out": "view D9001_TEACH --no-tuning --no-open",
}
"""Commands that write a file, by the option that names it, with all else that they need."""

FOLDERS = {
    "export --out": ("export teaching", "."),
    "recommend export --out": ("recommend export texts --to opensearch --unlabelled --force", "."),
    "recommend index --out": ("recommend index texts --unlabelled --force", "."),
    "run --out": ("run --only 01 --force", "teaching/01_tac_table1_contextualization"),
    "scisumm-run --out": ("scisumm-run --method BM25", "."),
    "sweep --out": ("sweep 01 -p k=1", "."),
}
"""Commands that write a folder, and where in it their files go."""

READ = {
    *("claims --against", "contexts article", "contexts --citances", "contexts --citing"),
    "evaluate runs",
    *("impact article", "impact --citances", "impact --citing"),
    *("recommend ask engine", "recommend ask queries"),
    *("recommend search index", "recommend search queries"),
}
"""Other arguments that name files or folders: these are only read."""

GOLD = "data/scisumm-corpus/gold.csv"
NO_NAME = {"claims", "coresc label", "coresc train", "embeddings train", "evaluate", "explain"}
NO_NAME |= {"fetch", "readings", "readme", "site"}
"""Commands that take no name for what they write: results, data, cache, build/ or the pages."""

Command = tuple[str, list[tuple[str, argparse.Action]]]


def arguments(parser: argparse.ArgumentParser, command: str = "") -> Iterator[Command]:
    """Each command, with its arguments by name."""
    own = [each for each in parser._actions if not isinstance(each, argparse._HelpAction)]
    groups = [each for each in own if isinstance(each, argparse._SubParsersAction)]
    if not groups:
        yield command, [((each.option_strings or [each.dest])[-1], each) for each in own]
    for group in groups:
        for name, below in group.choices.items():
            yield from arguments(below, f"{command} {name}".strip())


COMMANDS = dict(arguments(cli.build_parser()))


def test_no_argument_that_names_a_file_is_left_out() -> None:
    named = {
        f"{command} {name}"
        for command, found in COMMANDS.items()
        for name, action in found
        if action.type is cli.place
    }
    assert named == {*FILES, *FOLDERS, *READ}
    writing = {each.rpartition(" ")[0] for each in (*FILES, *FOLDERS)}
    assert writing | NO_NAME == COMMANDS.keys()


WORDS = [
    (command, name, action)
    for command, found in COMMANDS.items()
    for name, action in found
    if action.nargs != 0
]


@pytest.mark.parametrize(
    ("command", "name", "action"), WORDS, ids=[f"{command} {name}" for command, name, _ in WORDS]
)
def test_no_word_may_be_empty(
    command: str, name: str, action: argparse.Action, capsys: pytest.CaptureFixture[str]
) -> None:
    needed: list[str] = []
    for other, each in COMMANDS[command]:
        if each.required and each is not action and each.nargs != "*":
            needed += [other, "x"] if each.option_strings else ["x"]
    before = command.split()
    for empty in ("", " ", "\t\n"):
        tries = [[*before, *needed, name, empty], [*before, *needed, f"{name}={empty}"]]
        if not action.option_strings:
            positional = [each for _, each in COMMANDS[command] if not each.option_strings]
            place = positional.index(action)
            tries = [[*before, *needed[:place], empty, *needed[place:]]]
        for words in tries:
            with pytest.raises(SystemExit) as stop:
                cli.build_parser().parse_args(words)
            assert stop.value.code == 2
            said = "invalid int value" if action.type is int else "is empty; "
            assert said in capsys.readouterr().err


def snapshot(folder: Path) -> dict[Path, str]:
    return {path: sha256(path) for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with all that commands read, and files that are no business of theirs.

    At the end all of it must be as it was.
    """
    monkeypatch.chdir(tmp_path)
    Path("article.md").write_text("# On rest\n\nCells rest.\n\nIn the light they divide.\n")
    Path("citances.csv").write_text("citance\nCells divide in the light.\n")
    Path("queries.csv").write_text("query,text\nq1,Cells rest\n")
    shutil.copyfile(ROOT / "docs" / "your-paper" / "citing-review.xml", "citing.xml")
    shutil.copytree(ROOT / "tests" / "samples" / "csv", "corpus")
    for name in ("texts/a.txt", "umls/MRCONSO.RRF", GOLD, "mine/page.html"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("years of work")
    Path("linked").symlink_to(".")
    for name in ("CORPUS", "UMLS", "DATA"):
        monkeypatch.setenv(f"CITECTX_{name}", str(tmp_path / name.lower()))
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    assert cli.main("recommend index texts --out index --unlabelled".split()) == 0
    export = "recommend export texts --to opensearch --out engine --unlabelled"
    assert cli.main(export.split()) == 0
    before = snapshot(tmp_path)
    yield tmp_path
    assert {path: snapshot(tmp_path).get(path) for path in before} == before


Refused = Callable[[str, str, str], None]


@pytest.fixture
def refused(desk: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run a command with a name for its output; it must fail and say why, and write nothing."""

    def run(option: str, name: str, why: str) -> None:
        known, before = option.removesuffix(" --force"), snapshot(desk)
        words = FILES[known] if known in FILES else FOLDERS[known][0]
        ending = option.removeprefix(known).split()
        assert cli.main([*words.split(), known.split()[-1], name, *ending]) == 1
        assert why in capsys.readouterr().err
        assert snapshot(desk) == before

    return run


OF_ALL = [GOLD, "corpus/citances.csv", "umls/MRCONSO.RRF"]
INPUTS = {
    "contexts --html": ["article.md", "citances.csv", "citing.xml"],
    "contexts --jsonl": ["texts/a.txt", "citances.csv", "citing.xml"],
    "impact --html": ["article.md", "citances.csv", "citing.xml"],
    "recommend ask --out": ["queries.csv", "engine/engine.json", "engine/.citectx"],
    "recommend search --out": ["queries.csv", "index/index.json", "index/.citectx"],
    "view --out": [],
}


@pytest.mark.parametrize("option", FILES)
def test_what_is_read_is_never_replaced_whatever_it_is_called(
    option: str, desk: Path, refused: Refused
) -> None:
    parts = [str(each.relative_to(desk)) for each in desk.glob("index/*.npz")]
    for name in (*INPUTS[option], *OF_ALL, *(parts if "search" in option else [])):
        Path("symbolic.html").symlink_to(name)
        names = [name, f"{desk}/{name}", f"mine/../{name}", f"linked/{name}", "symbolic.html"]
        if name in INPUTS[option]:
            Path("hard.html").hardlink_to(name)
            names.append("hard.html")
        for each in names:
            refused(f"{option} --force", each, "would replace what is read from")
        for each in ("symbolic.html", "hard.html"):
            Path(each).unlink(missing_ok=True)
    refused(f"{option} --force", str(DATA / "README.md"), "would replace what is read from")


@pytest.mark.parametrize("option", FILES)
def test_another_file_is_replaced_only_if_that_is_asked(option: str, refused: Refused) -> None:
    Path("mine/symbolic.html").symlink_to("page.html")
    Path("mine/broken.html").symlink_to("nowhere")
    for name in ("page.html", "../mine/page.html", "symbolic.html", "broken.html"):
        refused(option, f"mine/{name}", "is there already: name another file")


@pytest.mark.parametrize("option", FILES)
def test_where_no_file_can_be(
    option: str, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, why in {
        "mine": "is a folder: name the file",
        ".": "is a folder: name the file",
        os.devnull: "is a device or the like",
        "nowhere/page.html": "there is no folder nowhere",
        "mine/page.html/page.html": "there is no folder mine/page.html",
        f"mine/{'x' * 300}": "name too long",
    }.items():
        refused(f"{option} --force", name, why)
    monkeypatch.setattr("os.access", lambda *_: False)  # for root it is never so
    refused(f"{option} --force", "mine/new.html", "nothing can be written to mine")


@pytest.mark.parametrize("option", FOLDERS)
def test_a_folder_with_files_of_others_is_refused(option: str, refused: Refused) -> None:
    place = Path("out", FOLDERS[option][1])
    place.mkdir(parents=True)
    (place / "notes.csv").write_text("years of work")
    Path("symbolic").symlink_to("out")
    for name in ("out", f"{Path.cwd()}/out", "mine/../out", "symbolic", "linked/out"):
        refused(option, name, "notes.csv ")


@pytest.mark.parametrize("option", FOLDERS)
def test_where_no_folder_can_be(option: str, refused: Refused) -> None:
    for name in ("article.md", "article.md/results", "linked/article.md", os.devnull):
        refused(option, name, Path(name).name)


@pytest.mark.parametrize("name", ["texts", "mine", "corpus", "umls", ".", "index/../texts"])
def test_an_index_or_a_sweep_takes_no_folder_that_is_read(name: str, refused: Refused) -> None:
    for option in ("recommend export --out", "recommend index --out", "sweep --out"):
        refused(option, name, "was not written by citectx; name another folder")


@pytest.mark.usefixtures("desk")
def test_a_run_for_the_shared_task_never_replaces_the_release(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main("scisumm-run --out data/scisumm-corpus --force".split()) == 1
    assert "gold.csv would replace what is read from" in capsys.readouterr().err


def test_verdicts_replace_only_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path))
    monkeypatch.setattr("citectx.ledger.verdicts._given", lambda _: False)
    monkeypatch.setattr("citectx.ledger.verdicts.all_verdicts", lambda _: pd.DataFrame())
    file = tmp_path / "teaching" / FILE
    keep(file.parents[1])
    keep(file.parents[1])  # its own
    for run_json in ("{}", '{"outputs": {}}'):
        file.write_text("years of work")
        file.with_name("run.json").write_text(run_json)
        assert cli.main("claims --profile teaching".split()) == 1
        assert f"{file} was not written by citectx" in capsys.readouterr().err
        assert file.read_text() == "years of work"
