"""Extraction against archives made for the purpose: honest, damaged and hostile ones."""

import gzip
import io
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citectx import storage
from citectx.corpora.registry import Member, blob_id, extract, problems, write_members
from citectx.errors import DataError
from citectx.storage import is_safe

FILES = {"repo-1/a.txt": b"one\n", "repo-1/deep/b.txt": b"two\r\n" * 500, "repo-1/empty": b""}
MEMBERS = tuple(Member(path, len(content), blob_id(content)) for path, content in FILES.items())

Change = Callable[[tarfile.TarFile], None]


def add(tar: tarfile.TarFile, name: str, content: bytes = b"", **fields: object) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    tar.addfile(info, io.BytesIO(content))


def make(path: Path, files: dict[str, bytes] = FILES, extra: Change | None = None) -> Path:
    """Write a tar archive in the compression that its suffix names; `extra` adds to it before the
    files."""
    with tarfile.open(path, f"w:{path.suffix[1:]}") as tar:  # type: ignore[call-overload]
        if extra:
            extra(tar)
        for name, content in files.items():
            add(tar, name, content)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.mark.parametrize("suffix", ["xz", "gz"])
def test_extract_writes_the_registered_bytes(tmp_path: Path, suffix: str) -> None:
    extract(make(tmp_path / f"a.tar.{suffix}"), MEMBERS, tmp_path / "out")
    assert contents(tmp_path / "out") == FILES


def test_extract_passes_over_what_is_not_registered(tmp_path: Path) -> None:
    def extra(tar: tarfile.TarFile) -> None:
        add(tar, "repo-1", type=tarfile.DIRTYPE)
        add(tar, "repo-1/not-registered.txt", b"x" * 100_000)
        add(tar, "repo-1/link", type=tarfile.SYMTYPE, linkname="/etc/passwd")
        add(tar, "repo-1/hard", type=tarfile.LNKTYPE, linkname="repo-1/a.txt")

    extract(make(tmp_path / "a.tar.xz", extra=extra), MEMBERS, tmp_path / "out")
    assert contents(tmp_path / "out") == FILES
    assert not (tmp_path / "out/repo-1/link").is_symlink()


def test_extract_does_not_follow_a_link_that_stands_for_a_registered_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    def extra(tar: tarfile.TarFile) -> None:
        add(tar, "repo-1/deep", type=tarfile.SYMTYPE, linkname=str(outside))

    extract(make(tmp_path / "a.tar.xz", extra=extra), MEMBERS, tmp_path / "out")
    assert list(outside.iterdir()) == []
    assert (tmp_path / "out/repo-1/deep/b.txt").read_bytes() == FILES["repo-1/deep/b.txt"]


DEEP = "repo-1/deep/b.txt"
OUTSIDE = ["../escaped.txt", "repo-1/../../escaped.txt", "/escaped.txt"]
DEVICES = [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
NO_FILES = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE]


@pytest.mark.parametrize(
    ("changed", "added", "message"),
    [
        *(
            ({}, {"name": name, "content": b"!"}, r"escaped\.txt' is a device or would leave")
            for name in OUTSIDE
        ),
        *(
            ({}, {"name": "repo-1/dev", "type": kind}, "member 'repo-1/dev' is a device")
            for kind in DEVICES
        ),
        *(
            (
                {},
                {"name": "repo-1/a.txt", "type": kind, "linkname": "repo-1/empty"},
                r"a\.txt': expected a file",
            )
            for kind in NO_FILES
        ),
        ({"repo-1/a.txt": b"one\n" * 10**6}, {}, r"'repo-1/a\.txt': expected a file of 4 bytes"),
        ({"repo-1/a.txt": b"0ne\n"}, {}, r"a\.tar\.xz: repo-1/a\.txt was changed or cut"),
        ({DEEP: None}, {}, r"1 registered members are missing, first repo-1/deep/b\.txt"),
    ],
)
def test_extract_refuses(
    tmp_path: Path, changed: dict[str, Any], added: dict[str, Any], message: str
) -> None:
    files = {name: content for name, content in (FILES | changed).items() if content is not None}
    archive = make(tmp_path / "a.tar.xz", files, lambda tar: add(tar, **added) if added else None)
    with pytest.raises(DataError, match=message):
        extract(archive, MEMBERS, tmp_path / "out")
    assert not (tmp_path / "escaped.txt").exists()
    written = tmp_path / "out/repo-1/a.txt"
    assert not written.exists() or written.stat().st_size <= len(FILES["repo-1/a.txt"])


@pytest.mark.parametrize("suffix", ["xz", "gz"])
@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9])
def test_extract_finds_truncation_anywhere(tmp_path: Path, suffix: str, kept: float) -> None:
    noise = {
        f"repo-1/{n}": gzip.compress(bytes([n]) * 9000 + str(n * 7919).encode() * 50)
        for n in range(40)
    }
    members = [Member(name, len(content), blob_id(content)) for name, content in noise.items()]
    archive = make(tmp_path / f"a.tar.{suffix}", noise)
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(
        DataError, match=r"a\.tar\.\w\w: (truncated or damaged|\d+ registered members)"
    ):
        extract(archive, members, tmp_path / "out")


@pytest.mark.parametrize("suffix", ["xz", "gz"])
def test_extract_finds_every_flipped_byte_that_matters(tmp_path: Path, suffix: str) -> None:
    archive = make(tmp_path / f"a.tar.{suffix}")
    whole, found = archive.read_bytes(), 0
    for position in range(len(whole)):
        archive.write_bytes(
            whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :]
        )
        try:
            extract(archive, MEMBERS, tmp_path / "out")
        except DataError:
            found += 1
        else:
            assert contents(tmp_path / "out") == FILES
    assert found > len(whole) / 2


def test_extract_finds_an_error_page_in_the_place_or_in_the_middle_of_an_archive(
    tmp_path: Path,
) -> None:
    archive, page = make(tmp_path / "a.tar.gz"), b"<html>try again later</html>"
    half = gzip.compress(gzip.decompress(archive.read_bytes())[:2048])
    for content in (half + page, page):
        archive.write_bytes(content)
        with pytest.raises(DataError, match="truncated or damaged") as raised:
            extract(archive, MEMBERS, tmp_path / "out")
        assert "\n" not in str(raised.value)


def test_extract_refuses_long_headers_and_bombs_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
        info = tarfile.TarInfo("repo-1/a.txt")
        info.type, info.size = kind, 3 << 30
        archive = tmp_path / "a.tar.gz"
        archive.write_bytes(gzip.compress(info.tobuf() + bytes(10_000)))
        with pytest.raises(DataError, match=r"a header of 3,221,225,472 bytes"):
            extract(archive, MEMBERS, tmp_path / "out")
    monkeypatch.setattr(storage, "_SMALL", 1000)
    bomb = make(tmp_path / "b.tar.xz", extra=lambda tar: add(tar, "repo-1/zeros", bytes(10**7)))
    with pytest.raises(DataError, match="unpacks to more than"):
        extract(bomb, MEMBERS, tmp_path / "out")


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    contents = [b"", b"one\n", b"two\r\n\x00\xff" * 300_000]
    members = [
        Member(f"{n}.bin", len(content), blob_id(content)) for n, content in enumerate(contents)
    ]
    files = [tmp_path / member.path for member in members]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    printed = subprocess.run(
        ["git", "hash-object", "--no-filters", *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [blob_id(content) for content in contents] == printed.stdout.split()
    assert problems(tmp_path, members) == []


def test_problems_tells_missing_from_changed(tmp_path: Path) -> None:
    extract(make(tmp_path / "a.tar.xz"), MEMBERS, tmp_path)
    assert problems(tmp_path, MEMBERS) == []
    (tmp_path / "repo-1/a.txt").write_bytes(b"0ne\n")
    (tmp_path / "repo-1/deep/b.txt").write_bytes(b"shorter")
    (tmp_path / "repo-1/empty").unlink()
    found = problems(tmp_path, MEMBERS)
    assert found == [
        "repo-1/a.txt was changed",
        "repo-1/deep/b.txt was changed",
        "repo-1/empty is missing",
    ]


def test_member_list_is_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    write_members(tmp_path / "1.gz", MEMBERS)
    write_members(tmp_path / "2.gz", reversed(MEMBERS))
    assert (tmp_path / "1.gz").read_bytes() == (tmp_path / "2.gz").read_bytes()
    assert (tmp_path / "1.gz").read_bytes()[4:8] == b"\0\0\0\0"  # gzip's time of writing


@given(
    st.lists(st.sampled_from(["..", ".", "a", "b c", "", "C:", "/", "\\"]), max_size=6).map(
        "/".join
    )
)
def test_safe_paths_stay_below_their_folder(path: str) -> None:
    root = Path("/r/o/o/t")
    stays = (root / path).resolve().is_relative_to(root)
    assert stays or not is_safe(path)
