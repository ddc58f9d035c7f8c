"""The one cache: what is kept, when it is not used, and what it hands to the run that uses it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from citectx import cache, reading
from citectx.arrays import Arrays
from citectx.cache import Cache
from citectx.errors import CitectxWarning
from citectx.storage import write_arrays

SUMS = Cache("sums", __name__, {"sum": "f8 n"})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("CITECTX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counted:
    """Computes an array from a file, and counts how often."""

    def __init__(self, file: Path | None = None) -> None:
        self.file, self.times = file, 0

    def __call__(self) -> Arrays:
        self.times += 1
        text = reading.read_text(self.file) if self.file else ""
        return {"sum": np.array([1.5, len(text)])}


def test_it_is_computed_once_and_for_each_key() -> None:
    compute = Counted()
    found = [SUMS.get(key, compute)["sum"].tolist() for key in (("a",), ("a",), ("b",))]
    assert found == [[1.5, 0.0]] * 3
    assert compute.times == 2


def test_other_code_and_libraries_are_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    first = SUMS.file(("a",))
    monkeypatch.setattr(cache, "libraries", lambda: ("numpy 0",))
    assert SUMS.file(("a",)) != first
    monkeypatch.undo()
    monkeypatch.setattr(cache, "code_digest", lambda _: "edited")
    assert SUMS.file(("a",)) != first


def test_the_files_it_was_computed_from_are_checked_and_handed_on(tmp_path: Path) -> None:
    (source := tmp_path / "source.txt").write_text("one")
    compute = Counted(source)
    SUMS.get(("a",), compute)
    with reading.recording() as seen:
        assert SUMS.get(("a",), compute)["sum"].tolist() == [1.5, 3.0]
    assert str(source) in seen
    assert compute.times == 1
    source.write_text("three")
    assert SUMS.get(("a",), compute)["sum"].tolist() == [1.5, 5.0]
    source.unlink()
    with pytest.raises(FileNotFoundError):
        SUMS.get(("a",), compute)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def garbage(file: Path) -> None:
    file.write_bytes(b"garbage")


def damage(file: Path, **arrays: np.ndarray) -> None:
    """Put arrays into a file that has others."""
    with np.load(file) as kept:
        together: dict[str, Any] = {**kept, **arrays}
    write_arrays(file, **together)


def other_shape(file: Path) -> None:
    damage(file, sum=np.zeros((2, 2)))


def another_array(file: Path) -> None:
    damage(file, more=np.zeros(2))


def not_finite(file: Path) -> None:
    damage(file, sum=np.array([np.nan, 0.0]))


def another_number(file: Path) -> None:
    damage(file, sum=np.array([1.5, 1.0]))


def no_list_of_files(file: Path) -> None:
    write_arrays(file, sum=np.zeros(2))


@pytest.mark.parametrize(
    "damage",
    [cut, garbage, other_shape, another_array, not_finite, another_number, no_list_of_files],
)
def test_a_damaged_entry_is_computed_again_with_a_warning(damage: Callable[[Path], None]) -> None:
    compute = Counted()
    SUMS.get(("a",), compute)
    damage(SUMS.file(("a",)))
    with pytest.warns(CitectxWarning, match=r"computed again: .*\.npz"):
        assert SUMS.get(("a",), compute)["sum"].tolist() == [1.5, 0.0]
    assert SUMS.get(("a",), compute)["sum"].tolist() == [1.5, 0.0]
    assert compute.times == 2


def test_where_nothing_can_be_written_it_is_computed_each_time(folder: Path) -> None:
    folder.write_text("a file where the folder would be")
    compute = Counted()
    for _ in range(2):
        assert SUMS.get(("a",), compute)["sum"].tolist() == [1.5, 0.0]
    assert compute.times == 2


def test_two_that_keep_the_same_at_once_leave_it_whole(folder: Path) -> None:
    both = Barrier(2, timeout=60)

    def compute() -> Arrays:
        both.wait()
        return {"sum": np.array([1.5, 2.0])}

    def ask(_: int) -> list[float]:
        found: list[float] = SUMS.get(("a",), compute)["sum"].tolist()
        return found

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, range(2))) == [[1.5, 2.0]] * 2
    assert [path for path in folder.rglob("*") if path.is_file()] == [SUMS.file(("a",))]
    assert ask(0) == [1.5, 2.0]
