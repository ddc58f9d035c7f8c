"""Methods that other packages offer as entry points."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from citectx.runs.parameters import check_grid

from citectx import reading, retrieval
from citectx.errors import ParameterError
from citectx.paths import NOTEBOOKS, ROOT
from citectx.retrieval import others

PAGE = ROOT / "docs" / "add-a-method.md"
WITH_IT = """
import json, sys
import citectx
from citectx import retrieval
assert "words_covered" not in sys.modules
assert "Covered" in retrieval.names()
assert "words_covered" not in sys.modules
task = citectx.contextualization(citectx.load("teaching"), k=3)
cls = retrieval.model("Covered")
table = task.compare({"BM25": citectx.BM25, "Covered": cls}, folds=5, metrics=["c-F"])
from citectx.papers.sigir2017 import table1
table1 = table1.run([task.corpus], ["BM25", "Covered"], beside=(), folds=5, progress=False)
values = dict(zip(table["method"], table["value"]))
print(json.dumps([values, table1.wide("teaching")["c-F"].to_dict()]))
"""


def block(language: str) -> str:
    """Return the first block of a language on the page."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert found
    return found[1]


def environment(*folders: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT)))}


def python(*words: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *words], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package that the page shows, and install it into a folder of its own."""
    pytest.importorskip("hatchling")
    pytest.importorskip("pip")
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    (source / "pyproject.toml").write_text(block("toml"), "utf-8")
    (source / "words_covered.py").write_text(block("python"), "utf-8")
    words = "-m pip install --quiet --no-index --no-deps --no-build-isolation --no-cache-dir"
    python(*words.split(), "--target", str(target), str(source), env=dict(os.environ))
    return target


def test_a_package_of_ten_lines_brings_a_method(installed: Path) -> None:
    assert len([line for line in block("toml").splitlines() if line]) <= 10
    compared, table = json.loads(python("-c", WITH_IT, env=environment(installed)))
    assert [*compared] == [*table] == ["BM25", "Covered"]
    assert compared["Covered"] == pytest.approx(table["Covered"], abs=0.05)  # rounded
    assert 0 < compared["Covered"] != compared["BM25"]


@pytest.mark.slow
def test_a_run_has_its_row_and_depends_on_its_source(installed: Path, tmp_path: Path) -> None:
    words = ["run", "--only", "01", "-p", "methods=[VSM, Covered]", "choices=[default]"]
    command = ["-m", "citectx.cli", *words, "--out", str(tmp_path)]
    env = environment(installed) | {"CITECTX_STATIC": "1"}
    python(*command, env=env)
    [table] = tmp_path.glob("**/sigir2017_table1.csv")
    before = table.stat().st_mtime_ns
    assert ",Covered," in table.read_text("utf-8")
    python(*command, env=env)
    assert table.stat().st_mtime_ns == before, "up to date"
    source = installed / "words_covered.py"
    source.write_text(source.read_text("utf-8").replace("** -self.a", "** -(self.a + 1)"), "utf-8")
    python(*command, env=env)
    assert table.stat().st_mtime_ns != before


Offer = Callable[[str, str, str], None]


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Make a package look installed, with a module and an entry point."""
    monkeypatch.syspath_prepend(tmp_path)
    for each in (others.offered, others.load):
        monkeypatch.setattr(others, each.__name__, each.__wrapped__)

    def offered(package: str, entry: str, source: str) -> None:
        about = tmp_path / f"{package}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[citectx.methods]\n{entry}\n")
        (tmp_path / f"{package}.py").write_text(source)
        monkeypatch.delitem(sys.modules, package, raising=False)

    return offered


GOOD = "from citectx import BM25\nclass Mine(BM25):\n    pass\n"


def test_a_method_is_imported_when_it_is_asked_for(offer: Offer) -> None:
    offer("pkg_good", "Mine = pkg_good:Mine", GOOD)
    check_grid(min(NOTEBOOKS.glob("01*")), {"methods": [["BM25", "Mine"]]})
    assert retrieval.names()[-1] == "Mine"
    assert "pkg_good" not in sys.modules
    with reading.recording() as seen:
        cls = retrieval.model("Mine")
    assert issubclass(cls, retrieval.BM25)
    assert any(name.endswith("pkg_good.py") for name in seen)


@pytest.mark.parametrize(
    ("entry", "source", "reason"),
    [
        ("Mine = pkg_bad:Nothing", GOOD, "pkg_bad:Nothing cannot be imported"),
        ("Mine = pkg_bad:Mine", "1 / 0", r"cannot be imported \(ZeroDivisionError"),
        ("Mine = pkg_bad:Mine", "Mine = print", "is no subclass of citectx.retrieval"),
        ("Mine = pkg_bad:Mine", "class Mine:\n    pass", "is no subclass of citectx.retrieval"),
        (
            "Mine = pkg_bad:Mine",
            "from citectx.retrieval import RetrievalModel as Mine",
            "does not define _fit, score",
        ),
    ],
)
def test_what_is_no_method_is_refused(offer: Offer, entry: str, source: str, reason: str) -> None:
    offer("pkg_bad", entry, source)
    with pytest.raises(ParameterError, match=reason) as raised:
        retrieval.model("Mine")
    assert "pkg_bad 1.0" in str(raised.value)


def test_names_that_clash_are_refused_with_the_packages(offer: Offer) -> None:
    offer("pkg_one", "BM25 = pkg_one:Mine", GOOD)
    with pytest.raises(ParameterError, match=r"BM25 is a method of citectx, and package pkg_one 1"):
        retrieval.model("BM25")
    assert retrieval.model("LMD") is retrieval.LMD
    offer("pkg_two", "Mine = pkg_two:Mine", GOOD)
    offer("pkg_three", "Mine = pkg_three:Mine", GOOD)
    with pytest.raises(ParameterError, match=r"offer Mine: pkg_three 1\.0, pkg_two 1\.0"):
        retrieval.model("Mine")


def test_an_unknown_method_lists_those_of_packages(offer: Offer) -> None:
    offer("pkg_good", "Mine = pkg_good:Mine", GOOD)
    with pytest.raises(ParameterError, match=r"known: .*'LMD', .*'Mine'"):
        retrieval.model("mine")
