"""Every process that computes has the same BLAS kernel, where the processor can run it."""

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from threadpoolctl import threadpool_info

from citectx import blas, parallel, runs

AVX2 = "processor : 0\nflags : fpu sse2 avx avx2 avx512f\n"
AVX = "processor : 0\nflags : fpu sse2 avx avx2_of_another_name\n"
ARM = "processor : 0\nFeatures : fp asimd\n"
ASKED = """import numpy, scipy.linalg
from threadpoolctl import threadpool_info
sorted({i["architecture"] for i in threadpool_info() if i["user_api"] == "blas"})"""


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        (AVX2, "", "Haswell"),
        (AVX2, "Zen", "Zen"),
        (AVX, "", ""),
        (ARM, "", ""),
        (None, "", ""),  # the system does not describe its processor
    ],
)
def test_the_kernel_is_chosen_where_it_runs_and_nobody_else_chose(
    said: str | None, before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "cpuinfo"
    if said:
        told.write_text(said)
    monkeypatch.setattr(blas, "CPUINFO", told)
    monkeypatch.setenv(blas.VARIABLE, before)  # so that it is put back
    if not before:
        monkeypatch.delenv(blas.VARIABLE)
    blas.choose_kernel()
    assert os.environ.get(blas.VARIABLE, "") == after


@pytest.fixture
def chosen() -> None:
    """Skip where the kernel is not ours to choose."""
    if not blas.has_avx2():
        pytest.skip("no x86-64 processor with AVX2")
    if (other := os.environ.get(blas.VARIABLE, "Haswell")) != "Haswell":
        pytest.skip(f"{blas.VARIABLE} asks for {other}")


def kernels(_: int = 0) -> list[str]:
    """Name the kernels of this process."""
    import scipy.linalg  # noqa: F401 (it has an OpenBLAS of its own)

    return sorted({i["architecture"] for i in threadpool_info() if i["user_api"] == "blas"})


@pytest.mark.usefixtures("chosen")
def test_processes_of_joblib_have_the_kernel_of_this_one() -> None:
    assert kernels() == ["Haswell"]
    assert parallel.run(kernels, range(2), jobs=2) == [["Haswell"]] * 2


@pytest.mark.usefixtures("chosen")
def test_a_notebook_that_imports_numpy_first_has_it_too(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_code_cell("k = 1", metadata={"tags": ["parameters"]})]
    cells.append(nbformat.v4.new_code_cell(ASKED))
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=about)
    nbformat.write(notebook, tmp_path / "asks.ipynb")
    runs.execute(tmp_path / "asks.ipynb", {}, tmp_path / "out")
    executed: Any = nbformat.read(tmp_path / "out" / "asks.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].data["text/plain"] == "['Haswell']"
