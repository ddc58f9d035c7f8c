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
from functools import lru_cache, partial
from itertools import chain, compress
from typing import Any

import numpy as np

from citectx import profiles
from citectx.corpora import citation_network
from citectx.corpora.model import Corpus, Topic
from citectx.corpora.text_files import squeeze
from citectx.errors import DataError
from citectx.evaluation.rouge import rouge
from citectx.experiments.contextualization import splitter_of
from citectx.language.citation_contexts import CONTEXT_KINDS, CitationContext, citation_contexts
from citectx.language.idf import open_idf
from citectx.language.text import Analyzer, Sentences, SentenceSplitter
from citectx.ledger.rule import FEW_TOPICS
from citectx.paths import DATA
from citectx.summarization.abstracts import repeats
from citectx.summarization.base import Budget, Pool, Rarity, summary, within
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

PLAIN = Analyzer()
"""The words of papers and contexts are not stemmed, and English stop words do not count."""

ROUGE = {"ROUGE-1": "rouge1", "ROUGE-L": "rougeLsum"}
PARTS = {"": "recall", " F": "f1"}
"""Endings of measures: recall and F.

Ambiguity: acl2008 does not say which part it reports. Its numbers look like recall: those of random
sentences grow nearly in step with the length of the summary (0.163, 0.230, 0.430, 0.538 at 3, 5, 10
and 15 sentences), while precision would stay where it is, and F gain little beyond the median
length of the gold, nine sentences. F is in columns of its own."""


Count = Callable[[Sentences, Sequence[CitationContext]], CitedPaper]
"""Counts the words of a paper and of some citation contexts."""


@dataclass(frozen=True, eq=False)
class ImpactPaper:
    """A paper, what others write about it, and the summary that is wanted of it.

    ``sentences`` are the candidates, ``gold`` has the sentences of the gold summary in reading
    order. ``votes`` count the citances that each candidate was marked for; they are None where the
    gold summary is a person's own words.
    """

    topic: Topic
    sentences: Sentences
    contexts: Sequence[CitationContext]
    votes: Ints | None
    gold: Sequence[str]
    count: Count
    rarity: Rarity

    @property
    def cited(self) -> CitedPaper:
        """The words of paper and contexts, for the impact model."""
        return count_words(self)

    @property
    def pool(self) -> Pool:
        """What MEAD may choose: the candidates, then the sentences of the contexts."""
        return make_pool(self)

    @property
    def candidates(self) -> range:
        """Positions of the candidates in the pool."""
        return range(len(self.sentences))

    def score(self, order: Iterable[int], budget: Budget) -> dict[str, float]:
        """Measure the summary that an order leads to, as fractions.

        ``picked`` is the share of its sentences that annotators marked, where they did.
        """
        chosen = within(self.pool, order, budget)
        reference = "\n".join(self.gold)
        scores = rouge(summary(self.pool, chosen, budget), [reference], [*ROUGE.values()])
        values = {
            name + ending: getattr(scores[kind], part)
            for ending, part in PARTS.items()
            for name, kind in ROUGE.items()
        }
        if self.votes is None:
            return values
        # the pool goes on with sentences of contexts, which nobody could mark
        marked = [i in self.candidates and self.votes[i] > 0 for i in chosen]
        return values | {"picked": sum(marked) / max(len(chosen), 1)}


# Counts of a paper take about 3 MB each, so those of a few papers are kept: tables go paper by
# paper, and a corpus may have hundreds.


@lru_cache(maxsize=64)
def count_words(paper: ImpactPaper) -> CitedPaper:
    """Count the words of a paper and of its own contexts."""
    return paper.count(paper.sentences, paper.contexts)


@lru_cache(maxsize=64)
def make_pool(paper: ImpactPaper) -> Pool:
    """Count the words of a paper's sentences, then of its contexts', as MEAD does."""
    # the candidates come first, so that they have the same places as among the paper's sentences
    theirs = [text for context in paper.contexts for text in context.sentences]
    texts = [squeeze(text) for text in (*paper.sentences.texts(), *theirs)]
    return Pool.of(texts, ANALYZER, paper.rarity)


@dataclass(frozen=True)
class ImpactSet:
    """The papers of a corpus, and how they were counted.

    ``params`` are what tables say of the set. ``authority`` is by citing paper; it is empty where
    there is no network, and all weigh the same.

    Ambiguity: acl2008 mentions neither stemming nor stop words, nor whether citation markers count
    (`CitedPaper.of`). Ours are those of ``analyzer``: no stemming, English stop words.
    """

    corpus: Corpus
    papers: tuple[ImpactPaper, ...]
    params: Mapping[str, Any]
    analyzer: Analyzer
    authority: Mapping[str, float]
    background: Background

    @property
    def name(self) -> str:
        """Name of the corpus."""
        return self.corpus.name

    @property
    def is_marked(self) -> bool:
        """Whether gold summaries consist of sentences that annotators marked."""
        return self.papers[0].votes is not None


def sets_of(profile: str) -> list[ImpactSet]:
    """Build the test sets of a profile's corpora."""
    chosen = profiles.profile(profile)
    names = (*chosen.corpora, *chosen.cited)
    return [impact_set(profiles.load(name)) for name in names]


def least_of(corpus: Corpus, least: int = LEAST) -> int:
    """Return `least` if six papers have as many citing sentences, else 1.

    >>> least_of(profiles.load("teaching"))
    1
    """
    # with fewer papers than this no claim would get a verdict
    cited = sum(len(topic.citances) >= least for topic in corpus)
    return least if cited >= FEW_TOPICS else 1


def impact_set(
    corpus: Corpus,
    least: int | None = None,
    analyzer: Analyzer = PLAIN,
    *,
    strip_markers: bool = True,
    abstract: bool = False,
) -> ImpactSet:
    """Build the test set of a corpus: papers that are cited often enough, with a gold summary.

    That is of marked sentences or, in a corpus that nobody annotated, a person's own (`written`,
    which says what `abstract` is). ``least`` is by default that of `least_of`.
    """
    least = least or least_of(corpus)
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
    params: dict[str, Any] = {
        "least_citances": least,
        "stem": analyzer.stem,
        "stop_words": analyzer.stop_words,
        "strip_markers": strip_markers,
    }
    is_annotated = any(citance.annotations for topic in corpus for citance in topic.citances)
    read = marked if is_annotated else partial(written, abstract=abstract)
    barred = 0
    papers = []
    for topic, contexts in zip(corpus, around, strict=True):
        if len(contexts) >= least:
            sentences, votes, gold, repeated = read(topic, splitter)
            barred += repeated
            if gold and len(sentences):
                papers.append(ImpactPaper(topic, sentences, contexts, votes, gold, count, rarity))
    if not papers:
        problem = f"no paper with {least} or more citances has a marked sentence or a summary"
        raise DataError(problem, file=corpus.name)
    if not is_annotated:
        params |= {"gold": "a person's summary", "barred": barred}
    return ImpactSet(corpus, tuple(papers), params, analyzer, network, background)


Wanted = tuple[Sentences, Ints | None, list[str], int]
"""Candidates, their votes if there are any, the gold summary, and how many sentences are barred."""


def marked(topic: Topic, splitter: SentenceSplitter) -> Wanted:
    """Return the candidates of a paper, their votes, and its marked sentences; none is barred."""
    everything = splitter.sentences(topic.reference, CONTEXT_KINDS)
    gold = compress(everything.texts(), impact_votes(topic, everything))
    sentences = splitter.sentences(topic.reference)
    return sentences, impact_votes(topic, sentences), [*map(squeeze, gold)], 0


def written(topic: Topic, splitter: SentenceSplitter, abstract: bool = False) -> Wanted:
    """Return the candidates of a paper, and the sentences of a person's summary; nobody voted.

    Half of the runs of eight words in ScisummNet's summaries are in the paper's abstract. So no
    sentence of the abstract is a candidate, and none that shares such a run with it, unless
    `abstract`: whoever takes them copies the reference. What remains is the paper d: LEAD begins
    there, MEAD's positions and p(w|d) count it.
    """
    sentences = splitter.sentences(topic.reference)
    gold = sentences_of(topic.summaries.get("human", ""), splitter)
    if abstract:
        return sentences, None, gold, 0
    in_abstract = [block.kind == "abstract" for block in sentences.blocks]
    repeated = repeats(sentences.texts(), topic.summaries.get("abstract", ""))
    is_barred = np.array(in_abstract, bool) | repeated
    allowed = sentences.take(np.flatnonzero(~is_barred))
    return allowed, None, gold, int(is_barred.sum())


def sentences_of(text: str, splitter: SentenceSplitter) -> list[str]:
    """Split a text into sentences, a line each."""
    return [squeeze(span.of(text)) for span in splitter.split(text)]


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
