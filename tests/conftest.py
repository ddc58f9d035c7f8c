"""Fixtures that several test modules share."""

import gc
import os
import subprocess
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

# pytest-xdist's main process reads this, too, and runs nothing: imports would cost it two seconds.
if TYPE_CHECKING:
    from citectx.corpora import Corpus


class Told(NamedTuple):
    """The exit code of a command, and what it wrote."""

    code: int
    out: str
    err: str


Ask = Callable[..., Told]
"""Runs a command of `citectx` in this process, given its words."""

collect_ignore = ["fifth"]  # a notebook that a test puts beside ours


@pytest.hookimpl(tryfirst=True)  # before the profile of the command line is taken
def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(
        100_000
    )  # what was imported and collected stays until the end; looking at it takes seconds
    thorough = config.getoption("--hypothesis-profile")
    if (
        thorough
        or "PYTEST_XDIST_WORKER" in os.environ
        or not config.getoption("numprocesses", None)
    ):
        from hypothesis import settings

        settings.register_profile(
            "citectx", deadline=None, max_examples=25
        )  # a busy machine is no failure
        settings.register_profile("thorough", deadline=None, max_examples=400)  # make test-slow
        settings.load_profile("citectx")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test of open data where there is none, with the command that fetches it."""
    from citectx.errors import MissingDataError

    try:
        yield
    except MissingDataError as error:
        if item.get_closest_marker("open_data") is None:
            raise
        pytest.skip(f"needs open data: {error}")


@pytest.fixture(autouse=True)
def surroundings() -> Iterator[None]:
    """Take back what a command in the test's process set for kernels."""
    before = {name: value for name, value in os.environ.items() if name.startswith("CITECTX_")}
    yield
    for name in [name for name in os.environ if name.startswith("CITECTX_")]:
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(scope="session", autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what tests compute away from the user's cache, in one place for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITECTX_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def open_corpus() -> Callable[[str], Path]:
    """Return the unpacked upstream folder of an open source, or skip the test without it."""
    from citectx.corpora import sources
    from citectx.errors import MissingDataError

    def folder(name: str) -> Path:
        try:
            return sources.folder(name)
        except MissingDataError as error:
            pytest.skip(f"needs the open corpus {name}: {error}")

    return folder


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """The files that git knows, or skip the test outside a checkout."""
    from citectx.paths import ROOT

    try:
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def teaching() -> "Corpus":
    """The teaching corpus, read once."""
    from citectx import profiles

    return profiles.load("teaching")


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command of `citectx`, such as `ask("explain", "bio-beats-wiki")`."""
    from citectx import cli

    def told(*words: object) -> Told:
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as exited:  # argparse ends the process
            code = int(str(exited.code))
        return Told(code, *capsys.readouterr())

    return told
