"""Parameters are checked by type and range before anything runs; errors say what is allowed."""

import json
from pathlib import Path

import pytest

from citectx import cli
from citectx.errors import ParameterError
from citectx.paths import NOTEBOOKS
from citectx.runs import kernel
from citectx.runs.parameters import ALLOWED, check_grid, declared, parse
from tests.runs.test_runner import write_notebook

ALL = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
FIRST = next(path for path in ALL if path.name.startswith("01"))


def check(path: Path, parameters: dict[str, object]) -> None:
    check_grid(path, {name: [value] for name, value in parameters.items()})


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_defaults_are_allowed_and_every_parameter_has_a_kind(path: Path) -> None:
    for name, default in declared(path).items():
        check(path, {name: default})
        known = {
            *ALLOWED["everywhere"],
            *ALLOWED["ours"],
            *ALLOWED["special"].get(path.name[:2], {}),
        }
        assert name in known or isinstance(default, bool | str), (
            f"{name} has no range: add it to parameters.yaml"
        )


@pytest.mark.parametrize(
    "written",
    (
        "k=abc k=-1 k=0 k=1e9 k=1000000000 k=null k=true k=010 k= k=[1] "
        "seed=-1 seed=1.5 seed=4294967296 "
        "methods=[] methods=[Nope] methods=VSM methods=[VSM,VSM] methods=[1] "
        "folds=1 progress=1 progress=yes progress=2020-01-01"
    ).split(),
)
def test_impossible_values_are_refused_with_what_is_allowed(written: str) -> None:
    name = written.partition("=")[0]
    with pytest.raises(ParameterError) as error:
        check(FIRST, parse([written]))
    assert f"01_tac_table1_contextualization.ipynb: {name}=" in str(error.value)
    assert "is not allowed: " in str(error.value)


def test_possible_values_pass() -> None:
    check(FIRST, parse(["k=5", "methods=[VSM, LMD]", "seed=0", "progress=true"]))


@pytest.mark.parametrize("lesson", ["00", "05", "06"])
def test_a_name_may_be_a_whole_number(lesson: str) -> None:
    path = next(path for path in ALL if path.name.startswith(lesson))
    check(path, parse(["citance=3", "topic=1401"]))
    for wrong in ("citance=-1", "citance=1.5", "citance=true", "topic=[3]"):
        with pytest.raises(ParameterError, match="is not allowed: "):
            check(path, parse([wrong]))


@pytest.mark.parametrize(
    "written",
    [
        *("k=[", "k=*a", "k=&a [*a]", "k=!!python/name:os.system", "k=" + "9" * 5_000),
        *("k=!!python/object/apply:os.system [ls]", "k=!!binary aGVsbG8=", "k=!!set {a}"),
        *("k=1e999", "k=[-1e999]", "k={a: 1, a: 2}", 'k={a: 1, "a": 2}', 'k={1: 2, "1": 3}'),
        *("k={[1]: 2}", "k=" + "[" * 5_000, "k=" + "[" * 5_000 + "]" * 5_000),
        *("k=a\0b", "k=\ud800", "k=%TAG ! x", "k=1\n--- 2", "k=1\n...\n2", "k=a\nb: c"),
        "k=[&a [x, x], " + ", ".join(f"&b{i} [*a, *a]" for i in range(50)) + "]",
    ],
    ids=lambda written: ascii(written)[:30],
)
def test_malformed_yaml_is_an_error_that_names_the_pair(written: str) -> None:
    with pytest.raises(ParameterError, match="k="):
        parse([written])


@pytest.mark.parametrize(
    "written", ["", "k", "=1", "1k=1", "a b=1", "a-b=1", "k;x=1", "__import__('os')=1", "k\n=1"]
)
def test_a_name_that_is_no_identifier_is_refused(written: str) -> None:
    with pytest.raises(ParameterError, match="expected NAME=VALUE"):
        parse([written])


CODE = [
    '"; import os; os.remove("x"); "',
    '"' * 3 + "'" * 3,
    *(
        "\\",
        "\\'",
        "\\N{BULLET}",
        "{__import__('os')}",
        "a\nimport os",
        "# no",
        "\u2028\u202e",
        "%ls",
    ),
]


@pytest.mark.parametrize("value", CODE)
def test_code_is_text_and_stays_text(tmp_path: Path, value: str) -> None:
    """A value is written into a cell: whatever it says, it is read there as the same value."""
    path = write_notebook(tmp_path, "mine", parameters='word = "a"\nany_of = None')
    given = parse([f"word={json.dumps(value)}", f"any_of={json.dumps([value, {value: 1}])}"])
    assert given == {"word": value, "any_of": [value, {value: 1}]}
    check(path, given)
    names: dict[str, object] = {}
    for cell in kernel.code_cells(kernel.with_parameters(path, given)):
        exec(cell.source, names)
    del names["__builtins__"]
    assert names == given


def test_a_notebook_of_ones_own_is_checked_against_its_defaults(tmp_path: Path) -> None:
    defaults = 'profile = "teaching"\nn = 1\nrate = 0.5\non = False\n'
    defaults += 'word = "a"\nany_of = None\nmade = max(1, 2)'
    path = write_notebook(tmp_path, "mine", parameters=defaults)
    check(path, {"n": -5, "rate": 1, "on": True, "word": "b", "any_of": [1], "made": 3})
    for value in (
        float("inf"),
        [float("nan")],
        {"a": [float("-inf")]},
        {1},
        Path(),
        b"a",
        object(),
    ):
        with pytest.raises(ParameterError, match=r"any_of=.*must be JSON, its numbers finite"):
            check(path, {"any_of": value})
    wrong = {"n": True, "rate": float("nan"), "on": 0, "word": 1, "any_of": [], "profile": "closed"}
    for name, value in wrong.items():
        with pytest.raises(ParameterError, match=f"{name}="):
            check(path, {name: value})
    broken = tmp_path / "broken.ipynb"
    about = '"nbformat": 4, "nbformat_minor": 5, "metadata": {}'
    for text in ("{}", "[]", "", f'{{{about}, "cells": [5]}}', f'{{{about}, "cells": 5}}'):
        broken.write_text(text)
        with pytest.raises(ParameterError, match="is not a notebook"):
            check(broken, {"n": 1})


def test_commands_refuse_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for command in (
        ["run", "--only", "01", "-p", "k=true"],
        ["run", "--only", "01", "-p", "k=1", "k=2"],
        ["run", "--only", "01", "-p", "profile=open"],
        ["sweep", "01", "-p", "k=1,0"],
    ):
        assert cli.main([*command, "--out", str(out)]) == 1
        assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()


def test_only_may_be_given_twice() -> None:
    arguments = cli.build_parser().parse_args(["run", "--only", "00", "--only", "01", "02"])
    assert arguments.only == ["00", "01", "02"]
