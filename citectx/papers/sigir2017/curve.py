"""sigir2017 Table 1 under one reading of what the paper leaves open: see `citectx.ledger.readings`.

Each row is tuned anew, by cross-validation, for the c-F of the reading's own protocol; what the
reading says is the same for all rows. Controls are the best model without one of its parts.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any

import pandas as pd

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.embeddings.vectors import fingerprint_of
from citectx.experiments.contextualization import DEFAULT, prepare
from citectx.experiments.results import fingerprint
from citectx.experiments.tuning import applicable, tuned_scores, variants
from citectx.profiles import resources_of
from citectx.retrieval import RetrievalModel
from citectx.retrieval.lexical import TERM_FREQUENCY
from citectx.retrieval.reformulation import REFORMULATIONS
from citectx.storage import digest

FOLDS = 10
PROTOCOL = ("stem", "stop_words", "numbers", "k", "max_sentences")
EQ2 = ("denominator", "cap", "unseen")
FREQUENT = 10_000
TUNED = "tuned"
"""The choice of a reading that leaves it to cross-validation, as if it were a parameter."""
MODELS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "WE_Bio": ("WE_Bio", {}),
    "Eq. 2, exact matches only": ("WE_Bio", {"deviations": inf}),
    "WE_Bio+dmn": ("WE_Bio+dmn", {}),
    "WE_Bio+dmn, no ontology": ("WE_Bio+dmn", {"weight": 1.0}),
    "WE_Bio+dmn, no embedding": ("WE_Bio+dmn", {"weight": 0.0}),
}
"""Rows, by the method that they are, with what of it is fixed."""

Rows = dict[str, list[RetrievalModel]]


@cache
def source(corpus: str) -> Corpus:
    """Read a corpus once."""
    return profiles.load(corpus)


def data(corpus: str) -> str:
    """Hash what scores are computed from: the corpus and the vectors of its domain."""
    resources = resources_of(corpus)
    vectors = [fingerprint_of(f"{resources.domain}-{kind}") for kind in resources.kinds]
    return digest(fingerprint(source(corpus)), resources, vectors)


def scores(corpus: str, choices: Mapping[str, Any]) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls.

    Parameters
    ----------
    corpus : str
    choices : mapping of str to object
        One of each reading in ``readings.toml``.

    Returns
    -------
    DataFrame
        Columns topic, citance, method, c-F (percent; each annotator's in turn if the reading says).
    """
    protocol = replace(DEFAULT, **{name: choices[name] for name in PROTOCOL})
    measure = "c-F" if choices["gold"] == "union" else "wc-F"
    rows = _baselines(corpus, choices) | _models(corpus, choices)
    _, found = tuned_scores(prepare(source(corpus), protocol), rows, FOLDS, [measure])
    return found.rename(columns={measure: "c-F"})


def _baselines(corpus: str, choices: Mapping[str, Any]) -> Rows:
    tf = TERM_FREQUENCY if choices["tf"] == TUNED else [choices["tf"]]
    asked = REFORMULATIONS if choices["reformulation"] == TUNED else [choices["reformulation"]]
    return {
        "VSM": variants("VSM", corpus, tf=[*tf]),
        "BM25": variants("BM25", corpus),
        "QR": variants("QR", corpus, reformulation=[*asked], tf=[*tf]),
    }


def _models(corpus: str, choices: Mapping[str, Any]) -> Rows:
    """Build the variants of Eq. 2 that a reading leaves to tuning."""
    resources, rows = resources_of(corpus), Rows()
    kinds = [k for k in resources.kinds if choices["architecture"] in (TUNED, k)]
    read: dict[str, list[Any]] = {name: [choices[name]] for name in EQ2}
    read["vectors"] = [f"{resources.domain}-{kind}" for kind in kinds or resources.kinds]
    read["among"] = [None if choices["among"] == "all words" else FREQUENT]
    for name, (method, fixed) in MODELS.items():
        if applicable(corpus, [method]):
            given = read | {parameter: [value] for parameter, value in fixed.items()}
            rows[name] = variants(method, corpus, **given)
    return rows
