"""What sigir2017 Table 4 summarizes: a topic's citances, with or without the contexts that a method finds.

What we saw in the data: the citances of a topic hold 120 to 2,300 words (CL-SciSumm training topics, median
532), so that a budget of 250 words is a real choice nearly everywhere; three contexts for each of twenty
citances add about 1,000 words. Several citances of an article often get the same sentence as context.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from citectx.corpora.model import BlockKind, Corpus, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, Protocol, splitter_of
from citectx.language.text import CANDIDATE_KINDS, SentenceSplitter, strip_citation_markers
from citectx.retrieval import RetrievalModel
from citectx.summarization import Pool
from citectx.summarization.base import Rarity
from citectx.types import Ints, Span

NO_CONTEXT = "No Context"
RANDOM_CONTEXT = "Random Context"
"""A control beyond the paper: as many sentences of the article, drawn without looking. What a method gains
over it is due to *which* sentences it finds, not to their being the article's."""
Kind = Literal["citance", "context"]


@dataclass(frozen=True)
class Sentence:
    """A sentence that may go into a summary, and where it comes from.

    Parameters
    ----------
    text : str
    kind : {"citance", "context"}
    citance : int
        Position of the citance, or of the first citance that the context was found for.
    span : Span, optional
        Place of a context in the reference article.
    """

    text: str
    kind: Kind
    citance: int
    span: Span | None = None


@dataclass(frozen=True)
class Material:
    """All sentences of a topic that any row of the table may use, each pair of them compared once.

    Parameters
    ----------
    topic : Topic
    references : mapping of str to str
        The summaries to compare with, by name.
    sentences : tuple of Sentence
    pool : Pool
        Of these sentences.
    rows : mapping of str to int array
        For each method, which of them it may use, in order: each citance is followed by its contexts.
    """

    topic: Topic
    references: Mapping[str, str]
    sentences: tuple[Sentence, ...]
    pool: Pool
    rows: Mapping[str, Ints]

    def used(self, chosen: Sequence[int]) -> float:
        """Share of the topic's citances of which a sentence was chosen."""
        said = {self.sentences[i].citance for i in chosen if self.sentences[i].kind == "citance"}
        return len(said) / len(self.topic.citances)

    def from_contexts(self, chosen: Sequence[int]) -> float:
        """Share of the chosen words that come from contexts."""
        words = self.pool.words[list(chosen)]
        contexts = np.array([self.sentences[i].kind == "context" for i in chosen], dtype=bool)
        return float(words[contexts].sum() / max(words.sum(), 1))


def with_abstract_as_reference(topic: Topic) -> Topic:
    """Return the topic the abstract of its article as reference summary.

    Raises
    ------
    DataError
        If the article has no abstract.
    """
    text = topic.reference.text
    blocks = [text[b.start : b.end] for b in topic.reference.blocks if b.kind == "abstract"]
    if not blocks:
        raise DataError("the article has no abstract to be the reference summary", file=topic.topic_id)
    return replace(topic, summaries={"abstract": "\n".join(blocks)})


def kinds_without(references: Mapping[str, str]) -> tuple[BlockKind, ...]:
    """Blocks that contexts may come from: not the abstract, where it is what summaries are compared with.

    >>> kinds_without({"abstract": "Cells rest."}), kinds_without({"human": "They rest."})
    (('body', 'caption'), ('abstract', 'body', 'caption'))
    """
    return tuple(k for k in CANDIDATE_KINDS if k != "abstract" or "abstract" not in references)


def prepare_all(
    corpus: Corpus, references: Mapping[str, Mapping[str, str]], protocol: Protocol
) -> list[Prepared]:
    """Make topics ready for retrieval, with all of their citances.

    Parameters
    ----------
    corpus : Corpus
    references : mapping of str to mapping of str to str
        By topic id; topics that are not in it, or have no citance, are left out, and so are articles of
        which the release has no sentence that can be retrieved (N03-2021 of ScisummNet).
    protocol : Protocol
    """
    splitter = splitter_of(corpus)
    prepared = []
    for topic in corpus:
        if references.get(topic.topic_id) and topic.citances:
            kinds = kinds_without(references[topic.topic_id])
            try:
                prepared.append(Prepared(topic, splitter, protocol, kinds, only_annotated=False))
            except DataError:  # nothing to index: there is no context to find
                continue
    return prepared


def gather(
    prepared: Prepared,
    models: Mapping[str, RetrievalModel],
    references: Mapping[str, str],
    splitter: SentenceSplitter,
    rarity: Rarity | None = None,
) -> Material:
    """Collect what each row of the table may use on one topic.

    Parameters
    ----------
    prepared : Prepared
        With all citances of the topic.
    models : mapping of str to RetrievalModel
        A row each; the rows `NO_CONTEXT` and `RANDOM_CONTEXT` come by themselves.
    references : mapping of str to str
    splitter : SentenceSplitter
        Takes citances of several sentences apart.
    rarity : mapping from word to idf, optional
        See `citectx.summarization.Pool.of`.

    Notes
    -----
    Source: sigir2017 §3.2.

    Ambiguity: the paper summarizes "the set of citation texts, and the retrieved citation-contexts". A
    sentence that is context of several citances is one element of that set, so it stands once. How many
    contexts a citance gets is not said: as many as in Table 1.

    Ambiguity: citation markers are removed, as they are from queries; a summary of other people's names and
    years would be told from the reference by them alone.
    """
    own = _citance_sentences(prepared, splitter)
    found = {RANDOM_CONTEXT: _drawn(prepared)}
    found |= {name: _contexts(prepared, model) for name, model in models.items()}
    places = sorted({span for spans in found.values() for each in spans for span in each})
    text = prepared.topic.reference.text
    where = {span: len(own) + i for i, span in enumerate(places)}
    first = {span: c for spans in found.values() for c, each in enumerate(spans) for span in each}
    contexts = [Sentence(text[s.start : s.end], "context", first[s], s) for s in places]
    rows = {NO_CONTEXT: np.arange(len(own))}
    for name, spans in found.items():
        listed = [
            i
            for c in range(len(prepared.citances))
            for i in (*(j for j, s in enumerate(own) if s.citance == c), *(where[span] for span in spans[c]))
        ]
        rows[name] = np.array(list(dict.fromkeys(listed)), dtype=np.int64)
    sentences = (*own, *contexts)
    texts = [" ".join(s.text.split()) for s in sentences]
    pool = Pool.of(texts, prepared.protocol.analyzer, rarity)
    return Material(prepared.topic, references, sentences, pool, rows)


def _citance_sentences(prepared: Prepared, splitter: SentenceSplitter) -> list[Sentence]:
    stripped = [strip_citation_markers(c.text, c.marker) for c in prepared.citances]
    return [
        Sentence(text[s.start : s.end], "citance", c)
        for c, text in enumerate(stripped)
        for s in splitter.split(text)
    ]


def _contexts(prepared: Prepared, model: RetrievalModel) -> list[list[Span]]:
    return [prepared.retrieve(scores, prepared.protocol.k) for scores in prepared.scores(model)]


def _drawn(prepared: Prepared) -> list[list[Span]]:
    """Draw the contexts of each citance; the topic's name is the seed."""
    rng = np.random.default_rng(list(prepared.topic.topic_id.encode()))
    count, k = len(prepared.candidates), prepared.protocol.k
    draws = [rng.choice(count, min(k, count), replace=False) for _ in prepared.citances]
    return [prepared.candidates.spans(np.sort(draw)) for draw in draws]
