"""What sigir2017 Table 4 summarizes: citances, with or without the contexts that a method finds.

What we saw in the data: the citances of a topic hold 120 to 2,300 words (CL-SciSumm training
topics, median 532), so that a budget of 250 words is a real choice nearly everywhere; three
contexts for each of twenty citances add about 1,000 words. Several citances of an article often get
the same sentence as context.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from citectx.corpora.model import Citance, Corpus, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, Protocol, splitter_of
from citectx.language.text import SentenceSplitter, strip_citation_markers
from citectx.summarization import Pool
from citectx.summarization.base import Rarity
from citectx.types import Floats, Ints, Span

NO_CONTEXT = "No Context"
RANDOM_CONTEXT = "Random Context"
"""A control beyond the paper: as many sentences of the article, drawn without looking. What a
method gains over it is due to *which* sentences it finds, not to their being the article's."""
Contexts = list[list[Span]]
"""The spans that were found for each citance."""


class Sentence(NamedTuple):
    """A sentence that may go into a summary.

    Parameters
    ----------
    text : str
    span : Span
        Its place in the citance, or in the article.
    citance : int, optional
        Position of the citance; None for a context.
    """

    text: str
    span: Span
    citance: int | None = None


@dataclass(frozen=True)
class Material:
    """All sentences of a topic that any row of the table may use, each pair of them compared once.

    Parameters
    ----------
    topic : Topic
    references : mapping of str to str
        The summaries to compare with, by name.
    sentences : sequence of Sentence
    pool : Pool
        Of these sentences.
    rows : mapping of str to int array
        For each method, which of them it may use, in order: each citance is followed by its
        contexts.
    """

    topic: Topic
    references: Mapping[str, str]
    sentences: Sequence[Sentence]
    pool: Pool
    rows: Mapping[str, Ints]

    def used(self, chosen: Sequence[int]) -> float:
        """Share of the topic's citances of which a sentence was chosen."""
        quoted = {self.sentences[i].citance for i in chosen} - {None}
        return len(quoted) / len(self.topic.citances)

    def from_contexts(self, chosen: Sequence[int]) -> float:
        """Share of the chosen words that come from contexts."""
        words = self.pool.words[[*chosen]]
        contexts = [self.sentences[i].citance is None for i in chosen]
        return float(words[contexts].sum() / max(words.sum(), 1))


def abstract_of(topic: Topic) -> str:
    """Return the abstract of a topic's article, a paragraph a line.

    Raises
    ------
    DataError
        If the article has no abstract.
    """
    texts = [span.of(topic.reference.text) for span in abstract_spans(topic)]
    if not texts:
        problem = "the article has no abstract to be the reference summary"
        raise DataError(problem, file=topic.topic_id)
    return "\n".join(texts)


def prepare_all(corpus: Corpus, topics: Sequence[str], protocol: Protocol) -> list[Prepared]:
    """Make topics ready for retrieval, with all of their citances.

    Parameters
    ----------
    corpus : Corpus
    topics : sequence of str
        Ids; topics without citances are left out, and so are articles of which the release has no
        sentence that can be retrieved (N03-2021 of ScisummNet).
    protocol : Protocol
    """
    splitter, prepared = splitter_of(corpus), []
    for topic in corpus:
        if topic.topic_id in topics and topic.citances:
            with suppress(DataError):  # nothing to index: there is no context to find
                prepared.append(Prepared(topic, splitter, protocol, only_annotated=False))
    return prepared


def gather(
    prepared: Prepared,
    scores: Mapping[str, Floats],
    references: Mapping[str, str],
    splitter: SentenceSplitter,
    rarity: Rarity | None = None,
    *,
    drawn: Mapping[str, Contexts] | None = None,
    abstract: bool = True,
    strip_markers: bool = True,
    once: bool = True,
) -> Material:
    """Collect what each row of the table may use on one topic.

    Parameters
    ----------
    prepared : Prepared
        With all citances of the topic.
    scores : mapping of str to float array, shape (citances, candidates)
        Of the model of each row; the rows `NO_CONTEXT` and `RANDOM_CONTEXT` are added.
    references : mapping of str to str
    splitter : SentenceSplitter
        Splits citances of several sentences.
    rarity : callable, optional
        See `citectx.summarization.Pool.of`.
    drawn : mapping of str to spans, optional
        Further rows: spans for each citance, of which the first k that may be used are taken.
    abstract : bool
        Whether contexts may come from the article's abstract; not where it is what summaries are
        compared with. Models count it all the same, as in Table 1.
    strip_markers : bool
        Remove citation markers from the citances.
    once : bool
        List a sentence once, however many citances it is context of.

    Notes
    -----
    Source: sigir2017 §3.2.

    Ambiguity: the paper summarizes "the set of citation texts, and the retrieved
    citation-contexts". A sentence that is context of several citances is one element of that set,
    so it occurs once. How many contexts a citance gets is not said: as many as in Table 1.

    Ambiguity: citation markers are removed, as they are from queries; a summary of other people's
    names and years could be distinguished from the reference by them alone.
    """
    barred = [] if abstract and "abstract" not in references else abstract_spans(prepared.topic)
    contexts = contexts_of(prepared, scores, drawn or {}, barred)
    citances = [split(c, i, splitter, strip_markers) for i, c in enumerate(prepared.citances)]
    listed = {NO_CONTEXT: [*chain.from_iterable(citances)]}
    for name, spans in contexts.items():
        row = followed(citances, spans, prepared.topic.reference.text)
        listed[name] = [*dict.fromkeys(row)] if once else row
    found = {*chain.from_iterable(listed.values())}
    of_article = sorted(found.difference(listed[NO_CONTEXT]), key=lambda each: each.span)
    sentences = listed[NO_CONTEXT] + of_article
    where = {sentence: i for i, sentence in enumerate(sentences)}
    rows = {}
    for name, row in listed.items():
        rows[name] = np.array([where[sentence] for sentence in row], dtype=np.int64)
    texts = [" ".join(sentence.text.split()) for sentence in sentences]
    pool = Pool.of(texts, prepared.protocol.analyzer, rarity)
    return Material(prepared.topic, references, sentences, pool, rows)


def contexts_of(
    prepared: Prepared,
    scores: Mapping[str, Floats],
    drawn: Mapping[str, Contexts],
    barred: Sequence[Span],
) -> dict[str, Contexts]:
    """Return the contexts of each row, none of which is barred."""
    contexts = {RANDOM_CONTEXT: random_contexts(prepared, barred)}
    for name, own in scores.items():
        contexts[name] = best_contexts(prepared, own, barred)
    for name, spans in drawn.items():
        contexts[name] = [outside(own, barred)[: prepared.protocol.k] for own in spans]
    return contexts


def split(
    citance: Citance, place: int, splitter: SentenceSplitter, strip_markers: bool
) -> list[Sentence]:
    """Split a citance into sentences."""
    text = citance.text
    if strip_markers:
        text = strip_citation_markers(text, citance.marker)
    return [Sentence(span.of(text), span, place) for span in splitter.split(text)]


def followed(
    citances: Sequence[Sequence[Sentence]], contexts: Contexts, article: str
) -> list[Sentence]:
    """List the sentences of each citance, followed by its contexts."""
    listed = list[Sentence]()
    for own, spans in zip(citances, contexts, strict=True):
        listed += [*own, *(Sentence(span.of(article), span) for span in spans)]
    return listed


def abstract_spans(topic: Topic) -> list[Span]:
    """Return the paragraphs of the article's abstract."""
    blocks = [block for block in topic.reference.blocks if block.kind == "abstract"]
    return [Span(block.start, block.end) for block in blocks]


def outside(spans: Sequence[Span], barred: Sequence[Span]) -> list[Span]:
    """Keep the spans that share no character with the barred ones."""
    return [span for span in spans if not any(span.overlap(other) for other in barred)]


def best_contexts(prepared: Prepared, scores: Floats, barred: Sequence[Span]) -> Contexts:
    """Return the best spans that may be used for each citance; scores: (citances, candidates)."""
    everything = prepared.candidates.spans(np.arange(len(prepared.candidates)))
    kept = {*outside(everything, barred)}
    usable = [span in kept for span in everything]
    last = scores.min(axis=1, keepdims=True) - 1  # spans that may not be used come after all others
    rows = scores if all(usable) else np.where(usable, scores, last)
    return [outside(prepared.retrieve(row, prepared.protocol.k), barred) for row in rows]


def random_contexts(prepared: Prepared, barred: Sequence[Span]) -> Contexts:
    """Draw the contexts of each citance; the topic's name is the seed."""
    rng = np.random.default_rng([*prepared.topic.topic_id.encode()])
    spans = outside(prepared.candidates.spans(np.arange(len(prepared.candidates))), barred)
    size = min(prepared.protocol.k, len(spans))
    draws = [rng.choice(len(spans), size, replace=False) for _ in prepared.citances]
    return [[spans[i] for i in np.sort(draw)] for draw in draws]
