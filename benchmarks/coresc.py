"""Labelling sentences with CoreSC classes: ours against a plain scikit-learn pipeline, the same work in one
run.

The peer is what one would write first: TfidfVectorizer over words and word pairs, LinearSVC, each sentence by
itself. Ours does more (verbs and tense, places, neighbours). Both are trained on the same 40 papers and label
the same 200 papers of 150 sentences. Text is drawn from Zipf's law over English-like words with a fixed seed.
Run by ``python benchmarks/coresc.py``; prints a table and fails if the promises do not hold. Times are those
of the processor, one core.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.recommendation.coresc import CoreSCClassifier

TRAINING, PAPERS, SENTENCES, REPEATS = 40, 200, 150, 3
HEADINGS = ("Introduction", "Materials and methods", "Results", "Discussion", "Conclusions")
SYLLABLES = ("ca", "te", "mi", "ro", "lu", "pho", "ne", "si", "va", "ko")
ENDINGS = ("", "s", "ed", "ing", "ion", "al")
FREQUENT = ("the", "of", "was", "we", "in", "is", "that", "were", "and", "by")


def make_papers(number: int, seed: int) -> list[Paper]:
    rng = np.random.default_rng(seed)
    stems = np.random.default_rng(0)
    words = list(FREQUENT)
    words += ["".join(stems.choice(SYLLABLES, 3)) + str(stems.choice(ENDINGS)) for _ in range(8000)]
    shares = 1 / np.arange(1, len(words) + 1)
    shares /= shares.sum()
    papers = []
    for number_of_paper in range(number):
        lengths = rng.integers(12, 40, SENTENCES)
        drawn = iter(rng.choice(np.array(words), lengths.sum(), p=shares).tolist())
        sentences = [
            Sentence(
                " ".join(next(drawn) for _ in range(length)) + " [3,7].",
                heading=HEADINGS[i * len(HEADINGS) // SENTENCES],
                section=i * len(HEADINGS) // SENTENCES,
                paragraph=i // 6,
            )
            for i, length in enumerate(lengths)
        ]
        papers.append(Paper(str(number_of_paper), tuple(sentences)))
    return papers


def best_time(run: Callable[[], object]) -> float:
    """Return the shortest of several runs, in seconds of the processor: the least disturbed one."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def main() -> int:
    training, papers = make_papers(TRAINING, seed=1), make_papers(PAPERS, seed=2)
    rng = np.random.default_rng(3)
    labels = [rng.choice(CLASSES, len(p)).tolist() for p in training]
    ours = CoreSCClassifier().fit(training, labels)
    peer = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC(C=0.1))
    peer.fit([s.text for p in training for s in p.sentences], [label for own in labels for label in own])
    texts = [s.text for p in papers for s in p.sentences]
    with threadpool_limits(1):
        own_time = best_time(lambda: ours.predict(papers))
        peer_time = best_time(lambda: peer.predict(texts))
    print(f"{len(texts):,} sentences, best of {REPEATS} runs, one core")
    for name, seconds in (("citectx", own_time), ("TF-IDF + LinearSVC", peer_time)):
        rate = len(texts) / seconds
        print(f"{name:20} {rate:10,.0f} sentences/s   {seconds / peer_time:5.1f} x the peer's time")
    promises = {
        "at least 5,000 sentences a second": len(texts) / own_time >= 5000,
        "at most four times the time of a plain pipeline": own_time <= 4 * peer_time,
    }
    for promise, kept in promises.items():
        print(f"{'yes' if kept else 'NO':4} {promise}")
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
