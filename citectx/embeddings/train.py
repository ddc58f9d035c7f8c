"""Train word2vec with gensim, an epoch at a time, so that an interruption costs an epoch at most.

Every epoch draws its random numbers from a generator of its own, seeded by the seed and the epoch's number.
A training that was interrupted and resumed therefore ends with the vectors of one that was not: with one
worker bit by bit, on the same kind of machine.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec  # type: ignore[import-untyped]
from tqdm import tqdm

from citectx.embeddings.checkpoint import Checkpoint, Settings, State
from citectx.embeddings.store import trained_folder
from citectx.embeddings.texts import prepare, text_corpus
from citectx.embeddings.vectors import Vectors
from citectx.errors import DataError

FIRST_RATE, LAST_RATE = 0.025, 0.0001
"""Learning rate at the start and at the end; it falls evenly in between (gensim's defaults)."""


def train(name: str, settings: Settings | None = None, *, folder: Path | None = None, progress: bool = True) -> Vectors:
    """Train the vectors of one corpus and save them; an interrupted training is taken up where it stopped.

    Parameters
    ----------
    name : str
        A key of `citectx.embeddings.texts.CORPORA`.
    settings : Settings, optional
    folder : Path, optional
        Where to save; ``<data_dir>/embeddings/NAME-ARCHITECTURE`` by default.
    progress : bool
        Whether to show progress bars, and a line on each finished epoch (on stderr).

    Returns
    -------
    Vectors
        Their card holds name, about, licence, settings, facts about the text, loss, seconds, date,
        versions of the libraries, and the checksum of the saved arrays.

    Raises
    ------
    ParameterError
        If there is no such corpus.
    MissingDataError
        If its texts are not on this machine.
    DataError
        If no word is frequent enough, or the checkpoint is damaged.
    """
    settings = settings or Settings()
    corpus = text_corpus(name)
    text = prepare(name, progress=progress)
    folder = folder or trained_folder(name, settings.architecture)
    checkpoint = Checkpoint(folder.with_name(f"{folder.name}.checkpoint.npz"), settings, text.facts["sha256"])
    state = train_on(
        text, settings, checkpoint=checkpoint, label=folder.name, words=text.facts["words"], progress=progress
    )
    facts = dict(text.facts)
    card = {
        "name": name,
        "architecture": settings.architecture,
        "about": corpus.about,
        "licence": corpus.licence,
        "settings": asdict(settings),
        "sources": facts.pop("sources"),
        "text": facts,
        "loss": [round(loss, 4) for loss in state.loss],
        "seconds": round(state.seconds),
        "date": datetime.now(UTC).date().isoformat(),
        "libraries": {library: version(library) for library in ("gensim", "numpy", "nltk")},
    }
    Vectors(tuple(state.counts), state.matrix, state.output, card).save(folder)
    checkpoint.path.unlink(missing_ok=True)
    return Vectors.load(folder)


def train_on(
    sentences: Iterable[list[str]],
    settings: Settings,
    *,
    checkpoint: Checkpoint | None = None,
    label: str = "word2vec",
    words: int | None = None,
    progress: bool = False,
) -> State:
    """Train on sentences, which are gone through once for the vocabulary and once an epoch.

    Parameters
    ----------
    sentences : iterable of list of str
        Can be iterated again and again.
    settings : Settings
    checkpoint : Checkpoint, optional
        Written after each epoch, and where training starts from if it is there.
    label : str
        What to call this training.
    words : int, optional
        How many there are, for the progress bar.
    progress : bool
        Whether to show a progress bar, and a line on each finished epoch (on stderr).

    Raises
    ------
    DataError
        If no word occurs `min_count` times, or the checkpoint is damaged.

    Examples
    --------
    >>> text = [["cells", "divide"], ["cells", "rest"]] * 20
    >>> state = train_on(text, Settings(dimensions=4, epochs=2))
    >>> list(state.counts), state.matrix.shape, len(state.loss)
    (['cells', 'divide', 'rest'], (3, 4), 2)
    """
    state = checkpoint.load() if checkpoint else None
    if state and progress:
        done = f"resumes after epoch {len(state.loss)} of {settings.epochs}"
        tqdm.write(f"{label}: {done}", file=sys.stderr)
    model, state = _model(sentences, settings, state)
    for epoch in range(len(state.loss), settings.epochs):
        started = time.perf_counter()
        with tqdm(total=words, unit="w", unit_scale=True, leave=False, disable=not progress) as bar:
            bar.set_description(f"{label}: epoch {epoch + 1}/{settings.epochs}")
            state.loss.append(_epoch(model, sentences, settings, epoch, bar))
        state.seconds += time.perf_counter() - started
        if checkpoint:
            checkpoint.save(state)
        if progress:
            done = f"epoch {epoch + 1}/{settings.epochs}, mean loss {state.loss[-1]:.4f} a word"
            tqdm.write(f"{label}: {done}", file=sys.stderr)
    return state


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
        most = max(counts.values(), default=0)
        raise DataError(
            f"the vocabulary is empty: none of {len(counts):,} words occurs {min_count} times, the most "
            f"frequent occurs {most} times; lower min_count or train on more text"
        )
    return {word: -count for count, word in frequent}, number


def _model(sentences: Iterable[list[str]], settings: Settings, state: State | None) -> tuple[Word2Vec, State]:
    """Build the model afresh, then put in what the state holds; the state's matrices become the model's."""
    if state:
        counts, number = state.counts, state.sentences
    else:
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
    if state:
        model.wv.vectors[:], model.syn1neg[:] = state.matrix, state.output
    loss, seconds = (state.loss, state.seconds) if state else ([], 0.0)
    return model, State(counts, number, model.wv.vectors, model.syn1neg, loss, seconds)


def _rate(done: float) -> float:
    """Learning rate when a share of all epochs is done."""
    return FIRST_RATE - (FIRST_RATE - LAST_RATE) * done


def _epoch(model: Word2Vec, sentences: Iterable[list[str]], settings: Settings, epoch: int, bar: "tqdm[Any]") -> float:
    """Train one epoch; returns the mean loss over trained words.

    gensim adds up the loss of a whole call in 32 bits, where the sum of millions of words no longer grows.
    So we take it job by job (some 10,000 words), which is also when the bar moves. With several workers
    jobs overlap, and the loss is an estimate.

    Articles come one after the other, and at a high learning rate skip-gram adapts to the one at hand. So its
    loss may rise again as the rate falls; with sentences in random order it falls throughout.
    """
    loss, trained, job = 0.0, 0, model._do_train_job

    def counted(*args: Any) -> tuple[int, int]:
        nonlocal loss, trained
        model.running_training_loss = 0.0
        effective, raw = job(*args)
        loss, trained = loss + float(model.running_training_loss), trained + effective
        bar.set_postfix_str(f"loss {loss / max(trained, 1):.3f}", refresh=False)
        bar.update(raw)
        return effective, raw

    model.random = np.random.RandomState([settings.seed, epoch])
    model._do_train_job = counted
    try:
        model.train(
            sentences,
            total_examples=model.corpus_count,
            epochs=1,
            start_alpha=_rate(epoch / settings.epochs),
            end_alpha=_rate((epoch + 1) / settings.epochs),
            compute_loss=True,
        )
    finally:
        model._do_train_job = job
    return loss / max(trained, 1)
