"""What runs have left in the results, by folder: each has a ``run.json`` that tells of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from citectx.experiments.results import RUN, about_run
from citectx.paths import NOTEBOOKS, RESULTS
from citectx.reading import listing, there
from citectx.runs import kernel


class Output(NamedTuple):
    """What a notebook or a command has made.

    Parameters
    ----------
    name : str
        Of its folder: the notebook's, or that of the one table.
    title : str
        Of the notebook; "" if a command made it.
    command : str
        What makes it again.
    tables : mapping of str to mapping
        How each table was made: its entry in ``run.json``.
    files : sequence of str
        All tables and figures, by name.
    """

    name: str
    title: str
    command: str
    tables: Mapping[str, Mapping[str, Any]]
    files: Sequence[str]

    @property
    def figures(self) -> list[str]:
        """Names of the figures."""
        return [name for name in self.files if name.endswith(".png")]

    def files_of(self, table: str) -> list[str]:
        """Return the names of the files of a table."""
        own = [name for name in self.files if name.partition(".")[0] == table]
        return [name for name in own if name not in self.figures]


def outputs(results: Path = RESULTS / "open", notebooks: Path = NOTEBOOKS) -> list[Output]:
    """List the outputs of a profile, notebooks first.

    Parameters
    ----------
    results : Path
        Of the profile.
    notebooks : Path
    """
    found = []
    for file in listing(results, f"*/{RUN}"):
        name, about = file.parent.name, about_run(file.parent)
        notebook = notebooks / f"{name}.ipynb"
        title = title_of(notebook) if there(notebook) else ""
        run = f"citectx claims --profile {results.name}"
        if title:
            run = f"citectx run --profile {results.name} --only {name[:2]}"
        files = [
            path.name for path in listing(file.parent) if path.suffix in (".csv", ".gz", ".png")
        ]
        command = about.get("command", run)
        if files:  # a lesson may have none
            found.append(Output(name, title, command, about.get("tables", {}), files))
    return sorted(found, key=lambda output: not output.title)


def title_of(notebook: Path) -> str:
    """Return the first heading of a notebook, without its mark."""
    title: str = kernel.read(notebook).cells[0].source.partition("\n")[0]
    return title.removeprefix("# ")
