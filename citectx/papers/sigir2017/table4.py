"""sigir2017 Table 4: do contexts make better summaries than citances alone (§3.2)?

What we saw: the citances of a topic hold 120 to 2,300 words (CL-SciSumm training topics, median
532), so that 250 words are a real choice nearly everywhere; three contexts for each of twenty
citances add about 1,000 words. Several citances often get the same sentence as context.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from citectx.catalogue import resources_of
from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError, check_list
from citectx.evaluation import relevance, rouge
from citectx.evaluation.rouge import lines_of
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, splitter_of
from citectx.experiments.report import KEYS, average, compare, part
from citectx.experiments.results import Result, fingerprint
from citectx.experiments.tuning import Tuned, choose, chosen_by
from citectx.language.idf import open_idf
from citectx.language.spans import select
from citectx.language.text import Analyzer, StopWords, stem, stop_words, strip_citation_markers
from citectx.retrieval import MODELS, applicable
from citectx.summarization import SUMMARIZERS, Budget, Pool, summary, within
from citectx.summarization.abstracts import repeats
from citectx.summarization.base import Rarity, unlike
from citectx.types import Floats, Ints, Span

NAME = "sigir2017_table4"
METHODS = tuple(name for name in MODELS if name not in ("DFR", "LMD"))
"""The paper's rows, and WE_Dom for corpora that are not biomedical."""

NO_CONTEXT, RANDOM_CONTEXT = "No Context", "Random Context"
DRAWS = 20
"""How many random contexts a citance gets; scores are means over the draws."""

WORDS = 250
KINDS = {"RG-1": "rouge1", "RG-2": "rouge2"}
MAIN = [f"{name} {kind}" for name in SUMMARIZERS for kind in KINDS]
"""The columns of the paper's table; LEAD, the first sentences, is a control."""
ORDERS: Mapping[str, Callable[[Pool], Iterable[int]]] = {
    **SUMMARIZERS,
    "LEAD": lambda pool: range(len(pool)),
}
PARTS = {"F": "f1", "recall": "recall", "precision": "precision"}

READINGS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "scisumm-train": {
        "scisumm-train": {"references": ("human",)},
        "scisumm-train (cited sentences as reference)": {"references": ("community",)},
    },
    "scisumm-gold": {"scisumm-gold": {"references": ("human",)}},
    "scisummnet": {
        "scisummnet": {"abstract": False},
        "scisummnet (abstract among candidates)": {},
    },
    "scisummnet-half": {"scisummnet-half": {"abstract": False, "repeated_abstract": False}},
}
"""Readings of a corpus, by name in the table, the main one first; other corpora have one.

What we saw: CL-SciSumm calls its second summary that of the community. It consists mostly of
sentences that annotators marked as cited (78 % of its runs of eight words are in the article), the
very gold standard of retrieval: it rewards finding the gold spans, not summarizing. Half of the
runs of eight words in ScisummNet's human summaries are in the article's abstract (7 % in
CL-SciSumm): whoever may take sentences of the abstract copies the reference. 165 of its 978 papers
keep more than half of their abstract in the body, 86 have no abstract block; so on the second
domain no sentence is a context that shares eight words in a row with the abstract."""

Sentence: TypeAlias = tuple[str, int, str]
"""Text, where it starts, and the id of its citance; "" for a sentence of the article."""
Scored: TypeAlias = tuple[Prepared, Mapping[str, Floats]]
"""A topic, and its candidates as the model of each row scores them for each citance."""


@dataclass(frozen=True)
class SummaryProtocol:
    """What sigir2017 leaves open about summaries; our choices are the defaults.

    Ambiguity: it does not give the length of its summaries; TAC 2014 asked for 250 words. None is
    as long as the references.

    Ambiguity: the paper summarizes "the set of citation texts, and the retrieved
    citation-contexts". A sentence that is context of several citances is one element of that set,
    so it occurs once.

    Ambiguity: citation markers are removed, as they are from queries; a summary of other people's
    names and years could be distinguished from the reference by them alone.

    `last` says whether the last sentence is cut at the limit, `part` what of ROUGE is the score,
    `redundancy` whether a sentence is skipped that resembles a chosen one, `idf` whether it is
    counted in articles of the field or in the sentences to choose from. `references` names the
    summaries to compare with; empty for all but the abstract. `abstract` says whether contexts may
    come from the article's abstract; never where that is the reference. `repeated_abstract` says
    whether they may repeat it elsewhere (`citectx.summarization.abstracts`). Models count it all
    the same, as in Table 1.
    """

    words: int | None = WORDS
    last: Literal["cut", "whole"] = "cut"
    part: Literal["F", "recall", "precision"] = "F"
    rouge_stem: bool = False
    rouge_stop_words: StopWords = "none"
    stem: bool = False
    stop_words: StopWords = "english"
    idf: Literal["field", "topic"] = "field"
    redundancy: Literal["kept", "skipped"] = "kept"
    markers: Literal["removed", "kept"] = "removed"
    repeated: Literal["once", "each time"] = "once"
    references: tuple[str, ...] = ()
    abstract: bool = True
    repeated_abstract: bool = True


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol = DEFAULT,
    *,
    words: int = WORDS,
    tuned_on: Mapping[str, Corpus] = {},
    folds: int = 10,
    seed: int = 0,
) -> Result:
    """Summarize the citances of each topic, alone and with the contexts of every method.

    Source: sigir2017 §3.2, Table 4. Values are means over topics, in percent, with 95 % intervals
    over topics. ``p_value`` is a two-tailed paired t-test over topics against the
    best baseline, and the extra table ``tests`` has these comparisons.

    The row ``Random Context`` is a control beyond the paper: as many sentences of the article,
    drawn at random, in `DRAWS` draws. What a method gains over it is due to *which* sentences it
    finds.

    Ambiguity: the paper reports one number for each ROUGE-N without saying whether it is P, R or F.
    Ours is F of the reference that fits best. It does not say how many contexts a citance gets: as
    many as in Table 1.

    In a corpus without summaries the abstract is the reference. One without annotated evidence
    takes its parameters from another one (`tuned_on`). One that is read in several ways
    (`READINGS`) is several corpora in the table.
    """
    check_list("methods", methods)
    parts = []
    for corpus in corpora:
        source = tuned_on.get(corpus.name, corpus)
        named = applicable(corpus.name, methods)
        models = choose(source, named, protocol, folds, like=corpus.name)
        readings = READINGS.get(corpus.name, {corpus.name: {}})
        ready: Iterable[Scored] = score_topics(corpus, models, protocol)
        if len(readings) > 1:  # each goes over the topics; of large corpora one does
            ready = [*ready]
        params = protocol.params() | {"folds": folds, "tuned_on": source.name, "words": words}
        for name, changes in readings.items():
            how = SummaryProtocol(words=words, **changes)
            scores = summary_scores(corpus, ready, ORDERS, how)
            tests = compare(scores[[*KEYS, *MAIN]])
            read = replace(corpus, name=name)
            chosen = chosen_by(models)
            report = part(NAME, read, scores, seed, tests=tests, params=params, by_method=chosen)
            parts.append(replace(report, data={source.name: fingerprint(source), **report.data}))
    return Result.of(NAME, parts)


def sample(corpus: Corpus, topics: int | None) -> Corpus:
    """Take so many topics of a corpus, evenly spaced; None, or more than there are, takes all.

    >>> from citectx.corpora import Document, Topic
    >>> topics = [Topic(name, Document(name, "Cells."), ()) for name in "abcde"]
    >>> corpus = Corpus("five", tuple(topics))
    >>> [topic.topic_id for topic in sample(corpus, 2)]
    ['a', 'c']
    """
    if topics is None or topics >= len(corpus):
        return corpus
    places = np.linspace(0, len(corpus), topics, endpoint=False)
    return replace(corpus, topics=tuple(corpus.topics[round(place)] for place in places))


def prepare_topics(corpus: Corpus, protocol: Protocol) -> Iterator[Prepared]:
    """Prepare the topics that have citances, one by one.

    Articles without a sentence that can be retrieved are left out (N03-2021 of ScisummNet).
    """
    splitter = splitter_of(corpus)
    for topic in corpus:
        if topic.citances:
            with suppress(DataError):  # nothing to index: there is no context to find
                yield Prepared(topic, topic.citances, splitter, protocol)


def score_topics(
    corpus: Corpus, models: Mapping[str, Tuned], protocol: Protocol
) -> Iterator[Scored]:
    """Score the candidates of each topic by the model of each row, topic by topic."""
    for topic in prepare_topics(corpus, protocol):
        yield topic, score(topic, models)


def score(topic: Prepared, models: Mapping[str, Tuned]) -> dict[str, Floats]:
    """Score the candidates of a topic by the model of each row, shape (citances, candidates)."""
    name = topic.topic.topic_id
    return {row: topic.scores(model.of(name)) for row, model in models.items()}


def summary_scores(
    corpus: Corpus,
    ready: Iterable[Scored],
    orders: Mapping[str, Callable[[Pool], Iterable[int]]],
    how: SummaryProtocol,
) -> pd.DataFrame:
    """Score each row on each topic, under one reading; the table and its curve are made of this.

    Columns are `KEYS` and ``KLSUM RG-1`` …, in percent.
    """
    references = references_of(corpus, how.references)
    rows = []
    for topic, scores in ready:
        name = topic.topic.topic_id
        texts = [*references[name].values()]
        if texts:
            for row, sentences in rows_of(corpus, topic, scores, references[name], how):
                pool = pool_of(corpus.name, sentences, how)
                values: dict[str, Any] = {"topic": name, "citance": "", "method": row}
                for summarizer, order in orders.items():
                    text = summarize(pool, order(pool), texts, how)
                    for kind, value in measure(text, texts, how).items():
                        values[f"{summarizer} {kind}"] = value
                rows.append(values)
    if not rows:
        problem = "no topic has both citances and a reference summary, or else an abstract"
        raise DataError(problem, file=corpus.name)
    return average(pd.DataFrame(rows))


# What summaries are compared with


def references_of(corpus: Corpus, wanted: Sequence[str] = ()) -> dict[str, dict[str, str]]:
    """Return the summaries that each topic's are compared with: those by people, else the abstract.

    `wanted` is for `summaries_of`.

    What we saw: of the 40 training topics of CL-SciSumm 39 have a community summary, 37 a human
    one, 39 an abstract in a file; the 20 test topics have three or four human ones each; the 978 of
    ScisummNet have a human summary and an abstract each. Where people wrote summaries, the abstract
    is no reference. Of the 31 later articles of Citation-Integrity four have no abstract, and are
    left out.
    """
    if not any(topic.summaries for topic in corpus):
        abstracts = {topic.topic_id: abstract_of(topic) for topic in corpus}
        return {name: {"abstract": text} if text else {} for name, text in abstracts.items()}
    return {topic.topic_id: summaries_of(topic, wanted) for topic in corpus}


def summaries_of(topic: Topic, wanted: Sequence[str]) -> dict[str, str]:
    """Return the summaries of some kinds, or those by people."""
    texts = {}
    for name, text in topic.summaries.items():
        kind = name.partition("-")[0]  # "human-sweta"
        if text.split() and (kind in wanted if wanted else kind != "abstract"):
            texts[name] = text
    return texts


def abstract_of(topic: Topic) -> str:
    """Return the abstract of an article, a paragraph a line; "" if it has none."""
    return "\n".join(span.of(topic.reference.text) for span in abstract_spans(topic))


def abstract_spans(topic: Topic) -> list[Span]:
    """Return the paragraphs of the article's abstract."""
    return [block.span for block in topic.reference.blocks if block.kind == "abstract"]


# What a row may choose from


def rows_of(
    corpus: Corpus,
    topic: Prepared,
    scores: Mapping[str, Floats],
    references: Mapping[str, str],
    how: SummaryProtocol,
) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield each row with the sentences that it may use, `RANDOM_CONTEXT` once a draw.

    Each citance is followed by its contexts.
    """
    citances = citance_sentences(corpus, topic.citances, how)
    yield NO_CONTEXT, [*chain.from_iterable(citances)]
    usable = usable_contexts(topic, references, how)
    contexts = [(RANDOM_CONTEXT, random_contexts(topic, usable, i)) for i in range(DRAWS)]
    contexts += [(row, best_contexts(topic, values, usable)) for row, values in scores.items()]
    for row, numbers in contexts:
        listed: list[Sentence] = []
        for sentences, chosen in zip(citances, numbers, strict=True):
            listed += sentences
            spans = topic.candidates.spans(chosen)
            listed += [sentence(topic.topic.reference.text, span) for span in spans]
        yield row, [*dict.fromkeys(listed)] if how.repeated == "once" else listed


def usable_contexts(
    topic: Prepared, references: Mapping[str, str], how: SummaryProtocol
) -> NDArray[np.bool_]:
    """Return which candidates may be contexts, shape (candidates,)."""
    barred = [] if how.abstract and "abstract" not in references else abstract_spans(topic.topic)
    usable = relevance(topic.candidates.chars, {"abstract": barred}) == 0
    if how.repeated_abstract:
        return usable
    texts = [topic.candidates.text(i) for i in range(len(topic.candidates))]
    return usable & ~repeats(texts, topic.topic.summaries["abstract"])


def sentence(text: str, span: Span, citance: str = "") -> Sentence:
    """Return the sentence at a place of a text, on one line."""
    return " ".join(span.of(text).split()), span.start, citance


def citance_sentences(
    corpus: Corpus, citances: Sequence[Citance], how: SummaryProtocol
) -> list[list[Sentence]]:
    """Split each citance into sentences."""
    splitter = splitter_of(corpus)
    split = []
    for citance in citances:
        text = citance.text
        if how.markers == "removed":
            text = strip_citation_markers(text, citance.marker)
        spans = splitter.split(text)
        split.append([sentence(text, span, citance.citance_id) for span in spans])
    return split


def best_contexts(topic: Prepared, scores: Floats, usable: NDArray[np.bool_]) -> list[Ints]:
    """Number the best candidates that may be used for each citance.

    Scores have the shape (citances, candidates), `usable` (candidates,).
    """
    last = scores.min(axis=1, keepdims=True) - 1  # what may not be used comes after all others
    contexts = []
    for row in np.where(usable, scores, last):
        chosen = select(topic.candidates, row, topic.protocol.k, topic.protocol.depth)
        contexts.append(chosen[usable[chosen]])
    return contexts


def random_contexts(topic: Prepared, usable: NDArray[np.bool_], draw: int) -> list[Ints]:
    """Draw k candidates for each citance; the topic's name and the draw are the seed."""
    rng = np.random.default_rng([*topic.topic.topic_id.encode(), draw])
    places = np.flatnonzero(usable)
    size = min(topic.protocol.k, len(places))
    return [np.sort(rng.choice(places, size, replace=False)) for _ in topic.citances]


# Summaries and their scores


def pool_of(corpus: str, sentences: Sequence[Sentence], how: SummaryProtocol) -> Pool:
    """Count the words of the sentences that a row may use."""
    analyzer = Analyzer(stem=how.stem, stop_words=how.stop_words)
    rarity = field_idf(resources_of(corpus).domain, how.stem) if how.idf == "field" else None
    texts = [text for text, _, _ in sentences]
    return Pool.of(texts, analyzer, rarity)


@cache
def field_idf(domain: str, stemmed: bool) -> Rarity:
    """Return a field's idf; a stem is as frequent as the most frequent word that has it."""
    listed = open_idf(domain)
    if stemmed:
        by_stem = pd.Series(listed.frequencies).groupby(stem).max()
        listed = replace(listed, frequencies=dict(by_stem))
    return listed.__getitem__


def summarize(
    pool: Pool, order: Iterable[int], references: Sequence[str], how: SummaryProtocol
) -> str:
    """Summarize by the first sentences of an order, one per line."""
    lengths = [len(text.split()) for text in references]
    budget = Budget(words=how.words or max(1, round(np.mean(lengths))))
    if how.redundancy == "skipped":
        order = unlike(pool, order)
    if how.last == "cut":
        return summary(pool, order, budget)
    return "\n".join(pool.texts[i] for i in within(pool, order, budget))


def measure(text: str, references: Sequence[str], how: SummaryProtocol) -> dict[str, float]:
    """Return one part of ROUGE by kind, in percent, of the reference that fits best."""
    counted = partial(rouge_words, how.rouge_stem, how.rouge_stop_words)
    by_kind = rouge(counted(text), [*map(counted, references)], [*KINDS.values()], multi="best")
    part = PARTS[how.part]
    return {name: 100 * getattr(by_kind[kind], part) for name, kind in KINDS.items()}


@lru_cache(maxsize=1 << 12)  # all summaries of a topic meet the same references
def rouge_words(stemmed: bool, stopped: StopWords, text: str) -> str:
    """Leave the words of a text that ROUGE counts; it stems those of four letters or more.

    As ROUGE 1.5.5 does, by Porter's algorithm as published; its stop words are ours.

    >>> rouge_words(True, "english", "The cells divided.")
    'cell divid'
    """
    counted = chain.from_iterable(lines_of(text))
    left = [word for word in counted if word not in stop_words(stopped)]
    return " ".join(stem(word) if stemmed and len(word) > 3 else word for word in left)
