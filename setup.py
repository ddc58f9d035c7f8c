"""What pyproject.toml cannot say: which files outside the package a wheel carries."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
BUNDLED = (
    "data/**/*",
    "notebooks/*.ipynb",
    "notebooks/sanitize.cfg",
    "results/open/*.csv",
    "results/open/*.json",
)
"""Teaching corpus, registry, small vectors, notebooks, tables of the open profile (no scores of
citances)."""


class BuildWithData(build_py):
    """Copy the data that the code reads to citectx/bundled, where `citectx.paths` looks for it."""

    def run(self) -> None:  # noqa: D102  # see setuptools
        super().run()
        if self.editable_mode:
            return
        for path in sorted(p for pattern in BUNDLED for p in ROOT.glob(pattern) if p.is_file()):
            if "__pycache__" not in path.parts:
                target = Path(self.build_lib, "citectx", "bundled", path.relative_to(ROOT))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


setup(cmdclass={"build_py": BuildWithData})
