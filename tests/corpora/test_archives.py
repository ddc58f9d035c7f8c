"""Every hostile archive ends in our error, which names it, or in whole and checked files."""

import errno
import io
import tracemalloc
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from citectx.corpora import registry
from citectx.corpora.archives import Unpacked
from citectx.corpora.registry import extract
from citectx.errors import DataError
from tests.corpora import hostile_archives
from tests.corpora.hostile_archives import FILES, MEMBERS, WHOLE, Named
from tests.corpora.test_registry import contents


def outcome(name: str, content: bytes, folder: Path) -> str:
    """Extract an archive; return what its error says, "" if all came out, and check the rest."""
    archive, out = folder / "a.tar", folder / "in" / "out"
    archive.write_bytes(content)
    try:
        extract(archive, MEMBERS, out)
    except DataError as error:
        said = str(error)
    else:
        said = ""
    found = contents(folder)
    del found["a.tar"]
    written = {path.removeprefix("in/out/"): data for path, data in found.items()}
    assert written.items() <= FILES.items(), name
    assert not any(path.is_symlink() for path in folder.rglob("*")), name
    assert written == FILES if not said else said.startswith(f"{archive}: "), name
    assert len(said) < 1_500, name
    assert "\n" not in said, name
    for path in written:
        (out / path).unlink()
    return said


def survived(family: Iterable[Named], folder: Path) -> tuple[int, int]:
    """Extract all archives; return how many came out whole, and how many are errors."""
    said = [outcome(name, content, folder) for name, content in family]
    return said.count(""), len(said) - said.count("")


def test_a_sample_of_hostile_archives(tmp_path: Path) -> None:
    whole, refused = survived(islice(hostile_archives.archives(), 0, None, 17), tmp_path)
    assert whole > 10
    assert refused > 50
    assert survived(hostile_archives.noise(50), tmp_path)[1] > 40


@pytest.mark.slow
def test_all_hostile_archives(tmp_path: Path) -> None:
    assert sum(survived(hostile_archives.archives(), tmp_path)) > 2_000
    assert sum(survived(hostile_archives.noise(5_000), tmp_path)) == 5_000
    for name, content in hostile_archives.huge():
        tracemalloc.start()
        outcome(name, content, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(content) + 10_000_000, name  # `pathlib` keeps names that it has met


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), MemoryError(), KeyboardInterrupt(), ValueError("odd")]
)
def test_errors_that_are_not_of_the_archive_stay_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    (tmp_path / "a.tar").write_bytes(WHOLE)
    monkeypatch.setattr(registry, "write_checked", fail)
    with pytest.raises(type(error)) as raised:
        extract(tmp_path / "a.tar", MEMBERS, tmp_path / "out")
    assert raised.value is error


def test_a_disk_that_fails_is_no_damage_of_the_archive() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="Input/output error") as raised:
        Unpacked(Failing(), 1000, "a.tar").read(1)
    assert not isinstance(raised.value, DataError)


def test_what_is_left_of_a_member_is_passed_over() -> None:
    unpacked = Unpacked(io.BytesIO(WHOLE), len(WHOLE), "a.tar")
    assert [(info.name, unpacked.read(2)) for info in unpacked.members()] == [
        (name, content[:2]) for name, content in FILES.items()
    ]
