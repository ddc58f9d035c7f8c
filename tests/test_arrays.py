"""Files of arrays: strings that come back, and archives that are no such files, or pretend."""

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from citectx.arrays import open_arrays, packed, read_arrays, unpacked
from citectx.errors import DataError
from citectx.storage import write_arrays

FORM = {"x": "f8 n"}


def npy(shape: object = (3,), descr: object = "<f8", size: int = 24, version: int = 1) -> bytes:
    """Return an array file that announces whatever one likes."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header) + 1)
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + b"\n" + bytes(size)


def archive(path: Path, *members: tuple[str, bytes], how: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", how) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def test_what_anybody_may_write_is_read(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(3.0))
    for path in (tmp_path / "a.npz", archive(tmp_path / "b.npz", ("x.npy", npy(version=2)))):
        assert read_arrays(path, FORM)["x"].shape == (3,)


LIES = {
    "negative sizes": npy((-3,)),
    "two negative sizes": npy((-3, -1)),
    "more than there is": npy((10**12,)),
    "more than can be": npy((2**63, 2**63)),
    "less than there is": npy((1,)),
    "sizes that are none": npy((3.0,)),
    "one size that is none": npy("x"),
    "objects": npy((3,), "|O"),
    "a structure with objects": npy((3,), [("a", "|O")]),
    "an unknown type": npy((3,), "<z9"),
    "code as a type": npy((3,), "__import__('os').system('true')"),
    "another version": npy(version=3),
    "no array": b"PK\x03\x04",
    "nothing": b"",
    "a deep header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 9_000) + b"(" * 9_000,
    "a long header": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100_000,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_found_before_anything_is_made_room_for(
    lie: str, tmp_path: Path
) -> None:
    path = archive(tmp_path / "a.npz", ("x.npy", LIES[lie]))
    tracemalloc.start()
    with pytest.raises(DataError, match=r"a\.npz: x: "):
        read_arrays(path, FORM)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def bomb(path: Path) -> Path:
    """Write some 200 kB that unpack to 200 MB."""
    return archive(path, ("x.npy", npy((25_000_000,), size=200_000_000)), how=zipfile.ZIP_DEFLATED)


def twice(path: Path) -> Path:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return archive(path, ("x.npy", npy()), ("x.npy", npy((2,), size=16)))


def encrypted(path: Path) -> Path:
    """Set the flag of each member that says so."""
    content = archive(path, ("x.npy", npy())).read_bytes()
    flagged = content.replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0")
    path.write_bytes(
        flagged.replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0")
    )
    return path


def overlapping(path: Path) -> Path:
    """Let two members stand for the same bytes."""
    content = archive(path, ("x.npy", npy()), ("y.npy", npy())).read_bytes()
    start = content.rindex(b"PK\x01\x02")
    path.write_bytes(content[: start + 42] + bytes(4) + content[start + 46 :])
    return path


ARCHIVES: dict[str, Callable[[Path], Path]] = {
    "is not to be trusted": bomb,
    "'x.npy' is no array, encrypted, or there twice": twice,
    "'x.npy' is no array, encrypted": encrypted,
    "also holds '../x'": lambda path: archive(path, ("x.npy", npy()), ("../x.npy", npy())),
    "also holds '/etc/x'": lambda path: archive(path, ("x.npy", npy()), ("/etc/x.npy", npy())),
    "'x.txt' is no array": lambda path: archive(path, ("x.npy", npy()), ("x.txt", b"text")),
    "'x/' is no array": lambda path: archive(path, ("x.npy", npy()), ("x/", b"")),
    "'x.npy' is no": lambda path: archive(path, ("x.npy", npy()), how=zipfile.ZIP_LZMA),
    "a.npz": overlapping,
    "lacks 'x'": archive,
}


@pytest.mark.parametrize("message", ARCHIVES)
def test_an_archive_that_is_not_plain_is_refused(message: str, tmp_path: Path) -> None:
    path = ARCHIVES[message](tmp_path / "a.npz")
    tracemalloc.start()
    with pytest.raises(DataError, match=message) as caught:
        read_arrays(path, FORM)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert "a.npz: " in str(caught.value)
    assert [*tmp_path.iterdir()] == [path]


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3.0))
    for content in (b"", b"PK", buffer.getvalue(), b"\x80\x04K\x01."):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(DataError, match=r"a\.npz: is not a whole npz file"):
            read_arrays(tmp_path / "a.npz", FORM)
    for name in ("missing.npz", "."):
        with pytest.raises(DataError, match="is not"):
            read_arrays(tmp_path / name, FORM)


def test_sizes_of_one_name_are_one_number(tmp_path: Path) -> None:
    form = {"words": "names n", "start": "i8 n+1", "pair": "f4? n 2"}
    path = tmp_path / "a.npz"
    good = {"words": packed(["a", "b"]), "start": np.arange(3), "pair": np.ones((2, 2), "f4")}
    write_arrays(path, **good)
    assert read_arrays(path, form, n=2).keys() == good.keys()
    with pytest.raises(DataError, match=r"words: expected packed names \(n=3\), found 2"):
        read_arrays(path, form, n=3)
    for name, wrong in {"start": np.arange(2), "pair": np.ones((2, 3), "f4")}.items():
        write_arrays(path, **{**good, name: wrong})
        with pytest.raises(DataError, match=rf"a\.npz: {name}: expected .*(n=2|n\+1=3).*, found "):
            read_arrays(path, form)
    write_arrays(path, words=packed([]), start=np.arange(1))
    assert read_arrays(path, form)["words"].size == 0


def test_relations_are_asked_in_order_and_named(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a.npz", x=np.zeros(0))
    with pytest.raises(DataError, match=r"a\.npz: x: expected some"):
        read_arrays(
            tmp_path / "a.npz",
            FORM,
            lambda arrays: (
                ("x", holds(arrays["x"]), "some") for holds in (np.size, lambda x: x[0] > 0)
            ),
        )


@pytest.mark.parametrize("name", ["", "a\nb", "\udcff"])
def test_what_cannot_be_packed_is_an_error(name: str) -> None:
    with pytest.raises(DataError, match="cannot be a name"):
        packed(["cell", name, "rest"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\n\nb", "words: holds an empty string"),
        (b"a\n", "words: holds an empty string"),
        (b"a\xff", "words: is not in UTF-8"),
        (b"a\nb\na", "words: 'a' occurs twice"),
    ],
)
def test_strings_that_packed_has_not_made(content: bytes, message: str, tmp_path: Path) -> None:
    write_arrays(tmp_path / "a.npz", words=np.frombuffer(content, np.uint8))
    with pytest.raises(DataError, match=rf"a\.npz: {message}"):
        read_arrays(tmp_path / "a.npz", {"words": "names n"})


def test_nothing_packed_is_nothing_unpacked() -> None:
    assert unpacked(packed([])) == ()


KINDS = {"x": "f8 n 2", "y": "u 3", "words": "names n"}


def test_mapped_arrays_are_those_that_are_read(tmp_path: Path) -> None:
    words = packed(["cell", "rést", "a"])
    x, y = np.asfortranarray(np.arange(6.0).reshape(3, 2)), np.array([3, 2, 1], dtype=">u4")
    np.savez(tmp_path / "a.npz", x=x, y=y, words=words)
    mapped, read = (get(tmp_path / "a.npz", KINDS) for get in (open_arrays, read_arrays))
    assert {name: array.tolist() for name, array in mapped.items()} == {
        name: array.tolist() for name, array in read.items()
    }
    assert all(not array.flags.owndata and not array.flags.writeable for array in mapped.values())


def test_what_replaces_a_mapped_file_is_seen(tmp_path: Path) -> None:
    for number in (1.0, 2.0):
        write_arrays(tmp_path / "a.npz", x=np.full(3, number))
        mapped = open_arrays(tmp_path / "a.npz", FORM)
        assert mapped["x"].tolist() == [number] * 3


def test_a_compressed_array_is_not_mapped(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", x=np.arange(3.0))
    with pytest.raises(DataError, match=r"a\.npz: x: is compressed"):
        open_arrays(tmp_path / "a.npz", FORM)


@pytest.mark.parametrize("lie", LIES)
def test_a_header_that_lies_is_not_mapped(lie: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", ("x.npy", LIES[lie]))
    with pytest.raises(DataError, match=r"a\.npz: x: "):
        open_arrays(path, FORM)


@pytest.mark.parametrize("message", ARCHIVES)
def test_an_archive_that_is_not_plain_is_not_mapped(message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        open_arrays(ARCHIVES[message](tmp_path / "a.npz"), FORM)


def test_an_array_behind_the_end_is_not_mapped(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(3.0))
    whole = (tmp_path / "a.npz").read_bytes()
    end = whole.index(b"PK\x01\x02")
    (tmp_path / "a.npz").write_bytes(whole[:28] + b"\xff\xff" + whole[30:end] + whole[end:])
    with pytest.raises(DataError, match=r"a\.npz"):
        open_arrays(tmp_path / "a.npz", FORM)
