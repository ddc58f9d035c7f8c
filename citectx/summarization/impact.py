"""The impact language model (acl2008): the sentences that say what a paper is cited for."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from citectx.corpora.citation_network import CitationNetwork
from citectx.errors import DataError
from citectx.language.citation_contexts import CitationContext
from citectx.language.text import Analysis, Sentences, strip_citation_markers
from citectx.summarization.base import Budget, Pool, by_score, within
from citectx.summarization.summarizers import pagerank
from citectx.types import Floats, Ints, Parameters

Interpolation = Literal["constant", "dirichlet", "document", "citation"]
"""p(w|θ_I) by Eq. 3, by Eq. 2, p(w|d) alone, or p(w|C) alone."""


class Background:
    """p(w|D), the probability of words in all available papers.

    Ambiguity: acl2008 leaves open which papers D holds ("all available"). We take all texts at
    hand. A word in none of them counts as seen once, so that its logarithm exists.

    >>> Background(["cells rest", "cells die"], str.split).of(["cells", "fuse"])
    array([0.5 , 0.25])
    """

    def __init__(self, texts: Iterable[str], analyzer: Analysis) -> None:
        self.counts = Counter(term for text in texts for term in analyzer(text))
        self.total = self.counts.total()

    def of(self, terms: Sequence[str]) -> Floats:
        """Return the probability of each term, shape (terms,), above 0."""
        return np.array([max(self.counts[term], 1) / self.total for term in terms])


def authority(network: CitationNetwork) -> dict[str, float]:
    """Return the PageRank of every paper of a citation network, pg(s) of acl2008.

    Ambiguity: acl2008 does not give the damping factor. 0.85 is PageRank's own. Papers that cite
    nothing jump anywhere, and self-citations do not count.
    """
    ranks = pagerank(network.matrix()).tolist()
    return dict(zip(network.papers, ranks, strict=True))


def look_up(names: Sequence[str], scores: Mapping[str, float]) -> Floats:
    """Return the authority of papers, shape (names,); without any scores, all weigh 1.

    Ambiguity: a citing paper may be missing from the network. It gets the least PageRank, that of a
    paper which nobody cites.

    >>> look_up(["Doe", "Roe"], {"Doe": 0.5, "Poe": 0.1}), look_up(["Doe"], {})
    (array([0.5, 0.1]), array([1.]))
    """
    least = min(scores.values(), default=1.0)
    return np.array([scores.get(name, least) for name in names], float)


@dataclass(frozen=True)
class CitedPaper:
    """A paper d and its citation contexts C, counted over the same terms."""

    paper: Pool  # the candidate sentences s of d
    contexts: Pool  # the sentences of C
    background: Floats  # p(w|D), above 0, shape (terms,)
    distance: Ints  # k, sentences to the citing sentence, shape (sentences of C,)
    authority: Floats  # pg(s), not negative, shape (sentences of C,)
    citing: tuple[str, ...]  # the citing document of each sentence of C

    @classmethod
    def of(
        cls,
        sentences: Sentences,
        contexts: Sequence[CitationContext],
        background: Background,
        analyzer: Analysis,
        scores: Mapping[str, float] = {},
        strip_markers: bool = True,
    ) -> Self:
        """Count the words of a paper, without its title, and of its contexts.

        `scores` holds the authority of citing papers; without it, all weigh the same.

        Ambiguity: acl2008 does not say whether citation markers count. With `strip_markers` they do
        not: names of authors and years say nothing about impact.
        """
        texts = sentences.texts()
        around = [text for context in contexts for text in context.sentences]
        if strip_markers:
            around = [strip_citation_markers(text) for text in around]
        both = Pool.of([*texts, *around], analyzer)
        own = both.take(range(len(texts)))
        cited = both.take(range(len(texts), len(both)))
        names = tuple(context.citing_id for context in contexts for _ in context.sentences)
        distances = [k for context in contexts for k in context.distances]
        authority = look_up(names, scores)
        everywhere = background.of(both.terms)
        return cls(own, cited, everywhere, np.array(distances, int), authority, names)

    def citation_model(self, alpha: float | None = None, use_authority: bool = False) -> Floats:
        """p(w|C), shape (terms,): pooled (Eq. 4), or weighted by authority and proximity (Eq. 5).

        Proximity is pr(s) = 1/α^k; None turns it off. A paper without words in its contexts raises
        a DataError.
        """
        weights = self.authority if use_authority else np.ones(len(self.contexts))
        if alpha is not None:
            weights = weights * float(alpha) ** -self.distance
        counts: Floats = self.contexts.counts.T @ weights
        if not counts.sum() > 0:
            raise DataError(
                "no word in any citation context: leave the paper out, "
                "or use interpolation='document'"
            )
        return counts / counts.sum()


@dataclass(frozen=True)
class ImpactModel(Parameters):
    """Choose the sentences of a paper whose language is closest to the impact model.

    `delta` is δ of Eq. 3 (the weight of p(w|C)), `mu_c` μ_c of Eq. 2, `mu_s` μ_s of Eq. 1, and
    `alpha` α of the proximity 1/α^k, which None turns off. With `use_authority`, contexts weigh as
    much as the authority of their paper.

    Source: acl2008 Eq. 1 to 5. The defaults are the setting of its Table 1.
    Ambiguity: the paper takes the top-ranked sentences as they are, and leaves redundancy to future
    work. So two sentences that say the same may both be chosen. Equal sentences go by position.
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
        document = paper.paper.probability
        if self.interpolation == "document":
            return document
        cited = paper.citation_model(self.alpha, self.use_authority)
        if self.interpolation == "citation":
            return cited
        weight = self.delta
        if self.interpolation == "dirichlet":
            weight = self.mu_c / (paper.paper.counts.sum() + self.mu_c)
        return (1 - weight) * document + weight * cited

    def scores(self, paper: CitedPaper) -> Floats:
        """Score(s) = −D(θ_I‖θ_s), shape (sentences,), without the entropy of θ_I.

        Source: acl2008 §3.2 and Eq. 1: Σ_w p(w|θ_I)·log p(w|θ_s), θ_s smoothed with p(w|D).
        """
        counts = paper.paper.counts  # (sentences, terms)
        lengths = counts.sum(axis=1, keepdims=True)
        smoothed = (counts + self.mu_s * paper.background) / (lengths + self.mu_s)
        return np.log(smoothed) @ self.model(paper)

    def order(self, paper: CitedPaper) -> list[int]:
        """Return all sentences, best first."""
        return by_score(self.scores(paper)).tolist()

    def choose(self, paper: CitedPaper, budget: Budget) -> list[int]:
        """Choose sentences until the budget is spent or none is left."""
        return within(paper.paper, self.order(paper), budget)
