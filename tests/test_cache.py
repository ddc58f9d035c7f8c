"""What is kept, under which key, and when it is computed again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from citectx import cache
from citectx.cache import Arrays, cached, place

EDITS = {
    "citectx/tuning.py": "from citectx.model import score\n",
    "citectx/model/__init__.py": "from citectx.model import (\n    formula,\n)\n",
    "citectx/model/formula.py": "K = 1.2\n",
    "citectx/page.py": "from citectx.tuning import score\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counted:
    """Computes an array, and counts how often."""

    times = 0

    def __call__(self) -> Arrays:
        self.times += 1
        return {"sum": np.array([1.5, 0.0])}


def test_it_is_computed_once_for_each_key() -> None:
    compute = Counted()
    found = [cached("sums", __name__, key, compute)["sum"].tolist() for key in ("a", "a", "b")]
    assert found == [[1.5, 0.0]] * 3
    assert compute.times == 2


def test_a_damaged_file_is_computed_again_with_a_warning() -> None:
    compute = Counted()
    cached("sums", __name__, "a", compute)
    file = place("sums", __name__, "a")
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.warns(UserWarning, match=r"computed again: .*\.npz"):
        cached("sums", __name__, "a", compute)
    cached("sums", __name__, "a", compute)
    assert compute.times == 2


def test_where_nothing_can_be_written_it_is_computed_each_time(folder: Path) -> None:
    folder.write_text("a file where the folder would be")
    compute = Counted()
    for _ in range(2):
        assert cached("sums", __name__, "a", compute)["sum"].tolist() == [1.5, 0.0]
    assert compute.times == 2


def test_two_that_keep_the_same_at_once_leave_it_whole(folder: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(cached, "sums", __name__, "a", Counted()) for _ in range(20)]
        assert all(future.result()["sum"].tolist() == [1.5, 0.0] for future in asked)
    assert [path for path in folder.rglob("*") if path.is_file()] == [place("sums", __name__, "a")]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of four modules, and data."""
    for name, text in {**EDITS, "data/idf.tsv": "cell 1", "data/README.md": "About."}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(cache, "PACKAGE", tmp_path / "citectx")
    monkeypatch.setattr(cache, "DATA", tmp_path / "data")
    yield tmp_path
    forget()


def forget() -> None:
    cache.code.cache_clear()
    cache.surroundings.cache_clear()


def key() -> Path:
    forget()
    return place("sums", "citectx.tuning", "a")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("citectx/tuning.py", True),
        ("citectx/model/__init__.py", True),
        ("citectx/model/formula.py", True),
        ("citectx/page.py", False),
        ("data/idf.tsv", True),
        ("data/README.md", False),
    ],
)
def test_code_that_is_imported_and_data_count(package: Path, name: str, *, counts: bool) -> None:
    before = key()
    with (package / name).open("a") as file:
        file.write("# edited\n")
    assert (key() != before) is counts


def test_libraries_count(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(cache, "version", lambda name: f"{name} 0")
    assert key() != before


def test_the_real_imports_are_followed() -> None:
    cache.code.cache_clear()
    assert cache.code("citectx.experiments.tuning") != cache.code("citectx.retrieval.topics")
    source = Path(cache.__file__).read_text("utf-8")
    assert {"citectx.errors", "citectx.paths", "citectx.storage"} <= {*cache.imports(source)}
