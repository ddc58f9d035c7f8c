"""What lrec2016 leaves open, and Figure 3 under one reading of it: see `citectx.ledger.readings`.

Given, so no readings: the scoring (a formula, of Elasticsearch 2.1), four folds, at most 700
citations of a class, hill climbing. No entry: the scale of NDCG (improvements are the same), how
text becomes terms and which words stop (of all rows alike, before indexing), which 700 of the
citations in Bac are drawn (chance), how often hill climbing restarts (the public code never does).

Shuffled labels are a mean over `DEALS` deals, fewer than in the figure, since each takes a minute
per reading.
"""

from dataclasses import replace
from itertools import chain

import pandas as pd

from citectx.corpora.citation_integrity_files import FULL_TEXTS
from citectx.ledger.readings import Choices, Curve, Headline, Reading
from citectx.papers.lrec2016 import training
from citectx.papers.lrec2016.figure3 import pooled_scores, setups_of

DEALS = 3


def data(collection: str) -> str:
    """Hash what scores are computed from."""
    return training.load(collection).fingerprint()


def scores(collection: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, citation by citation."""
    task = training.load(collection)
    if choices["citations"] == "new":
        first = {citation.citing_id for citation in training.load(FULL_TEXTS).citations}
        others = tuple(c for c in task.citations if c.citing_id not in first)
        task = replace(task, citations=others)
    setups = {
        name: [under(setup, choices) for setup in several]
        for name, several in setups_of(0, DEALS).items()
        if name != "norms of the article"  # no headline is about it
    }
    trained = training.train(task, chain(*setups.values()))
    whole = pooled_scores(task, setups, trained)
    return whole[["topic", "citance", "method", "NDCG"]]


def under(setup: training.Setup, choices: Choices) -> training.Setup:
    """Return a setup under a reading; shared folds are always by article."""
    kept = choices["citations"]
    return replace(
        setup,
        how="shared" if setup.how == "shared" else choices["folds"],
        depth=choices["depth"],
        alone=kept == "alone",
        earlier=kept == "earlier",
    )


SETUP = "citectx.papers.lrec2016.training:Setup"
CURVES = (
    Curve(
        "lrec2016_curve",
        corpora=(f"{FULL_TEXTS}-1000",),
        drawn=0,
        readings={
            "depth": Reading(
                (200, 50), "how many articles of the unweighted run are ranked again", SETUP
            ),
            "folds": Reading(
                ("order", "article"),
                "whether an article's citations may be in training and test folds at once",
                "citectx.recommendation.training:folds",
            ),
            "citations": Reading(
                ("all", "alone", "earlier", "new"),
                "which citations: all, those whose sentence cites nothing else, those of older "
                "articles, those in articles that are not among the first hundred",
                SETUP,
            ),
        },
        headlines=(
            Headline("weights-help", "all", ("all baseline",), "NDCG"),
            Headline("weights-depend-on-the-citing-class", "by class", ("one vector",), "NDCG"),
            Headline("not-a-random-effect", "all", ("shuffled labels",), "NDCG"),
        ),
        scores=scores,
        data=data,
    ),
)
