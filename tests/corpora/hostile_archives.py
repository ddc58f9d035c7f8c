"""A family of hostile archives: each is bytes that a reader of tar files may be given.

python -m tests.corpora.hostile_archives FOLDER     # writes them, to look at
"""

import bz2
import gzip
import io
import lzma
import random
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from citectx.corpora.registry import Member, blob_id

FILES = {"repo-1/a.txt": b"one\n", "repo-1/deep/b.txt": b"two\r\n" * 200}
MEMBERS = tuple(Member(path, len(content), blob_id(content)) for path, content in FILES.items())
BLOCK = tarfile.BLOCKSIZE
END = bytes(2 * BLOCK)

Named = tuple[str, bytes]


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % BLOCK)


def header(
    name: str | bytes, kind: bytes = b"0", size: int = 0, changes: dict[int, bytes] | None = None
) -> bytes:
    """Return one header, with other bytes at some offsets."""
    block = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT)[:BLOCK])
    raw = name.encode() if isinstance(name, str) else name
    block[0:100] = raw[:100].ljust(100, b"\0")
    block[124:136] = b"%011o\0" % size
    block[156:157] = kind
    changes = changes or {}
    for start, value in changes.items():
        block[start : start + len(value)] = value
    if 148 not in changes:
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def entry(name: str | bytes, content: bytes = b"", kind: bytes = b"0") -> bytes:
    return header(name, kind, len(content)) + padded(content)


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    return entry("pax", records, kind)


def record(key: bytes, value: bytes) -> bytes:
    size = len(key) + len(value) + 3
    size += len(str(size + len(str(size))))
    return b"%d %s=%s\n" % (size, key, value)


GOOD = b"".join(entry(name, content) for name, content in FILES.items())
WHOLE = GOOD + END


def _numbers() -> Iterator[Named]:
    values = [
        *(b"\xff" * 12, b"\xff" * 11 + b"\0", b"\x80" + b"\xff" * 11, b"\x80" + bytes(11)),
        *(b"77777777777\0", b"99999999999\0", b"-0000001000\0", b"-1         \0", b"0x10       \0"),
        *(b"1_0        \0", b"\xd9\xa3" * 6, b"\0" * 12, b" " * 12, b"1e3        \0"),
        *(
            b"00000000001 ",
            b"\x80" + bytes(9) + b"\x02\0",
            b"nan        \0",
            b"1\0002\0003\0004\0005\0",
        ),
    ]
    places = {
        "mode": 100,
        "uid": 108,
        "gid": 116,
        "size": 124,
        "mtime": 136,
        "sum": 148,
        "dev": 329,
    }
    for (field, at), (number, value) in product(places.items(), enumerate(values)):
        width = 12 if field in ("size", "mtime") else 8
        yield f"number {field} {number}", header("repo-1/x", changes={at: value[:width]}) + WHOLE
        block = header("repo-1/a.txt", size=4, changes={at: value[:width]})
        yield f"number {field} {number} of a member", block + padded(b"one\n") + WHOLE


def _pax() -> Iterator[Named]:
    keys = [
        *(
            b"size",
            b"path",
            b"linkpath",
            b"mtime",
            b"uid",
            b"uname",
            b"hdrcharset",
            b"comment",
            b"",
        ),
        *(b"GNU.sparse.map", b"GNU.sparse.size", b"GNU.sparse.realsize", b"GNU.sparse.name"),
        *(b"GNU.sparse.offset", b"GNU.sparse.numbytes", b"GNU.sparse.major", b"SCHILY.xattr.user"),
    ]
    values = [
        *(b"nan", b"-512", b"9" * 5000, b"1e999", b"\xff\xfe", b"", b"a,b,c", b"0,1,2", b"BINARY"),
        *(
            b"../../escaped",
            b"/escaped",
            b"repo-1/a.txt",
            b"repo-1/a.txt\0",
            b"a\nb",
            b"x" * 70_000,
        ),
    ]
    for kind, key, (number, value) in product((b"x", b"g", b"X"), keys, enumerate(values)):
        records = record(key, value)
        yield f"pax {kind!r} {key!r} {number}", pax(records, kind) + WHOLE
    lone = [
        *(
            b"9" * 60_000,
            b"99999 a=b\n",
            b"0 a=b\n",
            b"3 a=b\n",
            b"-6 a=b\n",
            b"6 a b\n",
            b"6 a=bb",
        ),
        *(
            b"=" * 500,
            b" " * 500,
            b"\n" * 500,
            b"6 a=b\n" * 9000,
            b"1" * 5000 + b" a=b\n",
            b"\0" * 600,
        ),
        b"10 path=" + b"x" * 600,
    ]
    for kind, (number, content) in product((b"x", b"g"), enumerate(lone)):
        yield f"pax {kind!r} records {number}", pax(content, kind) + WHOLE
    yield (
        "sparse 1.0",
        pax(record(b"GNU.sparse.major", b"1") + record(b"GNU.sparse.minor", b"0"))
        + entry("repo-1/a.txt", b"9999999999\n0")
        + WHOLE,
    )
    for flag, filler in product((0, 1), (b"", b"\xff" * 12, b"x" * 12, b"00000000001\0" * 8)):
        sparse = header("repo-1/a.txt", b"S", 4, {386: filler, 482: bytes([flag])})
        yield f"sparse {flag} {filler[:3]!r}", sparse
        yield f"sparse {flag} {filler[:3]!r} and on", sparse + padded(b"\xff" * 504 + b"\1") + WHOLE


def _names() -> Iterator[Named]:
    names = [
        *(
            "../escaped",
            "/escaped",
            "repo-1/../../escaped",
            "C:escaped",
            "..\\..\\escaped",
            "//a/b",
        ),
        *("", ".", "..", "./repo-1/a.txt", "repo-1//a.txt", "repo-1/a.txt/", "REPO-1/A.TXT"),
        *("repo-1", "repo-1/deep", "repo-1/a.txt/b", "a" * 100, "\x1b[31m", "repo-1/a.txt "),
    ]
    raw = [name.encode() for name in names]
    raw += [b"\xff\xfe", b"repo-1/a.txt\0../x", b"repo-1/\xcc\x80a.txt", b"\xed\xa0\x80"]
    for kind, name in product((b"0", b"\0", b"7", b"5", b"1", b"2", b"V", b"\xff"), raw):
        yield f"name {kind!r} {name!r}", entry(name, kind=kind) + WHOLE
    for name in raw:
        yield f"long name {name!r}", entry("l", name + b"\0", b"L") + entry("x") + WHOLE
        yield f"pax name {name!r}", pax(record(b"path", name)) + entry("x") + WHOLE
        yield f"name of a member {name!r}", entry("l", name, b"L") + WHOLE
    for size in (0, 511, 512, 4096, 60_000, 70_000, 8**11 - 1):
        yield (
            f"long name of {size}",
            header("l", b"L", size) + padded(b"n" * min(size, 70_000)) + WHOLE,
        )


def _kinds() -> Iterator[Named]:
    targets = (b"/etc/passwd", b"repo-1/a.txt", b"repo-1/deep", b"../..", b"")
    for kind, name, target in product((b"1", b"2"), ("repo-1/a.txt", "repo-1/deep", "x"), targets):
        link = header(name, kind, changes={157: target})
        yield f"link {kind!r} {name} {target!r}", link + WHOLE
        yield f"link {kind!r} {name} {target!r} after", GOOD + link + END
        chain = b"".join(header(f"l{n}", kind, changes={157: b"l%d" % (n + 1)}) for n in range(50))
        yield f"links {kind!r} {name} {target!r} in a chain", chain + link + WHOLE
    for kind in (bytes([code]) for code in range(256)):
        yield f"kind {kind!r}", entry("repo-1/x", b"abc", kind) + WHOLE
        yield f"kind {kind!r} of a member", entry("repo-1/a.txt", b"one\n", kind) + WHOLE
    for name, content in FILES.items():
        yield f"twice {name}", GOOD + entry(name, content[::-1]) + END
        yield f"twice {name} first", entry(name, content[::-1]) + WHOLE
        yield f"longer {name}", entry(name, content * 2) + WHOLE
        yield f"shorter {name}", entry(name, content[:-1]) + WHOLE
    yield "a device with content", header("d", b"3", 8**10) + WHOLE
    yield "a folder with content", entry("repo-1", WHOLE, b"5") + END


def _places() -> Iterator[Named]:
    for pack in (bytes, gzip.compress, lzma.compress):
        whole = pack(WHOLE)
        step = max(1, len(whole) // 60)
        for at in range(0, len(whole), step):
            yield f"cut {pack.__name__} {at}", whole[:at]
            flipped = whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :]
            yield f"flipped {pack.__name__} {at}", flipped
            yield f"zeros {pack.__name__} {at}", whole[:at] + bytes(50) + whole[at + 50 :]
        for after in (
            b"garbage",
            b"\0" * 700,
            whole,
            gzip.compress(b"x"),
            b"\x1f\x8b",
            b"\xfd7zXZ\0",
        ):
            yield f"{pack.__name__} and {after[:8]!r}", whole + after
        halves = pack(WHOLE[:700]) + pack(WHOLE[700:])
        yield f"{pack.__name__} in two streams", halves
        yield f"{pack.__name__} twice", pack(whole)
    for at in range(0, 500, 4):
        for bit in (1, 0x80):
            block = bytearray(GOOD[:BLOCK])
            block[at] ^= bit
            yield f"header {at} {bit}", bytes(block) + GOOD[BLOCK:] + END


def _others() -> Iterator[Named]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in FILES.items():
            file.writestr(name, content)
    yield "zip", buffer.getvalue()
    yield "bz2", bz2.compress(WHOLE)
    yield "lzma", lzma.compress(WHOLE, lzma.FORMAT_ALONE)
    yield from {"empty": b"", "text": b"<html>try again later</html>\n" * 90, "zeros": END}.items()
    yield "spaces", b" " * 5000
    yield "noise", random.Random(0).randbytes(5000)
    yield "a gzip of nothing", gzip.compress(b"")
    yield "an xz of nothing", lzma.compress(b"")


def huge() -> Iterator[Named]:
    """Iterate over bombs, and archives of very many headers."""
    zeros = bytes(70_000_000)
    yield "bomb gzip", gzip.compress(entry("repo-1/zeros", zeros) + WHOLE, 1)
    yield "bomb xz", lzma.compress(entry("repo-1/zeros", zeros) + WHOLE, preset=0)
    yield "bomb in a bomb", gzip.compress(gzip.compress(zeros))
    yield "a bomb of headers", gzip.compress(entry("repo-1/x") * 140_000 + WHOLE, 1)
    for what, count in ((entry("repo-1/x"), 20_000), (pax(record(b"a", b"b")), 5_000)):
        yield f"many {what[:8]!r}", what * count + WHOLE
    yield "many long names", entry("l", b"n" * 40_000, b"L") * 500 + WHOLE
    yield "many digits", gzip.compress(pax(b"9" * 60_000) * 500 + WHOLE)


def archives() -> Iterator[Named]:
    """Iterate over all archives that are small, by what they are."""
    for family in (_numbers, _pax, _names, _kinds, _places, _others):
        yield from family()


def noise(times: int) -> Iterator[Named]:
    """Iterate over archives with what chance puts into them, below any packing."""
    blocks = [*(GOOD[at : at + BLOCK] for at in range(0, len(GOOD), BLOCK)), END, pax(b"6 a=b\n")]
    for number in range(times):
        draw = random.Random(number)
        content = bytearray(b"".join(draw.choices(blocks, k=draw.randint(1, 9))))
        for _ in range(draw.randint(0, 4)):
            content[draw.randrange(len(content))] = draw.choice((0, 0x30, 0x37, 0x80, 0xFF))
        for start in range(0, len(content), BLOCK):
            if draw.random() < 0.8:  # a checksum that is right, so that the rest is looked at
                block = content[start : start + BLOCK].ljust(BLOCK, b"\0")
                block[148:156] = b" " * 8
                content[start + 148 : start + 156] = b"%06o\0 " % sum(block)
        yield f"noise {number}", bytes(content)


if __name__ == "__main__":
    for number, (_, content) in enumerate([*archives(), *huge()]):
        Path(sys.argv[1], f"{number:04}.tar").write_bytes(content)
