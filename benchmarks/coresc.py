"""Labelling sentences with CoreSC classes: ours against a plain scikit-learn pipeline.

The peer is what one would write first: TfidfVectorizer over words and word pairs, LinearSVC, each
sentence by itself. Ours does more (verbs and tense, places, neighbours). Both are trained on the
same 40 papers and label the same 200 papers of 150 sentences. Text is drawn from Zipf's law over
English-like words with a fixed seed.
"""

from functools import partial

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.race import Race, race
from citectx.corpora.coresc import CLASSES, Paper, Sentence
from citectx.recommendation.coresc import CoreSCClassifier

TRAINING, PAPERS, SENTENCES = 40, 200, 150
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


def races() -> list[Race]:
    training, papers = make_papers(TRAINING, seed=1), make_papers(PAPERS, seed=2)
    rng = np.random.default_rng(3)
    labels = [rng.choice(CLASSES, len(p)).tolist() for p in training]
    ours = CoreSCClassifier().fit(training, labels)
    peer = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC(C=0.1))
    peer.fit(
        [s.text for p in training for s in p.sentences], [label for own in labels for label in own]
    )
    texts = [s.text for p in papers for s in p.sentences]
    return [
        race(
            f"CoreSC, {len(texts):,} sentences",
            "TF-IDF + LinearSVC",
            "from texts to labels, both trained before; ours also looks at verbs, tense, places "
            "and neighbours; words are made up, so no accuracy is compared",
            partial(ours.predict, papers),
            partial(peer.predict, texts),
        )
    ]
