"""The command line: exit codes and messages."""

import pytest

from citectx import cli
from citectx.runs import runner


def test_errors_have_a_message_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--profile", "closed"]) == 1
    assert capsys.readouterr().err == (
        "citectx: unknown profile 'closed'; "
        "known: 'open', 'open100', 'own', 'tac2014', 'teaching'\n"
    )
    assert cli.main(["run", "-p", "nosuch=1"]) == 1
    assert "has no parameter nosuch" in capsys.readouterr().err


def test_interruption_is_exit_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run", interrupted)
    assert cli.main(["run"]) == 130
    assert "what was finished is kept" in capsys.readouterr().err


def test_a_full_disk_is_a_named_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device", "results/table.csv")

    monkeypatch.setattr(runner, "run", full)
    assert cli.main(["run"]) == 1
    assert capsys.readouterr().err == "citectx: No space left on device: results/table.csv\n"


@pytest.mark.parametrize(
    "command",
    [
        "contexts a.xml --html",
        "impact a.xml --html",
        "contexts a.xml --citances",
        "view D9001_TEACH --out",
        "search texts Cells --opensearch",
        "run --out",
        "sweep 01 --out",
        "claims --against",
    ],
)
@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_of_a_file_is_refused(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.build_parser().parse_args(
            [*command.split(), name]
        )  # only reads it: nothing may run in this folder
    assert stop.value.code == 2
    option = command.rsplit(maxsplit=1)[-1]
    assert f"argument {option}: is empty; name a file or a folder" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "argument"), [("run --only", "--only"), ("sweep", "NOTEBOOK")])
@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_of_a_notebook_is_refused(
    command: str, argument: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.build_parser().parse_args([*command.split(), name])
    assert stop.value.code == 2
    assert f"argument {argument}: is empty; give a notebook" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "fetch", "claims", "explain"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--help"])
    assert stop.value.code == 0
    assert command in capsys.readouterr().out
