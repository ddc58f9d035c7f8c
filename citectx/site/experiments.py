"""From a result table to the command that makes it: which experiment wrote it, which notebook ran it."""

import ast
import json
import re
from pathlib import Path
from typing import NamedTuple

from citectx.code import imported
from citectx.paths import NOTEBOOKS, RESULTS

MODULES = Path(__file__).parents[1] / "papers"


class Experiment(NamedTuple):
    """A function that leaves a table behind.

    Parameters
    ----------
    name : str
        Of its files: ``NAME.csv``, ``NAME.citances.csv.gz``.
    module : str
    about : str
        First line of the module's docstring.
    notebooks : tuple of str
        Names of the notebooks that run it, without the ending.
    files : tuple of str
        What it has left in the results, by name.
    script : bool
        Whether the module can be run as a script.
    """

    name: str
    module: str
    about: str
    notebooks: tuple[str, ...]
    files: tuple[str, ...]
    script: bool = False

    def command(self, profile: str = "open") -> str:
        """Return the command that makes its tables; "" if neither a notebook nor its module runs it.

        >>> Experiment("t", "m", "", ("01_tac_table1",), ()).command()
        'citectx run --profile open --only 01'
        """
        if not self.notebooks:
            return f"python -m {self.module}" if self.script else ""
        return f"citectx run --profile {profile} --only {self.notebooks[0][:2]}"


def experiments(
    results: Path = RESULTS / "open", notebooks: Path = NOTEBOOKS, modules: Path = MODULES
) -> list[Experiment]:
    """List the experiments, without importing them: those are the modules that set ``NAME``.

    Parameters
    ----------
    results, notebooks, modules : Path
        Where tables, notebooks and experiments are.
    """
    used = {path.stem: _imported(path) for path in sorted(notebooks.glob("[0-9][0-9]_*.ipynb"))}
    found = []
    for path in sorted(modules.glob("*/*.py")):
        source = path.read_text(encoding="utf-8")
        named = re.search(r'^NAME = "(.+)"$', source, re.MULTILINE)
        if named:
            module = f"citectx.papers.{path.parent.name}.{path.stem}"
            files = tuple(p.name for p in sorted(results.glob(f"{named[1]}.*")) if p.is_file())
            about = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
            runs = tuple(notebook for notebook, names in used.items() if module in names)
            found.append(Experiment(named[1], module, about, runs, files, "__main__" in source))
    return found


def _imported(notebook: Path) -> set[str]:
    """Return the full names that a notebook imports."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code").splitlines()
    return {*imported(ast.parse("\n".join(line for line in lines if line[:1] not in "%!")))}
