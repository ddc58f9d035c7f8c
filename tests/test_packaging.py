"""What describes the project agrees with itself; house rules are kept; a wheel has all it needs."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import hatch_build
from citectx import __version__
from citectx.paths import ADDRESS, NOTEBOOKS, REPOSITORY, ROOT
from docs import citation

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
PYTHONS = ["3.11", "3.12", "3.13"]
"""The versions on which everything is tested."""

NOTEBOOK_FILES = sorted(NOTEBOOKS.glob("*.ipynb"))
LOCKS = ("requirements.lock", "requirements-dev.lock")


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def pins(lock: str) -> dict[str, str]:
    """The versions that a lock file names; every pin must have hashes."""
    lines = (ROOT / lock).read_text("utf-8").replace(" \\\n", "").splitlines()
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
    found = [Requirement(line.partition(" --hash=")[0].strip()) for line in lines]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in found}


def unmet(versions: dict[str, str], wanted: list[str]) -> list[str]:
    """Requirements that the pins do not satisfy."""
    requirements = map(Requirement, wanted)
    return [
        str(each)
        for each in requirements
        if versions.get(canonicalize_name(each.name), "0") not in each.specifier
    ]


def test_locks_satisfy_every_declared_dependency() -> None:
    user, dev = map(pins, LOCKS)
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["lab"], *extras["engine"]]
    wanted += PYPROJECT["build-system"]["requires"]
    assert not unmet(user, wanted)
    assert not unmet(user | dev, [*extras["test"], *extras["docs"], *extras["bench"]])
    assert not user.keys() & dev.keys()


def test_what_is_imported_is_declared_and_the_reverse() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "citectx").rglob("*.py")]
    roots: set[str] = set()
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(str(node.module).partition(".")[0])
    roots -= {"citectx", *sys.stdlib_module_names}
    packages = packages_distributions()
    imported = {canonicalize_name(name) for root in roots for name in packages.get(root, [root])}

    extras = PROJECT["optional-dependencies"]
    needed, optional = (
        {canonicalize_name(Requirement(wanted).name) for wanted in listed}
        for listed in (
            PROJECT["dependencies"],
            [*extras["lab"], *extras["engine"], *extras["dense"]],
        )
    )
    assert needed <= imported
    assert imported <= needed | optional


def test_conda_and_the_workflow_have_the_pythons_that_we_support() -> None:
    python, _, from_pip = read_yaml("environment.yml")["dependencies"]
    assert all(version in SpecifierSet(python.removeprefix("python")) for version in PYTHONS)
    assert all(version in SpecifierSet(PROJECT["requires-python"]) for version in PYTHONS)
    assert "3.14" not in SpecifierSet(PROJECT["requires-python"])  # for which gensim has no wheel
    assert from_pip == {"pip": ["-r requirements.lock"]}
    jobs = read_yaml(".github/workflows/ci.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS


@pytest.mark.parametrize("version", ["3, 10", "3, 14"])
def test_make_says_which_python_it_needs(tmp_path: Path, version: str) -> None:
    """A stand-in runs the recipe's code as another version would."""
    python = tmp_path / "python"
    code = f"import sys; sys.version_info = ({version}); exec(sys.argv[1])"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$2"\n')
    python.chmod(0o755)
    command = ["make", "env", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode and not (tmp_path / "venv").exists()
    assert re.search(r"Python 3\.11, 3\.12 or 3\.13 is needed .* make PYTHON=python3", told.stderr)


def test_make_vectors_trains_those_that_the_published_tables_read(tmp_path: Path) -> None:
    """A stand-in for the program says how it is called."""
    (tmp_path / "bin").mkdir()
    for name in ("citectx", "python"):
        (tmp_path / "bin" / name).write_text('#!/bin/sh\necho "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / ".ready").touch()
    command = ["make", "vectors", f"VENV={tmp_path}"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    trained = re.findall(r"(?m)^train (\S+)(?: --architecture (\S+))?$", told)
    cards = json.loads((ROOT / "results" / "open" / "vectors.json").read_text("utf-8"))
    assert sorted(f"{name}-{kind or 'cbow'}" for name, kind in trained) == sorted(cards)


def test_a_checkout_has_the_same_bytes_everywhere(tmp_path: Path) -> None:
    names = ["Makefile", "data/registry/sources.yaml", "notebooks/sanitize.cfg"]
    crlf = ["git", "-c", "core.autocrlf=true", "checkout-index", f"--prefix={tmp_path}/", *names]
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    subprocess.run(crlf, cwd=ROOT, check=True)
    assert all(b"\r" not in (tmp_path / name).read_bytes() for name in names)


def test_version_licence_and_hooks_are_the_same_everywhere() -> None:
    citation = read_yaml("CITATION.cff")
    assert citation["version"] == __version__
    assert {*citation["license"]} == {*PROJECT["license"].split(" AND ")}
    (hooks,) = read_yaml(".pre-commit-config.yaml")["repos"]
    assert hooks["rev"] == "v" + pins("requirements-dev.lock")["ruff"]


def test_the_repository_has_one_address() -> None:
    """`citectx.paths.REPOSITORY` is where to change it; it is nowhere before it is there."""
    urls = {"Repository": ADDRESS} if ADDRESS else {}
    assert PROJECT.get("urls", {}) == urls
    assert read_yaml("CITATION.cff").get("repository-code", "") == ADDRESS


def test_zenodo_codemeta_and_bibtex_say_what_the_citation_file_says() -> None:
    about = citation.citation()
    for name, made in (
        (".zenodo.json", citation.zenodo(about)),
        ("codemeta.json", citation.codemeta(about)),
    ):
        assert json.loads((ROOT / name).read_text("utf-8")) == made, name
        assert made["version"] == __version__ and made["keywords"] == PROJECT["keywords"]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert citation.BIBTEX.findall(readme) == [citation.bibtex(about)]


def test_papers_are_cited_with_what_publisher_or_anthology_gives() -> None:
    """Typed from the publisher's page and the ACL Anthology."""
    entries = citation.bibtex(citation.citation()).split("@")[2:]
    for key, pages, address in (
        ("sigir2017", "", "doi = {10.1145/3077136.3080740}"),
        ("naacl2015", "1042--1048", "doi = {10.3115/v1/N15-1110}"),
        ("lrec2016", "1737--1742", "url = {https://aclanthology.org/L16-1274}"),
        ("acl2008", "816--824", "url = {https://aclanthology.org/P08-1093}"),
    ):
        [entry] = [text for text in entries if text.startswith(f"inproceedings{{{key},")]
        assert address in entry and (f"pages = {{{pages}}}" in entry or not pages)


def test_a_change_is_under_unreleased_or_a_version_with_its_date() -> None:
    heads = re.findall(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    released = read_yaml("CITATION.cff")["date-released"]
    assert heads[:2] == ["Unreleased", f"{__version__} ({released})"]


def test_actions_are_pinned_by_hash() -> None:
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for f in files for line in re.findall(r"uses: (.*)", f.read_text("utf-8"))]
    assert len(used) > 5
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in used)


LINKS = re.compile(r"!?\[[^]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("address", ["", "https://github.com/someone/something"])
def test_links_of_the_page_on_pypi_are_absolute_or_left_out(address: str) -> None:
    """PyPI shows README outside the repository."""
    text = hatch_build.for_pypi((ROOT / "README.md").read_text("utf-8"), address)
    links = LINKS.findall(text)
    assert all(link.startswith("https://") for link in links)
    assert "What we found" in text and ("docs/images" in text) == bool(address)
    if address:
        assert f"]({address}/raw/HEAD/docs/images/headlines.svg)" in text
        assert f"[MIT]({address}/blob/HEAD/LICENSE)" in text
        assert f"{address}/actions/workflows/ci.yml" in text


def test_readme_clones_the_one_repository() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert f"git clone https://github.com/{REPOSITORY} citectx && cd citectx" in text
    assert ("OWNER/NAME" in text) == (not ADDRESS)


@pytest.mark.parametrize("path", NOTEBOOK_FILES, ids=lambda p: p.stem)
def test_notebook_has_parameters_and_was_run_from_top_to_bottom(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert sum("parameters" in c["metadata"].get("tags", []) for c in code) == 1
    in_order = [*range(1, len(code) + 1)]
    assert [c["execution_count"] for c in code] == in_order, "make notebooks runs all lessons"
    assert not any(o["output_type"] == "error" for c in code for o in c["outputs"])


def test_no_path_of_a_machine_in_a_tracked_file(tracked: list[Path]) -> None:
    path = re.compile(rb"/(?<![\w.~-]/)(?:home|Users|root|tmp|work)/[a-z]")
    for file in tracked:
        if file.suffix not in (".png", ".gz", ".npz"):
            assert not path.search(file.read_bytes()), file


# --- the door and `citectx run` work from any folder


LINES = """
import citectx
from citectx import paths
assert "bundled" in str(paths.DATA), citectx.__file__
corpus = citectx.load("teaching")
run = citectx.retrieve(corpus, citectx.BM25(k1=0.4))
assert citectx.evaluate(corpus, run, ["c-F", "nDCG"]).shape == (40, 5)
assert citectx.table("sigir2017_table1").loc["BM25", ("c-F", "paper")] == 17.8
assert len(citectx.claims("sigir2017"))
from citectx.show import exercises
lead = __import__("pandas").Series([1.0, 2.0, 6.0])
assert exercises.solution("01.2", globals())() == 1.5
"""


def pip(*arguments: str, cwd: Path) -> None:
    """Run pip without a network: the lock file has all that a build needs."""
    command = [sys.executable, "-m", "pip", "--quiet", "--no-input", *arguments]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, *offline], cwd=cwd, check=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of a Python that sees a wheel, and no checkout.

    The wheel is that of the last commit or, in unpacked sources, of what is there.
    """
    folder = tmp_path_factory.mktemp("wheel")
    source, archive = folder / "source", folder / "source.tar"
    if (ROOT / ".git").exists():
        subprocess.run(["git", "archive", "--output", str(archive), "HEAD"], cwd=ROOT, check=True)
        shutil.unpack_archive(archive, source, filter="data")
    else:
        source = ROOT
    pip("wheel", "--wheel-dir", str(folder), ".", cwd=source)
    (wheel,) = folder.glob("*.whl")
    assert wheel.stat().st_size < 20_000_000
    pip("install", "--target", str(folder / "site"), str(wheel), cwd=folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITECTX_")}
    return kept | {"HOME": str(folder), "PYTHONPATH": str(folder / "site")}


@pytest.mark.slow
def test_the_door_opens_anywhere(installed: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LINES], env=installed, cwd=tmp_path, check=True)


@pytest.mark.slow
def test_a_notebook_runs_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citectx.cli", "run", "--only", "05"]
    subprocess.run(command, env=installed, cwd=tmp_path, check=True)
    assert list(tmp_path.glob("results/teaching/05_naacl_agreement/*.csv"))
    asked = [*command[:3], "claims", "--profile", "teaching"]
    before = set(Path(installed["PYTHONPATH"]).rglob("*.csv"))
    told = subprocess.run(asked, env=installed, cwd=tmp_path, check=True, capture_output=True)
    assert re.search(rb"(?m)^ +teaching$", told.stdout)  # the corpus that is counted
    assert re.search(rb"(?m)^inconclusive +[1-9]", told.stdout)
    assert before == set(Path(installed["PYTHONPATH"]).rglob("*.csv"))


@pytest.mark.slow
def test_the_lessons_are_copied_from_a_wheel(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citectx.cli", "lessons", "mine"]
    subprocess.run(command, env=installed, cwd=tmp_path, check=True)
    copies = {path.name: path.read_bytes() for path in tmp_path.glob("mine/*.ipynb")}
    assert copies == {path.name: path.read_bytes() for path in NOTEBOOK_FILES}
