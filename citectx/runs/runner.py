"""Run the notebooks in order under a profile: strict parameters, progress, resume."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tqdm import tqdm

from citectx import parallel
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.paths import IN_CHECKOUT, NOTEBOOKS, RESULTS
from citectx.profiles import Profile
from citectx.profiles import profile as known_profile
from citectx.runs import folders, kernel, nursery
from citectx.runs.execution import TEXT, Job, Outcome, perform, restore
from citectx.runs.parameters import check_grid, parse
from citectx.storage import lock, read_object

NEEDS = "after"
"""Key in a notebook's metadata, under ``citectx``: the notebooks whose results it reads, too."""


def notebooks(only: Sequence[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """List the notebooks in reading order.

    Parameters
    ----------
    only : sequence of str
        Numbers or beginnings of names ("01", "01_tac"); without any, all notebooks.
    folder : Path

    Raises
    ------
    MissingDataError
        If there are no notebooks.
    ParameterError
        If something in `only` is empty, or fits no notebook.
    """
    found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not found:
        raise MissingDataError(f"no notebooks in {folder}: run citectx from its checkout")
    for wanted in only:
        if not wanted or not any(path.name.startswith(wanted) for path in found):
            raise unknown("notebook", wanted, [path.stem for path in found])
    return [path for path in found if not only or path.name.startswith(tuple(only))]


def run(
    profile: Profile,
    only: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    *,
    folder: Path = NOTEBOOKS,
    force: bool = False,
    jobs: int = 1,
    first: Callable[[], object] = list,
) -> list[Outcome]:
    """Execute notebooks under a profile, in order.

    A notebook is skipped if nothing that its outputs depend on has changed since its last finished
    run, and all of them are as that run left them (`citectx.runs.execution`). So an interrupted
    run goes on where it stopped. Where only Markdown has changed, the executed notebook gets the
    new text.

    Parameters
    ----------
    profile : Profile
        Given to every notebook as its parameter ``profile``.
    only : sequence of str
        See `notebooks`.
    parameters : mapping, optional
        Further parameters; each notebook must declare all of them.
    folder : Path
        Where the notebooks are.
    force : bool
        Execute also what is up to date.
    jobs : int
        So many at a time, each with a kernel of its own; the outputs do not depend on it. A
        notebook waits for those that its metadata name under ``citectx``, ``after``, because it
        reads their results.
    first : callable
        Called before anything is executed, unless all is up to date.

    Raises
    ------
    ParameterError
        Before anything runs: if a notebook lacks one of the parameters or does not allow its
        value, `jobs` is below 1, or a folder of results holds files that no run has written.
    LockedError
        If another run works on the same results.
    NotebookError
        If a cell fails. Notebooks finished before it keep their outputs, those running beside it
        finish, no other begins; the failed one is left as ``<name>.failed.ipynb``.
    """
    parallel.check(jobs)
    paths = notebooks(only, folder)
    given = {**(parameters or {}), "profile": profile.name}
    home = profile.results.absolute()
    todo = {path.stem: Job(path, given, home / path.stem) for path in paths}
    _check(todo, home)
    with lock(home, 5):
        current = [_is_current(job) for job in todo.values()]
        executed = len(current) if force else current.count(False)
        needs = {path.stem: _needed(path) for path in paths}
        with nursery.opened(executed, kernel.environment()):
            if executed:
                first()
            done = _all_of(todo, needs, jobs, force)
    return [done[name] for name in todo]


def _check(todo: Mapping[str, Job], home: Path) -> None:
    """Refuse parameters and folders of results that will not do, before anything runs."""
    for job in todo.values():
        check_grid(job.notebook, {name: [value] for name, value in job.parameters.items()})
    folders.check_layout(home)
    for job in todo.values():
        job.check()


def _is_current(job: Job) -> bool:
    """Mend what a killed run has left; return whether no code needs to be executed."""
    restore(job)
    return job.changed() <= {TEXT}


def cmd_run(
    profile: str,
    only: Sequence[str] = (),
    param: Sequence[str] = (),
    *,
    out: Path | None = None,
    force: bool = False,
    jobs: int = 1,
) -> int:
    """Run ``citectx run``: read the parameters, execute the notebooks, print what became of each.

    Raises
    ------
    ParameterError
        For a profile among the parameters, and without a checkout and without `out`.
    """
    chosen = known_profile(profile)
    given = parse(param)
    if "profile" in given:
        raise ParameterError("name the profile with --profile, not with --param")
    check_place(out)
    if out:
        os.environ["CITECTX_RESULTS"] = str(out.resolve())  # the kernels inherit it
    # Corpora are read here first: what kernels find wrong in them is not printed.
    found = run(chosen, only, given, force=force, jobs=jobs, first=chosen.load)
    print(*found, sep="\n")
    print(f"results are in {chosen.results}")
    return 0


def check_place(out: Path | None) -> None:
    """Refuse to write results among the files of an installed package.

    Raises
    ------
    ParameterError
        Without a checkout, `out` and CITECTX_RESULTS.
    """
    if not (out or IN_CHECKOUT or "CITECTX_RESULTS" in os.environ):
        raise ParameterError(
            "citectx is installed without a checkout: say where results go with --out DIR"
        )


def _all_of(
    todo: Mapping[str, Job], needs: Mapping[str, set[str]], jobs: int, force: bool
) -> dict[str, Outcome]:
    """Perform jobs, each after those that it needs; raises the first failure.

    After a failure or an interruption, what is running finishes and nothing else begins.
    """
    begun: dict[str, Future[Outcome]] = {}

    def work(name: str) -> Outcome:
        for other in sorted(needs[name] & begun.keys()):
            begun[other].result()
        return perform(todo[name], force=force)

    with ThreadPoolExecutor(jobs) as pool:
        # What is needed begins first, so that no job waits for one that cannot begin.
        for name in in_order(todo, needs) if jobs > 1 else todo:
            begun[name] = pool.submit(work, name)
        finished = as_completed(begun.values())
        try:
            for future in tqdm(finished, desc="notebooks", total=len(todo), unit="notebook"):
                future.result()
        finally:
            pool.shutdown(cancel_futures=True)
    return {name: future.result() for name, future in begun.items()}


def in_order(todo: Mapping[str, Job], needs: Mapping[str, set[str]]) -> list[str]:
    """Put first the notebooks that need no other, and of these the one that takes longest.

    Those that need others follow in reading order.

    Times are those of the last run, else of the open results that come with the package.
    """

    def seconds(name: str) -> float:
        about = folders.about(todo[name].folder) or folders.about(RESULTS / "open" / name)
        return float(about.get("wall_time_s", 0.0))

    free = sorted((name for name in todo if not needs[name]), key=seconds, reverse=True)
    return [*free, *(name for name in sorted(todo) if needs[name])]


def _needed(path: Path) -> set[str]:
    """Name the notebooks that have to run before this one; all stand before it in reading order."""
    named = read_object(path)["metadata"].get("citectx", {}).get(NEEDS, [])
    return {name for name in named if name < path.stem}
