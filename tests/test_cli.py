"""The command line: exit codes, messages, and output that a terminal or pipe can take."""

import argparse
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import citectx as door
from citectx import cli, doctor, runs
from citectx.cli import build_parser
from citectx.compare import NUMBERS
from citectx.errors import ParameterError
from citectx.papers.naacl2015 import table2
from citectx.papers.sigir2017 import table1, table3, table4
from citectx.paths import NOTEBOOKS, RESULTS, ROOT
from tests.conftest import Ask

OPEN = RESULTS / "open"


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ("run --profile closed", 1, "citectx: unknown profile 'closed'; known: 'open', "),
        ("explane x", 2, "citectx: there is no command 'explane'; did you mean explain?\n"),
        ("fly x", 2, "citectx: there is no command 'fly'; citectx --help lists the commands\n"),
        ("lessons FILE", 1, "FILE is a file, where a folder is needed"),
        ("contexts .", 1, ". is a folder: name files"),
        ("contexts no.xml", 1, "there is no file no.xml"),
        ("run --jobs 0", 2, "--jobs: expected a whole number of at least 1, not '0'"),
        ("search . Frogs. -k x", 2, "-k: expected a whole number of at least 1, not 'x'"),
        ("contexts ARTICLE Frogs.", 2, "does not take 'Frogs.'; sentences go after --cites"),
        ("explain bio-beat-wiki", 1, "did you mean 'bio-beats-wiki'?"),
        ("explain sigir2017_table1", 1, "name a row and a metric of sigir2017_table1"),
        (f"compare {OPEN} .", 1, ". holds no tables of results; name a folder"),
        (f"compare {OPEN}/05_naacl_agreement {OPEN}/leaderboard", 1, "have no number in common"),
    ],
)
def test_a_slip_is_named_with_what_to_do(
    command: str, code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FILE").touch()
    told = ask(*command.split())
    assert told.code == code
    assert says in told.err
    assert told.err.startswith(("citectx: ", "usage: "))


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "citectx: interrupted; what was finished is kept\n"),
        (OSError(28, "No space left", "t.csv"), 1, "citectx: [Errno 28] No space left: 't.csv'\n"),
    ],
)
def test_what_stops_a_command_is_named(
    monkeypatch: pytest.MonkeyPatch, ask: Ask, error: BaseException, code: int, message: str
) -> None:
    def stopped(**_: object) -> None:
        raise error

    monkeypatch.setattr(runs, "run", stopped)
    assert ask("run") == (code, "", message)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_help(command: str, ask: Ask) -> None:
    told = ask(command, "--help")
    assert told.code == 0
    assert cli.COMMANDS[command][1] in " ".join(told.out.split())


def test_bare_citectx_helps_with_five_examples(ask: Ask) -> None:
    told = ask()
    assert told.code == 0
    [examples] = re.findall(r"examples:\n(.*)", told.out, re.DOTALL)
    assert len(examples.splitlines()) == 5
    for line in examples.splitlines():
        command = re.split(r"  +| (?=the passages)", line.strip())[0]
        build_parser().parse_args(shlex.split(command)[1:])
    assert {*cli.ORDER} == {*cli.COMMANDS}


def test_compare_lists_what_differs(tmp_path: Path, ask: Ask) -> None:
    source = OPEN / "05_naacl_agreement"
    table = (source / "naacl2015_table1.csv").read_text("utf-8")
    (tmp_path / "05").mkdir()
    changed = table.replace("full,count,3.0000", "full,count,4.0000", 1)
    (tmp_path / "05" / "naacl2015_table1.csv").write_text(changed, "utf-8")
    told = ask("compare", source, tmp_path)
    assert told.code == 0
    first, *_, log = told.out.splitlines()
    place = "naacl2015_table1, citation-integrity, full, count, value"
    assert first == f"{place}: expected 3, got 4"
    numbers = pd.read_csv(source / "naacl2015_table1.csv")[NUMBERS].count().sum()
    assert re.match(rf"20\d\d-\d\d-\d\d: {numbers} numbers of {source}, 1 differ; citectx ", log)
    again = ask("compare", source, source)
    assert again.code == 0 and ", all equal; " in again.out


def test_doctor_names_what_is_missing_and_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    monkeypatch.delenv("CITECTX_MIRROR", raising=False)
    told = ask("doctor")
    assert told.code == 0
    assert "ok    kernels start\n" in told.out
    missing = "not   open sources that lessons read are here\n        acl-citation-network\n"
    assert missing in told.out
    assert told.out.endswith("next: citectx run\n")
    (tmp_path / "results" / "teaching" / "05_naacl_agreement").mkdir(parents=True)
    monkeypatch.setattr(doctor, "version", lambda name: "0")
    told = ask("doctor")
    assert told.code == 0
    pins = re.findall(r"(?m)^numpy==(\S+)", (ROOT / "requirements.lock").read_text("utf-8"))
    assert f"numpy 0 (the lock has {pins[0]})" in told.out
    assert told.out.endswith("next: citectx fetch --all\n")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_doctor_names_folders_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o555)
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    assert str(tmp_path / "results") in doctor.locked_folders()


def shell(command: str, program: str = "sh") -> "subprocess.CompletedProcess[bytes]":
    """Run a command as a shell does, with our program where it says `citectx`."""
    shown = command.replace("citectx ", f"{sys.executable} -m citectx.cli ")
    return subprocess.run([program, "-c", shown], capture_output=True, check=False)


@pytest.mark.skipif(not shutil.which("sh"), reason="needs a shell")
@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("PYTHONIOENCODING=ascii citectx claims --paper acl2008", 0, rb".*\?.*", b""),
        ("citectx claims --paper acl2008 | head -n 1", 0, rb"[^\n]*\n", b""),
        (
            *("citectx claims --paper acl2008 >&-", 1, b""),
            b"citectx: standard output is closed; send it somewhere, such as > /dev/null\n",
        ),
        ("citectx run --profile closed 2>&-", 1, b"citectx: unknown profile 'closed'.*", b""),
        ("citectx lessons {} 2>&- <&-", 0, b".+", b""),
        (
            *("citectx claims --paper acl2008 > /dev/full", 1, b""),
            b"citectx: [Errno 28] No space left on device\n",
        ),
    ],
)
def test_output_goes_where_a_shell_sends_it(
    command: str, code: int, out: bytes, err: bytes, tmp_path: Path
) -> None:
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = shell(command.format(tmp_path))
    assert (done.returncode, done.stderr) == (code, err)
    assert re.fullmatch(out, done.stdout, re.DOTALL)


@pytest.mark.skipif(os.name != "posix", reason="takes a name from the system's list of users")
def test_a_user_without_home_and_name_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    import pwd

    def nobody(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "XDG_CACHE_HOME", "CITECTX_DATA"):
        monkeypatch.delenv(name, raising=False)
    says = "citectx: no home folder is known for the cache; set HOME or CITECTX_DATA to a folder\n"
    assert ask("fetch") == (1, "", says)


@pytest.mark.skipif(not shutil.which("bash"), reason="needs a shell with pipes as files")
def test_pipes_are_read(tmp_path: Path) -> None:
    article = ROOT / "docs" / "your-paper" / "article.xml"
    run = tmp_path / "bm25.trec"
    door.to_trec(door.retrieve(door.load("teaching"), door.BM25()), run)
    for name, command in {
        article: "citectx contexts {} --cites 'Eggs hatch.'",
        run: "citectx evaluate {} --corpus teaching",
    }.items():
        places = (f"/dev/stdin < <(cat '{name}')", f"<(cat '{name}')", f"'{name}'")
        piped, descriptor, file = (shell(command.format(place), "bash") for place in places)
        assert piped.returncode == 0, piped.stderr
        assert piped.stdout == descriptor.stdout == file.stdout


@pytest.mark.parametrize("run", [table1.run, table2.run, table3.run, table4.run])
def test_a_list_as_text_is_named_with_what_to_type(run: Callable[..., object]) -> None:
    with pytest.raises(ParameterError, match=r"methods is text, expected a list; .* -y 'methods: "):
        run([], "[BM25, LMD]")


def test_where_nothing_may_be_written_the_variables_are_named() -> None:
    told = cli.explained(PermissionError(13, "Permission denied", "results/a.csv"))
    assert told.startswith("[Errno 13] Permission denied: 'results/a.csv'; name another file, or")
    assert "CITECTX_RESULTS" in told


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from citectx import cli; cli.build_parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "pandas", "papermill"}.isdisjoint(done.stdout.split())


# --- commands that README, docs and lessons show


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


@pytest.mark.parametrize(("page", "command"), SHOWN, ids=[f"{p.name}: {c}" for p, c in SHOWN])
def test_a_command_is_one_that_the_project_has(page: Path, command: str) -> None:
    for placeholder, value in PLACEHOLDERS.items():
        command = command.replace(placeholder, value)
    program, *words = shlex.split(command)
    if program == "citectx":
        if words in (["--version"], ["--help"]) or names_a_command(build_parser(), words):
            return  # the program answers and ends, or a sentence names the command
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


NOT_RUN = {
    "citectx fetch --all": "needs a network, or the archives",
    "citectx fetch citation-integrity": "the same",
    "citectx fetch scisumm-corpus": "the same",
    "citectx run --profile open": "takes half an hour",
    "citectx run --only 01 --profile open": "takes minutes, and needs open corpora",
    "citectx train": "takes minutes, and needs open corpora",
    "citectx contexts article.xml": "tests/beyond/test_page.py",
    "citectx contexts paper.tei.xml": "a reader's file",
    "citectx evaluate mine": "a reader's run",
    "citectx evaluate FILE": "says what to put in",
    "citectx compare results/open FOLDER": "says what to put in",
    "citectx run --profile own": "tests/test_docs.py",
    'citectx run --only 01 -p "methods=[VSM, Coverage]"': "tests/test_docs.py, with the class",
    "citectx explain TABLE": "says what to put in",
    "citectx grade FOLDER": "says what to put in",
    "citectx search SOURCE": "says what to put in",
    "citectx search papers": "tests/test_at_scale.py",
    "citectx citances citing-review.xml": "tests/beyond/test_page.py",
    "citectx claims --paper NAME": "says what to put in",
    "citectx view TOPIC": "says what to put in",
}
"""Commands that are not run as printed, by how they begin, and why."""

PRINTED = sorted({command for page, command in SHOWN if page.suffix == ".md"})
RUN = [
    command
    for command in PRINTED
    if command.startswith("citectx ")
    and not command.startswith(tuple(NOT_RUN))
    and not names_a_command(build_parser(), shlex.split(command)[1:])
]


@pytest.mark.slow
@pytest.mark.parametrize("command", RUN)
def test_a_command_works_as_printed(command: str, tmp_path: Path) -> None:
    shutil.copytree(OPEN, tmp_path / "results" / "open")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    run = door.retrieve(door.load("teaching"), door.BM25())
    door.to_trec(run, tmp_path / "bm25.trec")
    shown = command.replace("citectx", f'"{sys.executable}" -m citectx.cli', 1)
    environment = {"CITECTX_RESULTS": str(tmp_path / "results"), "BROWSER": "true"}
    done = subprocess.run(
        shown,
        shell=True,
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
