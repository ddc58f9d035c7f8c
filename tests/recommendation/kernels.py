"""Run by test_kernels.py under several kernels: prints digests of what they compute."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from citectx import profiles
from citectx.corpora import Document
from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.experiments.contextualization import Protocol, prepare
from citectx.experiments.results import to_csv
from citectx.language.spans import Candidates, best_first
from citectx.language.text import Analyzer, SentenceSplitter
from citectx.papers.sigir2017 import figure1
from citectx.recommendation.classifier import columns, pipeline
from citectx.retrieval import (
    MODELS,
    OURS,
    BM25Dense,
    Dense,
    Query,
    SpanIndex,
    applicable,
    dense,
    variants,
)
from citectx.types import Matrix

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


def near_ties(text: str) -> Matrix:
    """Encode a text as 384 numbers of 32 bits; the order of words only moves the last digits."""
    total = np.zeros(384, dtype=np.float32)
    for word in text.split():
        total += np.random.default_rng(sum(word.encode())).normal(size=384).astype(np.float32)
    return total


def encoded() -> str:
    """Rank spans by the encoder and with BM25, where many spans are nearly as good as others."""
    digest = hashlib.sha256()
    words = [f"word{chr(97 + i)}" for i in range(12)]
    lines = [" ".join(np.random.default_rng(i).permutation(words)[:6]) for i in range(200)]
    article = Document("ref", " ".join(f"{line[0].upper()}{line[1:]}." for line in lines))
    analyzer = Analyzer(stop_words="none")
    index = SpanIndex(Candidates.of(SentenceSplitter().sentences(article), 1), analyzer)
    queries = [Query.of(line, analyzer) for line in lines[:50]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "open_encoder", lambda: near_ties)
        for model in (Dense(), BM25Dense()):
            scores = model.fit(index).score(queries)
            digest.update(best_first(scores).tobytes())
        digest.update(Dense().fit(index).score(queries).tobytes())
    return digest.hexdigest()


def found() -> list[str]:
    """Return which BLAS kernels did it, how many classes there are, and the digests."""
    from threadpoolctl import threadpool_info

    digest, classes = labels()
    kernels = sorted(
        {str(i.get("architecture")) for i in threadpool_info() if i["user_api"] == "blas"}
    )
    return [",".join(kernels), str(classes), digest, table1(), figure(), encoded()]


if __name__ == "__main__":
    print(*found())
