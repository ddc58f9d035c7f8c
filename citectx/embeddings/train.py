"""Train word2vec with gensim, epoch by epoch, so that an interruption costs one epoch at most.

Every epoch has a random generator of its own, seeded by the seed and the epoch's number. So a
training that was interrupted and resumed ends with the same vectors, bit by bit.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from tqdm import tqdm

from citectx.embeddings.texts import CORPORA, embeddings_dir, prepare
from citectx.embeddings.vectors import ARCHITECTURES, Architecture, Vectors
from citectx.errors import DataError
from citectx.storage import digest, read_arrays, read_json, write_arrays
from citectx.types import Parameters

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""Learning rate at the start and at the end (gensim's defaults). It falls evenly in between."""


@dataclass(frozen=True)
class Word2VecSettings(Parameters):
    """Settings of word2vec: `window` words on either side, `negative` noise words per true one.

    Words that occur less often than `min_count` are dropped before windows are formed. Training
    runs in one thread, so the same seed gives the same vectors on the same kind of machine.

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
    """Train the vectors of a corpus and save them with a card; an interrupted training is resumed.

    The card holds settings, facts about the text, the date, versions of the libraries, and the
    checksum of the saved arrays.
    """
    folder = embeddings_dir() / f"{name}-{settings.architecture}"
    checkpoint = folder.with_name(f"{folder.name}.checkpoint.npz")
    text = prepare(name)
    facts = read_json(text.with_suffix(".json"))
    vectors = train_on(LineSentence(text), settings, checkpoint, facts["sha256"])
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
    checkpoint.unlink(missing_ok=True)
    return Vectors.load(folder, folder.name)


def train_on(
    sentences: Iterable[list[str]],
    settings: Word2VecSettings,
    checkpoint: Path | None = None,
    text: str = "",
) -> Vectors:
    """Train on sentences, which are read once for the vocabulary and once per epoch.

    `checkpoint` is written after each epoch. Training starts from it if its settings and its
    checksum of the text are the same. Words come by falling frequency.

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
    key, done = digest(settings.params(), text), 0
    if checkpoint and checkpoint.is_file():
        kept = read_arrays(checkpoint)
        if kept["key"] == key:
            model.wv.vectors[:], model.syn1neg[:] = kept["matrix"], kept["output"]
            done = int(kept["epochs"])
    for epoch in range(done, settings.epochs):
        title = f"epoch {epoch + 1}/{settings.epochs}"
        with tqdm(sentences, title, number, unit=" sentences") as shown:
            train_epoch(model, shown, settings, epoch)
        if checkpoint:
            matrices = {"matrix": model.wv.vectors, "output": model.syn1neg}
            write_arrays(checkpoint, key=key, epochs=epoch + 1, **matrices)
    return Vectors(tuple(counts), model.wv.vectors, model.syn1neg)


def count_words(sentences: Iterable[list[str]], min_count: int) -> tuple[dict[str, int], int]:
    """Count words and sentences; words come by falling frequency, then in alphabetical order."""
    counts: Counter[str] = Counter()
    number = 0
    for sentence in sentences:
        counts.update(sentence)
        number += 1
    frequent = sorted((-count, word) for word, count in counts.items() if count >= min_count)
    if not frequent:
        message = f"none of {len(counts):,} words occurs {min_count} times"
        raise DataError(f"{message}; lower min_count or train on more text")
    return {word: -count for count, word in frequent}, number


def train_epoch(
    model: Word2Vec, sentences: Iterable[list[str]], settings: Word2VecSettings, epoch: int
) -> None:
    """Train one epoch, at rates that fall evenly over all of them."""
    fall = FIRST_RATE - LAST_RATE
    model.random = np.random.RandomState([settings.seed, epoch])
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=1,
        start_alpha=FIRST_RATE - fall * (epoch / settings.epochs),
        end_alpha=FIRST_RATE - fall * ((epoch + 1) / settings.epochs),
    )
