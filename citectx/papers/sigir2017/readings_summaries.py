"""What sigir2017 leaves open of summaries, and Table 4 under one reading of it.

The choice that Table 4 has comes first. Given, so no readings: the four summarizers, what they
choose from (citances, with or without contexts). Of Eq. 2 only its denominator, which Table 1
depends on most; all parameters are those that Table 1's cross-validation finds, as the paper tunes
none for summaries. No entry: how references are combined (Citation-Integrity has one, the abstract,
of which contexts may then take nothing), KLSum's smoothing, LSA's share of topics and other details
of what a summarizer's own paper leaves open. The claims do not say which of the four summarizers
they are about; the effect that the paper prints is LexRank's.

How blind this is: Table 4 has shown recall, 100 words and the references' length before; nothing
else was tried.
"""

from dataclasses import replace
from functools import cache, partial

import pandas as pd

from citectx.catalogue import resources_of
from citectx.corpora import scisummnet
from citectx.embeddings.vectors import fingerprint_of
from citectx.experiments.contextualization import DEFAULT, Prepared
from citectx.experiments.tuning import choose
from citectx.ledger.readings import Choices, Curve, Headline, Reading, hash_of, load_corpus
from citectx.papers.sigir2017.table4 import (
    NO_CONTEXT,
    PARTS,
    SummaryProtocol,
    prepare_topics,
    score,
    summary_scores,
)
from citectx.retrieval import applicable
from citectx.storage import digest
from citectx.summarization import SUMMARIZERS
from citectx.summarization.summarizers import lexrank
from citectx.types import Floats

MODELS = ("WE_Bio", "WE_Bio+dmn")
TUNED_ON = {"scisummnet-half": "scisumm-train", "scisummnet-unseen": "scisumm-train"}
"""The corpus that tunes the models where nobody marked evidence."""

ROWS = {"scisummnet-half": ("WE_Wiki", "WE_Dom"), "scisummnet-unseen": ("WE_Wiki",)}
"""Rows of the second domain: vectors of the domain must not have read what is scored."""

READ = {"all": "scisummnet-unseen"}
"""The corpus that a choice of papers asks for."""

FIRST = 150
"""How many papers of a large corpus are summarized anew under each choice."""

SUMMARIZED_BY = SUMMARIZERS | {"LexRank, continuous": partial(lexrank, threshold=None)}
WORDS = {"250": 250, "100": 100, "as the reference": None}


@cache
def data(corpus: str) -> str:
    """Hash what scores are computed from: the corpus and the vectors of its domain."""
    resources = resources_of(corpus)
    vectors = [fingerprint_of(f"{resources.domain}-{kind}") for kind in resources.kinds]
    return digest((hash_of(corpus), resources, vectors))


def scores(corpus: str, choices: Choices) -> pd.DataFrame:
    """Score the rows that the headlines are about, and their control, topic by topic.

    Columns are named after LexRank, whichever summarizer a reading takes.
    """
    read = READ.get(choices.get("papers", ""), corpus)
    given = {name: choices[name] for name in vars(SummaryProtocol()) if name in choices}
    # one choice of the second domain sets two options
    if "barred" in choices:
        is_open = choices["barred"] == "nothing"
        given |= {"abstract": is_open, "repeated_abstract": is_open}
    how = SummaryProtocol(**given | {"words": WORDS[choices["words"]]})
    size = choices["max_sentences"]
    candidates = score_candidates(read, size, choices["denominator"])
    ready = zip(topics(read, choices["k"], size), candidates, strict=True)
    order = SUMMARIZED_BY[choices["summarizer"]]
    return summary_scores(load_corpus(read), ready, {"LexRank": order}, how)


@cache
def topics(corpus: str, k: int, max_sentences: int) -> list[Prepared]:
    """Prepare the topics: all, or the `FIRST` by hash of a large corpus."""
    whole = load_corpus(corpus)
    if corpus in TUNED_ON:
        whole = replace(whole, topics=tuple(scisummnet.by_hash(whole)[:FIRST]))
    protocol = replace(DEFAULT, k=k, max_sentences=max_sentences)
    return [*prepare_topics(whole, protocol)]


@cache
def score_candidates(corpus: str, max_sentences: int, denominator: str) -> list[dict[str, Floats]]:
    """Score each topic's candidates, whatever k is, by models that are tuned as Table 1 does."""
    source = load_corpus(TUNED_ON.get(corpus, corpus))
    named = ROWS.get(corpus) or applicable(corpus, MODELS)
    models = choose(source, named, DEFAULT, 10, like=corpus, denominator=[denominator])
    return [score(topic, models) for topic in topics(corpus, DEFAULT.k, max_sentences)]


LEXRANK = "citectx.summarization.summarizers:lexrank"
POOL = "citectx.summarization.base:Pool.of"
ROUGE = "citectx.evaluation.rouge:rouge"
SUMMARY = "citectx.papers.sigir2017.table4:SummaryProtocol"
RUN = "citectx.papers.sigir2017.table4:run"
SPANS = "citectx.experiments.contextualization:Protocol"
EQ_2 = "citectx.retrieval.embedding_lm:EmbeddingLM"
READINGS = {
    "summarizer": Reading(
        ("LexRank", "LexRank, continuous", "KLSUM", "LSA", "SumBasic"),
        "which summarizer the claims are about, and whether LexRank cuts similarities at 0.1",
        LEXRANK,
    ),
    "words": Reading(tuple(WORDS), "how long summaries are", SUMMARY),
    "last": Reading(
        ("cut", "whole"),
        "whether the last sentence is cut at the limit or kept whole",
        "citectx.summarization.base:Budget",
    ),
    "part": Reading(tuple(PARTS), "whether ROUGE is F, recall or precision", RUN),
    "rouge_stem": Reading((False, True), "whether ROUGE stems words", ROUGE),
    "rouge_stop_words": Reading(("none", "english"), "which stop words ROUGE leaves out", ROUGE),
    "stem": Reading((False, True), "whether summarizers stem words", POOL),
    "stop_words": Reading(
        ("english", "function", "none"), "which stop words summarizers leave out", POOL
    ),
    "idf": Reading(
        ("field", "topic"),
        "what idf is counted in: articles of the field, or the sentences to choose from",
        POOL,
    ),
    "redundancy": Reading(
        ("kept", "skipped"),
        "whether a sentence is skipped that resembles a chosen one (MEAD: a cosine of 0.7)",
        LEXRANK,
    ),
    "markers": Reading(
        ("removed", "kept"), "whether citation markers are part of the citances", SUMMARY
    ),
    "repeated": Reading(
        ("once", "each time"),
        "how often a sentence is there that is context of several citances",
        SUMMARY,
    ),
    "k": Reading((3, 1, 5), "how many contexts a citance has", RUN),
    "max_sentences": Reading(
        (1, 2), "whether a context is a sentence or may be two, as in naacl2015", SPANS
    ),
    "denominator": Reading(
        ("article", "length", "query", "embedding"),
        "what V is, over which Eq. 2 sums in the denominator",
        EQ_2,
    ),
}
SUMMARIES = Curve(
    "sigir2017_summaries_curve",
    corpora=("citation-integrity",),
    readings=READINGS,
    headlines=(
        Headline("context-helps-summaries", "WE_Bio", (NO_CONTEXT,), "LexRank RG-1"),
        Headline("context-helps-summaries", "WE_Bio", (NO_CONTEXT,), "LexRank RG-2"),
        Headline("dmn-beats-no-context", "WE_Bio+dmn", (NO_CONTEXT,), "LexRank RG-1"),
    ),
    scores=scores,
    data=data,
)

SECOND_READINGS = {
    "barred": Reading(
        ("abstract", "nothing"),
        "whether contexts may come from the abstract, or repeat it, from which people wrote the "
        "summaries",
        SUMMARY,
    ),
    "papers": Reading(
        ("half", "all"),
        "which papers: those that no vectors have read, or all, without a row of such vectors",
        "citectx.corpora.scisummnet:read_half",
    ),
}
"""What the second domain leaves open besides."""

HEADLINES_ELSEWHERE = (
    Headline("context-helps-summaries", "WE_Wiki", (NO_CONTEXT,), "LexRank RG-1"),
    Headline("context-helps-summaries", "WE_Dom", (NO_CONTEXT,), "LexRank RG-1"),
)
