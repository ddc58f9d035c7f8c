"""The three descriptions of the environment agree, and the repository keeps its house rules."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from citectx import __version__
from citectx.apps import readme
from citectx.paths import NOTEBOOKS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOTEBOOK_FILES = sorted(NOTEBOOKS.glob("*.ipynb"))


def locked(name: str) -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s]+)", (ROOT / name).read_text("utf-8"), re.M)
    return {canonicalize_name(name): version for name, version in pins}


def test_locks_satisfy_every_declared_dependency() -> None:
    core, lab, docs = (locked(f"requirements{what}.lock") for what in ("", "-lab", "-docs"))
    assert not core.keys() & (lab.keys() | docs.keys())
    assert all(lab[name] == docs[name] for name in lab.keys() & docs.keys())
    extras = PROJECT["optional-dependencies"]
    declared = [*PROJECT["dependencies"], *extras["test"], *extras["bench"]]
    for pins, wanted in (
        (core, declared),
        (core | lab, extras["lab"]),
        (core | docs, extras["docs"]),
    ):
        for requirement in map(Requirement, wanted):
            version = pins.get(canonicalize_name(requirement.name), "")
            assert version and requirement.specifier.contains(version), (
                f"{requirement} is not met by {version!r}"
            )


def test_conda_environment_is_the_lock_on_a_python_we_support() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    python = next(d for d in environment["dependencies"] if str(d).startswith("python"))
    conda, project = (
        SpecifierSet(python.removeprefix("python")),
        SpecifierSet(PROJECT["requires-python"]),
    )
    versions = [f"3.{minor}" for minor in range(9, 16)]
    assert [v for v in versions if v in conda] == [
        v for v in versions if v in project and v in ("3.11", "3.12", "3.13")
    ]
    pip = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pip == ["-r requirements.lock"]


def test_version_is_one() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert PROJECT["version"] == __version__ == citation["version"]


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


def test_readme_docs_and_notebooks_show_the_results_that_are_committed() -> None:
    """Every block and every mark in prose, and what rests on a verdict: what is wrong is
    printed."""
    assert readme.update(check=True) == 0, "run make readme"


def test_readme_lists_every_notebook_and_every_link_leads_somewhere() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for path in NOTEBOOK_FILES:
        assert f"notebooks/{path.name}" in text
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


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
