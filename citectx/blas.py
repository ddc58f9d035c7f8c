"""One BLAS kernel, so that the same code gives the same bytes on every machine with AVX2.

OpenBLAS, which comes with numpy and scipy, has kernels for many processors. They add up in
different orders, so their products differ in the last digits. Vectors that are trained drift apart
from there, and rankings may break near-ties the other way.

OpenBLAS chooses when it is loaded. So `citectx` chooses when it is imported, which must be before
numpy; processes that are started later inherit the choice.
"""

import os
from pathlib import Path

VARIABLE = "OPENBLAS_CORETYPE"
"""Tells OpenBLAS which kernel to take. A value that the user has set stays."""

KERNEL = "Haswell"
"""The oldest kernel with AVX2: every x86-64 processor since about 2015 can run it."""

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux describes the processors."""


def choose_kernel() -> None:
    """Let OpenBLAS take the same kernel everywhere, where the processor can run it."""
    if has_avx2():
        os.environ.setdefault(VARIABLE, KERNEL)


def has_avx2() -> bool:
    """Tell whether the processor is an x86-64 with AVX2; False where Linux does not say so."""
    try:
        with CPUINFO.open() as lines:
            # All processors have the same flags; ARM calls them "Features", and has no AVX2.
            flags = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        return False
    return "avx2" in flags.split()
