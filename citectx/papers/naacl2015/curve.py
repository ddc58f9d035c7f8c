"""naacl2015 Table 2 under one reading of what the paper leaves open: see `citectx.ledger.readings`.

Beside the rows of the table stand controls, which have the size of a reformulation and nothing of
its sense: as many words of the citance as NP or KW keep, drawn at random, and as many words as
expansion adds, drawn from what it adds to other citances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora.model import Citance, Corpus
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.results import fingerprint
from citectx.language.spans import select
from citectx.papers.naacl2015.table2 import PROTOCOL
from citectx.profiles import resources_of
from citectx.retrieval import QR, VSM, Query
from citectx.types import Floats

MEASURE = "F-1"
ROWS = ("baseline", "KW", "NP", "NP+expand")
SEEDS = 5
"""Of each control, whose scores are means over them."""

Weights = dict[str, float]
Asked = dict[str, list[list[Weights]]]
"""For each row, and each of its seeds, a query for each citance."""


@cache
def source(corpus: str) -> Corpus:
    """Read a corpus once."""
    return profiles.load(corpus)


def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(source(corpus))


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
        Columns topic, citance, method, `MEASURE` (a fraction).
    """
    model = _model(corpus, choices["tf"])
    named = {name: choices[name] for name in ("stem", "stop_words", "split_hyphens")}
    topics = prepare(source(corpus), replace(PROTOCOL, depth=choices["depth"], **named))
    looked = _annotators(source(corpus)) if choices["annotators"] == "all" else {}
    keys = [(t.topic.topic_id, c.citance_id) for t in topics for c in t.citances]
    frames = []
    for name, seeds in _asked(topics, model).items():
        measured = [_measured(topics, VSM(model.tf), queries, looked) for queries in seeds]
        frame = pd.DataFrame(keys, columns=["topic", "citance"])
        frames.append(frame.assign(method=name, **{MEASURE: np.mean(measured, axis=0)}))
    return pd.concat(frames, ignore_index=True)


def _model(corpus: str, tf: str) -> QR:
    resources = resources_of(corpus)
    return QR(tf, concepts=resources.concepts, domain=resources.domain)


def _annotators(corpus: Corpus) -> dict[str, list[str]]:
    """Return all annotators of each topic."""
    return {t.topic_id: sorted({a for c in t.citances for a in c.gold}) for t in corpus}


def _asked(topics: Sequence[Prepared], model: QR) -> Asked:
    """Make the queries of each row, for all citances of all topics in turn."""
    analyzer = topics[0].protocol.analyzer
    queries = [query for topic in topics for query in topic.queries]
    found: Asked = {}
    for name in ROWS:
        if model.concepts or "expand" not in name:
            reformulate = replace(model, reformulation=name).reformulate(analyzer)
            found[name] = [[dict(reformulate(query).weights) for query in queries]]
    plain = [dict(query.weights) for query in queries]
    for name, row in (("random words", "NP"), ("random words (KW)", "KW")):
        kept = found[row][0]
        found[name] = [_fewer(plain, kept, seed) for seed in range(SEEDS)]
    if "NP+expand" in found:
        reduced, expanded = found["NP"][0], found["NP+expand"][0]
        found["NP+random names"] = [_others(reduced, expanded, s) for s in range(SEEDS)]
    return found


def _fewer(plain: Sequence[Weights], kept: Sequence[Weights], seed: int) -> list[Weights]:
    """Draw from each query as many terms as a reformulation keeps of it."""
    rng, found = np.random.default_rng(seed), []
    for own, left in zip(plain, kept, strict=True):
        terms = sorted(own)
        drawn = rng.choice(len(terms), min(len(left), len(terms)), replace=False)
        found.append({terms[i]: own[terms[i]] for i in sorted(drawn.tolist())})
    return found


def _others(reduced: Sequence[Weights], expanded: Sequence[Weights], seed: int) -> list[Weights]:
    """Add to each query as many terms as expansion does, drawn from what it adds to all."""
    rng, found = np.random.default_rng(seed), []
    added = [sorted(more.keys() - own.keys()) for own, more in zip(reduced, expanded, strict=True)]
    pool = sorted({term for terms in added for term in terms})
    for own, more in zip(reduced, added, strict=True):
        strange = [term for term in pool if term not in own and term not in {*more}]
        drawn = rng.choice(len(strange), min(len(more), len(strange)), replace=False)
        found.append(own | {strange[i]: 1.0 for i in sorted(drawn.tolist())})
    return found


def _measured(
    topics: Sequence[Prepared],
    model: VSM,
    weights: Sequence[Weights],
    looked: Mapping[str, Sequence[str]],
) -> list[float]:
    """Measure what queries find, citance by citance."""
    values, rest = list[float](), list(weights)
    for topic in topics:
        own, rest = rest[: len(topic.queries)], rest[len(topic.queries) :]
        pairs = zip(own, topic.queries, strict=True)
        asked = [Query(each, query.text) for each, query in pairs]
        found = model.fit(topic.index).score(asked)
        others = looked.get(topic.topic.topic_id, ())
        for citance, ranked in zip(topic.citances, found, strict=True):
            values.append(_f1(topic, citance, ranked, others))
    return values


def _f1(topic: Prepared, citance: Citance, ranked: Floats, others: Sequence[str]) -> float:
    protocol = topic.protocol
    chosen = select(topic.candidates, ranked, protocol.k, protocol.depth)
    gold = dict.fromkeys(others, ()) | dict(citance.gold)
    return weighted_scores(topic.candidates.spans(chosen), gold).f1
