"""What describes the project agrees with itself, and the repository keeps its house rules."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from citectx import __version__
from citectx.paths import NOTEBOOKS, ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
PYTHONS = ("3.11", "3.12", "3.13")
"""The versions on which everything is tested."""

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NOTEBOOK_FILES = sorted(NOTEBOOKS.glob("*.ipynb"))


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def locked(name: str) -> dict[str, str]:
    """Return the versions that a lock file pins."""
    text = (ROOT / name).read_text("utf-8")
    pins = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s]+)", text, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def unmet(pins: dict[str, str], wanted: list[str]) -> list[str]:
    """Return the requirements that the pins do not satisfy."""
    requirements = [Requirement(text) for text in wanted]
    versions = [pins.get(canonicalize_name(each.name), "") for each in requirements]
    return [
        str(requirement)
        for requirement, version in zip(requirements, versions, strict=True)
        if not version or not requirement.specifier.contains(version)
    ]


def test_locks_satisfy_every_declared_dependency() -> None:
    extras = PROJECT["optional-dependencies"]
    core = locked("requirements.lock")
    lab = locked("requirements-lab.lock")
    docs = locked("requirements-docs.lock")
    assert not unmet(core, PROJECT["dependencies"])
    assert not unmet(core, PYPROJECT["build-system"]["requires"])
    assert not unmet(core, extras["test"] + extras["bench"])
    assert not unmet(core | lab, extras["lab"])
    assert not unmet(core | docs, extras["docs"])


def test_no_package_has_two_versions() -> None:
    core = locked("requirements.lock")
    lab = locked("requirements-lab.lock")
    docs = locked("requirements-docs.lock")
    assert not core.keys() & (lab.keys() | docs.keys())
    assert all(lab[name] == docs[name] for name in lab.keys() & docs.keys())


def test_conda_and_the_workflow_have_the_pythons_that_we_support() -> None:
    environment = read_yaml("environment.yml")["dependencies"]
    (python,) = (text for text in environment if str(text).startswith("python"))
    conda = SpecifierSet(python.removeprefix("python"))
    assert [f"3.{minor}" for minor in range(9, 16) if f"3.{minor}" in conda] == [*PYTHONS]
    assert all(version in SpecifierSet(PROJECT["requires-python"]) for version in PYTHONS)
    matrix = read_yaml(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == [*PYTHONS]


def test_conda_installs_the_lock() -> None:
    environment = read_yaml("environment.yml")["dependencies"]
    (from_pip,) = (each for each in environment if isinstance(each, dict))
    assert from_pip == {"pip": ["-r requirements.lock"]}


def test_version_is_one() -> None:
    assert read_yaml("CITATION.cff")["version"] == __version__
    assert PROJECT["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "citectx/__init__.py"


def test_licences_are_the_same_everywhere() -> None:
    reuse = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))
    expressions = [each["SPDX-License-Identifier"] for each in reuse["annotations"]]
    used = {name for expression in expressions for name in expression.split(" AND ")}
    assert used == {path.stem for path in (ROOT / "LICENSES").iterdir()}
    assert used == set(PROJECT["license"].split(" AND "))
    assert used == set(read_yaml("CITATION.cff")["license"])


def test_hooks_and_lock_have_the_same_ruff() -> None:
    repositories = read_yaml(".pre-commit-config.yaml")["repos"]
    (ruff,) = (each for each in repositories if each["repo"].endswith("/ruff-pre-commit"))
    assert ruff["rev"] == "v" + locked("requirements.lock")["ruff"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_actions_and_may_only_read(path: Path) -> None:
    text = path.read_text("utf-8")
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    for action in re.findall(r"uses: *(.+)", text):
        assert re.fullmatch(r"actions/[\w-]+@v\d+", action), action


@pytest.mark.parametrize("path", NOTEBOOK_FILES, ids=lambda p: p.stem)
def test_notebook_has_parameters_and_was_run_from_top_to_bottom(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    sources = ["".join(c["source"]) for c in code]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert sum("parameters" in c["metadata"].get("tags", []) for c in code) == 1
    assert all(c["execution_count"] == i for i, c in enumerate(code, start=1)), (
        "not run from top to bottom"
    )
    assert not any(o["output_type"] == "error" for c in code for o in c["outputs"])
    assert not any(re.search(r"^\s*[!%]pip|pip install", s, re.MULTILINE) for s in sources)


def test_readme_lists_every_notebook() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert all(f"notebooks/{path.name}" in text for path in NOTEBOOK_FILES)


def test_no_path_of_a_machine_in_a_tracked_file() -> None:
    try:
        files = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    path = re.compile(
        rb"/(?<![\w.~-]/)(?:home|Users|root|tmp|work)/[a-z]"
    )  # a slash is looked for faster
    for name in filter(None, files.split("\0")):
        file = ROOT / name
        if file.is_file() and not name.endswith((".png", ".gz", ".npz")):
            assert not path.search(file.read_bytes()), name
