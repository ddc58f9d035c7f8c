"""Labels, Table 1, Figure 1 and the encoder's ranks are the same under several kernels."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.recommendation import kernels

ROOT = Path(__file__).parents[2]
NO_VECTORS = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3 X86_V3 X86_V4"
KERNELS = "Haswell", "SkylakeX", "Sandybridge", "Zen", "Prescott"
SETTINGS = {
    **{name: {"OPENBLAS_CORETYPE": name} for name in KERNELS},
    "numpy without vectors": {"NPY_DISABLE_CPU_FEATURES": NO_VECTORS},
}
NEEDS = {"Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f", "Sandybridge": "avx"}


def known(setting: dict[str, str]) -> dict[str, str]:
    """Name only those of numpy's features that this numpy dispatches and this processor has."""
    from numpy._core import _multiarray_umath as numpys  # type: ignore[attr-defined]

    wanted = setting.get("NPY_DISABLE_CPU_FEATURES", "").split()
    kept = [f for f in wanted if f in numpys.__cpu_dispatch__ and numpys.__cpu_features__.get(f)]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(kept)} if kept else {}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What comes out in this process, where nobody chose kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITECTX_DATA", str(tmp_path_factory.mktemp("data")))
        return kernels.found()[1:]


def computed(name: str) -> list[str]:
    """Run `kernels.py` under a setting, in a data folder that is empty."""
    setting = SETTINGS[name]
    environment = (
        os.environ | {k: v for k, v in setting.items() if k.startswith("OPENBLAS")} | known(setting)
    )
    command = [sys.executable, "-W", "error::ImportWarning", "-m", "tests.recommendation.kernels"]
    with tempfile.TemporaryDirectory() as folder:
        environment["CITECTX_DATA"] = folder
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
    return done.stdout.split()


def flags() -> set[str]:
    """What this processor can do, as the kernel says; empty where it does not say."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_labels_weights_and_scores_whatever_the_kernel(
    name: str, plain: list[str]
) -> None:
    need = NEEDS.get(name)
    if need and need not in flags():
        pytest.skip(f"this processor has no {need}, which OpenBLAS's {name} kernels need")
    if "numpy" in name and not known(SETTINGS[name]):
        pytest.skip("numpy dispatches none of these features here")
    kernel, *found = computed(name)
    if need and name.lower() not in kernel.lower():
        pytest.skip(f"numpy's BLAS did not take {name} kernels but {kernel}")
    assert int(found[0]) >= 6
    assert found == plain
