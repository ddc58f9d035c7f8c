"""Run by test_kernels.py under several kernels: prints digests of what they compute."""

import hashlib

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.experiments.contextualization import Protocol, prepare
from citectx.experiments.results import to_csv
from citectx.papers.sigir2017 import figure1
from citectx.recommendation.classifier import columns, pipeline
from citectx.retrieval import MODELS, OURS, applicable, variants

DECIMALS = 4  # as in a table's file


def varied(papers: int, seed: int) -> tuple[list[Paper], list[tuple[str, ...]]]:
    """Papers of twenty sentences over many words, whose classes are hard to tell."""
    rng = np.random.default_rng(seed)
    made, labels = [], []
    for i in range(papers):
        classes = rng.choice(CLASSES, 20).tolist()
        own = [CLASSES.index(c) * 20 + rng.integers(90, size=3) for c in classes]
        words = [[*first, *rng.integers(300, size=9)] for first in own]
        sentences = (Sentence(" ".join(f"word{n}" for n in each)) for each in words)
        made.append(Paper(f"v{seed}-{i}", tuple(sentences)))
        labels.append(tuple(classes))
    return made, labels


def labels() -> tuple[str, int]:
    """Train on 20 papers, label others; return a digest and how many classes there are."""
    training, known = varied(20, seed=1)
    papers, _ = varied(100, seed=2)
    model = pipeline().fit(columns(training), [label for own in known for label in own])
    found = model.predict(columns(papers))
    assert len(found) == 20 * 100
    numbers = np.array([CLASSES.index(c) for c in found], dtype=np.uint8)
    return hashlib.sha256(numbers.tobytes()).hexdigest(), len(np.unique(numbers))


def table1() -> str:
    """Measure the methods of sigir2017's Table 1 on the teaching corpus."""
    topics, digest = prepare(profiles.load("teaching"), Protocol()), hashlib.sha256()
    for name in applicable("teaching", [*MODELS, *OURS]):
        for model in variants(name, "teaching"):
            for topic in topics:
                scores = pd.DataFrame(topic.measure(topic.scores(model)))
                digest.update(scores.round(DECIMALS).to_csv().encode())
    return digest.hexdigest()


def figure() -> str:
    """Draw the curves of sigir2017's Figure 1."""
    drawn = figure1.run([profiles.load("teaching")]).extra["curve"]
    return hashlib.sha256(to_csv(drawn)).hexdigest()


def found() -> list[str]:
    """Return which BLAS kernels did it, how many classes there are, and the digests."""
    from threadpoolctl import threadpool_info

    digest, classes = labels()
    kernels = sorted(
        {str(i.get("architecture")) for i in threadpool_info() if i["user_api"] == "blas"}
    )
    return [",".join(kernels), str(classes), digest, table1(), figure()]


if __name__ == "__main__":
    print(*found())
