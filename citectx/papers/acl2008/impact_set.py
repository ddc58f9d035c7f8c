"""The test set that all tables of acl2008 share: papers, gold, contexts, authority.

What we saw in the data: the 40 training papers of CL-SciSumm have 3 to 51 cited sentences (median
15), the four gold test papers 20 to 39 (median 30), the ten of Citation-Integrity, where four
annotators marked, 30 to 92 (median 49); the paper's expert chose 5 to 18 (median 9). In
Citation-Integrity a few marked sentences (up to four a paper) are none that a summarizer may
choose, in a table for instance: they stay in the gold summary and are counted as out of reach.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import citation_network, scisummnet, sources
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError, ParameterError
from citectx.evaluation.rouge import greedy_extract, rouge
from citectx.experiments.contextualization import splitter_of
from citectx.language.citation_contexts import CONTEXT_KINDS, CitationContext, citation_contexts
from citectx.language.idf import open_idf
from citectx.language.text import Analyzer, Sentences, StopWords
from citectx.ledger.rule import FEW_TOPICS
from citectx.paths import DATA
from citectx.summarization.base import Pool, by_score
from citectx.summarization.contexts import impact_votes
from citectx.summarization.impact import Background, CitedPaper, authority, look_up
from citectx.summarization.summarizers import ANALYZER, mead_idf
from citectx.types import Ints, Parameters

ROUGE = {"ROUGE-1": "rouge1", "ROUGE-L": "rougeLsum"}
PARTS = {"": "recall", " P": "precision", " F": "f1"}
"""Endings of measures: recall, precision and F.

Ambiguity: acl2008 does not say which of them it reports. Its numbers look like recall: those of
random sentences grow nearly in step with the length of the summary (0.163, 0.230, 0.430, 0.538 at
3, 5, 10 and 15 sentences), while precision would stay where it is, and F gain little beyond the
median length of the gold, nine sentences. Precision and F are columns of their own."""

AUTHORITIES = ("pagerank", "scisummnet")

WIDEST = 4
"""Sentences on either side in the contexts cut out of citing papers; narrower ones are parts."""


@dataclass(frozen=True)
class ImpactProtocol(Parameters):
    """What all methods of a table share.

    Parameters
    ----------
    window : int
        Sentences on either side of the citing one; acl2008 §5.1.1 takes two.
    least_citances : int
        Papers with fewer are left out. acl2008 §5.1.1 takes papers with at least 20 citations, 14
        of its 1,303. So do we where six papers have as many, as fewer decide nothing: 13 of the 40
        training papers of CL-SciSumm, six of the ten of Citation-Integrity. In other corpora every
        paper with a context stays (`protocol_of`). Ambiguity: we count citances, of which a citing
        paper may have several. By citing papers only five of CL-SciSumm have 20, too few. What the
        choice changes is in ``acl2008_table1.citations.csv``.
    stem, stop_words
        See `citectx.language.text.Analyzer`. Ambiguity: acl2008 says nothing of either.
    strip_markers : bool
        See `CitedPaper.of`.
    authority : {"pagerank", "scisummnet"}
        pg(s): PageRank on the corpus's citation network, or how often ScisummNet says the citing
        paper is cited itself, plus 1 so that no paper counts for nothing.
    """

    window: int = 2
    least_citances: int = 20
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
        contexts = [text for context in self.contexts for text in context.sentences]
        return [*self.cited.paper.texts, *contexts]

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

    def best(self, per_word: bool = False) -> Iterator[int]:
        """Yield sentences by what each adds to the recall of the gold summary (for each word)."""
        words = np.maximum(self.pool.words[: len(self.votes)], 1).astype(np.float64)
        costs = words if per_word else np.ones_like(words)
        yield from greedy_extract(self.gold, self.texts[: len(costs)], costs)

    def nearest(self, sentence: int, n: int = 1) -> list[tuple[CitationContext, float]]:
        """Return the citation contexts most like a sentence of the paper.

        A context is as like it as the most similar of its sentences, by MEAD's cosine with idf.
        """
        cosines = self.pool.similarity[sentence, len(self.votes) :]
        ends = np.cumsum([len(context.sentences) for context in self.contexts])
        best = [float(part.max()) for part in np.split(cosines, ends[:-1])]
        return [(self.contexts[i], best[i]) for i in by_score(np.array(best))[:n]]

    def score(self, chosen: Sequence[int], words: int | None = None) -> dict[str, float]:
        """Measure a summary, as fractions; with `words`, its last sentence is cut to fit.

        Beside ROUGE, ``votes`` is the weight of the chosen sentences over the most that as many
        could have, where the weight of a sentence is the number of citances that it was marked for;
        ``picked`` the share of the chosen sentences that were marked at all.
        """
        lengths = self.pool.words[list(chosen)]
        over = int(lengths.sum()) - words if words else 0
        lines = [squeeze(self.texts[i]) for i in chosen]
        if over > 0:
            lines[-1] = " ".join(lines[-1].split()[: int(lengths[-1]) - over])
        gold = "\n".join(map(squeeze, self.gold))
        found = rouge("\n".join(lines), [gold], tuple(ROUGE.values()))
        values = dict[str, float]()
        for ending, part in PARTS.items():
            values |= {kind + ending: getattr(found[key], part) for kind, key in ROUGE.items()}
        votes = self.votes[[i for i in chosen if i < len(self.votes)]]
        best = np.sort(self.votes)[::-1][: len(chosen)].sum()
        values["votes"] = float(votes.sum() / best) if best else 0.0
        values["picked"] = float((votes > 0).sum() / len(chosen)) if len(chosen) else 0.0
        return values


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
            problem = f"window={protocol.window} is above {WIDEST}: build the test set with it"
            raise ParameterError(problem)
        background = self.background
        if protocol.analyzer != self.protocol.analyzer:
            background = Background(_texts(self.corpus, self.wide), protocol.analyzer)
        papers = []
        for paper in self.papers:
            wide = self.wide[paper.topic.topic_id]
            contexts = [narrowed(context, protocol.window) for context in wide]
            given = paper.sentences, contexts, background
            papers.append(_counted(protocol, self.authority, *given))
        return papers

    def sizes(self) -> pd.DataFrame:
        """Count candidates, gold sentences, those out of reach, citances and citing papers."""
        rows = []
        for paper in self.papers:
            reached, citing = int((paper.votes > 0).sum()), paper.cited.citing
            row: dict[str, Any] = {"corpus": self.name, "topic": paper.topic.topic_id}
            row |= {"sentences": len(paper.votes), "gold": len(paper.gold)}
            row |= {"out_of_reach": len(paper.gold) - reached, "citances": len(paper.contexts)}
            row |= {"citing_papers": len({*citing}), "context_sentences": len(citing)}
            rows.append(row)
        return pd.DataFrame(rows)


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
    """Build the test set of a corpus.

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
    splitter, widest = splitter_of(corpus), max(WIDEST, protocol.window)
    wide = {topic.topic_id: citation_contexts(topic, splitter, widest) for topic in corpus}
    background = Background(_texts(corpus, wide), protocol.analyzer)
    scores = authorities(corpus.name, protocol.authority)
    domain = profiles.resources_of(corpus.name).domain
    papers, left_out = [], {}
    for topic in corpus:
        everything = splitter.sentences(topic.reference, CONTEXT_KINDS)
        marked = impact_votes(topic, everything)
        if len(topic.citances) < protocol.least_citances:
            left_out[topic.topic_id] = f"{len(topic.citances)} citances"
        elif not marked.any():
            left_out[topic.topic_id] = "no sentence is marked as cited"
        else:
            contexts = tuple(narrowed(each, protocol.window) for each in wide[topic.topic_id])
            own = splitter.sentences(topic.reference)
            cited = _counted(protocol, scores, own, contexts, background)
            texts = everything.texts()
            gold = tuple(texts[i] for i in np.flatnonzero(marked))
            votes = impact_votes(topic, own)
            papers.append(ImpactPaper(topic, own, cited, contexts, votes, gold, domain))
    if not papers:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise DataError(f"no paper for the test set: {reasons}", file=corpus.name)
    return ImpactSet(corpus, protocol, tuple(papers), scores, left_out, background, wide)


def _counted(
    protocol: ImpactProtocol,
    authority: Mapping[str, float],
    sentences: Sentences,
    contexts: Sequence[CitationContext],
    background: Background,
) -> CitedPaper:
    given = sentences, contexts, background, protocol.analyzer
    return CitedPaper.of(*given, authority, protocol.strip_markers)


def narrowed(context: CitationContext, window: int) -> CitationContext:
    """Return the part of a context that lies within so many sentences of the citing one.

    >>> texts = ("We rest.", "Cells rest [1].", "So.")
    >>> narrowed(CitationContext("1", "Roe", texts, (1, 0, 1), "offset"), 0).sentences
    ('Cells rest [1].',)
    """
    pairs = zip(context.sentences, context.distances, strict=True)
    sentences, distances = zip(*(pair for pair in pairs if pair[1] <= window), strict=True)
    return replace(context, sentences=sentences, distances=distances)


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
    if corpus.startswith("scisumm") and kind == "scisummnet":
        cited = scisummnet.authority(sources.folder("scisumm-corpus"))
        return {name: count + 1.0 for name, count in cited.items()}
    if corpus.startswith("scisumm"):
        return authority(citation_network.acl())
    if corpus == "teaching" and kind == "pagerank":
        return authority(citation_network.read(DATA / "teaching" / "citations.txt"))
    return {}


def with_authority(paper: CitedPaper, scores: Mapping[str, float]) -> CitedPaper:
    """Return the same paper with another authority of what cites it."""
    return replace(paper, authority=look_up(paper.citing, scores))
