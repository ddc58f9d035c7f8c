"""How well our classifier finds Core Scientific Concepts.

lrec2016 §6 gives SAPIENTA's accuracy: 50.4 % in nine-fold cross-validation on its training corpus,
and 51.9 % on another corpus.

Ambiguity: lrec2016 does not name the other corpus; the work that it cites for the figure presents
CRA. Which of a sentence's several classes counted there is not said.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from citectx.corpora.coresc import CLASSES, CoreSCCorpus, read_art, read_cra, read_teaching
from citectx.evaluation import Interval, bootstrap_interval
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.recommendation.coresc import columns, pipeline
from citectx.storage import digest
from citectx.types import Floats, Ints

NAME = "lrec2016_coresc"
FOLDS = 9
"""Source: lrec2016 §6."""

RESAMPLES = 2000


class Sentences(NamedTuple):
    """The sentences of a corpus, paper after paper.

    Parameters
    ----------
    features : DataFrame
        From `citectx.recommendation.coresc.columns`.
    labels : array of str
    paper : int array
        Number of the paper that each is in.
    annotator : array of str
        Who labelled it; its paper's name where nobody is known.
    """

    features: pd.DataFrame
    labels: Any
    paper: Ints
    annotator: Any

    @classmethod
    def of(cls, corpus: CoreSCCorpus) -> "Sentences":
        """Lay out a corpus."""
        labels = [label for paper in corpus for label in paper.labels]
        sizes = [len(paper.labels) for paper in corpus]
        annotators = [paper.group or paper.doc_id for paper in corpus]
        return cls(
            columns(corpus.papers),
            np.array(labels),
            np.repeat(np.arange(len(corpus)), sizes),
            np.repeat(annotators, sizes),
        )


def run(art: CoreSCCorpus, cra: CoreSCCorpus | None = None, *, seed: int = 0) -> Result:
    """Measure the classifier by cross-validation on one corpus, and trained on it, on another.

    Values are percentages of sentences, with 95 % intervals from a bootstrap over papers.
    ``majority`` always says the class that is most frequent in the training papers.

    Ambiguity: lrec2016 does not say by what the nine folds of SAPIENTA's cross-validation were
    made. Ours are ART's nine annotators: the habits of one are then unknown to the classifier that
    is tested on him, as they will be to anybody who uses it. In the row ``ours, mixed folds``
    papers are dealt out in turn, so that every annotator is learnt from. Without annotators, each
    paper is a fold. A sentence of CRA that has several classes counts as right if its first one is
    found.

    Parameters
    ----------
    art : CoreSCCorpus
        For the cross-validation.
    cra : CoreSCCorpus, optional
        Another one, to test on it what all of the first has taught.
    seed : int
        For the bootstrap.
    """
    own, majority = Sentences.of(art), DummyClassifier(strategy="most_frequent")
    rows = [("ours", art.name, own, held_out(pipeline(), own, own.annotator))]
    if any(paper.group for paper in art):
        mixed = held_out(pipeline(), own, own.paper % FOLDS)
        rows.append(("ours, mixed folds", art.name, own, mixed))
    rows.append(("majority", art.name, own, held_out(majority, own, own.annotator)))
    if cra is not None:
        other = Sentences.of(cra)
        for method, model in (("ours", pipeline()), ("majority", majority)):
            said = model.fit(own.features, own.labels).predict(other.features)
            rows.append((method, cra.name, other, said))
    tables = []
    for method, name, true, said in rows:
        counts = confusions(true, said)
        cells = [_accuracy(method, true, said, seed), _macro_f1(method, counts, seed)]
        tables.append(tabulate(NAME, name, cells, seed))
    data = {corpus.name: digest(corpus.papers) for corpus in (art, cra) if corpus is not None}
    return Result(NAME, pd.concat(tables, ignore_index=True), data=data)


def held_out(model: Any, sentences: Sentences, folds: Any) -> Any:
    """Predict each sentence by a model that learnt from the other folds."""
    return cross_val_predict(
        model, sentences.features, sentences.labels, groups=folds, cv=LeaveOneGroupOut()
    )


def confusions(sentences: Sentences, said: Any) -> Ints:
    """Count pairs of true and predicted class, shape (papers, 11, 11)."""
    counts = np.zeros((sentences.paper[-1] + 1, len(CLASSES), len(CLASSES)), dtype=np.int64)
    true, found = (np.searchsorted(CLASSES, labels) for labels in (sentences.labels, said))
    np.add.at(counts, (sentences.paper, true, found), 1)
    return counts


def macro_f1(confusion: Ints) -> Floats:
    """Mean F1 of the classes in percent from confusion matrices; 0 for a class that is absent."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    both = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    return np.asarray(np.mean(200 * hits / np.maximum(both, 1), axis=-1))


def _accuracy(method: str, sentences: Sentences, said: Any, seed: int) -> Cell:
    percent = 100 * (sentences.labels == said)
    interval = bootstrap_interval(percent, seed, groups=sentences.paper, resamples=RESAMPLES)
    return Cell(method, "accuracy", float(percent.mean()), len(percent), interval)


def _macro_f1(method: str, counts: Ints, seed: int) -> Cell:
    n = len(counts)
    times = np.random.default_rng(seed).multinomial(n, [1 / n] * n, RESAMPLES)
    drawn = macro_f1(np.tensordot(times, counts, axes=1))
    interval = Interval(*np.quantile(drawn, [0.025, 0.975]))
    return Cell(
        method, "macro F1", float(macro_f1(counts.sum(axis=0))), int(counts.sum()), interval
    )


def of_profile(profile: str, *, seed: int = 0) -> Result:
    """Run on a profile: our own labelled papers, or ART and CRA.

    Raises
    ------
    MissingDataError
        If the open corpora are not on this machine.
    """
    if profile == "teaching":
        return run(read_teaching(), seed=seed)
    return run(read_art(), read_cra(), seed=seed)
