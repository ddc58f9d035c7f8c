"""Train word2vec with gensim, an epoch at a time, so that an interruption costs an epoch at most.

Every epoch draws its random numbers from a generator of its own, seeded by the seed and the epoch's
number. A training that was interrupted and resumed therefore ends with the vectors of one that was
not: with one worker bit by bit, on the same kind of machine.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gensim.models import Word2Vec
from tqdm import tqdm

from citectx.embeddings.texts import prepare, text_corpus
from citectx.embeddings.vectors import ARCHITECTURES, Architecture, Vectors, trained_folder
from citectx.errors import DataError
from citectx.storage import packed, read_arrays, unpacked, write_arrays
from citectx.types import Matrix, Parameters

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""Learning rate at the start and at the end; it falls evenly in between (gensim's defaults)."""


@dataclass(frozen=True)
class Settings(Parameters):
    """How word2vec is trained.

    Parameters
    ----------
    architecture : {"cbow", "skip-gram"}
    dimensions : int
    window : int
        Words on either side.
    negative : int
        Noise words for each true one.
    epochs : int
    min_count : int
        Words that occur less often are dropped before windows are formed.
    seed : int
    workers : int
        Threads. With one, the same seed gives the same vectors on the same kind of machine; with
        more, training is faster and no two runs are alike.

    Notes
    -----
    Source: sigir2017, footnote 4 (word2vec in gensim, negative sampling, window 5, 300 dimensions).

    Ambiguity: the paper does not say CBOW or skip-gram; both are trained, and the tables say which
    is used. Nor does it give epochs, noise words, the least frequency, learning rate, or the
    threshold at which frequent words are thinned out: gensim's defaults are taken (5, 5, 5, 0.025
    to 0.0001, 0.001).
    """

    architecture: Architecture = "cbow"
    dimensions: int = 300
    window: int = 5
    negative: int = 5
    epochs: int = 5
    min_count: int = 5
    seed: int = 0
    workers: int = 1

    allowed: ClassVar = {"architecture": ARCHITECTURES} | dict.fromkeys(
        ("dimensions", "window", "negative", "epochs", "min_count", "workers"), "[1, inf)"
    )


class Trained(NamedTuple):
    """What training gave: words by falling frequency, and word2vec's two matrices."""

    words: tuple[str, ...]
    matrix: Matrix
    output: Matrix


def train(name: str, settings: Settings, *, progress: bool = True) -> Vectors:
    """Train the vectors of one corpus and save them; an interrupted training is taken up where it
    stopped.

    Parameters
    ----------
    name : str
        A key of `citectx.embeddings.texts.CORPORA`.
    settings : Settings
    progress : bool
        Whether to show progress bars (on stderr).

    Returns
    -------
    Vectors
        Their card holds name, about, settings, facts about the text, date, versions of the
        libraries, and the checksum of the saved arrays.

    Raises
    ------
    ParameterError
        If there is no such corpus.
    MissingDataError
        If its texts are not on this machine.
    DataError
        If no word is frequent enough, or the checkpoint is damaged.
    """
    corpus, text = text_corpus(name), prepare(name, progress=progress)
    folder = trained_folder(name, settings.architecture)
    checkpoint, facts = folder.with_name(f"{folder.name}.checkpoint.npz"), dict(text.facts)
    key, words = facts["sha256"], facts["words"]
    found = train_on(
        text, settings, checkpoint, key, label=folder.name, words=words, progress=progress
    )
    card = {
        "name": name,
        "architecture": settings.architecture,
        "about": corpus.about,
        "settings": asdict(settings),
        "sources": facts.pop("sources"),
        "text": facts,
        "date": datetime.now(UTC).date().isoformat(),
        "libraries": {library: version(library) for library in ("gensim", "numpy", "nltk")},
    }
    Vectors(*found, card).save(folder)
    checkpoint.unlink(missing_ok=True)
    return Vectors.load(folder)


def train_on(
    sentences: Iterable[list[str]],
    settings: Settings,
    checkpoint: Path | None = None,
    key: str = "",
    *,
    label: str = "word2vec",
    words: int | None = None,
    progress: bool = False,
) -> Trained:
    """Train on sentences, which are gone through once for the vocabulary and once an epoch.

    Parameters
    ----------
    sentences : iterable of list of str
        Can be iterated again and again.
    settings : Settings
    checkpoint : Path, optional
        Written after each epoch. Training starts from it if it is of the same settings and `key`.
    key : str
        Of the text, so that the checkpoint of another one is not taken.
    label : str
        What to call this training.
    words : int, optional
        How many there are, for the progress bar.
    progress : bool
        Whether to show a progress bar for each epoch (on stderr).

    Raises
    ------
    DataError
        If no word occurs `min_count` times, or the checkpoint is damaged.

    Examples
    --------
    >>> text = [["cells", "divide"], ["cells", "rest"]] * 20
    >>> found = train_on(text, Settings(dimensions=4, epochs=2))
    >>> found.words, found.matrix.shape
    (('cells', 'divide', 'rest'), (3, 4))
    """
    counts, number = count_words(sentences, settings.min_count)
    model = Word2Vec(
        sg=settings.architecture == "skip-gram",
        hs=0,
        vector_size=settings.dimensions,
        window=settings.window,
        negative=settings.negative,
        seed=settings.seed,
        workers=settings.workers,
        min_count=1,  # `count_words` has filtered, and sorted in a way that no library version changes
        sorted_vocab=0,
    )
    model.build_vocab_from_freq(counts, corpus_count=number)
    found, first = Trained(tuple(counts), model.wv.vectors, model.syn1neg), 0
    of = packed([json.dumps(settings.params() | {"text": key}, sort_keys=True)])
    kept = read_arrays(checkpoint) if checkpoint and checkpoint.is_file() else {"of": packed([""])}
    if unpacked(kept["of"]) == unpacked(of):
        found.matrix[:], found.output[:], first = (
            kept["matrix"],
            kept["output"],
            int(kept["epochs"]),
        )
        tqdm.write(f"{label}: resumes after epoch {first} of {settings.epochs}", file=sys.stderr)
    for epoch in range(first, settings.epochs):
        title = f"{label}: epoch {epoch + 1}/{settings.epochs}"
        with tqdm(desc=title, total=words, unit="w", unit_scale=True, disable=not progress) as bar:
            _epoch(model, sentences, settings, epoch, bar)
        if checkpoint:
            write_arrays(
                checkpoint, of=of, epochs=epoch + 1, matrix=found.matrix, output=found.output
            )
    return found


def count_words(sentences: Iterable[list[str]], min_count: int) -> tuple[dict[str, int], int]:
    """Count words; the frequent ones come out by falling frequency, equals in alphabetical order.

    Returns
    -------
    counts : dict of str to int
    sentences : int

    Raises
    ------
    DataError
        If no word is frequent enough.
    """
    counts: Counter[str] = Counter()
    number = 0
    for number, sentence in enumerate(sentences, start=1):  # noqa: B007
        counts.update(sentence)
    frequent = sorted((-count, word) for word, count in counts.items() if count >= min_count)
    if not frequent:
        raise DataError(
            f"the vocabulary is empty: none of {len(counts):,} words occurs {min_count} times; lower min_count or "
            "train on more text"
        )
    return {word: -count for count, word in frequent}, number


def _epoch(
    model: Word2Vec,
    sentences: Iterable[list[str]],
    settings: Settings,
    epoch: int,
    bar: "tqdm[Any]",
) -> None:
    """Train one epoch, and show the mean loss over trained words.

    gensim adds up the loss of a whole call in 32 bits, where the sum of millions of words no longer
    grows. So we take it job by job (some 10,000 words), which is also when the bar moves. With
    several workers jobs overlap, and the loss is an estimate.

    Articles come one after the other, and at a high learning rate skip-gram adapts to the one at
    hand. So its loss may rise again as the rate falls; with sentences in random order it falls
    throughout.
    """
    loss, trained, job = 0.0, 0, type(model)._do_train_job

    def counted(*args: Any) -> tuple[int, int]:
        nonlocal loss, trained
        model.running_training_loss = 0.0
        effective, raw = job(model, *args)
        loss, trained = loss + float(model.running_training_loss), trained + effective
        bar.set_postfix_str(f"mean loss {loss / max(trained, 1):.4f}", refresh=False)
        bar.update(raw)
        return effective, raw

    model.random, model._do_train_job = np.random.RandomState([settings.seed, epoch]), counted
    first, last = (
        FIRST_RATE - (FIRST_RATE - LAST_RATE) * (done / settings.epochs)
        for done in (epoch, epoch + 1)
    )
    alphas = {"start_alpha": first, "end_alpha": last}
    model.train(sentences, total_examples=model.corpus_count, epochs=1, compute_loss=True, **alphas)
