"""What the results of a notebook depend on besides itself and its parameters: code, libraries and data."""

import ast
import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import nbformat

from citectx.code import code_digest, imported
from citectx.corpora.registry import licensed, registry
from citectx.corpora.sources import data_dir
from citectx.experiments.results import LIBRARIES
from citectx.paths import RESULTS
from citectx.storage import Remembered, tree_digest


def inputs_of(notebook: Path) -> dict[str, Any]:
    """Fingerprint the code that a notebook uses; see `data_of` for the rest."""
    return {"code": code_digest(*_modules(notebook))}


def data_of(profile: str) -> dict[str, str]:
    """Fingerprint corpora, vectors, labels and vocabularies that a profile may read, and the libraries.

    The teaching profile needs none but the embedded data, which counts as code, and vectors if asked for.
    """
    kept = Remembered(data_dir() / "file-hashes.json")
    folders = {"labels": data_dir() / "coresc" / "labels"}  # beside them are caches that runs write
    folders |= {f"vectors {p.parent.name}": p.parent for p in data_dir().glob("embeddings/*/card.json")}
    if profile != "teaching":
        folders |= {name: data_dir() / name for name in registry()}
    if profile != "open":  # lessons show its tables beside their own
        folders["open results"] = RESULTS / "open"
    if profile == "own":
        folders["own"] = Path(os.environ.get("CITECTX_CORPUS", "")).expanduser().absolute()
    named = {name: os.environ.get(each.variable) for name, each in licensed().items()}
    folders |= {name: Path(value).expanduser() for name, value in named.items() if value and profile != "teaching"}
    found = {name: tree_digest(folder, kept) for name, folder in sorted(folders.items()) if folder.is_dir()}
    if profile == "own":
        found["own is like"] = os.environ.get("CITECTX_CORPUS_LIKE", "")
    kept.save()
    return found | {f"library {name}": number for name, number in _libraries().items()}


def _libraries() -> dict[str, str]:
    """Return the versions of Python and of the libraries that the package requires."""
    try:
        named = [re.match(r"[\w.-]+", r) for r in requires("citectx") or () if "extra ==" not in r]
        names = [match[0] for match in named if match]
    except PackageNotFoundError:  # run from a checkout that is not installed
        names = list(LIBRARIES)
    return {"python": platform.python_version()} | {name: version(name) for name in sorted(names)}


def _modules(notebook: Path) -> list[str]:
    """Return the modules that a notebook imports; the whole package if it takes names from its door."""
    names: set[str] = set()
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            lines = (line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!")))
            try:
                names |= imported(ast.parse("\n".join(lines)))
            except SyntaxError:
                return ["citectx"]
    return sorted(name for name in names if name.split(".")[0] == "citectx")
