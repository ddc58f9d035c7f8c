"""The test set of impact summaries that all tables of acl2008 share: papers, gold, contexts,
authority.

What we saw in the data: the 40 training papers of CL-SciSumm have 3 to 51 cited sentences (median
15), the four gold test papers 20 to 39 (median 30), the ten of Citation-Integrity, where four
annotators marked, 30 to 92 (median 49); the paper's expert chose 5 to 18 (median 9). In
Citation-Integrity a few marked sentences (up to four a paper) are none that a summarizer may
choose, in a table for instance: they stay in the gold summary and are counted as out of reach.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import citation_network, scisummnet, sources
from citectx.corpora.model import Corpus, Topic
from citectx.errors import DataError, ParameterError
from citectx.evaluation.rouge import ExtractRouge
from citectx.language.citation_contexts import CONTEXT_KINDS, CitationContext, citation_contexts
from citectx.language.idf import open_idf
from citectx.language.text import Analyzer, Sentences, SentenceSplitter, StopWords
from citectx.paths import DATA
from citectx.summarization.base import Pool, by_score
from citectx.summarization.contexts import impact_votes
from citectx.summarization.impact import Background, CitedPaper, authority, look_up
from citectx.summarization.summarizers import ANALYZER, mead_idf
from citectx.types import Ints, Parameters

SCORES = (
    "ROUGE-1",
    "ROUGE-L",
    "ROUGE-1 P",
    "ROUGE-L P",
    "ROUGE-1 F",
    "ROUGE-L F",
    "votes",
    "picked",
)
"""Measures: recall (what the paper seems to report), precision, F; and see `ImpactPaper.score`."""

AUTHORITIES = ("pagerank", "scisummnet")

WIDEST = 4
"""Sentences on either side in the contexts that are cut out of citing papers; narrower ones are
parts."""


@dataclass(frozen=True)
class ImpactProtocol(Parameters):
    """What all methods of a table share.

    Parameters
    ----------
    window : int
        Sentences on either side of the citing one; acl2008 §5.1.1 takes two.
    least_citances : int
        Papers with fewer are left out. acl2008 takes papers with at least 20 citations, 14 of
        1,303; that would leave 13 of our 54, so by default every paper with a context stays.
    stem, stop_words
        See `citectx.language.text.Analyzer`. Ambiguity: acl2008 says nothing of either.
    strip_markers : bool
        See `CitedPaper.of`.
    authority : {"pagerank", "scisummnet"}
        pg(s): PageRank on the corpus's citation network, or how often ScisummNet says the citing
        paper is cited itself, plus 1 so that no paper counts for nothing.
    """

    window: int = 2
    least_citances: int = 1
    stem: bool = False
    stop_words: StopWords = "english"
    strip_markers: bool = True
    authority: str = "pagerank"

    allowed: ClassVar = {
        "window": "[0, inf]",
        "least_citances": "[1, inf]",
        "authority": AUTHORITIES,
    }

    @property
    def analyzer(self) -> Analyzer:
        """The analysis of papers and contexts."""
        return Analyzer(self.stem, self.stop_words)


@dataclass(frozen=True)
class ImpactPaper:
    """A paper of the test set.

    Positions count the paper's candidate sentences first, then the sentences of its contexts, so
    that a summary may hold either.

    Parameters
    ----------
    topic : Topic
    sentences : Sentences
        The candidates.
    cited : CitedPaper
    contexts : tuple of CitationContext
    votes : int array, shape (candidate sentences,)
    gold : tuple of str
        Sentences of the gold summary, in reading order.
    domain : str
        Field, for MEAD's idf.
    """

    topic: Topic
    sentences: Sentences
    cited: CitedPaper
    contexts: tuple[CitationContext, ...]
    votes: Ints
    gold: tuple[str, ...]
    domain: str

    @cached_property
    def texts(self) -> list[str]:
        """Everything that a summary may hold."""
        return [
            *self.cited.paper.texts,
            *(text for context in self.contexts for text in context.sentences),
        ]

    @cached_property
    def pool(self) -> Pool:
        """`texts` as MEAD counts them."""
        return Pool.of(self.texts, ANALYZER, mead_idf(open_idf(self.domain)))

    @cached_property
    def documents(self) -> Ints:
        """0 for a sentence of the paper, else the number of the citing document."""
        numbers = {name: i for i, name in enumerate(dict.fromkeys(self.cited.citing), start=1)}
        own = [0] * len(self.cited.paper)
        return np.array(own + [numbers[name] for name in self.cited.citing], dtype=np.int64)

    @cached_property
    def _rouge(self) -> ExtractRouge:
        return ExtractRouge(self.gold, self.texts)

    def best(self, per_word: bool = False) -> Iterator[int]:
        """Yield the paper's sentences by what each adds to the recall of the gold summary (for each
        word).
        """
        words = np.maximum(self.pool.words[: len(self.votes)], 1).astype(np.float64)
        yield from self._rouge.greedy(words if per_word else np.ones(len(words)))

    def nearest(self, sentence: int, n: int = 1) -> list[tuple[CitationContext, float]]:
        """Return the citation contexts most like a sentence of the paper.

        A context is as like it as the most similar of its sentences, by MEAD's cosine with idf.
        """
        cosines = self.pool.similarity[sentence, len(self.votes) :]
        ends = np.cumsum([len(context.sentences) for context in self.contexts])
        best = [float(part.max()) for part in np.split(cosines, ends[:-1])]
        return [(self.contexts[i], best[i]) for i in by_score(np.array(best))[:n]]

    def score(self, chosen: Sequence[int], words: int | None = None) -> dict[str, float]:
        """Measure a summary in all `SCORES`, as fractions; with `words`, its last sentence is cut
        to fit.

        ``votes`` is the weight of the chosen sentences over the most that as many could have, where
        the weight of a sentence is the number of citances that it was marked for; ``picked`` the
        share of the chosen sentences that were marked at all.
        """
        over = int(self.pool.words[list(chosen)].sum()) - words if words else 0
        last = int(self.pool.words[chosen[-1]]) - over if over > 0 else None
        found = self._rouge(chosen, last)
        own = [i for i in chosen if i < len(self.votes)]
        best = np.sort(self.votes)[::-1][: len(chosen)].sum()
        both = [found[kind] for kind in ("rouge1", "rougeL")]
        values = [
            getattr(scores, part) for part in ("recall", "precision", "f1") for scores in both
        ]
        values.append(float(self.votes[own].sum() / best) if best else 0.0)
        values.append(float((self.votes[own] > 0).sum() / len(chosen)) if len(chosen) else 0.0)
        return dict(zip(SCORES, values, strict=True))


@dataclass(frozen=True)
class ImpactSet:
    """The papers of a corpus, and how they came about.

    Parameters
    ----------
    corpus : Corpus
    protocol : ImpactProtocol
    papers : tuple of ImpactPaper
    authority : mapping of str to float
        Of citing papers; empty where there is nothing to take it from, and all weigh the same.
    left_out : mapping of str to str
        Papers that are not in the set, and why.
    background : Background
    wide : mapping of str to sequence of CitationContext
        The contexts of each topic in their widest form.
    """

    corpus: Corpus
    protocol: ImpactProtocol
    papers: tuple[ImpactPaper, ...]
    authority: Mapping[str, float]
    left_out: Mapping[str, str]
    background: Background
    wide: Mapping[str, Sequence[CitationContext]]

    @property
    def name(self) -> str:
        """Of the corpus."""
        return self.corpus.name

    def recounted(self, **changed: Any) -> list[CitedPaper]:
        """Count the papers under another reading of what acl2008 leaves open.

        Parameters
        ----------
        **changed
            Other values of the protocol; what decides which papers are in the set is not looked at.

        Raises
        ------
        ParameterError
            If the window is wider than the contexts that were cut out.
        """
        protocol = replace(self.protocol, **changed)
        if protocol.window > max(WIDEST, self.protocol.window):
            raise ParameterError(
                f"window={protocol.window} is above {WIDEST}: build the test set with it"
            )
        same = protocol.analyzer == self.protocol.analyzer
        background = (
            self.background
            if same
            else Background(_texts(self.corpus, self.wide), protocol.analyzer)
        )
        count = _counter(protocol, background, self.authority)
        wide = [
            [narrowed(context, protocol.window) for context in self.wide[p.topic.topic_id]]
            for p in self.papers
        ]
        return [
            count(p.topic, p.sentences, contexts)
            for p, contexts in zip(self.papers, wide, strict=True)
        ]

    def sizes(self) -> pd.DataFrame:
        """One row a paper: candidates, gold sentences, those out of reach, citances, citing
        papers.
        """
        columns = {
            "topic": [p.topic.topic_id for p in self.papers],
            "sentences": [len(p.votes) for p in self.papers],
            "gold": [len(p.gold) for p in self.papers],
            "out_of_reach": [len(p.gold) - int((p.votes > 0).sum()) for p in self.papers],
            "citances": [len(p.contexts) for p in self.papers],
            "citing_papers": [len(set(p.cited.citing)) for p in self.papers],
            "context_sentences": [len(p.cited.citing) for p in self.papers],
        }
        return pd.DataFrame({"corpus": self.name, **columns})


def sets_of(profile: str) -> list[ImpactSet]:
    """Read the corpora of a profile, with those that have citances only, and build their test sets.

    Raises
    ------
    MissingDataError
        If a corpus is not on this machine; the message says how to get it.
    """
    chosen = profiles.profile(profile)
    return [impact_set(profiles.load(name)) for name in (*chosen.corpora, *chosen.impact)]


def impact_set(corpus: Corpus, protocol: ImpactProtocol | None = None) -> ImpactSet:
    """Build the test set of a corpus.

    Parameters
    ----------
    corpus : Corpus
    protocol : ImpactProtocol, optional

    Raises
    ------
    DataError
        If no paper is left.
    MissingDataError
        If the corpus's citation network is not on this machine.
    """
    protocol = protocol or ImpactProtocol()
    splitter = SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)
    widest = max(WIDEST, protocol.window)
    wide = {topic.topic_id: citation_contexts(topic, splitter, widest) for topic in corpus}
    background = Background(_texts(corpus, wide), protocol.analyzer)
    scores = authorities(corpus.name, protocol.authority)
    count = _counter(protocol, background, scores)
    papers, left_out = [], {}
    for topic in corpus:
        if len(topic.citances) < protocol.least_citances:
            left_out[topic.topic_id] = f"{len(topic.citances)} citances"
            continue
        everything = splitter.sentences(topic.reference, CONTEXT_KINDS)
        marked = impact_votes(topic, everything)
        if not marked.any():
            left_out[topic.topic_id] = "no sentence is marked as cited"
            continue
        own = splitter.sentences(topic.reference)
        contexts = tuple(narrowed(context, protocol.window) for context in wide[topic.topic_id])
        cited = count(topic, own, contexts)
        gold = tuple(text for text, vote in zip(everything.texts(), marked, strict=True) if vote)
        domain = profiles.resources_of(corpus.name).domain
        papers.append(
            ImpactPaper(topic, own, cited, contexts, impact_votes(topic, own), gold, domain)
        )
    if not papers:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise DataError(f"no paper for the test set: {reasons}", file=corpus.name)
    return ImpactSet(corpus, protocol, tuple(papers), scores, left_out, background, wide)


def _counter(
    protocol: ImpactProtocol, background: Background, scores: Mapping[str, float]
) -> Callable[[Topic, Sentences, Sequence[CitationContext]], CitedPaper]:
    how: dict[str, Any] = {"analyzer": protocol.analyzer, "strip_markers": protocol.strip_markers}
    return partial(CitedPaper.of, background=background, scores=scores, **how)


def narrowed(context: CitationContext, window: int) -> CitationContext:
    """Return the part of a context that lies within so many sentences of the citing one.

    >>> context = CitationContext("1", "Roe", ("We rest.", "Cells rest [1].", "So."), (1, 0, 1), "offset")
    >>> narrowed(context, 0).sentences
    ('Cells rest [1].',)
    """
    kept = [i for i, distance in enumerate(context.distances) if distance <= window]
    sentences = tuple(context.sentences[i] for i in kept)
    return replace(
        context, sentences=sentences, distances=tuple(context.distances[i] for i in kept)
    )


def _texts(corpus: Corpus, contexts: Mapping[str, Sequence[CitationContext]]) -> Iterable[str]:
    """All papers at hand, each once: cited, citing, and citances whose paper is not there."""
    documents = {d.doc_id: d for t in corpus for d in (t.reference, *t.citing.values())}
    yield from (document.text for _, document in sorted(documents.items()))
    for each in contexts.values():
        yield from (c.sentences[0] for c in each if c.found == "alone")


def authorities(corpus: str, kind: str) -> dict[str, float]:
    """Authority of citing papers by name; empty for a corpus without a citation network.

    The ACL citation network belongs to CL-SciSumm; the teaching corpus has one of its own.
    Citation-Integrity and TAC 2014 have none: their contexts then all weigh the same, and tables
    leave out what needs authority.
    """
    if corpus.startswith("scisumm"):
        if kind == "scisummnet":
            cited = scisummnet.authority(sources.folder("scisumm-corpus"))
            return {name: count + 1.0 for name, count in cited.items()}
        return authority(citation_network.acl())
    path = DATA / "teaching" / "citations.txt"
    if corpus == "teaching" and kind == "pagerank" and path.is_file():
        return authority(citation_network.read(path))
    return {}


def with_authority(paper: CitedPaper, scores: Mapping[str, float]) -> CitedPaper:
    """Return the same paper with another authority of what cites it."""
    return replace(paper, authority=look_up(paper.citing, scores))
