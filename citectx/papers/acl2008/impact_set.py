"""The test set that all tables of acl2008 share (§5.1): papers, gold, citation contexts, authority.

What we saw in the data: the 40 training papers of CL-SciSumm have 3 to 51 cited sentences (median
15), the four gold test papers 20 to 39 (median 30), the ten of Citation-Integrity, where four
annotators marked, 30 to 92 (median 49); the paper's expert chose 5 to 18 (median 9). In
Citation-Integrity up to four marked sentences of a paper, in a table for instance, are none that a
summarizer may choose. They stay in the gold summary.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import citation_network
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError
from citectx.evaluation.rouge import rouge
from citectx.experiments.contextualization import splitter_of
from citectx.language.citation_contexts import CONTEXT_KINDS, CitationContext, citation_contexts
from citectx.language.idf import open_idf
from citectx.language.text import Analyzer, Sentences, StopWords
from citectx.ledger.rule import FEW_TOPICS
from citectx.paths import DATA
from citectx.summarization.base import Budget, Pool, summary, within
from citectx.summarization.contexts import impact_votes
from citectx.summarization.impact import Background, CitedPaper, authority
from citectx.summarization.summarizers import ANALYZER, mead_idf
from citectx.types import Ints, Parameters

ROUGE = {"ROUGE-1": "rouge1", "ROUGE-L": "rougeLsum"}
PARTS = {"": "recall", " P": "precision", " F": "f1"}
"""Endings of measures: recall, precision and F.

Ambiguity: acl2008 does not say which of them it reports. Its numbers look like recall: those of
random sentences grow nearly in step with the length of the summary (0.163, 0.230, 0.430, 0.538 at
3, 5, 10 and 15 sentences), while precision would stay where it is, and F gain little beyond the
median length of the gold, nine sentences. Precision and F are columns of their own."""


@dataclass(frozen=True)
class ImpactProtocol(Parameters):
    """What all methods of a table share.

    Parameters
    ----------
    least_citances : int
        Papers with fewer are left out. acl2008 §5.1.1 takes papers with at least 20 citations, 14
        of its 1,303. So do we where six papers have as many, as fewer decide nothing: 13 of the 40
        training papers of CL-SciSumm, six of the ten of Citation-Integrity. In other corpora every
        paper with a context stays (`protocol_of`). Ambiguity: we count citances, of which a citing
        paper may have several. By citing papers only five of CL-SciSumm have 20, too few.
    stem, stop_words
        See `citectx.language.text.Analyzer`. Ambiguity: acl2008 says nothing of either.
    strip_markers : bool
        See `CitedPaper.of`.
    """

    least_citances: int = 20
    stem: bool = False
    stop_words: StopWords = "english"
    strip_markers: bool = True

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of papers and contexts."""
        return Analyzer(self.stem, self.stop_words)


@dataclass(frozen=True)
class ImpactPaper:
    """A paper, what others write about it, and which of its sentences annotators marked as cited.

    Parameters
    ----------
    topic : Topic
    sentences : Sentences
        The candidates.
    contexts : sequence of CitationContext
    cited : CitedPaper
        The words of both, for the impact model.
    pool : Pool
        All that a summary may hold, as MEAD counts it: the candidates, then the sentences of the
        contexts.
    votes : int array, shape (candidates,)
        How many citances each was marked for.
    gold : sequence of str
        Sentences of the gold summary, in reading order.
    """

    topic: Topic
    sentences: Sentences
    contexts: Sequence[CitationContext]
    cited: CitedPaper
    pool: Pool
    votes: Ints
    gold: Sequence[str]

    @property
    def candidates(self) -> range:
        """Where the candidates stand in the pool."""
        return range(len(self.votes))

    @cached_property
    def documents(self) -> Ints:
        """0 for a sentence of the paper, else the number of the citing document."""
        names = np.array(self.cited.citing, dtype=object)
        numbers, _ = pd.factorize(names)
        return np.concatenate([np.zeros_like(self.votes), numbers + 1])

    def score(self, order: Iterable[int], budget: Budget) -> dict[str, float]:
        """Measure the summary that an order leads to, as fractions: ROUGE and `marked`."""
        chosen = within(self.pool, order, budget)
        gold = "\n".join(self.gold)
        found = rouge(summary(self.pool, chosen, budget), [gold], [*ROUGE.values()])
        values = dict[str, float]()
        for (ending, part), (name, kind) in product(PARTS.items(), ROUGE.items()):
            values[name + ending] = getattr(found[kind], part)
        return values | self.marked(chosen)

    def marked(self, chosen: Sequence[int]) -> dict[str, float]:
        """Compare chosen sentences with what annotators marked.

        ``votes`` is their weight over the most that as many could have, where the weight of a
        sentence is the number of citances that it was marked for; ``picked`` is the share of them
        that were marked at all.
        """
        votes = np.array([self.votes[i] for i in chosen if i in self.candidates])
        highest = np.sort(self.votes)[::-1]
        most = highest[: len(chosen)].sum()
        share = np.count_nonzero(votes) / max(len(chosen), 1)
        return {"votes": float(votes.sum() / max(most, 1)), "picked": share}


@dataclass(frozen=True)
class ImpactSet:
    """The papers of a corpus, and what they were counted with.

    Parameters
    ----------
    corpus : Corpus
    protocol : ImpactProtocol
    papers : tuple of ImpactPaper
    authority : mapping of str to float
        Of citing papers; empty where there is no network, and all weigh the same.
    background : Background
    """

    corpus: Corpus
    protocol: ImpactProtocol
    papers: tuple[ImpactPaper, ...]
    authority: Mapping[str, float]
    background: Background

    @property
    def name(self) -> str:
        """Of the corpus."""
        return self.corpus.name


def sets_of(profile: str) -> list[ImpactSet]:
    """Read the corpora of a profile, with those that have citances only, and build their test sets.

    Raises
    ------
    MissingDataError
        If a corpus is not on this machine; the message says how to get it.
    """
    chosen = profiles.profile(profile)
    return [impact_set(profiles.load(name)) for name in (*chosen.corpora, *chosen.impact)]


def protocol_of(corpus: Corpus, least: int = ImpactProtocol.least_citances) -> ImpactProtocol:
    """Return the protocol of a corpus: papers with `least` citations, if six have as many, or all.

    >>> protocol_of(profiles.load("teaching")).least_citances
    1
    """
    cited = sum(len(topic.citances) >= least for topic in corpus)
    return ImpactProtocol(least_citances=least if cited >= FEW_TOPICS else 1)


def impact_set(corpus: Corpus, protocol: ImpactProtocol | None = None) -> ImpactSet:
    """Build the test set of a corpus: papers that are cited often enough, with marked sentences.

    Parameters
    ----------
    corpus : Corpus
    protocol : ImpactProtocol, optional
        By default what `protocol_of` returns.

    Raises
    ------
    DataError
        If no paper is left.
    MissingDataError
        If the corpus's citation network is not on this machine.
    """
    protocol = protocol or protocol_of(corpus)
    splitter = splitter_of(corpus)
    around = {topic.topic_id: citation_contexts(topic, splitter) for topic in corpus}
    background = Background(texts_at_hand(corpus, around), protocol.analyzer)
    network = authorities(corpus.name)
    rarity = mead_idf(open_idf(profiles.resources_of(corpus.name).domain))
    papers = []
    for topic in corpus:
        own = splitter.sentences(topic.reference)
        contexts = around[topic.topic_id]
        everything = splitter.sentences(topic.reference, CONTEXT_KINDS)
        marked = np.flatnonzero(impact_votes(topic, everything))
        if len(contexts) < protocol.least_citances or not len(marked):
            continue
        counted = own, contexts, background, protocol.analyzer, network, protocol.strip_markers
        theirs = [text for context in contexts for text in context.sentences]
        texts = [squeeze(text) for text in (*own.texts(), *theirs)]
        pool = Pool.of(texts, ANALYZER, rarity)
        votes = impact_votes(topic, own)
        gold = [squeeze(everything.texts()[i]) for i in marked]
        cited = CitedPaper.of(*counted)
        papers.append(ImpactPaper(topic, own, contexts, cited, pool, votes, gold))
    if not papers:
        least = f"no paper with {protocol.least_citances} or more citances"
        raise DataError(f"{least} has a sentence marked as cited", file=corpus.name)
    return ImpactSet(corpus, protocol, tuple(papers), network, background)


def texts_at_hand(
    corpus: Corpus, contexts: Mapping[str, Sequence[CitationContext]]
) -> Iterator[str]:
    """All papers at hand, each once: cited, citing, and citances whose paper is not there."""
    documents = dict[str, str]()
    for topic in corpus:
        for document in (topic.reference, *topic.citing.values()):
            documents[document.doc_id] = document.text
    yield from (documents[name] for name in sorted(documents))
    for around in contexts.values():
        yield from (context.sentences[0] for context in around if context.found == "alone")


def authorities(corpus: str) -> dict[str, float]:
    """PageRank of citing papers by name; empty for a corpus without a citation network.

    The ACL citation network belongs to CL-SciSumm; the teaching corpus has one of its own.
    Citation-Integrity and TAC 2014 have none: their contexts then all weigh the same, and Table 4
    leaves out what needs authority.
    """
    if corpus.startswith("scisumm"):
        return authority(citation_network.acl())
    if corpus == "teaching":
        return authority(citation_network.read(DATA / "teaching" / "citations.txt"))
    return {}
