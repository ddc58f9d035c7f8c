"""Notebooks are compared as they are committed: without widgets, in the kernels of our runs."""

import importlib.util
import itertools
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import citectx  # noqa: F401 (before numpy: it chooses the BLAS kernel)

if TYPE_CHECKING:
    from jupyter_client.manager import KernelManager

os.environ.setdefault("CITECTX_STATIC", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Let nbval execute notebooks in the kernels of `citectx run`, with the same settings."""
    if importlib.util.find_spec("nbval") is None:
        return
    import nbval.kernel

    folder = tempfile.TemporaryDirectory(prefix="kernels-")
    config.add_cleanup(folder.cleanup)
    place, numbers = Path(folder.name), itertools.count()

    def manager(kernel_name: str, **_: Any) -> "KernelManager":
        from jupyter_client.manager import KernelManager

        from citectx.runs import file_sockets, this_python

        made = KernelManager(kernel_name=kernel_name, **file_sockets(place / f"{next(numbers)}"))
        made._kernel_spec = this_python(place)
        return made

    nbval.kernel.KernelManager = manager
