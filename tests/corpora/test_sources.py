"""Fetching against small archives, a local web server, and (marked open_data) the real archives."""

import errno
import io
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from citectx.cli import main
from citectx.corpora import downloads, sources
from citectx.corpora import registry as facts
from citectx.corpora.registry import Member, Source, blob_id, write_members
from citectx.errors import CitectxError, DataError, MissingDataError, ParameterError
from citectx.ontology.vocabularies import open_vocabulary
from citectx.paths import DATA, ROOT, data_dir
from citectx.storage import LockedError

COMMITS = ("octo/one@" + "1" * 40, "octo/two@" + "2" * 40)
ONE, TWO = f"one-{'1' * 40}", f"two-{'2' * 40}"
FILES = {
    f"{ONE}/text/a #b.txt": b"alpha\n",
    f"{ONE}/c.txt": b"gamma\n" * 2000,
    f"{TWO}/d.txt": b"delta\n",
}
GIVEN_MIRROR = os.environ.get("CITECTX_MIRROR")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every test away from the data of whoever runs it."""
    for variable in ("CITECTX_MIRROR", *(item.variable for item in facts.licensed().values())):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def tar_bytes(files: dict[str, bytes], compression: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{compression}") as tar:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A mirror with the archive of one small source, sample.tar.xz."""
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf/sample.tar.xz").write_bytes(tar_bytes(FILES, "xz"))
    return tmp_path / "shelf"


@pytest.fixture
def sample(tmp_path: Path, shelf: Path) -> Source:
    return register(tmp_path, "files", sha256((shelf / "sample.tar.xz").read_bytes()).hexdigest())


def register(folder: Path, download: str, digest: str = "0" * 64) -> Source:
    """Write a registry of one source and read it back."""
    (folder / "registry").mkdir(exist_ok=True)
    members = [Member(path, len(content), blob_id(content)) for path, content in FILES.items()]
    write_members(folder / "registry/sample.members.tsv.gz", members)
    (folder / "registry/SHA256SUMS").write_text(f"{digest}  sample.tar.xz\n")
    entry = {key: f"its {key}" for key in ("title", "licence", "holds", "stands_in_for")}
    entries = {"open": {"sample": entry | {"upstream": list(COMMITS), "download": download}}}
    (folder / "registry/sources.yaml").write_text(yaml.safe_dump(entries))
    facts.registry.cache_clear()
    return facts.registry(folder / "registry")["sample"]


def fetch(source: Source, from_dir: Path | None = None, **options: Any) -> Path:
    return sources.fetch(source, from_dir=from_dir, **options)


def contents(folder: Path) -> dict[str, bytes]:
    found = {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }
    marks = (sources.STAMP, sources._MEMBERS)
    return {name: content for name, content in found.items() if name not in marks}


def nothing_left(data: Path) -> bool:
    return not data.exists() or list(data.iterdir()) == []


def state(source: Source, *, verify: bool = False) -> str:
    return sources.state(source, verify=verify)[0]


# From a folder of archives


def test_fetch_unpacks_exactly_the_members(sample: Source, shelf: Path, data: Path) -> None:
    assert fetch(sample, shelf) == data / "sample"
    assert contents(data / "sample") == FILES
    assert [p.name for p in data.iterdir()] == ["sample"]
    assert state(sample, verify=True) == "present"


def test_fetch_command_shows_the_licence_first(
    sample: Source, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "registry", lambda: {"sample": sample})
    monkeypatch.setattr(sources, "fetch", lambda *_, **__: capsys.readouterr().err)
    sources.cmd_fetch(["sample"])
    assert "licence: its licence" in capsys.readouterr().out


def test_second_fetch_reads_and_says_nothing(
    sample: Source, shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(sample, shelf)
    (shelf / "sample.tar.xz").unlink()
    assert contents(sources.fetch(sample, from_dir=shelf)) == FILES
    assert capsys.readouterr().err == ""


def test_fetch_from_the_mirror_in_the_environment(
    sample: Source, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shelf.parent)
    monkeypatch.setenv("CITECTX_MIRROR", "shelf")
    assert state(sample) == "in mirror"
    assert contents(fetch(sample)) == FILES


def test_a_folder_without_the_archive_and_a_mirror_that_is_none(
    sample: Source, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingDataError, match=r"sample\.tar\.xz is not there"):
        fetch(sample, tmp_path)
    monkeypatch.setenv("CITECTX_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(
        MissingDataError, match=r"CITECTX_MIRROR names .*nowhere, which is not a folder"
    ):
        fetch(sample)
    assert nothing_left(data)


@pytest.mark.parametrize(
    "change", [lambda b: b[:-100], lambda b: b + b"\0", lambda b: b[:50] + b"!" + b[51:]]
)
def test_cut_or_tampered_archive(
    sample: Source, shelf: Path, data: Path, change: Callable[[bytes], bytes]
) -> None:
    archive = shelf / "sample.tar.xz"
    archive.write_bytes(change(archive.read_bytes()))
    with pytest.raises(
        DataError, match=r"sample\.tar\.xz: truncated or changed: its SHA-256 is .* copy it again"
    ):
        fetch(sample, shelf)
    assert nothing_left(data)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_archive(
    sample: Source, shelf: Path, data: Path, make: Callable[[Path], None]
) -> None:
    (shelf / "sample.tar.xz").unlink()
    make(shelf / "sample.tar.xz")
    with pytest.raises(MissingDataError, match=r"sample\.tar\.xz is not there"):
        fetch(sample, shelf)
    assert nothing_left(data)


def test_bad_member_leaves_nothing_behind(tmp_path: Path, shelf: Path, data: Path) -> None:
    content = tar_bytes(FILES | {f"{TWO}/d.txt": b"delt4\n"}, "xz")
    (shelf / "sample.tar.xz").write_bytes(content)
    with pytest.raises(DataError, match=r"d\.txt was changed or cut"):
        fetch(register(tmp_path, "files", sha256(content).hexdigest()), shelf)
    assert nothing_left(data)


def test_full_disk_leaves_nothing_behind_and_says_so(
    sample: Source, shelf: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> NoReturn:
            raise OSError(errno.ENOSPC, "No space left on device")

    really = Path.open
    monkeypatch.setattr(
        Path,
        "open",
        lambda p, mode="r", *a, **k: Full() if mode == "wb" else really(p, mode, *a, **k),
    )
    with pytest.raises(
        CitectxError, match=r"sample .* cannot be written .*No space left.*CITECTX_DATA"
    ):
        fetch(sample, shelf)
    assert nothing_left(data)


def test_interruption_leaves_nothing_behind_and_the_next_call_succeeds(
    sample: Source, shelf: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def interrupted(stream: Any, member: Member, *rest: Any) -> None:
        seen.append(member.path)
        if len(seen) == 2:
            raise KeyboardInterrupt
        really(stream, member, *rest)

    really = facts.write_checked
    monkeypatch.setattr(facts, "write_checked", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(sample, shelf)
    assert nothing_left(data)
    assert contents(fetch(sample, shelf)) == FILES


def test_data_folder_that_cannot_be_made(sample: Source, shelf: Path, data: Path) -> None:
    data.write_text("a file is in the way")
    with pytest.raises(CitectxError, match=r"cannot be written to .*data"):
        fetch(sample, shelf)


def test_two_at_once_give_one_copy(
    sample: Source, shelf: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_ready = threading.Barrier(2, timeout=20)
    really = sources._workshop

    def together(wanted: Source) -> Any:
        both_ready.wait()
        return really(wanted)

    monkeypatch.setattr(sources, "_workshop", together)
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda _: fetch(sample, shelf), range(2)))
    assert paths == [data / "sample"] * 2
    assert contents(data / "sample") == FILES
    assert [p.name for p in data.iterdir()] == ["sample"]


# What is there already


def test_changed_file_is_found_by_verifying_and_repaired(sample: Source, shelf: Path) -> None:
    there = fetch(sample, shelf)
    (there / ONE / "c.txt").write_bytes(b"gamm4\n" * 2000)
    assert state(sample) == "present"
    note = f"{ONE}/c.txt was changed (1 in all); run: citectx fetch --verify sample"
    assert sources.state(sample, verify=True) == ("damaged", note)
    fetch(sample, shelf, verify=True)
    assert contents(there) == FILES
    assert state(sample, verify=True) == "present"


def test_folder_of_the_users_is_neither_read_nor_replaced(
    sample: Source, shelf: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITECTX_MIRROR", str(shelf))
    (data / "sample").mkdir(parents=True)
    (data / "sample/thesis.txt").write_text("years of work")
    assert state(sample) == "damaged"
    attempts: list[Callable[[], object]] = [
        lambda: sources.folder(sample, "one"),
        lambda: fetch(sample, shelf),
        lambda: fetch(sample, shelf, verify=True),
    ]
    for attempt in attempts:
        with pytest.raises(DataError, match=r"data/sample: is not from citectx fetch"):
            attempt()
    assert (data / "sample/thesis.txt").read_text() == "years of work"
    assert [p.name for p in data.iterdir()] == ["sample"]


def test_file_of_the_users_in_the_place_of_a_folder_stays(
    sample: Source, shelf: Path, data: Path
) -> None:
    data.mkdir()
    (data / "sample").write_text("a note")
    with pytest.raises(DataError, match=r"data/sample"):
        fetch(sample, shelf)
    assert (data / "sample").read_text() == "a note"


def test_what_a_killed_fetch_left_is_cleared_by_the_next_and_nothing_else(
    sample: Source, shelf: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import sys, pathlib; from citectx.corpora import registry as facts, sources\n"
        "facts.write_checked = lambda *_: print('filling', flush=True) or sys.stdin.read()\n"
        "registry, shelf = map(pathlib.Path, sys.argv[1:])\n"
        "sources.fetch(facts.registry(registry)['sample'], from_dir=shelf)"
    )
    command = [sys.executable, "-c", script, str(shelf.parent / "registry"), str(shelf)]
    (data / ".sample-mine").mkdir(parents=True)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        [left] = data.glob(".sample-fetching")
        monkeypatch.setattr(sources, "_PATIENCE", 0.1)
        with pytest.raises(LockedError, match="in use by process"):
            fetch(sample, shelf)
        assert left.exists()  # its process is alive
        process.kill()
    fetch(sample, shelf)
    assert sorted(p.name for p in data.iterdir()) == [".sample-mine", "sample"]


def test_new_registry_makes_the_old_copy_stale(sample: Source, shelf: Path, tmp_path: Path) -> None:
    there = fetch(sample, shelf)
    write_members(sample.member_list, [m for m in sample.members if not m.path.endswith("c.txt")])
    facts.registry.cache_clear()
    newer = facts.registry(tmp_path / "registry")["sample"]
    assert state(newer) == "damaged"
    fetch(newer, shelf)
    assert not (there / ONE / "c.txt").exists()


def test_folder_finds_a_commit_by_the_beginning_of_its_name(sample: Source, shelf: Path) -> None:
    there = fetch(sample, shelf)
    assert sources.folder(sample, "one") == there / ONE
    assert sources.folder(sample, "two-2222") == there / TWO
    with pytest.raises(ParameterError, match=rf"repo=None must begin exactly one of {ONE}, {TWO}"):
        sources.folder(sample)
    with pytest.raises(ParameterError, match="repo='three'"):
        sources.folder(sample, "three")


def test_folder_takes_the_mirror_but_never_downloads(
    sample: Source, shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sources, "download", pytest.fail)
    with pytest.raises(MissingDataError, match="sample is missing; run: citectx fetch sample"):
        sources.folder(sample, "one")
    monkeypatch.setenv("CITECTX_MIRROR", str(shelf))
    assert (sources.folder(sample, "one") / "c.txt").read_bytes() == FILES[f"{ONE}/c.txt"]
    assert capsys.readouterr() == ("", "")


# Downloads, from a server that answers as GitHub does


class Server:
    """Gives each path the next of its answers, the last one for ever; a share of one is an
    interruption."""

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[bytes, float]]] = {}
        self.asked: list[str] = []
        self.redirects: dict[str, str] = {}
        self.stall: threading.Event | None = None

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler) -> None:  # noqa: N805
                self.asked.append(handler.path)
                answers = self.answers.get(handler.path)
                if self.stall:
                    self.stall.wait(20)
                if handler.path in self.redirects:
                    handler.send_response(302)
                    handler.send_header("Location", self.redirects[handler.path])
                    return handler.end_headers()
                if answers is None:
                    return handler.send_error(404)
                body, share = answers.pop(0) if len(answers) > 1 else answers[0]
                handler.send_response(200)
                handler.send_header("Content-Length", str(len(body)))
                handler.end_headers()
                with suppress(OSError):  # the client may have had enough
                    handler.wfile.write(body[: int(len(body) * share)])
                return None

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    monkeypatch.setattr(facts, "GITHUB", running.url)
    monkeypatch.setattr(facts, "GITHUB_RAW", f"{running.url}/raw")
    monkeypatch.setattr(time, "sleep", lambda _: None)
    yield running
    running.http.shutdown()
    running.http.server_close()


def archive_path(commit: str) -> str:
    repository, _, revision = commit.partition("@")
    return f"/{repository}/archive/{revision}.tar.gz"


RAW = {
    f"/raw/octo/one/{'1' * 40}/c.txt": FILES[f"{ONE}/c.txt"],
    f"/raw/octo/one/{'1' * 40}/text/a%20%23b.txt": FILES[f"{ONE}/text/a #b.txt"],
    f"/raw/octo/two/{'2' * 40}/d.txt": FILES[f"{TWO}/d.txt"],
}
FIRST = next(iter(RAW))


def serve_archives(server: Server) -> None:
    for commit, folder in zip(COMMITS, (ONE, TWO), strict=True):
        files = {name: content for name, content in FILES.items() if name.startswith(folder)}
        body = tar_bytes(files | {f"{folder}/unregistered.txt": b"not wanted"}, "gz")
        server.answers[archive_path(commit)] = [(body, 1.0)]


def test_download_of_archives_after_an_interruption(
    tmp_path: Path, server: Server, data: Path
) -> None:
    serve_archives(server)
    first = server.answers[archive_path(COMMITS[0])]
    first.insert(0, (first[0][0], 0.5))
    assert contents(fetch(register(tmp_path, "archive"))) == FILES
    assert server.asked == [archive_path(COMMITS[0])] * 2 + [archive_path(COMMITS[1])]
    assert [p.name for p in data.iterdir()] == ["sample"]


def test_download_of_single_files_after_an_interruption(
    sample: Source, server: Server, data: Path
) -> None:
    server.answers = {path: [(body, 1.0)] for path, body in RAW.items()}
    server.answers[FIRST].insert(0, (RAW[FIRST], 0.3))
    assert contents(fetch(sample)) == FILES
    assert server.asked == [FIRST, *RAW]
    assert [p.name for p in data.iterdir()] == ["sample"]


def test_download_that_never_succeeds(tmp_path: Path, server: Server, data: Path) -> None:
    serve_archives(server)
    path = archive_path(COMMITS[1])
    server.answers[path] = [(server.answers[path][0][0], 0.5)]
    with pytest.raises(
        MissingDataError, match=r"archive/2+\.tar\.gz could not be downloaded .*try again"
    ):
        fetch(register(tmp_path, "archive"))
    assert server.asked.count(path) == 4
    assert nothing_left(data)


def test_download_of_something_that_is_gone(sample: Source, server: Server, data: Path) -> None:
    with pytest.raises(MissingDataError, match=r"c\.txt could not be downloaded \(404"):
        fetch(sample)
    assert nothing_left(data)


@pytest.mark.parametrize("download", ["files", "archive"])
def test_download_stops_at_the_registered_size(
    tmp_path: Path, server: Server, data: Path, monkeypatch: pytest.MonkeyPatch, download: str
) -> None:
    monkeypatch.setattr(downloads, "_HEADROOM", (1000, 1))
    endless = b"0" * 50_000_000
    server.answers[archive_path(COMMITS[0])] = [(endless, 1.0)]
    server.answers[FIRST] = [(endless, 1.0)]
    written: list[int] = []
    really = downloads._Bounded.write

    def count(bounded: Any, piece: bytes) -> int:
        written.append(really(bounded, piece))
        return written[-1]

    monkeypatch.setattr(downloads._Bounded, "write", count)
    with pytest.raises(CitectxError, match="is larger than"):
        fetch(register(tmp_path, download))
    assert sum(written) <= 20_000
    assert nothing_left(data)


def test_a_stalled_download_ends(
    sample: Source, server: Server, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers = {path: [(body, 1.0)] for path, body in RAW.items()}
    server.stall = threading.Event()
    monkeypatch.setattr(downloads, "_STALL", 0.2)
    with pytest.raises(MissingDataError, match="could not be downloaded"):
        fetch(sample)
    server.stall.set()
    assert nothing_left(data)


def test_redirects_are_followed_but_not_in_a_circle(
    sample: Source, server: Server, data: Path
) -> None:
    server.redirects = {FIRST: "/elsewhere", "/round": "/round"}
    server.answers = {path: [(body, 1.0)] for path, body in RAW.items()} | {
        "/elsewhere": [(RAW[FIRST], 1.0)]
    }
    assert contents(fetch(sample)) == FILES
    assert "/elsewhere" in server.asked
    server.redirects[FIRST] = "/round"
    (data / "sample" / ONE / "c.txt").unlink()
    with pytest.raises(MissingDataError, match="redirects"):
        fetch(sample, verify=True)
    (data / "sample" / ONE / "c.txt").write_bytes(RAW[FIRST])
    assert contents(data / "sample") == FILES


def test_full_disk_during_a_download_is_not_blamed_on_the_network(
    sample: Source, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pooch.HTTPDownloader.__call__", full)
    with pytest.raises(CitectxError, match=r"sample .* cannot be written .*No space left"):
        fetch(sample)
    assert nothing_left(data)


@pytest.mark.parametrize("download", ["archive", "files"])
def test_download_that_differs_from_the_commit(
    tmp_path: Path, server: Server, data: Path, download: str
) -> None:
    changed = {f"{ONE}/c.txt": b"gamm4\n" * 2000, f"{ONE}/text/a #b.txt": b"alpha\n"}
    server.answers[archive_path(COMMITS[0])] = [(tar_bytes(changed, "gz"), 1.0)]
    server.answers[FIRST] = [(changed[f"{ONE}/c.txt"], 1.0)]
    with pytest.raises(DataError, match=rf"^{server.url}/.*: {ONE}/c\.txt was changed or cut"):
        fetch(register(tmp_path, download))
    assert nothing_left(data)


# Data that needs a licence


def test_licensed_data_comes_with_instructions() -> None:
    with pytest.raises(
        MissingDataError, match=r"needs a licence .*NIST.*Then set CITECTX_TAC2014 to the folder"
    ):
        sources.fetch("tac2014")


def test_licensed_folder_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITECTX_UMLS", str(tmp_path / "nowhere"))
    with pytest.raises(MissingDataError, match=r"nowhere, not a folder; expected: MRCONSO\.RRF"):
        sources.licensed_folder("umls")
    with pytest.raises(ParameterError, match="unknown licensed source 'acl-citation-network'"):
        sources.licensed_folder("acl-citation-network")


TAC = {
    "Annotation/T.A.ann.txt": "".join(
        f"Citance Number: {n} | Reference Article: x |\n\n" for n in range(16)
    )
}


def tac(topics: int = 20, *, data: str = "data") -> dict[str, str]:
    """Files of a release with 16 citances a topic, 313 in the first 20."""
    return {
        f"{data}/D14{n:02}_TRAIN/{file}": text.replace("Number: 15", "Number: 0") if n < 8 else text
        for n in range(1, topics + 1)
        for file, text in TAC.items()
    }


@pytest.mark.parametrize(
    ("name", "files", "complaint"),
    [
        ("tac2014", tac(), None),
        ("tac2014", tac(1), "there are 1 topics"),
        ("tac2014", tac(21), "there are 21 topics"),
        (
            "tac2014",
            {p: t.replace("r: 14", "r: 13") for p, t in tac().items()},
            "20 topics .* with 293 citances",
        ),
        ("tac2014", tac(data="release/data"), "there are 0 topics"),
        ("umls", {"MRCONSO.RRF": ""}, None),
    ],
)
def test_licensed_folder_is_looked_at(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    files: dict[str, str],
    complaint: str | None,
) -> None:
    for file, text in files.items():
        (tmp_path / "mine" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / file).write_text(text)
    item = facts.licensed()[name]
    monkeypatch.setenv(item.variable, str(tmp_path / "mine"))
    if complaint is None:
        assert sources.fetch(name) == tmp_path / "mine"
        assert sources.state(item) == ("present", "")
    else:
        with pytest.raises(DataError, match=rf"mine: .*{complaint}.*{item.variable} must name"):
            sources.licensed_folder(name)
        assert sources.state(item)[0] == "damaged"


def snapshot(folder: Path) -> dict[str, tuple[int, ...]]:
    """Sizes, times and inodes of all that is below a folder, and of the folders themselves."""
    states = {str(path): path.stat() for path in (folder, *folder.rglob("*"))}
    return {
        path: (state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino)
        for path, state in states.items()
    }


def test_no_command_writes_to_licensed_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is made there and deleted would show in the folder's times."""
    there = tmp_path / "licensed"
    for number in (1, 2):
        topic = there / f"release/data/D140{number}_TRAIN"
        shutil.copytree(DATA / f"teaching/data/D900{number}_TEACH", topic)
    shutil.copytree(ROOT / "tests/samples/umls", there / "umls")
    (there / "genomics").mkdir()
    folders = {"TAC2014": "release", "UMLS": "umls", "TREC_GENOMICS": "genomics"}
    for name, folder in folders.items():
        monkeypatch.setenv(f"CITECTX_{name}", str(there / folder))
    monkeypatch.setattr(sources, "TAC2014", (2, range(1000)))
    before = snapshot(there)
    to_page = ["--no-open", "--out", str(tmp_path / "page.html")]
    for command in (
        ["fetch", *facts.licensed()],
        ["fetch", "--verify", *facts.licensed()],
        ["sources", "--verify"],
        ["sources", "--findings", "tac2014"],
        ["view", "D1401_TRAIN", *"--profile tac2014 --methods VSM --no-tuning".split(), *to_page],
    ):
        assert main(command) == 0, command
    assert open_vocabulary(["umls"]).bearers
    assert snapshot(there) == before


# Commands


def test_fetch_command_goes_on_after_a_failure(
    sample: Source, shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(facts, "registry", lambda: {"sample": sample})
    assert sources.cmd_fetch(["nothing", "umls", "sample"], False, shelf) == 1
    printed = capsys.readouterr()
    assert printed.out == f"sample: {data_dir() / 'sample'}\n"
    assert "nothing: unknown source 'nothing'; known: 'sample'" in printed.err
    assert "umls: UMLS Metathesaurus cannot be fetched" in printed.err
    assert sources.cmd_fetch(["sample"]) == 0


@pytest.mark.parametrize(("names", "all_"), [([], False), (["umls"], True)])
def test_fetch_command_wants_names_or_all(names: list[str], all_: bool) -> None:
    with pytest.raises(ParameterError, match="--all"):
        sources.cmd_fetch(names, all_)


def test_sources_command_lists_every_source(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sources.cmd_sources() == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in [*facts.registry(), *facts.licensed(), str(data)])
    (data / "nltk-data").mkdir(parents=True)
    assert sources.cmd_sources() == 1


# The registry that this repository ships


def test_registry_is_consistent_and_small() -> None:
    for source in facts.registry().values():
        assert source.members
        assert {member.path.partition("/")[0] for member in source.members} == {
            upstream.folder for upstream in source.upstream
        }
        assert all(len(upstream.commit) == 40 and upstream.owner for upstream in source.upstream)
        assert len(source.sha256) == 64 * source.is_sized
        assert source.download in {"archive", "files"}
    assert sum(p.stat().st_size for p in facts.REGISTRY.iterdir()) < 3e6


def test_data_readme_describes_every_source() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    for source in facts.registry().values():
        size = f"{source.size / 1e6:.1f}" if source.is_sized else "?"
        assert f"| `{source.name}` | {len(source.members):,} | {size} |" in text
        assert all(f"{u.owner}/{u.repo}" in text and u.commit[:7] in text for u in source.upstream)
    for item in facts.licensed().values():
        assert f"`{item.name}`" in text
        assert f"`{item.variable}`" in text


# A source that no mirror holds


BLOB = blob_id(b"alpha\n")


@pytest.fixture
def unmirrored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """A source of one file, of which only the blob id is known."""
    source = register(tmp_path, "files")
    registry = tmp_path / "registry"
    write_members(registry / "sample.members.tsv.gz", [Member(f"{ONE}/a.txt", 100, BLOB, True)])
    (registry / "SHA256SUMS").write_text("")
    facts.registry.cache_clear()
    found = facts.registry(registry)[source.name]
    monkeypatch.setattr(sources, "registry", lambda: {found.name: found})
    monkeypatch.setattr(sources, "source", lambda name: found)
    return found


def shelve(folder: Path, files: dict[str, bytes]) -> Path:
    (folder / "here").mkdir()
    (folder / "here/sample.tar.xz").write_bytes(tar_bytes(files, "xz"))
    return folder / "here"


def test_unmirrored_files_are_known_by_their_blob_id(unmirrored: Source, tmp_path: Path) -> None:
    assert not unmirrored.is_sized
    here = shelve(tmp_path, {f"{ONE}/a.txt": b"alpha\n"})
    assert (sources.fetch("sample", from_dir=here) / ONE / "a.txt").read_bytes() == b"alpha\n"
    assert sources.state(unmirrored, verify=True) == ("present", "")
    (data_dir() / "sample" / ONE / "a.txt").write_bytes(b"alphA\n")
    assert sources.state(unmirrored, verify=True)[0] == "damaged"


@pytest.mark.parametrize("content", [b"alphA\n", b"alpha\n" * 99])
def test_unmirrored_files_of_another_blob_id_are_refused(
    unmirrored: Source, tmp_path: Path, content: bytes
) -> None:
    here = shelve(tmp_path, {f"{ONE}/a.txt": content})
    expected = f"expected git blob {BLOB}" if len(content) < 100 else "at most 100 bytes"
    with pytest.raises(DataError, match=expected):
        sources.fetch("sample", from_dir=here)
    assert not (data_dir() / "sample").exists()


def test_unmirrored_files_that_are_missing(unmirrored: Source, tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=rf"run: citectx fetch sample.*{BLOB}"):
        sources.folder("sample", "one")
    with pytest.raises(MissingDataError, match=rf"make it from upstream's.*a\.txt.*{BLOB}"):
        sources.fetch("sample", from_dir=tmp_path)


def test_all_sources_of_a_mirror_are_without_those_that_it_cannot_hold(
    unmirrored: Source, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sources.cmd_fetch(all_=True, from_dir=tmp_path) == 0
    assert "sample: is in no mirror; run: citectx fetch sample" in capsys.readouterr().err
    assert sources.cmd_fetch(["sample"], from_dir=tmp_path) == 1
    assert "No mirror of ours" in capsys.readouterr().err
    assert sources.cmd_sources() == 0
    assert " 0.0 " not in capsys.readouterr().out  # its size is not known


# The real archives


@pytest.fixture
def given_mirror(monkeypatch: pytest.MonkeyPatch) -> Path:
    if not GIVEN_MIRROR:
        pytest.skip("needs the real archives: set CITECTX_MIRROR to the folder that holds them")
    monkeypatch.setenv("CITECTX_MIRROR", GIVEN_MIRROR)
    return Path(GIVEN_MIRROR).absolute()


@pytest.mark.open_data
@pytest.mark.parametrize("name", ["acl-citation-network", "word-similarities"])
def test_small_real_sources_come_out_whole(given_mirror: Path, name: str) -> None:
    unpacked = sources.fetch(name)
    source = facts.source(name)
    assert set(contents(unpacked)) == {member.path for member in source.members}
    assert sources.state(source, verify=True) == ("present", "")


@pytest.mark.open_data
def test_registered_checksums_are_those_of_the_archives(given_mirror: Path) -> None:
    archived = [source for source in facts.registry().values() if source.sha256]
    assert len(archived) == len(facts.registry()) - 1  # the articles of citation-integrity-2024
    for source in archived:
        archive = given_mirror / f"{source.name}.tar.xz"
        assert sha256(archive.read_bytes()).hexdigest() == source.sha256


@pytest.mark.open_data
@pytest.mark.parametrize("name", ["acl-citation-network", "word-similarities", "vocabularies"])
def test_member_lists_can_be_made_again(given_mirror: Path, name: str) -> None:
    source = facts.source(name)
    list_members = runpy.run_path(str(ROOT / "tools/make_registry.py"))["list_members"]
    made = list_members(given_mirror / f"{name}.tar.xz", {u.folder for u in source.upstream})
    assert tuple(sorted(made)) == source.members
