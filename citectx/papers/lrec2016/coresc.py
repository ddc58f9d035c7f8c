"""How well our classifier finds Core Scientific Concepts; lrec2016 §6 gives SAPIENTA's figures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx import parallel
from citectx.cache import cached
from citectx.corpora.coresc import (
    CLASSES,
    CoreSCCorpus,
    LabelledPaper,
    read_art,
    read_cra,
    read_teaching,
)
from citectx.errors import ParameterError
from citectx.evaluation import Interval, bootstrap_interval
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result, timed
from citectx.recommendation.coresc import CoreSCClassifier, Seen
from citectx.recommendation.labelling import trained
from citectx.storage import digest
from citectx.types import Ints

NAME = "lrec2016_coresc"
PUBLISHED = {("ART", "accuracy"): 50.4, ("CRA", "accuracy"): 51.9}
"""SAPIENTA's accuracy in percent (lrec2016 §6): nine-fold cross-validation on its training corpus,
and on another corpus.

Ambiguity: lrec2016 does not name the other corpus; the work that it cites for the figure presents
CRA. Which of a sentence's several classes counted there is not said.
"""

CHOSEN_ON = ("ann1", "ann2", "ann3")
"""Annotators whose papers were looked at when features and hyper-parameters were chosen."""

Predicted = list[tuple[str, ...]]
"""For each paper the classes of its sentences."""

_RESAMPLES = 2000


@timed
def run(
    art: CoreSCCorpus,
    cra: CoreSCCorpus | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    folds: int = 9,
    seed: int = 0,
    **how: Any,
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
    params : mapping, optional
        Of `CoreSCClassifier`.
    folds : int
    seed : int
        For the bootstrap.
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Returns
    -------
    Result
        With the extra table ``confusion`` (corpus, true, predicted, n).

    Raises
    ------
    ParameterError
        If there are fewer papers than folds.
    """
    options = dict(params or {})
    rows = _validated(art, folds, options, how)
    if cra is not None:
        rows += _transferred(art, cra, options)
    ours, tables = {"params": asdict(CoreSCClassifier(**options))}, []
    for method, corpus, predicted in rows:
        cells = [*_accuracy(method, corpus, predicted, seed), *_f1(method, corpus, predicted, seed)]
        said = {} if method == "majority" else {method: ours}
        tables.append(tabulate(NAME, corpus.name, cells, seed, {"folds": folds}, said))
    found = [(corpus, predicted) for method, corpus, predicted in rows if method == "ours"]
    confusion = pd.concat([_confusion(*each) for each in found], ignore_index=True)
    data = {corpus.name: fingerprint(corpus) for corpus, _ in found}
    table = pd.concat(tables, ignore_index=True)
    return Result(NAME, table, extra={"confusion": confusion}, data=data)


Row = tuple[str, CoreSCCorpus, Predicted]
"""A method, and what it predicted for some papers."""


def _validated(
    art: CoreSCCorpus, folds: int, params: Mapping[str, Any], how: Mapping[str, Any]
) -> list[Row]:
    """Cross-validate the classifier, by annotator and in turn."""
    fold, in_turn = (fold_of(art.papers, folds, mixed=mixed) for mixed in (False, True))
    validated = cross_validate(art, fold, params, **how)
    rows = [("ours", art, validated)]
    unseen = [i for i, paper in enumerate(art) if paper.group not in CHOSEN_ON]
    if 0 < len(unseen) < len(art):
        strangers = CoreSCCorpus(art.name, tuple(art.papers[i] for i in unseen))
        rows.append(("ours, unseen annotators", strangers, [validated[i] for i in unseen]))
    if not np.array_equal(fold, in_turn):
        rows.append(("ours, mixed folds", art, cross_validate(art, in_turn, params, **how)))
    _seen.cache_clear()  # the features of all papers are of no use from here on
    return [*rows, ("majority", art, _most_frequent(art, fold))]


def _transferred(art: CoreSCCorpus, cra: CoreSCCorpus, params: Mapping[str, Any]) -> list[Row]:
    """Test on one corpus what was learnt from all of another."""
    model = trained(**params) if art.name == "ART" else trained(corpus=art, **params)
    most = str(art.counts().idxmax())
    always = [(most,) * len(p.labels) for p in cra]
    return [("ours", cra, model.predict([p.paper for p in cra])), ("majority", cra, always)]


def cross_validate(
    corpus: CoreSCCorpus, fold: Ints, params: Mapping[str, Any], **how: Any
) -> Predicted:
    """Predict each paper by a classifier that learnt from the other folds' papers.

    Parameters
    ----------
    corpus : CoreSCCorpus
    fold : int array, shape (papers,)
        Such as `fold_of`.
    params : mapping
        Of `CoreSCClassifier`.
    **how
        Jobs and progress, see `citectx.parallel.run`. An interrupted run goes on with
        the folds that it lacks.
    """
    given = corpus.papers, fingerprint(corpus), tuple(params.items())
    held_out = [fold == f for f in range(fold.max() + 1)]
    label = f"{NAME}: folds of {corpus.name}"
    found = parallel.run(partial(_predicted, *given), held_out, label=label, **how)
    predicted: Predicted = [()] * len(corpus)
    for inside, classes in zip(held_out, found, strict=True):
        papers = np.flatnonzero(inside)
        ends = np.cumsum([len(corpus.papers[i].labels) for i in papers])
        for i, own in zip(papers, np.split(classes, ends[:-1]), strict=True):
            predicted[i] = tuple(CLASSES[k] for k in own)
    return predicted


def _predicted(
    papers: tuple[LabelledPaper, ...],
    read: str,
    params: tuple[tuple[str, Any], ...],
    held_out: NDArray[np.bool_],
) -> Ints:
    """Predict the sentences of some papers from all others: places in `CLASSES`."""
    model = CoreSCClassifier(**dict(params))

    def compute() -> dict[str, Ints]:
        seen = _seen(papers, params)
        training = [p for p, out in zip(papers, held_out, strict=True) if not out]
        model.fit_seen(seen.of_papers(~held_out), [label for p in training for label in p.labels])
        return {"classes": model.predict_seen(seen.of_papers(held_out)).argmax(axis=1)}

    key = repr(model), read, held_out.tolist()
    return cached("coresc-folds", __name__, key, compute)["classes"]


@lru_cache(maxsize=1)
def _seen(papers: tuple[LabelledPaper, ...], params: tuple[tuple[str, Any], ...]) -> Seen:
    """Lay a corpus out once for all folds that this process trains."""
    return Seen.of([p.paper for p in papers], CoreSCClassifier(**dict(params)))


def _most_frequent(corpus: CoreSCCorpus, fold: Ints) -> Predicted:
    """Predict for each paper the class that is most frequent in the papers of the other folds."""
    predicted = []
    for paper, own in zip(corpus, fold, strict=True):
        training = tuple(p for p, other in zip(corpus, fold, strict=True) if other != own)
        most = str(CoreSCCorpus("", training).counts().idxmax())
        predicted.append((most,) * len(paper.labels))
    return predicted


def fold_of(papers: Sequence[LabelledPaper], folds: int, *, mixed: bool = False) -> Ints:
    """Put papers into folds: by annotator if there are as many as folds, else in turn.

    Parameters
    ----------
    papers : sequence of LabelledPaper
    folds : int
    mixed : bool
        Put them in turn even so.

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


def confusions(labels: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Ints:
    """Count pairs of true and predicted class, shape (papers, 11, 11).

    >>> confusions([["Bac", "Con"]], [["Bac", "Bac"]])[0, :2, :2].tolist()
    [[1, 0], [1, 0]]
    """
    counts = np.zeros((len(labels), len(CLASSES), len(CLASSES)), dtype=np.int64)
    place = {name: i for i, name in enumerate(CLASSES)}
    for own, true, said in zip(counts, labels, predicted, strict=True):
        pairs = [place[name] for name in true], [place[name] for name in said]
        np.add.at(own, pairs, 1)
    return counts


def f1(confusion: Ints) -> NDArray[np.float64]:
    """F1 of each class in percent from confusion matrices, shape (..., 11); 0 for an absent one."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    return np.asarray(200 * hits / np.maximum(both, 1))


def _accuracy(method: str, corpus: CoreSCCorpus, predicted: Predicted, seed: int) -> list[Cell]:
    """Return the share of right answers; if sentences have several classes, of any of them, too."""
    groups = [i for i, paper in enumerate(corpus) for _ in paper.labels]
    pairs = [
        pair
        for p, said in zip(corpus, predicted, strict=True)
        for pair in zip(p.labels, said, strict=True)
    ]
    others = [each for paper in corpus for each in paper.others]
    right = {"accuracy": [label == said for label, said in pairs]}
    if any(others):
        any_class = [
            said in (label, *more) for (label, said), more in zip(pairs, others, strict=True)
        ]
        right["accuracy, any class"] = any_class
    cells = []
    for metric, hits in right.items():
        percent = 100 * np.array(hits)
        interval = bootstrap_interval(percent, seed=seed, groups=groups, resamples=_RESAMPLES)
        cells.append(Cell(method, metric, float(percent.mean()), len(percent), interval))
    return cells


def _f1(method: str, corpus: CoreSCCorpus, predicted: Predicted, seed: int) -> list[Cell]:
    """Return F1 of each class and their mean, with intervals over papers."""
    counts = confusions([p.labels for p in corpus], predicted)
    n = len(counts)
    times = np.random.default_rng(seed).multinomial(n, [1 / n] * n, _RESAMPLES)
    drawn = f1(np.tensordot(times, counts, axes=1))
    values, sizes = f1(counts.sum(axis=0)), counts.sum(axis=(0, 2)).tolist()
    ends = np.quantile(drawn, [0.025, 0.975], axis=0).T
    cells = []
    for name, value, size, interval in zip(CLASSES, values, sizes, ends, strict=True):
        cells.append(Cell(method, f"F1 {name}", float(value), size, Interval(*interval)))
    interval = Interval(*np.quantile(drawn.mean(axis=1), [0.025, 0.975]))
    return [*cells, Cell(method, "macro F1", float(values.mean()), sum(sizes), interval)]


def _confusion(corpus: CoreSCCorpus, predicted: Predicted) -> pd.DataFrame:
    counts = confusions([p.labels for p in corpus], predicted).sum(axis=0)
    frame = pd.DataFrame(product([corpus.name], CLASSES, CLASSES))
    return frame.set_axis(["corpus", "true", "predicted"], axis=1).assign(n=counts.ravel())


def fingerprint(corpus: CoreSCCorpus) -> str:
    """Hash sentences and labels."""
    return digest(corpus.papers)


def of_profile(profile: str, *, seed: int = 0, **how: Any) -> Result:
    """Run on a profile: our own labelled papers, one left out at a time, or ART and CRA.

    Parameters
    ----------
    profile : str
    seed : int
    **how
        Jobs and progress, see `citectx.parallel.run`.

    Raises
    ------
    MissingDataError
        If the open corpora are not on this machine.
    """
    if profile == "teaching":
        own = read_teaching()
        return run(own, folds=len(own), seed=seed, **how)
    return run(read_art(), read_cra(), seed=seed, **how)
