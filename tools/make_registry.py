"""Make the machine's part of ``data/registry`` from a folder of archives.

    python tools/make_registry.py FOLDER [NAME ...]

For every open source of ``data/registry/sources.yaml`` (or those named) FOLDER must hold
``NAME.tar.xz``: files of the pinned commits, each under ``REPO-COMMIT/``; a source with ``blobs``
needs none. Written are
``NAME.members.tsv.gz`` (path, size and git blob id of each file) and ``SHA256SUMS`` (which
``sha256sum --check`` understands, in FOLDER). The same archives give the same bytes. An archive is
read from front to back and needs no more memory than its largest file.
"""

import argparse
import tarfile
from pathlib import Path

import yaml
from tqdm import tqdm

from citectx.corpora.registry import REGISTRY, Member, Upstream, blob_id, write_members
from citectx.errors import DataError, unknown
from citectx.storage import sha256, write_atomically

MOST = 64_000_000
"""Bytes that a file of unknown size may have."""


def main(archives: Path, names: list[str]) -> None:
    """Write member lists and checksums of the named sources, or of all."""
    entries = yaml.safe_load((REGISTRY / "sources.yaml").read_text(encoding="utf-8"))["open"]
    for name in names:
        if name not in entries:
            raise unknown("source", name, entries)
    sums = read_sums(REGISTRY / "SHA256SUMS")
    for name in names or sorted(entries):
        archive = archives / f"{name}.tar.xz"
        commits = [Upstream.parse(text) for text in entries[name]["upstream"]]
        if blobs := entries[name].get("blobs"):
            write_members(REGISTRY / f"{name}.members.tsv.gz", known(blobs, *commits))
            continue
        members = list_members(archive, {commit.folder for commit in commits})
        write_members(REGISTRY / f"{name}.members.tsv.gz", members)
        sums[archive.name] = sha256(archive)
        size = sum(member.size for member in members)
        print(f"{name}: {len(members):,} files, {size:,} bytes")
    text = "".join(f"{digest}  {file}\n" for file, digest in sorted(sums.items()))
    write_atomically(REGISTRY / "SHA256SUMS", text)


def list_members(archive: Path, folders: set[str]) -> list[Member]:
    """Read size and content of every file; all must be regular files of the registered commits.

    Our own, as `pooch.make_registry` lists the SHA-256 of unpacked files: no sizes, no git blobs.
    """
    members = []
    with tarfile.open(archive) as tar:
        for info in tqdm(tar, desc=archive.name, unit="file"):
            if info.isdir():
                continue
            stream = tar.extractfile(info) if info.isreg() else None
            if stream is None or info.name.partition("/")[0] not in folders:
                known = ", ".join(sorted(folders))
                raise DataError(f"{info.name} is not a file of {known}", file=archive)
            content = stream.read()
            members.append(Member(info.name, len(content), blob_id(content)))
    return members


def known(blobs: dict[str, str], upstream: Upstream) -> list[Member]:
    """Return the files of a source without an archive, of which we know only the blob ids."""
    return [
        Member(f"{upstream.folder}/{path}", MOST, blob, at_most=True)
        for path, blob in blobs.items()
    ]


def read_sums(file: Path) -> dict[str, str]:
    """Read checksums by file name; none if there is no file yet."""
    lines = file.read_text().splitlines() if file.is_file() else []
    return {name: digest for digest, name in (line.split() for line in lines)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the machine's part of data/registry.")
    parser.add_argument("folder", type=Path, help="holds NAME.tar.xz")
    parser.add_argument("names", nargs="*", metavar="NAME", help="sources; all by default")
    arguments = parser.parse_args()
    main(arguments.folder, arguments.names)
