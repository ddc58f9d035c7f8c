"""What naacl2015 leaves open, and Table 2 under one reading of it: see `citectx.ledger.readings`.

Given by the paper, so no readings: windows of one to five sentences, three spans returned, stop
words, numbers and markers removed, phrases of up to three terms, idf of at least 2.5, the vector
space model. No entry: which standard deviation Table 1 prints (no claim rests on it), which member
of its family DFR is (of another claim), how a term is weighted that only a synonym brings (of
expand rows alone, which decide one headline beside NP).

Beside the rows of the table stand controls, which have the size of a reformulation and nothing of
its sense: as many words of the citance as NP or KW keep, drawn at random, and as many words as
expansion adds, drawn from what it adds to other citances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.results import fingerprint
from citectx.ledger.readings import Curve, Headline, Reading
from citectx.papers.naacl2015.table2 import PROTOCOL
from citectx.profiles import resources_of
from citectx.retrieval import QR, VSM, Query

MEASURE = "F-1"
ROWS = ("baseline", "KW", "NP", "NP+expand")
SEEDS = range(5)
"""Of each control, whose scores are means over them."""

Weights = dict[str, float]
load = cache(profiles.load)


@cache
def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(load(corpus))


def scores(corpus: str, choices: Mapping[str, Any]) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, as fractions."""
    protocol = ("stem", "stop_words", "split_hyphens", "depth")
    chosen = {name: choices[name] for name in protocol}
    topics = prepare(load(corpus), replace(PROTOCOL, **chosen))
    keys = [(t.topic.topic_id, c.citance_id) for t in topics for c in t.citances]
    frame, frames = pd.DataFrame(keys, columns=["topic", "citance"]), []
    for name, drawn in queries(corpus, topics, choices["tf"]).items():
        model = VSM(choices["tf"])
        everyone = choices["annotators"] == "all"
        measured = [f1(topics, model, weights, everyone=everyone) for weights in drawn]
        means = np.mean(measured, axis=0)
        frames.append(frame.assign(method=name, **{MEASURE: means}))
    return pd.concat(frames, ignore_index=True)


def queries(corpus: str, topics: Sequence[Prepared], tf: str) -> dict[str, list[list[Weights]]]:
    """Make the queries of each row, once for each seed, for all citances of all topics in turn."""
    resources, analyzer = resources_of(corpus), topics[0].protocol.analyzer
    model = QR(tf, concepts=resources.concepts, domain=resources.domain)
    asked = [*chain.from_iterable(topic.queries for topic in topics)]
    rows: dict[str, list[Weights]] = {}
    for name in ROWS:
        if model.concepts or "expand" not in name:
            reformulate = replace(model, reformulation=name).reformulate(analyzer)
            rows[name] = [dict(reformulate(query).weights) for query in asked]
    found = {name: [weights] for name, weights in rows.items()}
    plain = [dict(query.weights) for query in asked]
    for name, row in (("random words", "NP"), ("random words (KW)", "KW")):
        kept = rows[row]
        found[name] = [fewer(plain, kept, seed) for seed in SEEDS]
    if "NP+expand" in rows:
        pair = rows["NP"], rows["NP+expand"]
        found["NP+random names"] = [others(*pair, seed) for seed in SEEDS]
    return found


def draw(rng: np.random.Generator, terms: Sequence[str], most: int) -> list[str]:
    """Draw so many terms, or all that there are; they stay in order."""
    places = rng.choice(len(terms), min(most, len(terms)), replace=False)
    return [terms[i] for i in sorted(places.tolist())]


def fewer(plain: Sequence[Weights], kept: Sequence[Weights], seed: int) -> list[Weights]:
    """Draw from each query as many terms as a reformulation keeps of it."""
    rng, found = np.random.default_rng(seed), []
    for own, left in zip(plain, kept, strict=True):
        drawn = draw(rng, sorted(own), len(left))
        found.append({term: own[term] for term in drawn})
    return found


def others(reduced: Sequence[Weights], expanded: Sequence[Weights], seed: int) -> list[Weights]:
    """Add to each query as many terms as expansion does, drawn from what it adds to all."""
    rng, found = np.random.default_rng(seed), []
    added = [sorted(more.keys() - own.keys()) for own, more in zip(reduced, expanded, strict=True)]
    pool = sorted({term for terms in added for term in terms})
    for own, more in zip(reduced, added, strict=True):
        known = own.keys() | more
        strange = [term for term in pool if term not in known]
        drawn = draw(rng, strange, len(more))
        found.append(own | dict.fromkeys(drawn, 1.0))
    return found


def f1(
    topics: Sequence[Prepared], model: VSM, weights: Sequence[Weights], *, everyone: bool
) -> list[float]:
    """Measure what queries find, citance by citance.

    With ``everyone``, annotators of the topic count who found nothing for a citance.
    """
    values, rest = list[float](), iter(weights)
    for topic in topics:
        asked = [Query(next(rest), query.text) for query in topic.queries]
        looked = sorted({a for citance in topic.topic.citances for a in citance.gold})
        nothing = dict.fromkeys(looked if everyone else (), ())
        rankings = model.fit(topic.index).score(asked)
        for citance, ranked in zip(topic.citances, rankings, strict=True):
            spans = topic.retrieve(ranked, topic.protocol.k)
            values.append(weighted_scores(spans, nothing | dict(citance.gold)).f1)
    return values


FEWER = "leaving out as many words at random would help as much"
STRANGE = {"NP+random names": "as many names of other concepts would help as much"}
CURVES = (
    Curve(
        "naacl2015",
        corpora=("citation-integrity",),
        over="topics",
        readings={
            "stem": Reading(
                (False, True),
                "whether words are stemmed",
                "citectx.language.text:Analyzer",
            ),
            "stop_words": Reading(
                ("english", "function"),
                "which stop words are removed",
                "citectx.language.text:Analyzer",
            ),
            "split_hyphens": Reading(
                (True, False),
                "whether a hyphenated word is one term",
                "citectx.language.text:Analyzer",
            ),
            "tf": Reading(
                ("log", "raw", "sqrt"),
                "how the vector space model weights frequencies",
                "citectx.retrieval.lexical:VSM",
            ),
            "depth": Reading(
                (20, 3, 50),
                "how many spans are retrieved before they are merged",
                "citectx.papers.naacl2015.table2:PROTOCOL",
            ),
            "over": Reading(
                ("topics", "citances"),
                "whether scores are means over topics, or over citances",
                "citectx.papers.naacl2015.table2:run",
            ),
            "annotators": Reading(
                ("with evidence", "all"),
                "whether M of Eq. 1 counts annotators who found nothing",
                "citectx.evaluation.offsets:weighted_scores",
            ),
        },
        headlines=(
            Headline("reformulations-help", "NP", ("baseline",), MEASURE, {"random words": FEWER}),
            Headline(
                "reformulations-help", "KW", ("baseline",), MEASURE, {"random words (KW)": FEWER}
            ),
            Headline("combinations-beat-singles", "NP+expand", ("NP",), MEASURE, STRANGE),
            Headline("combinations-beat-singles", "NP+expand", ("baseline",), MEASURE, STRANGE),
        ),
        scores=scores,
        data=data,
        takes="two minutes",
    ),
)
