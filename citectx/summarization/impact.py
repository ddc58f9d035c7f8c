"""The impact language model: which sentences of a paper say what others cite it for (acl2008).

A paper and its citation contexts are counted once (`CitedPaper`); all sentences are then scored by
one matrix product.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from citectx.corpora.citation_network import CitationNetwork
from citectx.errors import DataError
from citectx.language.citation_contexts import CitationContext
from citectx.language.text import Sentences, strip_citation_markers
from citectx.summarization.base import Analysis, Budget, Pool, by_score, within
from citectx.summarization.summarizers import pagerank
from citectx.types import Floats, Ints, Parameters

Interpolation = Literal["constant", "dirichlet", "document", "citation"]
"""How p(w|θ_I) is made: Eq. 3, Eq. 2, p(w|d) alone, p(w|C) alone."""


class Background:
    """p(w|D): how probable words are in all available papers.

    Ambiguity: acl2008 leaves open which papers D holds ("all available"). Ours are all texts that
    the caller passes; a word that none of them has counts as seen once, so that its logarithm
    exists.

    Parameters
    ----------
    texts : iterable of str
    analyzer : callable
        From a text to its terms.

    Examples
    --------
    >>> Background(["cells rest", "cells die"], str.split).of(["cells", "fuse"])
    array([0.5 , 0.25])
    """

    def __init__(self, texts: Iterable[str], analyzer: Analysis) -> None:
        self.counts = Counter(term for text in texts for term in analyzer(text))
        self.total = self.counts.total()

    def of(self, terms: Sequence[str]) -> Floats:
        """Probability of each term, shape (terms,), above 0."""
        return np.array([max(self.counts[term], 1) / self.total for term in terms])


def authority(network: CitationNetwork, damping: float = 0.85) -> dict[str, float]:
    """PageRank of every paper of a citation network; pg(s) of acl2008.

    Ambiguity: acl2008 does not give the damping factor; 0.85 is PageRank's own. Papers that cite
    nothing jump anywhere; self-citations do not count.
    """
    return dict(zip(network.papers, pagerank(network.matrix(), damping).tolist(), strict=True))


def look_up(names: Sequence[str], scores: Mapping[str, float]) -> Floats:
    """Authority of papers, shape (names,), the least of all scores for a paper that has none.

    Ambiguity: a citing paper may be missing from the network. The least PageRank is that of a paper
    which nobody cites, and nothing is known to cite this one. Without any scores all papers weigh
    the same.

    >>> look_up(["Doe", "Roe"], {"Doe": 0.5, "Poe": 0.1}), look_up(["Doe"], {})
    (array([0.5, 0.1]), array([1.]))
    """
    least = min(scores.values(), default=1.0)
    return np.array([scores.get(name, least) for name in names], dtype=np.float64)


@dataclass(frozen=True)
class CitedPaper:
    """A paper and its citation contexts, counted.

    Parameters
    ----------
    paper : Pool
        The candidate sentences s of d.
    contexts : Pool
        The sentences of C, over the same terms.
    background : float array, shape (terms,)
        p(w|D), above 0.
    distance : int array, shape (sentences of C,)
        k, sentences to the citing sentence.
    authority : float array, shape (sentences of C,)
        pg(s), not negative.
    citing : tuple of str
        The citing document of each sentence of C.
    """

    paper: Pool
    contexts: Pool
    background: Floats
    distance: Ints
    authority: Floats
    citing: tuple[str, ...]

    @classmethod
    def of(
        cls,
        sentences: Sentences,
        contexts: Sequence[CitationContext],
        background: Background,
        analyzer: Analysis,
        scores: Mapping[str, float] | None = None,
        strip_markers: bool = True,
    ) -> Self:
        """Count the words of a paper and of its contexts.

        Parameters
        ----------
        sentences : Sentences
            Candidates of the paper; without the title, which is part of every summary.
        contexts : sequence of CitationContext
        background : Background
        analyzer : callable
            From a sentence to its terms.
        scores : mapping of citing document to authority, optional
            Without any, all citing papers weigh the same.
        strip_markers : bool
            Leave citation markers out of the counts. Ambiguity: acl2008 does not say; names of
            authors and years say nothing about impact.
        """
        own = sentences.texts()
        theirs = [text for context in contexts for text in context.sentences]
        if strip_markers:
            theirs = [strip_citation_markers(text) for text in theirs]
        both = Pool.of([*own, *theirs], analyzer)
        names = tuple(context.citing_id for context in contexts for _ in context.sentences)
        distances = [k for context in contexts for k in context.distances]
        return cls(
            both.take(range(len(own))),
            both.take(range(len(own), len(both))),
            background.of(both.terms),
            np.array(distances, dtype=np.int64),
            look_up(names, scores or {}),
            names,
        )

    @cached_property
    def document_counts(self) -> Floats:
        """c(w, d), shape (terms,)."""
        return np.asarray(self.paper.counts.sum(axis=0))

    def citation_model(self, alpha: float | None = None, use_authority: bool = False) -> Floats:
        """p(w|C), shape (terms,): pooled (Eq. 4), or weighted by authority and proximity (Eq. 5).

        Parameters
        ----------
        alpha : float or None
            Of pr(s) = 1/α^k, at least 1; None for no proximity.
        use_authority : bool

        Raises
        ------
        DataError
            If the paper has no citation context, or none with a word.
        """
        weights = self.authority if use_authority else np.ones(len(self.contexts))
        if alpha is not None:
            weights = weights * np.power(float(alpha), -self.distance)
        counts: Floats = self.contexts.counts.T @ weights
        if not counts.sum() > 0:
            remedy = "leave the paper out, or use interpolation='document'"
            raise DataError(f"no word in any citation context: {remedy}")
        return np.asarray(counts / counts.sum())

    def scores(self, model: Floats, mu: float) -> Floats:
        """Score(s) = −D(θ_I‖θ_s), shape (sentences,), without the entropy of θ_I.

        Source: acl2008 §3.2 and Eq. 1: Σ_w p(w|θ_I)·log p(w|θ_s), θ_s smoothed with p(w|D).

        Parameters
        ----------
        model : float array, shape (terms,)
            p(w|θ_I); sums to 1.
        mu : float
            μ_s, above 0.
        """
        counts = self.paper.counts
        lengths = counts.sum(axis=1, keepdims=True)
        scores: Floats = np.log((counts + mu * self.background) / (lengths + mu)) @ model
        return scores


@dataclass(frozen=True)
class ImpactModel(Parameters):
    """Summarize the impact of a paper: the sentences whose language is closest to the impact model.

    Source: acl2008 Eq. 1 to 5. The defaults are the setting of its Table 1.

    Parameters
    ----------
    interpolation : {"constant", "dirichlet", "document", "citation"}
    delta : float
        δ of Eq. 3, the weight of p(w|C), in [0, 1].
    mu_c : float
        μ_c of Eq. 2, in terms; 0 means p(w|d).
    mu_s : float
        μ_s of Eq. 1, above 0.
    alpha : float or None
        α of the proximity 1/α^k, at least 1; None turns it off.
    use_authority : bool
        Whether contexts are weighted by the authority of the paper they come from.

    Notes
    -----
    Ambiguity: the paper takes the top-ranked sentences as they are; whether two that say the same
    may both be chosen is left to future work there, so both may here. Equal sentences go by
    position.

    Raises
    ------
    ParameterError
        On an unknown interpolation, or a parameter out of its range.
    """

    interpolation: Interpolation = "constant"
    delta: float = 0.8
    mu_c: float = 20_000.0
    mu_s: float = 1_000.0
    alpha: float | None = 3.0
    use_authority: bool = True

    allowed: ClassVar = {
        "interpolation": get_args(Interpolation),
        "delta": "[0, 1]",
        "mu_c": "[0, inf]",
        "mu_s": "(0, inf]",
        "alpha": "[1, inf]",
    }

    def model(self, paper: CitedPaper) -> Floats:
        """p(w|θ_I), shape (terms,)."""
        length = paper.document_counts.sum()
        own: Floats = paper.document_counts / length
        if self.interpolation == "document":
            return own
        cited = paper.citation_model(self.alpha, self.use_authority)
        if self.interpolation == "citation":
            return cited
        constant = self.interpolation == "constant"
        weight = self.delta if constant else self.mu_c / (length + self.mu_c)
        return (1 - weight) * own + weight * cited

    def scores(self, paper: CitedPaper) -> Floats:
        """Score every sentence of the paper, shape (sentences,); higher is better."""
        return paper.scores(self.model(paper), self.mu_s)

    def order(self, paper: CitedPaper) -> Iterator[int]:
        """Yield all sentences, best first."""
        yield from by_score(self.scores(paper)).tolist()

    def choose(self, paper: CitedPaper, budget: Budget) -> list[int]:
        """Choose sentences until the budget is spent or none is left."""
        return within(paper.paper, self.order(paper), budget)
