"""Train word2vec with gensim, the same vectors from the same seed.

``python -m citectx.embeddings.train`` keeps the cards of all vectors in ``results/open``.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import ClassVar

import numpy as np
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from tqdm import tqdm

from citectx.catalogue import ARCHITECTURES
from citectx.embeddings.texts import CORPORA, embeddings_dir, prepare
from citectx.embeddings.vectors import CARD, Architecture, Vectors
from citectx.errors import DataError
from citectx.paths import RESULTS
from citectx.storage import read_json, write_json
from citectx.types import Parameters

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""Learning rate at the start and at the end (gensim's defaults). It falls evenly in between."""


@dataclass(frozen=True)
class Word2VecSettings(Parameters):
    """Settings of word2vec: `window` words on either side, `negative` noise words per true one.

    Words that occur less often than `min_count` are dropped before windows are formed. Training
    runs in one thread and with one BLAS kernel (`citectx.blas`), so the same seed gives the same
    vectors on every x86-64 machine with AVX2.

    Source: sigir2017, footnote 4 (word2vec in gensim, negative sampling, window 5, 300 dimensions).

    Ambiguity: the paper does not say whether CBOW or skip-gram. Nor does it give epochs, noise
    words, the least frequency, the learning rate, or the threshold at which frequent words are
    thinned out. We take gensim's defaults (CBOW, 5, 5, 5, 0.025 to 0.0001, 0.001), because the
    paper used gensim and may not have set what it does not mention. Table 2 also points to CBOW:
    our skip-gram vectors have rare misspellings near a word, the paper's do not. One architecture
    serves all rows and tables; skip-gram vectors are there for comparison.
    """

    architecture: Architecture = "cbow"
    dimensions: int = 300
    window: int = 5
    negative: int = 5
    epochs: int = 5
    min_count: int = 5
    seed: int = 0

    allowed: ClassVar = {"architecture": ARCHITECTURES}


def train(name: str, settings: Word2VecSettings) -> Vectors:
    """Train the vectors of a corpus and save them with a card.

    The card holds settings, facts about the text, the date, versions of the libraries, and the
    checksum of the saved arrays.
    """
    folder = embeddings_dir() / f"{name}-{settings.architecture}"
    text = prepare(name)
    facts = read_json(text.with_suffix(".json"))
    vectors = train_on(LineSentence(text), settings)
    card = {
        "name": name,
        "architecture": settings.architecture,
        "about": CORPORA[name][0],
        "settings": asdict(settings),
        "sources": facts.pop("sources"),
        "text": facts,
        "date": datetime.now(UTC).date().isoformat(),
        "libraries": {library: version(library) for library in ("gensim", "numpy", "nltk")},
    }
    replace(vectors, card=card).save(folder)
    return Vectors.load(folder, folder.name)


def train_on(sentences: Iterable[list[str]], settings: Word2VecSettings) -> Vectors:
    """Train on sentences, which are read once for the vocabulary and once per epoch.

    Words come by falling frequency. Every epoch has a random generator of its own, seeded by the
    seed and the number of the epoch.

    >>> sentences = [["cells", "divide"], ["cells", "rest"]] * 20
    >>> vectors = train_on(sentences, Word2VecSettings(dimensions=4, epochs=2))
    >>> vectors.words, vectors.matrix.shape
    (('cells', 'divide', 'rest'), (3, 4))
    """
    counts, number = count_words(sentences, settings.min_count)
    model = Word2Vec(
        sg=settings.architecture == "skip-gram",
        vector_size=settings.dimensions,
        window=settings.window,
        negative=settings.negative,
        seed=settings.seed,
        workers=1,
        min_count=1,  # `count_words` has filtered, and sorted as no library version changes
        sorted_vocab=0,
    )
    model.build_vocab_from_freq(counts, corpus_count=number)
    # one call per epoch, since gensim would seed its generator once for all of them
    fall = FIRST_RATE - LAST_RATE
    for epoch in range(settings.epochs):
        model.random = np.random.RandomState([settings.seed, epoch])
        title = f"epoch {epoch + 1}/{settings.epochs}"
        with tqdm(sentences, title, number, unit=" sentences") as shown:
            model.train(
                shown,
                total_examples=number,
                epochs=1,
                start_alpha=FIRST_RATE - fall * (epoch / settings.epochs),
                end_alpha=FIRST_RATE - fall * ((epoch + 1) / settings.epochs),
            )
    return Vectors(tuple(counts), model.wv.vectors, model.syn1neg)


def count_words(sentences: Iterable[list[str]], min_count: int) -> tuple[dict[str, int], int]:
    """Count words and sentences; words come by falling frequency, then in alphabetical order."""
    counts: Counter[str] = Counter()
    number = 0
    for sentence in sentences:
        counts.update(sentence)
        number += 1
    # sorted by name first: `most_common` keeps that order among equals
    ordered = Counter(dict(sorted(counts.items()))).most_common()
    frequent = {word: count for word, count in ordered if count >= min_count}
    if not frequent:
        raise DataError(
            f"none of {len(counts):,} words occurs {min_count} times; "
            "lower min_count or train on more text"
        )
    return frequent, number


if __name__ == "__main__":
    cards = sorted(embeddings_dir().glob(f"*/{CARD}"))
    write_json(RESULTS / "open" / "vectors.json", {c.parent.name: read_json(c) for c in cards})
