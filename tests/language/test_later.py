"""Packages that run their own code only when they are asked for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from citectx.language import later


def test_a_package_runs_when_a_name_is_asked_for_that_is_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "laterpack" / "inner"
    folder.mkdir(parents=True)
    folder.with_name("__init__.py").write_text("from laterpack.inner import *\nnumber = 7")
    folder.with_name("one.py").write_text("from laterpack import two\nvalue = two.value")
    folder.with_name("two.py").write_text("value = 2")
    (folder / "__init__.py").write_text("from laterpack.two import value as twice")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("laterpack", "laterpack.inner", "laterpack.one", "laterpack.two"):
        monkeypatch.setitem(sys.modules, name, None)  # so that they go after the test
        del sys.modules[name]
    later("laterpack", "laterpack.inner", "nowherepack")
    from laterpack.one import value  # type: ignore[import-not-found]

    package = sys.modules["laterpack"]
    assert value == 2
    assert {"one", "two", "inner"} <= vars(package).keys()
    assert not {"number", "twice"} & vars(package).keys()
    assert (package.number, package.twice) == (7, 2)
    assert vars(package)["one"] is sys.modules["laterpack.one"]
    with pytest.raises(AttributeError, match="laterpack"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize(
    "module",
    [
        "nltk.corpus",
        "nltk.wsd",
        "nltk.translate",
        "nltk.metrics",
        "nltk.stem.snowball",
        "nltk.sem.glue",
    ],
)
def test_what_we_do_not_use_can_still_be_imported(module: str) -> None:
    code = f"import citectx.retrieval, {module}\nfrom nltk import pos_tag\nprint(pos_tag.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "pos_tag\n"
