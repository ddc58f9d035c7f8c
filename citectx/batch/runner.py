"""Run the notebooks in order under a profile: strict parameters, progress, resume, provenance."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import nbformat
from tqdm import tqdm

from citectx import parallel
from citectx.batch.execution import PROVENANCE, Run, Task, entry_of, perform, recover
from citectx.batch.inputs import data_of, inputs_of
from citectx.batch.parameters import check, parse
from citectx.errors import MissingDataError, ParameterError, unknown
from citectx.paths import IN_CHECKOUT, NOTEBOOKS, RESULTS
from citectx.profiles import Profile
from citectx.profiles import profile as known_profile
from citectx.storage import lock, own_folder, read_object


def notebooks(only: Sequence[str] = (), folder: Path = NOTEBOOKS) -> list[Path]:
    """List the notebooks in reading order.

    Parameters
    ----------
    only : sequence of str
        Numbers or beginnings of names ("01", "01_tac"); without any, all notebooks.
    folder : Path

    Raises
    ------
    ParameterError
        If something in `only` fits no notebook.
    """
    found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not found:
        raise MissingDataError(f"no notebooks in {folder}: run citectx from its checkout")
    for wanted in only:
        if not any(path.name.startswith(wanted) for path in found):
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
) -> list[Run]:
    """Execute notebooks under a profile, in order.

    A notebook is passed over if nothing that its outputs depend on has changed since its last finished run,
    and all of them are as that run left them (`citectx.batch.execution`). So an interrupted run goes on where
    it stopped.

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
        So many at a time, each with a kernel of its own; the outputs do not depend on it. A notebook waits
        for those that its metadata name under ``citectx``, ``after``, because it judges their results, too,
        or can use what they have computed.

    Returns
    -------
    list of Run

    Raises
    ------
    ParameterError
        Before anything runs, if a notebook lacks one of the parameters or does not allow its value, `jobs` is
        below 1, or the results folder holds files that are not ours.
    DataError
        Likewise, if ``provenance.json`` is damaged.
    LockedError
        If another run works on the same results.
    NotebookError
        If a cell fails. Notebooks finished before it keep their outputs, those running beside it finish, no
        other begins; the failed one is left as ``<name>.failed.ipynb``, and its tables stay those of before.
    """
    parallel.check(jobs)
    paths = notebooks(only, folder)
    given = {**(parameters or {}), "profile": profile.name}
    for path in paths:
        check(path, given)
    needs = {path.stem: _after(path) for path in paths}
    home = profile.results.absolute()
    if not read_object(home / PROVENANCE):  # else it is a folder of results already
        own_folder(home)
    with lock(home, 5):
        recover(home)
        data = data_of(profile.name)
        tasks = {}
        for path in paths:
            after = tuple(f".stamps/{name}.json" for name in sorted(needs[path.stem]))
            about = f"notebooks/{path.name}", f".stamps/{path.stem}.json", home.name, after
            tasks[path.stem] = Task(path, given, home, *about, inputs_of(path) | {"data": data})
        order = list(tasks) if jobs == 1 else longest_first(needs, home)
        seconds = _all_of(tasks, needs, order, jobs, force)
    return [Run(name, task, seconds[name]) for name, task in tasks.items()]


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
    chosen = known_profile(profile or "teaching")
    given = parse(param)
    if "profile" in given:
        raise ParameterError("name the profile with --profile, not with --param")
    if not (out or IN_CHECKOUT or "CITECTX_RESULTS" in os.environ):
        raise ParameterError("citectx is installed without a checkout: say where results go with --out DIR")
    if out:
        os.environ["CITECTX_RESULTS"] = str(out.resolve())  # the kernels inherit it
    chosen.load()  # in the kernels nobody would see what was found
    print(*run(chosen, only, given, force=force, jobs=jobs), sep="\n")
    print(f"results are in {chosen.results}")
    return 0


def _all_of(
    tasks: Mapping[str, Task], needs: Mapping[str, set[str]], order: Sequence[str], jobs: int, force: bool
) -> dict[str, float]:
    """Perform tasks, each after those that it needs; returns their seconds, or raises the first failure."""
    waiting = list(order)
    seconds: dict[str, float] = {}
    running: dict[Future[float], str] = {}
    failures: list[BaseException] = []
    with tqdm(desc="notebooks", total=len(tasks), unit="notebook") as bar, ThreadPoolExecutor(jobs) as pool:
        while running or (waiting and not failures):
            unfinished = {*waiting, *running.values()}
            ready = [] if failures else [name for name in waiting if unfinished.isdisjoint(needs[name])]
            for name in ready[: jobs - len(running)]:
                waiting.remove(name)
                running[pool.submit(perform, tasks[name], force=force)] = name
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                if error := future.exception():
                    failures.append(error)
                else:
                    seconds[name] = future.result()
                bar.update()
    if failures:
        raise failures[0]
    return seconds


def longest_first(needs: Mapping[str, set[str]], home: Path) -> list[str]:
    """Order notebooks by what they and those that wait for them took: nothing long is left for the end.

    Times are those of the last run under this profile, else of the open results that come with the package.
    """
    own, others = ({**read_object(folder / PROVENANCE)} for folder in (home, RESULTS / "open"))
    entries = own if any(entry_of(name) in own for name in needs) else others

    def seconds(name: str) -> float:
        followers = [seconds(other) for other, before in needs.items() if name in before]
        return float(entries.get(entry_of(name), {}).get("wall_time_s", 0.0)) + max(followers, default=0.0)

    return sorted(needs, key=lambda name: -seconds(name))


def _after(path: Path) -> set[str]:
    """Names of notebooks that have to run before this one, all of which stand before it in reading order."""
    named = nbformat.read(path, as_version=4).metadata.get("citectx", {}).get("after", [])
    return {name for name in named if name < path.stem}
