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

from dataclasses import replace
from itertools import chain
from math import inf, log

import pandas as pd

from citectx.corpora.model import Citance
from citectx.evaluation import weighted_scores
from citectx.experiments.contextualization import Prepared, prepare
from citectx.ledger.readings import (
    EVIDENCE,
    Choices,
    Curve,
    Headline,
    Reading,
    confirm,
    load_corpus,
)
from citectx.papers.naacl2015.claims import CONFIRMED
from citectx.papers.naacl2015.queries import draw_queries, queries
from citectx.papers.naacl2015.table2 import PROTOCOL, measure_rankings, rankings
from citectx.retrieval.reformulation import LONGEST, THRESHOLD
from citectx.types import Floats

MEASURE = "F-1"
ROWS = ("baseline", "KW", "NP", "NP+expand")
PHRASES = {"three terms": LONGEST, "any length": inf}
IDF = {"ln": THRESHOLD, "log2": THRESHOLD * log(2), "log10": THRESHOLD * log(10)}
IDF |= {"no logarithm": log(THRESHOLD)}
"""The paper's threshold as one of the natural logarithm, by what it may have applied to."""


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls, as fractions."""
    protocol = ("stem", "stop_words", "split_hyphens", "depth")
    chosen = {name: choices[name] for name in protocol}
    topics = prepare(load_corpus(corpus), replace(PROTOCOL, **chosen))
    # of noun phrases, and of the idf of key words
    limits = {"longest": PHRASES[choices["phrases"]], "threshold": IDF[choices["idf"]]}
    rows = queries(corpus, topics, ROWS, **limits)
    asked = chain(rows.items(), draw_queries(rows))
    ranked = rankings(topics, asked, choices["tf"])
    measures = f1_of_all if choices["annotators"] == "all" else f1
    return measure_rankings(topics, ranked, measures, [MEASURE])


def f1(topic: Prepared, citance: Citance, ranked: Floats) -> list[float]:
    """Measure what a query finds."""
    return [weighted_scores(topic.retrieve(ranked, topic.protocol.k), citance.gold).f1]


def f1_of_all(topic: Prepared, citance: Citance, ranked: Floats) -> list[float]:
    """Measure as `f1`, but annotators of the topic count who found nothing for the citance."""
    nothing = {a: () for other in topic.topic.citances for a in other.gold}
    spans = topic.retrieve(ranked, topic.protocol.k)
    return [weighted_scores(spans, {**nothing, **citance.gold}).f1]


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
)
PRIMARY = (
    (Headline("reformulations-help", "NP", ("baseline",), MEASURE), "naacl2015_confirmed_curve"),
)
"""The primary claim, with the table of its readings (`citectx.ledger.primary`)."""
CURVES = (confirm(QUERIES, CONFIRMED[""], evidence=EVIDENCE), QUERIES)
