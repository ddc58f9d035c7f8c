"""Fetching from a local git repository, from small archives and (open_data) from the real ones."""

import gzip
import os
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from citectx.cli import main
from citectx.corpora import sources
from citectx.corpora.sources import Source
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.storage import sha256

UPSTREAM = "octo/some-one"
FILES = {"text/a b.txt": b"alpha\r\n", "text/c.txt": b"gamma\n" * 2000, "notes.md": b"unwanted"}
WANTED = {name: content for name, content in FILES.items() if name.startswith("text/")}
MIRROR = os.environ.get("CITECTX_MIRROR")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every test away from the data of whoever runs it, and from the network."""
    for variable in ("CITECTX_MIRROR", "CITECTX_TAC2014"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CITECTX_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(sources, "GITHUB", (tmp_path / "hub").as_uri())
    return tmp_path / "data"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Octo", "-c", "user.email=octo@example.org"]
    command = ["git", *who, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != sources.SUMS]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def nothing_left(data: Path) -> bool:
    return not data.exists() or not list(data.iterdir())


@pytest.fixture
def commit(tmp_path: Path) -> str:
    """The first commit of an upstream repository that has moved on since."""
    hub = tmp_path / "hub" / UPSTREAM
    write(hub, FILES)
    git(hub, "init", "--quiet")
    git(hub, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(hub, "add", "--all")
    git(hub, "commit", "--quiet", "--message=first")
    first = git(hub, "rev-parse", "HEAD")
    write(hub, {"text/c.txt": b"changed since\n"})
    git(hub, "commit", "--quiet", "--all", "--message=second")
    return first


@pytest.fixture
def sample(commit: str, monkeypatch: pytest.MonkeyPatch) -> Source:
    """The only source of the registry."""
    upstream = {f"{UPSTREAM}-{commit}": "/text/*.txt\n"}
    source = Source("sample", "Some files", "CC0", "two files", upstream, 0.1, "not known")
    monkeypatch.setattr(sources, "registry", lambda: {"sample": source})
    return source


@pytest.fixture
def archive(sample: Source, commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror's archive of the wanted files, with its checksum in the registry."""
    write(tmp_path / "packed" / f"some-one-{commit}", WANTED)
    path = tmp_path / "mirror" / "sample.tar.xz"
    path.parent.mkdir()
    with tarfile.open(path, "w:xz") as tar:
        tar.add(tmp_path / "packed", ".")
    known = replace(sample, sha256=sha256(path))
    monkeypatch.setattr(sources, "registry", lambda: {"sample": known})
    monkeypatch.setenv("CITECTX_MIRROR", str(path.parent))
    return path


# From GitHub


@pytest.mark.parametrize("filters", ["true", "false"])
def test_wanted_files_of_a_pinned_commit_come_by_git(
    filters: str, sample: Source, commit: str, tmp_path: Path, data: Path
) -> None:
    git(tmp_path / "hub" / UPSTREAM, "config", "uploadpack.allowFilter", filters)
    assert sources.fetch("sample") == data / "sample"
    assert sources.folder("sample") == data / "sample" / f"some-one-{commit}"
    assert contents(sources.folder("sample")) == WANTED
    assert [path.name for path in data.iterdir()] == ["sample"]


def test_a_sample_of_paths_comes_from_its_own_list(
    sample: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample.paths.gz").write_bytes(gzip.compress(b"/notes.md\n"))
    monkeypatch.setattr(sources, "REGISTRY", tmp_path)
    sources.fetch("sample")
    assert contents(sources.folder("sample")) == FILES


def test_the_repository_of_the_user_is_left_alone(
    sample: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git sets GIT_DIR for all that its hooks run."""
    mine = tmp_path / "mine"
    write(mine, {"thesis.txt": b"mine"})
    git(mine, "init", "--quiet")
    git(mine, "config", "core.autocrlf", "true")
    before = contents(mine)
    monkeypatch.setenv("GIT_DIR", str(mine / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(mine))
    sources.fetch("sample")
    assert contents(mine) == before
    assert contents(sources.folder("sample")) == WANTED


def test_no_network_or_no_git_is_one_line(
    sample: Source, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hub").rename(tmp_path / "elsewhere")
    with pytest.raises(MissingDataError, match=r"^sample cannot be fetched: fatal: .*some-one"):
        sources.fetch("sample")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDataError, match=r"No such file or directory: 'git'\. It needs git"):
        sources.fetch("sample")
    assert nothing_left(data)


# From a mirror


def test_an_archive_is_used_without_asking_unless_it_is_cut(archive: Path, data: Path) -> None:
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-1])
    with pytest.raises(DataError, match=r"sample\.tar\.xz: SHA-256 differs"):
        sources.fetch("sample")
    assert nothing_left(data)
    archive.write_bytes(whole)
    assert contents(sources.folder("sample")) == WANTED
    assert [path.name for path in data.iterdir()] == ["sample"]


def test_the_network_is_not(sample: Source, data: Path) -> None:
    with pytest.raises(MissingDataError, match="run: citectx fetch sample"):
        sources.folder("sample")
    assert nothing_left(data)


# What is there


def test_nothing_that_is_there_is_replaced(sample: Source, data: Path) -> None:
    write(data / "sample", {"mine.txt": b"mine"})
    assert contents(sources.fetch("sample")) == {"mine.txt": b"mine"}


def test_verifying_names_what_is_missing_or_changed(
    archive: Path, commit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "--verify"]) == 0
    assert "sample                            missing" in capsys.readouterr().out
    assert main(["fetch", "sample", "--verify"]) == 0
    folder = sources.folder("sample")
    check = ["sha256sum", "--check", "--status", sources.SUMS]
    subprocess.run(check, cwd=folder.parent, check=True)
    (folder / "text/a b.txt").unlink()
    write(folder, {"text/c.txt": b"changed", "mine.txt": b"mine"})
    named = ", ".join(f"some-one-{commit}/{name}" for name in WANTED)
    for what in (["--all", "--verify"], ["--verify"]):
        assert main(["fetch", *what]) == 1
        assert f"missing or changed: {named}; move the folder away" in capsys.readouterr().err
    (folder.parent / sources.SUMS).unlink()
    assert main(["fetch", "--verify"]) == 1
    assert "sample has no SHA256SUMS, which fetching writes; move" in capsys.readouterr().err


def test_unknown_names_list_the_known(data: Path) -> None:
    with pytest.raises(ParameterError, match="unknown source 'acl'; known: 'acl-citation"):
        sources.fetch("acl")
    assert nothing_left(data)


def test_licensed_data_comes_with_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingDataError, match=r"needs a licence .*NIST.*Then set CITECTX_TAC2014"):
        sources.fetch("tac2014")
    monkeypatch.setenv("CITECTX_TAC2014", str(tmp_path))
    assert sources.fetch("tac2014") == tmp_path


# The registry, and the real archives


OPEN = {name: source for name, source in sources.registry().items() if source.sha256}
SMALLEST = min(OPEN, key=lambda name: OPEN[name].megabytes)
ARCHIVES = [pytest.param(name, marks=() if name == SMALLEST else pytest.mark.slow) for name in OPEN]
"""One on every change, the others every night."""


@pytest.mark.open_data
@pytest.mark.parametrize("name", ARCHIVES)
def test_real_archives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = sources.source(name)
    monkeypatch.setenv("CITECTX_MIRROR", MIRROR or "not set")
    if not source.archive.is_file():
        pytest.skip(f"needs {name}.tar.xz in CITECTX_MIRROR")
    folder = sources.fetch(name)
    commits = {upstream.partition("/")[2] for upstream in source.upstream}
    assert {path.name for path in folder.iterdir()} == commits | {sources.SUMS}
    megabytes = sum(map(len, contents(folder).values())) / 1e6
    assert source.megabytes == pytest.approx(megabytes, abs=0.051)


@pytest.mark.open_data
@pytest.mark.parametrize("name", ARCHIVES)
def test_patterns_are_those_of_the_real_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git itself says which of the archive's files its sparse patterns name: all."""
    monkeypatch.undo()
    for upstream, patterns in sources.source(name).upstream.items():
        folder = sources.folder(name, Path(upstream).name)
        listed = sources.more_patterns(name)
        (tmp_path / "patterns").write_text(patterns + listed)
        git(tmp_path, "init", "--quiet", "--bare", "repository")
        tree = f"--git-dir={tmp_path / 'repository'}", f"--work-tree={folder}"
        named = git(
            folder,
            *tree,
            *("ls-files", "-z", "--others", "--ignored"),
            f"-X{tmp_path / 'patterns'}",
        )
        files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        assert {Path(file) for file in named.split("\0") if file} == files
        stems = {f"/{path.with_suffix('.*').as_posix()}" for path in files}
        assert {*listed.splitlines()} <= stems | {f"/{path.as_posix()}" for path in files}
