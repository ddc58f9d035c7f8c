"""How well our classifier finds Core Scientific Concepts.

lrec2016 §6 gives SAPIENTA's accuracy: 50.4 % in nine-fold cross-validation on its training corpus,
and 51.9 % on another corpus.

Ambiguity: lrec2016 does not name the other corpus; the work that it cites for the figure presents
CRA. Which of a sentence's several classes counted there is not said.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from citectx.corpora.coresc import CoreSCCorpus, read_art, read_cra, read_teaching
from citectx.evaluation import mean_over
from citectx.experiments.report import Cell, tabulate
from citectx.experiments.results import Result
from citectx.recommendation.classifier import columns, pipeline
from citectx.storage import digest

NAME = "lrec2016_coresc"
FOLDS = 9
"""How many folds SAPIENTA was tested in. Source: lrec2016 §6."""


def sentences_of(corpus: CoreSCCorpus) -> pd.DataFrame:
    """Lay out the sentences of a corpus: the classifier's features, then label and source.

    The annotator is the paper's name where nobody is known.
    """
    sizes = [len(paper.labels) for paper in corpus]
    annotators = [paper.group or paper.doc_id for paper in corpus]
    return columns(corpus.papers).assign(
        label=[label for paper in corpus for label in paper.labels],
        paper=np.repeat(np.arange(len(corpus)), sizes),
        annotator=np.repeat(annotators, sizes),
    )


def run(art: CoreSCCorpus, cra: CoreSCCorpus | None = None, *, seed: int = 0) -> Result:
    """Measure the classifier by cross-validation on one corpus, and trained on it, on another.

    Values are percentages of sentences, with 95 % intervals over papers.
    ``majority`` always predicts the most frequent class of the training papers.

    Ambiguity: lrec2016 does not say by what the nine folds of SAPIENTA's cross-validation were
    made. Ours are ART's nine annotators: the habits of one are then unknown to the classifier that
    is tested on them, as they will be to anybody who uses it. In the row ``ours, mixed folds``
    papers are dealt out in turn, so that every annotator is learnt from. Without annotators, each
    paper is a fold. A sentence of CRA that has several classes counts as right if its first one is
    found.
    """
    known = sentences_of(art)
    ours = pipeline()  # takes its features by name, and no others
    majority = DummyClassifier(strategy="most_frequent")
    rows = [("ours", ours, known["annotator"])]
    if any(paper.group for paper in art):
        rows.append(("ours, mixed folds", ours, known["paper"] % FOLDS))
    rows.append(("majority", majority, known["annotator"]))
    cells = [accuracy(name, known, held_out(model, known, folds)) for name, model, folds in rows]
    tables = [tabulate(NAME, art.name, cells, seed)]
    data = {art.name: digest(art.papers)}
    if cra is not None:
        new = sentences_of(cra)
        cells = []
        for method, model in (("ours", ours), ("majority", majority)):
            model.fit(known, known["label"])
            cells.append(accuracy(method, new, model.predict(new)))
        tables.append(tabulate(NAME, cra.name, cells, seed))
        data[cra.name] = digest(cra.papers)
    return Result(NAME, pd.concat(tables, ignore_index=True), data=data)


def accuracy(method: str, sentences: pd.DataFrame, predicted: Any) -> Cell:
    """Return the share of sentences whose class was predicted, with its interval over papers."""
    percent = 100.0 * (sentences["label"] == predicted)
    mean = mean_over(percent, sentences["paper"])
    return Cell.of(method, "accuracy", mean, len(percent))


def held_out(model: Any, sentences: pd.DataFrame, folds: Any) -> Any:
    """Predict each sentence by a model that learnt from the other folds."""
    known = sentences["label"]
    return cross_val_predict(model, sentences, known, groups=folds, cv=LeaveOneGroupOut())


def of_profile(profile: str, *, seed: int = 0) -> Result:
    """Run on a profile: our own labelled papers, or ART and CRA."""
    if profile == "teaching":
        return run(read_teaching(), seed=seed)
    return run(read_art(), read_cra(), seed=seed)
