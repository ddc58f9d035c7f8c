"""Downloads from GitHub by pooch, none larger than it may be."""

import io
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import TqdmWarning

from citectx.corpora.registry import Member, Source, Upstream, extract, write_checked
from citectx.corpora.text_files import cut
from citectx.errors import CitectxError, MissingDataError

with warnings.catch_warnings():
    # tqdm's advice to install ipywidgets would show up in every notebook.
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

pooch.get_logger().setLevel("WARNING")

_HEADROOM = 64_000_000, 4
"""How much larger a commit's archive may be, as it holds more files: bytes, and times."""

_STALL = 60.0
"""Seconds without any byte after which a download is given up."""

_PART = "download.part"


def download(wanted: Source, new: Path) -> None:
    """Get the registered files from GitHub: the commits' archives, or each file alone.

    Parameters
    ----------
    wanted : Source
    new : Path
        The folder to make; what is being downloaded is kept beside it.

    Raises
    ------
    MissingDataError
        If the network fails four times.
    CitectxError
        If a file is larger than it may be.
    DataError
        If a file is not what the registry says.
    """
    for upstream in wanted.upstream:
        start = f"{upstream.folder}/"
        members = [member for member in wanted.members if member.path.startswith(start)]
        if wanted.download == "archive":
            _download_archive(upstream, members, new)
            continue
        for member in members:
            url = upstream.file_url(member.path.removeprefix(start))
            with _downloaded(url, member.size, new) as part, part.open("rb") as stream:
                write_checked(stream, member, new, url)


def _download_archive(upstream: Upstream, members: Sequence[Member], new: Path) -> None:
    constant, factor = _HEADROOM
    most = constant + factor * sum(member.size for member in members)
    url = upstream.archive_url
    with _downloaded(url, most, new, progress=sys.stderr.isatty()) as archive:
        extract(archive, members, new, url)


class _Bounded(io.FileIO):
    """A file of limited size, as pooch would take all that comes."""

    def __init__(self, path: str, most: int, url: str) -> None:
        super().__init__(path, "wb")
        self.most, self.url = most, url

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise CitectxError(
                f"{self.url}: is larger than the {self.most:,} bytes that it may have"
            )
        return super().write(data)


@contextmanager
def _downloaded(url: str, most: int, new: Path, *, progress: bool = False) -> Iterator[Path]:
    """Yield a downloaded file beside `new`; if the network fails, pooch tries three more times."""
    from requests import RequestException  # here, as importing it takes a while

    options = {"chunk_size": 1 << 16, "timeout": _STALL, "headers": {"Accept-Encoding": "identity"}}
    by_http = pooch.HTTPDownloader(progressbar=progress, **options)

    def bounded(url: str, path: str, _: pooch.Pooch) -> None:
        with _Bounded(path, most, url) as file:
            by_http(url, file, None)

    # No hash: what GitHub packs may differ, and the members' blob ids are checked.
    known, place = {_PART: None}, {_PART: url}
    shelf = pooch.create(new.parent, "", registry=known, urls=place, retry_if_failed=3)
    try:
        shelf.fetch(_PART, downloader=bounded)
    except (RequestException, ValueError) as error:  # the latter for odd numbers and addresses
        advice = "try again, or name a folder of archives (--from DIR)"
        why = cut(str(error), 500)
        raise MissingDataError(f"{url} could not be downloaded ({why}); {advice}") from error
    part = new.parent / _PART
    yield part
    part.unlink()
