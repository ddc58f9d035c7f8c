"""How well our classifier tells Core Scientific Concepts; lrec2016 §6 gives SAPIENTA's figures."""

import hashlib
import time
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
from citectx.corpora.coresc import CLASSES, CoreSCCorpus, LabelledPaper, read_art, read_cra, read_teaching
from citectx.corpora.model import Document
from citectx.corpora.sources import data_dir
from citectx.errors import ParameterError
from citectx.evaluation import bootstrap_interval
from citectx.experiments.results import COLUMNS, Result, params_json
from citectx.language.text import Sentences
from citectx.recommendation.coresc import VERSION, CoreSCClassifier, Seen
from citectx.recommendation.labelling import COLLECTIONS, LabelledSentences, load_labels, paper_of, trained
from citectx.recommendation.zones import ZONES, zones
from citectx.storage import packed, read_arrays, unpacked, write_arrays

NAME = "lrec2016_coresc"
PUBLISHED = {("ART", "accuracy"): 50.4, ("CRA", "accuracy"): 51.9}
"""SAPIENTA's accuracy in percent (lrec2016 §6): nine-fold cross-validation on its training corpus, and on
another corpus.

Ambiguity: lrec2016 does not name the other corpus; the work that it cites for the figure presents CRA. Which
of a sentence's several classes counted there is not said.
"""

CHOSEN_ON = ("ann1", "ann2", "ann3")
"""Annotators whose papers were looked at when features and hyper-parameters were chosen."""

Counts = NDArray[np.int64]


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

    Values are percentages of sentences, with 95 % intervals from a bootstrap over papers. ``majority`` always
    says the class that is most frequent in the training papers. ``unseen annotators`` leaves out the papers
    of those annotators on whom features and hyper-parameters were chosen; on CRA nothing was chosen.

    Ambiguity: lrec2016 does not say by what the nine folds of SAPIENTA's cross-validation were made. Ours are
    ART's nine annotators (with another number of folds, or without annotators: papers in turn); for the row
    ``ours, mixed folds`` papers are dealt out in turn: every annotator is learnt from. In the former an
    annotator's habits are then unknown to the classifier that is tested on him, as they will be to anybody
    who uses it. A sentence of CRA that has several classes counts as right if its first one is found; ``any
    class`` accepts each of them.

    Parameters
    ----------
    art : CoreSCCorpus
        For the cross-validation.
    cra : CoreSCCorpus, optional
        Another one, to test on it what all of the first has taught.
    collection : documents and their labels, optional
        To show which classes stand in which part of an article that nobody labelled by hand.
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
        With the extra tables ``confusion`` (corpus, true, predicted, n), ``papers`` (right answers by paper)
        and, given a collection, ``parts`` (sentences of each class by part of the article).

    Raises
    ------
    ParameterError
        If there are fewer papers than folds.
    """
    started = time.perf_counter()
    settings = dict(params or {})
    where: dict[str, Any] = {"cache": cache, "jobs": jobs, "scheduler": scheduler, "progress": progress}
    validated, common = cross_validate(art, folds, settings, **where)
    shared = {"folds": folds, "params": asdict(CoreSCClassifier(**settings))}
    unseen = [i for i, p in enumerate(art) if p.group not in CHOSEN_ON]
    runs: list[tuple[str, CoreSCCorpus, list[tuple[str, ...]], Sequence[int]]] = [
        ("ours", art, validated, range(len(art))),
        ("majority", art, common, range(len(art))),
    ]
    by_annotator, in_turn = (fold_of(art.papers, folds, mixed=mixed) for mixed in (False, True))
    if not np.array_equal(by_annotator, in_turn):
        mixed, _ = cross_validate(art, folds, settings, mixed=True, **where)
        runs.insert(1, ("ours, mixed folds", art, mixed, range(len(art))))
    if 0 < len(unseen) < len(art):
        runs.insert(1, ("ours, unseen annotators", art, validated, unseen))
    found = [(art, validated)]
    if cra is not None:
        model = trained(**settings) if art.name == "ART" else trained(corpus=art, **settings)
        found.append((cra, model.predict([p.paper for p in cra])))
        most = max(CLASSES, key=lambda c: int(art.counts()[c]))
        always = [(most,) * len(p.labels) for p in cra]
        runs += [("ours", *found[-1], range(len(cra))), ("majority", cra, always, range(len(cra)))]
    rows = [row for run in runs for row in _rows(*run, shared, seed)]
    extra = {
        "confusion": pd.concat([_confusion_frame(*each) for each in found], ignore_index=True),
        "papers": pd.concat([_papers_frame(*each) for each in found], ignore_index=True),
    }
    if collection is not None:
        extra["parts"] = parts_of_articles(*collection)
    data = {corpus.name: fingerprint(corpus) for corpus, _ in found}
    return Result(NAME, pd.DataFrame(rows, columns=COLUMNS), None, extra, data, time.perf_counter() - started)


def cross_validate(
    corpus: CoreSCCorpus,
    folds: int,
    params: Mapping[str, Any],
    *,
    mixed: bool = False,
    cache: Path | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Predict each paper by a classifier that learnt from the other folds' papers.

    Folds are those of `fold_of`; each is a piece of work for `citectx.parallel.run`.

    Returns
    -------
    predicted, majority : list of tuple of str
        For each paper the classes of its sentences: the classifier's, and the most frequent class of the
        training papers.
    """
    fold = fold_of(corpus.papers, folds, mixed=mixed)
    work = [_Fold(corpus.papers, tuple(fold == f), tuple(sorted(params.items()))) for f in range(folds)]
    files = [cache / f"{one.key()}.npz" if cache else None for one in work]
    todo = [i for i, file in enumerate(files) if not (file and file.is_file())]
    label = f"{NAME}: folds of {corpus.name}"
    where: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "label": label, "progress": progress}
    fresh = iter(parallel.run(_of_fold, [(work[i], files[i]) for i in todo], **where) if todo else [])
    predicted: list[tuple[str, ...]] = [()] * len(corpus)
    majority: list[tuple[str, ...]] = [()] * len(corpus)
    for i, (one, file) in enumerate(zip(work, files, strict=True)):
        flat = iter(next(fresh) if i in todo else unpacked(read_arrays(file)["classes"]))  # type: ignore[arg-type]
        most = str(CoreSCCorpus("", one.training).counts().idxmax())
        for paper in np.flatnonzero(one.held_out).tolist():
            predicted[paper] = tuple(islice(flat, len(corpus.papers[paper].labels)))
            majority[paper] = (most,) * len(predicted[paper])
    return predicted, majority


class _Fold(NamedTuple):
    """Papers, which of them are predicted from the others, and the classifier's parameters."""

    papers: tuple[LabelledPaper, ...]
    held_out: tuple[bool, ...]
    params: tuple[tuple[str, Any], ...]

    @property
    def training(self) -> tuple[LabelledPaper, ...]:
        return tuple(p for p, out in zip(self.papers, self.held_out, strict=True) if not out)

    def key(self) -> str:
        model = CoreSCClassifier(**dict(self.params))
        return hashlib.sha256(repr((VERSION, model, self.papers, self.held_out)).encode()).hexdigest()[:16]


def _of_fold(item: tuple[_Fold, Path | None]) -> tuple[str, ...]:
    one, file = item
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


def fold_of(papers: Sequence[LabelledPaper], folds: int, *, mixed: bool = False) -> NDArray[np.int64]:
    """Put papers into folds: by annotator if there are as many as folds, else (or if `mixed`) in turn.

    Raises
    ------
    ParameterError
        If there are fewer papers than folds, or fewer than two folds.
    """
    if not 2 <= folds <= len(papers):
        raise ParameterError(f"expected 2 to {len(papers)} folds (the number of papers), found {folds}")
    names = list(dict.fromkeys(p.group for p in papers))
    if len(names) == folds and not mixed:
        return np.array([names.index(p.group) for p in papers])
    return np.arange(len(papers)) % folds


def confusions(labels: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Counts:
    """Count pairs of true and predicted class, shape (papers, 11, 11).

    >>> confusions([["Bac", "Con"]], [["Bac", "Bac"]])[0, :2, :2].tolist()
    [[1, 0], [1, 0]]
    """
    number = {name: i for i, name in enumerate(CLASSES)}
    counts = np.zeros((len(labels), len(CLASSES), len(CLASSES)), dtype=np.int64)
    for paper, (own, found) in enumerate(zip(labels, predicted, strict=True)):
        for true, said in zip(own, found, strict=True):
            counts[paper, number[true], number[said]] += 1
    return counts


def f1(confusion: Counts) -> NDArray[np.float64]:
    """F1 of each class in percent from confusion matrices, shape (..., 11); 0 where a class never occurs."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    scores: NDArray[np.float64] = 200 * hits / np.maximum(both, 1)
    return scores


def _rows(
    method: str,
    corpus: CoreSCCorpus,
    predicted: Sequence[tuple[str, ...]],
    chosen: Sequence[int],
    shared: Mapping[str, Any],
    seed: int,
) -> list[tuple[Any, ...]]:
    """Accuracy, F1 of each class and their mean, with intervals."""
    papers = [corpus.papers[i] for i in chosen]
    found = [predicted[i] for i in chosen]
    group = [i for i, p in enumerate(papers) for _ in p.labels]
    pairs = [pair for p, f in zip(papers, found, strict=True) for pair in zip(p.labels, f, strict=True)]
    right = [100 * (own == said) for own, said in pairs]
    interval = bootstrap_interval(right, seed=seed, groups=group, resamples=2000)
    values: list[tuple[str, float, tuple[float, float], int]] = [
        ("accuracy", float(np.mean(right)), interval, len(right))
    ]
    if any(others for p in papers for others in p.others):
        lenient = [
            100 * (said == own or said in others)
            for p, f in zip(papers, found, strict=True)
            for own, others, said in zip(p.labels, p.others, f, strict=True)
        ]
        interval = bootstrap_interval(lenient, seed=seed, groups=group, resamples=2000)
        values.append(("accuracy, any class", float(np.mean(lenient)), interval, len(lenient)))
    counts = confusions([p.labels for p in papers], found)
    total, drawn = f1(counts.sum(axis=0)), f1(_drawn(counts, seed))
    bounds = np.quantile(drawn, [0.025, 0.975], axis=0)
    for i, name in enumerate(CLASSES):
        n = int(counts[:, i].sum())
        values.append((f"F1 {name}", float(total[i]), (bounds[0, i], bounds[1, i]), n))
    means = np.quantile(drawn.mean(axis=1), [0.025, 0.975])
    values.append(("macro F1", float(total.mean()), (means[0], means[1]), len(right)))
    params = params_json(shared if method.startswith("ours") else {"folds": shared["folds"]})
    return [
        (NAME, corpus.name, method, metric, value, low, high, np.nan, n, params, seed)
        for metric, value, (low, high), n in values
    ]


def _drawn(counts: Counts, seed: int, resamples: int = 2000) -> Counts:
    """Confusion matrices of samples of papers, drawn with replacement."""
    papers = len(counts)
    times = np.random.default_rng(seed).multinomial(papers, np.full(papers, 1 / papers), size=resamples)
    return (times @ counts.reshape(papers, -1)).reshape(resamples, *counts.shape[1:])


def _confusion_frame(corpus: CoreSCCorpus, predicted: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    counts = confusions([p.labels for p in corpus], predicted).sum(axis=0)
    rows = [(corpus.name, a, b, counts[i, j]) for i, a in enumerate(CLASSES) for j, b in enumerate(CLASSES)]
    return pd.DataFrame(rows, columns=["corpus", "true", "predicted", "n"])


def _papers_frame(corpus: CoreSCCorpus, predicted: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    rows = [
        (corpus.name, p.paper.doc_id, p.group, len(f), sum(a == b for a, b in zip(p.labels, f, strict=True)))
        for p, f in zip(corpus, predicted, strict=True)
    ]
    return pd.DataFrame(rows, columns=["corpus", "paper", "group", "sentences", "right"])


def parts_of_articles(documents: Sequence[Document], labels: Mapping[str, LabelledSentences]) -> pd.DataFrame:
    """Count the classes in each part of articles that nobody labelled by hand.

    If labels make sense, methods hold experiments and methods, introductions background and motivation.

    Returns
    -------
    DataFrame
        Columns part, class, n, share (percent of the part's sentences).
    """
    counts: Counter[tuple[str, str]] = Counter()
    for document in documents:
        own = labels.get(document.doc_id)
        if own is not None and len(own):
            parts = zones(paper_of(_with_blocks(document, own)))
            counts.update(zip(parts, own.classes, strict=True))
    totals = {part: sum(counts[part, c] for c in CLASSES) for part in ZONES}
    rows = [
        (part, c, counts[part, c], 100 * counts[part, c] / max(totals[part], 1))
        for part in ZONES
        for c in CLASSES
    ]
    return pd.DataFrame(rows, columns=["part", "class", "n", "share"])


def _with_blocks(document: Document, labelled: LabelledSentences) -> Sentences:
    starts = np.array([b.start for b in document.blocks])
    at = np.searchsorted(starts, [s.start for s in labelled.spans], side="right") - 1
    return Sentences(document, tuple(labelled.spans), tuple(document.blocks[i] for i in at))


def fingerprint(corpus: CoreSCCorpus) -> str:
    """Hash sentences and labels."""
    return hashlib.sha256(repr(corpus.papers).encode()).hexdigest()[:16]


def of_profile(
    profile: str, *, seed: int = 0, jobs: int = 1, scheduler: str | None = None, progress: bool = True
) -> Result:
    """Run on the corpora of a profile: our own labelled papers, one left out at a time, or ART and CRA.

    Raises
    ------
    MissingDataError
        If the open corpora or the labels of the collection are not on this machine.
    """
    if profile == "teaching":
        own = read_teaching()
        return run(own, folds=len(own), seed=seed, progress=progress)
    where: dict[str, Any] = {"jobs": jobs, "scheduler": scheduler, "progress": progress}
    collection = COLLECTIONS["references"](), load_labels("references")
    cache = data_dir() / "coresc" / "folds"
    return run(read_art(), read_cra(), collection=collection, seed=seed, cache=cache, **where)
