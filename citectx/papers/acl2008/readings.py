"""What acl2008 leaves open, and its tables under one reading of it: see `citectx.ledger.readings`.

``citations`` is given, at least 20 per paper, but what counts as one is not, and few papers here
have as many. Hence all papers are shown beside it. Given, so no readings: δ, α, μ_c, μ_s, two
sentences on either side of the citing one, summaries by sentences. No entry: PageRank's damping
(moves authority alone, which another claim is about), which papers D holds, how a citing paper that
the network lacks is weighted, whether MEAD's citation documents are one per citing paper. Means are
over papers, as in the paper; each has one summary, so there is no other unit.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from citectx.corpora import Corpus, scisummnet
from citectx.experiments.report import KEYS
from citectx.language.text import Analyzer
from citectx.ledger.claim import best_of
from citectx.ledger.readings import Choices, Curve, Headline, Reading, confirm, load_corpus
from citectx.papers.acl2008 import table1, table3
from citectx.papers.acl2008.claims import CONFIRMED, SECOND
from citectx.papers.acl2008.impact_set import ImpactSet, impact_set, least_of
from citectx.papers.acl2008.methods import (
    BASELINES,
    ELSEWHERE,
    LENGTHS,
    OURS,
    Row,
    column,
    elsewhere,
    impact,
    score,
)
from citectx.summarization.impact import ImpactModel

ENDINGS = {"recall": "ROUGE-L", "F": "ROUGE-L F"}
MODELS = {
    OURS: ImpactModel(),
    "P(w|C)": table3.MODELS["P(w|C)"],
    "Dirichlet": table3.MODELS["Dirichlet"],
}
CONTROLS = {ELSEWHERE: OURS, f"Dirichlet, {ELSEWHERE}": "Dirichlet"}
"""Models by row that count the contexts of other papers."""

TUNED_ON = {"scisummnet-unseen": "scisumm-train"}
"""The corpus that tunes the search where nobody marked evidence."""

FIRST = 150
"""How many papers of a large corpus are read anew under each choice."""

PAPERS = ("citations", "abstract", "sharing")
"""The readings that say which papers there are, and their candidates."""


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows of the headlines and their controls, paper by paper, in ROUGE-L."""
    which = {name: choices[name] for name in PAPERS if name in choices}
    analyzer = Analyzer(choices["stem"], choices["stop_words"])
    markers = choices["strip_markers"]
    papers = set_of(corpus, **which, analyzer=analyzer, strip_markers=markers)
    weighted = choices["authority"] == "pagerank"
    models = {name: replace(m, use_authority=weighted) for name, m in MODELS.items()}
    rows: list[Row] = [(name, impact(model)) for name, model in models.items()]
    rows += elsewhere(papers, {row: models[name] for row, name in CONTROLS.items()})
    whole = pd.concat([others(corpus, **which), score(papers, rows, LENGTHS)])
    # whichever part of ROUGE it is, it has the name of the headlines' column
    measure = ENDINGS[choices["part"]]
    names = {column(measure, length): column("ROUGE-L", length) for length in LENGTHS}
    return whole[[*KEYS, *names]].rename(columns=names)


@cache
def others(corpus: str, **which: Any) -> pd.DataFrame:
    """Score the rows of Table 1 that no reading of the impact model changes."""
    tuned = table1.search(load_corpus(TUNED_ON.get(corpus, corpus)))
    rows = [row for row in table1.rows(tuned) if row[0] != OURS]
    return score(set_of(corpus, **which), rows, LENGTHS)


def set_of(
    corpus: str, citations: int, abstract: str = "barred", sharing: str = "allowed", **how: Any
) -> ImpactSet:
    """Build the test set of a reading; ``how`` are other options of `impact_set`.

    A corpus that leaves candidates and sharing open has choices of them; else they are as in the
    tables.
    """
    read = papers_of(corpus, citations, sharing)
    least = least_of(read, citations)
    return impact_set(read, least, abstract=abstract == "a candidate", **how)


@cache
def papers_of(corpus: str, citations: int, sharing: str) -> Corpus:
    """Return the papers that a reading is about: all, or the `FIRST` by hash of a large corpus."""
    whole = load_corpus(corpus)
    if corpus not in TUNED_ON:
        return whole
    # an order that has nothing to do with what is scored
    listed = scisummnet.by_hash(topic for topic in whole if len(topic.citances) >= citations)
    if sharing == "none":
        listed = [*scisummnet.strangers(listed)]
    taken = {topic.topic_id for topic in listed[:FIRST]}
    return replace(whole, topics=tuple(t for t in whole if t.topic_id in taken))


IMPACT = "citectx.summarization.impact"
SET = "citectx.papers.acl2008.impact_set"
IMPACTS = Curve(
    "acl2008_curve",
    corpora=("scisumm-train", "citation-integrity"),
    drawn=None,
    readings={
        "part": Reading(("recall", "F"), "whether ROUGE is recall or F", f"{SET}:PARTS"),
        "stem": Reading((False, True), "whether words are stemmed", f"{SET}:ImpactSet"),
        "stop_words": Reading(
            ("english", "function", "none"), "which stop words are left out", f"{SET}:ImpactSet"
        ),
        "strip_markers": Reading(
            (True, False), "whether citation markers count as words", f"{IMPACT}:CitedPaper.of"
        ),
        "citations": Reading(
            (20, 1),
            "which papers are in the test set: with 20 citing sentences, if six have as many, "
            "or all",
            f"{SET}:LEAST",
        ),
        "authority": Reading(
            ("pagerank", "none"),
            "whose citations count more: by PageRank on the network at hand, or all alike "
            "where there is none",
            f"{IMPACT}:look_up",
        ),
    },
    headlines=(
        Headline("impact-model-beats-baselines", OURS, best_of(BASELINES), "ROUGE-L @15"),
        Headline(
            "impact-model-beats-baselines-in-equal-words",
            OURS,
            best_of(BASELINES),
            "ROUGE-L @250 words",
        ),
        Headline("paper-and-contexts-both-matter", "Dirichlet", ("P(w|C)",), "ROUGE-L @10"),
    ),
    scores=scores,
)
SECOND_READINGS = {
    "citations": Reading(
        (20, 10), "which papers are in the test set: with 20 or 10 citing sentences", f"{SET}:LEAST"
    ),
    "abstract": Reading(
        ("barred", "a candidate"),
        "whether sentences of the abstract, from which people wrote the summaries, may be chosen",
        f"{SET}:written",
    ),
    "sharing": Reading(
        ("allowed", "none"),
        "whether papers may share a citing paper, or only those that share none are kept",
        "citectx.corpora.scisummnet:strangers",
    ),
}
"""What the second domain leaves open besides, and in place of the ten fewer citations."""

PRIMARY = ((IMPACTS.headlines[0], "acl2008_confirmed_curve"),)
"""The primary claim, with the table of its readings (`citectx.ledger.primary`)."""

CURVES = (
    confirm(IMPACTS, CONFIRMED[""]),
    confirm(IMPACTS, SECOND[""], "second", **SECOND_READINGS),
    IMPACTS,
)
