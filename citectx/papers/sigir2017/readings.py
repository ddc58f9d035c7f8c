"""What sigir2017 leaves open, and Table 1 under one reading of it: see `citectx.ledger.readings`.

The choice that Table 1 has comes first, and is that of all its rows. Parameters, and tuned: μ, λ,
γ, k1, b, c of DFR, K of LDA. "tuned" is a choice where Table 1 once left a reading to
cross-validation. Given: τ at two standard deviations, the logit, vectors of 300 dimensions,
ontologies. No entry: what nDCG leaves open (of another column); what LDA is trained on (LMD-LDA)
and DFR's family member (I(n)L2), of rows that no headline has; BM25's idf (Lucene's); which
sentences the tests pair.

How blind this is: Eq. 2's own readings were run before, φ and DESM's space in a trial with small
vectors; the others were not, but tf, reformulation and architecture had been tuned, so that scores
with them were known. Their first choices follow from the papers' words and from the defaults of the
tools that they name, not from these scores.

Each row is tuned anew, by cross-validation, for the c-F of the reading's own protocol; what the
reading says is the same for all rows.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import pandas as pd

from citectx.catalogue import resources_of
from citectx.experiments.contextualization import DEFAULT, measure_rows, prepare
from citectx.experiments.tuning import tune
from citectx.ledger.claim import best_of
from citectx.ledger.readings import (
    EVIDENCE,
    Choices,
    Curve,
    Headline,
    Reading,
    confirm,
    load_corpus,
)
from citectx.papers.sigir2017.claims import BASELINES as ALL_BASELINES
from citectx.papers.sigir2017.claims import (
    CONFIRMED,
    EXACT,
    NO_EMBEDDING,
    NO_ONTOLOGY,
    SECOND,
)
from citectx.papers.sigir2017.readings_summaries import (
    EQ_2,
    HEADLINES_ELSEWHERE,
    SECOND_READINGS,
    SPANS,
    SUMMARIES,
    data,
)
from citectx.retrieval import RetrievalModel, applicable, variants
from citectx.retrieval.lexical import TERM_FREQUENCY
from citectx.retrieval.reformulation import REFORMULATIONS

PROTOCOL = ("stem", "stop_words", "numbers", "k", "max_sentences")
EQ2 = ("denominator", "phi", "cap", "unseen")
FOLDS = 10
AMONG = {"all words": None, "10,000 most frequent": 10_000}
TUNED = "tuned"
"""The choice of a reading that leaves it to cross-validation, as if it were a parameter."""

MODELS: Mapping[str, tuple[str, dict[str, list[Any]]]] = {
    "WE_Bio": ("WE_Bio", {}),
    EXACT: ("WE_Bio", {"deviations": [inf]}),
    "WE_Bio+dmn": ("WE_Bio+dmn", {}),
    NO_ONTOLOGY: ("WE_Bio+dmn", {"weight": [1.0]}),
    NO_EMBEDDING: ("WE_Bio+dmn", {"weight": [0.0]}),
}
"""Rows, by the method that they are, with what of it is fixed."""


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their controls.

    c-F in percent, each annotator's in turn if the reading says so.
    """
    protocol = replace(DEFAULT, **{name: choices[name] for name in PROTOCOL})
    measure = "c-F" if choices["gold"] == "union" else "wc-F"
    topics = prepare(load_corpus(corpus), protocol)
    rows = models(corpus, choices).items()
    ranked = {row: tune(topics, candidates, FOLDS).scores(topics) for row, candidates in rows}
    return measure_rows(topics, ranked, [measure]).rename(columns={measure: "c-F"})


def models(corpus: str, choices: Choices) -> dict[str, list[RetrievalModel]]:
    """Build the variants of each row that a reading leaves to tuning."""
    resources = resources_of(corpus)
    tf = [*TERM_FREQUENCY] if choices["tf"] == TUNED else [choices["tf"]]
    asked = [*REFORMULATIONS] if choices["reformulation"] == TUNED else [choices["reformulation"]]
    # the small vectors of the teaching corpus have no architecture to choose
    kinds = [k for k in resources.kinds if choices["architecture"] in (TUNED, k)]
    vectors = [f"{resources.domain}-{kind}" for kind in kinds or resources.kinds]
    rows = {
        "VSM": variants("VSM", corpus, tf=tf),
        "BM25": variants("BM25", corpus),
        "DESM": variants("DESM", corpus, space=[choices["space"]], vectors=vectors),
        "QR": variants("QR", corpus, reformulation=asked, tf=tf),
    }
    # a reading is one value for all rows, and is never tuned
    read = {name: [choices[name]] for name in EQ2}
    read |= {"vectors": vectors, "among": [AMONG[choices["among"]]]}
    for name, (method, fixed) in MODELS.items():
        if applicable(corpus, [method]):
            rows[name] = variants(method, corpus, **(read | fixed))
    return rows


ANALYZER = "citectx.language.text:Analyzer"
READINGS = {
    "denominator": Reading(
        ("article", "length", "query", "embedding"),
        "what V is, over which Eq. 2 sums in the denominator",
        EQ_2,
    ),
    "phi": Reading(
        ("logit", "normalized"),
        "what the logit is of: the cosine, or Figure 1's normalized dot product",
        EQ_2,
    ),
    "cap": Reading((0.95, 0.999), "where the logit, infinite at 1, is cut", EQ_2),
    "unseen": Reading(
        ("related", "half", "out"), "what p(q|C) is of a word that the article lacks", EQ_2
    ),
    "among": Reading(tuple(AMONG), "which words are drawn for τ", EQ_2),
    "architecture": Reading(
        ("cbow", "skip-gram", "tuned"),
        "the architecture of the vectors",
        "citectx.embeddings.train:Word2VecSettings",
    ),
    "space": Reading(
        ("out", "in"),
        "in which of word2vec's spaces DESM looks up the words of a span",
        "citectx.retrieval.embedding_lm:DESM",
    ),
    "tf": Reading(
        ("log", "raw", "sqrt", "tuned"),
        "how the vector space model weights frequencies",
        "citectx.retrieval.lexical:VSM",
    ),
    "reformulation": Reading(
        ("NP+expand", "reduce+expand", "expand", "reduce", "tuned"),
        "which of naacl2015's reformulations based on an ontology QR is",
        "citectx.retrieval.reformulation:QR",
    ),
    "stem": Reading((False, True), "whether words are stemmed", ANALYZER),
    "stop_words": Reading(
        ("english", "function", "none"), "which stop words are removed", ANALYZER
    ),
    "numbers": Reading((False, True), "whether numbers are terms", ANALYZER),
    "k": Reading((3, 1, 5), "how many spans are returned for a citance", SPANS),
    "max_sentences": Reading(
        (1, 2, 5), "whether a span is a sentence or may be several, as in naacl2015", SPANS
    ),
    "gold": Reading(
        ("union", "each annotator"),
        "whether the gold standard is the union of the annotators, or each in turn",
        "citectx.evaluation.offsets:union_scores",
    ),
    "over": Reading(
        ("citances", "topics"), "what scores are means over", "citectx.papers.sigir2017.table1:run"
    ),
}
BASELINES = best_of(("VSM", "BM25", "DESM", "QR"))
"""The baselines of Table 1 but LMD-LDA, which takes too long."""
CONTEXTS = Curve(
    "sigir2017_curve",
    corpora=("citation-integrity",),
    readings=READINGS,
    headlines=(
        Headline("models-beat-baselines", "WE_Bio+dmn", BASELINES, "c-F"),
        Headline("models-beat-baselines", "WE_Bio+dmn", ("QR",), "c-F"),
        Headline("models-beat-baselines", "WE_Bio", BASELINES, "c-F"),
        Headline("vsm-bm25-are-weak", "DESM", ("VSM",), "c-F"),
        Headline("vsm-bm25-are-weak", "DESM", ("BM25",), "c-F"),
    ),
    scores=scores,
    data=data,
    drawn=30,
)
ELSEWHERE = replace(SUMMARIES, headlines=HEADLINES_ELSEWHERE)

PRIMARY = (
    (
        Headline("models-beat-baselines", "WE_Bio+dmn", best_of(ALL_BASELINES), "c-F"),
        "sigir2017_confirmed_curve",
    ),
    (
        Headline("context-helps-summaries", "WE_Bio", ("No Context",), "LexRank RG-1"),
        "sigir2017_summaries_confirmed_curve",
    ),
)
"""The primary claims, each with the table of its readings (`citectx.ledger.primary`)."""
CURVES = (
    confirm(CONTEXTS, CONFIRMED[""], evidence=EVIDENCE),
    confirm(SUMMARIES, CONFIRMED[""]),
    confirm(ELSEWHERE, SECOND["sigir2017_table4"], "second", **SECOND_READINGS),
    CONTEXTS,
    SUMMARIES,
)
