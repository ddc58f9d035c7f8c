"""From a result table to the command that makes it: which experiment wrote it, which notebook ran it."""

import ast
import json
from dataclasses import dataclass
from pathlib import Path

from citectx.paths import NOTEBOOKS, RESULTS

MODULES = Path(__file__).parents[1] / "papers"


@dataclass(frozen=True)
class Experiment:
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
        Whether the module runs it by itself.
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
        tree = ast.parse(source)
        name = _name(tree)
        if name is None:
            continue
        module = f"citectx.papers.{path.parent.name}.{path.stem}"
        files = tuple(p.name for p in sorted(results.glob(f"{name}.*")) if p.is_file())
        about = (ast.get_docstring(tree) or "").partition("\n")[0]
        runs = tuple(notebook for notebook, modules_ in used.items() if module in modules_)
        found.append(Experiment(name, module, about, runs, files, "__main__" in source))
    return found


def _name(tree: ast.Module) -> str | None:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            targets = [t.id for t in statement.targets if isinstance(t, ast.Name)]
            if targets == ["NAME"]:
                return str(statement.value.value)
    return None


def _imported(notebook: Path) -> set[str]:
    """Names that a notebook imports, in full."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names: set[str] = set()
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        for node in ast.walk(ast.parse("\n".join(s for s in source.splitlines() if s[:1] not in "%!"))):
            if isinstance(node, ast.ImportFrom):
                names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
    return names
