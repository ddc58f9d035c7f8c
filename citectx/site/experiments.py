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
        Names of the notebooks that run it, or what runs it, without the ending.
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
    """List the experiments, without importing them: those are the modules that set ``NAME`` or ``NAMES``.

    Parameters
    ----------
    results, notebooks, modules : Path
        Where tables, notebooks and experiments are.
    """
    used = {path.stem: _imported(path) for path in sorted(notebooks.glob("[0-9][0-9]_*.ipynb"))}
    sources = {
        f"citectx.papers.{path.parent.name}.{path.stem}": path.read_text("utf-8")
        for path in sorted(modules.glob("*/*.py"))
    }
    wanted = {module: {*imported(ast.parse(source))} for module, source in sources.items()}
    found = []
    for module, source in sources.items():
        named = re.search(r'^NAMES? = (".+"|\(".+"\))$', source, re.MULTILINE)
        names = ast.literal_eval(named[1]) if named else ()
        direct = [n for n, names_used in used.items() if module in names_used]
        through = [n for n, names_used in used.items() if any(module in wanted.get(m, ()) for m in names_used)]
        about = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        for name in (names,) if isinstance(names, str) else names:
            files = tuple(p.name for p in sorted(results.glob(f"{name}.*")) if p.is_file())
            runs = tuple(direct or through)
            found.append(Experiment(name, module, about, runs, files, "__main__" in source))
    return found


def _imported(notebook: Path) -> set[str]:
    """Return the full names that a notebook imports."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code").splitlines()
    return {*imported(ast.parse("\n".join(line for line in lines if line[:1] not in "%!")))}
