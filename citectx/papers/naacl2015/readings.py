"""What naacl2015 leaves open, and Table 2 under one reading of it: see `citectx.ledger.readings`.

Given by the paper, so no readings: windows of one to five sentences, three spans returned, stop
words, numbers and markers removed, the vector space model. The paper gives a limit of three terms
per noun phrase and an idf of at least 2.5, but neither what a term is nor the logarithm. No entry:
which standard deviation Table 1 prints (no claim rests on it), which member of its family DFR is
(another claim), how a term is weighted that only a synonym brings (expand rows alone, which decide
one headline beside NP).

The paper's means are over topics, so ``over: citances`` is no reading of it; it goes when these
readings are run again. `citectx.papers.naacl2015.queries` makes the controls.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import inf, log

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.experiments.results import fingerprint
from citectx.ledger.readings import EVIDENCE, Choices, Curve, Headline, Reading, confirm
from citectx.papers.naacl2015.claims import CONFIRMED
from citectx.papers.naacl2015.queries import Weights, draw_queries, queries, search
from citectx.papers.naacl2015.table2 import PROTOCOL
from citectx.retrieval import VSM
from citectx.retrieval.reformulation import LONGEST, THRESHOLD

MEASURE = "F-1"
ROWS = ("baseline", "KW", "NP", "NP+expand")
PHRASES = {"three terms": LONGEST, "any length": inf}
IDF = {"ln": THRESHOLD, "log2": THRESHOLD * log(2), "log10": THRESHOLD * log(10)}
IDF |= {"no logarithm": log(THRESHOLD)}
"""The paper's threshold as one of the natural logarithm, by what it may have applied to."""

load = cache(profiles.load)


@cache
def data(corpus: str) -> str:
    """Hash what scores are computed from."""
    return fingerprint(load(corpus))


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, as fractions."""
    protocol = ("stem", "stop_words", "split_hyphens", "depth")
    chosen = {name: choices[name] for name in protocol}
    topics = prepare(load(corpus), replace(PROTOCOL, **chosen))
    limits = {"longest": PHRASES[choices["phrases"]], "threshold": IDF[choices["idf"]]}
    rows = queries(corpus, topics, ROWS, **limits)
    keys = [(t.topic.topic_id, c.citance_id) for t in topics for c in t.citances]
    frame = pd.DataFrame(keys, columns=["topic", "citance"])
    frames = []
    model = VSM(choices["tf"])
    everyone = choices["annotators"] == "all"
    for name, draws in (rows | draw_queries(rows)).items():
        measured = [f1(topics, model, weights, everyone=everyone) for weights in draws]
        frames.append(frame.assign(method=name, **{MEASURE: np.mean(measured, axis=0)}))
    return pd.concat(frames, ignore_index=True)


def f1(
    topics: Sequence[Prepared], model: VSM, weights: Sequence[Weights], *, everyone: bool
) -> list[float]:
    """Measure what queries find, citance by citance.

    With ``everyone``, annotators of the topic count who found nothing for a citance.
    """
    values: list[float] = []
    for topic, rankings in zip(topics, search(topics, model, weights), strict=True):
        looked = sorted({a for citance in topic.topic.citances for a in citance.gold})
        nothing = dict.fromkeys(looked if everyone else (), ())
        for citance, ranked in zip(topic.citances, rankings, strict=True):
            spans = topic.retrieve(ranked, topic.protocol.k)
            values.append(weighted_scores(spans, nothing | dict(citance.gold)).f1)
    return values


ANALYZER = "citectx.language.text:Analyzer"
QUERIES = Curve(
    "naacl2015_curve",
    corpora=("citation-integrity",),
    readings={
        "stem": Reading((False, True), "whether words are stemmed", ANALYZER),
        "stop_words": Reading(("english", "function"), "which stop words go", ANALYZER),
        "split_hyphens": Reading((True, False), "whether hyphens part terms", ANALYZER),
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
        "phrases": Reading(
            tuple(PHRASES),
            "whether noun phrases end at three terms as we count them, or anywhere",
            "citectx.retrieval.reformulation:phrases",
        ),
        "idf": Reading(
            tuple(IDF),
            "which logarithm the idf has that KW's threshold applies to",
            "citectx.language.idf:Idf",
        ),
    },
    headlines=(
        Headline("reformulations-help", "NP", ("baseline",), MEASURE),
        Headline("reformulations-help", "KW", ("baseline",), MEASURE),
        Headline("combinations-beat-singles", "NP+expand", ("NP",), MEASURE),
        Headline("combinations-beat-singles", "NP+expand", ("baseline",), MEASURE),
    ),
    scores=scores,
    data=data,
)
CURVES = (confirm(QUERIES, CONFIRMED[""], evidence=EVIDENCE), QUERIES)
