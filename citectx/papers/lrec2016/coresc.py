"""How well our classifier finds Core Scientific Concepts; lrec2016 §6 gives SAPIENTA's figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx import parallel
from citectx.corpora.coresc import (
    CLASSES,
    CoreSCCorpus,
    LabelledPaper,
    Paper,
    read_art,
    read_cra,
    read_teaching,
)
from citectx.corpora.model import Document
from citectx.errors import ParameterError
from citectx.evaluation import Interval, bootstrap_interval
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.papers.lrec2016.training import texts
from citectx.paths import data_dir
from citectx.recommendation.collection import LabelledSentences
from citectx.recommendation.coresc import VERSION, CoreSCClassifier, Seen
from citectx.recommendation.labelling import trained
from citectx.recommendation.zones import ZONES, zones
from citectx.storage import digest, packed, read_arrays, unpacked, write_arrays
from citectx.types import Span

NAME = "lrec2016_coresc"
PUBLISHED = {("ART", "accuracy"): 50.4, ("CRA", "accuracy"): 51.9}
"""SAPIENTA's accuracy in percent (lrec2016 §6): nine-fold cross-validation on its training corpus,
and on another corpus.

Ambiguity: lrec2016 does not name the other corpus; the work that it cites for the figure presents
CRA. Which of a sentence's several classes counted there is not said.
"""

CHOSEN_ON = ("ann1", "ann2", "ann3")
"""Annotators whose papers were looked at when features and hyper-parameters were chosen."""

Counts = NDArray[np.int64]
Predicted = list[tuple[str, ...]]

_RESAMPLES = 2000


@timed
def run(
    art: CoreSCCorpus,
    cra: CoreSCCorpus | None = None,
    *,
    collection: tuple[Sequence[Document], Mapping[str, LabelledSentences]] | None = None,
    params: Mapping[str, Any] | None = None,
    folds: int = 9,
    seed: int = 0,
    cache: Path | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> Result:
    """Measure the classifier by cross-validation on one corpus, and trained on it, on another.

    Values are percentages of sentences, with 95 % intervals from a bootstrap over papers.
    ``majority`` always says the class that is most frequent in the training papers. ``unseen
    annotators`` leaves out the papers of those annotators on whom features and hyper-parameters
    were chosen; on CRA nothing was chosen.

    Ambiguity: lrec2016 does not say by what the nine folds of SAPIENTA's cross-validation were
    made. Ours are ART's nine annotators (with another number of folds, or without annotators:
    papers in turn); for the row ``ours, mixed folds`` papers are dealt out in turn: every annotator
    is learnt from. In the former an annotator's habits are then unknown to the classifier that is
    tested on him, as they will be to anybody who uses it. A sentence of CRA that has several
    classes counts as right if its first one is found; ``any class`` accepts each of them.

    Parameters
    ----------
    art : CoreSCCorpus
        For the cross-validation.
    cra : CoreSCCorpus, optional
        Another one, to test on it what all of the first has taught.
    collection : documents and their labels, optional
        To show which classes are in which part of an article that nobody labelled by hand.
    params : mapping, optional
        Of `CoreSCClassifier`.
    folds : int
    seed : int
        For the bootstrap.
    cache : Path, optional
        A folder that keeps each fold's predictions, so that an interrupted run goes on.
    jobs, scheduler, progress
        See `citectx.parallel.run`.

    Returns
    -------
    Result
        With the extra tables ``confusion`` (corpus, true, predicted, n), ``papers`` (right answers
        by paper) and, given a collection, ``parts`` (sentences of each class by part of the
        article).

    Raises
    ------
    ParameterError
        If there are fewer papers than folds.
    """
    settings = dict(params or {})
    where: dict[str, Any] = {
        "cache": cache,
        "jobs": jobs,
        "scheduler": scheduler,
        "progress": progress,
    }
    by_annotator, in_turn = (fold_of(art.papers, folds, mixed=mixed) for mixed in (False, True))
    ways = [by_annotator] if np.array_equal(by_annotator, in_turn) else [by_annotator, in_turn]
    (validated, common), *others = cross_validate(art, ways, settings, **where)
    runs = [("ours", art, validated)]
    unseen = [i for i, paper in enumerate(art) if paper.group not in CHOSEN_ON]
    if 0 < len(unseen) < len(art):
        strangers = CoreSCCorpus(art.name, tuple(art.papers[i] for i in unseen))
        runs.append(("ours, unseen annotators", strangers, [validated[i] for i in unseen]))
    runs += [("ours, mixed folds", art, mixed) for mixed, _ in others]
    _seen.cache_clear()  # the features of all papers, of no use from here on
    runs.append(("majority", art, common))
    found = [(art, validated)]
    if cra is not None:
        model = trained(**settings) if art.name == "ART" else trained(corpus=art, **settings)
        found.append((cra, model.predict([p.paper for p in cra])))
        most = max(CLASSES, key=lambda c: int(art.counts()[c]))
        always = [(most,) * len(p.labels) for p in cra]
        runs += [("ours", *found[-1]), ("majority", cra, always)]
    ours = {"params": asdict(CoreSCClassifier(**settings))}
    said = {method: ours for method, _, _ in runs if method != "majority"}
    tables = [
        tabulate(NAME, corpus.name, _cells(method, corpus, own, seed), seed, {"folds": folds}, said)
        for method, corpus, own in runs
    ]
    extra = {
        "confusion": pd.concat([_confusion_frame(*each) for each in found], ignore_index=True),
        "papers": pd.concat([_papers_frame(*each) for each in found], ignore_index=True),
    }
    if collection is not None:
        extra["parts"] = parts_of_articles(*collection)
    data = {corpus.name: fingerprint(corpus) for corpus, _ in found}
    return Result(NAME, pd.concat(tables, ignore_index=True), None, extra, data)


def cross_validate(
    corpus: CoreSCCorpus,
    ways: Sequence[NDArray[np.int64]],
    params: Mapping[str, Any],
    *,
    cache: Path | None = None,
    **how: Any,
) -> list[tuple[Predicted, Predicted]]:
    """Predict each paper by a classifier that learnt from the other folds' papers.

    Parameters
    ----------
    corpus : CoreSCCorpus
    ways : sequence of int array, shape (papers,)
        Each a way to put papers into folds, such as `fold_of`; all folds are pieces of work side by
        side.
    params : mapping
        Of `CoreSCClassifier`.
    cache : Path, optional
    **how
        Jobs, scheduler and progress, see `citectx.parallel.run`.

    Returns
    -------
    list of predicted, majority : lists of tuple of str
        For each way, and each paper, the classes of its sentences: the classifier's, and the most
        frequent class of the training papers.
    """
    options, counts = tuple(sorted(params.items())), [fold.max() + 1 for fold in ways]
    read = fingerprint(corpus)
    work = [
        _Fold(corpus.papers, read, tuple(fold == f), options, cache)
        for fold, k in zip(ways, counts, strict=True)
        for f in range(k)
    ]
    found = zip(
        work,
        parallel.run(_of_fold, work, label=f"{NAME}: folds of {corpus.name}", **how),
        strict=True,
    )
    both: list[tuple[Predicted, Predicted]] = []
    for k in counts:
        predicted: Predicted = [()] * len(corpus)
        majority: Predicted = [()] * len(corpus)
        for one, classes in islice(found, k):
            flat, most = iter(classes), str(CoreSCCorpus("", one.training).counts().idxmax())
            for paper in np.flatnonzero(one.held_out).tolist():
                predicted[paper] = tuple(islice(flat, len(corpus.papers[paper].labels)))
                majority[paper] = (most,) * len(predicted[paper])
        both.append((predicted, majority))
    return both


class _Fold(NamedTuple):
    """Papers, their hash, which of them are predicted from the others, the classifier's parameters,
    and the cache.
    """

    papers: tuple[LabelledPaper, ...]
    fingerprint: str
    held_out: tuple[bool, ...]
    params: tuple[tuple[str, Any], ...]
    cache: Path | None

    @property
    def training(self) -> tuple[LabelledPaper, ...]:
        return tuple(p for p, out in zip(self.papers, self.held_out, strict=True) if not out)

    def key(self) -> str:
        model = CoreSCClassifier(**dict(self.params))
        return digest(VERSION, model, self.fingerprint, self.held_out)


def _of_fold(one: _Fold) -> tuple[str, ...]:
    file = one.cache / f"{one.key()}.npz" if one.cache else None
    if file and file.is_file():
        return unpacked(read_arrays(file)["classes"])
    model = CoreSCClassifier(**dict(one.params))
    seen, held_out = _seen(one.papers, one.params), np.array(one.held_out)
    model.fit_seen(seen.of_papers(~held_out), [label for p in one.training for label in p.labels])
    best = model.predict_seen(seen.of_papers(held_out)).argmax(axis=1)
    found = tuple(CLASSES[k] for k in best.tolist())
    if file:
        write_arrays(file, compressed=True, classes=packed(found))
    return found


@lru_cache(maxsize=1)
def _seen(papers: tuple[LabelledPaper, ...], params: tuple[tuple[str, Any], ...]) -> Seen:
    """Lay a corpus out once for all folds that this process trains."""
    return Seen.of([p.paper for p in papers], CoreSCClassifier(**dict(params)))


def fold_of(
    papers: Sequence[LabelledPaper], folds: int, *, mixed: bool = False
) -> NDArray[np.int64]:
    """Put papers into folds: by annotator if there are as many as folds, else (or if `mixed`) in
    turn.

    Raises
    ------
    ParameterError
        If there are fewer papers than folds, or fewer than two folds.
    """
    if not 2 <= folds <= len(papers):
        raise ParameterError(
            f"expected 2 to {len(papers)} folds (the number of papers), found {folds}"
        )
    names = list(dict.fromkeys(p.group for p in papers))
    if len(names) == folds and not mixed:
        return np.array([names.index(p.group) for p in papers])
    return np.arange(len(papers)) % folds


def confusions(labels: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Counts:
    """Count pairs of true and predicted class, shape (papers, 11, 11).

    >>> confusions([["Bac", "Con"]], [["Bac", "Bac"]])[0, :2, :2].tolist()
    [[1, 0], [1, 0]]
    """
    counts = np.zeros((len(labels), len(CLASSES), len(CLASSES)), dtype=np.int64)
    cells = [
        (paper, CLASSES.index(true), CLASSES.index(said))
        for paper, (own, found) in enumerate(zip(labels, predicted, strict=True))
        for true, said in zip(own, found, strict=True)
    ]
    np.add.at(counts, tuple(np.transpose(cells)), 1)
    return counts


def f1(confusion: Counts) -> NDArray[np.float64]:
    """F1 of each class in percent from confusion matrices, shape (..., 11); 0 where a class never
    occurs.
    """
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    scores: NDArray[np.float64] = 200 * hits / np.maximum(both, 1)
    return scores


def _cells(method: str, corpus: CoreSCCorpus, predicted: Predicted, seed: int) -> list[Cell]:
    """Accuracy, F1 of each class and their mean, with intervals."""
    group = [i for i, paper in enumerate(corpus) for _ in paper.labels]
    pairs = [
        pair
        for p, found in zip(corpus, predicted, strict=True)
        for pair in zip(p.labels, found, strict=True)
    ]
    right = {"accuracy": [own == said for own, said in pairs]}
    others = [each for paper in corpus for each in paper.others]
    if any(others):
        right["accuracy, any class"] = [
            said == own or said in more for (own, said), more in zip(pairs, others, strict=True)
        ]
    cells = []
    for metric, values in right.items():
        percent = 100 * np.array(values)
        interval = bootstrap_interval(percent, seed=seed, groups=group, resamples=_RESAMPLES)
        cells.append(Cell(method, metric, float(percent.mean()), len(percent), interval))
    counts = confusions([p.labels for p in corpus], predicted)
    times = np.random.default_rng(seed).multinomial(
        len(counts), [1 / len(counts)] * len(counts), _RESAMPLES
    )
    drawn = f1(np.tensordot(times, counts, axes=1))
    total, sizes = f1(counts.sum(axis=0)), counts.sum(axis=(0, 2))
    bounds = np.quantile(drawn, [0.025, 0.975], axis=0).T
    for name, value, size, interval in zip(CLASSES, total, sizes, bounds, strict=True):
        cells.append(Cell(method, f"F1 {name}", float(value), int(size), Interval(*interval)))
    means = Interval(*np.quantile(drawn.mean(axis=1), [0.025, 0.975]))
    return [*cells, Cell(method, "macro F1", float(total.mean()), len(pairs), means)]


def _confusion_frame(corpus: CoreSCCorpus, predicted: Predicted) -> pd.DataFrame:
    counts = confusions([p.labels for p in corpus], predicted).sum(axis=0)
    rows = [
        (corpus.name, a, b, counts[i, j])
        for i, a in enumerate(CLASSES)
        for j, b in enumerate(CLASSES)
    ]
    return pd.DataFrame(rows, columns=["corpus", "true", "predicted", "n"])


def _papers_frame(corpus: CoreSCCorpus, predicted: Predicted) -> pd.DataFrame:
    rows = [
        (
            corpus.name,
            p.paper.doc_id,
            p.group,
            len(f),
            sum(a == b for a, b in zip(p.labels, f, strict=True)),
        )
        for p, f in zip(corpus, predicted, strict=True)
    ]
    return pd.DataFrame(rows, columns=["corpus", "paper", "group", "sentences", "right"])


def parts_of_articles(
    documents: Sequence[Document], labels: Mapping[str, LabelledSentences]
) -> pd.DataFrame:
    """Count the classes in each part of articles that nobody labelled by hand.

    If labels make sense, methods hold experiments and methods, introductions background and
    motivation.

    Returns
    -------
    DataFrame
        Columns part, class, n, share (percent of the part's sentences).
    """
    counts: Counter[tuple[str, str]] = Counter()
    for document in documents:
        own = labels.get(document.doc_id)
        if own is not None and len(own):
            starts = [block.start for block in document.blocks]
            at = np.searchsorted(starts, [span.start for span in own.spans], side="right") - 1
            held, block_of = np.unique(at, return_inverse=True)
            blocks = [document.blocks[i] for i in held]
            found = zones(
                Paper.of(document, [Span(b.start, b.start) for b in blocks], blocks)
            )  # no text is needed
            counts.update(zip([found[i] for i in block_of], own.classes, strict=True))
    rows = [(part, c, counts[part, c]) for part in ZONES for c in CLASSES]
    table = pd.DataFrame(rows, columns=["part", "class", "n"])
    totals = table.groupby("part")["n"].transform("sum")
    return table.assign(share=100 * table["n"] / totals.clip(lower=1))


def fingerprint(corpus: CoreSCCorpus) -> str:
    """Hash sentences and labels."""
    return digest(corpus.papers)


def of_profile(
    profile: str,
    *,
    seed: int = 0,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> Result:
    """Run on the corpora of a profile: our own labelled papers, one left out at a time, or ART and
    CRA.

    Raises
    ------
    MissingDataError
        If the open corpora are not on this machine.
    """
    if profile == "teaching":
        own = read_teaching()
        return run(own, folds=len(own), seed=seed, progress=progress)
    where: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": progress}
    found, labels = texts(**where)
    cache = data_dir() / "coresc" / "folds"
    return run(
        read_art(),
        read_cra(),
        collection=(found.references, labels),
        seed=seed,
        cache=cache,
        **where,
    )
