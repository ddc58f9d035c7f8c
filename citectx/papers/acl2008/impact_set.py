"""The test set that all tables of acl2008 share (§5.1): papers, gold, citation contexts, authority.

What we saw in the data: the 40 training papers of CL-SciSumm have 3 to 51 cited sentences (median
15), its 20 test papers, where three or four people annotated, 20 to 39 (median 28), the ten of
Citation-Integrity with four annotators 30 to 92 (median 49), and its 31 with one 9 to 61 (median
20). The paper's expert chose 5 to 18 (median 9). In Citation-Integrity up to four marked sentences
of a paper, in a table for instance, are not among those that a summarizer may choose. They stay in
the gold summary.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress
from typing import Any

from citectx import profiles
from citectx.corpora import citation_network
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError
from citectx.evaluation.rouge import rouge
from citectx.experiments.contextualization import splitter_of
from citectx.language.citation_contexts import CONTEXT_KINDS, CitationContext, citation_contexts
from citectx.language.idf import open_idf
from citectx.language.text import Analyzer, Sentences
from citectx.ledger.rule import FEW_TOPICS
from citectx.paths import DATA
from citectx.summarization.base import Budget, Pool, summary, within
from citectx.summarization.contexts import impact_votes
from citectx.summarization.impact import Background, CitedPaper, authority
from citectx.summarization.summarizers import ANALYZER, mead_idf
from citectx.types import Ints

LEAST = 20
"""Citing sentences that a paper must have. acl2008 §5.1.1 takes papers with at least 20 citations,
14 of its 1,303.

Ambiguity: it does not say what counts as one. We count citing sentences, of which a citing paper
may have several: 13 of the 40 training papers of CL-SciSumm have 20, four of its 20 test papers,
six of the ten of Citation-Integrity and 28 of its 31. Only five training papers of CL-SciSumm have
20 citing papers, too few to decide anything. Where fewer than six papers have 20 citing sentences,
every paper with a context stays (`least_of`)."""

ROUGE = {"ROUGE-1": "rouge1", "ROUGE-L": "rougeLsum"}
PARTS = {"": "recall", " F": "f1"}
"""Endings of measures: recall and F.

Ambiguity: acl2008 does not say which part it reports. Its numbers look like recall: those of random
sentences grow nearly in step with the length of the summary (0.163, 0.230, 0.430, 0.538 at 3, 5, 10
and 15 sentences), while precision would stay where it is, and F gain little beyond the median
length of the gold, nine sentences. F is in columns of its own."""


@dataclass(frozen=True)
class ImpactPaper:
    """A paper, what others write about it, and which of its sentences annotators marked as cited.

    ``sentences`` are the candidates, ``cited`` the words of paper and contexts for the impact
    model. ``pool`` is what MEAD may choose: the candidates, then the sentences of the contexts.
    ``votes`` count the citances that each candidate was marked for; ``gold`` has the sentences of
    the gold summary in reading order.
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
        """Positions of the candidates in the pool."""
        return range(len(self.votes))

    def score(self, order: Iterable[int], budget: Budget) -> dict[str, float]:
        """Measure the summary that an order leads to, as fractions.

        ``picked`` is the share of its sentences that annotators marked.
        """
        chosen = within(self.pool, order, budget)
        reference = "\n".join(self.gold)
        scores = rouge(summary(self.pool, chosen, budget), [reference], [*ROUGE.values()])
        values = {
            name + ending: getattr(scores[kind], part)
            for ending, part in PARTS.items()
            for name, kind in ROUGE.items()
        }
        marked = [i in self.candidates and self.votes[i] > 0 for i in chosen]
        return values | {"picked": sum(marked) / max(len(chosen), 1)}


@dataclass(frozen=True)
class ImpactSet:
    """The papers of a corpus, and how they were counted.

    ``params`` are what tables say of the set; ``count`` counts the words of a paper and of some
    contexts. ``authority`` is by citing paper; it is empty where there is no network, and
    all weigh the same.

    Ambiguity: acl2008 mentions neither stemming nor stop words, nor whether citation markers count
    (`CitedPaper.of`). Ours are those of ``analyzer``: no stemming, English stop words.
    """

    corpus: Corpus
    papers: tuple[ImpactPaper, ...]
    params: Mapping[str, Any]
    count: Callable[[Sentences, Sequence[CitationContext]], CitedPaper]
    analyzer: Analyzer
    authority: Mapping[str, float]
    background: Background

    @property
    def name(self) -> str:
        """Name of the corpus."""
        return self.corpus.name


def sets_of(profile: str) -> list[ImpactSet]:
    """Build the test sets of a profile's corpora."""
    return [impact_set(corpus) for corpus in profiles.profile(profile).load()]


def least_of(corpus: Corpus, least: int = LEAST) -> int:
    """Return `least` if six papers have as many citing sentences, else 1.

    >>> least_of(profiles.load("teaching"))
    1
    """
    cited = sum(len(topic.citances) >= least for topic in corpus)
    return least if cited >= FEW_TOPICS else 1


def impact_set(
    corpus: Corpus,
    least: int | None = None,
    analyzer: Analyzer | None = None,
    *,
    strip_markers: bool = True,
) -> ImpactSet:
    """Build the test set of a corpus: papers that are cited often enough, with marked sentences.

    ``least`` is by default that of `least_of`.
    """
    least = least or least_of(corpus)
    analyzer = analyzer or Analyzer()
    splitter = splitter_of(corpus)
    around = [citation_contexts(topic, splitter) for topic in corpus]
    background = Background(texts_at_hand(corpus, around), analyzer)
    network = authorities(corpus.name)
    count = partial(
        CitedPaper.of,
        background=background,
        analyzer=analyzer,
        scores=network,
        strip_markers=strip_markers,
    )
    rarity = mead_idf(open_idf(profiles.resources_of(corpus.name).domain))
    papers = []
    for topic, contexts in zip(corpus, around, strict=True):
        everything = splitter.sentences(topic.reference, CONTEXT_KINDS)
        marked = impact_votes(topic, everything)
        if len(contexts) >= least and marked.any():
            sentences = splitter.sentences(topic.reference)
            theirs = [text for context in contexts for text in context.sentences]
            texts = [squeeze(text) for text in (*sentences.texts(), *theirs)]
            pool = Pool.of(texts, ANALYZER, rarity)
            votes = impact_votes(topic, sentences)
            gold = [*map(squeeze, compress(everything.texts(), marked))]
            cited = count(sentences, contexts)
            papers.append(ImpactPaper(topic, sentences, contexts, cited, pool, votes, gold))
    if not papers:
        problem = f"no paper with {least} or more citances has a sentence marked as cited"
        raise DataError(problem, file=corpus.name)
    params = {
        "least_citances": least,
        "stem": analyzer.stem,
        "stop_words": analyzer.stop_words,
        "strip_markers": strip_markers,
    }
    return ImpactSet(corpus, tuple(papers), params, count, analyzer, network, background)


def texts_at_hand(corpus: Corpus, contexts: Iterable[Iterable[CitationContext]]) -> Iterator[str]:
    """All papers at hand, each once: cited, citing, and citances whose paper is not there."""
    papers = {paper.doc_id: paper.text for topic in corpus for paper in topic.documents}
    yield from papers.values()
    for context in chain.from_iterable(contexts):
        if context.found == "alone":
            yield context.sentences[0]


def authorities(corpus: str) -> dict[str, float]:
    """PageRank of citing papers by name; empty for a corpus without a citation network.

    Citation-Integrity and TAC 2014 have none: their contexts all weigh the same, and Table 4 leaves
    out the rows that need authority.
    """
    if corpus.startswith("scisumm"):
        return authority(citation_network.acl())
    if corpus == "teaching":
        return authority(citation_network.read(DATA / "teaching" / "citations.txt"))
    return {}
