"""Labels, Table 1, Figure 1 and the encoder's ranks are the same under several kernels.

As a program, it prints digests of what the kernels of its process compute.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from citectx import profiles
from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.experiments.contextualization import prepare
from citectx.experiments.results import to_csv
from citectx.language.spans import best_first
from citectx.papers.sigir2017 import figure1
from citectx.paths import ROOT
from citectx.recommendation.classifier import columns, pipeline
from citectx.retrieval import MODELS, OURS, BM25Dense, Dense, Query, applicable, dense, variants
from citectx.storage import sha
from citectx.types import Matrix
from tests.retrieval import PLAIN, index_of

DISABLED = "NPY_DISABLE_CPU_FEATURES"
NO_VECTORS = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3 X86_V3 X86_V4"
KERNELS = "Haswell", "SkylakeX", "Sandybridge", "Zen", "Prescott"
SETTINGS = {
    **{name: {"OPENBLAS_CORETYPE": name} for name in KERNELS},
    "numpy without vectors": {DISABLED: NO_VECTORS},
}
NEEDS = {"Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f", "Sandybridge": "avx"}
DECIMALS = 4  # as in a table's file


def varied(papers: int, seed: int) -> tuple[list[Paper], list[str]]:
    """Papers of twenty sentences over many words, whose classes are hard to tell."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(CLASSES, 20 * papers).tolist()
    sentences = []
    for label in labels:
        words = [*CLASSES.index(label) * 20 + rng.integers(90, size=3), *rng.integers(300, size=9)]
        sentences.append(Sentence(" ".join(f"word{n}" for n in words)))
    made = [Paper(f"v{i}", tuple(sentences[20 * i : 20 * i + 20])) for i in range(papers)]
    return made, labels


def labelled() -> tuple[str, int]:
    """Train on 20 papers, label others; return a digest and how many classes there are."""
    papers, labels = varied(20, seed=1)
    model = pipeline().fit(columns(papers), labels)
    others, _ = varied(100, seed=2)
    found = model.predict(columns(others)).tolist()
    return sha(str(found).encode()), len(set(found))


def table1() -> str:
    """Measure the methods of sigir2017's Table 1 on the teaching corpus."""
    topics = prepare(profiles.load("teaching"))
    measured = [
        pd.DataFrame(topic.measure(topic.scores(model)))
        for name in applicable("teaching", [*MODELS, *OURS])
        for model in variants(name, "teaching")
        for topic in topics
    ]
    return sha(pd.concat(measured).round(DECIMALS).to_csv().encode())


def figure() -> str:
    """Draw the curves of sigir2017's Figure 1."""
    return sha(to_csv(figure1.run([profiles.load("teaching")]).extra["curve"]))


def near_ties(text: str) -> Matrix:
    """Encode a text as 384 numbers of 32 bits; the order of words only moves the last digits."""
    total = np.zeros(384, dtype=np.float32)
    for word in text.split():
        total += np.random.default_rng(sum(word.encode())).normal(size=384).astype(np.float32)
    return total


def encoded() -> str:
    """Rank spans by the encoder and with BM25, where many spans are nearly as good as others."""
    words = [f"word{letter}" for letter in "abcdefghijkl"]
    lines = [" ".join(np.random.default_rng(i).permutation(words)[:6]) for i in range(200)]
    index = index_of(" ".join(f"{line.capitalize()}." for line in lines))
    queries = [Query.of(line, PLAIN) for line in lines[:50]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "open_encoder", lambda: near_ties)
        cosines, mixed = (model.fit(index).score(queries) for model in (Dense(), BM25Dense()))
    return sha(cosines.tobytes() + best_first(cosines).tobytes() + best_first(mixed).tobytes())


def found() -> list[str]:
    """Return which BLAS kernels did it, how many classes there are, and the digests."""
    from threadpoolctl import threadpool_info

    digest, classes = labelled()
    blas = (library for library in threadpool_info() if library["user_api"] == "blas")
    kernels = {str(library.get("architecture")) for library in blas}
    return [",".join(sorted(kernels)), str(classes), digest, table1(), figure(), encoded()]


def known(setting: dict[str, str]) -> dict[str, str]:
    """Name only those of numpy's features that this numpy dispatches and this processor has."""
    from numpy._core import _multiarray_umath as numpys  # type: ignore[attr-defined]

    if DISABLED not in setting:
        return setting
    dispatched = [name for name in setting[DISABLED].split() if name in numpys.__cpu_dispatch__]
    kept = [name for name in dispatched if numpys.__cpu_features__.get(name)]
    return {DISABLED: " ".join(kept)} if kept else {}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What comes out in this process, where nobody chose kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITECTX_DATA", str(tmp_path_factory.mktemp("data")))
        return found()[1:]


def computed(name: str) -> list[str]:
    """Run this file under a setting, in a data folder that is empty."""
    command = [sys.executable, "-W", "error::ImportWarning", "-m", __name__]
    with tempfile.TemporaryDirectory() as folder:
        places = {"CITECTX_DATA": folder, "CITECTX_CACHE": folder}
        environment = os.environ | known(SETTINGS[name]) | places
        return subprocess.check_output(command, cwd=ROOT, env=environment, text=True).split()


def flags() -> set[str]:
    """What this processor can do, as the kernel says; empty where it does not say."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_the_same_labels_and_scores_whatever_the_kernel(name: str, plain: list[str]) -> None:
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


if __name__ == "__main__":
    print(*found())
