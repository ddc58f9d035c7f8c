"""The command line: exit codes, messages, and output that a terminal or pipe can take."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from citectx import cli, runs


def test_errors_have_a_message_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--profile", "closed"]) == 1
    assert capsys.readouterr().err.startswith("citectx: unknown profile 'closed'; known: 'open', ")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "citectx: interrupted; what was finished is kept\n"),
        (OSError(28, "No space left", "t.csv"), 1, "citectx: [Errno 28] No space left: 't.csv'\n"),
    ],
)
def test_what_stops_a_command_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def stopped(**_: object) -> None:
        raise error

    monkeypatch.setattr(runs, "run", stopped)
    assert cli.main(["run"]) == code
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--help"])
    assert stop.value.code == 0
    assert cli.COMMANDS[command][1] in " ".join(capsys.readouterr().out.split())


def test_the_stored_readings_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["claims", "--readings"]) == 0
    assert "NP over baseline in F-1" in capsys.readouterr().out


def citectx(command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    shown = f"{sys.executable} -m citectx.cli {command}"
    surroundings = {**os.environ, **environment}
    return subprocess.run(shown, shell=True, env=surroundings, capture_output=True, check=False)


def test_characters_that_the_output_lacks_are_replaced() -> None:
    done = citectx("claims --all", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"?" in done.stdout


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="needs a shell with pipes")
def test_a_closed_pipe_is_no_error() -> None:
    done = citectx("claims --all | head -n 1")
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from citectx import cli; cli.build_parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "pandas", "papermill"}.isdisjoint(done.stdout.split())
